// The kernel that runs the engine's steps, whichever evaluator it has, and what goes to the device with it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <new>
#include <string>
#include <vector>

#include "../../engine/cubature/bulk_state.hpp"
#include "../../problem.hpp"
#include "../device/driver.hpp"
#include "step_part.hpp"

namespace tessera {

struct steps_kernel {
  CUfunction function = nullptr;
  CUfunction of_few = nullptr;  // for one block on each multiprocessor; null: the same
  unsigned block = 0, shared_bytes = 0;
  unsigned grid = 0;        // all blocks that fit
  unsigned small_grid = 0;  // one on each multiprocessor

  static constexpr int64 few_regions = 6000;  // few blocks meet sooner at the barriers; more regions want all that fit

  // Asks how many blocks fit. `who` needs more than there is if none does.
  void fit(int multiprocessors, const char *who) {
    int blocks = 0;
    check(cuda().occupancy(&blocks, function, static_cast<int>(block), shared_bytes), "asking for the occupancy");
    if (blocks < 1) throw device_error(std::string(who) + " more of a multiprocessor than there is");
    grid = static_cast<unsigned>(blocks * multiprocessors);
    small_grid = static_cast<unsigned>(multiprocessors);
  }

  // Runs the steps with so many regions; the kernel leaves its state in *out, which the host can read. start_behind() is called once they have been started. written: null, or what the
  // kernel then sets.
  template <class Extra, class Behind>
  void run(bulk_state &state, int64 regions, const Extra &extra, bulk_state *out, CUstream stream,
           const Behind &start_behind, const int *written = nullptr) const {
    const void *arguments[] = {&state, &extra, &out};
    const bool few = regions <= few_regions;
    check(cuda().launch_cooperative(few && of_few ? of_few : function, few ? small_grid : grid, 1, 1, block, 1, 1,
                                    shared_bytes, stream, const_cast<void **>(arguments)),
          "starting the kernel");
    start_behind();
    if (written)
      wait_for_word(written, stream);
    else
      check(cuda().stream_synchronize(stream), "the kernel");
    state = *out;
  }
};

// What other devices and ranks evaluate of a step, on the first device of a rank.
struct step_packing {
  CUfunction to = nullptr, from = nullptr;

  void find(const loaded_library &library) {
    to = library.function("tessera_pack");
    from = library.function("tessera_unpack");
  }
  void pack(const step_part &a, CUstream stream) const { launch(to, a, stream); }
  void unpack(const step_part &a, CUstream stream) const { launch(from, a, stream); }

 private:
  static void launch(CUfunction f, const step_part &a, CUstream stream) {
    constexpr int64 block = 256, most_blocks = 4096;
    const int64 blocks = (a.n * a.fields + block - 1) / block;
    const void *arguments[] = {&a};
    check(cuda().launch(f, static_cast<unsigned>(blocks < most_blocks ? blocks : most_blocks), 1, 1, block, 1, 1, 0,
                        stream, const_cast<void **>(arguments), nullptr),
          "starting the kernel");
  }
};

inline void upload_rule(const loaded_library &library, const rule &r, CUstream stream) {
  upload(library.global("tessera_rule", sizeof(rule)), &r, sizeof(rule), stream, "uploading the rule");
}
inline void upload_axes(const loaded_library &library, const std::vector<axis_map> &axes, CUstream stream) {
  const std::size_t bytes = axes.size() * sizeof(axis_map);
  upload(library.global("tessera_axes", bytes), axes.data(), bytes, stream, "uploading the domain");
}
inline void upload_points(device_memory &to, const std::vector<uint32> &words, CUstream stream) {
  to.require((words.size() + 1) * sizeof(uint32));
  upload(to.address(), words.data(), words.size() * sizeof(uint32), stream, "uploading the rule's points");
}

// Memory whose want is no failure of the device: the engine can do with less.
template <class Memory>
void require_or_bad_alloc(Memory &memory, std::size_t bytes) {
  try {
    memory.require(bytes);
  } catch (const device_error &e) {
    if (e.out_of_memory()) throw std::bad_alloc();
    throw;
  }
}

}  // namespace tessera
