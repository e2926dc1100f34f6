// TESSERA_MAX_MEMORY bounds all that a run on the host allocates: the real peak is counted in malloc, over random problems, as many as
// the argument says. What does not fit
// is refused with the bytes that are needed, and where a run comes to the same end its bits are those of a run with more memory.
// SPDX-License-Identifier: BSD-3-Clause
#include <malloc.h>

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

extern "C" {
#include "solve.h"

void *__libc_malloc(std::size_t);
void *__libc_realloc(void *, std::size_t);
void *__libc_calloc(std::size_t, std::size_t);
void *__libc_memalign(std::size_t, std::size_t);
void __libc_free(void *);
}

namespace {

std::atomic<long long> held{0}, most_held{0};

}  // namespace

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
static void count(void *p, int sign) {
  if (!p) return;
  const long long now = held.fetch_add(sign * static_cast<long long>(malloc_usable_size(p))) +
                        sign * static_cast<long long>(malloc_usable_size(p));
  long long most = most_held.load();
  while (now > most && !most_held.compare_exchange_weak(most, now)) {
  }
}

extern "C" {
void *malloc(std::size_t n) {
  void *p = __libc_malloc(n);
  count(p, 1);
  return p;
}
void *calloc(std::size_t n, std::size_t each) {
  void *p = __libc_calloc(n, each);
  count(p, 1);
  return p;
}
void *realloc(void *p, std::size_t n) {
  count(p, -1);
  void *to = __libc_realloc(p, n);
  count(to ? to : p, 1);
  return to;
}
void *aligned_alloc(std::size_t alignment, std::size_t n) {
  void *p = __libc_memalign(alignment, n);
  count(p, 1);
  return p;
}
void free(void *p) {
  count(p, -1);
  __libc_free(p);
}
}
#endif

namespace {

int problems = 30;

// Beside what is said in tessera.h: messages, threads, small lists.
constexpr long long allowance = 65536;

int bumps(int ndim, const double *x, int ncomp, double *f, void *) {
  double r = 0;
  for (int j = 0; j < ndim; ++j) r += std::fabs(x[j] - 0.3 - 0.01 * j);
  for (int k = 0; k < ncomp; ++k) f[k] = 1 / (0.05 + r * (1 + k % 5));
  return 0;
}
int bumps_batch(int64_t n, int ndim, const double *x, int64_t ldx, int ncomp, double *f, int64_t ldf, void *) {
  for (int64_t i = 0; i < n; ++i) {
    double r = 0;
    for (int j = 0; j < ndim; ++j) r += std::fabs(x[j * ldx + i] - 0.3 - 0.01 * j);
    for (int k = 0; k < ncomp; ++k) f[k * ldf + i] = 1 / (0.05 + r * (1 + k % 5));
  }
  return 0;
}

// The same numbers on every machine.
struct dice {
  uint64_t state;
  uint64_t next() {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return state >> 33;
  }
  int64_t up_to(int64_t n) { return static_cast<int64_t>(next() % static_cast<uint64_t>(n)); }
  int64_t size(double least, double most) {
    return static_cast<int64_t>(least * std::pow(most / least, static_cast<double>(next()) / 2147483648.0));
  }
};

struct random_problem {
  int method, ndim, ncomp;
  bool batch;
  std::vector<std::pair<int, int64_t>> options;
  std::string text;
  int sparse_part = TESSERA_SPARSE_OFF;
  bool sparse() const { return sparse_part != TESSERA_SPARSE_OFF; }

  explicit random_problem(dice &d) {
    method = static_cast<int>(1 + d.up_to(3));
    ncomp = static_cast<int>(d.size(1, 3000));
    ndim = static_cast<int>(1 + d.up_to(ncomp > 100 ? 5 : 12));
    batch = d.up_to(2) == 1;
    const auto put = [&](int key, int64_t value) {
      options.push_back({key, value});
      text += " " + std::to_string(key) + "=" + std::to_string(value);
    };
    text = "method " + std::to_string(method) + ", " + std::to_string(ndim) + "-D, " + std::to_string(ncomp) +
           " components" + (batch ? ", batch," : ",");
    put(TESSERA_THREADS, 1 + d.up_to(4));
    put(TESSERA_BATCH_POINTS, d.size(1, 100000));
    put(TESSERA_MAXEVAL, 10000 + 30000000 / (ncomp + 30));
    put(TESSERA_KEEP_REGIONS, 1);
    if (method == TESSERA_CUBATURE) {
      put(TESSERA_SELECTION, 1 + d.up_to(2));
      put(TESSERA_ESTIMATE, d.up_to(2));
      put(TESSERA_PRIORITY, d.up_to(2));
      put(TESSERA_INITIAL_REGIONS, d.up_to(2) == 0 ? 1 : d.size(2, 3000));
      sparse_part = d.up_to(4) < 2 ? TESSERA_SPARSE_OFF : d.up_to(4) == 0 ? TESSERA_SPARSE_ALONE : TESSERA_SPARSE_AUTO;
      put(TESSERA_SPARSE, sparse_part);
    } else if (method == TESSERA_LATTICE) {
      put(TESSERA_TRANSFORM, d.up_to(2));
      put(TESSERA_SHIFTS, 2 + d.up_to(60));
      if (d.up_to(3) == 0) put(TESSERA_MEDIAN, 11);
    } else {
      put(TESSERA_SAMPLING, d.up_to(3));
      put(TESSERA_ANTITHETIC, d.up_to(2));
      put(TESSERA_POINTS, d.size(100, 100000));
    }
  }
};

struct outcome {
  int status;
  std::vector<double> value, error;
  std::string sentence;
  long long peak, said;
  bool complete;  // no region was given up
};

outcome run(const random_problem &p, int64_t memory) {
  outcome o;
  o.value.assign(static_cast<std::size_t>(p.ncomp), -1);
  o.error = o.value;
  tessera_solver *s = solver_of(p.ndim, p.ncomp);
  if (p.batch)
    put_batch(s, bumps_batch, nullptr);
  else
    put_point(s, bumps, nullptr);
  for (const auto &[key, value] : p.options) put_int(s, key, value);
  put_int(s, TESSERA_MAX_MEMORY, memory);
  put_real(s, TESSERA_RELTOL, 1e-4);
  const long long before = held;
  most_held = before;
  o.status = tessera_integrate(s, p.method, o.value.data(), o.error.data());
  o.peak = most_held - before;
  o.sentence = tessera_last_error(s);
  o.said = got_int(s, TESSERA_PEAK_MEMORY);
  int64_t n = 0;
  o.complete = tessera_get_regions(s, 0, 0, nullptr, &n) == TESSERA_OK;
  tessera_destroy(s);
  return o;
}

void the_limit_bounds_what_is_allocated(void **) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  skip();
#endif
  dice d = {20261122};
  int refused = 0, full = 0, same = 0, bad = 0;
  for (int i = 0; i < problems; ++i) {
    const random_problem p(d);
    const outcome free_run = run(p, 0);
    if (free_run.peak > free_run.said + allowance) {
      print_message("  %s: peak %lld, said to be %lld\n", p.text.c_str(), free_run.peak, free_run.said);
      ++bad;
    }
    for (int j = 0; j < 2; ++j) {
      const int64_t memory = d.size(3e4, 3.0 * static_cast<double>(free_run.peak) + 3e5);
      const outcome o = run(p, memory);
      if (o.peak > memory + allowance || o.said > memory) {
        print_message("  %s: limit %lld, peak %lld, said to be %lld, status %d (without: peak %lld)\n", p.text.c_str(),
                      (long long)memory, o.peak, o.said, o.status, free_run.peak);
        ++bad;
      }
      if (o.status == TESSERA_ERR_MEMORY) {
        ++refused;
        assert_says(o.sentence.c_str(), "TESSERA_MAX_MEMORY");
        assert_true(o.value[0] == -1 && o.error[0] == -1);
        // With the bytes that were asked for it begins.
        const std::size_t at = o.sentence.find(": ");
        const long long needed = std::atoll(o.sentence.c_str() + at + 2);
        if (o.sentence.find("are needed") == std::string::npos) continue;
        assert_true(needed > memory);
        assert_int_equal(run(p, needed - 1).status, TESSERA_ERR_MEMORY);
        const outcome enough = run(p, needed);
        if (enough.sentence.find("are needed") != std::string::npos) {
          print_message("  %s: %lld bytes are not enough\n", p.text.c_str(), needed);
          ++bad;
        }
        continue;
      }
      assert_true(o.status >= 0);
      if (o.status == TESSERA_LIMIT_MEMORY) ++full;
      const bool given_up = p.method == TESSERA_CUBATURE && !o.complete;
      if (o.status != free_run.status || given_up) continue;
      ++same;
      if (p.sparse()) continue;  // where a grid has no more memory the regions go on without it
      if (o.value == free_run.value && o.error == free_run.error) continue;
      print_message("  %s: limit %lld, status %d: %.17g +- %.17g, without %.17g +- %.17g\n", p.text.c_str(),
                    (long long)memory, o.status, o.value[0], o.error[0], free_run.value[0], free_run.error[0]);
      ++bad;
    }
  }
  print_message("  %d refused, %d ended with the memory, %d came to the same end\n", refused, full, same);
  assert_true(refused > problems / 8 && full > problems / 16 && same > problems / 4);
  assert_int_equal(bad, 0);
}

}  // namespace

int main(int argc, char **argv) {
  if (argc > 1) problems = std::atoi(argv[1]);
  const CMUnitTest tests[] = {cmocka_unit_test(the_limit_bounds_what_is_allocated)};
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
