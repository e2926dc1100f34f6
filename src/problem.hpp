// What a place is given, and what it gives back: problems and results of the methods.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "core/axis_between.hpp"
#include "core/raised_build.hpp"
#include "core/rule.hpp"
#include "engine/hooks.hpp"
#include "shown_point.hpp"
#include "engine/cubature/region_record.hpp"
#include "engine/iterated/iterated_axis.hpp"
#include "engine/lattice/lattice_state.hpp"
#include "engine/montecarlo/sampling_state.hpp"
#include "engine/quadrature/quadrature.hpp"
#include "integrand.hpp"
#include "domain_shape.hpp"
#include "limited_integrand.hpp"

namespace tessera {

enum method_number : int {  // enum tessera_method
#define METHOD(name, number, constant) method_##name = number,
#include "methods.def"
};
constexpr int methods_end = 1 + std::max({
#define METHOD(name, number, constant) number,
#include "methods.def"
                                });

constexpr bool is_method(int number) {
  for (const int known : {
#define METHOD(name, its_number, constant) its_number,
#include "methods.def"
       })
    if (number == known) return true;
  return false;
}

struct run_result;
class ranks;
class kept_answers;

// What problems of all methods have.
struct problem {
  explicit problem(method_number m) : method(m) {}
  problem(const problem &) = default;
  problem &operator=(const problem &) = default;
  virtual ~problem() = default;

  virtual run_settings &asked() = 0;
  // For one of many integrals: a problem of its own, without what only a single one goes on from, and a result for it.
  virtual std::unique_ptr<problem> copy() const = 0;
  virtual std::unique_ptr<run_result> new_result() const = 0;
  virtual void begin_row() {}        // what a run before has left behind is forgotten
  virtual void share_memory(int) {}  // so many of them are run at the same time
  // The user's limits, which may be reversed and infinite.
  virtual void set_limits(int ndim, const double *lower, const double *upper) = 0;
  virtual double finite_volume() const { return 1.0; }            // of the finite axes, where it is a factor
  virtual bool is_mapped() const { return false; }                // is there an axis that a cubature maps?
  virtual std::string trouble_with_limits() const { return {}; }  // of set_limits, for this problem; "" for none
  virtual bool limits_are_hosts() const { return false; }         // those that are functions, on a device too
  virtual bool compares_forms() const { return true; }            // is the callback called as a text would be?
  virtual int coordinates() const { return ndim(); }              // numbers that a point consists of
  // Of points that do not lie evenly: for each axis the edges between which there are equal shares of them, as its last run has left them (sample_map.hpp).
  virtual const std::vector<double> *grid_of_points() const { return nullptr; }
  // The user's coordinate j at t in (0, 1), and its distance from the upper limit where points have it.
  virtual double coordinate_at(std::size_t j, double t, double &complement) const = 0;

  const run_settings &asked() const { return const_cast<problem *>(this)->asked(); }
  int ndim() const { return asked().ndim; }
  int ncomp() const { return asked().ncomp; }

  method_number method;
  host_integrand integrand;
  const domain_shape *shape = nullptr;  // null: the box is the domain
  int threads = 1;
  int64 batch_points = 1;
  bool zero_nonfinite = false;  // TESSERA_NONFINITE_ZERO
  ranks *shared = nullptr;      // among whose ranks the integrand's evaluations are shared out; null: it is alone
  kept_answers *answers =
      nullptr;                   // those of the integrand that are known, and where they are to be kept; null: nowhere
  bool memory_is_given = false;  // asked().memory is the user's: what does not fit is refused
};

// What is counted in a run of any method; 0 where it has none.
struct run_counts {
  int64 evaluations, regions, iterations, region_bytes, peak_bytes;
};

// What every run gives back.
struct run_result {
  virtual ~run_result() = default;
  virtual run_counts counts() const = 0;
  virtual bool is_even() const { return false; }  // its points lay evenly in the domain

  outcome end = outcome::running;
  bool has_value = false;     // value and error were set
  int callback_status = 0;    // non-zero return of the integrand
  int threads = 1;            // of the host that there were
  int64 zeroed = 0;           // points at which the integrand was not finite and counted as 0
  double zeroed_share = 0.0;  // of all points, where the method has not allowed for them in the error itself
  std::string message;        // about the integrand's failure, where there is one
};

struct cubature_result : run_result {
  run_counts counts() const override {
    const cubature_statistics &s = statistics;
    return {s.evaluations, s.regions, s.iterations, s.region_bytes, s.peak_bytes};
  }
  cubature_statistics statistics;
  int64 sparse_points = 0;   // evaluations of the sparse grid, which are among those of the run
  bool from_sparse = false;  // value and error are those of the sparse grid
};

inline bool any_mapped(const std::vector<axis_map> &axes) {
  for (const axis_map &a : axes)
    if (a.kind != axis_finite) return true;
  return false;
}

// enum tessera_sparse: the part that a sparse grid has in a cubature.
enum class sparse_part : int { automatic = 0, off = 1, alone = 2 };

struct cubature_problem : problem {
  cubature_problem() : problem(method_cubature) {}
  using problem::asked;
  run_settings &asked() override { return settings; }
  std::unique_ptr<problem> copy() const override {
    auto p = std::make_unique<cubature_problem>(*this);
    p->given = {};
    return p;
  }
  std::unique_ptr<run_result> new_result() const override { return std::make_unique<cubature_result>(); }
  void share_memory(int runs) override { settings.memory /= runs; }
  void set_limits(int ndim, const double *first, const double *last) override {
    constexpr double narrow =
        1e-8;  // beside its limits, the length of an axis whose points close to the faces would be rounded to them
    const auto n = static_cast<std::size_t>(ndim);
    axes.resize(n);
    lower.resize(n);
    upper.resize(n);
    grain.resize(n);
    for (std::size_t j = 0; j < n; ++j) {
      const double lo = std::min(first[j], last[j]), hi = std::max(first[j], last[j]);
      int kind = kind_between(lo, hi);
      if (kind == axis_finite && hi - lo < narrow * std::max(std::fabs(lo), std::fabs(hi))) kind = axis_narrow;
      axes[j] = map_between(lo, hi, kind);
      lower[j] = kind == axis_finite ? lo : (kind == axis_both ? -1.0 : 0.0);
      upper[j] = kind == axis_finite ? hi : (kind == axis_narrow ? hi - lo : 1.0);
      grain[j] = grain_of(axes[j]);
    }
  }
  bool is_mapped() const override { return any_mapped(axes); }
  double coordinate_at(std::size_t j, double t, double &) const override {
    double jacobian = 1.0;
    return map_axis(axes[j], lower[j] + (upper[j] - lower[j]) * t, jacobian);
  }

  cubature_settings settings;
  rule integration_rule = {};
  std::shared_ptr<const raised_tables> raised;  // the rules of higher degree; null: regions are only divided
  std::vector<double> lower, upper;             // finite box that is divided
  std::vector<double> grain;                    // see domain_box
  std::vector<axis_map> axes;                   // from there to the user's coordinates
  bool worst_first = true;
  sparse_part sparse = sparse_part::off;
  given_regions given = {};  // to start from, on the host alone

  domain_box domain() const { return {lower.data(), upper.data(), grain.data()}; }
};

struct lattice_result : run_result {
  run_counts counts() const override { return {statistics.evaluations, 0, statistics.passes, 0, bytes}; }
  bool is_even() const override { return true; }
  lattice_statistics statistics;
  int64 bytes = 0;
};

struct lattice_problem : problem {
  lattice_problem() : problem(method_lattice) {}
  using problem::asked;
  run_settings &asked() override { return settings; }
  std::unique_ptr<problem> copy() const override { return std::make_unique<lattice_problem>(*this); }
  std::unique_ptr<run_result> new_result() const override { return std::make_unique<lattice_result>(); }
  void set_limits(int ndim, const double *lower, const double *upper) override {
    axes.clear();
    volume = each_axis_between(ndim, lower, upper, [this](const limited_axis &a) {
      axes.push_back({a.map.kind, a.lower, a.length, a.map.first, a.map.last, a.map.anchor});
    });
  }
  double finite_volume() const override { return volume; }
  int coordinates() const override { return ndim() * (complement ? 2 : 1); }
  double coordinate_at(std::size_t j, double t, double &beyond) const override {
    const unit_point at = {t, 1.0 - t, 1.0, 1.0};
    double jacobian = 1.0;
    beyond = axis_complement(axes[j], at);
    return axis_value(axes[j], at, jacobian);
  }

  lattice_settings settings;
  lattice_vector vector, trial;  // trial: for the choice of a change of variables
  std::vector<unit_axis> axes;
  double volume = 1.0;      // of the finite axes
  bool complement = false;  // coordinates are followed by their distances from the upper limits
};

struct sampling_result : run_result {
  run_counts counts() const override { return {statistics.evaluations, 0, statistics.iterations, 0, statistics.bytes}; }
  bool is_even() const override { return statistics.sampling == sampling_plain; }
  sampling_statistics statistics;
  std::vector<double> chi_square;  // [ncomp]
};

struct sampling_problem : problem {
  sampling_problem() : problem(method_monte_carlo) {}
  using problem::asked;
  run_settings &asked() override { return settings; }
  // With a grid of its own, which begins as the other's.
  std::unique_ptr<problem> copy() const override {
    auto p = std::make_unique<sampling_problem>(*this);
    p->first_grid = p->own_grid = *grid;
    p->grid = &p->own_grid;
    p->record = nullptr;
    p->chi_square = nullptr;
    return p;
  }
  std::unique_ptr<run_result> new_result() const override { return std::make_unique<sampling_result>(); }
  void begin_row() override { own_grid = first_grid; }
  int coordinates() const override { return ndim() + (settings.weights ? weight_coordinates : 0); }
  void set_limits(int ndim, const double *lower, const double *upper) override {
    axes.clear();
    volume = each_axis_between(ndim, lower, upper, [this](const limited_axis &a) {
      axes.push_back({a.map, a.lower, a.length});
    });
  }
  double finite_volume() const override { return volume; }
  const std::vector<double> *grid_of_points() const override { return grid; }
  double coordinate_at(std::size_t j, double t, double &) const override {
    double jacobian = 1.0;
    return sample_coordinate(axes[j], t, jacobian);
  }

  sampling_settings settings;
  std::vector<sample_axis> axes;
  double volume = 1.0;                       // of the finite axes
  std::vector<double> *grid = nullptr;       // of importance sampling, to begin with (empty: uniform) and at the end
  std::vector<double> *record = nullptr;     // of VEGAS: to go on from, unless empty, and where the run stands; or null
  double *chi_square = nullptr;              // [ncomp], of what a run shows while it goes on; or null
  std::vector<double> first_grid, own_grid;  // of a copy
};

// A range of integration in one variable, without break points.
inline quadrature_range range_between(double first, double last) {
  const double lower = std::min(first, last), upper = std::max(first, last);
  return {lower, upper, inside(lower, upper), inside(upper, lower), nullptr, 0};
}
// The user's coordinate at t in (0, 1) of a range, and its distance as TESSERA_COMPLEMENT = kind hands it on.
inline double coordinate_in(const quadrature_range &range, double t, int kind, double &complement) {
  range_map map = {range_kind::folded, range.lower, range.upper, range.first, range.last, 0.0};
  const bool low = std::isfinite(range.lower), high = std::isfinite(range.upper);
  double u = 2.0 * t - 1.0;
  if (low && high)
    u *= 0.5 * range.upper - 0.5 * range.lower;
  else
    map.kind = low ? range_kind::up : (high ? range_kind::down : range_kind::whole);
  const mapped_point p = map.at(u == 0.0 ? 0.25 : u);
  complement = kind == 2 ? p.away : map.complement(p);
  return p.x;
}

constexpr int most_device_breaks = 64;  // of one integral

struct quadrature_result : run_result {
  run_counts counts() const override {
    return {statistics.evaluations, statistics.intervals, statistics.steps, 0, statistics.bytes};
  }
  quadrature_statistics statistics;
};

struct quadrature_problem : problem {
  quadrature_problem() : problem(method_quadrature) {}
  quadrature_problem(const quadrature_problem &other) : problem(other) { *this = other; }
  quadrature_problem &operator=(const quadrature_problem &other) {
    problem::operator=(other);
    settings = other.settings;
    range = other.range;
    breaks = other.breaks;
    shared_calls = other.shared_calls;
    if (range.count > 0) range.breaks = breaks.data() + (other.range.breaks - other.breaks.data());
    return *this;
  }
  using problem::asked;
  run_settings &asked() override { return settings; }
  std::unique_ptr<problem> copy() const override { return std::make_unique<quadrature_problem>(*this); }
  std::unique_ptr<run_result> new_result() const override { return std::make_unique<quadrature_result>(); }
  void set_limits(int, const double *first, const double *last) override {
    range = range_between(*first, *last);
    const auto begin = std::upper_bound(breaks.begin(), breaks.end(), range.lower);
    const auto end = std::lower_bound(begin, breaks.end(), range.upper);
    range.count = static_cast<int>(end - begin);
    range.breaks = range.count > 0 ? &*begin : nullptr;
  }
  std::string trouble_with_limits() const override {
    const quadrature_settings &s = settings;
    if (s.weight != quadrature_weight::none && range.is_huge()) return "TESSERA_WEIGHT: limits are beyond 4e307";
    if (!s.has_ends() && s.weight != quadrature_weight::pole) return {};
    if (!std::isfinite(range.lower) || !std::isfinite(range.upper))
      return std::string("TESSERA_WEIGHT: ") + (s.has_ends() ? "an algebraic weight" : "a principal value") +
             " is for finite ranges";
    if (s.weight == quadrature_weight::pole && (s.pole == range.lower || s.pole == range.upper))
      return "TESSERA_POLE = " + shown_number(s.pole) + " is a limit of the range";
    return {};
  }
  bool compares_forms() const override { return !shared_calls; }
  int coordinates() const override { return settings.complement != 0 ? 2 * ndim() : ndim(); }
  double coordinate_at(std::size_t, double t, double &complement) const override {
    return coordinate_in(range, t, settings.complement, complement);
  }

  quadrature_settings settings;
  quadrature_range range;
  std::vector<double> breaks;  // all that the user has given, ascending
  bool shared_calls = false;   // of many integrals: with the number of the integral as a coordinate
};

using iterated_result = quadrature_result;  // intervals and steps of the first axis

struct iterated_problem : problem {
  iterated_problem() : problem(method_iterated) {}
  using problem::asked;
  run_settings &asked() override { return settings; }
  std::unique_ptr<problem> copy() const override { return std::make_unique<iterated_problem>(*this); }
  std::unique_ptr<run_result> new_result() const override { return std::make_unique<iterated_result>(); }
  void set_limits(int ndim, const double *first, const double *last) override {
    ranges.clear();
    for (int j = 0; j < ndim; ++j) ranges.push_back(range_between(first[j], last[j]));
  }
  double coordinate_at(std::size_t j, double t, double &complement) const override {
    return coordinate_in(ranges[j], t, 0, complement);
  }
  bool limits_are_hosts() const override { return true; }
  iterated_domain domain() const { return {settings, ranges.data(), rules.data(), zero_nonfinite, least_intervals}; }

  run_settings settings;
  std::vector<quadrature_range> ranges;  // of the axes
  std::vector<axis_rule> rules;
  int64 least_intervals = 0;  // of each axis; 0: by itself
};

inline std::string too_little_memory(int64 needed, int64 allowed) {
  return "TESSERA_MAX_MEMORY: " + std::to_string(needed) + " bytes are needed, and " + std::to_string(allowed) +
         " are allowed";
}

}  // namespace tessera
