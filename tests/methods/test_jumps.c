/* Windows, holes and bands of some variables, beyond whose edges an integrand jumps, upon something that the rule integrates exactly: no point of the first regions need be in one. Rows of usual places that cross all axes see the
 * jump, and what is behind it is followed to its ends before success is claimed (docs/methods.md, "Jumps").
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "cases.h"
#include "claims.h"

enum kind { window, hole, band, kinds };
static const char *const names[] = {"a window of two variables", "a hole in two", "a band that is left out"};

enum { most_axes = 2 };
struct cut {
  int ndim, axes, axis[most_axes];
  enum kind kind;
  double lower[most_axes], upper[most_axes], height, rate;
};
static int cut_out(int n, const double *x, int ncomp, double *v, void *userdata) {
  const struct cut *c = userdata;
  int is_inside = 1;
  double smooth = 1;
  (void)ncomp;
  for (int j = 0; j < n; ++j) smooth *= 1 + c->rate * (x[j] - 0.5);
  for (int k = 0; k < c->axes; ++k) is_inside = is_inside && x[c->axis[k]] > c->lower[k] && x[c->axis[k]] < c->upper[k];
  v[0] = !is_inside ? smooth : c->kind == window ? smooth + c->height : 0;
  return 0;
}

/* The integral is 1 and what the window holds, or less what was in the hole. */
static struct drawn draw_cut(int kind, int i, uint64_t *seed) {
  static struct cut c;
  c.ndim = 4 + i % 3;
  c.kind = (enum kind)kind;
  c.axes = kind == band ? 1 : 2;
  c.axis[0] = (int)(c.ndim * splitmix_uniform(seed));
  c.axis[1] = (c.axis[0] + 1 + (int)((c.ndim - 1) * splitmix_uniform(seed))) % c.ndim;
  c.rate = 0.5 * splitmix_uniform(seed);
  c.height = 1 + 9 * splitmix_uniform(seed);
  double share = 1, smooth = 1;
  for (int k = 0; k < c.axes; ++k) {
    const double length = (c.axes == 1 ? 0.02 : 0.08) * pow(2.5, splitmix_uniform(seed));
    c.lower[k] = (1 - length) * splitmix_uniform(seed);
    c.upper[k] = c.lower[k] + length;
    share *= length;
    smooth *= length * (1 + c.rate * (0.5 * (c.lower[k] + c.upper[k]) - 0.5));
  }
  tessera_solver *const solver = solver_of(c.ndim, 1);
  put_point(solver, cut_out, &c);
  return (struct drawn){solver, kind == window ? 1 + c.height * share : 1 - smooth};
}

static void are_found(void **state) {
  (void)state;
  for (int kind = 0; kind < kinds; ++kind)
    for (int way = 0; way < 3; ++way) {
      const int members = sanitized ? 6 : 48;
      const struct looks_counted c = count_looks(draw_cut, kind, names[kind], 28129840 + (uint64_t)kind, members, way);
      if (sanitized) continue;
      assert_true(3 * c.now.claims >= 2 * members);
      assert_true(10 * c.now.wrong <= c.now.claims);
      assert_true(4 * c.without.wrong >= c.without.claims);
    }
}

/* Regions are cut at jumps across an axis that they meet, and resolve what rises slowly: neither is divided further. */
static int one_jump(int n, const double *x, int ncomp, double *v, void *userdata) {
  double sum = 0;
  (void)ncomp, (void)userdata;
  for (int j = 0; j < n; ++j) sum += x[j];
  v[0] = x[0] < 0.3 ? exp(sum) : 0;
  return 0;
}
static void what_regions_meet_is_left_to_them(void **state) {
  (void)state;
  for (int n = 2; n <= 5; ++n) {
    int64_t evaluations[2] = {0, 0};
    for (int least_regions = 0; least_regions < 2; ++least_regions) {
      tessera_solver *s = solver_of(n, 1);
      put_point(s, one_jump, NULL);
      put_real(s, TESSERA_RELTOL, 1e-5);
      put_int(s, TESSERA_LEAST_REGIONS, least_regions == 0 ? 64 : 1);
      put_int(s, TESSERA_INITIAL_REGIONS, 64);
      const struct answer a = integrate(s);
      assert_status(s, a.status, TESSERA_OK);
      assert_true(fabs(a.value - expm1(0.3) * pow(expm1(1), n - 1)) <= 1e-5 * a.value);
      evaluations[least_regions] = a.evaluations;
      tessera_destroy(s);
    }
    print_message("%d variables: %lld evaluations, without looks %lld\n", n, (long long)evaluations[0],
                  (long long)evaluations[1]);
    assert_true(4 * evaluations[0] <= 5 * evaluations[1]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(are_found), cmocka_unit_test(what_regions_meet_is_left_to_them)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
