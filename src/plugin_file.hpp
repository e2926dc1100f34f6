// Where the library looks for the plug-ins that belong to it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <dlfcn.h>

#include <string>

namespace tessera {

// In the folder tessera beside this library, where it is installed; beside it, where it is built; then wherever the loader looks. Null
// when it is nowhere; `why` receives what the loader says.
inline void *open_plugin_file(const char *name, std::string &why) {
  std::string beside;
  Dl_info info;
  if (::dladdr(reinterpret_cast<const void *>(&open_plugin_file), &info) != 0 && info.dli_fname) {
    beside = info.dli_fname;
    beside.resize(beside.find_last_of('/') == std::string::npos ? 0 : beside.find_last_of('/') + 1);
  }
  void *handle = nullptr;
  for (const char *folder : {"tessera/", ""})
    if (!handle && !beside.empty()) handle = ::dlopen((beside + folder + name).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) handle = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
  const char *said = handle ? nullptr : ::dlerror();
  why = said ? said : "";
  return handle;
}

}  // namespace tessera
