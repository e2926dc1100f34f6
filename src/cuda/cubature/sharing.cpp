// One integral over several devices and ranks. The first device of a rank has the regions and makes the steps, and where a step has many
// regions to evaluate, each rank applies the rule to a part of them, and each of its devices to a part of that. Which that is decides
// nothing: a region's sums are those of any device, and the steps add up the regions as they always do.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <chrono>
#include <vector>

#include "../../plugin.hpp"
#include "cubature.hpp"

namespace tessera {
namespace {

constexpr int64 most_packed = int64{1} << 28;  // bytes that are sent at a time
constexpr double least_gain = 0.9;             // of the time of one device, above which sharing does not pay

double seconds_since(std::chrono::steady_clock::time_point from) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - from).count();
}

std::size_t numbers(int64 n) { return static_cast<std::size_t>(n) * sizeof(double); }

// The pieces of some of the divided regions.
step_part part_of(const bulk_state &state, const item_range &items) {
  step_part part = {};
  part.regions = state.regions;
  part.list = state.pending_list.behind(items.first);
  part.n = (items.end - items.first) * state.pending_list.pieces;
  return part;
}

}  // namespace

void cuda_cubature::begin_sharing(const cubature_problem &problem, const device_integrand &integrand,
                                  device_report &report) {
  problem_ = &problem;
  integrand_ = &integrand;
  report_ = &report;
  not_worth_ = 0;
  why_stopped_.clear();
  team_.begin_run();
  ranks_.begin(problem.shared, team_.size(), one_device_is_several());
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

bool cuda_cubature::has_others() const { return team_.size() > 1 || ranks_.are_there(); }
bool cuda_cubature::always() const { return ranks_.are_there() ? ranks_.always() : team_.always(); }
int64 cuda_cubature::least_points() const {
  if (ranks_.are_there()) return ranks_.least_points();
  return team_.always() ? 0 : std::max(team_.least_shared(), not_worth_);
}
void cuda_cubature::took(double seconds, int64 points) { team_.took(seconds, points); }

outcome cuda_cubature::share_out(const bulk_state &state) try {
  const auto from = std::chrono::steady_clock::now();
  const int64 parents = state.pending / state.pending_list.pieces, points = pending_points(state);
  const int64 most = std::max<int64>(1, most_packed / (8 * state.regions.fields() * state.pending_list.pieces));
  const bool among_ranks = ranks_.share(points);
  double alone = 0.0;  // seconds that this rank would have taken
  outcome o = outcome::running;
  for (int64 first = 0; first < parents && o == outcome::running; first += most) {
    const item_range some = {first, std::min(parents, first + most)};
    const cuda_executor::answer all = among_ranks ? share_among_ranks(state, some, alone) : evaluate(state, some);
    if (all.flags != 0) executor_.tell(all);
    o = all.end;
  }
  if (!among_ranks) return agreed(o);
  if (o == outcome::running) ranks_.took(alone, seconds_since(from), points);
  return o;
} catch (...) {
  executor_.forget_parts();
  throw;
}

// ---- Ranks ----------------------------------------------------------------------------------------------------------------------

cuda_executor::answer cuda_cubature::share_among_ranks(const bulk_state &state, const item_range &some, double &alone) {
  const auto from = std::chrono::steady_clock::now();
  const CUstream stream = setting_.stream();
  const int pieces = state.pending_list.pieces, fields = result_fields(state.regions.ncomp());
  const item_range own = ranks_.begin_step(some);
  const std::size_t bytes = numbers((some.end - some.first) * pieces * fields);
  if (bytes > results_.bytes()) results_.require(std::max(bytes, std::min(2 * bytes, std::size_t{most_packed})));
  const auto results_of = [&](const item_range &items) {
    step_part a = part_of(state, items);
    a.packed = static_cast<double *>(results_.address()) + (items.first - some.first) * pieces * fields;
    a.first = box_fields(state.regions.ndim());
    a.fields = fields;
    a.by_region = true;
    a.failed = state.raising > 0 ? nullptr : executor_.failed();
    return a;
  };
  cuda_executor::answer said = {0, 0, outcome::running};
  if (own.first < own.end) {
    said = evaluate(state, own);
    executor_.packing().pack(results_of(own), stream);
    alone +=
        seconds_since(from) * static_cast<double>(some.end - some.first) / static_cast<double>(own.end - own.first);
  }
  check(cuda().stream_synchronize(stream), "packing regions");
  said = agree_on(said, own.first, {{results_.address(), sizeof(double), nullptr, int64{pieces} * fields}});
  if (said.end != outcome::running) return said;
  for (const item_range &of_others : {item_range{some.first, own.first}, item_range{own.end, some.end}})
    if (of_others.first < of_others.end) executor_.packing().unpack(results_of(of_others), stream);
  return said;
}

// What all ranks are to do where the integrand has ended the evaluation on one of them. item: the first that this one has evaluated.
cuda_executor::answer cuda_cubature::agree_on(const cuda_executor::answer &said, int64 item,
                                              std::initializer_list<item_array> left) {
  cuda_executor::answer all = said;
  const bool ends = (said.flags & flags_that_end) != 0;
  const first_failure &first =
      ends ? ranks_.exchange(item, outcome::callback, said.status, why_stopped(said.flags, said.status), left)
           : ranks_.exchange(item, said.end, batch_.callback().status, batch_.callback().message, left);
  if (first.what() == outcome::running) return all;
  if (kernel_) {  // whose next steps end the run
    all.flags |= flag_stop;
    all.status = first.status();
    why_stopped_ = first.message();
  } else {
    all.end = first.what();
    batch_.take_answer(first.status(), first.message());
  }
  return all;
}

outcome cuda_cubature::agreed(outcome end) {
  if (!ranks_.are_there() || kernel_) return end;
  return agree_on({0, 0, end}, 0, {}).end;
}

// ---- The devices of a rank ------------------------------------------------------------------------------------------------------

// Of the pieces of some of the divided regions, as many as may be packed together.
cuda_executor::answer cuda_cubature::evaluate(const bulk_state &state, const item_range &own) {
  const int64 points = pending_points(state) / state.pending * state.pending_list.pieces * (own.end - own.first);
  const bool is_worth = always() || pending_points(state) / ranks_.count() >= not_worth_;
  bool several = is_worth && team_.members(own, points) > 1;
  if (several) try {
      packed_.require(numbers((own.end - own.first) * state.pending_list.pieces * state.regions.fields()));
    } catch (const device_error &e) {
      if (!e.out_of_memory()) throw;
      several = false;
    }
  if (several) return evaluate_on_devices(state, own, points);
  const auto from = std::chrono::steady_clock::now();
  const step_part part = part_of(state, own);
  executor_.start_part(state, part.regions, part.list, part.n);
  const cuda_executor::answer said = executor_.end_part();
  team_.took(seconds_since(from), points);
  return said;
}

// All devices have about as many.
cuda_executor::answer cuda_cubature::evaluate_on_devices(const bulk_state &state, const item_range &own, int64 points) {
  const auto from = std::chrono::steady_clock::now();
  const int fields = state.regions.fields(), boxes = box_fields(state.regions.ndim());
  const int64 pieces = state.pending_list.pieces;
  const int wanted = team_.members(own, points);
  const int64 elsewhere = part_of_member(own, 0, wanted).end;  // from here on
  const auto boxes_of = [&](const item_range &items) {
    step_part a = part_of(state, items);
    a.packed = pointer<double>(packed_.address() + numbers((items.first - elsewhere) * pieces * fields));
    a.fields = boxes;
    return a;
  };
  const auto results_of = [&](const item_range &items) {
    step_part a = boxes_of(items);
    a.packed += a.n * boxes;
    a.first = boxes;
    a.fields = fields - boxes;
    a.failed = state.raising > 0 ? nullptr : executor_.failed();
    return a;
  };
  for (int m = 1; m < wanted; ++m)
    executor_.packing().pack(boxes_of(part_of_member(own, m, wanted)), setting_.stream());
  check(cuda().stream_synchronize(setting_.stream()), "packing regions");

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
      own, points, [&](cuda_cubature &member, cuda_setting &setting) { member.join(*this, setting); },
      [&](cuda_cubature &member, const item_range &items) {
        const step_part part = boxes_of(items);
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
    if (std::none_of(returned.begin(), returned.end(), [&](const item_range &r) { return r.first == items.first; })) {
      executor_.packing().unpack(results_of(items), setting_.stream());
      continue;
    }
    const step_part part = boxes_of(items);
    executor_.start_part(state, part.regions, part.list, part.n);
    take_answer(*this);
  }
  report_->devices = std::max(report_->devices, n);
  team_.took(alone, points);
  if (seconds_since(from) > least_gain * alone) not_worth_ = 4 * (pending_points(state) / ranks_.count());
  return all;
}

// The boxes come from the first device, and go back as values, errors and states.
void cuda_cubature::start_elsewhere(const cuda_cubature &first, const bulk_state &state, const step_part &part) {
  const int nd = part.regions.ndim(), nc = part.regions.ncomp();
  const std::size_t boxes = numbers(part.n * part.fields), all = numbers(part.n * part.regions.fields());
  has_part_ = true;
  try {
    packed_.require(all);
  } catch (const device_error &e) {
    if (!e.out_of_memory()) throw;
    has_part_ = false;
    return;
  }
  const CUdeviceptr there = reinterpret_cast<CUdeviceptr>(part.packed), here = packed_.address();
  const CUcontext its = first.setting_.context(), own = setting_.context();
  const CUstream stream = setting_.stream();
  check(cuda().copy_to_device(here, own, there, its, boxes, stream), "sending regions to another device");
  executor_.start_part(state, arrange_by_field(pointer<double>(here), nd, nc, part.n), {nullptr, 0, 1}, part.n);
  check(cuda().copy_to_device(there + boxes, its, here + boxes, own, all - boxes, stream),
        "sending regions back to the first device");
}

}  // namespace tessera
