// Where the sparse grids of a race come from (sparse_race.hpp).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include "sparse_grid.hpp"
#include "tested_points.hpp"

namespace tessera {

// What the densities of a map are: those along lines of an integrand that is a product, as far as one other point shows; along lines of another; or wider.
enum class map_kind { product, lines, wide };

// A grid with a map, if there is one, and what looking for the map has cost.
struct mapped_opening {
  sparse_grid *grid = nullptr;
  int64 points = 0;
  map_kind kind = map_kind::lines;
  bool is_broad = false;                  // a product that is hardly narrow
  int component = 0;                      // that the map is of
  std::vector<multiple_value> multiples;  // [ncomp] of it, of a product
  bool is_early = false;           // there may be one of an integrand that is no product, which has not been looked for
  bool is_lost = false;            // there is none, for the integrand is 0 at all of the points to start from
  outcome end = outcome::running;  // callback, nonfinite, memory, or time and stopped: there is no grid
};

// Where grids come from when their turn has come. All throw bad_alloc.
class sparse_source {
 public:
  virtual ~sparse_source() = default;
  // Of the domain. Null: there is none.
  virtual sparse_grid *open() = 0;
  // Of regions: centre[ndim] and half-width[ndim] of each, `length` numbers from one to the next.
  virtual sparse_grid *open_regions(int regions, const double *boxes, std::size_t length) = 0;
  // Behind a call that came to values that are not finite: are they so in a hole of the domain, and not only at points that have hit a singularity? Then
  // nonfinite, else running, or callback, memory, or time and stopped. points: that it may take, and has taken.
  virtual outcome look_beside(int64 &points) {
    points = 0;
    return outcome::running;
  }
  // Of grids with a map, if there are any, and what one takes beside the grid.
  virtual bool has_maps() const { return false; }
  virtual int64 map_bytes() const { return 0; }
  // Of the domain, in the variables of a map that is looked for from one of the points starts[][ndim], with no more than `most` points; of an integrand that is no product if it may be wide.
  // faces[][ndim]: coordinates at which regions there have been cut.
  virtual mapped_opening open_mapped(const std::vector<double> & /*starts*/, const std::vector<double> & /*faces*/,
                                     int64 /*most*/, bool /*may_be_wide*/) {
    return {};
  }
  // Has the nodes of so many levels ready, before the grid with the map needs them.
  virtual void prepare_map(int /*levels*/) {}
  // Of the map at a point of the domain, at[ndim]; the mean is 1.
  virtual double density_at(const double * /*at*/) const { return 0.0; }
  // Where that is highest, [ndim].
  virtual std::vector<double> top_of_map() const { return {}; }
  // Component k is no multiple of that which the map is of. Returns whether it was taken for one.
  virtual bool forget_multiple(int /*k*/) { return false; }
  // Of the grid with the map, as the executor's. sizes: [ncomp].
  virtual outcome find_unexplained(tested_set /*points*/, double * /*sizes*/) { return outcome::memory; }
};

}  // namespace tessera
