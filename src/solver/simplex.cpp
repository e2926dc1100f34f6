// The simplex of a domain: what can be wrong with it, and how a device is told of it.
// SPDX-License-Identifier: BSD-3-Clause
#include "simplex.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "../core/axis_between.hpp"
#include "../failure.hpp"
#include "tessera.h"

namespace tessera {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

void refuse(const std::string &why) { throw failure(TESSERA_ERR_ARGUMENT, why); }

// The determinant of the edges, each axis in units of its longest, by elimination with both pivots. What rounding of the vertices can make of
// a simplex without a volume is none.
double volume_of(int n, const double *vertices) {
  std::vector<double> edge(at(n * n));
  const char *const flat =
      "vertices: they lie in one plane, or so nearly that double precision does not tell their volume";
  double rounding = 1.0, volume = 1.0;
  for (int j = 0; j < n; ++j) {
    double size = std::fabs(vertices[j]), longest = 0.0;
    for (int i = 0; i < n; ++i) {
      edge[at(i * n + j)] = vertices[(i + 1) * n + j] - vertices[j];
      longest = std::max(longest, std::fabs(edge[at(i * n + j)]));
      size = std::max(size, std::fabs(vertices[(i + 1) * n + j]));
    }
    if (!std::isfinite(longest)) refuse("vertices: the distance of two is beyond the range of double precision");
    if (longest == 0.0) refuse(flat);
    for (int i = 0; i < n; ++i) edge[at(i * n + j)] /= longest;
    volume *= longest;
    rounding = std::max(rounding, size / longest);
  }
  rounding *= 4.0 * n * 2.220446049250313e-16;
  std::vector<int> column(at(n));
  for (int j = 0; j < n; ++j) column[at(j)] = j;
  for (int k = 0; k < n; ++k) {
    int row = k, most = k;
    const auto entry = [&](int i, int j) -> double & { return edge[at(i * n + column[at(j)])]; };
    for (int i = k; i < n; ++i)
      for (int j = k; j < n; ++j)
        if (std::fabs(entry(i, j)) > std::fabs(entry(row, most))) row = i, most = j;
    for (int j = 0; j < n; ++j) std::swap(edge[at(row * n + j)], edge[at(k * n + j)]);
    std::swap(column[at(most)], column[at(k)]);
    const double pivot = entry(k, k);
    if (!(std::fabs(pivot) > rounding)) refuse(flat);
    volume *= std::fabs(pivot);
    for (int i = k + 1; i < n; ++i)
      for (int j = k + 1; j < n; ++j) entry(i, j) -= entry(i, k) / pivot * entry(k, j);
  }
  if (!std::isnormal(volume)) refuse("vertices: the volume of their simplex is beyond the range of double precision");
  return volume;
}

std::string exactly(double v) {
  char text[40];
  std::snprintf(text, sizeof text, "%a", v);
  return text;
}

}  // namespace

void set_simplex(domain_shape &shape, int map, const double *vertices) {
  const int n = static_cast<int>(shape.limits.size());
  if (map != TESSERA_SIMPLEX_NONE && map != TESSERA_SIMPLEX_DUFFY && map != TESSERA_SIMPLEX_SYMMETRIC)
    refuse("map " + std::to_string(map) + " is not a value of enum tessera_simplex");
  if (map == TESSERA_SIMPLEX_NONE && vertices) refuse("vertices is not NULL, and TESSERA_SIMPLEX_NONE has none");
  if (map != TESSERA_SIMPLEX_NONE && n > most_simplex_ndim)
    throw failure(TESSERA_ERR_UNSUPPORTED, "ndim = " + std::to_string(n) + ": simplices have up to " +
                                               std::to_string(most_simplex_ndim) + " variables");
  std::vector<double> corners;
  double volume = 1.0;
  if (vertices) {
    for (int i = 0; i < (n + 1) * n; ++i)
      if (!std::isfinite(vertices[i]))
        refuse("vertices[" + std::to_string(i) + "], coordinate " + std::to_string(i % n + 1) + " of vertex " +
               std::to_string(i / n + 1) + ", is not a finite number");
    volume = volume_of(n, vertices);
    corners.assign(vertices, vertices + (n + 1) * n);
    corners.resize(at((n + 3) * n));
    for (int j = 0; j < n; ++j) {
      double least = vertices[j], greatest = least;
      for (int v = 1; v <= n; ++v) {
        least = std::min(least, vertices[v * n + j]);
        greatest = std::max(greatest, vertices[v * n + j]);
      }
      corners[at((n + 1) * n + j)] = inside(least, greatest);
      corners[at((n + 2) * n + j)] = inside(greatest, least);
    }
  }
  shape.map = map;
  shape.corners.swap(corners);
  shape.volume = volume;
}

std::string simplex_text(const domain_shape &shape) {
  if (!shape.is_simplex()) return {};
  std::string text = "#define TESSERA_SIMPLEX " + std::to_string(shape.map) + "\n";
  if (shape.corners.empty()) return text;
  text += "#define TESSERA_SIMPLEX_VOLUME " + exactly(shape.volume) + "\n#define TESSERA_SIMPLEX_CORNERS";
  for (std::size_t i = 0; i < shape.corners.size(); ++i)
    text += (i == 0 ? " " : i % 4 == 0 ? ", \\\n  " : ", ") + exactly(shape.corners[i]);
  return text + "\n";
}

}  // namespace tessera
