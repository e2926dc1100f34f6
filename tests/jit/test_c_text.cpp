// What is kept of a C text, and what is refused.
// SPDX-License-Identifier: BSD-3-Clause
#include "jit/c_text.hpp"

#include <unistd.h>

#include "checks.hpp"
#include "jit/process.hpp"

using namespace tessera;
using checks::check;
using checks::contains;
using checks::fails;

namespace {

c_text read(const std::string &text) {
  integrand_source s;
  s.text = text;
  s.file_name = "a.c";
  return read_c(expand_includes(s), "f");
}

const std::string head = "int f(int n, const double *x, int m, double *v, void *p) ";

void refused(const std::string &what, const std::string &part, const std::string &text) {
  fails(what, jit_stage::translate, part, [&] { read(text); });
}

}  // namespace

int main() {
  c_text c = read(
      "static double used(double a) { return a; }\nstatic double unused(FILE *a) { return b(a); }\n"
      "double table[2] = {1, 2};\n#define CALL(a) used(a)\n" +
      head +
      "{ v[0] = CALL(x[0]) * table[1]; return 0; }\n"
      "int main(void) { return 1; }\n");
  check(contains(c.text, "used(double a)") && !contains(c.text, "FILE") && !contains(c.text, "main"),
        "unreached code goes");
  check(c.parameters == 5 && c.not_parallel.empty() && c.constants.size() == 1, "counts");
  check(contains(read("static double g(double); static double g(double a) { return a; }\nstatic double (*t[1])(double) "
                      "= {g};\n" +
                      head + "{ v[0] = t[0](x[0]); return 0; }")
                     .text,
                 "return a"),
        "functions in tables are reached");
  check(contains(read("#ifdef __cplusplus\nextern \"C\" {\n#endif\n" + head +
                      "{ return 0; }\n#ifdef __cplusplus\n}\n#endif\n")
                     .text,
                 "return 0"),
        "code for C++ only goes");
  check(contains(read("#if 0\nunbalanced {\n#elif defined(A)\nint a(void);\n#else\nint b(void);\n#endif\n" + head +
                      "{ return 0; }")
                     .text,
                 "#if   defined(A)"),
        "#elif after #if 0");

  refused("no value", "a.c(1): error: nothing in this text gives the variable 'a' a value",
          "double a;\n" + head + "{ v[0] = a; return 0; }");
  refused("set by main", "a.c(3): error: 'main' sets the variable 'a'",
          "static double a = 1;\n" + head + "{ v[0] = a; return 0; }\nint main() { a = 2; return 0; }");
  refused(
      "address in main", "a.c(3): error: 'main' sets the variable 'a'",
      "static double a[2] = {1};\n" + head + "{ v[0] = a[1]; return 0; }\nint main() { read_it(&a[1]); return 0; }");
  refused("extern", "a.c(1): error: the variable 'a' is defined in another file",
          "extern double a;\n" + head + "{ v[0] = a; return 0; }");
  refused("K&R", "a.c(1): error: 'g' is defined in the style before ANSI C",
          "double g(a) double a; { return a; }\n" + head + "{ v[0] = g(x[0]); return 0; }");
  refused("brackets", "'{' is never closed", head + "{ if (n) { return 0; }");
  refused("string", "a.c(2): error: a quotation that does not end", head + "{\n const char *s = \"abc; return 0; }");
  check(contains(read("static int a = 1;\n" + head + "{ a++; v[0] = a; return 0; }").not_parallel,
                 "a.c(2): error: 'f' writes"),
        "a written static is reported");
  check(contains(read(head + "{\n static int first = 1;\n if (first) first = 0;\n v[0] = 1; return 0; }").not_parallel,
                 "a.c(3): error: 'f' writes to its static variable 'first'"),
        "a written local static is reported");
  check(read("int i; double h;\n" + head +
             "{ int i, k = 0; double h = 0; for (i = 0; i < n; i++) h += x[i]; v[0] = h; return k; }\n"
             "int main() { i = 1; h = i; return 0; }")
            .not_parallel.empty(),
        "locals hide variables of the file");
  refused("not hidden by a loop's condition", "the variable 'h'",
          "double h;\n" + head +
              "{ int i; for (i = 0; i * h < 1; i++) v[0] = i; return 0; }\nint main() { h = 1; return 0; }");
  check(read("struct s { double a; } ;\nstatic struct s q = {1};\n" + head +
             "{ struct s *a = p; v[0] = a->a + q.a; return 0; }")
                .constants.size() == 1,
        "struct members are no variables");

  const temporary_directory work;
  write_file(work.file("inner.h"), "#pragma once\nstatic double g(double a) { return a; }\n");
  write_file(work.file("outer.h"), "#include \"inner.h\"\n");
  integrand_source s;
  s.file_name = work.file("main.c");
  s.text = "#include \"outer.h\"\n#include \"inner.h\"\n#include \"elsewhere.h\"\nint line4;\n";
  const std::string all = expand_includes(s);
  check(contains(all, "return a") && all.find("return a") == all.rfind("return a"), "#include, once");
  integrand_source again = s;
  again.text = all;
  again.expanded = true;
  check(expand_includes(again) == all, "#include, nothing is done twice");
  write_file(work.file("one.h"), "#ifndef ONE\n#define ONE\n#include \"two.h\"\nint one;\n#endif\n");
  write_file(work.file("two.h"), "#include \"one.h\"\nint two;\n");
  integrand_source ring = s;
  ring.text = "#include \"one.h\"\n#include \"two.h\"\nint line3;\n";
  const std::string both = expand_includes(ring);
  check(both.find("int two;") < both.find("int one;") && contains(both, "int line3"), "#include, in a ring");
  check(contains(all, "#line 3 \"" + s.file_name + "\"\n#include \"elsewhere.h\"\nint line4"),
        "lines after an #include");
  return checks::summary();
}
