/* TESSERA_QUADRATURE on random integrands with closed forms: of its claims none is false, and nearly all integrals are claimed. Steps, jumps and
 * peaks keep a distance from the ends and a width that some of the first 65 points can see.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "one_dimension.h"
#include "solve.h"

enum { members = sanitized ? 40 : 150 };

struct counts {
  int claims, wrong;
  double evaluations;
};

/* Features nearer to an end than a millionth of the range are not seen by anybody. */
static int is_visible(const struct one_dimension *i) {
  const char *name = one_dimension_name(i->family);
  const double least = 1e-6, width = 0.005;
  if (!strcmp(name, "jump") || !strcmp(name, "kink")) return i->p[0] > least && i->p[0] < 1.0 - least;
  if (!strcmp(name, "peak on a slope")) return i->p[1] > width;
  if (!strcmp(name, "steps")) {
    const double first = (1.0 - i->p[1]) / i->p[0], last = (floor(i->p[0] + i->p[1]) - i->p[1]) / i->p[0];
    return first > least && last < 1.0 - least;
  }
  return 1;
}

static struct counts run(int family, double reltol) {
  struct counts c = {0, 0, 0.0};
  tessera_solver *s = solver_of(1, 1);
  put_real(s, TESSERA_RELTOL, reltol);
  for (uint64_t n = 0; n < members; ++n) {
    struct one_dimension i = one_dimension_draw(family, n);
    if (!is_visible(&i)) continue;
    put_point(s, one_dimension_point, &i);
    assert_status(s, tessera_set_domain(s, &i.lower, &i.upper), TESSERA_OK);
    assert_status(s, tessera_set_breakpoints(s, i.breaks, i.at), TESSERA_OK);
    double value = 0.0, error = 0.0;
    const int status = tessera_integrate(s, TESSERA_QUADRATURE, &value, &error);
    assert_true(status >= 0);
    c.evaluations += (double)got_int(s, TESSERA_EVALUATIONS) / members;
    if (status != TESSERA_OK) continue;
    ++c.claims;
    if (fabs(value - i.exact) <= reltol * fabs(value) + 1e-14 * fabs(i.exact)) continue;
    ++c.wrong;
    print_error("%s %d: %.17g with error %g, not %.17g\n", one_dimension_name(family), (int)n, value, error, i.exact);
  }
  tessera_destroy(s);
  return c;
}

static void no_false_claim(void **state) {
  (void)state;
  int claims = 0, wrong = 0;
  for (int family = 0; family < one_dimension_families; ++family) {
    const struct counts loose = run(family, 1e-6), tight = run(family, 1e-10);
    print_message("%-22s 1e-6: %3d claims, %5.0f evaluations; 1e-10: %3d claims, %5.0f evaluations\n",
                  one_dimension_name(family), loose.claims, loose.evaluations, tight.claims, tight.evaluations);
    claims += loose.claims + tight.claims;
    wrong += loose.wrong + tight.wrong;
  }
  assert_int_equal(wrong, 0);
  assert_true(claims >= 2 * one_dimension_families * members * 95 / 100);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(no_false_claim)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
