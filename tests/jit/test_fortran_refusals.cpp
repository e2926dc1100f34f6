// What is wrong with a Fortran text, or cannot be done on a device: a sentence that names the file and its line. Skipped without flang.
// SPDX-License-Identifier: BSD-3-Clause
#include "fortran_here.hpp"
#include "jit/fortran/flang.hpp"
#include "jit/host_compiler.hpp"

using namespace tessera;
using checks::fails;
using fortran_here::text;

namespace {

// What no device can do, in a sentence that names it.
void refusals() {
  const std::string head = "double precision function f(ndim, x)\ninteger ndim\ndouble precision x(ndim)\n",
                    end = "end function\n";
  const auto refused = [&](const std::string &what, const std::string &body, const std::string &sentence,
                           const std::string &after = "") {
    fails(what, jit_stage::translate, sentence,
          [&] { fortran_to_nvvm(text(head + body + end + after), find_flang(), 2, 1, 0, {}); });
  };
  refused("read", "read (*, *) y\nf = x(1) + y\n", "mine.f90(4): error: 'f' (line 4) reads or opens files");
  refused("open", "open (10, file='a')\nf = x(1)\n", "reads or opens files");
  refused("unresolved", "double precision dgemmx\nexternal dgemmx\nf = dgemmx(x)\n",
          "'dgemmx', which 'f' (line 6) calls, is not defined");
  fails("quadruple precision", jit_stage::compile, "mine.f90(4): error: REAL(KIND=16)",
        [&] { fortran_to_nvvm(text(head + "real(16) q\nq = x(1)\nf = q*q\n" + end), find_flang(), 2, 1, 0, {}); });
  refused("random numbers", "call random_number(x)\nf = x(1)\n", "random numbers");
  refused("a size that is not constant", "double precision t(int(10*x(1)) + 2)\nt = x(2)\nf = sum(t)\n", "mine.f90(");
  refused(
      "an allocation in a loop",
      "integer k\ntype node\n double precision v\n type(node), pointer :: next\nend type\ntype(node), pointer :: p, q\n"
      "nullify(p)\ndo k = 1, int(5*x(1))\n allocate (q)\n q%v = x(1)\n q%next => p\n p => q\nend do\nf = 0\ndo while "
      "(associated(p))\n f = f + p%v\n p => p%next\nend do\n",
      "allocate");
  refused("a procedure pointer",
          "procedure(g), pointer :: p\nprocedure(g) h\nif (x(1) > 0.5) then\n p => g\nelse\n p => h\nend if\nf = "
          "p(x(1)) + p(x(2))\ncontains\ndouble precision function g(t)\n"
          "double precision, intent(in) :: t\ng = t\nend function\n",
          "", "double precision function h(t)\ndouble precision, intent(in) :: t\nh = 2*t\nend function\n");
  refused("large data of its own",
          "double precision, save :: big(100000) = 1\nbig(int(x(1)*1000) + 1) = x(2)\nf = big(int(x(2)*1000) + 1)\n",
          "the integrand changes data of 800000 bytes");
  fails("an error of the text", jit_stage::compile, "mine.f90(4): error:", [&] {
    fortran_to_nvvm(text(head + "f = sinn(x(1), )\n" + end), find_flang(), 2, 1, 0, {});
  });
  fails("an error of the text, on the host", jit_stage::compile, "mine.f90(1): error: Symbol 'x' at (1)", [&] {
    compiled_source(
        text("function f(ndim, x)\nimplicit none\ninteger ndim\ndouble precision f, y(ndim)\nf = x(1)\nend\n"), 2, 1,
        nullptr, "test");
  });
  fails("a routine that is nowhere, on the host", jit_stage::link, "'dgemmx_' is used but not defined",
        [&] { compiled_source(text(head + "double precision dgemmx\nf = dgemmx(x)\n" + end), 2, 1, nullptr, "test"); });
}

// Refusals name the file and its own line, whichever of several it is; so do errors of the compiler.
void lines_of_files() {
  const auto with = [](const std::string &before, const std::string &main) {
    integrand_source s = text(main);
    s.file_name = "main.f90";
    s.files.push_back({"first.f90", "module first\nreal(8) :: one = 1\nend module\n", true, false, false});
    s.files.push_back({"old.f", before, true, true, false});
    return s;
  };
  const std::string good =
      "      DOUBLE PRECISION FUNCTION OLD(T)\n      DOUBLE PRECISION T\n      OLD = T\n      END\n";
  const std::string main =
      "double precision function f(x)\ndouble precision x, old\nexternal old\nf = old(x)\nend function\n";
  const auto refused = [](const char *what, jit_stage stage, const std::string &part, const integrand_source &s) {
    fails(what, stage, part, [&] { fortran_to_nvvm(s, find_flang(), 1, 1, 0, {}); });
  };
  refused(
      "a call in the second file", jit_stage::translate, "old.f(4): error: 'old' (line 4)",
      with("C\n      DOUBLE PRECISION FUNCTION OLD(T)\n      DOUBLE PRECISION T\n      READ (*, *) T\n      OLD = T\n "
           "     END\n",
           main));
  refused("a call in the last file", jit_stage::translate, "main.f90(4): error: 'nowhere', which 'f' (line 4) calls",
          with(good,
               "double precision function f(x)\ndouble precision x, nowhere\nexternal nowhere\nf = "
               "nowhere(x)\nend function\n"));
  refused(
      "an error in the second file", jit_stage::compile, "old.f(3): error: ",
      with("      DOUBLE PRECISION FUNCTION OLD(T)\n      DOUBLE PRECISION T\n      OLD = T %% 2\n      END\n", main));
  refused("an error in the last file", jit_stage::compile, "main.f90(2): error: ",
          with(good, "double precision function f(x)\ndouble precision x, = 3\nf = x\nend function\n"));
}

}  // namespace

int main() {
  try {
    find_flang();
  } catch (const compile_error &e) {
    std::printf("skipped: %s\n", e.what());
    return 77;
  }
  try {
    refusals();
    lines_of_files();
  } catch (const std::exception &e) {
    checks::check(false, e.what());
  }
  return checks::summary();
}
