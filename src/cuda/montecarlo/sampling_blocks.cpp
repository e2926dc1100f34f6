// Blocks of pieces of a call: shared out over the devices of a place and the ranks of a run, and put together in their order.
// SPDX-License-Identifier: BSD-3-Clause
#include "montecarlo.hpp"

#include <algorithm>
#include <new>

namespace tessera {
namespace {

constexpr int64 runs_per_block = 16;  // blocks that are done early take more

}  // namespace

// Where each block leaves its results.
void device_sampler::require_results(int64 blocks) {
  const std::size_t sums = size(blocks * ncomp_) * sizeof(sample_sums);
  partial_.require(sums + size(blocks) * sizeof(int64));
  arguments_.partial = static_cast<sample_sums *>(partial_.address());
  arguments_.failed = reinterpret_cast<int64 *>(static_cast<char *>(partial_.address()) + sums);
}

outcome device_sampler::run_fused(sampling_kernels &kernels, int64 shifts, sample_sums *sums) {
  sampling_arguments &a = arguments_;
  const int64 pieces = pieces_of(a.cut);
  a.first_piece = 0;
  a.end_piece = pieces;
  a.block_pieces = std::max<int64>(1, pieces * shifts / (runs_per_block * kernels.resident()));
  a.shift_blocks = (pieces + a.block_pieces - 1) / a.block_pieces;
  const int64 blocks = a.shift_blocks * shifts;
  require_results(blocks);
  const sampling_arguments cut = a;
  return share_blocks(blocks, shifts, a.samples * shifts, false, sums,
                      [&](device_sampler &member, const item_range &of) {
                        member.adopt(*this, cut, of, shifts);
                        member.start_fused(of);
                      });
}

template <class Start>
outcome device_sampler::share_blocks(int64 blocks, int64 shifts, int64 samples, bool looks, sample_sums *sums,
                                     const Start &start) {
  failure_.clear();
  const int64 nc = ncomp_, of_a_shift = blocks / shifts;
  sample_sums *const partial = arguments_.partial;
  const sampling_arguments whole = arguments_;
  const item_range own = shared_.begin(0, blocks);
  const outcome pause = looks ? between_kernels() : outcome::running;
  const auto end = [&](device_sampler &member, const item_range &of) {
    member.end_blocks(of, of_a_shift);
    if (&member != this) member.merge_failure(failure_);
  };
  const auto guarded_start = [&](device_sampler &member, const item_range &of) {
    member.failure_.clear();
    try {
      start(member, of);
    } catch (const std::bad_alloc &) {
      member.failure_.report(of.first, outcome::memory, 0, {});
    }
  };
  if (pause != outcome::running) {
    failure_.report(own.first, pause, 0, {});
  } else if (numbers_.there()) {  // which are made one after the other
    guarded_start(*this, own);
    end(*this, own);
  } else {
    count_devices(team_.share_out(
        own, samples / blocks * (own.end - own.first),
        [&](device_sampler &member, cuda_setting &setting) { member.join(*this, setting); }, guarded_start, end));
  }
  shared_.exchange(failure_, no_zeroed_, {{partial, sizeof(sample_sums), nullptr, nc}});
  arguments_ = whole;
  const outcome o = take_failure();
  if (o != outcome::running) return o;
  for (int64 b = 0; b < blocks; ++b)
    for (int64 k = 0; k < nc; ++k) sums[b / of_a_shift * nc + k].add(partial[b * nc + k]);
  return outcome::running;
}

// The call of the first device, for blocks of it.
sampling_kernels &device_sampler::adopt(const device_sampler &first, const sampling_arguments &cut,
                                        const item_range &blocks, int64 shifts) {
  if (this != &first) {
    const sample_pass pass = first.pass_;
    prepare(pass);
    if (pass.edges) use_grid(pass);
    if (pass.sobol.axes) use_nets(pass, shifts);
  }
  sampling_arguments &a = arguments_;
  a.cut = cut.cut;
  a.first = cut.first;
  a.samples = cut.samples;
  a.first_piece = cut.first_piece;
  a.end_piece = cut.end_piece;
  a.block_pieces = cut.block_pieces;
  a.shift_blocks = cut.shift_blocks;
  a.team = cut.team;
  a.partial = cut.partial + blocks.first * ncomp_;
  a.failed = cut.failed + blocks.first;
  return *kernels_;
}

void device_sampler::start_fused(const item_range &blocks) {
  arguments_.first_block = blocks.first;
  launch(kernels_->sums(), blocks.end - blocks.first, sampling_block);
}

void device_sampler::end_blocks(const item_range &blocks, int64 of_a_shift) {
  check(cuda().stream_synchronize(stream_), "the kernel");
  if (failure_.item() >= 0) return;
  if (!f_->batch) {
    const outcome o = take_answer(*kernels_);
    if (o != outcome::running) return failure_.report(blocks.first, o, status_, message_);
  }
  const int64 *const failed = arguments_.failed, many = blocks.end - blocks.first;
  const int64 *const bad = std::find_if(failed, failed + many, [](int64 p) { return p >= 0; });
  if (bad == failed + many) return;
  const int64 block = blocks.first + (bad - failed);
  go_to_shift(block / of_a_shift);
  try {
    failure_.report(block, outcome::nonfinite, 0,
                    f_->batch ? callback_nonfinite() : explain_nonfinite(*kernels_, *bad));
  } catch (const std::bad_alloc &) {
    failure_.report(block, outcome::memory, 0, {});
  }
}

int64 device_sampler::value_blocks(const sampling_kernels &kernels, int64 samples) const {
  return std::min((samples + sample_tile - 1) / sample_tile, kernels.resident());
}

// The pieces from a.first_piece to a.end_piece, which have a.count samples.
outcome device_sampler::run_chunk(bool looks, sample_sums *sums) {
  sampling_arguments &a = arguments_;
  const int64 pieces = a.end_piece - a.first_piece;
  a.block_pieces = a.count > pieces * small_piece ? sample_tile / 32 : sample_tile;
  a.team = team_for(a.count, pieces);
  const int64 blocks = (pieces + a.block_pieces - 1) / a.block_pieces;
  require_results(blocks);
  const sampling_arguments cut = a;
  return share_blocks(blocks, 1, a.count, looks, sums, [&](device_sampler &member, const item_range &of) {
    member.adopt(*this, cut, of, 1);
    member.start_chunk(of);
  });
}

// Values and estimates of the pieces of these blocks.
void device_sampler::start_chunk(const item_range &blocks) {
  sampling_arguments &a = arguments_;
  const int64 begin = a.first_piece + blocks.first * a.block_pieces,
              end = std::min(a.end_piece, a.first_piece + blocks.end * a.block_pieces);
  const sample_piece last = piece_at(end - 1);
  a.first_piece = begin;
  a.end_piece = end;
  a.first_sample = piece_at(begin).first;
  a.count = last.first + last.count - a.first_sample;
  a.stride = (a.count * points_of_sample(pass_) + 63) / 64 * 64;
  allocate(values_, size(ncomp_ * a.stride) * sizeof(double));
  a.f = pointer<double>(values_.address());
  if (numbers_.there()) {
    numbers_.require(a.first_sample, a.count);
    a.given = numbers_.numbers(pass_.shift);
  }
  if (f_->batch) {
    const outcome o = make_values(*kernels_);
    if (o != outcome::running) return failure_.report(blocks.first, o, status_, message_);
  }
  launch(kernels_->values(), value_blocks(*kernels_, a.count), sample_tile);
  launch(kernels_->pieces(), blocks.end - blocks.first, sample_tile);
}

// The points of the chunk and their values.
outcome device_sampler::make_values(const sampling_kernels &kernels) {
  sampling_arguments &a = arguments_;
  allocate(x_, size(coordinates_ * a.stride) * sizeof(double));
  a.x = pointer<double>(x_.address());
  launch(kernels.batch_points(), std::min<int64>((a.count + sample_tile - 1) / sample_tile, 65536), sample_tile);
  return call_back(a.count * points_of_sample(pass_), x_.address(), values_.address(), a.stride);
}

}  // namespace tessera
