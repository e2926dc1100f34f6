// Runs under random settings, what must be true of their results, and what is taken from one run to the next.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstring>
#include <map>
#include <tuple>

#include "api_fuzzer.hpp"

namespace fuzz {
namespace {

bool same_bits(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; }

}  // namespace

std::vector<double> api_fuzzer::odd_reals(std::size_t n) {
  std::vector<double> v(n);
  for (double &x : v) x = r_.odd_real();
  return v;
}

// What keeps a run below a millisecond; all else stays as the fuzzer has set it.
void api_fuzzer::choose_limits() {
  const auto put = [&](int key, std::int64_t value) {
    require(tessera_set_int(solver_, key, value) == TESSERA_OK, "a plain option");
  };
  put(TESSERA_MAXEVAL, r_.between(1, r_.one_in(30) ? 20000 : 800));
  put(TESSERA_THREADS, r_.one_in(30) ? r_.between(0, 3) : 1);
  if (r_.one_in(2)) put(TESSERA_KEEP_REGIONS, 1), put(TESSERA_KEEP_STATE, 1);
  if (r_.one_in(9)) put(TESSERA_SAMPLING, TESSERA_SAMPLING_VEGAS);
  if (!small_vector_)
    put(TESSERA_COPIES, 0);  // all 2^25 points of the library's own vector would be used
  else if (r_.one_in(4))
    put(TESSERA_COPIES, r_.between(2, 5));
  put(TESSERA_WEIGHT, ndim_ == 1 && r_.one_in(3) ? r_.between(0, 7) : 0);
  put(TESSERA_COMPLEX, ncomp_ % 2 == 0 && r_.one_in(2) ? 1 : 0);
  put(TESSERA_SHARED_CALLS, 0);  // the integrands do not know of it
  put(TESSERA_DEVICE, r_.one_in(100) ? 1023 : TESSERA_DEVICE_HOST);
}

void api_fuzzer::check_run(int method, int status, const double *value, const double *error, bool single) {
  double reltol = 0.0, abstol = 0.0;
  tessera_get_real(solver_, TESSERA_RELTOL, &reltol);
  tessera_get_real(solver_, TESSERA_ABSTOL, &abstol);
  std::int64_t in_pairs = 0;
  tessera_get_int(solver_, TESSERA_COMPLEX, &in_pairs);
  if (status > 0 && single) require(*last_error(), "what is not 0 has a message");
  for (int k = 0; k < ncomp_; ++k) {
    if (status < 0) {
      require(is_untouched(value[k]) && is_untouched(error[k]), "a negative status leaves the outputs alone");
      continue;
    }
    require(!is_untouched(value[k]) && !is_untouched(error[k]), "value and error are set");
    require(!(error[k] < 0.0), "an error is not negative");
    if (status != TESSERA_OK) continue;
    require(std::isfinite(value[k]) && std::isfinite(error[k]), "0 comes with numbers");
    if (in_pairs == 0)
      require(error[k] <= std::fmax(abstol, reltol * std::fabs(value[k])), "0 means that the tolerance is met");
    else
      require(std::hypot(error[k], error[k ^ 1]) <=
                  std::fmax(abstol, std::hypot(reltol * value[k], reltol * value[k ^ 1])) * (1.0 + 1e-15),
              "0 means that the tolerance of the modulus is met");
  }
  if (f_.outside != 0)
    fail(thread_, "method %d: coordinate %d is %.17g, outside %.17g .. %.17g", method, f_.axis_outside.load(),
         f_.value_outside.load(), f_.lower[static_cast<std::size_t>(f_.axis_outside)],
         f_.upper[static_cast<std::size_t>(f_.axis_outside)]);
  require(f_.let_in == 0, "calls from the integrand are refused");
  if (status < 0 || !single || goes_on_) return;
  std::int64_t evaluations = 0, limit = 0, rule = 0, lattice = 0;
  tessera_get_int(solver_, TESSERA_EVALUATIONS, &evaluations);
  tessera_get_int(solver_, TESSERA_MAXEVAL, &limit);
  tessera_get_int(solver_, TESSERA_RULE_POINTS, &rule);
  tessera_get_int(solver_, TESSERA_POINTS_USED, &lattice);
  require(evaluations >= 0, "evaluations");
  if (method == TESSERA_CUBATURE)
    require(evaluations <= std::max(limit, rule), "no more evaluations than the limit or one rule");
  if (method == TESSERA_MONTECARLO)
    require(evaluations <= std::max<std::int64_t>(limit, 64), "no more evaluations than the limit or a few samples");
  if (method == TESSERA_AUTO && ndim_ > 1)
    require(evaluations <= limit + rule + 2 * lattice + 64,
            "no more evaluations than the limit, one rule and two shifts of a lattice");
  // More threads divide some regions ahead of time, and not all of these are used.
  std::int64_t threads = 0;
  tessera_get_int(solver_, TESSERA_THREADS_USED, &threads);
  if (method != TESSERA_LATTICE && method != TESSERA_AUTO && has_callback_ && !points_in_block_ && !is_simplex_ &&
      status == TESSERA_OK && threads <= 1 && (limits_equal_ ? f_.points > evaluations : f_.points != evaluations))
    fail(thread_, "%lld points and %lld evaluations", static_cast<long long>(f_.points),
         static_cast<long long>(evaluations));
}

void api_fuzzer::integrate() {
  static const int methods[] = {TESSERA_CUBATURE, TESSERA_CUBATURE, TESSERA_LATTICE, TESSERA_MONTECARLO};
  const int method = r_.one_in(40)                    ? r_.odd_small_int()
                     : r_.one_in(12)                  ? static_cast<int>(TESSERA_ITERATED)
                     : r_.one_in(8)                   ? static_cast<int>(TESSERA_AUTO)
                     : r_.one_in(ndim_ == 1 ? 2 : 50) ? static_cast<int>(TESSERA_QUADRATURE)
                                                      : r_.of(methods);
  choose_limits();
  std::vector<double> value(static_cast<std::size_t>(ncomp_), untouched()), error(value);
  f_.lower = lower_;
  if (is_simplex_) f_.lower.clear();
  f_.upper = upper_;
  f_.begin();
  const bool no_array = r_.one_in(100);
  const int status = solver_call("tessera_integrate", [&] {
    return tessera_integrate(solver_, method, value.data(), no_array ? nullptr : error.data());
  });
  if (no_array) require(status == TESSERA_ERR_ARGUMENT || status == TESSERA_ERR_NO_INTEGRAND, "error is NULL");
  ++runs_;
  check_run(method, status, value.data(), error.data(), true);
  goes_on_ = goes_on_ && status < 0;  // a run that did not begin leaves the regions to the next
  if (r_.one_in(3)) look_at_results();
}

void api_fuzzer::evaluate() {
  choose_limits();
  f_.lower.clear();  // anything may come
  const std::int64_t n = r_.one_in(9) ? r_.odd_small_int() : r_.between(0, 300),
                     there = std::clamp<std::int64_t>(n, 1, 300);
  std::vector<double> x(static_cast<std::size_t>(ndim_ * there)),
      f(static_cast<std::size_t>(ncomp_ * there), untouched());
  for (double &v : x) v = r_.one_in(5) ? r_.odd_real() : r_.uniform();
  if (n > there) return;
  const bool no_array = r_.one_in(20);
  const int status = solver_call("tessera_evaluate",
                                 [&] { return tessera_evaluate(solver_, n, no_array ? nullptr : x.data(), f.data()); });
  if (n < 0 || (n > 0 && no_array)) require(status == TESSERA_ERR_ARGUMENT, "a number of points, and an array of them");
  for (std::int64_t i = 0; i < ncomp_ * n && status == TESSERA_OK; ++i)
    require(!is_untouched(f[static_cast<std::size_t>(i)]), "all values are set");
  require(f_.let_in == 0, "calls from the integrand are refused");
}

void api_fuzzer::integrate_many() {
  const std::int64_t rows = r_.between(0, 4), count = r_.one_in(30) ? r_.odd_int() : rows;
  choose_limits();
  const auto n = static_cast<std::size_t>(std::max<std::int64_t>(rows, 1)), axes = static_cast<std::size_t>(ndim_);
  std::vector<double> lower(n * axes), upper(n * axes);
  for (std::size_t i = 0; i < lower.size(); ++i) {
    lower[i] = r_.one_in(9) ? r_.odd_real() : 0.0;
    upper[i] = r_.one_in(9) ? r_.odd_real() : 1.0;
  }
  const bool own_limits = r_.one_in(2), in_range = count >= 0 && count <= rows;
  const bool blocks = r_.one_in(4);
  std::vector<double> block(n * 3, 0.5);
  std::vector<double> value(n * static_cast<std::size_t>(ncomp_), untouched()), error(value);
  std::vector<int> status(n, -12345);
  f_.lower.clear();  // each has its own
  f_.upper.clear();
  f_.begin();
  const bool no_result = !in_range;  // too many for the arrays: the library must not get as far as to write
  const int end = solver_call("tessera_integrate_many", [&] {
    return tessera_integrate_many(solver_,
                                  r_.one_in(50)                ? TESSERA_LATTICE
                                  : ndim_ == 1 && r_.one_in(2) ? TESSERA_QUADRATURE
                                                               : TESSERA_CUBATURE,
                                  count, blocks ? block.data() : nullptr, blocks ? 3 * sizeof(double) : 0,
                                  own_limits ? lower.data() : nullptr, own_limits ? upper.data() : nullptr,
                                  no_result ? nullptr : value.data(), error.data(),
                                  r_.one_in(5) ? nullptr : status.data());
  });
  ++runs_;
  if (no_result) require(end < 0, "a count that cannot be is refused");
  if (end < 0)
    for (const double v : value) require(is_untouched(v), "a negative status leaves the outputs alone");
  if (end < 0 || status[0] == -12345) return;
  for (std::int64_t i = 0; i < count; ++i) {
    const int one = status[static_cast<std::size_t>(i)];
    require(is_known(one) && (end != TESSERA_OK || one == TESSERA_OK), "the status of one integral");
    check_run(TESSERA_CUBATURE, one, &value[static_cast<std::size_t>(i * ncomp_)],
              &error[static_cast<std::size_t>(i * ncomp_)], false);
  }
}

void api_fuzzer::look_at_results() {
  switch (r_.between(0, 4)) {
    case 3:
      return exchange_saved();
    case 0:
      return exchange_regions();
    case 1:
      return exchange_state();
    case 2:
      return exchange_grid();
    default: {
      std::vector<double> chi2(static_cast<std::size_t>(ncomp_), untouched());
      if (solver_call("tessera_get_chi2", [&] { return tessera_get_chi2(solver_, chi2.data()); }) < 0)
        for (const double c : chi2) require(is_untouched(c), "an output is left alone");
    }
  }
}

// Regions of the last run, or what has been made of them, for the next.
void api_fuzzer::exchange_regions() {
  std::int64_t count = -5;
  if (solver_call("tessera_get_regions", [&] { return tessera_get_regions(solver_, 0, 0, nullptr, &count); }) < 0) {
    require(count == -5, "an output is left alone");
    if (r_.one_in(2)) require(tessera_set_int(solver_, TESSERA_KEEP_REGIONS, 1) == TESSERA_OK, "a plain option");
    return;
  }
  const auto length = static_cast<std::size_t>(TESSERA_REGION_LENGTH(ndim_, ncomp_));
  const std::int64_t there = std::min<std::int64_t>(count, 200);
  std::vector<double> records(static_cast<std::size_t>(std::max<std::int64_t>(there, 1)) * length, untouched());
  const std::int64_t first = r_.one_in(3) ? r_.odd_int() : 0, n = r_.one_in(3) ? r_.odd_int() : there;
  const bool fits = first >= 0 && n >= 0 && first <= count && n <= count - first;
  if (!fits || n <= there) {
    const int status = solver_call("tessera_get_regions",
                                   [&] { return tessera_get_regions(solver_, first, n, records.data(), nullptr); });
    require((status == TESSERA_OK) == fits, "regions that there are, and no others");
    if (status < 0) require(is_untouched(records[0]), "an output is left alone");
  }
  if (tessera_get_regions(solver_, 0, there, records.data(), nullptr) != TESSERA_OK) return;
  for (int changes = static_cast<int>(r_.between(0, 2)); changes > 0 && there > 0; --changes)
    records[static_cast<std::size_t>(r_.between(0, static_cast<std::int64_t>(records.size()) - 1))] = r_.odd_real();
  const std::int64_t before = r_.one_in(3) ? r_.odd_int() : r_.between(0, 100);
  if (solver_call("tessera_set_regions", [&] { return tessera_set_regions(solver_, there, records.data(), before); }) ==
      TESSERA_OK) {
    goes_on_ = there > 0;
    if (r_.one_in(5)) solver_call("tessera_set_regions", [&] { return tessera_set_regions(solver_, 0, nullptr, 0); });
    integrate();
  }
}

void api_fuzzer::exchange_state() {
  require(tessera_set_int(solver_, TESSERA_KEEP_STATE, 1) == TESSERA_OK, "a plain option");
  if (r_.one_in(2)) tessera_set_int(solver_, TESSERA_SAMPLING, TESSERA_SAMPLING_VEGAS);
  std::int64_t count = -5;
  if (solver_call("tessera_get_state", [&] { return tessera_get_state(solver_, 0, nullptr, &count); }) < 0) {
    require(count == -5, "an output is left alone");
    return;
  }
  std::vector<double> state(static_cast<std::size_t>(count), untouched());
  const std::int64_t n = r_.one_in(3) ? r_.odd_int() : count;
  const int status =
      solver_call("tessera_get_state", [&] { return tessera_get_state(solver_, n, state.data(), nullptr); });
  require((status == TESSERA_OK) == (n >= 0 && n <= count), "as many numbers as there are, or fewer");
  if (tessera_get_state(solver_, count, state.data(), nullptr) != TESSERA_OK) return;
  for (int changes = static_cast<int>(r_.between(0, 2)); changes > 0; --changes)
    state[static_cast<std::size_t>(r_.between(0, std::min<std::int64_t>(count - 1, r_.one_in(2) ? 20 : count)))] =
        r_.odd_real();
  const std::int64_t given = r_.one_in(4) ? r_.between(0, count) : count;
  if (solver_call("tessera_set_state", [&] { return tessera_set_state(solver_, given, state.data()); }) == TESSERA_OK) {
    goes_on_ = given > 0;
    choose_limits();
    std::vector<double> value(static_cast<std::size_t>(ncomp_), untouched()), error(value);
    f_.lower = lower_;
    f_.upper = upper_;
    if (is_simplex_) f_.lower.clear();
    const int end = solver_call("tessera_integrate", [&] {
      return tessera_integrate(solver_, TESSERA_MONTECARLO, value.data(), error.data());
    });
    check_run(TESSERA_MONTECARLO, end, value.data(), error.data(), true);
    ++runs_;
    goes_on_ = goes_on_ && end < 0;
  }
}

void api_fuzzer::exchange_grid() {
  const std::string path = directory_ + (r_.one_in(9) ? "/no/such/place" : "/grid") + std::to_string(thread_);
  const auto n = static_cast<std::size_t>(ndim_) * TESSERA_GRID_EDGES;
  std::vector<double> edges(n, untouched());
  const int got = solver_call("tessera_get_grid", [&] { return tessera_get_grid(solver_, edges.data()); });
  if (got < 0) {
    require(is_untouched(edges[0]), "an output is left alone");
    for (std::size_t i = 0; i < n; ++i)
      edges[i] = static_cast<double>(i % TESSERA_GRID_EDGES) / (TESSERA_GRID_EDGES - 1);
  }
  if (r_.one_in(2)) edges[static_cast<std::size_t>(r_.between(0, static_cast<std::int64_t>(n) - 1))] = r_.odd_real();
  const bool taken_away = r_.one_in(9);
  const int set =
      solver_call("tessera_set_grid", [&] { return tessera_set_grid(solver_, taken_away ? nullptr : edges.data()); });
  if (!taken_away) {
    bool rising = true;
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t k = i % TESSERA_GRID_EDGES;
      rising = rising && (k == 0 ? edges[i] == 0.0 : edges[i] > edges[i - 1]) &&
               (k + 1 < TESSERA_GRID_EDGES || edges[i] == 1.0);
    }
    require((set == TESSERA_OK) == rising, "a grid rises from 0 to 1");
  }
  if (solver_call("tessera_save_grid", [&] { return tessera_save_grid(solver_, path.c_str()); }) != TESSERA_OK) return;
  const int loaded = solver_call("tessera_load_grid", [&] { return tessera_load_grid(solver_, path.c_str()); });
  require(loaded == TESSERA_OK, "a grid that was saved is loaded");
  std::vector<double> again(n);
  require(tessera_get_grid(solver_, again.data()) == TESSERA_OK, "a grid that was loaded is there");
  if (set == TESSERA_OK && r_.one_in(2)) integrate();
}

// A file for the runs to come, and a state that goes there and comes back.
void api_fuzzer::exchange_saved() {
  const std::string path = directory_ + (r_.one_in(9) ? "/no/such/place" : "/state") + std::to_string(thread_);
  const bool none = r_.one_in(2);
  solver_call("tessera_set_checkpoint",
              [&] { return tessera_set_checkpoint(solver_, none ? nullptr : (path + "c").c_str()); });
  if (r_.one_in(2)) solver_call("tessera_set_int", [&] { return tessera_set_int(solver_, TESSERA_KEEP_STATE, 1); });
  integrate();
  solver_call("tessera_set_checkpoint", [&] { return tessera_set_checkpoint(solver_, nullptr); });
  if (solver_call("tessera_save_state", [&] { return tessera_save_state(solver_, path.c_str()); }) != TESSERA_OK)
    return;
  const int loaded = solver_call("tessera_load_state", [&] { return tessera_load_state(solver_, path.c_str()); });
  require(loaded == TESSERA_OK, "a state that was saved is loaded");
  const bool went_on = goes_on_;
  goes_on_ = true;  // not all that it counts is asked for again
  if (r_.one_in(2)) integrate();
  goes_on_ = goes_on_ && went_on;
  require(solver_call("tessera_load_state", [&] { return tessera_load_state(solver_, nullptr); }) == TESSERA_OK,
          "a state is taken back");
}

// After all that: the defaults, a plain integral, and the bits of a solver that has seen nothing else.
void api_fuzzer::plain_run() {
  require(solver_call("tessera_reset", [&] { return tessera_reset(solver_); }) == TESSERA_OK, "reset");
  const std::vector<double> lower(lower_.size(), 0.0), upper(lower_.size(), 1.0);
  integrand plain;
  const auto run = [&](tessera_solver *s, int method, std::vector<double> &result) {
    result.assign(2 * static_cast<std::size_t>(ncomp_) + 1, 0.0);
    tessera_set_integrand1(s, at_point, &plain);
    tessera_set_int(s, TESSERA_MAXEVAL, 600);
    tessera_set_int(s, TESSERA_SHIFTS, 4);
    tessera_set_real(s, TESSERA_RELTOL, 1e-4);
    const int status = tessera_integrate(s, method, result.data(), result.data() + ncomp_);
    result.back() = status;
  };
  for (int j = 0; j < ndim_; ++j)
    require(tessera_set_limits(solver_, j, nullptr, nullptr) == TESSERA_OK, "limits are taken away");
  require(tessera_set_simplex(solver_, TESSERA_SIMPLEX_NONE, nullptr) == TESSERA_OK, "no simplex");
  is_simplex_ = false;
  require(tessera_set_domain(solver_, lower.data(), upper.data()) == TESSERA_OK &&
              tessera_set_regions(solver_, 0, nullptr, 0) == TESSERA_OK &&
              tessera_set_state(solver_, 0, nullptr) == TESSERA_OK &&
              tessera_set_grid(solver_, nullptr) == TESSERA_OK &&
              tessera_set_params(solver_, nullptr, 0) == TESSERA_OK &&
              tessera_set_progress(solver_, nullptr, nullptr) == TESSERA_OK &&
              tessera_set_log(solver_, nullptr, nullptr) == TESSERA_OK &&
              tessera_set_lattice(solver_, nullptr) == TESSERA_OK &&
              tessera_set_integrand_source(solver_, 0, nullptr, nullptr) == TESSERA_OK,
          "a solver is made plain again");
  for (int method = TESSERA_CUBATURE; method <= TESSERA_MONTECARLO; ++method) {
    std::vector<double> here, there;
    run(solver_, method, here);
    tessera_solver *fresh = nullptr;
    require(tessera_create(&fresh, ndim_, ncomp_) == TESSERA_OK, "a fresh solver");
    run(fresh, method, there);
    tessera_destroy(fresh);
    for (std::size_t k = 0; k < here.size(); ++k)
      if (!same_bits(here[k], there[k]))
        fail(thread_, "a plain run of method %d has other bits than in a fresh solver: number %zu is %.17g, not %.17g",
             method, k, here[k], there[k]);
  }
  ++runs_;
}

}  // namespace fuzz
