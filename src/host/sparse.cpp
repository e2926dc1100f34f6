// SPDX-License-Identifier: BSD-3-Clause
#include "sparse.hpp"

#include <algorithm>
#include <cmath>

namespace tessera {

host_sparse::host_sparse(const cubature_problem &problem, thread_pool &pool, run_hooks &hooks)
    : block_calls(problem, pool, greatest_int64),
      block_(block_for(problem)),
      pool_(pool),
      work_(static_cast<std::size_t>(pool.size())) {
  watch(work_, hooks);
}

// A batch integrand is given as many points at a time as it may have, as far as there is memory for them.
int64 host_sparse::block_for(const cubature_problem &problem) {
  const int64 cached = cached_points(problem);
  return problem.integrand.batch && !problem.memory_is_given ? std::max(cached, problem.batch_points) : cached;
}

int64 host_sparse::fixed_bytes(const cubature_problem &problem, int threads) {
  const int64 block = block_for(problem);
  return threads * (block_bytes(problem, block) + 8 * (problem.ncomp() + 1) * block) +
         static_cast<int64>(sizeof(sparse_tables));
}

void host_sparse::begin(const sparse_domain &domain) {
  domain_ = domain;
  store_.clear();
}

outcome host_sparse::evaluate(const sparse_step &step, double *differences) {
  store_.resize(index(step.store));
  const int64 points = step.points * domain_.boxes;
  tasks_.clear();
  for (int64 i = 0; i < points; i += block_) tasks_.push_back(i);
  tasks_.push_back(points);
  if (ranks_there() > 1) values_.resize(index(points * ncomp_));
  end_ = run_tasks(
      [&](int64 first, int64 end, int thread) {
        point_block &b = work_[index(thread)];
        prepare(b, block_);
        evaluate_points(step, first, end - first, b);
      },
      {{values_.data(), sizeof(double), nullptr, ranks_there() > 1 ? ncomp_ : 0}});
  if (end_ != outcome::running) return end_;
  if (ranks_there() > 1)
    in_boxes(step, 0, points, [&](int box, const sparse_index &q, int64 point, int64 count, int64 at) {
      for (int64 i = 0; i < count; ++i)
        for (int k = 0; k < ncomp_; ++k)
          store_[index(q.place + point + i + (box * ncomp_ + k) * q.stride)] = values_[index((at + i) * ncomp_ + k)];
    });
  const int64 n = step.count();
  const int64 together = step.stages > 0 ? n : 16;  // those below come first
  pool_.run((n + together - 1) / together, [&](int64 part, int) {
    for (int64 q = part * together; q < std::min(n, (part + 1) * together); ++q)
      sum_up(step.all, step.before + static_cast<int>(q), differences + q, n);
  });
  return outcome::running;
}

// visit(index, first point of it, how many, place of that among the n) for points first .. first+n-1 of the step in one box.
template <class Visit>
void host_sparse::each_index(const sparse_step &step, int64 first, int64 n, Visit visit) {
  const sparse_index *q = index_of_point(step, first);
  for (int64 i = 0, now; i < n; i += now) {
    while (first + i - q->first >= int64{1} << q->bits) ++q;
    const int64 point = first + i - q->first;
    now = std::min(n - i, (int64{1} << q->bits) - point);
    visit(*q, point, now, i);
  }
}

// visit(box, index, first point of it, how many, place among the n) for points first .. first+n-1 of those of one box after the other.
template <class Visit>
void host_sparse::in_boxes(const sparse_step &step, int64 first, int64 n, const Visit &visit) {
  for (int64 i = 0, now; i < n; i += now) {
    const int64 box = (first + i) / step.points, from = (first + i) % step.points;
    now = std::min(n - i, step.points - from);
    each_index(step, from, now, [&](const sparse_index &q, int64 point, int64 count, int64 place) {
      visit(static_cast<int>(box), q, point, count, i + place);
    });
  }
}

// Points `point` and on of an index, to places `to` and on of a block. Axis by axis where neither is mapped, for on most of them all of the points are at the centre.
void host_sparse::write_points(int box, const sparse_index &q, const axis_link *links, int64 point, int64 count,
                               int64 to, point_block &b) const {
  if (domain_.axes || domain_.map.nodes) {
    for (int64 i = 0; i < count; ++i)
      b.jacobian[index(to + i)] =
          write_sparse_point(tables_, domain_, ndim_, box, q, links, point + i, &b.x[index(to + i)], b.stride);
    return;
  }
  std::fill_n(&b.jacobian[index(to)], count, 1.0);
  int bits = q.bits;
  for (int j = 0; j < ndim_; ++j) {
    const double centre = domain_.centre[int64{box} * ndim_ + j], half = domain_.half[int64{box} * ndim_ + j];
    const int level = level_of(links[j]), own = level - 1;
    double *const x = &b.x[index(j * b.stride + to)];
    bits -= own;
    if (own == 0) {
      std::fill_n(x, count, centre);
      continue;
    }
    const int64 last = (int64{1} << own) - 1;
    for (int64 i = 0; i < count; ++i) x[i] = centre + node_of(tables_, level, (point + i) >> bits & last) * half;
  }
}

void host_sparse::evaluate_points(const sparse_step &step, int64 first, int64 n, point_block &b) {
  in_boxes(step, first, n, [&](int box, const sparse_index &q, int64 point, int64 count, int64 to) {
    write_points(box, q, step.all.links + (&q - step.all.indices) * ndim_, point, count, to, b);
  });
  if (!call(first, n, points_of_call(n), b)) return;
  double check = 0.0;
  const bool shared = ranks_there() > 1;
  in_boxes(step, first, n, [&](int box, const sparse_index &q, int64 point, int64 count, int64 at) {
    for (int k = 0; k < ncomp_; ++k)
      for (int64 i = 0; i < count; ++i) {
        const double v = weighted(b.f[index(k * b.stride + at + i)], b.jacobian[index(at + i)]);
        check += 0.0 * v;
        double &to = shared ? values_[index((first + at + i) * ncomp_ + k)]
                            : store_[index(q.place + point + i + (box * ncomp_ + k) * q.stride)];
        to = v;
      }
  });
  if (check != 0.0) report_nonfinite(first, n, b);
}

// The integrand at points that are no grid's, to values_. write(first, n, block): so many of them, and their Jacobians.
template <class Write>
outcome host_sparse::by_blocks(int64 points, const Write &write) {
  values_.resize(index(points * ncomp_));
  tasks_.clear();
  for (int64 i = 0; i < points; i += block_) tasks_.push_back(i);
  tasks_.push_back(points);
  end_ = run_tasks(
      [&](int64 first, int64 end, int thread) {
        point_block &b = work_[index(thread)];
        prepare(b, block_);
        const int64 n = end - first;
        write(first, n, b);
        if (!call(first, n, points_of_call(n), b)) return;
        double check = 0.0;
        for (int64 i = 0; i < n; ++i)
          for (int k = 0; k < ncomp_; ++k) {
            const double v = weighted(b.f[index(k * b.stride + i)], b.jacobian[index(i)]);
            check += 0.0 * v;
            values_[index((first + i) * ncomp_ + k)] = v;
          }
        if (check != 0.0) report_nonfinite(first, n, b);
      },
      {{values_.data(), sizeof(double), nullptr, ncomp_}});
  return end_;
}

outcome host_sparse::sample(int64 n, const double *x, double *values) {
  const outcome o = by_blocks(n, [&](int64 first, int64 count, point_block &b) {
    for (int64 i = 0; i < count; ++i) {
      double &jacobian = b.jacobian[index(i)] = 1.0;
      for (int j = 0; j < ndim_; ++j) {
        const double at = x[int64{j} * n + first + i];
        b.x[index(j * b.stride + i)] = domain_.axes ? map_axis(domain_.axes[j], at, jacobian) : at;
      }
    }
  });
  for (int64 i = 0; i < n && o == outcome::running; ++i)
    for (int k = 0; k < ncomp_; ++k) values[k * n + i] = values_[index(i * ncomp_ + k)];
  return o;
}

outcome host_sparse::find_unexplained(const tested_set &set, const double *means, double *sizes) {
  const int64 together = block_ * static_cast<int64>(work_.size());
  std::vector<double> density(index(together));
  const int n_panels = domain_.map.first[ndim_];
  std::vector<log_panel> panels(index(n_panels <= most_log_panels ? n_panels : 0));
  for (std::size_t p = 0; p < panels.size(); ++p)
    for (int cell = 0; cell <= log_cells; ++cell) write_log_cell(domain_.map.panels[p], cell, panels[p]);
  std::vector<panel_number> starts;
  for (int i = 0; i < ndim_ * log_starts && !panels.empty(); ++i)
    starts.push_back(log_start(domain_.map, i / log_starts, i % log_starts));
  const log_map logs = {panels.data(), starts.data()};
  const auto with = [&](auto known, int64 i, double *x, int64 ldx, double &value) {
    const double jacobian = write_tested_point(domain_, ndim_, set, i, x, ldx, known);
    value = known.value();
    return jacobian;
  };
  const auto write = [&](int64 i, double *x, int64 ldx, double &value) {
    return panels.empty() ? with(series_density{domain_.map}, i, x, ldx, value)
                          : with(logged_density{logs}, i, x, ldx, value);
  };
  // Spread points, of which at first it is known how high the density is at least, begin here. Of the points that this rank has not looked at nothing but their values is known.
  const bool has_bounds = !panels.empty() && !domain_.axes && ranks_there() == 1;
  const int64 bounded = has_bounds ? tested_in_region * set.in_regions : set.points();
  const density_bound bound(domain_, logs, has_bounds ? ndim_ : 0);
  tested_set sharp = set;  // less is not known to be a tail
  if (set.departure_in_mass > 0.0) sharp.departure = std::min(set.departure, set.departure_in_mass);
  double at[most_spread_axes];
  std::fill_n(sizes, ncomp_, 0.0);
  for (int64 first = 0; first < set.points(); first += together) {
    const int64 n = std::min(together, set.points() - first);
    const outcome o = by_blocks(n, [&](int64 from, int64 count, point_block &b) {
      const int64 known = std::max<int64>(0, std::min(count, bounded - first - from));
      for (int64 i = 0; i < known; ++i)
        b.jacobian[index(i)] = write(first + from + i, &b.x[index(i)], b.stride, density[index(from + i)]);
      if (known < count)
        write_spread(set, bound, first + from + known, count - known, known, b, &density[index(from + known)]);
    });
    if (o != outcome::running) return o;
    for (int64 i = 0; i < n; ++i) {
      double &here = density[index(i)];
      const double *const v = &values_[index(i * ncomp_)];
      bool is_known = ranks_there() == 1 && first + i < bounded;
      if (set.multiples.first) {
        no_density none;
        write_tested_point(domain_, ndim_, set, first + i, at, 1, none);
      }
      for (int k = 0; k < ncomp_; ++k) {
        const bool is_bounded = first + i >= bounded && !set.multiples.has(k);
        if (is_bounded && unexplained_size(sharp, first + i, v[k], means[k], here) == 0.0) continue;
        if (!is_known) write(first + i, at, 1, here);
        is_known = true;
        const double size = unexplained_size(
            set, first + i, k, [v](int c) { return v[c]; }, means[k], here, at, 1);
        sizes[k] = larger(sizes[k], size);
      }
    }
  }
  return outcome::running;
}

// Points first ... first+n-1 of the set, which are spread, to a block from place `to` on, and how high the density is there at least.
void host_sparse::write_spread(const tested_set &set, const density_bound &bound, int64 first, int64 n, int64 to,
                               point_block &b, double *density) const {
  constexpr int together = 256;
  double places[together];
  const int64 before = set.first - tested_in_region * set.in_regions + 1;
  std::fill_n(&b.jacobian[index(to)], n, 1.0);
  for (int64 i = 0; i < n; i += together) {
    const int count = static_cast<int>(std::min<int64>(together, n - i));
    std::fill_n(density + i, count, 0.0);
    for (int j = 0; j < ndim_; ++j) {
      double *const x = &b.x[index(j * b.stride + to + i)];
      const double centre = domain_.centre[j], half = domain_.half[j];
      for (int m = 0; m < count; ++m) {
        places[m] = spread_place(set, domain_.map, j, before + first + i + m);
        x[m] = centre + places[m] * half;
      }
      bound.add(j, places, count, density + i);
    }
    for (int m = 0; m < count; ++m) density[i + m] = bound.density(density[i + m]);
  }
}

void host_sparse::sum_up(const sparse_set &all, int i, double *difference, int64 apart) {
  const sparse_index &q = all.indices[i];
  axis_source sources[most_levels];
  const int64 comps = int64{domain_.boxes} * ncomp_;
  axis_sums left(q, all.links + int64{i} * ndim_);
  while (left.next()) {
    find_sources(all, ndim_, i, left.axis(), sources);
    for (int64 k = 0; k < comps; ++k) {
      double *const own = &store_[index(q.place + k * q.stride)];
      for (int64 r = 0; r < left.size(); ++r)
        own[left.place() + r] = sum_over_axis(tables_, left.level(), sources, left.size(), r, store_.data(), k);
    }
  }
  for (int64 k = 0; k < comps; ++k) difference[k * apart] = store_[index(q.place + k * q.stride + left.place())];
}

}  // namespace tessera
