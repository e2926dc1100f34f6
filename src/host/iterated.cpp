// Integrals over several variables one axis after the other: the integral over each axis is one of TESSERA_QUADRATURE, whose integrand is the
// integral over those behind it. Limits that are functions are the integrand's (limited_integrand.hpp): an axis has them within its box.
//
// An integral over an axis is asked for half of the tolerance of the one it belongs to, and those inside it for a tenth of that: relative to their own
// value, or on a finite axis what is left to them of the value in front if that is more. What their errors do to the integral in front is
// integrated as well: for each component there is a second one, the value with its error added. It needs next to no points of its own, and the
// distance of the two integrals is the error carried outward.
//
// The points of a step of the first axis are shared out to the threads; the integrals behind them know nothing of each other, so the number of
// threads does not show.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "first_failure.hpp"
#include "method.hpp"
#include "quadrature_calls.hpp"
#include "quadrature_integral.hpp"

namespace tessera {
namespace {

constexpr double own_share = 0.5;    // of the tolerance: for what the outermost integral does not know
constexpr double inner_share = 0.1;  // of an integral's tolerance: that of those inside it
constexpr double least_reltol = 1e-14;

std::size_t at(int64 i) { return static_cast<std::size_t>(i); }

// No sum to go on with.
bool is_hard(outcome o) {
  return o == outcome::callback || o == outcome::nonfinite || o == outcome::time || o == outcome::stopped ||
         o == outcome::memory;
}

// The integral over one axis, and what its points need.
struct axis_integral {
  quadrature_settings settings;
  quadrature_range range;
  quadrature_integral integral;
  std::vector<double> x, f, value, error;  // [points], [components][points], and [ncomp] of an integral inside
};

// What one thread integrates with: the axes from `first` on.
class nest {
 public:
  void start(const iterated_problem &p, int first, run_hooks &hooks) {
    p_ = &p;
    axes_.resize(at(p.ndim()));
    prefix_.assign(at(p.ndim()), 0.0);
    for (int j = first; j < p.ndim(); ++j) {
      std::unique_ptr<axis_integral> &a = axes_[at(j)];
      if (!a) a = std::make_unique<axis_integral>();
      a->range = p.ranges[at(j)];
      quadrature_settings &s = a->settings;
      s = {};
      s.ndim = 1;
      s.ncomp = components(j);
      s.complex_values = p.settings.complex_values;  // the integrals with the errors added are complex as well
      static_cast<axis_rule &>(s) = p.rules[at(j)];
      s.zero_nonfinite = p.zero_nonfinite;
    }
    quadrature_problem shape;
    shape.settings.ndim = 1;
    shape.settings.ncomp = p.ncomp();
    shape.batch_points = p.batch_points;
    calls_.start(shape, p.integrand, hooks, p.ndim() - 1, p.ndim());
    evaluations = zeroed = 0;
    soft = outcome::converged;
    limited = false;
  }

  axis_integral &axis(int j) { return *axes_[at(j)]; }
  double *prefix() { return prefix_.data(); }
  const quadrature_calls &calls() const { return calls_; }

  // Over axis j and those behind it, with prefix()[0 .. j-1]. At most so many evaluations. Returns why there is no value, or running.
  outcome integrate(int j, double reltol, double abstol, int64 most, double *value, double *error) {
    axis_integral &a = axis(j);
    begin(j, reltol, abstol);
    const int64 before = evaluations;
    while (const int64 n = a.integral.wanted()) {
      const outcome o = step(j, n, most - (evaluations - before));
      if (o == outcome::evaluations && a.integral.can_stop())
        a.integral.stop(o);
      else if (o != outcome::running)
        return o;
    }
    return finish(j, value, error);
  }

  void begin(int j, double reltol, double abstol) {
    axis_integral &a = axis(j);
    a.settings.reltol = std::fmax(reltol, least_reltol);
    a.settings.abstol = abstol;
    a.integral.begin(a.settings, a.range);
  }

  outcome step(int j, int64 n, int64 most) {
    axis_integral &a = axis(j);
    if (j + 1 == p_->ndim()) return call(j, n, most);
    prepare(j, n);
    const inner_tolerance t = tolerance_behind(j);
    const int64 before = evaluations;
    for (int64 i = 0; i < n; ++i) {
      prefix_[at(j)] = a.x[at(i)];
      const int64 left = most - (evaluations - before);
      const outcome o = integrate(j + 1, t.relative, t.absolute, left / (n - i), a.value.data(), a.error.data());
      if (o != outcome::running) return o;
      keep(j, i, n, a.value.data(), a.error.data());
    }
    a.integral.tell(a.f.data(), n);
    return outcome::running;
  }

  // The points of axis j for a step.
  void prepare(int j, int64 n) {
    axis_integral &a = axis(j);
    a.x.resize(at(n));
    a.f.resize(at(n * components(j)));
    a.value.resize(at(p_->ncomp()));
    a.error.resize(at(p_->ncomp()));
    a.integral.write(a.x.data(), n);
  }
  void keep(int j, int64 i, int64 n, const double *value, const double *error) {
    std::vector<double> &f = axis(j).f;
    for (int k = 0; k < p_->ncomp(); ++k) {
      f[at(k * n + i)] = value[k];
      f[at((p_->ncomp() + k) * n + i)] = value[k] + error[k];
    }
  }

  struct inner_tolerance {
    double relative, absolute;
  };
  // Of the integrals behind axis j.
  inner_tolerance tolerance_behind(int j) {
    axis_integral &a = axis(j);
    const double length = a.range.upper - a.range.lower, part = inner_share / length;
    double absolute = 0.0;
    if (std::isfinite(length)) {
      double least = infinity_value();  // of the components' values so far
      if (a.integral.can_stop()) {
        a.integral.show_running();
        const auto value = [&](int k) { return a.integral.value()[k]; };
        for (int k = 0; k < p_->ncomp(); ++k) least = std::fmin(least, magnitude(a.settings, k, value));
      }
      absolute = part * std::fmax(a.settings.abstol, std::isfinite(least) ? a.settings.reltol * least : 0.0);
    }
    return {inner_share * a.settings.reltol, std::isfinite(absolute) ? absolute : 0.0};
  }

  // Value and error of axis j, with the errors of those behind it. Its end counts where it is no success.
  outcome finish(int j, double *value, double *error) {
    quadrature_integral &q = axis(j).integral;
    const outcome end = q.end();
    if (is_hard(end) || !q.has_value()) {
      if (message.empty()) message = q.message();
      return is_hard(end) ? end : outcome::nonfinite;
    }
    for (int k = 0; k < p_->ncomp(); ++k) {
      value[k] = q.value()[k];
      error[k] = q.error()[k];
      if (j + 1 < p_->ndim()) error[k] += std::fabs(q.value()[p_->ncomp() + k] - value[k]);
    }
    limited = limited || end == outcome::evaluations;
    if (end != outcome::converged && end != outcome::all_zero) soft = std::max(soft, end);
    return outcome::running;
  }

  int components(int j) const { return p_->ncomp() * (j + 1 < p_->ndim() ? 2 : 1); }

  int64 evaluations = 0, zeroed = 0;
  outcome soft = outcome::converged;  // the worst end of an integral that has a value
  bool limited = false;               // some had no more evaluations
  std::string message;

 private:
  // The integrand itself.
  outcome call(int j, int64 n, int64 most) {
    quadrature_integral &q = axis(j).integral;
    if (n > most) return outcome::evaluations;
    calls_.prepare(n);
    const int64 apart = calls_.stride();
    for (int m = 0; m < j; ++m) std::fill_n(calls_.x() + m * apart, n, prefix_[at(m)]);
    q.write(calls_.x() + j * apart, apart);
    const outcome o = calls_.call(n);
    evaluations += n;
    if (o != outcome::running) return o;
    const int64 zeroed_before = q.statistics().zeroed;
    q.tell(calls_.f(), apart);
    zeroed += q.statistics().zeroed - zeroed_before;
    if (q.end() == outcome::nonfinite) message = where_nonfinite(j, n, apart);
    return outcome::running;
  }
  std::string where_nonfinite(int j, int64 n, int64 apart) {
    for (int64 i = 0; i < n; ++i)
      for (int k = 0; k < p_->ncomp(); ++k) {
        const double v = calls_.f()[k * apart + i];
        if (std::isfinite(v)) continue;
        prefix_[at(j)] = calls_.x()[j * apart + i];
        std::vector<double> x = prefix_;
        show_in_domain(p_->shape, p_->integrand.params, x.data());
        return nonfinite_message(k, v, x.data(), p_->ndim());
      }
    return axis(j).integral.message();
  }

  const iterated_problem *p_ = nullptr;
  std::vector<std::unique_ptr<axis_integral>> axes_;
  std::vector<double> prefix_;
  quadrature_calls calls_;
};

class host_iterated final : public host_method {
 public:
  void run(const problem &of_a_method, thread_pool &pool, run_hooks &hooks, double *value, double *error,
           run_result &to) override {
    const auto &p = static_cast<const iterated_problem &>(of_a_method);
    auto &result = static_cast<iterated_result &>(to);
    const bool flat = p.ndim() == 1;
    nests_.resize(at(flat ? 1 : pool.size() + 1));  // the last has the first axis
    for (std::size_t i = 0; i < nests_.size(); ++i) {
      if (!nests_[i]) nests_[i] = std::make_unique<nest>();
      nests_[i]->start(p, flat || i + 1 == nests_.size() ? 0 : 1, hooks);
    }
    nest &outer = *nests_.back();
    const double share = flat ? 1.0 : own_share;
    outer.begin(0, share * p.settings.reltol, share * p.settings.abstol);
    first_failure failure;
    quadrature_integral &q = outer.axis(0).integral;
    outcome end = outcome::running;
    while (end == outcome::running) {
      const int64 n = q.wanted();
      if (n == 0) break;
      const int64 left = p.settings.maxeval - evaluations();
      if (flat)
        failure.watch(0, [&] { end = outer.step(0, n, left); });
      else
        share_out(p, pool, n, left, failure);
      if (failure.what() != outcome::running) end = failure.what();
      if (end == outcome::running && q.wanted() > 0 && hooks.is_wanted() && q.can_stop()) {
        q.show_running();
        end = hooks.between_steps(evaluations(), q.value(), q.error());
      }
    }
    if (end != outcome::running && q.wanted() > 0) q.stop(end);
    conclude(p, outer, end == outcome::running ? q.end() : end, failure, value, error, result);
  }

  memory_needs needs(const problem &p, int threads) const override {
    return {static_cast<int64>(threads + 1) * p.ndim() *
                (static_cast<int64>(sizeof(axis_integral)) + 16384 + 2048 * int64{p.ncomp()}),
            0};
  }

 private:
  int64 evaluations() const {
    int64 n = 0;
    for (const std::unique_ptr<nest> &t : nests_) n += t->evaluations;
    return n;
  }

  // The integrals behind the points of a step of the first axis.
  void share_out(const iterated_problem &p, thread_pool &pool, int64 n, int64 left, first_failure &failure) {
    nest &outer = *nests_.back();
    axis_integral &a = outer.axis(0);
    outer.prepare(0, n);
    const nest::inner_tolerance t = outer.tolerance_behind(0);
    pool.run(n, [&](int64 i, int thread) {
      failure.watch(i, [&] {
        nest &own = *nests_[at(thread)];
        std::vector<double> value(at(p.ncomp())), error(value);
        own.prefix()[0] = a.x[at(i)];
        own.message.clear();
        const outcome o = own.integrate(1, t.relative, t.absolute, left / n, value.data(), error.data());
        if (o != outcome::running)
          failure.report(i, o, own.calls().status(), own.message.empty() ? own.calls().message() : own.message);
        else
          outer.keep(0, i, n, value.data(), error.data());
      });
    });
    if (failure.what() == outcome::running) a.integral.tell(a.f.data(), n);
  }

  void conclude(const iterated_problem &p, nest &outer, outcome end, const first_failure &failure, double *value,
                double *error, iterated_result &result) {
    const quadrature_integral &q = outer.axis(0).integral;
    result.statistics = q.statistics();
    result.statistics.evaluations = evaluations();
    result.statistics.bytes = needs(p, static_cast<int>(nests_.size())).fixed;
    outcome soft = outer.soft;
    bool limited = false;
    for (const std::unique_ptr<nest> &t : nests_) {
      result.zeroed += t->zeroed;
      soft = std::max(soft, t->soft);
      limited = limited || t->limited;
    }
    result.has_value = q.has_value();
    result.message = failure.what() != outcome::running ? failure.message()
                     : !outer.message.empty()           ? outer.message
                                                        : q.message();
    result.callback_status = failure.what() != outcome::running ? failure.status() : outer.calls().status();
    bool met = result.has_value;
    for (int k = 0; k < p.ncomp() && result.has_value; ++k) {
      value[k] = q.value()[k];
      error[k] = q.error()[k];
      if (p.ndim() > 1) error[k] += std::fabs(q.value()[p.ncomp() + k] - value[k]);
    }
    for (int k = 0; k < p.ncomp() && result.has_value; ++k)
      met = met && error[k] <= tolerated(p.settings, k, value_and_error_arrays{value, error});
    // The first axis has what it wants, but the errors of those behind it are too large.
    if (end == outcome::converged && !met) {
      end = limited ? outcome::evaluations : soft == outcome::converged ? outcome::roundoff : soft;
      if (!limited) result.message = "the errors of the inner integrals are too large for the tolerance";
    }
    // Not even the points that every axis begins with.
    if (!result.has_value && (end == outcome::evaluations || end == outcome::nonfinite || is_ended(end))) {
      result.has_value = true;
      std::fill_n(value, p.ncomp(), nan_value());
      std::fill_n(error, p.ncomp(), infinity_value());
    }
    result.end = end;
  }

  std::vector<std::unique_ptr<nest>> nests_;  // of the threads, and of the caller
};

}  // namespace

std::unique_ptr<host_method> make_host_iterated() { return std::make_unique<host_iterated>(); }

}  // namespace tessera
