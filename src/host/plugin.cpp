// Finds libtessera_cuda.so and checks that it belongs to this library: the only place that opens it.
// SPDX-License-Identifier: BSD-3-Clause
#include <dlfcn.h>

#include <string>

#include "../plugin.hpp"

namespace tessera {
namespace {

const device_plugin &open_plugin() {
  // In the folder tessera beside this library, where it is installed; beside it, where it is built; then wherever the loader looks.
  std::string beside;
  Dl_info info;
  if (::dladdr(reinterpret_cast<const void *>(&load_device_plugin), &info) != 0 && info.dli_fname) {
    beside = info.dli_fname;
    beside.resize(beside.find_last_of('/') == std::string::npos ? 0 : beside.find_last_of('/') + 1);
  }
  void *handle = nullptr;
  for (const char *folder : {"tessera/", ""})
    if (!handle && !beside.empty())
      handle = ::dlopen((beside + folder + "libtessera_cuda.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) handle = ::dlopen("libtessera_cuda.so", RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    throw device_failure(
        "libtessera_cuda.so, the device engine, is not installed in the folder tessera beside libtessera.so", true);
  const auto entry = reinterpret_cast<device_plugin_entry>(::dlsym(handle, "tessera_device_plugin"));
  const device_plugin *plugin = entry ? entry() : nullptr;
  if (!plugin || plugin->abi != backend_abi)
    throw device_failure("libtessera_cuda.so belongs to another version of libtessera.so", true);
  return *plugin;
}

}  // namespace

const device_plugin &load_device_plugin() {
  static const device_plugin &plugin = open_plugin();  // a failure is tried again at the next call
  return plugin;
}

std::unique_ptr<place> open_place(int device) {
  return device < 0 ? make_host_place() : std::unique_ptr<place>(load_device_plugin().open(device));
}

}  // namespace tessera
