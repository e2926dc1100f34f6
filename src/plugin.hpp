// The plug-in that makes places of CUDA devices: what libtessera asks of it. No CUDA in it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>
#include <string>

#include "place.hpp"

namespace tessera {

// A plug-in is opened only if this number is the same on both sides.
constexpr int backend_abi = 12;

// There is no plug-in, driver or device (missing), or the device failed.
class device_failure : public std::runtime_error {
 public:
  device_failure(const std::string &message, bool missing) : std::runtime_error(message), missing_(missing) {}
  bool missing() const { return missing_; }

 private:
  bool missing_;
};

// What the plug-in exports under the name tessera_device_plugin.
struct device_plugin {
  int abi;
  int (*device_count)();        // throws device_failure
  place *(*open)(int ordinal);  // throws device_failure
};
using device_plugin_entry = const device_plugin *(*)();

// Opens the plug-in on first use. Throws device_failure with a message.
const device_plugin &load_device_plugin();

}  // namespace tessera
