// Monte Carlo on the host: evaluates the samples of a pass by calling the user's function, on one thread or several.
// SPDX-License-Identifier: BSD-3-Clause
#include "method.hpp"

#include <algorithm>

#include "../engine/montecarlo/monte_carlo.hpp"
#include "../engine/montecarlo/sample_points.hpp"
#include "block_calls.hpp"

namespace tessera {
namespace {

class host_sampler : public block_calls {
 public:
  host_sampler(const sampling_problem &problem, thread_pool &pool)
      : block_calls(problem, pool), problem_(problem), infinite_(false), work_(index(pool.size())) {
    block_ = block_for(problem);
    for (const sample_axis &a : problem.axes) infinite_ |= a.map.kind != axis_finite;
  }

  static memory_needs needs(const sampling_problem &problem, int threads) {
    const sampling_settings &s = problem.settings;
    const int64 nd = s.ndim, nc = s.ncomp, block = block_for(problem);
    const bool grid = s.sampling != sampling_plain;
    const int64 thread = block_bytes(block, nd, nc) + nc * static_cast<int64>(sizeof(sample_moments)) +
                         (grid ? block * (nd + 16) + 8 * nd * grid_bins : 0);
    return {threads * (thread + 256) + nc * (64 + 8 * static_cast<int64>(sizeof(sample_sums))) +
                (grid ? 40 * nd * grid_edges : 0),
            sampling_bytes(s, static_cast<double>(s.points), grid)};
  }

  // What engine/montecarlo/monte_carlo.hpp asks of an executor.
  outcome run_plain(const sample_pass &pass, int64 first, int64 &samples, sample_sums *sums) {
    const sample_cut cut = cut_into_pieces(samples);
    plain_.clear();
    for (int64 p = 0; p < pieces_of(cut); ++p) plain_.push_back(plain_piece(cut, first, samples, p));
    unused_.resize(plain_.size());
    const outcome o = run(pass, plain_.data(), static_cast<int64>(plain_.size()), sums, unused_.data());
    if (is_ended(o)) samples = add_what_there_is(samples, sums);
    return o;
  }
  void watch(run_hooks &hooks) { block_calls::watch(work_, hooks); }

  outcome run(const sample_pass &pass, const sample_piece *pieces, int64 count, sample_sums *sums, double *spread) {
    make_items(pieces, count);
    const int64 n = static_cast<int64>(items_.size()) - 1, nc = ncomp_;
    parts_.assign(index(n * nc), {});
    squares_.assign(index(n), 0.0);
    for (workspace &w : work_) w.broken = -1;
    const outcome o = run_items(0, n, [&](int64 i, int thread) {
      workspace &w = work_[index(thread)];
      prepare(w, pass.edges != nullptr);
      sum_item(pass, pieces, items_[index(i)], items_[index(i + 1)], i, w, &parts_[index(i * nc)], spread,
               squares_[index(i)]);
    });
    if (o != outcome::running) return o;
    for (int64 i = 0; i < n; ++i) {
      for (int64 k = 0; k < nc; ++k) sums[k].add(parts_[index(i * nc + k)]);
      training_squares_ += squares_[index(i)];
    }
    return outcome::running;
  }

  static int64 slice_samples(bool) { return cut_samples; }
  static std::size_t slice_pieces() { return std::size_t{1} << 17; }
  // Integers: the order of the threads does not matter. The squares are added in the order of the items.
  double take_training(uint64 *counts) {
    for (workspace &w : work_)
      for (std::size_t i = 0; i < w.training.size(); ++i) {
        counts[i] += w.training[i];
        w.training[i] = 0;
      }
    const double squares = training_squares_;
    training_squares_ = 0.0;
    return squares;
  }

 private:
  static int64 block_for(const sampling_problem &problem) {
    constexpr int64 most_block = 1024;
    return std::max(least_block, std::min(most_block, cached_doubles / (problem.ndim() + problem.ncomp()))) / 2 * 2;
  }

  // Per thread.
  struct workspace : point_block {
    std::vector<sample_moments> moments;  // of one piece
    // With a grid; see sample_arrays.
    std::vector<double> grid, boost;
    std::vector<unsigned char> bins;
    std::vector<uint64> training;
    int64 broken = -1, broken_samples = 0;  // the item in which the time was over, and samples of its last piece
  };
  // Samples first .. first+n-1 of a piece, at places offset .. in the block.
  struct stretch {
    int64 piece, first, n, offset;
  };

  // The time was over, and pieces are those of one stratum: the samples before the one at which the first item broke off count. Returns
  // how many.
  int64 add_what_there_is(int64 samples, sample_sums *sums) {
    const int64 broken = ended_at(), nc = ncomp_;
    std::vector<sample_sums> parts(index(nc));
    int64 there = 0;
    for (int64 p = 0; p < items_[index(broken)]; ++p) there += plain_[index(p)].count;
    for (int64 i = 0; i < broken; ++i)
      for (int64 k = 0; k < nc; ++k) parts[index(k)].add(parts_[index(i * nc + k)]);
    for (const workspace &w : work_) {
      if (w.broken != broken || w.broken_samples < least_samples) continue;
      there += w.broken_samples;
      for (int64 k = 0; k < nc; ++k)
        parts[index(k)].add(estimate_stratum(w.moments[index(k)]),
                            static_cast<double>(w.broken_samples) / static_cast<double>(samples));
    }
    if (there < least_samples) return 0;
    for (int64 k = 0; k < nc; ++k)
      sums[k].add(parts[index(k)].times(static_cast<double>(samples) / static_cast<double>(there)));
    return there;
  }

  void make_items(const sample_piece *pieces, int64 n) {
    items_.assign(1, 0);
    int64 in_item = 0;
    for (int64 i = 0; i < n; ++i) {
      if (in_item > 0 && in_item + pieces[i].count > most_piece) {
        items_.push_back(i);
        in_item = 0;
      }
      in_item += pieces[i].count;
    }
    items_.push_back(n);
  }

  void prepare(workspace &w, bool grid) const {
    const std::size_t nd = index(ndim_), n = index(block_);
    block_calls::prepare(w);
    w.moments.resize(index(ncomp_));
    if (grid && w.training.empty()) {
      w.bins.resize(n * nd);
      w.grid.resize(n);
      w.boost.resize(n);
      w.training.assign(nd * grid_bins, 0);
    }
  }

  // The samples of an item go through blocks; a piece may begin in one block and end in another.
  void sum_item(const sample_pass &pass, const sample_piece *pieces, int64 first, int64 end, int64 item, workspace &w,
                sample_sums *sums, double *spread, double &squares) {
    const int nc = ncomp_;
    const int64 block = block_ / points_of_sample(pass);  // samples
    std::vector<stretch> all;
    std::fill(w.moments.begin(), w.moments.end(), sample_moments());
    int64 piece = first, within = 0;
    while (piece < end) {
      all.clear();
      int64 samples = 0;
      const int64 room = std::max<int64>(1, std::min(block, w.watch.room(f_.batch) / points_of_sample(pass)));
      for (int64 p = piece, from = within; p < end && samples < room; ++p, from = 0) {
        const int64 n = std::min(pieces[p].count - from, room - samples);
        all.push_back({p, pieces[p].first + from, n, samples});
        samples += n;
      }
      if (!evaluate(pass, pieces, all, item, w)) {
        w.broken = item;
        w.broken_samples = piece == first ? within : 0;
        return;
      }
      for (const stretch &s : all) {
        const bool pairs = pass.antithetic;
        for (int k = 0; k < nc; ++k) {
          const double *f = &w.f[index(k * block_ + s.offset)];
          sample_moments m = w.moments[index(k)];
          for (int64 i = 0; i < s.n; ++i) m.add(pairs ? 0.5 * f[i] + 0.5 * f[samples + i] : f[i]);
          w.moments[index(k)] = m;
        }
        if (pass.edges) {
          squares += train(pass, pieces[s.piece], s.offset, s.offset + s.n, w);
          if (pairs) squares += train(pass, pieces[s.piece], samples + s.offset, samples + s.offset + s.n, w);
        }
        within += s.n;
        if (within < pieces[s.piece].count) continue;
        double together = 0.0;
        for (int k = 0; k < nc; ++k) {
          const stratum_estimate e = estimate_stratum(w.moments[index(k)]);
          sums[k].add(e, pieces[s.piece].weight);
          together += e.spread * pass.scale[k];
          w.moments[index(k)] = {};
        }
        spread[s.piece] = together;
        ++piece;
        within = 0;
      }
    }
  }

  // Points, values and jacobians of a block; afterwards f holds the weighted values. Antithetic points come after all others.
  bool evaluate(const sample_pass &pass, const sample_piece *pieces, const std::vector<stretch> &all, int64 item,
                workspace &w) {
    const int64 samples = all.back().offset + all.back().n, n = samples * points_of_sample(pass);
    fill(pass, pieces, all, samples, w);
    if (!call(item, n, w)) return false;
    if (pass.unit != 1.0)
      for (int k = 0; k < ncomp_; ++k)
        for (int64 i = 0; i < n; ++i) w.f[index(k * block_ + i)] *= pass.unit;
    double check = 0.0;  // not a number as soon as one value is not finite
    const bool weights = infinite_ || pass.edges;
    for (int k = 0; k < ncomp_; ++k) {
      double *f = &w.f[index(k * block_)];
      for (int64 i = 0; i < n; ++i) check += 0.0 * f[i];
      if (!weights || check != 0.0) continue;
      for (int64 i = 0; i < n; ++i) {
        f[i] = weighted(f[i], w.jacobian[index(i)]);
        check += 0.0 * f[i];
      }
    }
    if (check == 0.0) return true;
    report_nonfinite(item, n, w);
    return false;
  }

  void fill(const sample_pass &pass, const sample_piece *pieces, const std::vector<stretch> &all, int64 samples,
            workspace &w) const {
    const int nd = ndim_;
    const sample_arrays to = {w.x.data(), block_, w.jacobian.data(), w.grid.data(), w.boost.data(), w.bins.data()};
    fill_uniform(pass, nd, all.front().first, samples, to);  // the stretches follow each other
    complete_samples(pass, nd, samples, to);
    const auto map = [&](int64 cube, int64 from, int64 end) {
      map_samples(pass, problem_.axes.data(), nd, cube, from, end, to);
    };
    if (!pass.edges) return map(0, 0, samples * points_of_sample(pass));
    for (const stretch &s : all) {
      map(pieces[s.piece].cube, s.offset, s.offset + s.n);
      if (pass.antithetic) map(pieces[s.piece].cube, samples + s.offset, samples + s.offset + s.n);
    }
  }

  double train(const sample_pass &pass, const sample_piece &piece, int64 from, int64 to, workspace &w) const {
    const int nd = ndim_, nc = ncomp_;
    const double share = training_share(pass, piece);
    double sum = 0.0;
    for (int64 i = from; i < to; ++i) {
      double squares = 0.0;
      for (int k = 0; k < nc; ++k) {
        const double f = w.f[index(k * block_ + i)];
        squares += f * f * pass.scale[k];
      }
      const uint64 quantum = training_quantum(pass, squares * w.boost[index(i)], share);
      if (quantum == 0) continue;
      for (int j = 0; j < nd; ++j) w.training[index(j) * grid_bins + w.bins[index(j * block_ + i)]] += quantum;
      sum += static_cast<double>(quantum) * static_cast<double>(quantum);
    }
    return sum;
  }

  const sampling_problem &problem_;
  bool infinite_;
  std::vector<workspace> work_;
  std::vector<sample_piece> plain_;
  std::vector<double> unused_;      // spreads
  std::vector<int64> items_;        // pieces items_[i] ... items_[i + 1] - 1 are the work of one thread at a time
  std::vector<sample_sums> parts_;  // of each item
  std::vector<double> squares_;     // of each item's training
  double training_squares_ = 0.0;
};

}  // namespace

static sampling_result run_monte_carlo(const sampling_problem &problem, thread_pool &pool, run_hooks &hooks,
                                       double *value, double *error) {
  host_sampler executor(problem, pool);
  executor.watch(hooks);
  sampling_settings settings = problem.settings;
  if (problem.memory_is_given)
    settings.memory = share_memory(settings.memory, host_sampler::needs(problem, 1).fixed).grows;
  monte_carlo<host_sampler> driver(executor, settings, problem.volume, *problem.grid, problem.record, hooks);
  sampling_result result;
  result.chi_square.assign(static_cast<std::size_t>(problem.ncomp()), 0.0);
  result.end = driver.run(value, error, result.chi_square.data(), result.has_value);
  result.statistics = driver.statistics();
  result.statistics.bytes += host_sampler::needs(problem, pool.size()).fixed;
  result.callback_status = executor.callback_status();
  result.message = executor.message();
  executor.tell_zeroed(result, result.statistics.evaluations);
  return result;
}

std::unique_ptr<host_method> make_host_monte_carlo() {
  return std::make_unique<host_function<sampling_problem, sampling_result>>(run_monte_carlo, host_sampler::needs);
}

}  // namespace tessera
