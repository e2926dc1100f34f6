// What a fuzzer keeps of its calls: how often each function was called and came to a good end, which call is going on (for a watchdog that
// ends a program that hangs), and the words in which it fails.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>

#include <sys/time.h>
#include <unistd.h>

namespace fuzz {

constexpr int most_threads = 16;
constexpr int patience_seconds = 30;  // for one call: hundreds of milliseconds where all is slowed down

struct call_in_progress {
  std::atomic<const char *> name{"nothing yet"};
  std::atomic<std::uint64_t> trial{0}, number{0};
  std::uint64_t seen = 0;  // by the watchdog
};

inline std::array<call_in_progress, most_threads> &calls_in_progress() {
  static std::array<call_in_progress, most_threads> all;
  return all;
}
inline std::atomic<int> &running_threads() {
  static std::atomic<int> n{0};
  return n;
}
inline std::uint64_t &seed_in_use() {
  static std::uint64_t seed = 0;
  return seed;
}

[[noreturn]] __attribute__((format(printf, 2, 3))) inline void fail(int thread, const char *format, ...) {
  const call_in_progress &c = calls_in_progress()[static_cast<std::size_t>(thread)];
  std::fprintf(stderr, "seed %llu, trial %llu, call %llu, %s: ", static_cast<unsigned long long>(seed_in_use()),
               static_cast<unsigned long long>(c.trial.load()), static_cast<unsigned long long>(c.number.load()),
               c.name.load());
  va_list rest;
  va_start(rest, format);
  std::vfprintf(stderr, format, rest);
  va_end(rest);
  std::fprintf(stderr, "\n");
  std::abort();
}

inline void look_at_the_clock(int) {
  for (int t = 0; t < running_threads(); ++t) {
    call_in_progress &c = calls_in_progress()[static_cast<std::size_t>(t)];
    if (c.seen == c.number && c.number != 0) fail(t, "no end within %d seconds", patience_seconds);
    c.seen = c.number;
  }
}

inline void start_watchdog(int threads, std::uint64_t seed) {
  seed_in_use() = seed;
  running_threads() = threads;
  struct sigaction action = {};
  action.sa_handler = look_at_the_clock;
  action.sa_flags = SA_RESTART;
  sigaction(SIGALRM, &action, nullptr);
  const struct itimerval every = {{patience_seconds, 0}, {patience_seconds, 0}};
  setitimer(ITIMER_REAL, &every, nullptr);
}
inline void stop_watchdog() {
  const struct itimerval never = {};
  setitimer(ITIMER_REAL, &never, nullptr);
}

// Calls by function, of one thread or of all.
class counts {
 public:
  struct entry {
    std::uint64_t calls = 0, good = 0;
    double slowest = 0.0;     // seconds
    std::uint64_t where = 0;  // trial of the slowest
  };
  entry &of(const char *name) { return all_[name]; }
  void add(const counts &other) {
    for (const auto &[name, e] : other.all_) {
      entry &mine = all_[name];
      mine.calls += e.calls;
      mine.good += e.good;
      if (e.slowest > mine.slowest) mine.slowest = e.slowest, mine.where = e.where;
    }
  }
  void print() const {
    std::uint64_t calls = 0, good = 0;
    for (const auto &[name, e] : all_) {
      std::printf("  %-36s %10llu calls %10llu good, slowest %.3g s (trial %llu)\n", name.c_str(),
                  static_cast<unsigned long long>(e.calls), static_cast<unsigned long long>(e.good), e.slowest,
                  static_cast<unsigned long long>(e.where));
      calls += e.calls;
      good += e.good;
    }
    std::printf("%llu calls, %llu of them good\n", static_cast<unsigned long long>(calls),
                static_cast<unsigned long long>(good));
  }
  // Every name of a list with commas must have been called, and have come to a good end at least once. Returns how many have not.
  int missing(const std::string &names) const {
    int n = 0;
    for (std::size_t begin = 0, end; begin < names.size(); begin = end + 1) {
      end = std::min(names.find(',', begin), names.size());
      const std::string name = names.substr(begin, end - begin);
      const auto found = all_.find(name);
      if (found != all_.end() && found->second.good > 0) continue;
      std::printf("%s: %s\n", name.c_str(), found == all_.end() ? "never called" : "never came to a good end");
      ++n;
    }
    return n;
  }

 private:
  std::map<std::string, entry> all_;
};

// Makes a call known to the watchdog and counts it.
template <class Call>
int counted(counts &all, int thread, const char *name, const Call &call) {
  call_in_progress &c = calls_in_progress()[static_cast<std::size_t>(thread)];
  c.name = name;
  c.number = c.number + 1;
  const auto start = std::chrono::steady_clock::now();
  const int status = call();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  counts::entry &e = all.of(name);
  ++e.calls;
  e.good += status >= 0;
  if (seconds > e.slowest) e.slowest = seconds, e.where = c.trial;
  return status;
}

// TRIALS [SEED [THREADS [FIRST]]]
struct arguments {
  std::uint64_t trials, seed = 1, first = 0;
  int threads = 1;
  arguments(int argc, char **argv, std::uint64_t otherwise) : trials(otherwise) {
    if (argc > 1) trials = std::strtoull(argv[1], nullptr, 10);
    if (argc > 2) seed = std::strtoull(argv[2], nullptr, 10);
    if (argc > 3) threads = std::atoi(argv[3]);
    if (argc > 4) first = std::strtoull(argv[4], nullptr, 10);
    if (threads < 1 || threads > most_threads) threads = 1;
  }
};

}  // namespace fuzz
