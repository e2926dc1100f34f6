// A method on the host: what the table of methods asks of src/host.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "../many.hpp"
#include "../problem.hpp"
#include "pool.hpp"
#include "work_memory.hpp"

namespace tessera {

// With the memory that it keeps from run to run.
class host_method {
 public:
  virtual ~host_method() = default;
  // problem and result are of the method's types; the pool is the same in all calls.
  virtual void run(const problem &problem, thread_pool &pool, run_hooks &hooks, double *value, double *error,
                   run_result &result) = 0;

  // Many integrals by the method itself. As it stands: each by run, on a place of its own.
  virtual bool runs_many() const { return false; }
  virtual many_results run_many(const many_problem &problem, thread_pool &, many_hooks &, double *, double *) {
    return many_results(problem.rows());
  }

  virtual memory_needs needs(const problem &problem, int threads) const = 0;

  // See place.
  virtual int64 regions() const { return -1; }
  virtual void read_regions(int64, int64, double *) {}
  virtual void release() {}
};

// One that keeps nothing and is a function.
template <class Problem, class Result>
class host_function final : public host_method {
 public:
  using function = Result (*)(const Problem &problem, thread_pool &pool, run_hooks &hooks, double *value,
                              double *error);
  using needs_function = memory_needs (*)(const Problem &problem, int threads);
  host_function(function f, needs_function n) : function_(f), needs_(n) {}
  memory_needs needs(const problem &p, int threads) const override {
    return needs_(static_cast<const Problem &>(p), threads);
  }
  void run(const problem &p, thread_pool &pool, run_hooks &hooks, double *value, double *error,
           run_result &result) override {
    static_cast<Result &>(result) = function_(static_cast<const Problem &>(p), pool, hooks, value, error);
  }

 private:
  const function function_;
  const needs_function needs_;
};

#define METHOD(name, number, constant) std::unique_ptr<host_method> make_host_##name();
#include "../methods.def"

}  // namespace tessera
