// Finds the plug-in that connects ranks: the only place that opens it.
// SPDX-License-Identifier: BSD-3-Clause
#include <dlfcn.h>

#include <cstdlib>
#include <string>

#include "../plugin_file.hpp"
#include "../ranks.hpp"
#include "tessera.h"

namespace tessera {
namespace {

const tessera_comm_plugin &open_comm_plugin() {
  const char *const named = std::getenv("TESSERA_COMM_LIB");
  const std::string name = named && *named ? named : "libtessera_mpi.so";
  std::string why;
  void *const handle = named && *named ? ::dlopen(named, RTLD_NOW | RTLD_LOCAL) : open_plugin_file(name.c_str(), why);
  if (!handle && named && *named) {
    const char *said = ::dlerror();
    why = said ? said : "";
  }
  if (!handle)
    throw failure(TESSERA_ERR_NOT_BUILT,
                  name + " cannot be opened (" + why +
                      "): the plug-in for MPI is made of tessera_mpi.c by mpicc, and TESSERA_COMM_LIB names it");
  const auto entry = reinterpret_cast<tessera_comm_entry>(::dlsym(handle, TESSERA_COMM_ENTRY));
  const tessera_comm_plugin *const plugin = entry ? entry() : nullptr;
  if (!plugin || plugin->abi != TESSERA_COMM_ABI) {
    ::dlclose(handle);
    throw failure(TESSERA_ERR_NOT_BUILT, name + (plugin ? " belongs to another version of libtessera.so"
                                                        : " is no plug-in for communicators of libtessera.so"));
  }
  return *plugin;
}

}  // namespace

const tessera_comm_plugin &comm_plugin() {
  static const tessera_comm_plugin &plugin = open_comm_plugin();  // a failure is tried again at the next call
  return plugin;
}

}  // namespace tessera
