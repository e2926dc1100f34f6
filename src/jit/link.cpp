// SPDX-License-Identifier: BSD-3-Clause
#include "link.hpp"

#include "text.hpp"

namespace tessera {
namespace {

// Closes the session whatever happens.
struct session {
  const nvjitlink_library &library;
  tessera_link_handle handle = nullptr;
  ~session() {
    if (handle) library.destroy(&handle);
  }
};

std::string text_of(tessera_link_handle handle, int (*size)(tessera_link_handle, std::size_t *),
                    int (*get)(tessera_link_handle, char *)) {
  std::size_t n = 0;
  if (size(handle, &n) != 0 || n < 2) return {};
  std::string text(n, '\0');
  if (get(handle, &text[0]) != 0) return {};
  text.resize(text.find_last_not_of('\0') + 1);
  return text;
}

struct nvvm_session {
  const nvvm_library &library;
  void *program = nullptr;
  ~nvvm_session() {
    if (program) library.destroy(&program);
  }
};

// LTO-IR of a text in NVVM IR for the architecture in nvJitLink's options. False: `log` says why.
bool compile_nvvm(const link_part &part, const std::vector<std::string> &options, std::string &ltoir,
                  std::string &log) {
  nvvm_session s{nvvm()};
  std::string arch = "-arch=compute_90";
  for (const std::string &o : options)
    if (starts_with(o, "-arch=sm_")) arch = "-arch=compute_" + o.substr(9);
  const char *list[] = {arch.c_str(), "-gen-lto"};
  const bool good = s.library.create(&s.program) == 0 &&
                    s.library.add(s.program, part.bytes.data(), part.bytes.size(), part.name.c_str()) == 0 &&
                    s.library.verify(s.program, 2, list) == 0 && s.library.compile(s.program, 2, list) == 0;
  std::size_t n = 0;
  if (!good) {
    if (s.program && s.library.log_size(s.program, &n) == 0 && n > 1) {
      log.resize(n);
      s.library.log(s.program, &log[0]);
      log.resize(log.find_last_not_of('\0') + 1);
    }
    log = "error : libNVVM: " + (log.empty() ? "it gave no reason" : log);
    return false;
  }
  if (s.library.size(s.program, &n) != 0) return false;
  ltoir.resize(n);
  return s.library.result(s.program, &ltoir[0]) == 0;
}

}  // namespace

link_result link_parts(const std::vector<link_part> &parts, const std::vector<std::string> &options) {
  session s{nvjitlink()};
  std::vector<const char *> option;
  for (const std::string &o : options) option.push_back(o.c_str());
  link_result result;
  if (s.library.create(&s.handle, static_cast<unsigned>(option.size()), option.data()) != 0) {
    result.log = s.handle ? text_of(s.handle, s.library.error_log_size, s.library.error_log) : std::string();
    if (result.log.empty()) result.log = "the linker refuses its options";
    return result;
  }
  result.good = true;
  for (const link_part &p : parts) {
    if (p.kind == link_input::nvvm) {
      std::string ltoir;
      if (!compile_nvvm(p, options, ltoir, result.log)) {
        result.good = false;
        return result;
      }
      result.good =
          result.good && s.library.add(s.handle, link_input::ltoir, ltoir.data(), ltoir.size(), p.name.c_str()) == 0;
      continue;
    }
    const std::size_t nul = p.kind == link_input::ptx ? 1 : 0;
    result.good =
        result.good && s.library.add(s.handle, p.kind, p.bytes.c_str(), p.bytes.size() + nul, p.name.c_str()) == 0;
  }
  result.good = result.good && s.library.complete(s.handle) == 0;
  std::size_t n = 0;
  if (result.good && s.library.cubin_size(s.handle, &n) == 0 && n > 0) {
    result.cubin.resize(n);
    result.good = s.library.cubin(s.handle, &result.cubin[0]) == 0;
  } else {
    result.good = false;
  }
  result.log = text_of(s.handle, s.library.error_log_size, s.library.error_log) +
               text_of(s.handle, s.library.info_log_size, s.library.info_log);
  return result;
}

link_input kind_of(const std::string &bytes) {
  const auto starts = [&](const char *head, std::size_t n) { return bytes.compare(0, n, head, n) == 0; };
  if (starts("\x7f"
             "ELF",
             4)) {
    const bool device = bytes.size() > 19 && bytes[18] == static_cast<char>(190) && bytes[19] == 0;  // EM_CUDA
    return device ? link_input::cubin : link_input::object;
  }
  if (starts("\x50\xed\x55\xba", 4)) return link_input::fatbin;
  if (starts("\xed\x43\x4e\x7f", 4)) return link_input::ltoir;
  if (starts("!<arch>\n", 8)) return link_input::library;
  return link_input::any;
}

}  // namespace tessera
