// SPDX-License-Identifier: BSD-3-Clause
#include "device_compiler.hpp"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdlib>
#include <future>

#include "sha256.hpp"
#include "c_source.hpp"
#include "cubin.hpp"
#include "foreign.hpp"
#include "fortran/flang.hpp"
#include "fortran/runtime.hpp"
#include "limits_text.hpp"
#include "integrand_link.hpp"
#include "device_prelude.hpp"
#include "nvrtc_program.hpp"
#include "text.hpp"

namespace tessera {
namespace {

// ---- Programs ------------------------------------------------------------------------------------------------------------

void append(std::vector<std::string> &to, const std::vector<std::string> &from) {
  to.insert(to.end(), from.begin(), from.end());
}

std::string kernels_line(const kernel_text &kernel) { return "#line 1 " + quoted(kernel.name) + "\n"; }

// whole: with the kernels that are compiled apart elsewhere.
program kernel_program(const kernel_text &kernel, const std::string &domain, const target &where,
                       const architecture &arch, bool whole) {
  program p;
  p.text = std::string(declarations_text) + domain + kernels_line(kernel) + kernel.head + kernel.text +
           (whole ? kernel.apart.text : "") + "\n";
  p.name = kernel.name;
  p.headers = kernel.headers;
  p.options = common_options(where, arch);
  append(p.options, kernel.options);
  return p;
}

// What the linker needs of NVRTC.
void want_parts(program &p, const kernel_text &kernel) {
  p.options.push_back("--relocatable-device-code=true");
  if (kernel.most_registers > 0) p.options.push_back("--maxrregcount=" + std::to_string(kernel.most_registers));
}

program apart_program(const kernel_text &kernel, const architecture &arch) {
  program p;
  p.text = std::string(apart_declarations_text) + kernels_line(kernel) + kernel.head + kernel.apart.text + "\n";
  p.name = kernel.name;
  p.headers = kernel.headers;
  p.options = common_options(arch);
  append(p.options, kernel.apart.options);
  p.options.push_back("-std=c++17");
  want_parts(p, kernel);
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
    if (mangled.back() != 'E') out.push_back(mangled.substr(2) + "E");  // static, in a text that is linked
  }
  return out;
}

std::string pack(const compiled_module &m) {
  std::string sizes, texts;
  for (const std::string &t : {m.notes.written, m.notes.initial, m.notes.arrays, m.log}) {
    sizes += " " + std::to_string(t.size());
    texts += t;
  }
  return std::to_string(static_cast<int>(m.image_kind)) + " " + std::to_string(m.inlined) + sizes + "\n" + texts +
         *m.image;
}

bool unpack(const std::string &value, compiled_module &m) {
  const std::size_t newline = value.find('\n');
  if (newline == std::string::npos || newline < 11 || newline > 64) return false;
  m.image_kind = value[0] == '0' ? compiled_module::kind::cubin : compiled_module::kind::ptx;
  m.inlined = value[2] == '1';
  std::size_t at = newline + 1;
  const char *number = value.c_str() + 3;
  for (std::string *t : {&m.notes.written, &m.notes.initial, &m.notes.arrays, &m.log}) {
    char *end = nullptr;
    const std::size_t bytes = std::strtoul(number, &end, 10);
    if (end == number || bytes > value.size() - at) return false;
    *t = value.substr(at, bytes);
    at += bytes;
    number = end;
  }
  m.image = std::make_shared<const std::string>(value.substr(at));
  return true;
}

std::string linker_version() {
  unsigned major = 0, minor = 0;
  nvjitlink().version(&major, &minor);
  return std::to_string(major) + "." + std::to_string(minor);
}

std::string make_key(const program &p, const integrand_source &source, const target &where) {
  sha256 h;
  h.field("tessera device 3").field(where.library_version).field(nvrtc_version());
  h.field(std::to_string(static_cast<int>(source.language))).field(source.function);
  h.field(std::to_string(static_cast<int>(source.form)));
  if (is_linked(source.language)) h.field(linker_version()).field(source.text).field(name_of(source));
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
compiled_module find_or_make(const std::string &key, const architecture &arch, code_cache *cache,
                             std::chrono::steady_clock::time_point start, Make make) {
  compiled_module out;
  out.key = key;
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

integrand_source no_integrand(const kernel_text &kernel) {
  integrand_source none;
  none.file_name = kernel.name;
  none.function.clear();
  return none;
}

// Kernels that know no integrand: they are kept whatever becomes of the rest.
compiled_module code_apart(const program &p, const kernel_text &kernel, const target &where, const architecture &arch,
                           code_cache *cache) {
  const integrand_source none = no_integrand(kernel);
  code_cache *const kept = cache ? cache : &shared_cache(false);
  return find_or_make(make_key(p, none, where), arch, kept, std::chrono::steady_clock::now(),
                      [&](compiled_module &) { return compile_program(p, none); });
}

}  // namespace

bool compiles_apart() try {
  unsigned major = 0, minor = 0;
  int compiler_major = 0, compiler_minor = 0;
  nvjitlink().version(&major, &minor);
  nvrtc().version(&compiler_major, &compiler_minor);
  return 1000 * static_cast<int>(major) + static_cast<int>(minor) >= 1000 * compiler_major + compiler_minor;
} catch (const compile_error &) {
  return false;
}

compiled_module compile_integrand(const integrand_source &source, const kernel_text &kernel, const target &where,
                                  code_cache *cache) try {
  const auto start = std::chrono::steady_clock::now();
  check_names(source);
  for (const integrand_source &l : source.limits) check_names(l);
  const bool linked = is_linked(source.language);
  target exact = where;
  if (linked) exact.allow_ptx = false;
  const architecture arch = choose_architecture(exact);
  const bool apart = !kernel.apart.text.empty() && arch.real && compiles_apart();
  program p = kernel_program(kernel, source.domain + declared_limits(source), where, arch, !apart);
  if (linked) {
    p.options.push_back("-dlto");
    p.wanted = product::ltoir;
    if (source.language == source_language::ltoir) p.text += probe_text;
    if (source.language == source_language::fortran) p.text += fortran_runtime_text;
  } else {
    p.options.push_back("-DTESSERA_INLINE_INTEGRAND");
    if (apart) want_parts(p, kernel);
    want_code(p, arch);
  }
  add_cxx(p, source);
  add_c(p, source);
  add_standard(p);
  program steps;
  std::string key = make_key(p, source, where);
  if (apart) {
    steps = apart_program(kernel, arch);
    want_code(steps, arch);
    key = sha256().field(key).field(make_key(steps, no_integrand(kernel), where)).field(linker_version()).hex();
  }
  return find_or_make(key, arch, cache, start, [&](compiled_module &out) {
    std::future<compiled_module> other;
    if (apart) other = std::async([&] { return code_apart(steps, kernel, where, arch, cache); });
    std::string symbol;
    if (!linked && !apart) {
      product_and_log made = compile_program(p, source);
      out.inlined = !arch.real || all_inlined(made.bytes, names_in_code(source, symbol));
      return made;
    }
    std::future<product_and_log> text =
        std::async(linked ? std::launch::async | std::launch::deferred : std::launch::deferred,
                   [&] { return compile_program(p, source); });
    std::string log;
    const auto parts = [&] {
      product_and_log made = text.get();
      std::vector<link_part> all = {{linked ? link_input::ltoir : link_input::cubin,
                                     linked ? "tessera kernels" : source.file_name, std::move(made.bytes)}};
      log = made.log;
      if (!apart) return all;
      const compiled_module steps_code = other.get();
      all.push_back({link_input::cubin, "tessera steps", *steps_code.image});
      log += steps_code.log;
      return all;
    };
    link_result l = linked ? link_integrand(parts, kernel.most_registers, source, where, arch, symbol, out.notes)
                           : link_machine_code(parts(), source, arch);
    product_and_log made{std::move(l.cubin), log + l.log};
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
  program p = kernel_program(kernel, {}, where, arch, true);
  p.options.push_back("-std=c++17");
  want_code(p, arch);
  const integrand_source none = no_integrand(kernel);
  return find_or_make(make_key(p, none, where), arch, cache, start,
                      [&](compiled_module &) { return compile_program(p, none); });
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
