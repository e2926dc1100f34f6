// SPDX-License-Identifier: BSD-3-Clause
#include "lease.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include "report.hpp"
#include "settings.hpp"

namespace dropin {

namespace {
constexpr std::size_t most_kept = 8;                             // in one thread
constexpr std::int64_t most_bytes_kept = std::int64_t{4} << 20;  // of a solver that is kept
}  // namespace

struct kept_solver {
  tessera_solver *solver = nullptr;
  int ndim = 0, ncomp = 0;
  bool busy = false;
  unsigned long used = 0;

  kept_solver() = default;
  kept_solver(const kept_solver &) = delete;
  kept_solver &operator=(const kept_solver &) = delete;
  ~kept_solver() { tessera_destroy(solver); }
};

namespace {

class thread_solvers {
 public:
  ~thread_solvers() {
    for (auto &k : all_)
      if (k->busy) k.release();  // the integrand has ended the program, in the middle of a run
  }

  kept_solver *take(int ndim, int ncomp) {
    for (auto &k : all_)
      if (!k->busy && k->ndim == ndim && k->ncomp == ncomp) return use(*k);
    auto fresh = std::make_unique<kept_solver>();
    if (tessera_create(&fresh->solver, ndim, ncomp) != TESSERA_OK) return nullptr;
    fresh->ndim = ndim;
    fresh->ncomp = ncomp;
    if (ranks_share() && tessera_set_comm_world(fresh->solver) != TESSERA_OK)
      report("TESSERA_COMM=world",
             tessera_last_error(fresh->solver));  // each rank computes by itself, with the same result
    all_.push_back(std::move(fresh));
    return use(*all_.back());
  }

  void give_back(kept_solver *k) {
    k->busy = false;
    std::int64_t bytes = 0;
    tessera_get_int(k->solver, TESSERA_PEAK_MEMORY, &bytes);
    if (bytes > most_bytes_kept && !ranks_share()) return forget(k);  // ranks must forget the same
    if (all_.size() <= most_kept) return;
    kept_solver *oldest = nullptr;
    for (auto &other : all_)
      if (!other->busy && (!oldest || other->used < oldest->used)) oldest = other.get();
    if (oldest) forget(oldest);
  }

 private:
  kept_solver *use(kept_solver &k) {
    k.busy = true;
    k.used = ++clock_;
    tessera_reset(k.solver);  // another routine may have set what this one leaves alone
    return &k;
  }
  void forget(const kept_solver *k) {
    all_.erase(std::find_if(all_.begin(), all_.end(), [k](const auto &p) { return p.get() == k; }));
  }

  std::vector<std::unique_ptr<kept_solver>> all_;
  unsigned long clock_ = 0;
};

thread_solvers &solvers_of_this_thread() {
  static thread_local thread_solvers s;
  return s;
}

}  // namespace

lease::lease(int ndim, int ncomp) : kept_(nullptr) {
  try {
    kept_ = solvers_of_this_thread().take(ndim, ncomp);
  } catch (const std::bad_alloc &) {
    // solver() says so
  }
}

lease::~lease() {
  if (kept_) solvers_of_this_thread().give_back(kept_);
}

tessera_solver *lease::solver() const { return kept_ ? kept_->solver : nullptr; }

int lease::set_int(int key, std::int64_t value) { return tessera_set_int(kept_->solver, key, value); }

int lease::set_real(int key, double value) { return tessera_set_real(kept_->solver, key, value); }

}  // namespace dropin
