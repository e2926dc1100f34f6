// Applies the rule to regions with the user's integrand inlined. Part of the text that is compiled at run time.
//
// A group of lanes shares a region, a warp where the rule has points enough. Where regions are fewer than warps each is cut
// into slices, whose sums are put together afterwards. The points come from a list, or with more variables than that has room for orbit by orbit.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "device_record.cuh"
#include "evaluator_calls.cuh"
#include "../device/user_values.cuh"

namespace tessera {

class device_evaluator {
 public:
  // taken: work items given out by the evaluations before.
  __device__ device_evaluator(const device_problem &p, int64 &taken) : p_(p), taken_(taken) {}

  // Collective over the grid. Writes value, raw error and ranked axes of n regions. How a region's points are shared out, which decides the
  // last bits of its sums, follows from the number of `all` that are evaluated at a time, here or on other devices.
  template <class Grid>
  __device__ __forceinline__ void evaluate(Grid &grid, const region_view &store, const region_list &of_step, int64 n,
                                           int64 all) {
    const region_view regions = store;
    const region_list list = of_step;
    const int64 threads = grid.threads();
    int lanes = TESSERA_LANES;
    while (lanes < 32 && all * lanes * 2 <= threads) lanes *= 2;
    unsigned slices = 1;
    if (is_listed) {
      slices = slices_of_listed(all, static_cast<unsigned>(threads) / 32);
    } else if (lanes == 32 && all < threads / 64 && points_cut() > first_points) {
      const int64 most =
          points_cut() / slice_points < p_.most_slices / n ? points_cut() / slice_points : p_.most_slices / n;
      slices = most < 1 ? 1u : static_cast<unsigned>(most);
    }
    const int group = static_cast<int>(threadIdx.x) / lanes, lane = static_cast<int>(threadIdx.x) & (lanes - 1);
    const int shift = __ffs(lanes) - 1;  // a division of long numbers takes a device much longer
    const int64 groups = threads >> shift;
    const int64 first = grid.thread() >> shift;
    const bool cut = slices > 1;
    int64 items = n * slices;
    const bool shared = grid.balances() && items > groups;  // those who are done early take more
    // Where regions are cut their slices are put together in a second turn; what makes a region's record of its sums is there once.
#pragma unroll 1
    for (bool joins = false;; joins = true) {
      int64 following = items;
      for (int64 item = first; item < items; item = following) {
        if (!grid.balances() || joins) following = item + groups;
        if (shared && !joins && lane == 0) following = groups + take_item();  // asked for ahead
        const int64 r = cut && !joins ? static_cast<unsigned>(item) / slices : item;
        const int64 region = list[r];
        slice_sums sums[comps];
        double volume;
        if (joins) {
          double h[dim];  // on their way while the slices are put together
#pragma unroll
          for (int j = 0; j < dim; ++j) h[j] = regions.half(region, j);
          combine(r, slices, group, lanes, sums);
          volume = volume_of(h);
        } else {
          const int end = is_listed ? TESSERA_POINTS : points_cut();
          chunk_range points = {0, end};
          if (cut) points = slice_range(end, slices, static_cast<unsigned>(item) - static_cast<unsigned>(r) * slices);
          if constexpr (is_listed)
            sum_listed_slice(regions, region, points, group, lanes, sums, volume);
          else
            sum_slice(regions, region, points, group, lanes, sums, volume);
          if (cut) keep_slice(item, points.begin == 0, group, lane, lanes, sums);
        }
        if (joins == cut)
          finish_group(p_, &regions.centre(region, 0), regions.apart(), region, group, lanes, sums, volume);
        if (shared && !joins) following = __shfl_sync(lane_mask(lanes), following, 0, lanes);
      }
      if (shared && !joins) taken_ += items;
      if (joins == cut) return;
      grid.barrier();
      items = n;
    }
  }

  // Collective over the grid: the rule of a level for n regions; see engine/cubature/raise.hpp. A warp has a region, or where all are few a
  // slice of one; the slices are put together in a second turn.
  template <class Grid>
  __device__ __forceinline__ void raise(Grid &grid, const region_view &regions, const region_list &list, int64 n,
                                        int level, int64 all) {
    const int64 warps = grid.threads() / 32;
    const auto points = static_cast<unsigned>(p_.raised_points[level - 1]);
    unsigned slices = 1;
    if (all * 64 <= grid.threads()) {
      const int64 room = p_.most_slices / all, most = points / raised_slice_points;
      slices = static_cast<unsigned>(most < 1 ? 1 : (most < room ? most : room));
    }
    const int lane = static_cast<int>(threadIdx.x) & 31;
    const bool cut = slices > 1;
    int64 items = n * slices;
#pragma unroll 1
    for (bool joins = false;; joins = true) {
#pragma unroll 1
      for (int64 item = grid.thread() / 32; item < items; item += warps) {
        const unsigned r = cut && !joins ? static_cast<unsigned>(item) / slices : static_cast<unsigned>(item);
        const int64 region = list[r];
        raised_sums sums[comps];
        double volume = 1.0;
        if (joins) {
          join_raised(r, slices, lane, sums);
          volume = regions.volume(region);
        } else {
          const unsigned s = static_cast<unsigned>(item) - r * slices;
          const chunk_range part = cut ? range_of(points, slices, s) : chunk_range{0, points};
          sum_raised(regions, region, level, part, lane, sums, volume);
        }
        if (lane != 0) continue;
        if (joins == cut)
          keep_raised(regions, region, sums, volume);
        else
          for (int k = 0; k < comps; ++k) raised_slice(item, k) = sums[k];
      }
      if (joins == cut) return;
      grid.barrier();
      items = n;
    }
  }

  // Collective over the grid: a warp goes along each line; see engine/cubature/break_points.hpp.
  template <class Grid>
  __device__ __forceinline__ void search(Grid &grid, const region_view &regions, const int64 *ids, int64 n,
                                         const search_lines &lines, const double *weights, const domain_box &domain,
                                         const break_table *known, found_break *found) const {
    const int lane = static_cast<int>(threadIdx.x) & 31;
#pragma unroll 1
    for (int64 t = grid.thread() / 32; t < lines.all; t += grid.threads() / 32) {
      const int m = static_cast<int>(t);
      const int64 region = region_of_line(ids, n, m, lines);
      const found_break own =
          search_line(interval_of(known, regions, region, m, lines, domain), regions, region, m, lane, weights, domain);
      if (lane != 0) continue;
      found[m] = own;
      if (own.axis <= first_hole)
        atomicMax(reinterpret_cast<long long *>(p_.failed), static_cast<long long>(region + 1));
    }
  }

  // tessera_size_at
  __device__ static double size_at(const double *at, const double *weights, const void *params) {
    double x[dim], f[comps], most = 0.0;
    for (int j = 0; j < dim; ++j) x[j] = at[j];
    point(x, f, params);
    for (int k = 0; k < comps; ++k) {
      if (!isfinite(f[k])) return nan_value();
      most = larger(most, fabs(f[k]) * weights[k]);
    }
    return most;
  }

 private:
  __device__ found_break search_line(const searched_interval &on, const region_view &regions, int64 region, int m,
                                     int lane, const double *weights, const domain_box &domain) const {
    return follow_line(on, domain, [&](break_search &search, int axis) {
      double x[dim], f[comps], value = 0.0;
      bool all_finite = true;
      const double own = search.point(lane);
#pragma unroll
      for (int j = 0; j < dim; ++j) x[j] = j == axis ? own : line_coordinate(regions, region, m, search.side(), j);
      point(x, f, p_.params);
#pragma unroll 1
      for (int k = 0; k < comps; ++k) {
        value = fma(weights[k], f[k], value);
        all_finite = all_finite && isfinite(f[k]);
      }
      value = seen_on_line(value, all_finite);
      return search.next([&value](int i) { return __shfl_sync(~0u, value, i); });
    });
  }

  static constexpr int raised_slice_points = 128;
  static_assert(sizeof(raised_sums) <= sizeof(slice_record), "room for it");
  __device__ raised_sums &raised_slice(int64 item, int k) const {
    return *reinterpret_cast<raised_sums *>(p_.slices + item * comps + k);
  }
  // The sums of the slices of region r, always in the same order.
  __device__ void join_raised(unsigned r, unsigned slices, int lane, raised_sums *sums) const {
#pragma unroll
    for (int k = 0; k < comps; ++k) {
      double all[raised_fields] = {};
      for (unsigned s = static_cast<unsigned>(lane); s < slices; s += 32) {
        const double *const from = raised_slice(int64{r} * slices + s, k).mean;
#pragma unroll
        for (int i = 0; i < raised_fields; ++i) all[i] += from[i];
      }
      sum_over(all, 32);
#pragma unroll
      for (int i = 0; i < raised_compared; ++i) sums[k].mean[i] = all[i];
      sums[k].size = all[raised_compared];
    }
  }
  __device__ static void keep_raised(const region_view &regions, int64 region, const raised_sums *sums, double volume) {
    uint32 word = 0;
    for (int k = 0; k < comps; ++k) {
      const raised_result result = judge_raised(sums[k], volume);
      regions.value(region, k) = result.value;
      regions.error(region, k) = with_sign(result.error, result.negative);
      if (!result.decays) word |= raise_undecayed;
      if (!isfinite(result.value) || !isfinite(result.error)) word |= raise_nonfinite;
    }
    regions.state(region) = {0.0f, word};
  }

  // A region's coordinates at all nodes of its axes, in near memory, for the lanes of its group. They begin where the number of a node is in bits of
  // an address that are 0 else. Lanes of other groups ask for the same nodes at the same time: each group has its nodes in another order, so that they
  // lie in other banks.
  template <int nodes>
  class node_places {
   public:
    __device__ __forceinline__ node_places(const double *c, const double *h, const double *offsets, int lane,
                                           int lanes) {
      const int group = (static_cast<int>(threadIdx.x % 32) - lane) / lanes, turn = group & 7;
      double *const places = of_warp() + group * apart;
      __syncwarp(lane_mask(lanes));  // those of the slice before are not needed any more, nor its values
#pragma unroll 1
      for (int node = lane; node < nodes; node += lanes)
#pragma unroll
        for (int j = 0; j < dim; ++j)
          places[j * row + (node ^ turn)] = __dadd_rn(c[j], __dmul_rn(offsets[j * nodes + node], h[j]));
      __syncwarp(lane_mask(lanes));
      first_ = static_cast<unsigned>(__cvta_generic_to_shared(places)) ^ static_cast<unsigned>(8 * turn);
    }
    // Coordinate j of a point with these nodes.
    __device__ __forceinline__ double at(uint32 point_nodes, int j) const {
      const int shift = listed_bits(dim) * j - 3;
      const uint32 node = (shift < 0 ? point_nodes << -shift : point_nodes >> shift) & 8 * (most - 1);
      return static_cast<const double *>(__cvta_shared_to_generic(first_ ^ node))[j * row];
    }

   private:
    // In doubles: a power of two that no number of a node reaches, one axis from the next, and one group from the next.
    static constexpr int most = nodes <= 16 ? 16 : (nodes <= 64 ? 64 : 256), row = (nodes + 7) / 8 * 8,
                         apart = (dim * row + most - 1) / most * most;
    static constexpr int groups = nodes == rule_nodes ? 32 / TESSERA_LANES : 1;
    __device__ __forceinline__ static double *of_warp() {
      __shared__ __align__(8 * most) double places[TESSERA_BLOCK / 32][nodes > 0 ? groups * apart : 1];
      return places[threadIdx.x / 32];
    }
    unsigned first_;
  };

  // The points [begin, end) of a list in one region, shared by the lanes of a group: n sums, each lane's own. words(p): a point, and up to 32 behind
  // the last. weights(orbit): three pairs, which are asked for at each point, or where a lane's next one is of another orbit (by_orbit).
  // sizes: the last sum is of absolute values. values: null, or where those at the first points are kept.
  template <int n, bool by_orbit, bool sizes, int nodes, class Words, class Weights>
  __device__ __forceinline__ static void add_listed(Words words, Weights weights, const node_places<nodes> &places,
                                                    int begin, int end, int lane, int lanes, double *values,
                                                    const void *params, double (*sums)[n]) {
    static_assert(!(by_orbit && sizes), "what is added up of an orbit has signs");
    double of_orbit[comps];
#pragma unroll
    for (int k = 0; k < comps; ++k) {
      of_orbit[k] = 0.0;
#pragma unroll
      for (int q = 0; q < n; ++q) sums[k][q] = 0.0;
    }
    const auto weights_of = [&weights](int orbit, double *weight) {
      const double2 *const w = weights(orbit);
#pragma unroll
      for (int q = 0; q < listed_sums; q += 2) {
        weight[q] = w[q / 2].x;
        weight[q + 1] = w[q / 2].y;
      }
    };
    const auto add = [sums](const double *weight, const double *of) {
#pragma unroll
      for (int k = 0; k < comps; ++k)
#pragma unroll
        for (int q = 0; q < n; ++q) sums[k][q] = fma(weight[q], sizes && q == n - 1 ? fabs(of[k]) : of[k], sums[k][q]);
    };
    uint64 ahead = words(begin + lane);  // the next point's, loaded ahead
    int orbit = listed_orbit(ahead);
#pragma unroll 1
    for (int p = begin + lane; p < end; p += lanes) {
      const uint64 word = ahead;
      ahead = words(p + lanes);
      double weight[listed_sums], x[dim], f[comps];
      if (!by_orbit) weights_of(listed_orbit(word), weight);
      if (by_orbit && listed_orbit(word) != orbit) {
        weights_of(orbit, weight);
        add(weight, of_orbit);
        orbit = listed_orbit(word);
#pragma unroll
        for (int k = 0; k < comps; ++k) of_orbit[k] = 0.0;
      }
#pragma unroll
      for (int j = 0; j < dim; ++j) x[j] = places.at(static_cast<uint32>(word), j);
      point(x, f, params);
      if (!by_orbit) add(weight, f);
#pragma unroll
      for (int k = 0; k < comps; ++k) {
        if (by_orbit) of_orbit[k] += f[k];
        if (!sizes && p < first_points) values[k * first_points + p] = f[k];
      }
    }
    if (!by_orbit) return;
    double weight[listed_sums];
    weights_of(orbit, weight);
    add(weight, of_orbit);
  }
  __device__ static void read_box(const region_view &regions, int64 region, double *c, double *h, double &volume) {
#pragma unroll
    for (int j = 0; j < dim; ++j) {
      c[j] = regions.centre(region, j);
      h[j] = regions.half(region, j);
    }
    volume = volume_of(h);
  }
  __device__ static double volume_of(const double *h) {
    double volume = 1.0;
#pragma unroll
    for (int j = 0; j < dim; ++j) volume *= 2.0 * h[j];
    return volume;
  }

  // As sum_slice, by the list, to which the probes belong.
  __device__ void sum_listed_slice(const region_view &regions, int64 region, chunk_range range, int group, int lanes,
                                   slice_sums *sums, double &volume) const {
    const int lane = static_cast<int>(threadIdx.x) & (lanes - 1);
    double c[dim], h[dim];
    read_box(regions, region, c, h, volume);
    const rule_list &list = kept_list();
    const node_places<rule_nodes> places(c, h, list.offsets, lane, lanes);
    double own[comps][listed_sums], *const values = scratch().values[group][0];
    const int begin = static_cast<int>(range.begin);
    add_listed<listed_sums, long_orbits, false>([&list](int p) { return list.words[p]; },
                                                [&list](int orbit) { return list.weights[orbit]; }, places, begin,
                                                static_cast<int>(range.end), lane, lanes, values, p_.params, own);
    __syncwarp(lane_mask(lanes));
#pragma unroll
    for (int k = 0; k < comps; ++k) {
      sum_over(own[k], lanes);
      sums[k].mean = own[k][0];
#pragma unroll
      for (int i = 0; i < null_rules; ++i) sums[k].null[i] = own[k][1 + i];
      sums[k].centre = begin == 0 ? values[k * first_points] : 0.0;
      sums[k].probe = own[k][1 + null_rules];
    }
    if (begin == 0) reduce_axes(group, lane, lanes, sums);
  }

  // The points `part` of a level in one region, shared by the lanes of a warp; every lane gets the sums.
  __device__ void sum_raised(const region_view &regions, int64 region, int level, chunk_range part, int lane,
                             raised_sums *sums, double &volume) const {
    double c[dim], h[dim];
    read_box(regions, region, c, h, volume);
    const node_places<raised_nodes> places(c, h, p_.raised.list.offsets, lane, 32);
    double own[comps][raised_fields];
    const auto *const words = reinterpret_cast<const unsigned long long *>(p_.raised.list.words);
    const auto *const all = reinterpret_cast<const double2 *>(rule_of_level(p_.raised, level).weights);
    add_listed<raised_fields, false, true>(
        [words](int p) { return __ldg(words + p); }, [all](int orbit) { return all + orbit * (listed_sums / 2); },
        places, static_cast<int>(part.begin), static_cast<int>(part.end), lane, 32, nullptr, p_.params, own);
#pragma unroll
    for (int k = 0; k < comps; ++k) {
      sum_over(own[k], 32);
#pragma unroll
      for (int q = 0; q < raised_compared; ++q) sums[k].mean[q] = own[k][q];
      sums[k].size = own[k][raised_compared];
    }
  }

  // Fewer than these are sooner done than put together behind one more barrier.
  static constexpr int slice_points = 128;

  // The slices of each of `all` regions with which so many warps are through first, in one round, two or three.
  __device__ unsigned slices_of_listed(int64 all, unsigned warps) const {
    if (2 * all > 3 * int64{warps}) return 1;
    const unsigned n = static_cast<unsigned>(all), room = static_cast<unsigned>(p_.most_slices);
    constexpr unsigned points = TESSERA_POINTS;
    constexpr float of_region = static_cast<float>(points) * 0.03125f;
    constexpr unsigned full = points / slice_points;
    if (full < 2) return 1;
    // Where there is a warp for each slice there is nothing to choose but whether it pays.
    constexpr float in_full = static_cast<float>((points + 32 * full - 1) / (32 * (full > 0 ? full : 1)));
    if (full * n <= warps && full * n <= room) return in_full + join_end < of_region ? full : 1u;
    unsigned most = full;
    if (most * n > room) most = room / n;
    if (most < 2) return 1;
    unsigned best = 1;
    const float share = static_cast<float>(warps) / static_cast<float>(n);
    float least = ceilf(1.0f / share) * (of_region + slice_end);
#pragma unroll 1
    for (int rounds = 1; rounds <= 3; ++rounds) {
      const float fit = floorf(static_cast<float>(rounds) * share + 1e-3f),
                  slices = fminf(fit, static_cast<float>(most));
      if (slices < 2.0f) continue;
      const float takes = static_cast<float>(rounds) * (ceilf(__fdividef(of_region, slices)) + slice_end) + join_end;
      if (takes < least) {
        least = takes;
        best = static_cast<unsigned>(slices);
      }
    }
    return best;
  }
  // In passes of a warp through its points: what is behind them, and putting slices together.
  static constexpr float slice_end = 2.0f, join_end = 4.0f;

  // Points of the rule that are cut into slices; the probes go with the first.
  __device__ static int points_cut() { return static_cast<int>(tessera_rule.points) - probes_here; }

  // The first slice has all axis orbits, however short the others are.
  __device__ static chunk_range slice_range(int end, unsigned slices, unsigned s) {
    const unsigned all = static_cast<unsigned>(end);
    const unsigned first = all / slices > first_points ? all / slices : first_points;
    if (s == 0) return {0, first};
    const chunk_range rest = range_of(all - first, slices - 1, s - 1);
    return {first + rest.begin, first + rest.end};
  }

  // How many items of this evaluation have been taken beyond the first of each group.
  __device__ int64 take_item() const {
    return static_cast<int64>(atomicAdd(reinterpret_cast<unsigned long long *>(p_.taken), 1ull)) - taken_;
  }

  // The first slice of a region has its axes.
  __device__ void keep_slice(int64 item, bool first, int group, int lane, int lanes, const slice_sums *sums) const {
    for (int k = 0; k < comps; ++k) {
      slice_record &record = p_.slices[item * comps + k];
      if (lane == 0) record.sums = sums[k];
      if (!first) continue;
      for (int j = lane; j < dim; j += lanes) {
        record.difference[j] = difference(group, k, j);
        if (!near_faces) continue;
        record.residual[j] = residual(group, k, j);
        record.axis_sum[j] = axis_sum(group, k, j);
      }
    }
  }

  // The sums of the slices of region r, always in the same order; its axes are put in near memory.
  __device__ void combine(int64 r, unsigned slices, int group, int lanes, slice_sums *sums) const {
    const unsigned lane = threadIdx.x & (lanes - 1);
    constexpr int doubles = static_cast<int>(sizeof(slice_sums) / sizeof(double));
    for (int k = 0; k < comps; ++k) {
      const slice_record *const records = p_.slices + r * slices * comps + k;
      // An axis of the lane, read together with the sums.
      const int first = static_cast<int>(lane) < dim ? static_cast<int>(lane) : 0;
      const double own_difference = records->difference[first],
                   own_residual = near_faces ? records->residual[first] : 0.0,
                   own_sum = near_faces ? records->axis_sum[first] : 0.0;
      double all[doubles];
#pragma unroll
      for (int i = 0; i < doubles; ++i) all[i] = 0.0;
#pragma unroll 1
      for (unsigned s = lane; s < slices; s += lanes) {
        const double *from = &records[s * comps].sums.mean;
#pragma unroll
        for (int i = 0; i < doubles; ++i) all[i] += from[i];
      }
      sum_over(all, lanes);
      double *const to = &sums[k].mean;
#pragma unroll
      for (int i = 0; i < doubles; ++i) to[i] = all[i];
      for (int j = static_cast<int>(lane); j < dim; j += lanes) {
        difference(group, k, j) = j == first ? own_difference : records->difference[j];
        if (!near_faces) continue;
        residual(group, k, j) = j == first ? own_residual : records->residual[j];
        axis_sum(group, k, j) = j == first ? own_sum : records->axis_sum[j];
      }
    }
  }

  // The points `range` of the rule in one region, shared by the lanes of a group; every lane gets the sums. A range from 0 on
  // takes in the probes.
  __device__ void sum_slice(const region_view &regions, int64 region, chunk_range range, int group, int lanes,
                            slice_sums *sums, double &volume) {
    const unsigned mask = lane_mask(lanes);
    const int lane = static_cast<int>(threadIdx.x) & (lanes - 1);
    double c[dim], unused[dim];
    read_box(regions, region, c, unused, volume);
#pragma unroll
    for (int k = 0; k < comps; ++k) {
      sums[k].mean = sums[k].centre = 0.0;
#pragma unroll
      for (int i = 0; i < null_rules; ++i) sums[k].null[i] = 0.0;
    }
    __syncwarp(mask);  // the values of the slice before are not needed any more
    const uint4 *const nodes = reinterpret_cast<const uint4 *>(p_.nodes);
    const uint32 *const b_axes = p_.b_axes;
    const void *const params = p_.params;
    const int begin = static_cast<int>(range.begin), end = static_cast<int>(range.end);
    int start = 0;
#pragma unroll 1
    for (int o = 0; o < tessera_rule.orbits - (probes_here > 0 && probes_join ? 1 : 0); ++o) {
      const orbit &orb = tessera_rule.orb[o];
      const int next = start + static_cast<int>(orb.count);
      const int from = begin > start ? begin : start, to = end < next ? end : next;
      double of_orbit[comps];
#pragma unroll
      for (int k = 0; k < comps; ++k) of_orbit[k] = 0.0;
      // The half-widths are read again for each orbit: registers are dearer than loads.
      double ah[dim];
      const bool with_probes = probes_here > 0 && o == (probes_join ? 0 : tessera_rule.orbits - 1);
#pragma unroll
      for (int j = 0; j < dim; ++j) {
        double offset = orb.a;  // that of the centre is 0
#pragma unroll
        for (int p = 0; p < probes_here; ++p)
          if (with_probes && lane == probe_lane + p) offset = probe_offset(p, j);
        ah[j] = offset * regions.half(region, j);
      }
      if (with_probes || orb.kind == orbit_vertex) {
        const int first = with_probes ? 0 : from - start;
        const int last = with_probes ? (begin == 0 ? probe_lane + probes_here : 0) : to - start;
        add_vertices(c, ah, first + lane, last, lanes, with_probes ? 0u : ~0u, params, of_orbit);
      } else {
        const bool two = orb.kind == orbit_pair2 || orb.kind == orbit_triple2;
        add_sparse(c, ah, two ? (orb.b - orb.a) / orb.a : 0.0, from + lane, to, lanes, nodes, b_axes, params, of_orbit,
                   o > 0 && o <= axis_orbits ? scratch().values[group][0] : nullptr);
      }
#pragma unroll
      for (int k = 0; k < comps; ++k) {
        if (o == 0) sums[k].centre = of_orbit[k];
        if (with_probes) {
          const double both = of_orbit[k] + __shfl_xor_sync(mask, of_orbit[k], probes_join ? 3 : 1);
          if (lane == 1) sums[k].centre = both;
          if (lane >= probe_lane) of_orbit[k] *= 0.0;  // without a weight, but not to be overlooked if not finite
        }
        sums[k].mean = fma(tessera_rule.weight[o], of_orbit[k], sums[k].mean);
#pragma unroll
        for (int i = 0; i < null_rules; ++i)
          sums[k].null[i] = fma(tessera_rule.null_weight[i][o], of_orbit[k], sums[k].null[i]);
      }
      start = next;
    }
    __syncwarp(mask);
#pragma unroll
    for (int k = 0; k < comps; ++k) {
      double all[1 + null_rules];
      all[0] = sums[k].mean;
#pragma unroll
      for (int i = 0; i < null_rules; ++i) all[1 + i] = sums[k].null[i];
      sum_over(all, lanes);
      sums[k].mean = all[0];
#pragma unroll
      for (int i = 0; i < null_rules; ++i) sums[k].null[i] = all[1 + i];
      // So far the first lane has the centre and the second the probes.
      sums[k].probe = probes_here > 0 ? __shfl_sync(mask, sums[k].centre, 1, lanes) : 0.0;
      sums[k].centre = __shfl_sync(mask, sums[k].centre, 0, lanes);
    }
    if (begin == 0) reduce_axes(group, lane, lanes, sums);
  }

  __device__ static void point(double *x, double *f, const void *params) {
#if TESSERA_MAPPED
    double jacobian = 1.0;
#pragma unroll
    for (int j = 0; j < dim; ++j) x[j] = map_axis(tessera_axes[j], x[j], jacobian);
    user_values(x, f, params);
#pragma unroll
    for (int k = 0; k < comps; ++k) f[k] = weighted(f[k], jacobian);
#else
    user_values(x, f, params);
#endif
  }

  // 0, 1 or -1 from a half-word of a node.
  __device__ static double node_factor(const uint32 *code, int j) {
    const uint32 select = (j & 1) != 0 ? code[j / 2] >> 16 : code[j / 2];
    int upper;
    asm("prmt.b32 %0, %1, 0, %2;" : "=r"(upper) : "r"(device_node_bytes), "r"(select));
    return __hiloint2double(upper, 0);
  }

  // Points with few coordinates off the centre, which move by ah. In orbits with two generators one coordinate moves by the
  // second, which is 1 + b_more times the first.
  __device__ static void add_sparse(const double *c, const double *ah, double b_more, int from, int to, int lanes,
                                    const uint4 *nodes, const uint32 *b_axes, const void *params, double *of_orbit,
                                    double *values) {
    constexpr int quads = device_node_quads(dim);
    uint4 ahead[quads];  // the next point's node, loaded while this one is worked on
#pragma unroll
    for (int w = 0; w < quads; ++w) ahead[w] = __ldg(nodes + (from < to ? from : 0) * quads + w);
#pragma unroll 1
    for (int m = from; m < to; m += lanes) {
      uint32 code[4 * quads];
#pragma unroll
      for (int w = 0; w < quads; ++w) {
        code[4 * w] = ahead[w].x;
        code[4 * w + 1] = ahead[w].y;
        code[4 * w + 2] = ahead[w].z;
        code[4 * w + 3] = ahead[w].w;
        ahead[w] = __ldg(nodes + (m + lanes < to ? m + lanes : m) * quads + w);
      }
      double x[dim], f[comps];
#pragma unroll
      for (int j = 0; j < dim; ++j) x[j] = fma(node_factor(code, j), ah[j], c[j]);
      if (b_more != 0.0) {
        const uint32 b_axis = __ldg(b_axes + m);
#pragma unroll
        for (int j = 0; j < dim; ++j)
          if ((b_axis & (1u << j)) != 0u) x[j] = fma(node_factor(code, j), b_more * ah[j], x[j]);
      }
      point(x, f, params);
#pragma unroll
      for (int k = 0; k < comps; ++k) {
        of_orbit[k] += f[k];
        if (values) values[k * first_points + m] = f[k];
      }
    }
  }

  // signed_by: ~0, or 0 for points that all move by +ah.
  __device__ static void add_vertices(const double *c, const double *ah, int from, int to, int lanes, uint32 signed_by,
                                      const void *params, double *of_orbit) {
#pragma unroll 1
    for (int m = from; m < to; m += lanes) {
      const uint32 code = static_cast<uint32>(m) & signed_by;
      double x[dim], f[comps];
#pragma unroll
      for (int j = 0; j < dim; ++j) {
#if TESSERA_FULL_VERTICES
        const uint32 sign = (code << (31 - j)) & 0x80000000u;
#else
        const uint32 sign = static_cast<uint32>(__popc(code & tessera_rule.vertex_mask[j])) << 31;
#endif
        x[j] = c[j] + __hiloint2double(static_cast<int>(static_cast<uint32>(__double2hiint(ah[j])) ^ sign),
                                       __double2loint(ah[j]));
      }
      point(x, f, params);
#pragma unroll
      for (int k = 0; k < comps; ++k) of_orbit[k] += f[k];
    }
  }

  const device_problem &p_;
  int64 &taken_;
};

}  // namespace tessera

#define TESSERA_KEPT __attribute__((used))  // that machine code calls them LTO does not see
extern "C" __device__ __noinline__ TESSERA_KEPT tessera::evaluation_end tessera_evaluate(
    const tessera::device_problem &problem, tessera::int64 taken, unsigned wanted, unsigned blocks,
    const tessera::region_view &regions, const tessera::int64 *ids, tessera::int64 first, int pieces, tessera::int64 n,
    tessera::int64 all) {
  tessera::step_grid grid(problem.arrived, wanted, blocks);
  tessera::device_evaluator(problem, taken).evaluate(grid, regions, {ids, first, pieces}, n, all);
  return {taken, grid.wanted()};
}
// Before the others, by all threads of a block, which meet behind it.
extern "C" __device__ __noinline__ TESSERA_KEPT void tessera_keep_list(const tessera::device_problem &problem) {
  if constexpr (tessera::is_listed) tessera::keep_list(problem.listed);
}
#if TESSERA_RAISED
extern "C" __device__ __noinline__ TESSERA_KEPT unsigned tessera_raise(const tessera::device_problem &problem,
                                                                       unsigned wanted, unsigned blocks,
                                                                       const tessera::region_view &regions,
                                                                       const tessera::int64 *ids, tessera::int64 n,
                                                                       int level, tessera::int64 all) {
  tessera::step_grid grid(problem.arrived, wanted, blocks);
  tessera::int64 taken = 0;
  tessera::device_evaluator(problem, taken).raise(grid, regions, {ids, 0, 1}, n, level, all);
  return grid.wanted();
}
#endif
#if !TESSERA_MANY
extern "C" __device__ __noinline__ TESSERA_KEPT void tessera_search(
    const tessera::device_problem &problem, unsigned blocks, const tessera::region_view &regions,
    const tessera::int64 *ids, tessera::int64 n, const tessera::search_lines &lines, const double *weights,
    const tessera::domain_box &domain, const tessera::break_table *known, tessera::found_break *found) {
  tessera::step_grid grid(problem.arrived, 0, blocks);
  tessera::int64 taken = 0;
  tessera::device_evaluator(problem, taken).search(grid, regions, ids, n, lines, weights, domain, known, found);
}
#else
extern "C" __device__ __noinline__ TESSERA_KEPT tessera::own_memory tessera_own_memory() {
  return {tessera_axes, &tessera_flags, &tessera_status};
}
extern "C" __device__ __noinline__ TESSERA_KEPT double tessera_size_at(const tessera::device_problem &problem,
                                                                       const double *at, const double *weights) {
  return tessera::device_evaluator::size_at(at, weights, problem.params);
}
#endif
