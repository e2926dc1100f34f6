// The usual places of a cube, made once for each number of variables: on a device a short run takes hardly longer than they do.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "../../core/rule.hpp"
#include "usual_places.hpp"

namespace tessera {

template <std::size_t ndim>
const usual_list &places_of() {
  static const usual_list list = usual_places(static_cast<int>(ndim)).list();
  return list;
}
template <std::size_t... ndim>
const usual_list &find_places(std::size_t n, std::index_sequence<ndim...>) {
  using listed = const usual_list &(*)();
  static constexpr std::array<listed, sizeof...(ndim)> lists = {&places_of<ndim>...};
  return lists[n]();
}
// Any thread may call.
inline const usual_list &listed_places(int ndim) {
  return find_places(static_cast<std::size_t>(ndim), std::make_index_sequence<max_cubature_ndim + 1>());
}

}  // namespace tessera
