// The same source text as on a device, compiled by the system's compiler and called on the host.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "../integrand.hpp"
#include "cache.hpp"
#include "deadline.hpp"
#include "fortran/host_fortran.hpp"
#include "integrand_source.hpp"

namespace tessera {

// Keeps the compiled code in the process; the function is valid as long as this lives. Code without variables of its own is opened once for all
// that have the same text; what has some begins with their values anew.
class compiled_source {
 public:
  // Throws compile_error: no compiler (load), errors in the text (translate, compile), a text that needs another library
  // (link), languages that have no host form (translate), out_of_time. `cache` may be null. library_version is part of the key. A
  // point has `coordinates` numbers, 0: ndim.
  compiled_source(const integrand_source &source, int ndim, int ncomp, code_cache *cache,
                  const std::string &library_version, int coordinates = 0, const deadline &until = {});
  compiled_source(const compiled_source &) = delete;
  compiled_source &operator=(const compiled_source &) = delete;

  // userdata: the parameter block
  batch_function function() const { return reinterpret_cast<batch_function>(entry_); }
  limits_function limits() const { return reinterpret_cast<limits_function>(entry_); }  // of a text of limits
  // C with static variables that the integrand itself writes, Fortran with variables that outlive a call: one thread at a time.
  bool one_thread() const { return one_thread_; }
  cache_hit hit() const { return hit_; }
  double seconds() const { return seconds_; }
  const std::string &log() const { return log_; }  // the compiler's warnings

 private:
  template <class Build>
  void find_or_build(const integrand_source &source, code_cache *cache, const std::string &key, Build make);
  void load(const std::string &image, const std::string &file_name, bool is_limits);
  void find_entry(bool is_limits);

  std::vector<kept_variable> variables_;  // the opened code reads it
  std::shared_ptr<void> handle_;
  void *entry_ = nullptr;
  bool one_thread_ = false;
  cache_hit hit_ = cache_hit::none;
  double seconds_ = 0.0;
  std::string log_;
};

}  // namespace tessera
