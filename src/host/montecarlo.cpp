// Monte Carlo on the host: evaluates the samples of a pass by calling the user's function, on one thread or several.
// SPDX-License-Identifier: BSD-3-Clause
#include "method.hpp"

#include <algorithm>
#include <memory>

#include "../engine/montecarlo/monte_carlo.hpp"
#include "../engine/montecarlo/sample_points.hpp"
#include "../kept_sampler.hpp"
#include "block_calls.hpp"
#include "training_squares.hpp"
#include "vegas_pieces.hpp"

namespace tessera {
namespace {

// What takes most of the time beside the integrand, for wider processors too: without fused multiplications, so to the same bits. Not
// under the thread sanitizer: the loader would have to choose before the sanitizer is there.
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__SANITIZE_THREAD__)
#define TESSERA_WIDER __attribute__((target_clones("avx2", "default"), flatten))
#else
#define TESSERA_WIDER
#endif
TESSERA_WIDER void fill_points(const sample_pass &pass, int ndim, int64 first, int64 samples, const sample_arrays &to) {
  fill_uniform(pass, ndim, first, samples, to);
}
TESSERA_WIDER void map_points(const sample_pass &pass, const sample_axis *axes, int ndim, points_of_cube *cubes,
                              int64 many, const sample_arrays &points) {
  map_samples(pass, axes, ndim, cubes, many, points);
}

TESSERA_WIDER bool are_finite(const double *f, int64 n) {
  double check[8] = {};  // not a number as soon as one value is not finite
  int64 i = 0;
  for (; i + 8 <= n; i += 8)
    for (int l = 0; l < 8; ++l) check[l] += 0.0 * f[i + l];
  for (; i < n; ++i) check[0] += 0.0 * f[i];
  double all = 0.0;
  for (const double c : check) all += c;
  return all == 0.0;
}
TESSERA_WIDER void weigh_values(double *f, const double *jacobian, int64 n) {
  for (int64 i = 0; i < n; ++i) f[i] = weighted(f[i], jacobian[i]);
}

class host_sampler : public block_calls, public sampling_executor {
 public:
  host_sampler(const sampling_problem &problem, thread_pool &pool)
      : block_calls(problem, pool, room_for(problem, pool.size())),
        problem_(problem),
        infinite_(false),
        block_(block_for(problem)),
        pieces_(problem.ndim()),
        work_(index(pool.size())) {
    for (const sample_axis &a : problem.axes) infinite_ |= a.map.kind != axis_finite;
  }

  static memory_needs needs(const sampling_problem &problem, int threads) {
    const sampling_settings &s = problem.settings;
    const int64 nd = s.ndim, nc = s.ncomp;
    return {threads * thread_bytes(problem, block_for(problem)) +
                nc * (64 + (8 + kept_items(problem)) * static_cast<int64>(sizeof(sample_sums))) +
                (has_grid(problem) ? 40 * nd * grid_edges : 0),
            sampling_bytes(s, static_cast<double>(s.points), has_grid(problem))};
  }
  int64 work_bytes() const {  // that there are
    int64 bytes = needs(problem_, 0).fixed + (slices_together() > 1 ? pieces_.bytes() : 0);
    for (const workspace &w : work_) bytes += thread_bytes(problem_, w.stride);
    return bytes;
  }

  // See engine/montecarlo/sampling_executor.hpp.
  outcome run_plain(const sample_pass &pass, int64 first, int64 &samples, sample_sums *sums) override {
    int64 made = 0;
    const outcome o = run_shifts(pass, first, samples, 1, sums, made);
    if (is_ended(o)) samples = made;
    return o;
  }
  // The items of one shift after the other, of several shifts at a time where ranks share them.
  outcome run_shifts(sample_pass pass, int64 first, int64 samples, int64 shifts, sample_sums *sums,
                     int64 &made) override {
    made = 0;
    const sample_cut cut = cut_into_pieces(samples);
    plain_.clear();
    for (int64 p = 0; p < pieces_of(cut); ++p) plain_.push_back(plain_piece(cut, pass.cube, first, samples, p));
    make_items(plain_.data(), {0, static_cast<int64>(plain_.size())}, points_of_sample(pass));
    const std::vector<int64> of_one = tasks_;
    const int64 items = of_one.back(), most = kept_items(problem_);
    const int64 together = std::min(shifts, std::max<int64>(1, most / items));
    unused_.resize(plain_.size() * index(together));
    for (int64 r = 0; r < shifts; r += together, sums += together * ncomp_) {
      const outcome o = run_together(pass, of_one, samples, std::min(together, shifts - r), sums, made);
      if (o != outcome::running) return o;
      pass.shift += together;
      if (pass.sobol.axes) pass.sobol.axes += together * sobol_words(ndim_, pass.sobol.columns);
    }
    return outcome::running;
  }
  void watch(run_hooks &hooks) { block_calls::watch(work_, hooks); }

  void begin_course(const std::vector<double> &edges, const std::vector<int> &cells,
                    const std::vector<double> &spread) override {
    pieces_.begin(edges, cells, spread);
  }
  outcome iterate(const vegas_iteration &it, sample_sums *sums, const std::function<outcome(int64)> &made) override {
    for (workspace &w : work_) std::fill(w.training.begin(), w.training.end(), uint64{0});
    training_squares_ = 0.0;
    return pieces_.iterate(
        it, slices_together(),
        [&](const sample_pass &pass, pieces_call &call, const auto &meanwhile) {
          return run(pass, call, sums, meanwhile);
        },
        [&](int64 n, const auto &body) { by_threads(n, body); }, made);
  }
  // Integers: the order of the threads does not matter. The squares are added in the order of the items.
  void learn(bool believe_all, double damping) override {
    std::vector<uint64> counts(index(ndim_) * grid_bins, 0);
    for (const workspace &w : work_)
      for (std::size_t i = 0; i < w.training.size(); ++i) counts[i] += w.training[i];
    add_up(counts.data(), static_cast<int64>(counts.size()));
    pieces_.learn(counts, believe_all ? 0.0 : training_squares_, damping);
  }
  void recall_course(std::vector<double> &edges, std::vector<double> *spread) override {
    pieces_.recall(edges, spread);
  }
  int64 slice_samples(bool) const override { return cut_samples; }

 private:
  // Of an iteration: the more threads there are the more items there have to be for none to wait long at the end of a call. One where the
  // user has said how much memory there is. Ranks make the same calls, and their numbers of threads may differ.
  int slices_together() const {
    constexpr int most = 8;
    if (problem_.memory_is_given) return 1;
    return ranks_there() > 1 ? std::min(most, ranks_there()) : std::clamp(static_cast<int>(work_.size()) / 4, 1, most);
  }
  // Evaluates pieces and adds their estimates to sums[ncomp]; sets the spreads, the variance of one sample in each. meanwhile: see run_tasks.
  template <class Meanwhile>
  outcome run(const sample_pass &pass, pieces_call &of, sample_sums *sums, const Meanwhile &meanwhile) {
    const sample_piece *const pieces = of.pieces.data();
    double *const spread = of.spread.data();
    make_items(pieces, of.slices, points_of_sample(pass));
    const int64 n = static_cast<int64>(items_.size()) - 1, nc = ncomp_;
    const auto sum = [&](int64 first, int64 behind, workspace &w) {
      sum_items(pass, pieces, first, behind, 0, w, spread);
    };
    const outcome o = run_items(n, spread, sum, meanwhile);
    if (o != outcome::running) return o;
    for (int64 i = 0; i < n; ++i) {
      for (int64 k = 0; k < nc; ++k) sums[k].add(parts_[index(i * nc + k)]);
      training_squares_ += squares_[index(i)];
    }
    return outcome::running;
  }

  static bool has_grid(const sampling_problem &problem) { return problem.settings.sampling != sampling_plain; }
  // Of shifts that are made together: some for each rank.
  static int64 kept_items(const sampling_problem &problem) {
    constexpr int64 for_each = 8;
    return problem.shared && problem.shared->size() > 1 ? for_each * problem.shared->size() : 0;
  }
  static int64 block_for(const sampling_problem &problem) {
    constexpr int64 most_block = 1024;
    return std::min(most_block, cached_points(problem)) / 2 * 2;
  }
  static int64 thread_bytes(const sampling_problem &problem, int64 points) {
    const int64 nd = problem.ndim(), nc = problem.ncomp();
    return block_bytes(problem, points) + nc * static_cast<int64>(sizeof(sample_moments)) + 256 +
           (has_grid(problem) ? block_stride(points) * grid_point_bytes(nd) + 8 * nd * grid_bins +
                                    (block_for(problem) / 2 + 2) * static_cast<int64>(sizeof(points_of_cube))
                              : 0);
  }
  static int64 grid_point_bytes(int64 ndim) { return ndim + 16 + static_cast<int64>(sizeof(stretch)) / 2; }
  static int64 room_for(const sampling_problem &problem, int threads) {
    return room_for_calls(problem, threads, block_for(problem), needs(problem, 1).fixed, needs(problem, threads).fixed,
                          point_bytes(problem) + (has_grid(problem) ? grid_point_bytes(problem.ndim()) : 0));
  }

  // Samples first .. first+n-1 of a piece, at places offset .. in the block.
  struct stretch {
    int64 piece, first, n, offset;
  };
  // Per thread.
  struct workspace : point_block {
    std::vector<stretch> stretches;
    std::vector<points_of_cube> cubes;  // in the near cache
    training_squares squares;
    std::vector<sample_moments> moments;  // of one piece
    // With a grid; see sample_arrays.
    raw_array grid, boost;
    std::vector<unsigned char> bins;
    std::vector<uint64> training;
    int64 broken = -1, broken_samples = 0;  // the item in which the time was over, and samples of its last piece
  };

  // The pieces of plain_ for so many shifts. of_one: the tasks of each.
  outcome run_together(const sample_pass &pass, const std::vector<int64> &of_one, int64 samples, int64 shifts,
                       sample_sums *sums, int64 &made) {
    const int64 n = of_one.back(), nc = ncomp_;
    tasks_.assign(1, 0);
    for (int64 r = 0; r < shifts; ++r)
      for (std::size_t t = 1; t < of_one.size(); ++t) tasks_.push_back(r * n + of_one[t]);
    const auto sum = [&](int64 item, int64 behind, workspace &w) {
      sample_pass of_shift = pass;
      const int64 r = item / n;
      of_shift.shift += r;
      if (pass.sobol.axes) of_shift.sobol.axes += r * sobol_words(ndim_, pass.sobol.columns);
      sum_items(of_shift, plain_.data(), item - r * n, behind - r * n, r * n, w, &unused_[index(r) * plain_.size()]);
    };
    const outcome o = run_items(n * shifts, nullptr, sum, [] {});
    if (o != outcome::running && !is_ended(o)) return o;
    const int64 there = o == outcome::running ? shifts : failed_item() / n;
    for (int64 r = 0; r < there; ++r, made += samples)
      for (int64 i = r * n; i < (r + 1) * n; ++i)
        for (int64 k = 0; k < nc; ++k) sums[r * nc + k].add(parts_[index(i * nc + k)]);
    if (o != outcome::running) made += add_what_there_is(there * n, samples, sums + there * nc);
    return o;
  }

  // body(first item, end item, workspace) for n items that tasks_ are made of. spread: of their pieces, which all ranks are to have; or null.
  template <class Body, class Meanwhile>
  outcome run_items(int64 n, double *spread, const Body &body, const Meanwhile &meanwhile) {
    parts_.assign(index(n * ncomp_), {});
    squares_.assign(index(n), 0.0);
    for (workspace &w : work_) w.broken = -1;
    return run_tasks([&](int64 first, int64 behind, int thread) { body(first, behind, work_[index(thread)]); },
                     {{parts_.data(), sizeof(sample_sums), nullptr, ncomp_},
                      {squares_.data(), sizeof(double)},
                      {spread, sizeof(double), spread ? items_.data() : nullptr, spread ? 1 : 0}},
                     meanwhile);
  }

  // The time was over, and pieces are those of one stratum: the samples before the one at which the first item broke off count, in the
  // shift whose first item is `begin`. Returns how many.
  int64 add_what_there_is(int64 begin, int64 samples, sample_sums *sums) {
    const int64 broken = failed_item(), nc = ncomp_;
    std::vector<sample_sums> parts(index(nc));
    int64 there = 0;
    for (int64 p = 0; p < items_[index(broken - begin)]; ++p) there += plain_[index(p)].count;
    for (int64 i = begin; i < broken; ++i)
      for (int64 k = 0; k < nc; ++k) parts[index(k)].add(parts_[index(i * nc + k)]);
    for (const workspace &w : work_) {
      if (ranks_there() > 1) break;  // those of this rank are unknown to the others
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

  // Items are cut by their samples within slices, the same for every form of the integrand; what a thread takes together fills calls.
  void make_items(const sample_piece *pieces, const std::vector<int64> &slices, int64 points_of_one) {
    const int64 n = slices.back();
    items_.assign(1, 0);
    tasks_.assign(1, 0);
    const int64 behind = pieces[n - 1].first + pieces[n - 1].count;
    int64 in_item = 0, task_at = pieces[0].first;
    std::size_t slice = 1;
    for (int64 i = 0; i < n; ++i) {
      const int64 at = pieces[i].first;
      const bool begins = i == slices[slice];
      if (begins) ++slice;
      if (begins || (in_item > 0 && in_item + pieces[i].count > most_piece)) {
        if (may_end((at - task_at) * points_of_one, (behind - at) * points_of_one)) {
          tasks_.push_back(static_cast<int64>(items_.size()));
          task_at = at;
        }
        items_.push_back(i);
        in_item = 0;
      }
      in_item += pieces[i].count;
    }
    tasks_.push_back(static_cast<int64>(items_.size()));
    items_.push_back(n);
  }

  void prepare(workspace &w, int64 points, bool grid) const {
    const std::size_t nd = index(ndim_);
    block_calls::prepare(w, points);
    w.moments.resize(index(ncomp_));
    if (!grid) return;
    const std::size_t n = index(w.stride);
    if (w.boost.size() < n) {
      w.bins = {};
      w.bins.resize(n * nd);
      w.grid.resize(n);
      w.boost.resize(n);
    }
    w.training.resize(nd * grid_bins, 0);
  }

  // The samples of items go through the integrand as many at a time as it takes; a piece may begin in one call and end in another.
  // before: items of other shifts before them.
  void sum_items(const sample_pass &pass, const sample_piece *pieces, int64 first, int64 behind, int64 before,
                 workspace &w, double *spread) {
    const bool pairs = pass.antithetic;
    const int64 per = points_of_sample(pass), end = items_[index(behind)];
    int64 piece = items_[index(first)], within = 0, item = first;
    const int64 all = pieces[end - 1].first + pieces[end - 1].count - pieces[piece].first;
    const int64 each = points_of_call(all * per);
    const int64 most = std::max<int64>(1, std::min(points_together(block_, each) / per, all));
    prepare(w, most * per, pass.edges != nullptr);
    w.cubes.reserve(index(block_ / per / 2 + 2));
    w.stretches.reserve(index(std::min(most / 2 + 2, end - piece)));
    std::fill(w.moments.begin(), w.moments.end(), sample_moments());
    w.squares.begin_item(block_ / per);
    while (piece < end) {
      w.stretches.clear();
      int64 samples = 0;
      const int64 room = std::max<int64>(1, std::min(most, w.watch.room(f_.batch) / per));
      for (int64 p = piece, from = within; p < end && samples < room; ++p, from = 0) {
        const int64 n = std::min(pieces[p].count - from, room - samples);
        w.stretches.push_back({p, pieces[p].first + from, n, samples});
        samples += n;
      }
      if (!evaluate(pass, pieces, before + item, each, w)) {
        w.broken = before + item;
        w.broken_samples = piece == items_[index(item)] ? within : 0;
        return;
      }
      for (const stretch &s : w.stretches) {
        for (int k = 0; k < ncomp_; ++k) {
          const double *f = &w.f[index(k * w.stride + s.offset)];
          sample_moments m = w.moments[index(k)];
          if (pairs)
            for (int64 i = 0; i < s.n; ++i) m.add(0.5 * f[i] + 0.5 * f[samples + i]);
          else
            add_samples(m, f, s.n);
          w.moments[index(k)] = m;
        }
        if (is_training(pass)) train_stretch(pass, pieces[s.piece], s, samples, w);
        within += s.n;
        if (within < pieces[s.piece].count) continue;
        finish_piece(pass, pieces[s.piece], &parts_[index((before + item) * ncomp_)], w, spread[s.piece]);
        ++piece;
        within = 0;
        if (piece < items_[index(item + 1)]) continue;
        squares_[index(before + item)] = w.squares.sum;
        w.squares.begin_item(block_ / per);
        ++item;
      }
    }
  }

  static void add_samples(sample_moments &m, const double *f, int64 n) {
    const int64 first = m.count == 0 ? 1 : 0;
    if (first > 0) m.first = f[0];
    m.count += n;
    for (int64 i = first; i < n; ++i) m.add_deviation(f[i] - m.first);
  }

  void finish_piece(const sample_pass &pass, const sample_piece &piece, sample_sums *sums, workspace &w,
                    double &spread) const {
    double together = 0.0;
    for (int k = 0; k < ncomp_; ++k) {
      const stratum_estimate e = estimate_stratum(w.moments[index(k)]);
      sums[k].add(e, piece.weight);
      together += e.spread * pass.scale[k];
      w.moments[index(k)] = {};
    }
    spread = together;
    w.squares.close();
  }

  // Points, values and jacobians of a block; afterwards f holds the weighted values. Antithetic points come after all others.
  bool evaluate(const sample_pass &pass, const sample_piece *pieces, int64 item, int64 each, workspace &w) {
    const std::vector<stretch> &all = w.stretches;
    const int64 samples = all.back().offset + all.back().n, n = samples * points_of_sample(pass);
    fill(pass, pieces, all, samples, w);
    if (!call(item, n, each, w)) return false;
    if (pass.unit != 1.0)
      for (int k = 0; k < ncomp_; ++k)
        for (int64 i = 0; i < n; ++i) w.f[index(k * w.stride + i)] *= pass.unit;
    const bool weights = infinite_ || pass.edges;
    bool finite = true;
    for (int k = 0; k < ncomp_ && finite; ++k) {
      double *f = &w.f[index(k * w.stride)];
      finite = are_finite(f, n);
      if (!weights || !finite) continue;
      weigh_values(f, w.jacobian.data(), n);
      finite = are_finite(f, n);
    }
    if (finite) return true;
    report_nonfinite(item, n, w);
    return false;
  }

  // Points and jacobians of a call, one cache of them after the other. The stretches follow each other.
  void fill(const sample_pass &pass, const sample_piece *pieces, const std::vector<stretch> &all, int64 samples,
            workspace &w) const {
    const int nd = ndim_;
    const int64 most = block_ / points_of_sample(pass), first = all.front().first;
    const sample_arrays to = {w.x.data(), w.stride, w.jacobian.data(), w.grid.data(), w.boost.data(), w.bins.data()};
    const bool weights = problem_.settings.weights;
    auto s = all.begin();
    for (int64 from = 0, end; from < samples; from = end) {
      end = std::min(samples, from + most);
      const sample_arrays part = {to.x + from, to.ldx, to.jacobian + from, nullptr, nullptr, nullptr};
      fill_points(pass, nd, first + from, end - from, part);
      complete_samples(pass, nd, end - from, samples, part);
      w.cubes.clear();
      if (!pass.edges) w.cubes.push_back({pieces[s->piece].cube, from, end, 0});  // all pieces of the pass are alike
      const auto begin = s;
      for (int64 i = from, n; pass.edges && i < end; i += n) {
        n = std::min(end, s->offset + s->n) - i;
        w.cubes.push_back({pieces[s->piece].cube, i, i + n, 0});
        if (i + n == s->offset + s->n) ++s;
      }
      for (int64 half = 0; half < points_of_sample(pass); ++half) {
        for (points_of_cube &c : w.cubes) {
          c.from += half * samples;
          c.to += half * samples;
        }
        map_points(pass, problem_.axes.data(), nd, w.cubes.data(), static_cast<int64>(w.cubes.size()), to);
        auto piece = begin;
        for (const points_of_cube &c : w.cubes) {
          if (weights) fill_weights(pass, pieces[piece->piece], nd, c.from, c.to, to);
          ++piece;
        }
      }
    }
  }

  void train_stretch(const sample_pass &pass, const sample_piece &piece, const stretch &s, int64 samples,
                     workspace &w) const {
    training_squares &q = w.squares;
    for (int64 i = 0, n; i < s.n; i += n) {
      n = std::min(s.n - i, q.left);
      const int64 from = s.offset + i;
      train(pass, piece, s.first + i, from, from + n, w, q.open[0]);
      if (pass.antithetic) train(pass, piece, s.first + i, samples + from, samples + from + n, w, q.open[1]);
      q.take(n);
    }
  }

  // first: the sample at `from`.
  void train(const sample_pass &pass, const sample_piece &piece, int64 first, int64 from, int64 to, workspace &w,
             double &squares_so_far) const {
    const int nd = ndim_, nc = ncomp_;
    const int64 stride = w.stride;
    const double share = training_share(pass, piece);
    const double *const f = w.f.data(), *const boost = w.boost.data();
    const unsigned char *const bins = w.bins.data();
    uint64 *const training = w.training.data();
    const bool all = pass.training_skip == 0;
    double sum = squares_so_far;
    for (int64 i = from; i < to; ++i) {
      const int64 sample = first + (i - from);
      if (!all && !is_training_sample(pass, sample)) {
        i += training_group - 1 - sample % training_group;
        continue;
      }
      double squares = 0.0;
      for (int k = 0; k < nc; ++k) {
        const double v = f[k * stride + i];
        squares += v * v * pass.scale[k];
      }
      const uint64 quantum = training_quantum(pass, squares * boost[i], share);
      if (quantum == 0) continue;
      for (int j = 0; j < nd; ++j) training[j * grid_bins + bins[j * stride + i]] += quantum;
      const double counted = static_cast<double>(static_cast<int64>(quantum));
      sum += counted * counted;
    }
    squares_so_far = sum;
  }

  const sampling_problem &problem_;
  bool infinite_;
  const int64 block_;  // points that stay in a near cache
  vegas_pieces pieces_;
  std::vector<workspace> work_;
  std::vector<sample_piece> plain_;
  std::vector<double> unused_;      // spreads
  std::vector<int64> items_;        // of pieces items_[i] ... items_[i + 1] - 1
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
  std::unique_ptr<kept_sampler> kept;
  if (problem.answers) kept = std::make_unique<kept_sampler>(executor, settings, *problem.answers);
  sampling_executor &with_answers = kept ? static_cast<sampling_executor &>(*kept) : executor;
  monte_carlo driver(with_answers, settings, problem.axes, problem.volume, *problem.grid, problem.record, hooks);
  sampling_result result;
  result.chi_square.assign(static_cast<std::size_t>(problem.ncomp()), 0.0);
  double *const chi_square = problem.chi_square ? problem.chi_square : result.chi_square.data();
  result.end = driver.run(value, error, chi_square, result.has_value);
  std::copy_n(chi_square, result.chi_square.size(), result.chi_square.data());
  result.statistics = driver.statistics();
  result.statistics.bytes += executor.work_bytes();
  result.callback_status = executor.callback_status();
  result.message = executor.message();
  if (result.message.empty()) result.message = driver.remark();
  executor.tell_zeroed(result, result.statistics.evaluations);
  return result;
}

std::unique_ptr<host_method> make_host_monte_carlo() {
  return std::make_unique<host_function<sampling_problem, sampling_result>>(run_monte_carlo, host_sampler::needs);
}

}  // namespace tessera
