// Random calls of tessera.h: solvers, lattices, regions, grids and states under odd numbers, odd integrands and odd settings.
// SPDX-License-Identifier: BSD-3-Clause
// Usage: fuzz_api TRIALS [SEED [THREADS [FIRST]]]   a trial is the life of one solver; each is a function of seed and number alone
#include <memory>
#include <thread>
#include <vector>

#include "api_fuzzer.hpp"

extern "C" {
#include "files.h"
}

int main(int argc, char **argv) {
  const fuzz::arguments a(argc, argv, 2000);
  open_test_directory();
  setenv("XDG_CACHE_HOME", test_directory, 1);
  put_file("text.c",
           "int f(int n, const double *x, int m, double *v, void *p) {\n  for (int k = 0; k < m; ++k) v[k] = x[0];\n  "
           "return 0;\n}\n");
  for (int t = 0; t < a.threads; ++t) {
    test_path(("grid" + std::to_string(t)).c_str());
    if (t < 8) test_path(("lattice" + std::to_string(t)).c_str());
  }
  fuzz::start_watchdog(a.threads, a.seed);
  std::vector<std::unique_ptr<fuzz::api_fuzzer>> fuzzers;
  for (int t = 0; t < a.threads; ++t) fuzzers.push_back(std::make_unique<fuzz::api_fuzzer>(a.seed, t, test_directory));
  const auto work = [&](int t) {
    for (std::uint64_t i = static_cast<std::uint64_t>(t); i < a.trials; i += static_cast<std::uint64_t>(a.threads))
      fuzzers[static_cast<std::size_t>(t)]->trial(a.first + i);
  };
  std::vector<std::thread> others;
  for (int t = 1; t < a.threads; ++t) others.emplace_back(work, t);
  work(0);
  for (std::thread &t : others) t.join();
  fuzz::stop_watchdog();
  fuzz::counts all;
  std::uint64_t runs = 0;
  for (const auto &f : fuzzers) {
    all.add(f->all());
    runs += f->runs();
  }
  all.print();
  std::printf("seed %llu, %llu trials, %llu runs\n", static_cast<unsigned long long>(a.seed),
              static_cast<unsigned long long>(a.trials), static_cast<unsigned long long>(runs));
  fuzzers.clear();
  const std::string cache = std::string("rm -rf '") + test_directory + "/tessera'";
  const int removed = std::system(cache.c_str());
  close_test_directory();
  return (a.trials >= 2000 && all.missing(FUZZ_FUNCTIONS) > 0) || removed != 0;
}
