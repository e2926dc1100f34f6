// SPDX-License-Identifier: BSD-3-Clause
#include "many_devices.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <numeric>
#include <system_error>
#include <thread>
#include <vector>

namespace tessera {
namespace {

std::size_t at(int64 i) { return static_cast<std::size_t>(i); }

// What the devices tell each other.
class many_course {
 public:
  many_course(const many_problem &problem, const many_team &team, many_results &all)
      : problem_(problem), team_(team), all_(all) {}

  struct chunk {
    int64 first, n;
  };
  // The next one; smaller and smaller ones, so that all devices end at about the same time (guided self-scheduling, Polychronopoulos and
  // Kuck 1987). None is left where n = 0.
  chunk take(int64 shares) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const int64 left = problem_.rows() - next_;
    if (end_ != outcome::running) return {next_, 0};
    const chunk c = {next_, std::min(left, std::max(team_.rows_at_once, left / shares))};
    next_ += c.n;
    return c;
  }
  void finished(const chunk &c, const many_results &some) {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (int64 i = 0; i < c.n; ++i) {
      all_.rows[at(c.first + i)] = some.rows[at(i)];
      all_.keep_message(c.first + i, some.message_of(i));
      evaluations_ += some.rows[at(i)].evaluations;
    }
    finished_ += c.n;
    all_.region_bytes = std::max(all_.region_bytes, some.region_bytes);
    all_.peak_bytes = std::max(all_.peak_bytes, some.peak_bytes);
    all_.threads = std::max(all_.threads, some.threads);
  }
  int64 left() const { return problem_.rows() - next_; }
  int64 evaluations() const { return evaluations_; }
  int64 finished() const { return finished_; }
  outcome end() const { return end_; }
  // None is begun any more.
  void stop(outcome end) { end_ = end; }

  void give_up_the_rest() {
    for (int64 i = next_; i < problem_.rows(); ++i) all_.rows[at(i)].end = end_;
  }

 private:
  const many_problem &problem_;
  const many_team &team_;
  many_results &all_;
  std::mutex mutex_;
  std::atomic<int64> next_{0}, evaluations_{0}, finished_{0};
  std::atomic<outcome> end_{outcome::running};
};

// Of the caller's thread, which alone asks the caller's hooks.
class first_watch final : public many_hooks {
 public:
  first_watch(many_hooks &all, many_course &course) : all_(all), course_(course) {}
  bool is_wanted() const override { return all_.is_wanted(); }
  bool is_over() const override { return all_.is_over(); }
  bool due() override { return course_.end() != outcome::running || all_.due(); }
  outcome look(int64 evaluations, int64 finished, const double *value, const double *error) override {
    if (course_.end() == outcome::running)
      course_.stop(all_.look(course_.evaluations() + evaluations, course_.finished() + finished, value, error));
    return course_.end();
  }

 private:
  many_hooks &all_;
  many_course &course_;
};

// Of the others, which hear from it.
class other_watch final : public many_hooks {
 public:
  other_watch(const many_hooks &all, many_course &course) : all_(all), course_(course) {}
  bool is_wanted() const override { return all_.is_wanted(); }
  bool is_over() const override { return all_.is_over(); }
  bool due() override { return course_.end() != outcome::running; }
  outcome look(int64, int64, const double *, const double *) override { return course_.end(); }

 private:
  const many_hooks &all_;
  many_course &course_;
};

}  // namespace

many_results run_many_on_devices(const many_team &team, const many_problem &problem, many_hooks &watch, double *value,
                                 double *error, device_report &report, const part_on_device &run) {
  constexpr double worth_another = 2e-3, worth_starting = 0.5;  // seconds of one device
  constexpr int64 first_share = 64, shares = 4;                 // shares: of each device in what is left
  const int64 nc = problem.common->ncomp();
  many_results all(problem.rows());
  many_course course(problem, team, all);
  first_watch of_first(watch, course);
  std::vector<int> took_part(at(team.devices));  // each device has its own place
  const auto run_chunk = [&](int device, int64 parts, many_hooks &hooks, device_report &said) {
    const many_course::chunk c = course.take(parts);
    if (c.n == 0) return false;
    const many_problem part = problem.part(c.first, c.n);
    took_part[at(device)] = 1;
    course.finished(c, run(device, part, hooks, value + c.first * nc, error + c.first * nc, said));
    return true;
  };

  // The first device begins alone: its pace tells whether others are worth waking up.
  bool together = team.always;
  if (!together) {
    const auto from = std::chrono::steady_clock::now();
    run_chunk(0, first_share, of_first, report);
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - from).count() - report.compile_seconds;
    const int64 made = problem.rows() - course.left();
    together = seconds * static_cast<double>(course.left()) >
               (team.are_there ? worth_another : worth_starting) * static_cast<double>(made);
  }
  std::vector<std::thread> others;
  std::vector<std::exception_ptr> thrown(at(team.devices));
  std::vector<device_report> reports(at(team.devices));
  const auto work = [&](int device, many_hooks &hooks, device_report &said) {
    try {
      while (run_chunk(device, shares * team.devices, hooks, said)) {
      }
    } catch (...) {
      thrown[at(device)] = std::current_exception();
      course.stop(outcome::stopped);
    }
  };
  other_watch of_others(watch, course);
  for (int d = 1; together && d < team.devices; ++d) {
    try {
      others.emplace_back([&, d] {
        other_watch own = of_others;
        work(d, own, reports[at(d)]);
      });
    } catch (const std::system_error &) {  // no thread more: those that there are do it
      break;
    }
  }
  work(0, of_first, report);
  for (std::thread &t : others) t.join();
  for (const std::exception_ptr &e : thrown)
    if (e) std::rethrow_exception(e);
  for (const device_report &r : reports) {
    report.compile_seconds = std::max(report.compile_seconds, r.compile_seconds);
    if (report.remark.empty()) report.remark = r.remark;
  }
  report.devices = std::accumulate(took_part.begin(), took_part.end(), 0);
  course.give_up_the_rest();
  return all;
}

}  // namespace tessera
