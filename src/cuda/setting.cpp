// SPDX-License-Identifier: BSD-3-Clause
#include "method.hpp"

#include <cstring>

#include "../jit/fortran/program_array.hpp"

namespace tessera {

void take_notes(const compiled_module &code, const placed_integrand &f, device_report &report) {
  require_arrays(code.notes.arrays, f.block);
  report.notes = code.notes;
}

static int attribute(CUdevice device, CUdevice_attribute which) {
  int v = 0;
  check(cuda().device_attribute(&v, which, device), "asking the device");
  return v;
}

cuda_setting::cuda_setting(CUdevice device, CUcontext context, other_devices *others)
    : device_(device),
      context_(context),
      others_(others),
      arch_(10 * attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
            attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)),
      multiprocessors_(attribute(device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)) {
  check(cuda().stream_create(&own_stream_, CU_STREAM_NON_BLOCKING), "making a stream");
  stream_ = own_stream_;
}

uint64 cuda_setting::identity() const {
  CUuuid id = {};
  uint64 words[2] = {};
  static_assert(sizeof id == sizeof words);
  check(cuda().device_uuid(&id, device_), "asking the device");
  std::memcpy(words, &id, sizeof id);
  return words[0] ^ (words[1] * 0x9e3779b97f4a7c15u);
}

cuda_setting::~cuda_setting() {
  if (own_stream_) cuda().stream_destroy(own_stream_);
}

bool cuda_setting::use_stream(CUstream stream) {
  const CUstream next = stream ? stream : own_stream_;
  if (next == stream_) return false;
  stream_ = next;
  uploaded_.clear();  // again, in this stream
  return true;
}

placed_integrand cuda_setting::place(const device_integrand &integrand) {
  const CUdeviceptr params = upload(integrand.params);
  return {
      integrand.source, integrand.batch,  integrand.userdata ? integrand.userdata : reinterpret_cast<void *>(params),
      params,           integrand.params, &shared_cache(integrand.disk_cache),
      integrand.until};
}

// Returns the address; 0 when there are none.
CUdeviceptr cuda_setting::upload(const std::vector<unsigned char> &params) {
  if (params.empty()) return 0;
  if (params == uploaded_) return params_.address();
  params_.require(params.size());
  uploaded_ = params;  // lives on while the copy waits for its turn
  tessera::upload(params_.address(), uploaded_.data(), uploaded_.size(), stream_, "uploading the parameters");
  return params_.address();
}

std::size_t cuda_setting::free_bytes() {
  std::size_t free = 0, total = 0;
  check(cuda().memory_info(&free, &total), "asking for the memory");
  return free;
}

}  // namespace tessera
