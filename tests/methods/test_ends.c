/* Jumps and kinks near an end of a range in one variable, behind the outermost points of Kronrod's rules: the points near the faces show
 * them. Nearer than 2^-14 of the range none does (docs/methods.md, Points near the faces).
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "cases.h"
#include "solve.h"

enum kind { jump, kink, layer, kinds };
static const char *const names[] = {"jumps", "kinks", "layers"};

struct feature {
  enum kind kind;
  double a, b, place, height, width; /* the range, where the feature is, how high, and of a layer how wide */
  double wave;                       /* of what is beside it: 1 + cos(wave*x) / 2 */
};

static int value_of(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  const struct feature *p = userdata;
  const double d = fabs(x[0] - p->place);
  const int beyond = (x[0] > p->place) == (p->place > (p->a + p->b) / 2); /* towards the end that is near */
  (void)ndim, (void)ncomp;
  f[0] = 1 + cos(p->wave * x[0]) / 2;
  if (p->kind == jump) f[0] += beyond ? p->height : 0;
  if (p->kind == kink) f[0] += beyond ? p->height * d / (p->b - p->a) : 0;
  if (p->kind == layer) f[0] += p->height * exp(-d / p->width);
  return 0;
}

static double exact(const struct feature *p) {
  const double left = p->place - p->a, right = p->b - p->place, near = left < right ? left : right;
  const double smooth = p->b - p->a + (sin(p->wave * p->b) - sin(p->wave * p->a)) / (2 * p->wave);
  if (p->kind == jump) return smooth + p->height * near;
  if (p->kind == kink) return smooth + p->height * near * near / (2 * (p->b - p->a));
  return smooth - p->height * p->width * (expm1(-left / p->width) + expm1(-right / p->width));
}

static struct feature drawn(enum kind kind, uint64_t *seed) {
  struct feature p = {.kind = kind};
  p.a = -2 + 2 * splitmix_uniform(seed);
  p.b = p.a + pow(10, 2 * splitmix_uniform(seed) - 1);
  const double near = pow(10, -4 + 2.3 * splitmix_uniform(seed)) * (p.b - p.a); /* 1e-4 to 0.02 of the range */
  p.place = splitmix_uniform(seed) < 0.5 ? p.a + near : p.b - near;
  p.height = pow(10, 2 * splitmix_uniform(seed) - 1);
  p.width = near * pow(10, -0.5 + 1.5 * splitmix_uniform(seed));
  p.wave = (0.5 + 4 * splitmix_uniform(seed)) / (p.b - p.a);
  return p;
}

/* The default rule, and those with the fewest and the most points; worst first and all at once. */
static void features_near_an_end_are_seen(void **state) {
  static const int rules[] = {TESSERA_RULE_AUTO, TESSERA_RULE_KRONROD15, TESSERA_RULE_KRONROD61};
  enum { members = 300 };
  (void)state;
  for (int kind = 0; kind < kinds; ++kind) {
    for (int variant = 0; variant < 6; ++variant) {
      uint64_t seed = (uint64_t)(1000 * kind + variant);
      int claims = 0, wrong = 0;
      double evaluations = 0;
      struct feature p;
      tessera_solver *s = solver_of(1, 1);
      put_int(s, TESSERA_RULE, rules[variant / 2]);
      put_int(s, TESSERA_SELECTION, variant % 2 == 0 ? TESSERA_SELECT_WORST_FIRST : TESSERA_SELECT_BULK);
      put_int(s, TESSERA_MAXEVAL, 100000);
      put_point(s, value_of, &p);
      for (int i = 0; i < members; ++i) {
        p = drawn((enum kind)kind, &seed);
        const double reltol = pow(10, -3 - 7 * splitmix_uniform(&seed)), truth = exact(&p);
        put_real(s, TESSERA_RELTOL, reltol);
        put_cube(s, 1, p.a, p.b);
        const struct answer o = integrate(s);
        evaluations += (double)o.evaluations / members;
        if (o.status != TESSERA_OK) continue;
        ++claims;
        wrong += fabs(o.value - truth) > reltol * fabs(truth) + 1e-13 * (p.b - p.a);
      }
      print_message("%s, rule %d, selection %d: %d claims, %d false, %.0f evaluations\n", names[kind],
                    rules[variant / 2], variant % 2, claims, wrong, evaluations);
      assert_true(claims > members * 0.98);
      assert_int_equal(wrong, 0);
      tessera_destroy(s);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(features_near_an_end_are_seen)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
