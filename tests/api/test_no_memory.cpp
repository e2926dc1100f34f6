// Memory runs out at the n-th allocation, once or from then on: every call ends with a status, nothing is written by one that says that there
// was no memory, and the solver can be used again and destroyed.
// SPDX-License-Identifier: BSD-3-Clause
#include <dlfcn.h>

#include <atomic>
#include <climits>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <new>
#include <string>
#include <vector>

extern "C" {
#include "solve.h"
}

namespace {

std::atomic<long> countdown{-1};  // allocations until one fails; below 0: none does
std::atomic<bool> for_ever{false};
std::atomic<long> allocations{0};

bool refuses() {
  allocations.fetch_add(1, std::memory_order_relaxed);
  long left = countdown.load(std::memory_order_relaxed);
  while (left >= 0) {
    if (left == 0 && for_ever.load(std::memory_order_relaxed)) return true;
    if (countdown.compare_exchange_weak(left, left - 1, std::memory_order_relaxed)) return left == 0;
  }
  return false;
}

}  // namespace

void *operator new(std::size_t n) {
  void *p = refuses() ? nullptr : std::malloc(n > 0 ? n : 1);
  if (!p) throw std::bad_alloc();
  return p;
}
void *operator new[](std::size_t n) { return ::operator new(n); }
void operator delete(void *p) noexcept { std::free(p); }
void operator delete[](void *p) noexcept { std::free(p); }
void operator delete(void *p, std::size_t) noexcept { std::free(p); }
void operator delete[](void *p, std::size_t) noexcept { std::free(p); }

namespace {

int smooth(int ndim, const double *x, int ncomp, double *f, void *) {
  for (int k = 0; k < ncomp; ++k) {
    f[k] = 1 + k;
    for (int j = 0; j < ndim; ++j) f[k] += std::fabs(x[j] - 0.3);
  }
  return 0;
}
int smooth_batch(int64_t n, int ndim, const double *x, int64_t ldx, int ncomp, double *f, int64_t ldf, void *) {
  for (int k = 0; k < ncomp; ++k)
    for (int64_t i = 0; i < n; ++i) {
      f[k * ldf + i] = 1 + k;
      for (int j = 0; j < ndim; ++j) f[k * ldf + i] += std::fabs(x[j * ldx + i] - 0.3);
    }
  return 0;
}
int stop_at_once(int, const double *, int, double *, void *) { return 12345678; }

constexpr double untouched = -1e300;

// What one scenario came to. Statuses of calls that may fail, and what the last one wrote.
struct report {
  struct list {  // needs no memory
    int all[64], n = 0;
    void push_back(int status) { all[n++] = status; }
    const int *begin() const { return all; }
    const int *end() const { return all + n; }
  } statuses;
  double value[40], error[40];
  report() {
    for (double &v : value) v = untouched;
    for (double &e : error) e = untouched;
  }
  void integrate(tessera_solver *s, int method) {
    const int status = tessera_integrate(s, method, value, error);
    if (status == TESSERA_ERR_MEMORY && (value[0] != untouched || error[0] != untouched)) statuses.push_back(1000);
    statuses.push_back(status);
  }
};

struct scenario {
  const char *name;
  std::function<void(report &)> run;
};

tessera_solver *make(report &r, int ndim, int ncomp) {
  tessera_solver *s = nullptr;
  r.statuses.push_back(tessera_create(&s, ndim, ncomp));
  return s;
}

void set_up(report &r, tessera_solver *s, bool batch, int threads, int selection) {
  r.statuses.push_back(batch ? tessera_set_integrand(s, smooth_batch, nullptr)
                             : tessera_set_integrand1(s, smooth, nullptr));
  r.statuses.push_back(tessera_set_int(s, TESSERA_THREADS, threads));
  r.statuses.push_back(tessera_set_int(s, TESSERA_SELECTION, selection));
  r.statuses.push_back(tessera_set_int(s, TESSERA_MAXEVAL, 20000));
  r.statuses.push_back(tessera_set_int(s, TESSERA_KEEP_REGIONS, 1));
  r.statuses.push_back(tessera_set_int(s, TESSERA_KEEP_STATE, 1));
  r.statuses.push_back(tessera_set_real(s, TESSERA_RELTOL, 1e-3));
}

// Returns how many of the integrals say that there was no memory, -1: all, as the call says.
enum { rows = 20 };
int many_over_one_variable(report &r, tessera_solver *s) {
  int ends[rows], without = 0;
  const int status =
      tessera_integrate_many(s, TESSERA_QUADRATURE, rows, nullptr, 0, nullptr, nullptr, r.value, r.error, ends);
  r.statuses.push_back(status);
  if (status == TESSERA_ERR_MEMORY && r.value[0] != untouched) r.statuses.push_back(1000);
  if (status != TESSERA_OK && status != TESSERA_SOME_FAILED) return -1;
  for (int i = 0; i < rows; ++i)
    if (ends[i] == TESSERA_ERR_MEMORY)
      ++without;
    else if (ends[i] != TESSERA_OK && ends[i] != TESSERA_LIMIT_MEMORY)
      r.statuses.push_back(1002);
  return without;
}

std::vector<scenario> scenarios() {
  std::vector<scenario> all;
  for (int method = TESSERA_CUBATURE; method <= TESSERA_MONTECARLO; ++method)
    for (int threads = 1; threads <= 3; threads += 2)
      for (int form = 0; form < 2; ++form)
        all.push_back({"a run", [=](report &r) {
                         tessera_solver *s = make(r, 3, 2);
                         if (!s) return;
                         set_up(r, s, form == 1, threads, 1 + form);
                         r.integrate(s, method);
                         (void)tessera_last_error(s);
                         tessera_destroy(s);
                       }});
  for (int threads = 1; threads <= 3; threads += 2)
    all.push_back({"many", [=](report &r) {
                     tessera_solver *s = make(r, 2, 1);
                     if (!s) return;
                     set_up(r, s, false, threads, 0);
                     int ends[20];
                     const int status = tessera_integrate_many(s, TESSERA_CUBATURE, 20, nullptr, 0, nullptr, nullptr,
                                                               r.value, r.error, ends);
                     if (status == TESSERA_ERR_MEMORY && r.value[0] != untouched) r.statuses.push_back(1000);
                     r.statuses.push_back(status);
                     tessera_destroy(s);
                   }});
  for (int form = 0; form < 2; ++form)
    all.push_back({"many over one variable", [=](report &r) {
                     tessera_solver *s = make(r, 1, 1);
                     if (!s) return;
                     set_up(r, s, form == 1, 1, 0);
                     many_over_one_variable(r, s);
                     tessera_destroy(s);
                   }});
  all.push_back({"a stop and its message", [](report &r) {
                   tessera_solver *s = make(r, 2, 1);
                   if (!s) return;
                   r.statuses.push_back(tessera_set_integrand1(s, stop_at_once, nullptr));
                   const int status = tessera_integrate(s, TESSERA_CUBATURE, r.value, r.error);
                   if (status != TESSERA_ERR_CALLBACK && status != TESSERA_ERR_MEMORY) r.statuses.push_back(1001);
                   tessera_destroy(s);
                 }});
  all.push_back({"regions, grid and state", [](report &r) {
                   tessera_solver *s = make(r, 2, 1);
                   if (!s) return;
                   set_up(r, s, false, 1, TESSERA_SELECT_WORST_FIRST);
                   const double one[] = {0.5, 0.5, 0.5, 0.5, 1, 0.1, 0, 0, 0};
                   (void)tessera_set_regions(s, 1, one, 65);
                   r.integrate(s, TESSERA_CUBATURE);
                   int64_t n = 0;
                   (void)tessera_get_regions(s, 0, 0, nullptr, &n);
                   (void)tessera_set_int(s, TESSERA_SAMPLING, TESSERA_SAMPLING_VEGAS);
                   report again;
                   again.integrate(s, TESSERA_MONTECARLO);
                   double edges[2 * TESSERA_GRID_EDGES], chi2[1];
                   if (tessera_get_grid(s, edges) == TESSERA_OK) (void)tessera_set_grid(s, edges);
                   (void)tessera_get_chi2(s, chi2);
                   if (tessera_get_state(s, 0, nullptr, &n) == TESSERA_OK && n > 0 && n < 100000) {
                     double *state = static_cast<double *>(std::malloc(sizeof(double) * static_cast<std::size_t>(n)));
                     if (tessera_get_state(s, n, state, nullptr) == TESSERA_OK) (void)tessera_set_state(s, n, state);
                     std::free(state);
                   }
                   tessera_destroy(s);
                 }});
  all.push_back({"bad arguments", [](report &r) {
                   tessera_solver *s = make(r, 2, 1);
                   if (!s) return;
                   int64_t n;
                   double v;
                   (void)tessera_set_int(s, 99999, 1);
                   (void)tessera_set_int(s, TESSERA_MAXEVAL, -1);
                   (void)tessera_set_real(s, TESSERA_RELTOL, -1);
                   (void)tessera_get_int(s, TESSERA_RELTOL, &n);
                   (void)tessera_get_real(s, TESSERA_MAXEVAL, &v);
                   (void)tessera_set_domain(s, nullptr, nullptr);
                   (void)tessera_integrate(s, 77, &v, &v);
                   (void)tessera_integrate(s, TESSERA_CUBATURE, &v, &v);
                   (void)tessera_load_grid(s, "/nonexistent/file/with/a/long/name");
                   (void)tessera_set_integrand_source(s, TESSERA_LANGUAGE_C, "not a program", "f");
                   (void)tessera_set_integrand_file(s, TESSERA_LANGUAGE_C, "/nonexistent/file", "f");
                   (void)tessera_set_params(s, "0123456789", 10);
                   (void)tessera_register_twin(nullptr, 0, nullptr, 0, nullptr, nullptr, 0);
                   (void)tessera_set_twin(s, reinterpret_cast<void (*)()>(smooth), nullptr);
                   (void)tessera_last_error(nullptr);
                   tessera_destroy(s);
                 }});
  all.push_back({"lattices", [](report &r) {
                   tessera_lattice *l = nullptr;
                   r.statuses.push_back(tessera_lattice_create(&l, 5));
                   if (!l) return;
                   int64_t z[5], prime;
                   const double order[] = {1, 0.5};
                   (void)tessera_lattice_set_weights(l, nullptr, 2, order);
                   (void)tessera_lattice_construct(l, 101);
                   (void)tessera_lattice_korobov(l, 1009, 3);
                   (void)tessera_lattice_construct(l, 1000);
                   (void)tessera_lattice_builtin(l);
                   (void)tessera_lattice_get_vector(l, z);
                   (void)tessera_lattice_load(l, "/nonexistent/file/with/a/long/name");
                   (void)tessera_lattice_prime(1000, 7, &prime);
                   (void)tessera_lattice_prime(0, 7, &prime);
                   tessera_solver *s = make(r, 4, 1);
                   if (s) {
                     (void)tessera_set_lattice(s, l);
                     tessera_destroy(s);
                   }
                   tessera_lattice_destroy(l);
                 }});
  return all;
}

bool allowed(int status) {
  return status == TESSERA_OK || status == TESSERA_ERR_MEMORY || status == TESSERA_LIMIT_MEMORY ||
         status == TESSERA_LIMIT_EVALUATIONS || status == TESSERA_SOME_FAILED ||
         status == TESSERA_ERR_NOT_BUILT;  // the device engine, which may not be there
}

long injected = 0;
long most_places = sanitized ? 40 : 400;  // allocations of a scenario that fail, one after the other

void every_allocation_may_fail(void **) {
  for (const scenario &what : scenarios()) {
    report clean;
    what.run(clean);  // the first run fills what is made once
    allocations = 0;
    report counted;
    what.run(counted);
    const long n = allocations, step = n > most_places ? n / most_places : 1, before = injected;
    for (int mode = 0; mode < 2; ++mode)
      for (long at = 0; at < n; at += step) {
        report r;
        for_ever = mode == 1;
        countdown = at;
        what.run(r);
        countdown = -1;
        ++injected;
        for (const int status : r.statuses)
          if (!allowed(status))
            fail_msg("%s: allocation %ld of %ld, mode %d: status %d", what.name, at, n, mode, status);
      }
    report after;
    what.run(after);  // all is as before
    assert_same_bits(after.value[0], counted.value[0]);
    assert_same_bits(after.error[0], counted.error[0]);
    std::printf("%s: %ld allocations, %ld injected failures\n", what.name, n, injected - before);
  }
  std::printf("%ld injected failures\n", injected);
  if (injected == 0)
    fail_msg("the library takes another operator new than this program's: is libstdc++ linked into it?");
}

// What one of many integrals has no memory for costs that one, and not the call.
void the_others_go_on(void **) {
  for_ever = false;
  for (int form = 0; form < 2; ++form) {
    int alone = 0;
    for (long at = 0; at < 400; ++at) {
      report r;
      tessera_solver *s = make(r, 1, 1);
      set_up(r, s, form == 1, 1, 0);
      countdown = at;
      if (many_over_one_variable(r, s) == 1) ++alone;
      countdown = -1;
      tessera_destroy(s);
      for (const int status : r.statuses) assert_true(allowed(status));
    }
    assert_true(alone > 0);
  }
}

}  // namespace

// Whoever compiles with -static-libstdc++ has one operator new in the library and another in this program: nothing of it can be tested then.
bool is_one_runtime() {
  void *const shared = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_NOLOAD);
  void *const other = shared ? shared : dlopen("libc++.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (other) dlclose(other);
  return other != nullptr;
}

// Usage: api_no_memory [PLACES]   0: every allocation of every scenario fails
int main(int argc, char **argv) {
  const CMUnitTest tests[] = {cmocka_unit_test(every_allocation_may_fail), cmocka_unit_test(the_others_go_on)};
  if (!is_one_runtime()) {
    std::printf("skipped: this compiler links the C++ library into each program and library\n");
    return 77;
  }
  if (argc > 1) most_places = std::strtol(argv[1], nullptr, 10);
  if (most_places <= 0) most_places = LONG_MAX;
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
