// Fortran texts read: statements of both forms, the integrand among the procedures, the call that is written for it.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstring>
#include <random>

#include "checks.hpp"
#include "jit/fortran/fortran_call.hpp"
#include "jit/fortran/fortran_data.hpp"
#include "jit/fortran/program_array.hpp"
#include "jit/process.hpp"

using namespace tessera;
using checks::check;
using checks::contains;
using checks::fails;

namespace {

integrand_source make(const std::string &text, const std::string &function, bool fixed = false) {
  integrand_source s;
  s.language = source_language::fortran;
  s.text = text;
  s.function = function;
  s.file_name = "mine.f90";
  s.fixed_form = fixed;
  return s;
}

void statements() {
  const auto free = fortran_statements(
      "  A = 1 ; b = 'x!;y' ! comment\n10 call F(a, &\n   ! between\n   & b)\n\n#define X\nc = \"it''s & \" // 'a&\n  "
      "&b'\n",
      false);
  check(free.size() == 4, "free form: " + std::to_string(free.size()) + " statements");
  if (free.size() == 4) {
    check(free[0].text == "a=1" && free[0].line == 1 && free[1].text == "b=", "two on a line");
    check(free[2].text == "callf(a,b)" && free[2].line == 2, "continued: " + free[2].text);
    check(free[3].text == "c=//", "characters: " + free[3].text);
  }
  const std::string long_line = "      X = 1" + std::string(61, ' ') + "+ 2\n";
  const auto fixed = fortran_statements(
      "C comment\n* too\n      DOUBLE PRECISION FUNC TION F(X,\n     &  Y)\n   10 A = 'C!' ! note\n\tB = 2\n\t1 + 3\n" +
          long_line,
      true);
  check(fixed.size() == 4, "fixed form: " + std::to_string(fixed.size()) + " statements");
  if (fixed.size() == 4) {
    check(fixed[0].text == "doubleprecisionfunctionf(x,y)" && fixed[0].line == 3,
          "blanks do not count: " + fixed[0].text);
    check(fixed[1].text == "a=" && fixed[2].text == "b=2+3", "a label, a tab: " + fixed[2].text);
    check(fixed[3].text == "x=1", "column 72: " + fixed[3].text);
  }
}

void entries() {
  const std::string module =
      "module m\n implicit none\n interface\n  subroutine inner(x)\n   double precision x\n  end subroutine\n end "
      "interface\ncontains\n"
      " pure real(kind=8) function g(x) result(r)\n  real(8), intent(in) :: x(:)\n  r = 1\n end function g\n"
      " subroutine s(x, fval)\n  real(8), dimension(:), intent(in) :: x\n  real(8) :: fval(*)\n  if (x(1) > 0) then\n  "
      "end if\n contains\n"
      "  double precision function hidden(t)\n   double precision t\n  end function\n end subroutine\nend module m\n"
      "real*8 recursive function outer(ndim, x)\n integer ndim\n real*8 x(ndim)\n outer = 1\n entry "
      "second(x)\nend\nprogram p\n call inner(1d0)\ncontains\n subroutine own()\n end subroutine\nend program\n"
      "subroutine inner(x)\n double precision x\nend\n";
  fortran_entry e = find_fortran_entry(make(module, "G"));
  check(e.module == "m" && e.name == "g" && e.function && e.arguments.size() == 1 && e.assumed_shape[0] && e.line == 9,
        "a function of a module");
  e = find_fortran_entry(make(module, "m::s"));
  check(!e.function && e.assumed_shape[0] && !e.assumed_shape[1], "a subroutine of it");
  e = find_fortran_entry(make(module, "outer"));
  check(e.module.empty() && e.function && e.arguments.size() == 2 && !e.assumed_shape[1], "a function by itself");
  e = find_fortran_entry(make(module, "second"));
  check(e.module.empty() && e.function && e.arguments.size() == 1, "an ENTRY");
  e = find_fortran_entry(make(module, "inner"));
  check(e.module.empty() && e.line > 30, "not the interface");
  const auto refused = [&](const std::string &name, const std::string &sentence) {
    fails(name, jit_stage::translate, sentence, [&] { find_fortran_entry(make(module, name)); });
  };
  refused("hidden", "'hidden' is an internal procedure");
  refused("own", "'own' is an internal procedure");
  refused("nothing", "the text defines no procedure 'nothing'; it has '");
  fails("two of a name", jit_stage::translate, "there is more than one procedure 'f'", [&] {
    find_fortran_entry(make(
        "module a\ncontains\nsubroutine f(x, y)\nend\nend\nmodule b\ncontains\nsubroutine f(x, y)\nend\nend\n", "f"));
  });
  e = find_fortran_entry(make(
      "module a\ncontains\nsubroutine f(x, y)\nend\nend\nmodule b\ncontains\nsubroutine f(x, y)\nend\nend\n", "b::f"));
  check(e.module == "b", "with its module");
}

std::string call_of(const std::string &text, int ndim = 3, int ncomp = 1) {
  const integrand_source s = make(text, "f");
  return fortran_call(find_fortran_entry(s), s, ndim, ncomp, 0);
}

void calls() {
  check(
      contains(call_of("subroutine f(n, x, m, v)\nend\n", 3, 2), "call f(tessera_n, tessera_x, tessera_m, tessera_v)"),
      "DCUHRE's form");
  check(contains(call_of("double precision function f(n, x)\nend\n"), "tessera_v(1) = f(tessera_n, tessera_x)"),
        "ADAPT's form");
  check(contains(call_of("double precision function f(x)\nend\n"), "tessera_v(1) = f(tessera_x(1))"),
        "QUADPACK's form");
  check(contains(call_of("integer function f(n, x, m, v, u)\nend\n"), "tessera_v, tessera_p)"), "Cuba's form");
  const std::string m = call_of(
      "module a_module_with_a_rather_long_name_that_needs_more_than_one_line\ncontains\nsubroutine f(x, v)\ndouble "
      "precision x(:), v(:)\nend\nend\n");
  check(contains(m, "call tessera_user(tessera_x, tessera_v)"), "the form of module tessera");
  for (std::size_t at = 0; at < m.size();) {
    const std::size_t end = m.find('\n', at);
    const std::string line = m.substr(at, end - at);
    check(line.size() <= 73 && (line.size() <= 72 || line[72] == '&'), "the line fits both forms: " + line);
    at = end + 1;
  }
  const auto refused = [&](const std::string &text, const std::string &sentence, int ncomp = 1) {
    fails(text, jit_stage::translate, sentence, [&] { call_of(text, 3, ncomp); });
  };
  refused("subroutine f(x)\nend\n", "'f' is a subroutine of 1 arguments; an integrand is");
  refused("double precision function f(x)\nend\n", "is a function of one value; this solver has 2 components", 2);
  refused("module m\ncontains\ninteger function f(n, x, m, v, u)\nend\nend\n", "stands in a module and has user data");
}

void files() {
  const temporary_directory work;
  write_file(work.file("inner.inc"), "      INTEGER K\n      include 'more.inc'\n");
  write_file(work.file("more.inc"), "      INTEGER L\n");
  integrand_source s = make("      include  'inner.inc'\n      INCLUDE \"absent.inc\"\n      end\n", "f", true);
  s.file_name = work.file("mine.f");
  const auto all = fortran_includes(s);
  check(all.size() == 2 && all[0].name == "inner.inc" && all[1].name == "more.inc",
        "what is included, also from there");
  check(fixed_by_suffix("a/b.F") && fixed_by_suffix("b.for") && !fixed_by_suffix("a.f/b") && !fixed_by_suffix("b.f90"),
        "forms by suffix");
  check(preprocessed_by_suffix("b.F90") && !preprocessed_by_suffix("b.f90"), "preprocessed by suffix");
  const std::string gnu =
      "/tmp/x/source0.f90:12:7:\n\n   12 | a = b\n      |     1\nError: Symbol 'b' at (1) has no IMPLICIT type\n";
  check(fortran_error(gnu, make("", "f")) == "mine.f90(12): error: Symbol 'b' at (1) has no IMPLICIT type",
        "GNU's error: " + fortran_error(gnu, make("", "f")));
  const std::string llvm =
      "error: Semantic errors in /tmp/x/source0.f90\n/tmp/x/source0.f90:12:7: error: No explicit type declared for "
      "'b'\n";
  check(fortran_error(llvm, make("", "f")) == "mine.f90(12): error: No explicit type declared for 'b'",
        "LLVM's error: " + fortran_error(llvm, make("", "f")));
}

// Texts that something has happened to: a procedure is found or it is said that there is none.
void damaged() {
  const std::string good =
      "module m\n real :: a = 1 ! note\ncontains\n subroutine f(x, v)\n  real(8), intent(in) :: x(:)\n  common /pars/ "
      "b, &\n   & c /rest/ d(3)\n"
      "  v = 'a&\n   &b'; entry g(x)\n interface\n  function h(t)\n  end function\n end interface\n end subroutine "
      "f\nend module\n";
  std::mt19937 dice(7);
  int found = 0;
  for (int k = 0; k < 4000; ++k) {
    std::string text = good;
    for (int edits = 0; edits < 2 && !text.empty(); ++edits) {
      const std::size_t at = dice() % text.size();
      if (dice() % 2)
        text.erase(at, dice() % 9);
      else
        text.insert(at, 1, "&'\"!()/:;\n\t =xe0\xff"[dice() % 17]);
    }
    const integrand_source s = make(text, "f", dice() % 2 == 0);
    find_fortran_data(s);
    try {
      fortran_call(find_fortran_entry(s), s, 2, 1, 0);
      ++found;
    } catch (const compile_error &) {
    }
  }
  check(found > 400 && found < 4000, "of 4000 damaged texts " + std::to_string(found) + " have the procedure");
  const fortran_data_names names = find_fortran_data(make(good + "subroutine z\n common x, y\nend\n", "f"));
  check(names.commons == std::set<std::string>{"", "pars", "rest"} && names.modules == std::set<std::string>{"m"},
        "COMMON and modules");
  check(gnu_symbol({"m", "a", 0, 0}) == "__m_MOD_a" && llvm_symbol({"m", "a", 0, 0}) == "_QMmEa" &&
            gnu_symbol({"", "", 0, 0}) == "__BLNK__",
        "symbols");
  check(variable_of_module("__m_MOD_a", "m") == "a" && variable_of_module("__m_MOD___vtab_m_T", "m").empty(),
        "variables by symbol");
}

// Allocatable arrays of modules, and names that may be saved.
void data() {
  const fortran_data_names n = find_fortran_data(make(
      "module m\n type pair\n  real, allocatable :: inner(:)\n end type\n real(8), Allocatable, save :: a(:), b(:, :)\n"
      " real, dimension(:), allocatable :: c\n allocatable d(:), e(:,:)\n real, pointer :: p(:)\ncontains\n"
      " subroutine f(x, v)\n  real, allocatable :: own(:)\n  integer, save :: k(3), l\n  logical :: first = .true.\n"
      "  real t, u\n  data t, u /1.0, 2.0/\n  save t\n end subroutine\nend module\n",
      "f"));
  const std::set<std::pair<std::string, std::string>> arrays = {
      {"m", "a"}, {"m", "b"}, {"m", "c"}, {"m", "d"}, {"m", "e"}};
  check(n.allocatable == arrays, "allocatable arrays of the module");
  for (const char *name : {"k", "l", "first", "t", "u"})
    check(n.saved.count(name) == 1, std::string(name) + " may be saved");
  check(n.saved.count("x") == 0 && n.saved.count("own") == 0, "others are not");
  check(find_fortran_data(make("subroutine g\nreal q(3)\nsave\nend\n", "g")).saved.count("q") == 1, "SAVE for all");
  check(variable_of_procedure("first.12") == "first" && variable_of_procedure("_QMmFfEfirst") == "first" &&
            variable_of_procedure("_QFEx") == "x" && variable_of_procedure("_QMmEfirst").empty() &&
            variable_of_procedure("first.cold").empty() && variable_of_procedure(".L1").empty(),
        "variables of procedures by symbol");
}

// From the record of either compiler to the block; what makes no sense, or lies outside, is refused.
void arrays() {
  double elements[6] = {1, 2, 3, 4, 5, 6};
  struct {
    const void *base;
    long long length;
    int version;
    signed char rank, type, attribute, extra;
    long long of[2][3];
  } llvm = {elements, 8, 20240719, 2, 28, 2, 0, {{-1, 2, 8}, {4, 3, 16}}};
  struct {
    const void *base;
    long long offset, length;
    int version;
    signed char rank, type;
    short attribute;
    long long span;
    long long of[2][3];
  } gnu = {elements, -7, 8, 0, 2, 3, 0, 8, {{1, -1, 0}, {2, 4, 6}}};
  const auto block_of = [](const void *record, bool is_gnu) {
    std::vector<unsigned char> block(16 + array_record_bytes(2));
    put_array(record, is_gnu, 2, "a of module m", 16, block);
    return block;
  };
  std::vector<unsigned char> block = block_of(&gnu, true);
  check(block.size() == 96 + sizeof elements && block.size() == block_of(&llvm, false).size(), "record and elements");
  check(std::memcmp(&block[16 + 24], llvm.of, sizeof llvm.of) == 0, "bounds of GNU's compiler as those of LLVM's");
  check(std::memcmp(&block[96], elements, sizeof elements) == 0, "the elements");
  check(rank_by_size(88, true) == 2 && rank_by_size(72, false) == 2 && rank_by_size(8, true) == -1 &&
            rank_by_size(48, true) == -1,
        "the rank by the size");
  require_arrays("16 8 2 1 a of module m\n", block);
  const auto refused = [&](const std::string &line, const std::string &sentence) {
    fails(line, jit_stage::upload, sentence, [&] { require_arrays(line, block); });
  };
  refused("16 4 2 1 a of module m\n", "'a of module m' has elements of 8 bytes in the program and of 4 in this text");
  refused("8000 8 2 1 a\n", "is not in the parameter block, which has 144 bytes");
  block.resize(100);
  refused("16 8 2 1 a\n", "does not lie in the parameter block");
  gnu.base = nullptr;
  block = block_of(&gnu, true);
  refused("16 8 2 1 a\n", "the program has not allocated it");
  require_arrays("16 8 2 0 a\n", block);
  gnu.base = elements;
  const auto senseless = [&](const std::string &what) {
    try {
      block_of(&gnu, true);
      check(false, what + ": no error");
    } catch (const std::runtime_error &e) {
      check(contains(e.what(), "the record of the allocatable array 'a of module m'"), what + ": " + e.what());
    }
  };
  gnu.of[1][0] = 5;
  senseless("elements that do not follow each other");
  gnu.of[1][0] = 2;
  gnu.rank = 3;
  senseless("another rank");
  gnu.rank = 2;
  gnu.of[0][2] = 1LL << 62;
  senseless("bounds beyond everything");
  gnu.of[0][2] = 0;
  gnu.of[1][2] = 100000000;
  try {
    block_of(&gnu, true);
    check(false, "too many elements: no error");
  } catch (const std::runtime_error &e) {
    check(contains(e.what(), "268435456 bytes with 'a of module m'"), e.what());
  }
}

}  // namespace

int main() {
  data();
  arrays();
  damaged();
  statements();
  entries();
  calls();
  files();
  return checks::summary();
}
