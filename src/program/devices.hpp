// What the CUDA driver says of the devices of this machine. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace tessera {

struct device_row {
  std::string name;
  int major, minor, multiprocessors;
  double bytes;
  int double_ratio;  // operations in single precision for one in double precision, as the driver says it
};

struct device_list {
  std::string driver;  // its version, or why there is none
  std::vector<device_row> devices;
};

device_list list_devices();

}  // namespace tessera
