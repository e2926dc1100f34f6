/* Something narrow in one or two of several variables beside something smooth in all of them, which the rule integrates exactly where nothing else is met: before success is claimed lines and points that are spread
 * evenly look for it (docs/methods.md, "Sheets").
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "cases.h"
#include "claims.h"

enum kind { in_one, in_two, kinds };
static const char *const names[] = {"narrow in one variable", "narrow in two"};

struct sheet {
  int ndim, axis[2];
  enum kind kind;
  double place[2], width, height, rate;
};
static int beside_smooth(int n, const double *x, int ncomp, double *v, void *userdata) {
  const struct sheet *s = userdata;
  const double first = x[s->axis[0]], second = x[s->axis[1]];
  double smooth = 1, narrow = s->height;
  (void)ncomp;
  for (int j = 0; j < n; ++j) smooth *= 1 + s->rate * (x[j] - 0.5);
  const double z = (first - s->place[0]) / s->width;
  narrow *= exp(-z * z);
  if (s->kind == in_two) {
    const double y = (second - s->place[1]) / s->width;
    narrow *= exp(-y * y);
  }
  v[0] = smooth + narrow;
  return 0;
}

/* Of the middle four fifths of an axis; the integral is 1 and what the narrow one holds. */
static struct drawn draw_sheet(int kind, int i, uint64_t *seed) {
  static struct sheet s;
  s.ndim = 4 + i % 3;
  s.kind = (enum kind)kind;
  s.axis[0] = (int)(s.ndim * splitmix_uniform(seed));
  s.axis[1] = (s.axis[0] + 1 + (int)((s.ndim - 1) * splitmix_uniform(seed))) % s.ndim;
  const double narrowest = kind == in_one ? 0.002 : 0.01, length = sqrt(acos(-1.0));
  s.width = narrowest * pow(4, splitmix_uniform(seed));
  for (int k = 0; k < 2; ++k) s.place[k] = 0.1 + 0.8 * splitmix_uniform(seed);
  s.rate = splitmix_uniform(seed);
  const double held = 0.1 + 0.9 * splitmix_uniform(seed), thickness = s.width * length;
  s.height = held / (kind == in_two ? thickness * thickness : thickness);
  tessera_solver *const solver = solver_of(s.ndim, 1);
  put_point(solver, beside_smooth, &s);
  return (struct drawn){solver, 1 + held};
}

static void are_found(void **state) {
  (void)state;
  for (int kind = 0; kind < kinds; ++kind)
    for (int way = 0; way < 3; ++way) {
      const int members = sanitized ? 6 : 36;
      const struct looks_counted c =
          count_looks(draw_sheet, kind, names[kind], 28129650 + (uint64_t)kind, members, way);
      if (sanitized) continue;
      assert_true(3 * c.now.claims >= 2 * members);
      assert_true(30 * c.now.wrong <= c.now.claims);
      assert_true(3 * c.without.wrong >= c.without.claims);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(are_found)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
