// The usual places of a cube, made once for each number of variables: on a device a short run takes hardly longer than they do.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <mutex>
#include <utility>
#include <vector>

#include "../problem.hpp"
#include "usual_places.hpp"

namespace tessera {

// [place][ndim], as parts of the axes. Any thread may call.
inline const std::vector<double> &listed_places(int ndim) {
  static std::array<std::vector<double>, max_cubature_ndim + 1> lists;
  static std::array<std::once_flag, max_cubature_ndim + 1> made;
  const auto n = static_cast<std::size_t>(ndim);
  std::call_once(made[n], [ndim, n] {
    const usual_places places(ndim);
    std::vector<double> list;
    for (int i = 0; i < places.count(); ++i)
      for (int j = 0; j < ndim; ++j) list.push_back(places.part(i, j));
    lists[n] = std::move(list);
  });
  return lists[n];
}

}  // namespace tessera
