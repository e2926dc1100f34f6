// Many integrals over the ranks of a communicator: chunks that each rank takes when it is through with the one before, from a counter that
// all share, and the results brought together.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstring>
#include <vector>

#include "../rough_clock.hpp"
#include "solver.hpp"

using tessera::many_results;
using tessera::many_row;
using tessera::ranks;

namespace {

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

// Where chunks begin, and the end of the last one. They become smaller, a share of what is left, so that the last ones, which all ranks
// wait for, are short; but never smaller than what keeps the threads of a rank busy (guided self-scheduling, Polychronopoulos and Kuck
// 1987).
std::vector<std::int64_t> chunks_of(std::int64_t rows, std::int64_t least, std::int64_t size) {
  constexpr std::int64_t shares = 4;  // of each rank in what is left
  std::vector<std::int64_t> begin(1, 0);
  while (begin.back() < rows)
    begin.push_back(std::min(rows, begin.back() + std::max(least, (rows - begin.back()) / (shares * size))));
  return begin;
}

// Of a chunk: those before it count too, and the rank that has the counter answers the others.
class chunk_watch final : public tessera::many_hooks {
 public:
  chunk_watch(tessera::many_hooks &all, const ranks &ranks) : all_(all), ranks_(ranks) {}

  bool is_wanted() const override { return ranks_.rank() == 0 || all_.is_wanted(); }
  bool is_over() const override { return all_.is_over(); }
  bool due() override {
    constexpr double apart = 1e-3;
    const double now = ranks_.rank() == 0 ? tessera::rough_seconds() : 0.0;
    if (now >= next_) {
      ranks_.progress();
      next_ = now + apart;
    }
    return all_.due();
  }
  tessera::outcome look(tessera::int64 evaluations, tessera::int64 finished, const double *value,
                        const double *error) override {
    return all_.look(evaluations_ + evaluations, finished_ + finished, value, error);
  }
  void add(const many_results &chunk) {
    finished_ += static_cast<tessera::int64>(chunk.rows.size());
    for (const many_row &r : chunk.rows) evaluations_ += r.evaluations;
  }

 private:
  tessera::many_hooks &all_;
  const ranks &ranks_;
  tessera::int64 evaluations_ = 0, finished_ = 0;
  double next_ = 0.0;
};

// The rows of a rank as one message: number of rows, then for each its place, what is known of it, value and error; then the texts.
class row_message {
 public:
  row_message(int ncomp, double *value, double *error) : nc_(at(ncomp)), value_(value), error_(error) {}

  std::vector<unsigned char> pack(const many_results &all, const std::vector<std::int64_t> &own) {
    bytes_.clear();
    put(static_cast<std::int64_t>(own.size()));
    put(all.region_bytes);
    for (const std::int64_t row : own) {
      put(row);
      put(all.rows[at(row)]);
      put_all(value_ + at(row) * nc_, nc_);
      put_all(error_ + at(row) * nc_, nc_);
    }
    for (const std::int64_t row : own) {
      const std::string text = all.message_of(row);
      if (text.empty()) continue;
      put(row);
      put(static_cast<std::int64_t>(text.size()));
      put_all(text.data(), text.size());
    }
    return std::move(bytes_);
  }

  void unpack(const unsigned char *from, std::size_t n, many_results &all) {
    from_ = from;
    const unsigned char *const end = from + n;
    std::int64_t count = 0, row = 0, length = 0;
    tessera::int64 region_bytes = 0;
    take(count);
    take(region_bytes);
    all.region_bytes = std::max(all.region_bytes, region_bytes);
    for (std::int64_t i = 0; i < count; ++i) {
      take(row);
      take(all.rows[at(row)]);
      take_all(value_ + at(row) * nc_, nc_);
      take_all(error_ + at(row) * nc_, nc_);
    }
    while (from_ < end) {
      take(row);
      take(length);
      std::string text(at(length), ' ');
      take_all(text.data(), text.size());
      all.keep_message(row, text);
    }
  }

 private:
  template <class T>
  void put_all(const T *v, std::size_t n) {
    const auto *p = reinterpret_cast<const unsigned char *>(v);
    bytes_.insert(bytes_.end(), p, p + n * sizeof(T));
  }
  template <class T>
  void put(const T &v) {
    put_all(&v, 1);
  }
  template <class T>
  void take_all(T *v, std::size_t n) {
    std::memcpy(static_cast<void *>(v), from_, n * sizeof(T));
    from_ += n * sizeof(T);
  }
  template <class T>
  void take(T &v) {
    take_all(&v, 1);
  }

  const std::size_t nc_;
  double *const value_, *const error_;
  std::vector<unsigned char> bytes_;
  const unsigned char *from_ = nullptr;
};

}  // namespace

many_results tessera_solver::run_many_on_ranks(tessera::method &m, tessera::many_problem &problem, int &device,
                                               tessera::many_hooks &watch, double *value, double *error) {
  const std::int64_t rows = problem.rows(), nc = ncomp_;
  many_results all(rows);
  if (rows == 0) return all;
  const int threads = problem.common->threads;
  // What keeps a rank busy, where there is so much.
  constexpr std::int64_t of_device = 4096, shares = 8;
  const std::int64_t own_least = device == tessera::host
                                     ? threads
                                     : std::max<std::int64_t>(1, std::min(of_device, rows / (shares * ranks_->size())));
  std::int64_t least = 1;
  for (const std::int64_t its : ranks_->exchange(ranks::step::claims, static_cast<tessera::uint64>(rows), own_least))
    least = std::max(least, its);
  const std::vector<std::int64_t> begin = chunks_of(rows, least, ranks_->size());
  ranks_->begin_claims();
  chunk_watch of_chunk(watch, *ranks_);
  for (many_row &r : all.rows) r.elsewhere = true;
  std::vector<std::int64_t> own;
  for (;;) {
    const std::size_t chunk = at(ranks_->claim());
    if (chunk + 1 >= begin.size()) break;
    const std::int64_t first = begin[chunk], n = begin[chunk + 1] - first;
    const int before = device;
    many_results some(n);
    try {
      tessera::many_problem part = problem.part(first, n);
      some = run_many(m, part, device, of_chunk, value + first * nc, error + first * nc);
    } catch (const tessera::out_of_time &late) {
      for (many_row &r : some.rows) r.end = tessera::outcome::time;
      some.keep_message(0, late.what());
    }
    if (device != before) {  // the next ones are for the host from the beginning
      problem.common = common_problem(m, device);
      problem.common->threads = threads;
    }
    of_chunk.add(some);
    for (std::int64_t i = 0; i < n; ++i) {
      all.rows[at(first + i)] = some.rows[at(i)];
      all.keep_message(first + i, some.message_of(i));
      own.push_back(first + i);
    }
    all.region_bytes = std::max(all.region_bytes, some.region_bytes);
    all.peak_bytes = std::max(all.peak_bytes, some.peak_bytes);
    all.threads = std::max(all.threads, some.threads);
  }
  row_message message(ncomp_, value, error);
  const bool gather = options_.get_int(TESSERA_GATHER) != 0;
  const std::vector<unsigned char> mine = message.pack(all, gather ? own : std::vector<std::int64_t>());
  const ranks::gathered every =
      ranks_->exchange(ranks::step::rows, static_cast<tessera::uint64>(rows), mine.data(), mine.size());
  for (int r = 0; r < ranks_->size(); ++r)
    if (r != ranks_->rank()) message.unpack(every.of(r), every.size_of(r), all);
  return all;
}
