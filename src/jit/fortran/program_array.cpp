// SPDX-License-Identifier: BSD-3-Clause
#include "program_array.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "../integrand_source.hpp"

namespace tessera {
namespace {

constexpr std::size_t alignment = 16, most_bytes = std::size_t{256} << 20;

// gfortran's record, from version 8 on (libgfortran.so.5), and flang's. Dimensions follow.
struct gnu_record {
  std::uint64_t base;
  std::int64_t offset;
  std::uint64_t length;
  std::int32_t version;
  std::int8_t rank, type;
  std::int16_t attribute;
  std::int64_t span;
};
struct gnu_dimension {
  std::int64_t stride, lower, upper;
};
struct llvm_record {
  std::uint64_t base;
  std::int64_t length;
  std::int32_t version;
  std::int8_t rank, type, attribute, extra;
};
static_assert(sizeof(gnu_record) == 40 && sizeof(llvm_record) == 24, "as the compilers lay them out");

template <class T>
T read_at(const void *at, std::size_t offset = 0) {
  T value;
  std::memcpy(&value, static_cast<const char *>(at) + offset, sizeof value);
  return value;
}

// The record with the address of the elements in `elements`; false: it makes no sense.
bool read_record(const void *variable, bool gnu, int rank, array_record &r) {
  int its_rank;
  if (gnu) {
    const auto g = read_at<gnu_record>(variable);
    r.elements = static_cast<long long>(g.base);
    if (g.base == 0) return true;  // the rest is not set
    r.length = static_cast<long long>(g.length);
    r.type = g.type;
    its_rank = g.rank;
    for (int k = 0; k < rank; ++k) {
      const auto d = read_at<gnu_dimension>(variable, sizeof g + sizeof(gnu_dimension) * static_cast<std::size_t>(k));
      constexpr std::int64_t far = std::int64_t{1} << 61;
      if (d.lower < -far || d.upper > far || d.upper < d.lower - 1 ||
          __builtin_mul_overflow(d.stride, r.length, &r.of[k].stride))
        return false;
      r.of[k].lower = d.lower;
      r.of[k].extent = d.upper - d.lower + 1;
    }
  } else {
    const auto l = read_at<llvm_record>(variable);
    r.elements = static_cast<long long>(l.base);
    if (l.base == 0) return true;
    r.length = l.length;
    its_rank = l.rank;
    for (int k = 0; k < rank; ++k)
      r.of[k] = read_at<array_record::dimension>(variable, sizeof l + sizeof(r.of[k]) * static_cast<std::size_t>(k));
  }
  // One element behind the other, as ALLOCATE has them.
  bool good = its_rank == rank && r.length > 0 && r.length <= 1 << 20;
  unsigned long long step = static_cast<unsigned long long>(r.length);
  for (int k = 0; good && k < rank; ++k) {
    const array_record::dimension &d = r.of[k];
    good = d.extent >= 0 && (d.extent <= 1 || step == 0 || d.stride == static_cast<long long>(step)) &&
           !__builtin_mul_overflow(step, static_cast<unsigned long long>(d.extent), &step);
  }
  return good;
}

}  // namespace

int rank_by_size(std::size_t bytes, bool gnu) {
  const std::size_t head = gnu ? sizeof(gnu_record) : sizeof(llvm_record), each = 24;
  if (bytes < head + (gnu ? each : 0) || (bytes - head) % each != 0) return -1;
  const std::size_t rank = (bytes - head) / each;
  return rank <= static_cast<std::size_t>(most_array_rank) ? static_cast<int>(rank) : -1;
}

void put_array(const void *variable, bool gnu, int rank, const std::string &name, std::size_t offset,
               std::vector<unsigned char> &block) {
  array_record r;
  if (!read_record(variable, gnu, rank, r))
    throw std::runtime_error("the record of the allocatable array '" + name +
                             "' in the program is not one that this library knows");
  std::size_t bytes = static_cast<std::size_t>(r.length);
  for (int k = 0; k < rank; ++k) bytes *= static_cast<std::size_t>(r.of[k].extent);
  if (r.elements != 0) {
    const std::size_t place = (block.size() + alignment - 1) / alignment * alignment;
    if (bytes > most_bytes || place + bytes > most_bytes)
      throw std::runtime_error("the allocatable arrays of the program have more than " + std::to_string(most_bytes) +
                               " bytes with '" + name + "'; more are not taken to a device");
    const auto *const from = reinterpret_cast<const unsigned char *>(static_cast<std::uintptr_t>(r.elements));
    block.resize(place);
    block.insert(block.end(), from, from + bytes);
    block.resize(std::max(block.size(), place + 1));  // an array without elements has a place too
    r.elements = static_cast<long long>(place);
  }
  std::memcpy(block.data() + offset, &r, array_record_bytes(rank));
}

void require_arrays(const std::string &arrays, const std::vector<unsigned char> &block) {
  for (std::size_t begin = 0; begin < arrays.size();) {
    const std::size_t newline = std::min(arrays.find('\n', begin), arrays.size());
    const std::string line = arrays.substr(begin, newline - begin);
    begin = newline + 1;
    char *rest = nullptr;
    const unsigned long long offset = std::strtoull(line.c_str(), &rest, 10);
    const long long length = std::strtoll(rest, &rest, 10);
    const int rank = static_cast<int>(std::strtol(rest, &rest, 10));
    const bool needed = std::strtol(rest, &rest, 10) != 0;
    const std::string name = rest + (*rest == ' ' ? 1 : 0);
    const auto refuse = [&](const std::string &why) {
      throw compile_error(jit_stage::upload, "the allocatable array '" + name + "' " + why);
    };
    array_record r;
    const std::size_t bytes = array_record_bytes(rank);
    if (rank < 0 || rank > most_array_rank || offset > block.size() || block.size() - offset < bytes)
      refuse("is not in the parameter block, which has " + std::to_string(block.size()) + " bytes");
    std::memcpy(&r, block.data() + offset, bytes);
    if (r.elements == 0 && needed) refuse("is used by the integrand, and the program has not allocated it");
    if (r.elements == 0) continue;
    if (r.length != length)
      refuse("has elements of " + std::to_string(r.length) + " bytes in the program and of " + std::to_string(length) +
             " in this text");
    unsigned long long all = static_cast<unsigned long long>(length), end = 0;
    bool inside = r.elements > 0;
    for (int k = 0; k < rank; ++k)
      inside = inside && r.of[k].extent >= 0 &&
               !__builtin_mul_overflow(all, static_cast<unsigned long long>(r.of[k].extent), &all);
    inside = inside && !__builtin_add_overflow(all, static_cast<unsigned long long>(r.elements), &end);
    if (!inside || end > block.size()) refuse("does not lie in the parameter block");
  }
}

}  // namespace tessera
