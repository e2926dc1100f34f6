// The built-in generating vector. SPDX-License-Identifier: BSD-3-Clause
#include "../core/lattice.hpp"
#include "lattice.hpp"

namespace tessera {
namespace {

#include "lattice_table.inc"

}  // namespace

lattice_data builtin_lattice(int ndim) {
  constexpr int constructed = static_cast<int>(sizeof builtin_vector / sizeof builtin_vector[0]);
  lattice_data d;
  d.origin = TESSERA_ORIGIN_BUILTIN;
  d.points = std::uint64_t{1} << builtin_levels[1];
  d.least = std::uint64_t{1} << builtin_levels[0];
  for (int j = 0; j < ndim; ++j) {
    const std::uint64_t random = random_bits(0, 0, 0, static_cast<std::uint64_t>(j)) | 1u;
    d.z.push_back(j < constructed ? builtin_vector[j] : random & (d.points - 1));
  }
  return d;
}

}  // namespace tessera
