// SPDX-License-Identifier: BSD-3-Clause
#include "device_compiler.hpp"

#include <algorithm>
#include <cctype>
#include <chrono>

#include <dlfcn.h>
#include <unistd.h>

#include "process.hpp"
#include "sha256.hpp"
#include "c_source.hpp"
#include "cubin.hpp"
#include "foreign.hpp"
#include "fortran/flang.hpp"
#include "fortran/runtime.hpp"
#include "limits_text.hpp"
#include "link.hpp"
#include "device_prelude.hpp"
#include "nvrtc_program.hpp"
#include "text.hpp"

namespace tessera {
namespace {

// ---- Programs ------------------------------------------------------------------------------------------------------------

// Options common to all texts.
std::vector<std::string> common_options(const target &where, const architecture &arch) {
  return {arch.option,
          "-default-device",
          "-modify-stack-limit=false",
          "-diag-suppress=177,550,2464,20044",
          "--no-source-include",
          "-DTESSERA_NDIM=" + std::to_string(where.ndim),
          "-DTESSERA_NCOMP=" + std::to_string(where.ncomp)};
}

void append(std::vector<std::string> &to, const std::vector<std::string> &from) {
  to.insert(to.end(), from.begin(), from.end());
}

program kernel_program(const kernel_text &kernel, const std::string &domain, const target &where,
                       const architecture &arch) {
  program p;
  p.text = std::string(declarations_text) + domain + "#line 1 " + quoted(kernel.name) + "\n" + kernel.text + "\n";
  p.name = kernel.name;
  p.headers = kernel.headers;
  p.options = common_options(where, arch);
  append(p.options, kernel.options);
  return p;
}

// Machine code where it can be had, with the kernels' registers in the log.
void want_code(program &p, const architecture &arch) {
  p.wanted = arch.real ? product::cubin : product::ptx;
  if (arch.real) p.options.push_back("--ptxas-options=-v");
}

// Headers of ours that neither the kernels nor the toolkit bring.
template <std::size_t n>
void add_headers(program &p, const memory_header (&headers)[n]) {
  for (const memory_header &h : headers)
    if (std::none_of(p.headers.begin(), p.headers.end(), [&](const auto &have) { return have.name == h.name; }))
      p.headers.push_back({h.name, h.text});
}

// Joined with the kernels by the linker, not by NVRTC.
bool is_linked(source_language l) { return is_device_code(l) || l == source_language::fortran; }

bool is_c(const integrand_source &s) {
  return s.language == source_language::c_point || s.language == source_language::c_cuba;
}

// The integrand, unless it is linked, and limits in CUDA C++. Macros of one text are none of the others'.
void add_cxx(program &p, const integrand_source &source) {
  const bool own = source.language == source_language::cuda_cxx;
  std::string includes, text;
  const std::string limits = cxx_limits(source, includes);
  if (own) {
    text = expand_includes(source) + "\n#line 1 " + quoted(call_name(source)) + "\n" + entry_of(source) +
           " { ::tessera_forms::call(&::" + source.function + ", tessera_x, tessera_v, tessera_p); }\n";
    if (!source.limits.empty()) text += undefine_macros(text, std::string(c_math_text) + c_float_text + c_limits_text);
  }
  text += includes + limits;
  if (text.empty()) return;
  p.text += std::string(cxx_math_text) + forms_text + text;
  add_headers(p, cxx_headers);
  const std::string toolkit = toolkit_directory();
  if (!toolkit.empty() && contains(text, "#include")) {
    p.options.push_back("--include-path=" + toolkit + "/include");
    p.options.push_back("--include-path=" + toolkit + "/include/cccl");
  }
}

// The headers of C by names of their own, where those of CUDA C++ have the common ones.
std::string with_own_headers(std::string text) {
  std::string out;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t newline = std::min(text.find('\n', begin), text.size() - 1) + 1;
    std::string line = text.substr(begin, newline - begin);
    begin = newline;
    const std::size_t sign = line.find_first_not_of(" \t"), open = line.find_first_of("<\"");
    const std::size_t close = line.find_last_of(">\"");
    const std::size_t word =
        sign == std::string::npos || line[sign] != '#' ? sign : line.find_first_not_of(" \t", sign + 1);
    if (word != sign && word != std::string::npos && line.compare(word, 7, "include") == 0 &&
        close != std::string::npos && open < close)
      line = "#include <tessera_c/" + line.substr(open + 1, close - open - 1) + ">\n";
    out += line;
  }
  return out;
}

// The same in C. After what is in CUDA C++, which then does not see the macros of C's headers.
void add_c(program &p, const integrand_source &source) {
  std::vector<const integrand_source *> texts;
  bool mixed = source.language == source_language::cuda_cxx;
  if (is_c(source)) texts.push_back(&source);
  for (const integrand_source &l : source.limits) {
    if (is_c(l)) texts.push_back(&l);
    mixed = mixed || !is_c(l);
  }
  if (texts.empty()) return;
  const std::string math = std::string(c_math_text) + c_math_only_text, before = mixed ? "tessera_c/" : "";
  std::string headers = math;
  for (const memory_header &h : c_headers) {
    p.headers.push_back({before + h.name, h.text});
    headers += h.text;
  }
  p.headers.push_back({before + "math.h", math});
  p.text += c_prelude_text;
  for (const integrand_source *s : texts) {
    const device_c c = translate_c(*s);
    p.text += mixed ? with_own_headers(c.text) : c.text;
    if (!source.limits.empty()) p.text += undefine_macros(c.text, headers);
    for (const std::string &o : c.options)
      if (std::find(p.options.begin(), p.options.end(), o) == p.options.end()) p.options.push_back(o);
  }
}

void add_standard(program &p) {
  if (std::none_of(p.options.begin(), p.options.end(), [](const std::string &o) { return starts_with(o, "-std="); }))
    p.options.push_back("-std=c++17");
}

// ---- What comes out --------------------------------------------------------------------------------------------------------

void check_names(const integrand_source &source) {
  const auto bad = [&](const std::string &why) { throw compile_error(jit_stage::translate, why); };
  if (source.text.empty()) bad(text_name(source) + " is empty");
  const std::string &name = source.function;
  const bool cxx = source.language == source_language::cuda_cxx || source.language == source_language::ltoir ||
                   source.language == source_language::fortran;
  bool good = !name.empty() && !std::isdigit(static_cast<unsigned char>(name[0]));
  for (const char c : name)
    good = good && (std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || (cxx && c == ':'));
  if (!good) bad("'" + name + "' is not the name of a function");
}

// Whether a call of the integrand is left in the machine code.
bool all_inlined(const std::string &image, const std::vector<std::string> &symbols) {
  for (const cubin_function &f : cubin_functions(image)) {
    if (f.kernel) continue;
    for (const std::string &s : symbols)
      if (contains(f.name, s)) return false;
  }
  return true;
}

// Pieces of names by which the integrand's own function is known in machine code.
std::vector<std::string> names_in_code(const integrand_source &source, const std::string &symbol) {
  std::vector<std::string> out = {"tessera_f"};
  if (!symbol.empty()) out.push_back(symbol);
  if (source.language == source_language::c_point || source.language == source_language::c_cuba) {
    out.push_back(std::to_string(source.function.size()) + source.function + "E");
  } else if (source.language != source_language::fortran) {
    const std::string mangled = mangled_name(source.function);
    out.push_back(mangled);
    out.push_back("_ZL" + mangled.substr(2));
  }
  return out;
}

std::string pack(const compiled_module &m) {
  return std::to_string(static_cast<int>(m.image_kind)) + " " + std::to_string(m.inlined) + " " +
         std::to_string(m.log.size()) + "\n" + m.log + *m.image;
}

bool unpack(const std::string &value, compiled_module &m) {
  const std::size_t newline = value.find('\n');
  if (newline == std::string::npos || newline < 5 || newline > 24) return false;
  const std::size_t log = std::stoul(value.substr(4, newline - 4));
  if (log > value.size() - newline - 1) return false;
  m.image_kind = value[0] == '0' ? compiled_module::kind::cubin : compiled_module::kind::ptx;
  m.inlined = value[2] == '1';
  m.log = value.substr(newline + 1, log);
  m.image = std::make_shared<const std::string>(value.substr(newline + 1 + log));
  return true;
}

std::string make_key(const program &p, const integrand_source &source, const target &where) {
  sha256 h;
  h.field("tessera device 1").field(where.library_version).field(nvrtc_version());
  h.field(std::to_string(static_cast<int>(source.language))).field(source.function);
  h.field(std::to_string(static_cast<int>(source.form)));
  if (is_linked(source.language)) {
    unsigned major = 0, minor = 0;
    nvjitlink().version(&major, &minor);
    h.field(std::to_string(major) + "." + std::to_string(minor)).field(source.text).field(name_of(source));
  }
  if (source.language == source_language::fortran)
    h.field(fortran_key(source, find_flang(), where.ndim, where.ncomp, 0));
  h.field(p.name).field(p.text);
  for (const std::string &o : p.options) h.field(o);
  h.field("headers");
  for (const kernel_text::header &header : p.headers) h.field(header.name).field(header.text);
  return h.hex();
}

// The code of a program from the cache, or what make(out) compiles.
template <class Make>
compiled_module find_or_make(const program &p, const integrand_source &source, const target &where,
                             const architecture &arch, code_cache *cache, std::chrono::steady_clock::time_point start,
                             Make make) {
  compiled_module out;
  out.key = make_key(p, source, where);
  std::string value;
  if (cache) out.hit = cache->find(out.key, value);
  if (out.hit == cache_hit::none || !unpack(value, out)) {
    out.hit = cache_hit::none;
    product_and_log made = make(out);
    out.image_kind = arch.real ? compiled_module::kind::cubin : compiled_module::kind::ptx;
    out.log = made.log;
    out.image = std::make_shared<const std::string>(std::move(made.bytes));
    if (cache) cache->store(out.key, pack(out));
  }
  out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return out;
}

// ---- Compiled code of the user's -------------------------------------------------------------------------------------------

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
  append(command, options);
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

// LTO-IR does not tell the types of an extern "C" function. One that returns its value is linked and inlined all the same, and
// leaves nothing of itself: a kernel that calls it with the caller's own addresses is as empty as one that does nothing.
constexpr const char *probe_text = R"code(
extern "C" __global__ void tessera_probe(const double *x, double *f, const void *params) { tessera_f(x, f, params); }
extern "C" __global__ void tessera_probe_of_nothing(const double *, double *, const void *) {}
)code";

void check_probe(const link_result &linked, const integrand_source &source) {
  const std::string code = cubin_code(linked.cubin, "tessera_probe");
  if (code.empty() || code != cubin_code(linked.cubin, "tessera_probe_of_nothing")) return;
  throw compile_error(jit_stage::link,
                      source.file_name + ": '" + source.function +
                          "' writes nothing to its second argument; it must be void " + source.function +
                          "(const double *x, double *out, const void *params) if it is extern \"C\"",
                      linked.log);
}

link_result link_integrand(const product_and_log &kernel, int most_registers, const integrand_source &source,
                           const target &where, const architecture &arch, std::string &symbol) {
  std::vector<std::string> options = {arch.option, "-lto", "-O3"};
  // The bounds of a kernel do not hold for the functions that it calls.
  if (most_registers > 0) options.push_back("-maxrregcount=" + std::to_string(most_registers));
  const bool is_ptx = source.language == source_language::ptx;
  const link_part kernels = {link_input::ltoir, "tessera kernels", kernel.bytes};
  if (source.language == source_language::fortran) {
    const std::string code = fortran_to_nvvm(source, find_flang(), where.ndim, where.ncomp, 0, where.until);
    link_result out = link_in_child({kernels, {link_input::nvvm, source.file_name, code}}, options, source, where);
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
  link_result last;
  for (const callee &c : candidates) {
    symbol = c.symbol;
    std::vector<link_part> parts = {kernels};
    if (!c.declaration.empty()) {
      program glue;
      glue.text = c.declaration;
      glue.name = call_name(source);
      glue.options = common_options(where, arch);
      append(glue.options, {"-std=c++17", "-dlto"});
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

}  // namespace

compiled_module compile_integrand(const integrand_source &source, const kernel_text &kernel, const target &where,
                                  code_cache *cache) try {
  const auto start = std::chrono::steady_clock::now();
  check_names(source);
  for (const integrand_source &l : source.limits) check_names(l);
  const bool linked = is_linked(source.language);
  target exact = where;
  if (linked) exact.allow_ptx = false;
  const architecture arch = choose_architecture(exact);
  program p = kernel_program(kernel, source.domain + declared_limits(source), where, arch);
  if (linked) {
    p.options.push_back("-dlto");
    p.wanted = product::ltoir;
    if (source.language == source_language::ltoir) p.text += probe_text;
    if (source.language == source_language::fortran) p.text += fortran_runtime_text;
  } else {
    p.options.push_back("-DTESSERA_INLINE_INTEGRAND");
    want_code(p, arch);
  }
  add_cxx(p, source);
  add_c(p, source);
  add_standard(p);
  return find_or_make(p, source, where, arch, cache, start, [&](compiled_module &out) {
    product_and_log made = compile_program(p, source);
    std::string symbol;
    if (linked) {
      link_result l = link_integrand(made, kernel.most_registers, source, where, arch, symbol);
      made.bytes.swap(l.cubin);
      made.log += l.log;
    }
    out.inlined = !arch.real || all_inlined(made.bytes, names_in_code(source, symbol));
    return made;
  });
} catch (const compile_error &) {
  throw;
} catch (const std::bad_alloc &) {
  throw;
} catch (const std::exception &e) {  // no temporary directory, a full disk
  throw compile_error(jit_stage::compile, e.what());
}

compiled_module compile_kernels(const kernel_text &kernel, const target &where, code_cache *cache) {
  const auto start = std::chrono::steady_clock::now();
  const architecture arch = choose_architecture(where);
  program p = kernel_program(kernel, {}, where, arch);
  p.options.push_back("-std=c++17");
  want_code(p, arch);
  integrand_source none;
  none.file_name = kernel.name;
  none.function.clear();
  return find_or_make(p, none, where, arch, cache, start, [&](compiled_module &) { return compile_program(p, none); });
}

std::string describe_flags(int flags) {
  std::string out;
  const auto add = [&](int bit, const char *text) {
    if (flags & bit) out += (out.empty() ? "" : "; ") + std::string(text);
  };
  add(flag_output, "the integrand printed something, which is lost on a device");
  add(flag_exit, "the integrand called exit or abort, or an assertion failed");
  add(flag_stop, "the integrand asked to stop");
  return out;
}

std::string why_stopped(int flags, int status) {
  if ((flags & flag_stop) != 0) return "the integrand returned " + std::to_string(status);
  if ((flags & flag_limits) == 0) return describe_flags(flags & flag_exit);
  const int code = (flags >> 8) - 1;  // report_limits in cuda/device/user_values.cuh
  return "the limits of axis " + std::to_string(code / 2) +
         (code % 2 == 0 ? " are not two numbers a finite distance apart" : " cross") + " at a point";
}

}  // namespace tessera
