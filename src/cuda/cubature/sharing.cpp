// One integral over several devices: the first one has the regions and makes the steps, and where a step has many regions to evaluate, each
// device applies the rule to a part of them. Which that is decides nothing: a region's sums are those of any device, and the steps add
// up the regions as they always do.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <chrono>
#include <vector>

#include "cubature.hpp"

namespace tessera {
namespace {

constexpr int64 most_packed = int64{1} << 28;  // bytes that are sent at a time
constexpr double least_gain = 0.9;             // of the time of one device, above which sharing does not pay

double seconds_since(std::chrono::steady_clock::time_point from) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - from).count();
}

std::size_t numbers(int64 n) { return static_cast<std::size_t>(n) * sizeof(double); }

}  // namespace

void cuda_cubature::begin_sharing(const cubature_problem &problem, const device_integrand &integrand,
                                  device_report &report) {
  problem_ = &problem;
  integrand_ = &integrand;
  report_ = &report;
  not_worth_ = 0;
  team_.begin_run();
}

// On another device than the first one of a run. Copies between the two go by way of the host where neither can reach the other.
void cuda_cubature::join(const cuda_cubature &first, cuda_setting &setting) {
  const CUcontext its = first.setting_.context(), own = setting.context();
  if (its != own) {
    cuda().reach_directly(its, 0);
    const current_context there(its);
    cuda().reach_directly(own, 0);
  }
  placed_.emplace(setting.place(*first.integrand_));
  begin_run(*first.problem_, *placed_, nullptr, *first.report_);
}

bool cuda_cubature::has_others() const { return team_.size() > 1; }
bool cuda_cubature::always() const { return team_.always(); }
int64 cuda_cubature::least_points() const { return always() ? 0 : std::max(team_.least_shared(), not_worth_); }
void cuda_cubature::took(double seconds, int64 points) { team_.took(seconds, points); }

outcome cuda_cubature::share_out(const bulk_state &state) try {
  const int64 parents = state.pending / state.pending_list.pieces;
  const int64 most = std::max<int64>(1, most_packed / (8 * state.regions.fields() * state.pending_list.pieces));
  try {
    packed_.require(numbers(std::min(parents, most) * state.pending_list.pieces * state.regions.fields()));
  } catch (const device_error &e) {
    if (!e.out_of_memory()) throw;
    executor_.start_part(state, state.regions, state.pending_list, state.pending);
    return executor_.end_part().end;
  }
  outcome o = outcome::running;
  for (int64 first = 0; first < parents && o == outcome::running; first += most)
    o = share_out(state, {first, std::min(parents, first + most)});
  return o;
} catch (...) {
  executor_.forget_parts();
  throw;
}

// The pieces of some of the divided regions. All devices have about as many.
outcome cuda_cubature::share_out(const bulk_state &state, const item_range &own) {
  const auto from = std::chrono::steady_clock::now();
  const int64 fields = state.regions.fields(), pieces = state.pending_list.pieces,
              points = pending_points(state) / state.pending * pieces;
  const int wanted = team_.members(own, (own.end - own.first) * points);
  const int64 elsewhere = part_of_member(own, 0, wanted).end;  // from here on
  const auto part_of = [&](const item_range &items) {
    step_part a = {};
    a.regions = state.regions;
    a.list = state.pending_list.behind(items.first);
    a.n = (items.end - items.first) * pieces;
    a.packed =
        arrange_by_field(pointer<double>(packed_.address() + numbers((items.first - elsewhere) * pieces * fields)),
                         state.regions.ndim(), state.regions.ncomp(), a.n);
    a.failed = state.raising > 0 ? nullptr : executor_.failed();
    return a;
  };
  for (int m = 1; m < wanted; ++m) executor_.packing().pack(part_of(part_of_member(own, m, wanted)), setting_.stream());
  if (wanted > 1) check(cuda().stream_synchronize(setting_.stream()), "packing regions");

  cuda_executor::answer all = {0, 0, outcome::running};
  std::chrono::steady_clock::time_point began;
  double alone = 0.0;                // seconds of all that the first device would have taken
  std::vector<item_range> returned;  // by devices without memory
  const auto take_answer = [&](cuda_cubature &member) {
    const cuda_executor::answer said = member.executor_.end_part();
    if (&member != this && said.flags != 0)
      clear_flags({member.kernel_->flags(), member.kernel_->status()}, member.setting_.stream());
    if ((all.flags & flags_that_end) == 0) all.status = said.status;
    all.flags |= said.flags;
    if (all.end != outcome::running || said.end == outcome::running) return;
    all.end = said.end;
    if (&member != this) batch_.take_callback(member.batch_);
  };
  const int n = team_.share_out(
      own, (own.end - own.first) * points,
      [&](cuda_cubature &member, cuda_setting &setting) { member.join(*this, setting); },
      [&](cuda_cubature &member, const item_range &items) {
        const step_part part = part_of(items);
        if (&member != this) return member.start_elsewhere(*this, state, part);
        began = std::chrono::steady_clock::now();
        executor_.start_part(state, part.regions, part.list, part.n);
      },
      [&](cuda_cubature &member, const item_range &items) {
        if (&member != this && !member.has_part_) return returned.push_back(items);
        take_answer(member);
        if (&member == this)
          alone = seconds_since(began) * static_cast<double>(own.end - own.first) /
                  static_cast<double>(items.end - items.first);
      });
  for (int m = 1; m < n; ++m) {
    const item_range items = part_of_member(own, m, n);
    const step_part part = part_of(items);
    if (std::none_of(returned.begin(), returned.end(), [&](const item_range &r) { return r.first == items.first; })) {
      executor_.packing().unpack(part, setting_.stream());
      continue;
    }
    executor_.start_part(state, part.regions, part.list, part.n);
    take_answer(*this);
  }
  if (all.flags != 0) executor_.tell(all);
  report_->devices = std::max(report_->devices, n);
  team_.took(alone, (own.end - own.first) * points);
  if (n > 1 && seconds_since(from) > least_gain * alone) not_worth_ = 4 * pending_points(state);
  return all.end;
}

// The boxes come from the first device, and go back as values, errors and states.
void cuda_cubature::start_elsewhere(const cuda_cubature &first, const bulk_state &state, const step_part &part) {
  const int nd = part.regions.ndim(), nc = part.regions.ncomp();
  const std::size_t boxes = numbers(part.n * box_fields(nd)), all = numbers(part.n * part.regions.fields());
  has_part_ = true;
  try {
    packed_.require(all);
  } catch (const device_error &e) {
    if (!e.out_of_memory()) throw;
    has_part_ = false;
    return;
  }
  const CUdeviceptr there = reinterpret_cast<CUdeviceptr>(&part.packed.field(0, 0)), here = packed_.address();
  const CUcontext its = first.setting_.context(), own = setting_.context();
  const CUstream stream = setting_.stream();
  check(cuda().copy_to_device(here, own, there, its, boxes, stream), "sending regions to another device");
  executor_.start_part(state, arrange_by_field(pointer<double>(here), nd, nc, part.n), {nullptr, 0, 1}, part.n);
  check(cuda().copy_to_device(there + boxes, its, here + boxes, own, all - boxes, stream),
        "sending regions back to the first device");
}

}  // namespace tessera
