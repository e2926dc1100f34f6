// SPDX-License-Identifier: BSD-3-Clause
#include "integrand_link.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include "cubin.hpp"
#include "foreign.hpp"
#include "fortran/flang.hpp"
#include "process.hpp"
#include "text.hpp"

namespace tessera {
namespace {

std::string helper_path(const target &where) {
  if (!where.helper.empty()) return where.helper;
  const std::string name = "tessera-jitlink";
  Dl_info info;
  if (::dladdr(reinterpret_cast<void *>(&describe_flags), &info) && info.dli_fname) {
    std::string here = info.dli_fname;
    const std::size_t slash = here.rfind('/');
    here = slash == std::string::npos ? "." : here.substr(0, slash);
    for (const std::string &path : {here + "/" + name, here + "/tessera/" + name, here + "/../libexec/tessera/" + name})
      if (::access(path.c_str(), X_OK) == 0) return path;
  }
  return name;
}

[[noreturn]] void throw_link_error(const integrand_source &source, const std::string &log) {
  const std::string why = first_error(log);
  throw compile_error(jit_stage::link, source.file_name + ": " + (why.empty() ? "nvJitLink gave no reason" : why), log);
}

// Links in a child process: damaged code, or PTX whose declarations do not agree, makes nvJitLink crash.
link_result link_in_child(const std::vector<link_part> &parts, const std::vector<std::string> &options,
                          const integrand_source &source, const target &where) {
  const temporary_directory work;
  const std::string helper = helper_path(where);
  std::vector<std::string> command = {helper, work.file("out.cubin")};
  command.insert(command.end(), options.begin(), options.end());
  command.push_back("--");
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string file = work.file("part" + std::to_string(i));
    write_file(file, parts[i].bytes);
    command.push_back(std::to_string(static_cast<int>(parts[i].kind)) + "=" + file);
  }
  const process_result run = run_process(command, work.file("messages"), false, where.until);
  if (run.overdue) throw out_of_time("compiled code '" + source.function + "' was linked");
  if (!run.started)
    throw compile_error(jit_stage::load,
                        "the program tessera-jitlink, which links compiled code, was not found; it belongs beside "
                        "libtessera_cuda.so",
                        run.output);
  if (run.signal != 0)
    throw compile_error(jit_stage::link,
                        source.file_name + ": the linker broke down over this code (signal " +
                            std::to_string(run.signal) + ")" +
                            (run.output.empty() ? "" : ": " + first_error(run.output)),
                        run.output);
  link_result out;
  out.log = run.output;
  // nvJitLink returns code although it has found that two declarations do not agree.
  out.good = run.status == 0 && !contains(run.output, "@E@");
  if (out.good) out.cubin = read_file(work.file("out.cubin"));
  return out;
}

// Whether the linker misses the integrand's own function.
bool is_missing(const std::string &log, const std::string &function) {
  return (contains(log, "ndefined") || contains(log, "nresolved")) &&
         contains(log, function.substr(function.rfind(':') + 1));
}

void check_probe(const link_result &linked, const integrand_source &source) {
  const std::string code = cubin_code(linked.cubin, "tessera_probe");
  if (code.empty() || code != cubin_code(linked.cubin, "tessera_probe_of_nothing")) return;
  throw compile_error(jit_stage::link,
                      source.file_name + ": '" + source.function +
                          "' writes nothing to its second argument; it must be void " + source.function +
                          "(const double *x, double *out, const void *params) if it is extern \"C\"",
                      linked.log);
}

}  // namespace

link_result link_integrand(const std::function<std::vector<link_part>()> &kernels, int most_registers,
                           const integrand_source &source, const target &where, const architecture &arch,
                           std::string &symbol, data_notes &notes) {
  std::vector<std::string> options = {arch.option, "-lto", "-O3"};
  // The bounds of a kernel do not hold for the functions that it calls.
  if (most_registers > 0) options.push_back("-maxrregcount=" + std::to_string(most_registers));
  const bool is_ptx = source.language == source_language::ptx;
  if (source.language == source_language::fortran) {
    const std::string code = fortran_to_nvvm(source, find_flang(), where.ndim, where.ncomp, 0, where.until, &notes);
    std::vector<link_part> parts = kernels();
    parts.push_back({link_input::nvvm, source.file_name, code});
    link_result out = link_in_child(parts, options, source, where);
    if (!out.good) throw_link_error(source, out.log);
    return out;
  }
  link_part user = {is_ptx ? link_input::ptx : kind_of(source.text), source.file_name, source.text};
  std::vector<callee> candidates;
  if (is_ptx) {
    foreign_ptx p = read_ptx(source);
    user.bytes = p.text;
    candidates.push_back(p.function);
  } else {
    candidates = possible_callees(source);
  }
  const std::vector<link_part> of_kernels = kernels();
  link_result last;
  for (const callee &c : candidates) {
    symbol = c.symbol;
    std::vector<link_part> parts = of_kernels;
    if (!c.declaration.empty()) {
      program glue;
      glue.text = c.declaration;
      glue.name = call_name(source);
      glue.options = common_options(where, arch);
      glue.options.push_back("-std=c++17");
      glue.options.push_back("-dlto");
      glue.wanted = product::ltoir;
      parts.push_back({link_input::ltoir, "tessera call", compile_program(glue, source).bytes});
    }
    parts.push_back(user);
    last = link_in_child(parts, options, source, where);
    if (last.good && !is_ptx) check_probe(last, source);
    if (last.good) return last;
    if (!is_missing(last.log, source.function)) break;
  }
  if (candidates.size() > 1 && is_missing(last.log, source.function))
    throw compile_error(jit_stage::link,
                        source.file_name + ": no function '" + source.function +
                            "' with a known list of parameters was found; it should be extern \"C\" __device__ void " +
                            source.function + "(const double *x, double *out, const void *params)",
                        last.log);
  throw_link_error(source, last.log);
}

link_result link_machine_code(const std::vector<link_part> &parts, const integrand_source &source,
                              const architecture &arch) {
  link_result out = link_parts(parts, {arch.option});
  if (out.good) return out;
  const std::string undefined = "Undefined reference to '";
  const std::size_t at = out.log.find(undefined);
  if (at == std::string::npos) throw_link_error(source, out.log);
  const std::size_t name = at + undefined.size();
  throw compile_error(jit_stage::link, undefined_message(source, out.log.substr(name, out.log.find('\'', name) - name)),
                      out.log);
}

}  // namespace tessera
