// Finds libtessera_cuda.so and checks that it belongs to this library: the only place that opens it.
// SPDX-License-Identifier: BSD-3-Clause
#include <dlfcn.h>

#include <string>

#include "../plugin.hpp"
#include "../plugin_file.hpp"

namespace tessera {
namespace {

const device_plugin &open_plugin() {
  std::string unused;
  void *const handle = open_plugin_file("libtessera_cuda.so", unused);
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

std::unique_ptr<place> open_place(const std::vector<int> &devices) {
  return devices.empty() ? make_host_place() : std::unique_ptr<place>(load_device_plugin().open(devices));
}

}  // namespace tessera
