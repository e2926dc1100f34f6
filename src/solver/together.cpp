// Runs that the ranks of a communicator share: that all have been asked for the same, and that all end alike.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstring>
#include <limits>
#include <new>

#include "../ranks.hpp"
#include "solver.hpp"

using tessera::common_failure;
using tessera::failure;
using tessera::fingerprint;
using tessera::ranks;

namespace {

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

std::string of_rank(int r) { return "rank " + std::to_string(r); }

// Options in which ranks may differ: they do not change the result.
bool is_of_the_rank(int key) {
  return key == TESSERA_THREADS || key == TESSERA_DEVICE || key == TESSERA_DISK_CACHE || key == TESSERA_KEEP_REGIONS ||
         key == TESSERA_PROGRESS_SECONDS || key == TESSERA_CHECKPOINT_SECONDS;
}
// Options in which a run that goes on may differ from the one before it: how far it goes, and where.
bool is_of_the_run(int key) {
  for (const int one :
       {TESSERA_MAXEVAL, TESSERA_MINEVAL, TESSERA_MAX_MEMORY, TESSERA_RELTOL, TESSERA_ABSTOL, TESSERA_MAX_SECONDS,
        TESSERA_CHECK_TOLERANCE, TESSERA_CONFIDENCE, TESSERA_KEEP_STATE, TESSERA_GATHER, TESSERA_SHARED_CALLS})
    if (key == one) return true;
  return is_of_the_rank(key);
}

}  // namespace

void tessera_solver::set_comm(int kind, const void *comm, std::size_t bytes) {
  if (kind == TESSERA_COMM_HANDLE_C && !comm) {
    if (bytes != 0) throw failure(TESSERA_ERR_ARGUMENT, "comm is NULL and bytes is not 0");
    ranks_.reset();
    return;
  }
  ranks_ = std::make_unique<ranks>(tessera::comm_plugin(), kind, comm, bytes);
}

// What all ranks must have been asked for, beside the arguments of the call; for_state: what a run must have been asked for that goes on from a state.
void tessera_solver::sign(tessera::signature &to, bool for_state) const {
  to.add("version of the library", fingerprint().add(std::string(tessera_version_string())));
  to.add("number of variables", fingerprint().add(ndim_));
  to.add("number of components", fingerprint().add(ncomp_));
  to.add("domain", fingerprint().add(asked_lower_).add(asked_upper_));
  fingerprint shape, source, kept;
  shape.add(shape_.map).add(shape_.corners);
  for (const tessera::axis_limits &l : shape_.limits) shape.add(l.function != nullptr).add(l.is_text);
  for (const limits_text &l : limits_texts_) shape.add(l.source.function).add(l.source.text);
  to.add("limits of axes or simplex", shape);
  if (!for_state)
    to.add("kind of integrand (callback, text or code)",
           fingerprint().add(batch_ != nullptr).add(point_ != nullptr).add(device_batch_ != nullptr).add(has_source()));
  if (has_source()) source.add(static_cast<int>(source_.language)).add(source_.function).add(source_.text);
  to.add("source text or code", source);
  // Those of a callback may be addresses of the rank's own.
  const auto *block = reinterpret_cast<const unsigned char *>(params_.data());
  to.add("parameter block", fingerprint().add(params_bytes_).add(block, has_callback() ? 0 : params_bytes_));
  const std::int64_t device = options_.get_int(TESSERA_DEVICE);
  if (!for_state) to.add("place (TESSERA_DEVICE: host or device)", fingerprint().add(device >= 0 ? 0 : device));
  for (int key = 100; key < 300; ++key) {
    const tessera::key_entry *e = tessera::find_key(key);
    if (!e || (for_state ? is_of_the_run(key) : is_of_the_rank(key))) continue;
    fingerprint value;
    if (key ==
        TESSERA_MAX_SECONDS)  // the rank that is first at its end ends the run; calls within a call have what is left of it
      value.add(options_.get_real(key) > 0.0);
    else if (e->kind == tessera::key_kind::option_int)
      value.add(options_.get_int(key));
    else
      value.add(options_.get_real(key));
    to.add(e->name, value);
  }
#define METHOD(name, number, constant) method_of(tessera::method_##name).sign(kept);
#include "../methods.def"
  to.add("lattice, grid, state, regions, break points or axis rules", kept);
}

// That all ranks have been asked for the same; else a failure that names what differs, on all of them.
void tessera_solver::agree(const tessera::signature &mine) {
  struct {
    std::uint64_t all;
    bool wants_looks;
  } own = {mine.all(), progress_ != nullptr || options_.get_real(TESSERA_MAX_SECONDS) > 0.0}, its = own;
  const ranks::gathered heads = ranks_->exchange(ranks::step::begin, 0, &own, sizeof own);
  bool same = true;
  any_looks_ = false;
  for (int r = ranks_->size(); r-- > 0;) {
    std::memcpy(&its, heads.of(r), sizeof its);
    if (r == ranks_->size() - 1) own.all = its.all;
    same = same && its.all == own.all;
    any_looks_ = any_looks_ || its.wants_looks;
  }
  if (same) return;
  const std::vector<std::uint64_t> &values = mine.values();
  const ranks::gathered all =
      ranks_->exchange(ranks::step::begin, 1, values.data(), values.size() * sizeof(std::uint64_t));
  const std::size_t n = all.size_of(0) / sizeof(std::uint64_t);
  for (int r = 1; r < ranks_->size(); ++r) {
    const std::size_t both = std::min(n, all.size_of(r) / sizeof(std::uint64_t));
    for (std::size_t i = 0; i < both; ++i)
      if (std::memcmp(all.of(0) + i * sizeof(std::uint64_t), all.of(r) + i * sizeof(std::uint64_t),
                      sizeof(std::uint64_t)) != 0)
        throw common_failure(TESSERA_ERR_RANKS, of_rank(r) + " and rank 0 differ: " +
                                                    (i < values.size() ? mine.name(i) : "what they are asked for"));
  }
  throw common_failure(TESSERA_ERR_RANKS, "the ranks run different versions of the library");
}

// That all have come to the same end.
void tessera_solver::confirm(int status, std::uint64_t result) {
  struct {
    int status;
    std::uint64_t result;
  } own = {status, result}, its = own, first = own;
  std::vector<unsigned char> mine(sizeof own);
  std::memcpy(mine.data(), &own, sizeof own);
  if (status != TESSERA_OK) mine.insert(mine.end(), last_error.begin(), last_error.end());
  const ranks::gathered all = ranks_->exchange(ranks::step::end, 0, mine.data(), mine.size());
  std::memcpy(&first, all.of(0), sizeof first);
  for (int r = 0; r < ranks_->size(); ++r) {
    std::memcpy(&its, all.of(r), sizeof its);
    if (its.status == first.status && its.result == first.result) continue;
    // The one that did not come through says why.
    const int which = its.status != TESSERA_OK ? r : 0, of = which == r ? its.status : first.status;
    const std::string text(reinterpret_cast<const char *>(all.of(which)) + sizeof own, all.size_of(which) - sizeof own);
    throw common_failure(of == TESSERA_CALLBACK_STOPPED ? TESSERA_ERR_CALLBACK : TESSERA_ERR_RANKS,
                         of == TESSERA_OK ? of_rank(r) + " and rank 0 have different results: their integrands differ"
                                          : of_rank(which) + " alone has ended so: " + text);
  }
}

// body() on all ranks. What keeps one of them from its end is the failure of all.
template <class Body>
int tessera_solver::together(const Body &body) {
  ranks_->require_thread();
  try {
    return body();
  } catch (const common_failure &) {
    throw;
  } catch (const failure &f) {
    ranks_->fail(f.status(), f.what());
  } catch (const std::bad_alloc &) {
    ranks_->fail(TESSERA_ERR_MEMORY, "no memory left");
  } catch (const std::exception &e) {
    ranks_->fail(TESSERA_ERR_INTERNAL, e.what());
  }
}

int tessera_solver::integrate(int method, double *value, double *error) {
  if (!ranks_) return integrate_here(method, value, error);
  std::vector<double> v(at(ncomp_)), e(v);  // what is the caller's stays untouched until all have a result
  const int status = together([&] {
    tessera::signature mine;
    mine.add("call", fingerprint().add(std::string("tessera_integrate")));
    mine.add("method", fingerprint().add(method));
    sign(mine);
    agree(mine);
    const int end = integrate_here(method, value ? v.data() : nullptr, error ? e.data() : nullptr);
    confirm(end, fingerprint().add(v).add(e).value());
    return end;
  });
  std::copy(v.begin(), v.end(), value);
  std::copy(e.begin(), e.end(), error);
  return status;
}

int tessera_solver::integrate_many(int method, std::int64_t count, const void *params, std::size_t params_bytes,
                                   const double *lower, const double *upper, double *value, double *error,
                                   int *status) {
  if (!ranks_) return integrate_many_here(method, count, params, params_bytes, lower, upper, value, error, status);
  return together([&] {
    require_many(method, count, params, params_bytes, lower, upper, value, error);
    tessera::signature mine;
    mine.add("call", fingerprint().add(std::string("tessera_integrate_many")));
    mine.add("method", fingerprint().add(method));
    mine.add("count", fingerprint().add(count));
    const std::size_t limits = at(count * ndim_);
    mine.add("params", fingerprint()
                           .add(params_bytes)
                           .add_array(static_cast<const unsigned char *>(has_callback() ? nullptr : params),
                                      at(count) * params_bytes));
    mine.add("lower", fingerprint().add_array(lower, limits));
    mine.add("upper", fingerprint().add_array(upper, limits));
    sign(mine);
    agree(mine);
    int end = integrate_many_here(method, count, params, params_bytes, lower, upper, value, error, status);
    if (options_.get_int(TESSERA_GATHER) != 0)
      confirm(end, 0);
    else  // each knows of its own integrals
      for (const std::int64_t its : ranks_->exchange(ranks::step::end, 1, std::int64_t{end}))
        if (its > end) {
          end = static_cast<int>(its);
          last_error = std::string(tessera::status_text(end)) + ", on another rank";
        }
    return end;
  });
}

int tessera_solver::integrate_limit(int method, const tessera::approach &to_zero, double *value, double *error,
                                    const tessera::limit_table &table) {
  if (!ranks_) return integrate_limit_here(method, to_zero, value, error, table);
  return together([&] {
    tessera::signature mine;
    mine.add("call", fingerprint().add(std::string("tessera_integrate_limit")));
    mine.add("method", fingerprint().add(method));
    mine.add("offset, first, ratio, extrapolation or most", fingerprint()
                                                                .add(to_zero.offset)
                                                                .add(to_zero.first)
                                                                .add(to_zero.ratio)
                                                                .add(to_zero.extrapolation)
                                                                .add(to_zero.most));
    sign(mine);
    agree(mine);
    const int end = integrate_limit_here(method, to_zero, value, error, table);
    confirm(end, 0);
    return end;
  });
}

double tessera_solver::agreed_seconds(double own) const {
  if (!ranks_ || !(options_.get_real(TESSERA_MAX_SECONDS) > 0.0)) return own;
  std::int64_t mine;
  static_assert(sizeof mine == sizeof own);
  std::memcpy(&mine, &own, sizeof mine);  // of positive numbers the order is that of their bits
  for (const std::int64_t its : ranks_->exchange(ranks::step::look, 0, mine)) mine = std::max(mine, its);
  std::memcpy(&own, &mine, sizeof own);
  return own;
}
