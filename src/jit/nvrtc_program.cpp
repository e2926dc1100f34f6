// SPDX-License-Identifier: BSD-3-Clause
#include "nvrtc_program.hpp"

#include <algorithm>

#include "c_source.hpp"
#include "limits_text.hpp"
#include "text.hpp"
#include "toolkit.hpp"

namespace tessera {
namespace {

struct nvrtc_session {
  const nvrtc_library &library = nvrtc();
  nvrtcProgram handle = nullptr;
  ~nvrtc_session() {
    if (handle) library.destroy(&handle);
  }
};

[[noreturn]] void throw_compile_error(const std::string &log, const integrand_source &main) {
  std::string message = first_error(log);
  const integrand_source &source = text_of_error(main, message, log);
  jit_stage stage = jit_stage::compile;
  const std::size_t unresolved = log.find("Unresolved extern function '");
  if (unresolved != std::string::npos) {
    stage = jit_stage::link;
    const std::size_t begin = log.find('\'', unresolved) + 1;
    message = undefined_message(source, log.substr(begin, log.find('\'', begin) - begin));
  } else if (starts_with(message, call_name(source)) && contains(message, " has no ")) {
    message = source.file_name + "(1): error: the text defines no function '" + source.function + "'";
  } else if (starts_with(message, call_name(source)) || starts_with(message, "tessera_forms.h")) {
    const std::size_t error = message.find("error: ");
    const std::size_t assertion = log.find("static assertion failed with \"");
    const std::size_t open = log.find('"', assertion);
    message = source.file_name + "(1): error: " + source.function + ": " +
              (assertion != std::string::npos ? log.substr(open + 1, log.find("\"\n", open + 1) - open - 1)
                                              : message.substr(error == std::string::npos ? 0 : error + 7));
  }
  if (source.language == source_language::c_point || source.language == source_language::c_cuba) {
    const std::string hint = hint_about_c(log);
    if (!hint.empty()) message += " (" + hint + ")";
  }
  throw compile_error(stage, message.empty() ? "NVRTC gave no reason" : message, log);
}

}  // namespace

product_and_log compile_program(const program &p, const integrand_source &source) {
  nvrtc_session s;
  const auto check = [&](nvrtcResult r, const char *what) {
    if (r != NVRTC_SUCCESS)
      throw compile_error(jit_stage::compile, std::string("NVRTC: ") + what + ": " + s.library.error_string(r));
  };
  std::vector<const char *> names, texts, options;
  for (const kernel_text::header &h : p.headers) {
    names.push_back(h.name.c_str());
    texts.push_back(h.text.c_str());
  }
  for (const std::string &o : p.options) options.push_back(o.c_str());
  check(s.library.create(&s.handle, p.text.c_str(), p.name.c_str(), static_cast<int>(names.size()), texts.data(),
                         names.data()),
        "create");
  const nvrtcResult end = s.library.compile(s.handle, static_cast<int>(options.size()), options.data());
  product_and_log out;
  std::size_t n = 0;
  if (s.library.log_size(s.handle, &n) == NVRTC_SUCCESS && n > 1) {
    out.log.resize(n);
    s.library.log(s.handle, &out.log[0]);
    out.log.resize(out.log.find_last_not_of('\0') + 1);
  }
  if (end == NVRTC_ERROR_COMPILATION) throw_compile_error(out.log, source);
  if (end != NVRTC_SUCCESS)
    throw compile_error(
        jit_stage::compile,
        std::string("NVRTC: ") + s.library.error_string(end) + (out.log.empty() ? "" : ": " + first_error(out.log)),
        out.log);
  const auto fetch = [&](auto size, auto get) {
    check(size(s.handle, &n), "size of the result");
    out.bytes.resize(n);
    check(get(s.handle, &out.bytes[0]), "result");
  };
  if (p.wanted == product::cubin) fetch(s.library.cubin_size, s.library.cubin);
  if (p.wanted == product::ptx) fetch(s.library.ptx_size, s.library.ptx);
  if (p.wanted == product::ltoir) fetch(s.library.ltoir_size, s.library.ltoir);
  return out;
}

architecture choose_architecture(const target &where) {
  const nvrtc_library &library = nvrtc();
  int n = 0;
  std::vector<int> known;
  if (library.number_of_archs(&n) == NVRTC_SUCCESS && n > 0) {
    known.resize(static_cast<std::size_t>(n));
    if (library.archs(known.data()) != NVRTC_SUCCESS) known.clear();
  }
  int best = 0;
  for (const int a : known)
    if (a <= where.arch) best = std::max(best, a);
  if (best == where.arch) return {"-arch=sm_" + std::to_string(best), true};
  if (best == 0 || !where.allow_ptx)
    throw compile_error(jit_stage::compile,
                        "this toolkit's NVRTC cannot make code for a device of compute capability " +
                            std::to_string(where.arch / 10) + "." + std::to_string(where.arch % 10) +
                            "; install another release of the CUDA toolkit");
  return {"-arch=compute_" + std::to_string(best), false};
}

std::vector<std::string> common_options(const architecture &arch) {
  return {arch.option, "-default-device", "-modify-stack-limit=false", "-diag-suppress=177,550,2464,20044",
          "--no-source-include"};
}

std::vector<std::string> common_options(const target &where, const architecture &arch) {
  std::vector<std::string> out = common_options(arch);
  out.push_back("-DTESSERA_NDIM=" + std::to_string(where.ndim));
  out.push_back("-DTESSERA_NCOMP=" + std::to_string(where.ncomp));
  return out;
}

std::string undefined_message(const integrand_source &source, const std::string &function) {
  return source.file_name + ": the function '" + function + "' is declared but not defined in this text";
}

std::string nvrtc_version() {
  int major = 0, minor = 0;
  nvrtc().version(&major, &minor);
  return std::to_string(major) + "." + std::to_string(minor);
}

}  // namespace tessera
