// SPDX-License-Identifier: BSD-3-Clause
#include "quadrature_many.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>

#include "../first_failure.hpp"
#include "quadrature_calls.hpp"
#include "rows_watch.hpp"

namespace tessera {
namespace {

std::size_t index(int64 i) { return static_cast<std::size_t>(i); }

class many_quadratures {
 public:
  many_quadratures(const many_problem &many, thread_pool &pool, many_hooks &watch, double *value, double *error)
      : many_(many),
        common_(static_cast<const quadrature_problem &>(*many.common)),
        pool_(pool),
        value_(value),
        error_(error),
        numbers_(many.params && common_.shared_calls && common_.integrand.batch && !common_.integrand.is_text),
        shares_(common_.integrand.batch && (!many.params || numbers_)),
        together_(pool.size() > 1 ? rows_of_thread : std::max<int64>(1, many.rows())),
        workers_(index(pool.size())),
        watch_(watch, value, error, common_.ncomp(), workers_.size()),
        results_(many.rows()) {}

  many_results run() {
    pool_.run((many_.rows() + together_ - 1) / together_,
              [this](int64 part, int thread) {
                watch_.guarded(
                    [&] { take(part * together_, std::min(many_.rows(), (part + 1) * together_), index(thread)); });
              },
              [this] { watch_.guarded([this] { watch_.look(); }); });
    watch_.rethrow();
    for (const auto &w : workers_)
      if (w) results_.peak_bytes += w->bytes;
    return std::move(results_);
  }

 private:
  static constexpr int64 rows_of_thread = 4096, in_flight = 256;

  using hooks = rows_watch::row_hooks;  // between the calls of one thread

  // An integral that is under way, with its limits.
  struct slot {
    quadrature_integral integral;
    quadrature_range range;
    int64 row = -1, points = 0;
  };
  struct worker {
    explicit worker(const many_quadratures &m)
        : problem(m.many_.common->copy()), q(static_cast<quadrature_problem &>(*problem)) {
      if (q.shape) limited = std::make_unique<limited_integrand>(*q.shape);
      block.resize(m.many_.params_bytes / sizeof(std::max_align_t) + 1);
    }
    const std::unique_ptr<tessera::problem> problem;
    quadrature_problem &q;
    std::unique_ptr<limited_integrand> limited;
    std::vector<std::max_align_t> block;  // aligned as the block of tessera_set_params is
    quadrature_calls calls;
    slot alone;
    std::vector<std::unique_ptr<slot>> slots;
    int64 bytes = 0;
  };

  void take(int64 first, int64 end, std::size_t thread) {
    const auto set_up = [&] {
      if (!workers_[thread]) workers_[thread] = std::make_unique<worker>(*this);
    };
    if (!has_memory(first, set_up)) {
      for (int64 row = first + 1; row < end; ++row) no_memory(row);
      return;
    }
    worker &w = *workers_[thread];
    hooks h(watch_, thread);
    host_integrand form = common_.integrand;
    if (numbers_) form.userdata = const_cast<unsigned char *>(many_.params);
    if (many_.params && !numbers_) form.userdata = form.params = w.block.data();
    if (w.limited) form = w.limited->of(form);
    w.calls.start(w.q, form, h, numbers_ ? 1 : 0);
    if (shares_)
      side_by_side(first, end, w, h);
    else
      for (int64 row = first; row < end && is_running(row, h); ++row) run_alone(row, w, h);
  }

  // False, with its end: nothing is begun any more.
  bool is_running(int64 row, hooks &h) {
    if (h.is_wanted()) h.within_step();
    const outcome end = watch_.end();
    if (end == outcome::running) return true;
    for (int64 r = row; r < many_.rows() && r < (row / together_ + 1) * together_; ++r)
      if (results_.rows[index(r)].end == outcome::stopped) results_.rows[index(r)].end = end;
    return false;
  }

  // False: there was no memory for what it does, and the row has that as its end; the others go on.
  template <class Body>
  bool has_memory(int64 row, const Body &body) {
    try {
      body();
      return true;
    } catch (const std::bad_alloc &) {
      no_memory(row);
      return false;
    }
  }
  void no_memory(int64 row) {
    results_.rows[index(row)].end = outcome::memory;
    try {
      const std::lock_guard<std::mutex> lock(mutex_);
      results_.keep_message(row, "no memory left");
    } catch (const std::bad_alloc &) {
    }
    watch_.has_finished();
  }

  void begin(slot &s, int64 row, worker &w) {
    s.row = row;
    many_.give_row(row, w.q);
    s.range = w.q.range;
    s.integral.begin(w.q.settings, s.range, w.q.shape, many_.params ? w.block.data() : common_.integrand.params);
  }

  void run_alone(int64 row, worker &w, hooks &h) {
    has_memory(row, [&] { integrate_alone(row, w, h); });
    w.calls.forget_status();
  }
  void integrate_alone(int64 row, worker &w, hooks &h) {
    slot &s = w.alone;
    begin(s, row, w);
    if (many_.params && !numbers_)
      std::memcpy(static_cast<void *>(w.block.data()), many_.block(row), many_.params_bytes);
    first_failure failure;
    failure.watch(0, [&] {
      if (numbers_)
        run_numbered(s, w, h);
      else
        run_integral(s.integral, w.calls, w.q.settings, h);
    });
    if (failure.what() != outcome::running) s.integral.stop(failure.what());
    finish(s, w, h, failure.what() != outcome::running ? failure.message() : w.calls.message());
  }

  // As run_integral, with the number of the integral as a coordinate.
  void run_numbered(slot &s, worker &w, hooks &h) {
    while (s.integral.wanted() > 0) {
      if (ends(s, w)) return;
      const int64 n = s.integral.wanted();
      w.calls.prepare(n);
      write(s, w, 0);
      const outcome end = w.calls.call(n);
      if (end != outcome::running) return s.integral.stop(end);
      s.integral.tell(w.calls.f(), w.calls.stride());
      if (h.is_wanted() && s.integral.wanted() > 0) {
        const outcome now = h.between_steps(s.integral.statistics().evaluations, nullptr, nullptr);
        if (now != outcome::running) return s.integral.stop(now);
      }
    }
  }

  bool ends(slot &s, const worker &w) const {
    const quadrature_settings &set = w.q.settings;
    if (!s.integral.can_stop()) return false;
    if (s.integral.wanted() > set.maxeval - s.integral.statistics().evaluations)
      s.integral.stop(outcome::evaluations);
    else if (s.integral.statistics().bytes > set.memory)
      s.integral.stop(outcome::memory);
    return s.integral.wanted() == 0;
  }
  void write(slot &s, worker &w, int64 at) const {
    s.points = s.integral.wanted();
    s.integral.write(w.calls.x() + at, w.calls.stride());
    if (!numbers_) return;
    double *const number = w.calls.x() + at + w.q.coordinates() * w.calls.stride();
    std::fill_n(number, s.points, static_cast<double>(many_.index[index(s.row)]));
  }

  // The points of all integrals that are under way go to the integrand together; where one has ended the next row takes its place.
  void side_by_side(int64 first, int64 end, worker &w, hooks &h) {
    std::vector<std::unique_ptr<slot>> &slots = w.slots;
    try {
      while (static_cast<int64>(slots.size()) < std::min(in_flight, end - first))
        slots.push_back(std::make_unique<slot>());
    } catch (const std::bad_alloc &) {  // fewer, or one after the other
    }
    if (slots.empty())
      for (int64 row = first; row < end && is_running(row, h); ++row) run_alone(row, w, h);
    int64 next = slots.empty() ? end : first, live = 0;
    const auto refill = [&] {
      while (live < static_cast<int64>(slots.size()) && next < end) {
        if (!is_running(next, h)) {
          next = end;
          return;
        }
        const int64 row = next++;
        has_memory(row, [&] {
          begin(*slots[index(live)], row, w);
          settle(live, w, h);
        });
      }
    };
    refill();
    while (live > 0) {
      int64 n = 0;
      for (int64 i = 0; i < live; ++i) n += slots[index(i)]->integral.wanted();
      outcome end_of_call = outcome::running;
      first_failure failure;
      failure.watch(0, [&] {
        w.calls.prepare(n);
        int64 to = 0;
        for (int64 i = 0; i < live; ++i) {
          write(*slots[index(i)], w, to);
          to += slots[index(i)]->points;
        }
        end_of_call = w.calls.call(n);
      });
      const bool failed = failure.what() != outcome::running || end_of_call == outcome::callback;
      if (failed) w.calls.forget_status();
      int64 at = 0, all = live;
      live = 0;
      for (int64 i = 0; i < all; ++i) {
        slot &s = *slots[index(i)];
        const int64 points = s.points;
        if (failed) {  // whose points it were is found out one by one
          std::swap(slots[index(i)], slots[index(live)]);
          run_alone(slots[index(live)]->row, w, h);
          continue;
        }
        const double *const f = w.calls.f() + at;
        at += points;
        std::swap(slots[index(i)], slots[index(live)]);
        has_memory(s.row, [&] {
          if (end_of_call != outcome::running)
            s.integral.stop(end_of_call);
          else
            s.integral.tell(f, w.calls.stride());
          settle(live, w, h);
        });
      }
      refill();
    }
  }
  // The slot at `live` stays if there is more to be evaluated for it.
  void settle(int64 &live, worker &w, hooks &h) {
    slot &s = *w.slots[index(live)];
    if (s.integral.wanted() > 0 && !ends(s, w))
      ++live;
    else
      finish(s, w, h, {});
  }

  void finish(slot &s, worker &w, hooks &h, const std::string &said) {
    many_row &r = results_.rows[index(s.row)];
    const quadrature_statistics &of = s.integral.statistics();
    r.end = s.integral.end();
    r.has_value = s.integral.has_value();
    r.callback_status = w.calls.status();
    r.evaluations = of.evaluations;
    r.regions = of.intervals;
    r.iterations = of.steps;
    r.zeroed = of.zeroed;
    const int nc = w.q.ncomp();
    std::copy_n(s.integral.value(), nc, value_ + s.row * nc);
    std::copy_n(s.integral.error(), nc, error_ + s.row * nc);
    w.bytes = std::max(w.bytes, of.bytes * std::max<int64>(1, static_cast<int64>(w.slots.size())));
    const std::string &message = said.empty() ? s.integral.message() : said;
    if (!message.empty()) {
      const std::lock_guard<std::mutex> lock(mutex_);
      results_.keep_message(s.row, message);
    }
    h.before += of.evaluations;
    watch_.count(h.thread, h.before);
    if (r.has_value) watch_.has_value(s.row);
    watch_.has_finished();
  }

  const many_problem &many_;
  const quadrature_problem &common_;
  thread_pool &pool_;
  double *const value_, *const error_;
  const bool numbers_;  // the integrand is told whose point it is
  const bool shares_;   // a call has points of many integrals
  const int64 together_;
  std::vector<std::unique_ptr<worker>> workers_;  // by thread
  rows_watch watch_;
  many_results results_;
  std::mutex mutex_;  // of results_, where it is not a row's
};

}  // namespace

many_results quadrature_many(const many_problem &problem, thread_pool &pool, many_hooks &watch, double *value,
                             double *error) {
  return many_quadratures(problem, pool, watch, value, error).run();
}

}  // namespace tessera
