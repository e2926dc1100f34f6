// SPDX-License-Identifier: BSD-3-Clause
#include "flang.hpp"

#include <cstdlib>
#include <map>
#include <mutex>

#include <sys/stat.h>

#include "../process.hpp"
#include "../programs.hpp"
#include "../text.hpp"
#include "fortran_call.hpp"
#include "fortran_data.hpp"
#include "nvvm_text.hpp"
#include "reach.hpp"
#include "runtime.hpp"
#include "saved_data.hpp"

namespace tessera {
namespace {

constexpr const char *advice =
    "Fortran runs on a device by LLVM's compiler, version 22, 20 or 19: install flang-22 (Debian, Ubuntu: apt install "
    "flang-22) or "
    "name it in $FLANG";
constexpr const char *part = "tessera fortran 4";  // changes with the code that is made

std::vector<std::string> options_of(int version) {
  std::vector<std::string> out = {"-O2", "-fstack-arrays", "-S", "-emit-llvm"};
  if (version >= 20)
    out.insert(out.end(), {"-fno-vectorize", "-fno-slp-vectorize"});
  else
    out.insert(out.end(), {"-mllvm", "-vectorize-slp=false", "-mllvm", "-vectorize-loops=false"});
  return out;
}

process_result run(const std::vector<std::string> &command, const temporary_directory &work,
                   const integrand_source &source, const deadline &until) {
  const process_result r = run_process(command, work.file("messages"), true, until);
  if (r.overdue) throw out_of_time("the source text '" + source.function + "' was compiled");
  if (!r.started) throw compile_error(jit_stage::load, command[0] + " could not be started: " + r.output, r.output);
  if (r.signal != 0)
    throw compile_error(jit_stage::compile,
                        source.file_name + ": the compiler was ended by signal " + std::to_string(r.signal), r.output);
  return r;
}

// Asked once a process: the compiler takes longer to start than to answer.
int version_of(const flang &f, const temporary_directory &work, const integrand_source &source, const deadline &until) {
  static std::mutex mutex;
  static std::map<std::string, int> known;
  {
    const std::lock_guard<std::mutex> lock(mutex);
    const auto found = known.find(f.identity);
    if (found != known.end()) return found->second;
  }
  const process_result r = run({f.path, "--version"}, work, source, until);
  const std::size_t name = r.output.find("flang"),
                    at = name == std::string::npos ? name : r.output.find(" version ", name);
  const int version = at == std::string::npos ? 0 : std::atoi(r.output.c_str() + at + 9);
  if (version == 19 || version == 20 || version == 22) {
    const std::lock_guard<std::mutex> lock(mutex);
    return known[f.identity] = version;
  }
  throw compile_error(jit_stage::load,
                      f.path + (version > 0 ? " is flang " + std::to_string(version) : " is not LLVM's flang") +
                          ", which is not known here; " + advice,
                      r.output);
}

// SAVE variables have an F with the procedure's name behind _Q or the module's name.
bool is_of_procedure(const std::string &symbol) { return starts_with(symbol, "_Q") && contains(symbol, "F"); }

std::string data_in_words(const nvvm_data &d) {
  return starts_with(d.symbol, "_Q") ? "'" + d.name + "'" : "COMMON /" + d.name + "/";
}

// The code of one file.
std::string compile(const flang &f, int version, const std::string &file, const std::vector<std::string> &more,
                    const temporary_directory &work, const integrand_source &source, const deadline &until) {
  const std::string to = work.file("code.ll");
  std::vector<std::string> command = {f.path};
  for (const std::string &o : options_of(version)) command.push_back(o);
  command.insert(command.end(), more.begin(), more.end());
  command.insert(command.end(), {"-o", to, file});
  const process_result r = run(command, work, source, until);
  if (r.status == 0) return read_file(to);
  const std::string error = fortran_error(r.output, source);
  throw compile_error(jit_stage::compile, error.empty() ? "the compiler gave no reason" : error, r.output);
}

}  // namespace

flang find_flang() {
  std::vector<std::string> names = {"flang-22", "flang-20", "flang-19", "flang-new-19", "flang"};
  const char *chosen = ::secure_getenv("FLANG");
  if (chosen && *chosen) names = {chosen};
  for (const std::string &name : names) {
    const std::string path = find_program(name);
    struct stat s;
    if (path.empty() || ::stat(path.c_str(), &s) != 0) continue;
    return {path, path + " " + std::to_string(s.st_size) + " " + std::to_string(s.st_mtime)};
  }
  if (chosen && *chosen)
    throw compile_error(jit_stage::load, std::string("the compiler '") + chosen + "' that $FLANG names is not there");
  throw compile_error(jit_stage::load,
                      std::string("there is no Fortran compiler for devices on this machine; ") + advice);
}

std::string fortran_key(const integrand_source &source, const flang &compiler, int ndim, int ncomp, int coordinates) {
  const fortran_entry entry = find_fortran_entry(source);
  const fortran_files files =
      put_fortran_files(source, fortran_call(entry, source, ndim, ncomp, coordinates), entry, nullptr);
  return part + ("\n" + compiler.identity) + "\n" + fortran_runtime_text + files.key;
}

std::string fortran_to_nvvm(const integrand_source &source, const flang &compiler, int ndim, int ncomp, int coordinates,
                            const deadline &until, data_notes *notes) {
  const temporary_directory work;
  const int version = version_of(compiler, work, source, until);
  const fortran_entry entry = find_fortran_entry(source);
  const fortran_files files =
      put_fortran_files(source, fortran_call(entry, source, ndim, ncomp, coordinates), entry, &work);
  // Several files become one text: each in its own form.
  std::string file = files.compiled.back();
  std::vector<std::string> first = {"-gline-tables-only", "-I" + work.path(), "-module-dir", work.path(), "-w"};
  // LLVM's passes come later: they would take variables apart that keep their values.
  first.insert(first.end(), {"-mllvm", "-opt-bisect-limit=0", "-mllvm", "-opt-bisect-verbose=false"});
  if (files.compiled.size() > 1) {
    std::string all;
    for (std::size_t k = 0; k < files.compiled.size(); ++k) {
      // The line behind a change of form is still read in the old one.
      const std::string form = files.fixed[k] ? "!dir$ fixed\n" : "!dir$ free\n";
      all += "#line " + std::to_string(static_cast<int>(k + 1) * lines_of_file - 1) + " \"/source" + std::to_string(k) +
             "\"\n" + form + form + read_file(files.compiled[k]) + "\n";
    }
    file = work.file(files.preprocess ? "source.F90" : "source.f90");
    write_file(file, all);
  }
  try {
    // The integrand's procedures go inside and are inlined, so that it is seen what happens to the data; sizes that follow from inlined
    // calls are known after another turn.
    const ir_module all(compile(compiler, version, file, first, work, source, until));
    const ir_reached reached = ir_reach(all, "tessera_f");
    const saved_data saved = find_saved(all, reached, source);
    std::string code = ir_inside(all, reached, "tessera_f", saved.all());
    for (int turn = 0; turn < 2; ++turn) {
      write_file(work.file("inside.ll"), code);
      code = compile(compiler, version, work.file("inside.ll"), {}, work, source, until);
    }
    const ir_module inlined(code);
    std::vector<host_value> values = saved.values;
    for (const integrand_source::variable &v : source.variables)
      if (v.symbol.empty()) values.push_back({llvm_symbol(v), v.offset, v.bytes, v.rank});
    const nvvm_code out = write_nvvm(inlined, values);
    const std::string initial = require_saved(saved, out.data);
    if (!notes) return out.text;
    notes->initial = initial;
    for (const nvvm_data &d : out.data)
      if (d.written && !is_of_procedure(d.symbol))
        notes->written += (notes->written.empty() ? "" : ", ") + data_in_words(d);
    notes->arrays = out.arrays;
    return out.text;
  } catch (const ir_error &e) {
    throw compile_error(jit_stage::translate, fortran_place(source, e.line()) + ": error: " + e.what());
  }
}

}  // namespace tessera
