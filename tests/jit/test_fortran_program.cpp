// Programs in Fortran, compiled here by gfortran, whose data an integrand reads on a device: allocatable arrays of modules, SAVE variables.
// The code for a device runs on this machine, and has the values of the program's own function. Skipped without flang or LLVM 14's compiler.
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <cstring>
#include <memory>

#include <dlfcn.h>

#include "checks.hpp"
#include "fortran_here.hpp"
#include "jit/fortran/flang.hpp"
#include "jit/fortran/program_array.hpp"
#include "jit/host_compiler.hpp"
#include "jit/text.hpp"
#include "solver/twins.hpp"
#include "tessera.h"

using namespace tessera;
using checks::check;
using checks::fails;

namespace {

using subroutine = void (*)();
using integrand = void (*)(const double *x, double *v);

// A program as a library: the text, compiled by gfortran. Its subroutine f(x, v) is the integrand.
class program {
 public:
  program(const std::string &text, const std::string &function, const std::string &symbol,
          const std::vector<std::string> &options = {}, const std::string &twin_text = {}) {
    write_file(work_.file("program.f90"), text);
    std::vector<std::string> command = {
        "gfortran", "-O2", "-w", "-fPIC", "-shared", "-J" + work_.path(), "-o", work_.file("program.so")};
    command.push_back(work_.file("program.f90"));
    command.insert(command.end(), options.begin(), options.end());
    const process_result r = run_process(command, work_.file("messages"), true);
    check(r.good(), "gfortran: " + r.output);
    handle_ = ::dlopen(work_.file("program.so").c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle_) throw std::runtime_error(std::string("the program was not opened: ") + ::dlerror());
    function_ = ::dlsym(handle_, symbol.c_str());
    source_.language = source_language::fortran;
    source_.function = function;
    source_.file_name = "program.f90";
    source_.text = twin_text.empty() ? text : twin_text;
    register_twin(function_, source_, nullptr, 0);
  }
  ~program() {
    forget_twin(function_);
    ::dlclose(handle_);
  }
  program(const program &) = delete;
  program &operator=(const program &) = delete;

  void call(const char *name) const {
    const auto s = reinterpret_cast<subroutine>(::dlsym(handle_, name));
    if (check(s != nullptr, std::string(name) + " is there")) s();
  }
  void (*function() const)() { return reinterpret_cast<subroutine>(function_); }
  std::shared_ptr<twin> its_twin() const { return find_twin(function_); }
  void at(const double *x, double *v) const { reinterpret_cast<integrand>(function_)(x, v); }

 private:
  const temporary_directory work_;
  void *handle_ = nullptr, *function_ = nullptr;
  integrand_source source_;
};

// The twin's code for devices, on this machine.
class code {
 public:
  code(const program &p, int ndim, int ncomp) : twin_(p.its_twin()), ndim_(ndim), ncomp_(ncomp) {
    object_ = fortran_here::for_this_machine(
        fortran_to_nvvm(twin_->source(), find_flang(), ndim, ncomp, 0, {}, &notes_), work_);
    handle_ = ::dlopen(object_.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle_) throw std::runtime_error(std::string("the code was not opened: ") + ::dlerror());
    device_ = reinterpret_cast<fortran_here::entry>(::dlsym(handle_, "tessera_f"));
  }
  ~code() { ::dlclose(handle_); }
  code(const code &) = delete;
  code &operator=(const code &) = delete;

  const data_notes &notes() const { return notes_; }
  std::vector<unsigned char> block() const { return twin_->parameters(nullptr); }
  void require() const { require_arrays(notes_.arrays, block()); }

  // At some points, on the device's side and on the host's; the data do not change.
  void same(const program &p, const std::string &what, double tolerance = 0) {
    std::vector<unsigned char> data = block();
    const std::vector<unsigned char> before = data;
    require_arrays(notes_.arrays, data);
    if (!host_) host_ = std::make_unique<compiled_source>(twin_->source(), ndim_, ncomp_, nullptr, "test");
    unsigned state = 7;
    std::vector<double> x(static_cast<std::size_t>(ndim_));
    const auto ncomp = static_cast<std::size_t>(ncomp_);
    std::vector<double> here(ncomp), there(ncomp), text(ncomp);
    for (int k = 0; k < 20; ++k) {
      for (double &v : x) v = (state = state * 1664525u + 1013904223u) / 4294967296.0;
      p.at(x.data(), here.data());
      device_(x.data(), there.data(), data.data());
      check(host_->function()(1, ndim_, x.data(), 1, ncomp_, text.data(), 1, data.data()) == 0, what + ": status");
      for (std::size_t c = 0; c < ncomp; ++c) {
        const double most = tolerance * std::fabs(here[c]);
        check(std::isfinite(here[c]) && std::fabs(here[c] - there[c]) <= most,
              what + ": " + std::to_string(there[c]) + " on a device, not " + std::to_string(here[c]));
        check(std::fabs(here[c] - text[c]) <= most,
              what + ": " + std::to_string(text[c]) + " by the text on the host, not " + std::to_string(here[c]));
      }
    }
    check(data == before, what + ": the data are as they were");
  }

 private:
  const temporary_directory work_;
  const std::shared_ptr<twin> twin_;
  const int ndim_, ncomp_;
  data_notes notes_;
  std::string object_;
  std::unique_ptr<compiled_source> host_;
  void *handle_ = nullptr;
  fortran_here::entry device_ = nullptr;
};

// Of ranks 1 ... 7, of all kinds, with bounds of their own; another size another time.
constexpr const char *tables = R"code(
module tables
  implicit none
  real(8), allocatable :: t(:), unused(:, :)
  real(4), dimension(:, :), allocatable :: u
  integer, allocatable, private :: k(:)
  integer(8) n
  complex(8) c
  logical few
  allocatable n(:), c(:, :, :), few(:)
  real(8), allocatable :: seven(:, :, :, :, :, :, :), perhaps(:), none(:)
  integer :: turn = 0
contains
  subroutine f(x, v)
    real(8), intent(in) :: x(2)
    real(8), intent(out) :: v(4)
    integer :: i
    v(1) = sum(t)*x(1) + u(-1, 3)*x(2) + size(u, 1) + lbound(u, 2) + ubound(t, 1)
    v(2) = n(k(1))*x(1) + aimag(c(2, 0, 1)) + real(sum(c))*x(2) + norm2(t(::2))
    v(3) = seven(1, 2, 1, 2, 1, 2, -1) + sum(seven)*x(1)
    if (few(2)) v(3) = v(3) + maxval(t)
    v(4) = inner(t, size(t))
    if (allocated(perhaps)) v(4) = v(4) + perhaps(1)
    do i = lbound(t, 1), ubound(t, 1)
      v(4) = v(4) + t(i)*x(2)**(i + 3)
    end do
    v(4) = v(4) + size(none)
  end subroutine
  pure real(8) function inner(a, m)
    integer, intent(in) :: m
    real(8), intent(in) :: a(m)
    inner = dot_product(a, a)
  end function
  subroutine fill() bind(c, name='fill')
    integer :: i, m
    if (allocated(t)) deallocate(t, u, k, n, c, few, seven, none)
    turn = turn + 1
    m = 4 + turn
    allocate(t(-2:m), u(-2:m, 3:5), k(1), n(0:m), c(2, 0:m, 2), few(m), none(0))
    allocate(seven(1, 2, 1, 2, 1, 2, -2:m))
    t = [(sqrt(i + 3d0), i = -2, m)]
    u = 0.25*turn
    u(-1, 3) = 2
    k = turn
    n = [(i*i, i = 0, m)]
    c = (1.5d0, -2d0)
    c(2, 0, 1) = cmplx(turn, turn, 8)
    few = turn > 1
    seven = 0.125d0
    seven(1, 2, 1, 2, 1, 2, -1) = turn
    if (turn == 2) perhaps = [3d0, 4d0]
  end subroutine
end module
)code";

void allocatable_arrays() {
  const program p(tables, "tables::f", "__tables_MOD_f");
  code c(p, 2, 4);
  fails("arrays that are not there", jit_stage::upload,
        "is used by the integrand, and the program has not allocated it", [&] { c.require(); });
  for (int turn = 0; turn < 3; ++turn) {
    p.call("fill");
    c.same(p, "allocatable arrays, turn " + std::to_string(turn), 1e-14);
  }
  check(!checks::contains(c.notes().arrays, "unused"), "an array that is not used need not be there");
  check(c.notes().written.empty(), "nothing is changed: " + c.notes().written);
}

// What cannot be: a sentence each.
void refused_arrays() {
  const std::string
      head =
          "module m\nimplicit none\ntype pair\nreal(8) a, b\nend type\nreal(8), allocatable :: t(:)\n"
          "type(pair), allocatable :: pairs(:)\nreal, allocatable :: s(:)\nreal(8), pointer :: p(:)\n"
          "character(:), allocatable :: words(:)\ncontains\nsubroutine f(x, v)\nreal(8), intent(in) :: x(1)\n"
          "real(8), intent(out) :: v(1)\n",
      end = "end subroutine\nend module\n";
  const std::string any = head + "v = t(1)\n" + end;
  const program p(any, "m::f", "__m_MOD_f");
  const auto refused = [&](const std::string &what, const std::string &body, const std::string &sentence) {
    integrand_source s = p.its_twin()->source();
    s.text = head + body + end;
    fails(what, jit_stage::translate, sentence, [&] { fortran_to_nvvm(s, find_flang(), 1, 1, 0, {}); });
  };
  refused("written elements", "t(2) = x(1)\nv = t(2)\n",
          "the allocatable array 't of module m' is changed by the integrand");
  refused("an allocation", "if (.not. allocated(t)) allocate(t(3))\nv = x*t(1)\n",
          "the allocatable array 't of module m' is allocated, deallocated");
  refused("assignment of another size", "t = [x(1), 2d0]\nv = t(1)\n", "'t of module m' is ");
  refused("derived types", "v = pairs(2)%a\n", "'pairs of module m' has elements of a derived type");
  refused("characters of any length", "v = ichar(words(1)(1:1))\n", "'words of module m' has ");
  refused("a pointer", "v = p(1)\n", "'p of module m' is a pointer, an allocatable scalar");
  integrand_source s = p.its_twin()->source();
  s.text.replace(s.text.find("t(:)"), 4, "t(:, :)");
  s.text.replace(s.text.find("v = t(1)"), 8, "v = t(1, 1)");
  fails("another rank", jit_stage::translate, "'t of module m' has rank 2 in this text and 1 in the program",
        [&] { fortran_to_nvvm(s, find_flang(), 1, 1, 0, {}); });

  // Options of the program that the text does not say.
  const std::string single =
      "module m\nreal, allocatable :: t(:)\ncontains\nsubroutine f(x, v)\nreal(8), intent(in) :: x(1)\n"
      "real(8), intent(out) :: v(1)\nv = t(1)\nend subroutine\nsubroutine fill() bind(c, name='fill')\n"
      "allocate(t(3))\nt = 1\nend subroutine\nend module\n";
  const program doubled(single, "m::f", "__m_MOD_f", {"-fdefault-real-8"});
  code c(doubled, 1, 1);
  doubled.call("fill");
  fails("elements of another length", jit_stage::upload,
        "'t of module m' has elements of 8 bytes in the program and of 4 in this text", [&] { c.require(); });
}

// A module in a library that the integrand's library is linked with.
void module_of_another_library() {
  const std::string module =
      "module far\nreal(8), allocatable :: t(:)\nreal(8) :: c = 1\ncontains\nsubroutine fill() bind(c, name='fill')\n"
      "allocate(t(2:4))\nt = 7\nc = 3\nend subroutine\nend module\n";
  const std::string rest = "subroutine f(x, v)\nuse far\nreal(8) x(1), v(1)\nv = c*x + t(3)\nend\n";
  const temporary_directory work;
  write_file(work.file("far.f90"), module);
  const process_result r = run_process(
      {"gfortran", "-w", "-fPIC", "-shared", "-J" + work.path(), "-o", work.file("libfar.so"), work.file("far.f90")},
      work.file("messages"), true);
  check(r.good(), "gfortran: " + r.output);
  const program p(rest, "f", "f_", {"-I" + work.path(), work.file("libfar.so"), "-Wl,-rpath," + work.path()},
                  module + rest);
  code c(p, 1, 1);
  p.call("fill");
  c.same(p, "a module of another library");
}

// Without a program around it an array has no values.
void arrays_without_a_program() {
  integrand_source s;
  s.language = source_language::fortran;
  s.function = "tables::f";
  s.file_name = "tables.f90";
  s.text = tables;
  fails("no program", jit_stage::translate, "nothing that the integrand reaches allocates the array",
        [&] { fortran_to_nvvm(s, find_flang(), 2, 4, 0, {}); });
}

// Blocks of one's own can have the data only where they have their place.
void blocks_of_many() {
  const program p(tables, "tables::f", "__tables_MOD_f");
  p.call("fill");
  tessera_solver *s = nullptr;
  check(tessera_create(&s, 2, 4) == TESSERA_OK && tessera_set_twin(s, p.function(), nullptr) == TESSERA_OK, "a solver");
  double value[4], error[4], block[2] = {0, 0};
  const int status =
      tessera_integrate_many(s, TESSERA_CUBATURE, 1, block, sizeof block, nullptr, nullptr, value, error, nullptr);
  check(
      status == TESSERA_ERR_ARGUMENT && checks::contains(tessera_last_error(s), "params_bytes = 16: the twin's block"),
      std::string("a block of another size: ") + tessera_last_error(s));
  tessera_destroy(s);
}

// What procedures save: set by an ENTRY, filled by the first call, a constant.
constexpr const char *saving = R"code(
subroutine f(x, v)
  implicit none
  real(8) x(2), v(3), y
  real(8), save :: scale = 1, table(5), nodes(3) = [0.25d0, 0.5d0, 0.75d0]
  logical, save :: ready = .false.
  integer, save :: calls = 0, order = 2
  integer k
  if (.not. ready) then
    table = [(sqrt(real(k, 8)), k = 1, 5)]
    ready = .true.
  end if
  calls = calls + 1
  v(1) = table(2)*x(1) + scale*x(2)
  v(2) = dot_product(nodes, table(1:3)) + order
  call look(nodes, 3, x(1), v(3))
  return
  entry setf(y)
  scale = y
  table(2) = y
  order = 5
end subroutine
subroutine look(t, n, x, v)
  implicit none
  integer n
  real(8) t(n), x, v
  v = t(1) + x*t(n)
end subroutine
subroutine first() bind(c)
  call setf(3d0)
end subroutine
subroutine second() bind(c)
  call setf(0.125d0)
end subroutine
)code";

void saved_variables() {
  const program p(saving, "f", "f_");
  code c(p, 2, 3);
  for (const char *name : {"first", "second"}) {
    p.call(name);
    c.same(p, std::string("SAVE, ") +
                  name);  // the first time the table is filled by each evaluation, then it is the program's
  }
  double x[2] = {1, 0}, v[3];
  p.call("second");
  p.at(x, v);
  check(v[0] == 0.125 && v[1] > 5, "the program's values are no longer the text's");
  check(c.notes().initial.empty() && c.notes().written.empty(), "all are found: " + c.notes().initial);
}

// The text of parity_fortran, whose program is in C.
void table_of_a_program(const std::string &directory) {
  const std::string text = read_file(directory + "/program_table.f90");
  const program p(text +
                      "subroutine fill() bind(c)\nuse program_table\nt = [(sqrt(i*1d0), i = 1, 9)]\n"
                      "deallocate(t)\nallocate(t(-3:5))\nt = [(sqrt(i*1d0), i = 1, 9)]\n"
                      "allocate(u(2, 4:6))\nu = 0.5d0\norder = 2\ncall set_scale(3d0)\nend\n"
                      "subroutine at(x, f) bind(c)\nreal(8) x(2), f(2)\ncall in_table(2, x, 2, f)\nend\n",
                  "in_table", "at", {}, text);
  code c(p, 2, 2);
  p.call("fill");
  c.same(p, "a table of the program", 1e-15);
}

// What cannot be found: refused where others set it, else the text's values, and that is said.
void saved_variables_not_found() {
  const auto translated = [](const program &p, int ncomp) {
    data_notes notes;
    fortran_to_nvvm(p.its_twin()->source(), find_flang(), 2, ncomp, 0, {}, &notes);
    return notes;
  };
  const auto refused = [&](const std::string &what, const program &p, int ncomp, const std::string &sentence) {
    fails(what, jit_stage::translate, sentence, [&] { translated(p, ncomp); });
  };
  const std::string beginning = "has in the program cannot be found: ";
  {
    const program stripped(saving, "f", "f_", {"-s"});
    refused("SAVE in a stripped program", stripped, 3,
            "of f' " + beginning + "the program has been stripped of names; put it into COMMON or a module");
    const std::string first_call =
        "subroutine f(x, v)\nreal(8) x(2), v(1)\nreal(8), save :: t(3), c = 2\nlogical, save :: ready = .false.\n"
        "if (.not. ready) t = 0.5d0\nready = .true.\ncall look(c, v)\nv = t(2)*x(1) + v\nend\n"
        "subroutine look(c, v)\nreal(8) c, v(1)\nv = c\nend\n";
    const program filled(first_call, "f", "f_", {"-s"});
    const std::string initial = translated(filled, 1).initial;
    check(initial ==
              "'ready of f' (the program has been stripped of names), 't of f' (the program has been stripped of "
              "names)",
          "what the first call fills: " + initial);
  }
  const auto two = [](const std::string &name) {
    return "subroutine f(x, v)\nreal(8) x(2), v(1), y\nreal(8), save :: a = 1\nv = a*x(1)\nreturn\nentry "
           "setf(y)\na = y\nend\nsubroutine g(y)\nreal(8) y\nreal(8), save :: " +
           name + " = 2\ny = " + name + "\n" + name + " = y + 1\nend\n";
  };
  refused("two procedures, one name", program(two("a"), "f", "f_"), 1,
          "'a of f' " + beginning + "more than one procedure has a variable of that name and size");
  check(translated(program(two("b"), "f", "f_"), 1).initial.empty(), "two procedures, two names");
  // The text is not that of the whole program: the other procedure's variable must not be taken for it.
  refused("another procedure's variable of that name", program(two("a"), "f", "f_", {}, two("b")), 1,
          "more than one procedure");
  std::string single = two("b");
  for (std::size_t at = 0; (at = single.find("real(8), save", at)) != std::string::npos;)
    single.replace(at, 13, "real(4), save");
  refused("another size", program(two("b"), "f", "f_", {}, single), 1,
          "'a of f' " + beginning + "it has 8 bytes in the program and 4 in this text");
}

}  // namespace

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  try {
    find_flang();
  } catch (const compile_error &e) {
    std::printf("skipped: %s\n", e.what());
    return 77;
  }
  for (const char *tool : {"gfortran", "clang-14"})
    if (find_program(tool).empty()) {
      std::printf("skipped: there is no %s\n", tool);
      return 77;
    }
  const auto tables_of_programs = [&] { table_of_a_program(argv[1]); };
  const std::vector<std::function<void()>> all = {
      tables_of_programs,       allocatable_arrays, refused_arrays, module_of_another_library,
      arrays_without_a_program, saved_variables,    blocks_of_many, saved_variables_not_found};
  for (const std::function<void()> &test : all) try {
      test();
    } catch (const std::exception &e) {
      check(false, e.what());
    }
  return checks::summary();
}
