// Integrals over several variables one axis after the other (engine/iterated/iterated_axis.hpp) by calling the user's host function. The points of a step
// of the first axis are shared out to the threads, each of which integrates over the axes behind it in depth; these integrals know nothing of
// each other, so the number of threads does not show.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "../engine/iterated/iterated_axis.hpp"
#include "../kept_inner.hpp"
#include "../quadrature_integral.hpp"
#include "../first_failure.hpp"
#include "method.hpp"
#include "quadrature_calls.hpp"

namespace tessera {
namespace {

std::size_t at(int64 i) { return static_cast<std::size_t>(i); }

// What one thread integrates with: the axes from `first` on.
class nest {
 public:
  using axis_integral = iterated_axis<quadrature_integral>;

  // All must stay where they are.
  void start(const iterated_problem &p, const iterated_domain &domain, int first, run_hooks &hooks) {
    p_ = &p;
    axes_.resize(at(p.ndim()));
    prefix_.assign(at(p.ndim()), 0.0);
    value_.resize(at(p.ndim() * p.ncomp()));
    error_.resize(value_.size());
    for (int j = first; j < p.ndim(); ++j) {
      if (!axes_[at(j)]) axes_[at(j)] = std::make_unique<axis_integral>();
      axis(j).start(domain, j);
    }
    quadrature_problem shape;
    shape.settings.ndim = 1;
    shape.settings.ncomp = p.ncomp();
    shape.batch_points = p.batch_points;
    if (p.ndim() == 1) shape.answers = p.answers;
    calls_.start(shape, p.integrand, hooks, p.ndim() - 1, p.ndim());
    record = {};
  }

  axis_integral &axis(int j) { return *axes_[at(j)]; }
  double *prefix() { return prefix_.data(); }
  const quadrature_calls &calls() const { return calls_; }

  // Over axis j and those behind it, with prefix()[0 .. j-1]. Returns why there is no value, or running.
  outcome integrate(int j, const axis_request &asked, double *value, double *error) {
    axis_integral &a = axis(j);
    a.begin(asked);
    while (const int64 n = a.wanted()) {
      const outcome o = j + 1 == p_->ndim() ? call(a, n) : step(a, n);
      if (o != outcome::running && !a.survives(o)) return o;
    }
    const outcome end = a.finish(record, value, error);
    if (j + 1 == p_->ndim()) record.see_row(a.used());
    if (end != outcome::running && message.empty()) message = a.integral().message();
    return end;
  }

  // The integrand itself, at the points of the last axis.
  outcome call(axis_integral &a, int64 n) {
    const int j = a.axis();
    quadrature_integral &q = a.integral();
    if (n > a.left()) return outcome::evaluations;
    calls_.prepare(n);
    const int64 apart = calls_.stride();
    for (int m = 0; m < j; ++m) std::fill_n(calls_.x() + m * apart, n, prefix_[at(m)]);
    q.write(calls_.x() + j * apart, apart);
    const outcome o = calls_.call(n);
    a.use(n);
    record.evaluations += n;
    if (o != outcome::running) return o;
    const int64 zeroed_before = q.statistics().zeroed;
    q.tell(calls_.f(), apart);
    record.zeroed += q.statistics().zeroed - zeroed_before;
    if (q.end() == outcome::nonfinite) message = where_nonfinite(a, n, apart);
    return outcome::running;
  }

  iterated_record record;
  std::string message;

 private:
  outcome step(axis_integral &a, int64 n) {
    const int j = a.axis();
    axis_request inside = a.begin_step();
    double *const value = value_.data() + j * p_->ncomp(), *const error = error_.data() + j * p_->ncomp();
    for (int64 i = 0; i < n; ++i) {
      prefix_[at(j)] = a.x(i);
      inside.most = a.share(n - i);  // what one leaves is for those after it
      const outcome o = integrate(j + 1, inside, value, error);
      a.use(axis(j + 1).used());
      if (o != outcome::running) return o;
      a.keep(i, value, error);
    }
    a.end_step();
    return outcome::running;
  }

  std::string where_nonfinite(axis_integral &a, int64 n, int64 apart) {
    const int j = a.axis();
    for (int64 i = 0; i < n; ++i)
      for (int k = 0; k < p_->ncomp(); ++k) {
        const double v = calls_.f()[k * apart + i];
        if (std::isfinite(v)) continue;
        prefix_[at(j)] = calls_.x()[j * apart + i];
        std::vector<double> x = prefix_;
        show_in_domain(p_->shape, p_->integrand.params, x.data());
        return nonfinite_message(k, v, x.data(), p_->ndim());
      }
    return a.integral().message();
  }

  const iterated_problem *p_ = nullptr;
  std::vector<std::unique_ptr<axis_integral>> axes_;
  std::vector<double> prefix_, value_, error_;  // [ndim], and [ndim][ncomp] of an integral inside
  quadrature_calls calls_;
};

class host_iterated final : public host_method {
 public:
  void run(const problem &of_a_method, thread_pool &pool, run_hooks &hooks, double *value, double *error,
           run_result &to) override {
    const auto &p = static_cast<const iterated_problem &>(of_a_method);
    const iterated_domain domain = p.domain();
    const bool flat = p.ndim() == 1;
    nests_.resize(at(flat ? 1 : pool.size() + 1));  // the last has the first axis
    for (std::size_t i = 0; i < nests_.size(); ++i) {
      if (!nests_[i]) nests_[i] = std::make_unique<nest>();
      nests_[i]->start(p, domain, flat || i + 1 == nests_.size() ? 0 : 1, hooks);
    }
    nest &outer = *nests_.back();
    nest::axis_integral &first = outer.axis(0);
    first.begin(first_request(domain));
    first_failure failure;
    quadrature_integral &q = first.integral();
    outcome end = outcome::running;
    while (end == outcome::running) {
      const int64 n = first.wanted();
      if (n == 0) break;
      if (flat)
        failure.watch(0, [&] { end = outer.call(first, n); });
      else
        share_out(p, pool, n, failure);
      if (failure.what() != outcome::running) end = failure.what();
      if (end == outcome::running && begins_anew(domain)) continue;
      if (end == outcome::running && q.wanted() > 0 && hooks.is_wanted() && q.can_stop()) {
        q.show_running();
        end = hooks.between_steps(evaluations(), q.value(), q.error());
      }
    }
    if (end != outcome::running && q.wanted() > 0) q.stop(end);
    conclude(p, outer, end == outcome::running ? q.end() : end, failure, value, error,
             static_cast<iterated_result &>(to));
  }

  memory_needs needs(const problem &p, int threads) const override {
    return {static_cast<int64>(threads + 1) * p.ndim() *
                (static_cast<int64>(sizeof(nest::axis_integral)) + 16384 + 2048 * int64{p.ncomp()}),
            0};
  }

 private:
  int64 evaluations() const {
    int64 n = 0;
    for (const std::unique_ptr<nest> &t : nests_) n += t->record.evaluations;
    return n;
  }

  bool begins_anew(const iterated_domain &domain) {
    nest &outer = *nests_.back();
    iterated_record all;
    for (const std::unique_ptr<nest> &t : nests_) all.add(t->record);
    if (!is_to_begin_anew(domain, outer.axis(0).least_of_last(), all)) return false;
    const axis_request asked = begin_anew(domain, all);
    for (const std::unique_ptr<nest> &t : nests_) {
      t->record = {};
      t->message.clear();
    }
    outer.record = all;
    outer.axis(0).begin(asked);
    return true;
  }

  // The integrals behind the points of a step of the first axis.
  void share_out(const iterated_problem &p, thread_pool &pool, int64 n, first_failure &failure) {
    nest::axis_integral &first = nests_.back()->axis(0);
    axis_request inside = first.begin_step();
    inside.most = first.share(n);
    const int64 before = evaluations();
    struct note {
      iterated_record record;
      std::vector<double> value, error;
    };
    kept_inner kept(p.answers, p.ncomp());
    std::vector<note> notes(p.answers ? at(n) : 0);
    pool.run(n, [&](int64 i, int thread) {
      failure.watch(i, [&] {
        nest &own = *nests_[at(thread)];
        std::vector<double> value(at(p.ncomp())), error(value);
        const double x = first.x(i);
        iterated_record record;
        outcome o = outcome::running;
        if (!kept.recall(&x, 1, inside, record, value.data(), error.data())) {
          own.prefix()[0] = x;
          own.message.clear();
          const iterated_record so_far = std::exchange(own.record, {});
          o = own.integrate(1, inside, value.data(), error.data());
          record = std::exchange(own.record, so_far);
          if (p.answers && o == outcome::running) notes[at(i)] = {record, value, error};
        }
        own.record.add(record);
        if (o != outcome::running)
          failure.report(i, o, own.calls().status(), own.message.empty() ? own.calls().message() : own.message);
        else
          first.keep(i, value.data(), error.data());
      });
    });
    first.use(evaluations() - before);
    for (std::size_t i = 0; i < notes.size(); ++i) {
      const double x = first.x(static_cast<int64>(i));
      const note &of = notes[i];
      if (!of.value.empty()) kept.keep(&x, 1, inside, of.record, of.value.data(), of.error.data());
    }
    if (failure.what() == outcome::running) first.end_step();
  }

  void conclude(const iterated_problem &p, nest &outer, outcome end, const first_failure &failure, double *value,
                double *error, iterated_result &result) {
    const quadrature_integral &q = outer.axis(0).integral();
    iterated_record all;
    for (const std::unique_ptr<nest> &t : nests_) all.add(t->record);
    result.statistics = q.statistics();
    result.statistics.evaluations = all.evaluations;
    result.statistics.bytes = needs(p, static_cast<int>(nests_.size())).fixed;
    result.zeroed = all.zeroed;
    result.message = failure.what() != outcome::running ? failure.message()
                     : !outer.message.empty()           ? outer.message
                                                        : q.message();
    result.callback_status = failure.what() != outcome::running ? failure.status() : outer.calls().status();
    if (q.has_value()) outer.axis(0).result(value, error);
    const iterated_end told = conclude_iterated(p.settings, end, q.has_value(), all, value, error);
    result.end = told.end;
    result.has_value = told.has_value;
    if (told.by_inner_errors) result.message = why_inner_errors();
  }

  std::vector<std::unique_ptr<nest>> nests_;  // of the threads, and of the caller
};

}  // namespace

std::unique_ptr<host_method> make_host_iterated() { return std::make_unique<host_iterated>(); }

}  // namespace tessera
