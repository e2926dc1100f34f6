// The plug-in that makes places of CUDA devices: what libtessera asks of it. No CUDA in it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "place.hpp"

namespace tessera {

// A plug-in is opened only if this number is the same on both sides.
constexpr int backend_abi = 13;

// There is no plug-in, driver or device (missing), or the device failed.
class device_failure : public std::runtime_error {
 public:
  device_failure(const std::string &message, bool missing) : std::runtime_error(message), missing_(missing) {}
  bool missing() const { return missing_; }

 private:
  bool missing_;
};

// Whether one device may stand for several, each with memory and kernels of its own, and takes part in every step: for tests where there
// are no more.
inline bool one_device_is_several() {
  const char *const said = std::getenv("TESSERA_TEST_ONE_DEVICE_AS_SEVERAL");
  return said && std::strcmp(said, "1") == 0;
}

// What the plug-in exports under the name tessera_device_plugin.
struct device_plugin {
  int abi;
  int (*device_count)();  // throws device_failure
  // One place of several devices: the first is where small work is done. Throws device_failure.
  place *(*open)(const std::vector<int> &ordinals);
};
using device_plugin_entry = const device_plugin *(*)();

// Opens the plug-in on first use. Throws device_failure with a message.
const device_plugin &load_device_plugin();

}  // namespace tessera
