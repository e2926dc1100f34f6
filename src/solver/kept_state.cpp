// The state of a run: kept, saved, loaded, and written while the run goes on.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <new>

#include "kept_run.hpp"
#include "solver.hpp"

using tessera::failure;
using tessera::host;
using tessera::kept_run;
using tessera::ranks;

namespace {

std::string name_of_method(int method) {
  switch (method) {
#define METHOD(name, number, constant) \
  case number:                         \
    return #constant;
#include "../methods.def"
    case TESSERA_AUTO:
      return "TESSERA_AUTO";
    default:
      return "method " + std::to_string(method);
  }
}

}  // namespace

// The answers that the run begins with and adds to; null: none are kept.
void tessera_solver::begin_state(int method, bool on_host) {
  const bool wanted = options_.get_int(TESSERA_KEEP_STATE) != 0;
  if (!wanted && checkpoint_.empty() && !given_state_) return;
  if (options_.get_int(TESSERA_NONFINITE_POLICY) == TESSERA_NONFINITE_ZERO) {
    no_state_ = "a run with TESSERA_NONFINITE_POLICY = TESSERA_NONFINITE_ZERO keeps no state";
    if (given_state_ || !checkpoint_.empty()) throw failure(TESSERA_ERR_UNSUPPORTED, no_state_);
    return;
  }
  auto next = std::make_unique<kept_run>();
  next->content.method = method;
  next->content.ndim = ndim_;
  next->content.ncomp = ncomp_;
  next->content.version = tessera_version_string();
  tessera::signature mine;
  sign(mine, true);
  for (std::size_t i = 0; i < mine.values().size(); ++i)
    next->content.about.emplace_back(mine.name(i), mine.values()[i]);
  if (method == TESSERA_CUBATURE &&
      options_.get_int(TESSERA_SPARSE) != TESSERA_SPARSE_ALONE)  // on a device the regions
    next->content.about.emplace_back("the place, host or device, which a cubature cannot change", on_host ? 0 : 1);
  if (given_state_) {
    const tessera::state_content &of = given_state_->content;
    if (of.method != method)
      throw failure(TESSERA_ERR_ARGUMENT, "tessera_load_state: the state is of " + name_of_method(of.method) +
                                              ", not of " + name_of_method(method));
    for (std::size_t i = 0; i < next->content.about.size(); ++i)
      if (i >= of.about.size() || of.about[i] != next->content.about[i])
        throw failure(TESSERA_ERR_ARGUMENT,
                      "tessera_load_state: the state is of another problem: there is a difference in " +
                          next->content.about[i].first);
    next->answers = std::move(given_state_->answers);
    given_state_.reset();
  }
  if (writes_checkpoints()) tessera::require_writable(checkpoint_);
  kept_state_ = std::move(next);
  answers_ = &kept_state_->answers;
}

void tessera_solver::end_state() {
  if (!answers_) return;
  answers_ = nullptr;
  if (writes_checkpoints()) write_checkpoint();
  if (options_.get_int(TESSERA_KEEP_STATE) == 0) kept_state_.reset();
}

bool tessera_solver::writes_checkpoints() const { return !checkpoint_.empty() && (!ranks_ || ranks_->rank() == 0); }

// A run does not end because a disk is full.
void tessera_solver::write_checkpoint() const {
  try {
    write_kept(checkpoint_);
  } catch (const std::exception &e) {
    log(1, std::string("the state of the run has not been written: ") + e.what());
  }
}

// What the hooks of the run call; null where nothing is written.
std::function<void()> tessera_solver::checkpoint_writer() const {
  if (!answers_ || !writes_checkpoints()) return nullptr;
  return [this] { write_checkpoint(); };
}

void tessera_solver::write_kept(const std::string &path) const {
  if (!kept_state_->answers.is_complete())
    throw failure(TESSERA_ERR_MEMORY, "there was no memory to keep the state of the run");
  if (kept_state_->answers.is_empty())
    throw failure(TESSERA_ERR_UNSUPPORTED, "there is no state yet: the run has come to no step at which it is kept");
  tessera::write_state(path, kept_state_->content, kept_state_->answers);
}

void tessera_solver::save_state(const char *path) const {
  const auto save = [&] {
    if (!path) throw failure(TESSERA_ERR_ARGUMENT, "path is NULL");
    if (!kept_state_)
      throw failure(TESSERA_ERR_UNSUPPORTED, !no_state_.empty()
                                                 ? no_state_
                                                 : "there is no state: no run of tessera_integrate has been made "
                                                   "with TESSERA_KEEP_STATE = 1 since");
    if (!ranks_ || ranks_->rank() == 0) write_kept(path);
  };
  if (!ranks_ || in_progress_callback) return save();
  try {
    save();
  } catch (const failure &f) {
    ranks_->fail(f.status(), f.what());
  } catch (const std::bad_alloc &) {
    ranks_->fail(TESSERA_ERR_MEMORY, "no memory left");
  }
  ranks_->exchange(ranks::step::state, 0, nullptr, 0);
}

// Rank 0 reads, so that the others need not reach the file.
void tessera_solver::load_state(const char *path) {
  if (!path) return given_state_.reset();
  std::vector<unsigned char> bytes;
  const auto read = [&] {
    bytes = tessera::read_state_bytes(path);
    take_state(path, bytes.data(), bytes.size());
  };
  if (!ranks_) return read();
  if (ranks_->rank() == 0) {
    try {
      read();
    } catch (const failure &f) {
      ranks_->fail(f.status(), f.what());
    } catch (const std::bad_alloc &) {
      ranks_->fail(TESSERA_ERR_MEMORY, "no memory left");
    }
  }
  const ranks::gathered all = ranks_->exchange(ranks::step::state, 1, bytes.data(), bytes.size());
  if (ranks_->rank() != 0) take_state("the state of rank 0", all.of(0), all.size_of(0));
}

void tessera_solver::take_state(const std::string &name, const unsigned char *bytes, std::size_t n) {
  auto next = std::make_unique<kept_run>();
  next->content = tessera::read_state(name, bytes, n);
  const tessera::state_content &c = next->content;
  if (c.ndim != ndim_ || c.ncomp != ncomp_)
    throw failure(TESSERA_ERR_ARGUMENT, name + ": the state is of an integrand with " + std::to_string(c.ndim) +
                                            " variables and " + std::to_string(c.ncomp) +
                                            " components, the solver's has " + std::to_string(ndim_) + " and " +
                                            std::to_string(ncomp_));
  if (c.version != tessera_version_string())
    throw failure(TESSERA_ERR_FILE, name + ": the state is of version " + c.version + " of the library, this is " +
                                        tessera_version_string() + ", which may take other steps");
  if (!next->answers.take(std::move(next->content.answers)))
    throw failure(TESSERA_ERR_FILE, name + ": the file is damaged: what it holds does not fit together");
  next->content.answers.clear();
  given_state_ = std::move(next);
}
