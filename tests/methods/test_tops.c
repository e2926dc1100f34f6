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

static double held_by_axis(double centre, double width) {
  return 0.5 * sqrt(acos(-1.0)) * width * (erf((1 - centre) / width) + erf(centre / width));
}
/* Returns the integral. */
static double draw_densities(struct two_densities *t, enum kind kind, int i, uint64_t *seed) {
  double wide = 1, narrow = 1;
  t->ndim = 3 + i % (kind == upon_wide ? 3 : 2);
  t->wide = kind == upon_wide ? 0.15 * pow(3, splitmix_uniform(seed)) : 0.01 * pow(6, splitmix_uniform(seed));
  t->narrow = t->wide / (5 * pow(8, splitmix_uniform(seed)));
  for (int j = 0; j < t->ndim; ++j) {
    t->centre[j] = 0.1 + 0.8 * splitmix_uniform(seed);
    wide *= held_by_axis(t->centre[j], t->wide);
    narrow *= held_by_axis(t->centre[j], t->narrow);
  }
  t->height = (0.1 + 0.9 * splitmix_uniform(seed)) * wide / narrow;
  return wide + t->height * narrow;
}

static struct counts count_claims(enum kind kind, int least_regions, int method, int selection, int members) {
  struct counts all = {0, 0, 0};
  uint64_t seed = 28129695 + (uint64_t)kind;
  for (int i = 0; i < members; ++i) {
    struct two_densities two;
    const double exact = draw_densities(&two, kind, i, &seed);
    tessera_solver *s = solver_of(two.ndim, 1);
    put_point(s, about_one_centre, &two);
    put_real(s, TESSERA_RELTOL, 1e-3);
    put_int(s, TESSERA_MAXEVAL, 1000000);
    put_int(s, TESSERA_SELECTION, selection);
    put_int(s, TESSERA_LEAST_REGIONS, least_regions);
    count_run(&all, s, method, 1, exact, 1e-3);
  }
  return all;
}

static void are_found(void **state) {
  (void)state;
  for (int kind = 0; kind < kinds; ++kind)
    for (int k = 0; k < 3; ++k) {
      const int members = sanitized ? 4 : 30;
      const struct counts now = count_claims((enum kind)kind, 0, ways[k].method, ways[k].selection, members),
                          without = count_claims((enum kind)kind, 1, ways[k].method, ways[k].selection, members);
      print_message("%s, %s: %d of %d claims are false, of %d runs; without a look %d of %d\n", names[kind],
                    ways[k].name, now.wrong, now.claims, members, without.wrong, without.claims);
      if (sanitized) continue;
      assert_true(2 * now.claims >= members);
      assert_true(30 * now.wrong <= now.claims);
      assert_true(10 * without.wrong >= without.claims);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(are_found)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
