// SPDX-License-Identifier: BSD-3-Clause
#include "devices.hpp"

#ifdef TESSERA_PROGRAM_CUDA
#include "../cuda/device/driver.hpp"
#endif

namespace tessera {

#ifdef TESSERA_PROGRAM_CUDA
device_list list_devices() {
  device_list all;
  try {
    int version = 0, count = 0;
    check(cuda().driver_version(&version), "asking for the driver's version");
    all.driver = "for CUDA " + std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
    check(cuda().device_count(&count), "counting the devices");
    for (int i = 0; i < count; ++i) {
      CUdevice device;
      char name[256] = "";
      std::size_t bytes = 0;
      check(cuda().device_get(&device, i), "finding a device");
      check(cuda().device_name(name, sizeof name - 1, device), "asking for a device's name");
      check(cuda().device_memory(&bytes, device), "asking for a device's memory");
      const auto attribute = [&](CUdevice_attribute which) {
        int v = 0;
        check(cuda().device_attribute(&v, which, device), "asking for an attribute of a device");
        return v;
      };
      all.devices.push_back({name, attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR),
                             attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR),
                             attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT), static_cast<double>(bytes),
                             attribute(CU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO)});
    }
  } catch (const device_error &e) {
    all.driver = e.what();
  }
  return all;
}
#else
device_list list_devices() { return {"this program was built without CUDA's headers", {}}; }
#endif

}  // namespace tessera
