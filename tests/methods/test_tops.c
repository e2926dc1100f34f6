/* A narrow normal density upon the top of a wide one: after a few regions the rule has the wide one, and no point of theirs is near enough to the centre. Before success is claimed its top is looked for
 * (docs/methods.md, "Narrow upon wide").
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "cases.h"
#include "claims.h"

enum kind { upon_wide, upon_narrow, kinds };
static const char *const names[] = {"upon a wide one", "upon one that is narrow itself"};

struct two_densities {
  int ndim;
  double centre[5], wide, narrow, height;
};
static int about_one_centre(int n, const double *x, int ncomp, double *v, void *userdata) {
  const struct two_densities *t = userdata;
  double square = 0;
  (void)ncomp;
  for (int j = 0; j < n; ++j) square += (x[j] - t->centre[j]) * (x[j] - t->centre[j]);
  v[0] = exp(-square / (t->wide * t->wide)) + t->height * exp(-square / (t->narrow * t->narrow));
  return 0;
}

static struct drawn draw_densities(int kind, int i, uint64_t *seed) {
  static struct two_densities t;
  double wide = 1, narrow = 1;
  t.ndim = 3 + i % (kind == upon_wide ? 3 : 2);
  t.wide = kind == upon_wide ? 0.15 * pow(3, splitmix_uniform(seed)) : 0.01 * pow(6, splitmix_uniform(seed));
  t.narrow = t.wide / (5 * pow(8, splitmix_uniform(seed)));
  for (int j = 0; j < t.ndim; ++j) {
    t.centre[j] = 0.1 + 0.8 * splitmix_uniform(seed);
    wide *= gauss_between(t.centre[j], t.wide, 0, 1);
    narrow *= gauss_between(t.centre[j], t.narrow, 0, 1);
  }
  t.height = (0.1 + 0.9 * splitmix_uniform(seed)) * wide / narrow;
  tessera_solver *const solver = solver_of(t.ndim, 1);
  put_point(solver, about_one_centre, &t);
  return (struct drawn){solver, wide + t.height * narrow};
}

static void are_found(void **state) {
  (void)state;
  for (int kind = 0; kind < kinds; ++kind)
    for (int way = 0; way < 3; ++way) {
      const int members = sanitized ? 4 : 30;
      const struct looks_counted c =
          count_looks(draw_densities, kind, names[kind], 28129695 + (uint64_t)kind, members, way);
      if (sanitized) continue;
      assert_true(2 * c.now.claims >= members);
      assert_true(30 * c.now.wrong <= c.now.claims);
      assert_true(10 * c.without.wrong >= c.without.claims);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(are_found)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
