// Host executor: the engine's buffers, and its steps on a pool of threads.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>
#include <vector>

#include "../core/sum.hpp"
#include "../engine/cubature/bulk_steps.hpp"
#include "evaluator.hpp"
#include "pool.hpp"

namespace tessera {

// One host thread is a team of one lane; for the meaning of its functions see engine/cubature/bulk_steps.hpp.
struct host_team : lone_lane {
  static constexpr int most_lanes = 1;
  template <int n>
  static void sum(compensated_sum (&)[n]) {}
  // Turns the lanes' numbers into the sums over the lanes before; returns the sum of the second over all.
  static int64 scan(double &a, int64 &n) {
    const int64 all = n;
    a = 0.0;
    n = 0;
    return all;
  }
  static void least(int &, int &, int &) {}
  static int64 told(bool, int64 v) { return v; }
  // Place in a list for each lane that has something to add; `next` moves on.
  static int64 place(bool add, int64 &next) { return add ? next++ : next; }

  // Counts by bin, added to a shared histogram at the end.
  class counters {
   public:
    counters(host_team &, uint32 *histogram, int64) : histogram_(histogram), bins_(histogram_bins) {}
    void add(int bin) { ++bins_[static_cast<std::size_t>(bin)]; }
    void flush() {
      for (std::size_t b = 0; b < bins_.size(); ++b)
        if (bins_[b] != 0) __atomic_fetch_add(&histogram_[b], bins_[b], __ATOMIC_RELAXED);
    }

   private:
    uint32 *histogram_;
    std::vector<uint32> bins_;
  };
};

class host_grid {
 public:
  using team_type = host_team;
  static constexpr bool own_state = false;
  static constexpr int64 alone_points = 0, lone_regions = 0;
  using small_team = host_team;
  static constexpr int small_lanes = 1;
  explicit host_grid(thread_pool &pool) : pool_(&pool) {}

  static bulk_state &state(bulk_state &given) { return given; }
  host_team &team() { return team_; }
  static bool first_team() { return true; }
  static bool once() { return true; }
  static void barrier() {}
  template <class Body>
  static void in_first(bool, Body body) {
    body();
  }
  static void go_alone() {}
  static void go_together() {}

  template <class Body>
  void chunks(int64 n, Body body) {
    pool_->run(n, [&](int64 chunk, int) {
      host_team team;
      body(team, chunk);
    });
  }
  template <class Body>
  void small_teams(int64 n, Body body) {
    each(n, [&](int64 i) {
      host_team team;
      body(team, i);
    });
  }
  template <class Body>
  void each(int64 n, Body body) {
    constexpr int64 grain = 256;
    pool_->run((n + grain - 1) / grain, [&](int64 part, int) {
      const int64 end = std::min(n, (part + 1) * grain);
      for (int64 i = part * grain; i < end; ++i) body(i);
    });
  }
  template <class Body>
  void lanes_each(int64 n, int, Body body) {
    each(n, [&](int64 i) {
      lone_lane alone;
      body(alone, i);
    });
  }

 private:
  thread_pool *pool_;
  host_team team_;
};

// The host evaluator in the form that the steps call.
class host_bulk_evaluator {
 public:
  static constexpr bool deferred = false, raises = true, searches = true;
  explicit host_bulk_evaluator(host_evaluator &e) : evaluator_(e) {}

  void evaluate(host_grid &, const region_view &regions, const region_list &list, int64 n) {
    end_ = evaluator_.evaluate(regions, list, n);
  }
  void raise(host_grid &, const region_view &regions, const int64 *ids, int64 n, int level) {
    end_ = evaluator_.raise(regions, ids, n, level);
  }
  void search(host_grid &, const region_view &regions, const int64 *ids, int64 n, const search_lines &lines,
              const double *weights, const domain_box &domain, const break_table *known, found_break *found) {
    end_ = evaluator_.search(regions, ids, n, lines, weights, domain, known, found);
  }
  bool failed() const { return end_ != outcome::running; }
  outcome failure() const { return end_; }

 private:
  host_evaluator &evaluator_;
  outcome end_ = outcome::running;
};

class host_executor {
 public:
  static constexpr int64 pause_after = 1;  // the clock and the progress callback are looked at after every step
  static constexpr int64 first_regions = 4096;

  host_executor(thread_pool &pool, host_evaluator &evaluator) : pool_(pool), evaluator_(evaluator) {}

  // Growing memory; the system's realloc moves large blocks without copying them.
  template <class T>
  class buffer {
   public:
    explicit buffer(host_executor &) {}
    ~buffer() { std::free(data_); }
    buffer(const buffer &) = delete;
    buffer &operator=(const buffer &) = delete;

    T *data() { return data_; }
    void resize(int64 n) {
      void *p = std::realloc(static_cast<void *>(data_), static_cast<std::size_t>(n) * sizeof(T));
      if (!p) throw std::bad_alloc();
      data_ = static_cast<T *>(p);
    }

   private:
    T *data_ = nullptr;
  };

  template <class T>
  using shared_buffer = buffer<T>;

  // Regions lie record by record: one region is read and written at a time.
  static region_view arrange(double *base, int ndim, int ncomp, int64) {
    return {base, ndim, ncomp, 1, region_fields(ndim, ncomp)};
  }
  static int64 grow_regions(buffer<double> &b, int fields, int64, int64 capacity, int64) {
    b.resize(capacity * fields);
    return capacity;
  }

  static void agree_on_room(int64 &, int64 &, bool &) {}  // ranks that want memory here end

  static std::vector<double> largest_errors(const region_view &s, int64 n, int wanted, const double *weight) {
    return read_largest_errors(s, n, wanted, weight);
  }

  // Copies from the executor's memory, and to it.
  static void fetch(void *here, const void *there, std::size_t bytes) { std::memcpy(here, there, bytes); }
  static void put(void *there, const void *here, std::size_t bytes) { std::memcpy(there, here, bytes); }
  // body(first, how many) for the doubles of n regions that lie together.
  template <class Body>
  static void each_stretch(const region_view &s, int64 n, const Body &body) {
    body(&s.field(0, 0), n * s.fields());
  }

  void run_bulk(bulk_state &state) {
    host_grid grid(pool_);
    host_bulk_evaluator evaluator(evaluator_);
    bulk_steps<host_grid, host_bulk_evaluator>(grid, state, evaluator).run();
  }

 private:
  thread_pool &pool_;
  host_evaluator &evaluator_;
};

}  // namespace tessera
