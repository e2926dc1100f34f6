// The program `tessera`: its commands, and how they end. Over the public header; where compilers, caches and NVIDIA's libraries are looked
// for is asked of src/jit and of the driver's table, which know it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "tessera.h"

namespace tessera {

// Exit statuses, as man tessera says.
constexpr int exit_good = 0;
constexpr int exit_not_met = 1;    // there is a result, but not to the tolerance; a check of the self-test failed
constexpr int exit_usage = 2;      // the arguments cannot be understood
constexpr int exit_no_result = 3;  // nothing could be computed or done

// Ends a command with a status and a sentence.
class command_failure : public std::runtime_error {
 public:
  command_failure(int status, const std::string &sentence) : std::runtime_error(sentence), status_(status) {}
  int status() const { return status_; }

 private:
  int status_;
};
inline command_failure wrong_usage(const std::string &sentence) { return {exit_usage, sentence}; }

struct streams {
  std::FILE *out, *err;
};

// One run of the program; arguments without its name. Throws nothing but bad_alloc.
int run_program(const std::vector<std::string> &arguments, const streams &to);

int run_integrate(const std::vector<std::string> &arguments, const streams &to);
int run_info(const std::vector<std::string> &arguments, const streams &to);
int run_selftest(const std::vector<std::string> &arguments, const streams &to);
int run_cache(const std::vector<std::string> &arguments, const streams &to);

// A solver of the public interface that is destroyed at the end. Throws command_failure with the library's message.
class solver {
 public:
  solver(int ndim, int ncomp) {
    tessera_solver *s = nullptr;
    const int status = tessera_create(&s, ndim, ncomp);
    handle_.reset(s);
    if (status < 0) throw command_failure(exit_no_result, tessera_status_string(status));
  }
  tessera_solver *get() const { return handle_.get(); }
  std::string message() const { return tessera_last_error(get()); }
  void require(int status) const {
    if (status < 0) throw command_failure(exit_no_result, message());
  }
  std::int64_t integer(int key) const {
    std::int64_t v = 0;
    tessera_get_int(get(), key, &v);
    return v;
  }
  double real(int key) const {
    double v = 0.0;
    tessera_get_real(get(), key, &v);
    return v;
  }

 private:
  struct destroy {
    void operator()(tessera_solver *s) const { tessera_destroy(s); }
  };
  std::unique_ptr<tessera_solver, destroy> handle_;
};

}  // namespace tessera
