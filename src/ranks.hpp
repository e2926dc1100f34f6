// The ranks of a parallel program that share a run: what they tell each other, and how they stay together. Over a plug-in
// (tessera_comm.h); no algorithm is here, and none there.
//
// All ranks take the same steps in the same order, since they decide by the same numbers. At each they exchange something, with a head that
// says which step it is: so a rank that has failed, has ended or has come to another step is known to all of them at once, and the run
// ends everywhere with one status instead of waiting for ever.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "core/hd.hpp"
#include "failure.hpp"
#include "tessera_comm.h"

namespace tessera {

// That all ranks have been told of, or that concerns the communication itself: nothing more can be said to them.
class common_failure : public failure {
 public:
  using failure::failure;
};

// Opened on first use. Throws failure.
const tessera_comm_plugin &comm_plugin();

class ranks {
 public:
  // A duplicate of a communicator; see enum tessera_comm_handle. All ranks call it. Throws failure.
  ranks(const tessera_comm_plugin &plugin, int kind, const void *handle, std::size_t bytes);
  ~ranks();
  ranks(const ranks &) = delete;
  ranks &operator=(const ranks &) = delete;

  int rank() const { return all_.rank; }
  int size() const { return all_.size; }
  int here() const { return all_.here; }                       // on this machine
  bool may_have_threads() const { return all_.threads != 0; }  // each of them

  // The steps of a call.
  enum class step : int { begin, place, memory, look, items, training, pace, claims, rows, state, end };

  // What each rank has handed in, in their order.
  struct gathered {
    std::vector<unsigned char> bytes;
    std::vector<std::size_t> at;  // [size + 1] where that of a rank begins
    const unsigned char *of(int rank) const { return bytes.data() + at[static_cast<std::size_t>(rank)]; }
    std::size_t size_of(int rank) const {
      return at[static_cast<std::size_t>(rank) + 1] - at[static_cast<std::size_t>(rank)];
    }
  };
  // `number`: one that all ranks must have at this step. Throws common_failure, on all ranks, when one of them is not there.
  gathered exchange(step which, uint64 number, const void *mine, std::size_t bytes);
  // Behind an exchange: parts of an array, of so many bytes, one behind the other, of which each rank has its own there, and then all.
  void gather_parts(const std::vector<std::size_t> &bytes, void *all);
  // One number of each rank.
  std::vector<int64> exchange(step which, uint64 number, int64 mine);

  // In place of the next exchange: this rank goes no further. Throws common_failure, the same on all ranks.
  [[noreturn]] void fail(int status, const std::string &why);

  // A counter that all ranks share, from 0 on, for chunks of work.
  void begin_claims();
  int64 claim();
  // On the thread that called: lets the requests of others be served.
  void progress() const { plugin_.progress(state_); }
  // Throws common_failure where this thread may not communicate.
  void require_thread() const;

 private:
  struct head {
    int status;
    int which;
    uint64 number, bytes;
  };
  gathered exchange(const head &mine, const void *data);
  [[noreturn]] void part(const std::vector<head> &heads, const head &mine, const void *data);
  void make_room(gathered &g);
  gathered gather_each(const std::vector<head> &heads, const void *data);
  void require(int failed, const char *why) const;

  const tessera_comm_plugin &plugin_;
  void *state_ = nullptr;
  tessera_comm_ranks all_ = {};
};

}  // namespace tessera
