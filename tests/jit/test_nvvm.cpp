// LLVM's representation read, and rewritten to NVVM IR: what becomes of each thing, what is refused and how, and texts that are damaged.
// Needs no compiler; where libNVVM is, it is asked whether it takes the result.
// SPDX-License-Identifier: BSD-3-Clause
#include <random>

#include "checks.hpp"
#include "fortran_ir.hpp"
#include "jit/fortran/data_use.hpp"
#include "jit/fortran/nvvm_text.hpp"
#include "jit/fortran/reach.hpp"
#include "jit/fortran/runtime.hpp"
#include "jit/toolkit.hpp"

using namespace tessera;
using checks::check;
using checks::contains;

namespace {

nvvm_code rewritten(const std::string &text, const std::vector<host_value> &values = {}) {
  return write_nvvm(ir_module(text), values);
}

std::string with(const std::string &lines, const std::string &before = "") {
  return before + fortran_ir::head + lines + fortran_ir::end;
}

void refused(const std::string &what, const std::string &text, const std::string &sentence, int line = 0,
             const std::vector<host_value> &values = {}) {
  try {
    rewritten(text, values);
    check(false, what + ": not refused");
  } catch (const ir_error &e) {
    check(contains(e.what(), sentence), what + ": '" + sentence + "' in: " + e.what());
    check(line == 0 || e.line() == line, what + ": line " + std::to_string(e.line()));
  }
}

// "" when libNVVM takes it, or is not there.
std::string complaint(const std::string &text) {
  const nvvm_library *library = nullptr;
  try {
    library = &nvvm();
  } catch (const compile_error &) {
    return {};
  }
  void *program = nullptr;
  const char *options[] = {"-arch=compute_90"};
  std::string log = "no program";
  if (library->create(&program) == 0) {
    log.clear();
    if (library->add(program, text.data(), text.size(), "test") != 0 || library->verify(program, 1, options) != 0) {
      std::size_t n = 0;
      library->log_size(program, &n);
      log.resize(n);
      library->log(program, &log[0]);
      log = "refused: " + log;
    }
    library->destroy(&program);
  }
  return log;
}

void what_it_becomes() {
  const nvvm_code c = rewritten(fortran_ir::plain);
  const auto has = [&](const std::string &part) { check(contains(c.text, part), "in the code: " + part); };
  has("target triple = \"nvptx64-nvidia-cuda\"");
  has("define void @tessera_f(i8* %v.0, i8* %v.1, i8* %v.2) #3 {");
  has("_pars_ = internal addrspace(1) constant [36 x i8] zeroinitializer");  // read only: shared
  has("alloca i32, align 8");                                                // written: private,
  has("store i32 3, i32* %t.0");                                             // from its first value
  has("call double @tessera_m_exp(double %v.2)");
  has("call void @tessera_m_cexp(i8* ");  // a structure comes back through memory
  has("call void @tessera_m_output()\n");
  has("call void @tessera_m_stop()\n  ret void\n");  // nothing behind STOP is unreachable
  has("fsub double -0.000000e+00, %v.15");
  has("icmp sgt i32 %v.17, 0");  // llvm.smax
  has("call double @tessera_m_fmod(double ");
  has("phi double [ %v.20, %v.two ], [ %v.16, %v.good ]");
  has("!nvvmir.version");
  for (const char *part : {" ptr ", "_FortranA", "!dbg", "nneg", "missing", "fp128", "poison"})
    check(!contains(c.text, part), std::string("not in the code: ") + part);
  check(c.data.size() == 4, "four data that outlive a call: " + std::to_string(c.data.size()));
  for (const nvvm_data &d : c.data)
    check(d.written == (d.name == "calls of f"), d.name + (d.written ? " is written" : " is not written"));
  const std::string log = complaint(c.text);
  check(log.empty(), "libNVVM: " + log);
}

// The program's values come from the parameter block: read where they are, or copied.
void values_of_the_program() {
  const nvvm_code c = rewritten(fortran_ir::plain, {{"pars_", 0, 40}, {"_QFfEcalls", 48, 4}});
  check(contains(c.text, "getelementptr i8, i8* %v.2, i64 0"), "COMMON is read in the block");
  check(contains(c.text, "getelementptr i8, i8* %v.2, i64 48") &&
            contains(c.text, "call void @llvm.memcpy.p0i8.p0i8.i64(i8* align 8 %t."),
        "SAVE is copied from the block");
  check(!contains(c.text, "_pars_ ="), "the text's own value is not there");
  const std::string log = complaint(c.text);
  check(log.empty(), "libNVVM: " + log);
  refused("a shorter block in the program", fortran_ir::plain, "'pars' has 28 bytes in the program and 36 in this text",
          0, {{"pars_", 0, 28}});
}

void reached() {
  const ir_module m(fortran_ir::plain);
  const ir_reached r = ir_reach(m, "tessera_f");
  check(r.functions == std::set<std::string>{"tessera_f", "helper_"}, "what the entry reaches");
  check(r.globals.count("never") == 0 && r.globals.count("pars_") == 1, "data that it reaches");
  const std::string inside = ir_inside(m, ir_reach(m, "tessera_f"), "tessera_f");
  check(contains(inside, "define internal double @helper_(") && contains(inside, "unnamed_addr #1") == false, "inside");
  check(contains(inside, "alwaysinline") && !contains(inside, "@unused_") && !contains(inside, "comdat($word) {"),
        "and inlined");
  check(contains(rewritten(inside).text, "define void @tessera_f"), "and read again");
}

void names() {
  check(fortran_name("_QMmodelPweight") == "weight of module model", "a module procedure");
  check(fortran_name("_QMmodelEtab") == "tab of module model", "a module variable");
  check(fortran_name("_QFfunsubEicall") == "icall of funsub", "a local variable");
  check(fortran_name("pars_") == "pars" && fortran_name("__BLNK__") == "__BLNK__" && fortran_name("_Q") == "_Q",
        "others");
}

void refusals() {
  refused("no entry", "define void @f(ptr %0) {\n ret void\n}\n", "there is no function 'tessera_f'");
  refused("another entry", "define void @tessera_f(ptr %0) {\n ret void\n}\n", "unexpected form");
  refused("a missing routine", with("  call void @dgetrf_(ptr %0), !dbg !1\n", "declare void @dgetrf_(ptr)\n"),
          "'dgetrf', which 'tessera_f' (line 42) calls, is not defined in this text", 42);
  refused("input",
          with("  %3 = call ptr @_FortranAioBeginExternalListInput(i32 5, ptr %0, i32 1), !dbg !1\n",
               "declare ptr @_FortranAioBeginExternalListInput(i32, ptr, i32)\n"),
          "reads or opens files", 42);
  refused("of the compiler's library",
          with("  call void @_FortranACopyInAssign(ptr %0, ptr %1, ptr %0, i32 1), !dbg !1\n",
               "declare void @_FortranACopyInAssign(ptr, ptr, ptr, i32)\n"),
          "'_FortranACopyInAssign' of the compiler's library", 42);
  refused("an indirect call", with("  %3 = load ptr, ptr %0\n  call void %3(ptr %0), !dbg !1\n"),
          "a procedure is called that is not known", 42);
  refused("a variable number of arguments",
          with("  call void (ptr, ...) @g(ptr %0), !dbg !1\n", "define void @g(ptr %0) {\n ret void\n}\n"),
          "variable number of arguments", 42);
  refused("quadruple precision", with("  %3 = load fp128, ptr %0, !dbg !1\n"), "real(16)", 42);
  refused("a vector", with("  %3 = load <2 x double>, ptr %0, !dbg !1\n"), "vectors", 42);
  refused("a size that is not constant", with("  %3 = load i64, ptr %0\n  %4 = alloca double, i64 %3, !dbg !1\n"),
          "the size of a local array is not known", 42);
  refused("a huge local array", with("  %3 = alloca [100000 x double], !dbg !1\n"), "a local array has more than", 42);
  refused("an allocation of unknown size",
          with("  %3 = load i64, ptr %0\n  %4 = call ptr @malloc(i64 %3), !dbg !1\n", "declare ptr @malloc(i64)\n"),
          "the size of an array that is allocated", 42);
  refused("an atomic", with("  %3 = load atomic double, ptr %0 monotonic, align 8, !dbg !1\n"), "atomic", 42);
  refused("machine code", with("  call void asm sideeffect \"nop\", \"\"(), !dbg !1\n"), "machine code", 42);
  refused("invoke", with("  %3 = va_arg ptr %0, double, !dbg !1\n"), "the instruction 'va_arg'", 42);
  refused("threads' own", with("  store double 1.0, ptr @x, !dbg !1\n", "@x = thread_local global double 0.0\n"),
          "private to each thread");
  refused("data of elsewhere", with("  %3 = load double, ptr @x, !dbg !1\n", "@x = external global double\n"),
          "'x' is not defined in this text");
  refused("much data of its own",
          with("  store double 1.0, ptr @x, !dbg !1\n", "@x = global [10000 x double] zeroinitializer\n"),
          "the integrand changes data of 80000 bytes");
  refused("an array that nobody allocates",
          with("  %3 = load ptr, ptr @_QMmEtab\n  %4 = load double, ptr %3\n",
               "@_QMmEtab = global { ptr, i64, i32, i8, i8, i8, i8, [1 x [3 x i64]] } { ptr null, i64 8, i32 20240719, "
               "i8 1, i8 28, i8 2, i8 0, [1 x [3 x i64]] zeroinitializer }\n"),
          "allocates the array 'tab of module m'");
  refused("a write through a pointer that is there from the start",
          with("  %3 = load ptr, ptr @p\n  store double 1.0, ptr %3\n", "@x = global double 0.0\n@p = global ptr @x\n"),
          "a pointer leads to 'x' from the start");
  refused("a pointer to what is written",
          with("  store double 1.0, ptr @x\n  %3 = load ptr, ptr @p\n", "@x = global double 0.0\n@p = global ptr @x\n"),
          "a pointer leads to 'x'");
  refused("recursion that writes",
          with("  call void @g(ptr %0)\n",
               "@x = global double 0.0\ndefine void @g(ptr %0) {\n  store double 1.0, ptr @x\n  call void @g(ptr %0)\n "
               " ret void\n}\n"),
          "'g', which calls itself, uses 'x'");
  refused("an end that is missing", "define void @tessera_f(ptr %0, ptr %1, ptr %2) {\n  ret void\n", "does not end");
  refused("a quotation mark that is missing", "@x = constant [1 x i8] c\"a\n", "quotation mark");
  std::string deep = "@x = global ";
  for (int k = 0; k < 5000; ++k) deep += "[1 x ";
  refused("types without end", with("  store double 1.0, ptr @x\n", deep + "\n"), "nest too deeply");
  refused("a type of itself", with("  %3 = alloca %t\n", "%t = type { %t }\n"), "nest too deeply");
}

void data() {
  // Private: written through a pointer that a select passes on; through one that was kept in a local variable; given away; as eight bytes. Not
  // what is only read, through a local variable too, or by a function that stays.
  const std::string globals =
      "@a = global double 1.0\n@b = global double 2.0\n@c = global double 3.0\n@d = global double 4.0\n@e = global "
      "double "
      "5.0\n@f = global double 6.0\n@h = global double 7.0\n@i = global double 8.0\n";
  const nvvm_code c = rewritten(
      with("  %3 = icmp eq ptr %0, null\n  %4 = select i1 %3, ptr @a, ptr @b\n  store double 5.0, ptr %4\n"
           "  %5 = alloca ptr\n  store ptr @c, ptr %5\n  %6 = load ptr, ptr %5\n  store double 1.0, ptr %6\n"
           "  %7 = alloca { ptr, i64 }\n  store ptr @d, ptr %7\n  %8 = load ptr, ptr %7\n  %9 = load double, ptr %8\n"
           "  store ptr @e, ptr %1\n  %10 = alloca ptr\n  store ptr @f, ptr %10\n  %11 = load i64, ptr %10\n"
           "  %12 = alloca i64\n  store i64 %11, ptr %12\n  %13 = load ptr, ptr %12\n  store double 1.0, ptr %13\n"
           "  call void @g(ptr @h, ptr @i)\n",
           globals + "define void @g(ptr %0, ptr %1) {\n  %3 = load double, ptr %1\n  store double %3, ptr %0\n"
                     "  call void @g(ptr %0, ptr %1)\n  ret void\n}\n"));
  for (const nvvm_data &d : c.data) check(d.written == (d.name != "d" && d.name != "i"), "data " + d.name);
  check(c.data.size() == 8, "all eight are data");
  const std::string log = complaint(c.text);
  check(log.empty(), "libNVVM: " + log);
  // An allocation of constant size is a local array.
  const nvvm_code m =
      rewritten(with("  %3 = call ptr @malloc(i64 24)\n  store double 1.0, ptr %3\n  call void @free(ptr %3)\n",
                     "declare ptr @malloc(i64)\ndeclare void @free(ptr)\n"));
  check(contains(m.text, "alloca [24 x i8], align 16") && !contains(m.text, "free"), "malloc");
  check(complaint(m.text).empty(), "libNVVM: " + complaint(m.text));
}

// Texts that something has happened to are read or refused, and nothing else.
void damaged(int many) {
  std::mt19937 dice(20260117);
  const std::string good = fortran_ir::plain;
  const std::vector<std::string> words = {"ptr",
                                          "{",
                                          "}",
                                          "(",
                                          ")",
                                          "[",
                                          "]",
                                          "<",
                                          ">",
                                          ",",
                                          "!",
                                          "#",
                                          "%",
                                          "@",
                                          "\"",
                                          "c\"",
                                          "i32",
                                          "99999999999999999999",
                                          "double",
                                          "label",
                                          "getelementptr",
                                          "null",
                                          "zeroinitializer",
                                          "call",
                                          "define",
                                          "declare",
                                          "global",
                                          "constant",
                                          "type",
                                          "=",
                                          ":",
                                          "-1",
                                          "\n",
                                          "[4294967295 x i8]",
                                          "...",
                                          "align"};
  int read = 0;
  for (int k = 0; k < many; ++k) {
    std::string text = good;
    for (int edits = 1 + static_cast<int>(dice() % 3); edits > 0 && !text.empty(); --edits) {
      const std::size_t at = dice() % text.size(), n = 1 + dice() % 12;
      switch (dice() % 6) {
        case 0:
          text.erase(at, n);
          break;
        case 1:
          text.insert(at, " " + words[dice() % words.size()] + " ");
          break;
        case 2:
          text[at] = static_cast<char>(dice() % 256);
          break;
        case 3:
          text.insert(at, text.substr(dice() % text.size(), 40));
          break;
        case 4:
          text.resize(at);
          break;
        default:
          text.replace(at, std::min(n, text.size() - at), words[dice() % words.size()]);
      }
    }
    try {
      const ir_module m(text);
      ir_inside(m, ir_reach(m, "tessera_f"), "tessera_f");
      write_nvvm(m, {{"pars_", 0, 40}});
      ++read;
    } catch (const ir_error &) {
    }
  }
  check(read > many / 100 && read < many,
        "of " + std::to_string(many) + " damaged texts " + std::to_string(read) + " were read");
}

}  // namespace

int main() {
  what_it_becomes();
  values_of_the_program();
  reached();
  names();
  refusals();
  data();
  damaged(checks::sanitized ? 1500 : 10000);
  return checks::summary();
}
