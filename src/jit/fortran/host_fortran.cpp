// SPDX-License-Identifier: BSD-3-Clause
#include "host_fortran.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <elf.h>
#include <sys/stat.h>

#include "../host_prelude.hpp"
#include "../process.hpp"
#include "../programs.hpp"
#include "../text.hpp"
#include "fortran_call.hpp"
#include "fortran_data.hpp"
#include "program_array.hpp"

namespace tessera {
namespace {

// What ends a program in the libraries of GNU's and of LLVM's compiler leaves the integrand here.
constexpr const char *leaving = R"code(
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
void tessera_f(const double *x, double *f, void *p);
static __thread jmp_buf tessera_back;
static __thread int tessera_returned;
void tessera_m_status(int s) { tessera_returned = s; }
#define TESSERA_LEAVES(name) __attribute__((noreturn)) void name(void) { longjmp(tessera_back, 1); }
TESSERA_LEAVES(_gfortran_stop_string)
TESSERA_LEAVES(_gfortran_stop_numeric)
TESSERA_LEAVES(_gfortran_error_stop_string)
TESSERA_LEAVES(_gfortran_error_stop_numeric)
TESSERA_LEAVES(_gfortran_runtime_error)
TESSERA_LEAVES(_gfortran_runtime_error_at)
TESSERA_LEAVES(_gfortran_os_error)
TESSERA_LEAVES(_gfortran_os_error_at)
TESSERA_LEAVES(_gfortran_exit_i4)
TESSERA_LEAVES(_gfortran_exit_i8)
TESSERA_LEAVES(_gfortran_abort)
TESSERA_LEAVES(_FortranAStopStatement)
TESSERA_LEAVES(_FortranAStopStatementText)
TESSERA_LEAVES(_FortranAExit)
TESSERA_LEAVES(_FortranAAbort)
TESSERA_LEAVES(_FortranAReportFatalUserError)
struct tessera_variable { void *to; long long bytes, offset; int rank, gnu; };
__attribute__((visibility("default"))) const struct tessera_variable *tessera_variables;
__attribute__((visibility("default"))) long long tessera_number_of_variables;
// An allocated array with the elements in the block. r: elements, length, type, then (lower, extent, stride in bytes) each.
static void tessera_take_array(char *to, const char *p, const long long *r, int rank, int gnu) {
  void **base = (void **)to;
  long long *w = (long long *)to, bytes = r[1], first = 0;
  int k;
  if (r[0] == 0) {
    free(*base);
    *base = 0;
    return;
  }
  for (k = 0; k < rank; ++k) bytes *= r[3 * k + 4];
  *base = realloc(*base, bytes > 0 ? bytes : 1);
  memcpy(*base, p + r[0], bytes);
  if (!gnu) {
    memcpy(w + 3, r + 3, 24 * rank);
    return;
  }
  for (k = 0; k < rank; ++k) {
    w[3 * k + 5] = r[3 * k + 5] / r[1];
    w[3 * k + 6] = r[3 * k + 3];
    w[3 * k + 7] = r[3 * k + 3] + r[3 * k + 4] - 1;
    first -= w[3 * k + 5] * w[3 * k + 6];
  }
  w[1] = first;
  w[2] = w[4] = r[1];
  w[3] = (long long)rank << 32 | r[2] << 40;
}
static void tessera_take(const char *p) {
  for (long long i = 0; i < tessera_number_of_variables; ++i) {
    const struct tessera_variable *v = &tessera_variables[i];
    if (v->rank >= 0)
      tessera_take_array(v->to, p, (const long long *)(p + v->offset), v->rank, v->gnu);
    else
      memcpy(v->to, p + v->offset, v->bytes);
  }
}
static int tessera_point(const double *x, double *f, void *p) {
  tessera_returned = 0;
  if (tessera_number_of_variables > 0) tessera_take(p);
  if (setjmp(tessera_back) != 0) return -1;
  tessera_f(x, f, p);
  return tessera_returned;
}
#define TESSERA_CALL(tessera_a, tessera_b, tessera_o) tessera_point(tessera_a, tessera_b, tessera_o)
)code";

// No -Ofast and no -fno-math-errno: the values are those of the program's own -O2.
constexpr const char *options[] = {"-O2", "-fPIC", "-shared", "-w", "-Wl,-Bsymbolic"};

// Of GNU's or of LLVM's compiler.
bool is_gnu(const system_compiler &tool) {
  const std::string &path = tool.command[0];
  return !contains(path.substr(path.find_last_of('/') + 1), "flang");
}

std::vector<std::string> numbers_of(int ndim, int ncomp, int coordinates) {
  return {"-DTESSERA_NDIM=" + std::to_string(ndim), "-DTESSERA_NCOMP=" + std::to_string(ncomp),
          "-DTESSERA_COORDINATES=" + std::to_string(coordinates > 0 ? coordinates : ndim)};
}

}  // namespace

sha256 fortran_host_key(const integrand_source &source, int ndim, int ncomp, int coordinates) {
  const system_compiler tool = find_compiler(host_language::fortran);
  const fortran_entry entry = find_fortran_entry(source);
  const fortran_files files =
      put_fortran_files(source, fortran_call(entry, source, ndim, ncomp, coordinates), entry, nullptr);
  sha256 h;
  h.field("tessera host Fortran 2")
      .field(name_of(source))
      .field(tool.identity)
      .field(files.key)
      .field(leaving)
      .field(host_loop);
  for (const std::string &part : tool.command) h.field(part);
  for (const char *o : options) h.field(o);
  return h;
}

std::string build_fortran(const integrand_source &source, int ndim, int ncomp, int coordinates, std::string &log,
                          const deadline &until) {
  const system_compiler tool = find_compiler(host_language::fortran);
  const fortran_entry entry = find_fortran_entry(source);
  const temporary_directory work;
  const fortran_files files =
      put_fortran_files(source, fortran_call(entry, source, ndim, ncomp, coordinates), entry, &work);
  // The loop over the points is C, which the compiler's driver takes as well.
  const std::string loop = work.file("tessera_loop.c"), object = work.file("integrand.so");
  write_file(loop, std::string(leaving) + host_loop);
  std::vector<std::string> command = tool.command;
  for (const char *o : options) command.push_back(o);
  if (is_gnu(tool)) {
    command.push_back("-frecursive");
    if (files.any_argument) command.push_back("-fallow-argument-mismatch");
    command.push_back("-J" + work.path());
  } else {
    command.push_back("-fstack-arrays");
    command.push_back("-module-dir");
    command.push_back(work.path());
  }
  command.push_back("-I" + work.path());
  const std::vector<std::string> numbers = numbers_of(ndim, ncomp, coordinates);
  command.insert(command.end(), numbers.begin(), numbers.end());
  command.insert(command.end(), {"-o", object});
  command.insert(command.end(), files.compiled.begin(), files.compiled.end());
  command.push_back(loop);
  const process_result run = run_process(command, work.file("messages"), true, until);
  log = run.output;
  if (run.overdue) throw out_of_time("the source text '" + source.function + "' was compiled");
  if (!run.started) throw compile_error(jit_stage::load, "the compiler could not be started: " + log, log);
  if (run.signal != 0)
    throw compile_error(jit_stage::compile,
                        source.file_name + ": the compiler was ended by signal " + std::to_string(run.signal), log);
  if (run.status == 0) return read_file(object);
  const std::string error = fortran_error(log, source);
  throw compile_error(contains(log, "undefined reference") ? jit_stage::link : jit_stage::compile,
                      error.empty() ? "the compiler gave no reason" : error, log);
}

namespace {

struct symbol {
  std::string name;
  unsigned long long value, bytes;
  bool variable;  // in a section that may be written
};

// The symbol table; false: there is none, or it makes no sense.
bool read_symbols(const std::string &image, std::vector<symbol> &out) {
  const auto at = [&](std::size_t offset, void *to, std::size_t bytes) {
    if (offset > image.size() || bytes > image.size() - offset) return false;
    std::memcpy(to, image.data() + offset, bytes);
    return true;
  };
  Elf64_Ehdr head;
  if (!at(0, &head, sizeof head) || std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
      head.e_shentsize != sizeof(Elf64_Shdr))
    return false;
  std::vector<Elf64_Shdr> sections(head.e_shnum);
  if (!at(head.e_shoff, sections.data(), sections.size() * sizeof(Elf64_Shdr))) return false;
  for (const Elf64_Shdr &table : sections) {
    if (table.sh_type != SHT_SYMTAB || table.sh_link >= sections.size()) continue;
    for (std::size_t k = 0; k < table.sh_size / sizeof(Elf64_Sym); ++k) {
      Elf64_Sym s;
      if (!at(table.sh_offset + k * sizeof s, &s, sizeof s)) return false;
      if (s.st_shndx >= sections.size() || s.st_shndx == SHN_UNDEF) continue;
      const std::size_t name = sections[table.sh_link].sh_offset + s.st_name;
      out.push_back({name < image.size() ? std::string(image.c_str() + name) : "", s.st_value, s.st_size,
                     ELF64_ST_TYPE(s.st_info) == STT_OBJECT && s.st_size > 0 &&
                         (sections[s.st_shndx].sh_flags & SHF_WRITE) != 0});
    }
    return true;
  }
  return false;
}

}  // namespace

// A SAVE variable of the object that can be no other than the program's v: of name and size there is one in either. Else null, and it has
// the text's value.
static const symbol *only_saved(const integrand_source &source, const integrand_source::variable &v,
                                const std::vector<symbol> &symbols) {
  for (const integrand_source::variable &other : source.variables)
    if (&other != &v && !other.symbol.empty() && other.name == v.name && other.bytes == v.bytes) return nullptr;
  const symbol *found = nullptr;
  for (const symbol &s : symbols) {
    if (!s.variable || s.bytes != v.bytes || variable_of_procedure(s.name) != v.name) continue;
    if (found) return nullptr;
    found = &s;
  }
  return found;
}

std::vector<kept_variable> find_variables(const integrand_source &source, const std::string &image, const void *entry) {
  std::vector<kept_variable> out;
  std::vector<symbol> symbols;
  if (source.variables.empty() || !read_symbols(image, symbols)) return out;
  const char *base = nullptr;
  for (const symbol &s : symbols)
    if (s.name == "tessera_batch") base = static_cast<const char *>(entry) - s.value;
  for (const integrand_source::variable &v : source.variables) {
    if (!v.symbol.empty()) {
      if (const symbol *s = base ? only_saved(source, v, symbols) : nullptr)
        out.push_back({const_cast<char *>(base) + s->value, static_cast<long long>(v.bytes),
                       static_cast<long long>(v.offset), -1, 0});
      continue;
    }
    for (const symbol &s : symbols) {
      const bool gnu = s.name == gnu_symbol(v);
      if (!base || !s.variable || !(gnu || s.name == llvm_symbol(v))) continue;
      if (v.rank >= 0) {
        if (rank_by_size(s.bytes, gnu) != v.rank)
          throw compile_error(jit_stage::load, source.file_name + ": the allocatable array '" + v.name +
                                                   "' has another rank than in the program");
        out.push_back({const_cast<char *>(base) + s.value, 0, static_cast<long long>(v.offset), v.rank, gnu});
        continue;
      }
      if (s.bytes >= v.bytes + 8)
        throw compile_error(jit_stage::load, source.file_name + ": '" + v.name + "' has " + std::to_string(v.bytes) +
                                                 " bytes in the program and " + std::to_string(s.bytes) +
                                                 " in this text");
      out.push_back({const_cast<char *>(base) + s.value,
                     static_cast<long long>(std::min<unsigned long long>(s.bytes, v.bytes)),
                     static_cast<long long>(v.offset), -1, 0});
    }
  }
  return out;
}

// But for variables of the linker, of ours, and of the tables of types.
bool keeps_data(const std::string &image) {
  std::vector<symbol> symbols;
  if (!read_symbols(image, symbols)) return true;  // who knows
  for (const symbol &s : symbols)
    if (s.variable && s.name != "__dso_handle" && s.name != "_DYNAMIC" && !starts_with(s.name, "completed.") &&
        !starts_with(s.name, "tessera_") && !contains(s.name, "___vtab_") && !contains(s.name, "___def_init_"))
      return true;
  return false;
}

}  // namespace tessera
