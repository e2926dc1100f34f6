// Host executor: where the engine's buffers live and how regions lie in them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdlib>
#include <new>

#include "../core/sum.hpp"
#include "../engine/region_store.hpp"
#include "pool.hpp"

namespace tessera {

// One host thread is a team of one lane.
struct host_team {
  static int lane() { return 0; }
  static int lanes() { return 1; }
  static void sync() {}
  static void sum(compensated_sum &) {}
  static void count(int64 *counter) { ++*counter; }
  // Place in a list for each lane that has something to add; `next` moves on.
  static int64 place(bool add, int64 &next) { return add ? next++ : next; }
};

class host_executor {
 public:
  explicit host_executor(thread_pool &pool) : pool_(pool) {}

  // body(i) for i = 0 .. n-1.
  template <class Body>
  void for_each(int64 n, Body body) {
    constexpr int64 grain = 256;
    pool_.run((n + grain - 1) / grain, [&](int64 part, int) {
      const int64 end = std::min(n, (part + 1) * grain);
      for (int64 i = part * grain; i < end; ++i) body(i);
    });
  }

  // body(team, chunk) for chunk = 0 .. chunks-1.
  template <class Body>
  void for_chunks(int64 chunks, Body body) {
    pool_.run(chunks, [&](int64 chunk, int) {
      host_team team;
      body(team, chunk);
    });
  }

  // Regions lie record by record: one region is read and written at a time.
  static region_view arrange(double *base, int ndim, int ncomp, int64) {
    return {base, ndim, ncomp, 1, region_fields(ndim, ncomp)};
  }

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

 private:
  thread_pool &pool_;
};

}  // namespace tessera
