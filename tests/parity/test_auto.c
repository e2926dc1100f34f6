/* TESSERA_AUTO on device 0 beside the host: both are right, and where cubature, which divides regions in bulk on a device, is no candidate, the
 * method, the evaluations and the values to rounding are the same. Skipped where there is no device.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "skip.h"
#include "solve.h"

enum { device = 0, most_ncomp = 2 };

static const char text[] =
    "#include <math.h>\n"
    "int f(int ndim, const double *x, int ncomp, double *v, void *block) {\n"
    "  const int kind = (int)*(const double *)block;\n"
    "  double s = 0, q = 0, p = 1, w = 1;\n"
    "  for (int j = 0; j < ndim; ++j) {\n"
    "    s += x[j];\n"
    "    q += (x[j] - 0.3) * (x[j] - 0.3);\n"
    "    p *= cos(x[j]);\n"
    "    w *= 1 + (x[j] - 0.5) / ((j + 1.0) * (j + 1.0));\n"
    "  }\n"
    "  for (int k = 0; k < ncomp; ++k) switch (kind) {\n"
    "    case 0: v[k] = p; break;\n"
    "    case 1: v[k] = w; break;\n"
    "    case 2: v[k] = s < 0.5 * ndim - 0.25 ? 1 : 0; break;\n"
    "    case 3: v[k] = exp(-q / 0.005); break;\n"
    "    case 4: v[k] = k ? sin(s) : cos(s); break;\n"
    "    case 5: v[k] = exp(-q); break;\n"
    "    case 6: v[k] = x[0] > 0.4 && x[ndim - 1] > 0.3 ? sqrt(-1 - s) : s; break;\n"
    "    default: v[k] = sqrt(x[0]);\n"
    "  }\n"
    "  return 0;\n"
    "}\n";

static const struct way {
  const char *name;
  int kind, ndim, ncomp, complex_values, same; /* same: the same decisions in both places */
  double lower, upper, reltol;
  int64_t maxeval;
  int status;
} ways[] = {
    {"one variable", 7, 1, 1, 0, 1, 0, 1, 1e-8, 1000000, TESSERA_OK},
    {"smooth, 8-D", 0, 8, 1, 0, 0, 0, 1, 1e-7, 100000000, TESSERA_OK},
    {"smooth, 40-D", 1, 40, 1, 0, 1, 0, 1, 1e-6, 100000000, TESSERA_OK},
    {"half-space, 12-D", 2, 12, 1, 0, 0, 0, 1, 3e-3, 100000000, TESSERA_OK},
    {"half-space, 33-D", 2, 33, 1, 0, 1, 0, 1, 3e-3, 100000000, TESSERA_OK},
    {"peak, 5-D", 3, 5, 1, 0, 0, 0, 1, 1e-3, 100000000, TESSERA_OK},
    {"complex values, 6-D", 4, 6, 2, 1, 0, -1, 1, 1e-6, 100000000, TESSERA_OK},
    {"the whole space, 4-D", 5, 4, 1, 0, 0, -INFINITY, INFINITY, 1e-5, 100000000, TESSERA_OK},
    {"few evaluations, 33-D", 2, 33, 1, 0, 1, 0, 1, 1e-9, 300000, TESSERA_LIMIT_EVALUATIONS},
    {"NaN, 5-D", 6, 5, 1, 0, 0, 0, 1, 1e-6, 10000000, TESSERA_NONFINITE},
};
enum { way_count = sizeof ways / sizeof ways[0] };

struct run {
  int status;
  double value[most_ncomp], error[most_ncomp];
  int64_t evaluations, used, where;
};

static struct run run_way(const struct way *w, int where) {
  struct run r = {0};
  const double kind = w->kind;
  tessera_solver *s = solver_of(w->ndim, w->ncomp);
  assert_status(s, tessera_set_integrand_source(s, TESSERA_LANGUAGE_C, text, "f"), TESSERA_OK);
  assert_status(s, tessera_set_params(s, &kind, sizeof kind), TESSERA_OK);
  put_cube(s, w->ndim, w->lower, w->upper);
  put_int(s, TESSERA_DEVICE, where);
  put_int(s, TESSERA_NDIM_LIMIT, 25);
  put_int(s, TESSERA_COMPLEX, w->complex_values);
  put_int(s, TESSERA_MAXEVAL, w->maxeval);
  put_real(s, TESSERA_RELTOL, w->reltol);
  r.status = tessera_integrate(s, TESSERA_AUTO, r.value, r.error);
  r.evaluations = got_int(s, TESSERA_EVALUATIONS);
  r.used = got_int(s, TESSERA_METHOD_USED);
  r.where = got_int(s, TESSERA_DEVICE_USED);
  print_message("%s on %d: status %d, method %d, %lld evaluations, %.15g +- %.2g\n", w->name, where, r.status,
                (int)r.used, (long long)r.evaluations, r.value[0], r.error[0]);
  tessera_destroy(s);
  return r;
}

static void device_is_host(void **state) {
  (void)state;
  for (int i = 0; i < way_count; ++i) {
    const struct way *w = &ways[i];
    const struct run host = run_way(w, -1), there = run_way(w, device), again = run_way(w, device);
    assert_int_equal(host.status, w->status);
    assert_int_equal(there.status, w->status);
    assert_int_equal(there.where, device);
    assert_same_bits(there.value[0], again.value[0]);
    assert_same_bits(there.error[0], again.error[0]);
    assert_int_equal(there.evaluations, again.evaluations);
    assert_int_equal(there.used, again.used);
    if (w->status == TESSERA_NONFINITE) continue;
    double distance = 0, errors = 0, size = 0;
    for (int k = 0; k < w->ncomp; ++k) {
      distance = hypot(distance, host.value[k] - there.value[k]);
      errors = hypot(errors, host.error[k] + there.error[k]);
      size = hypot(size, host.value[k]);
    }
    assert_at_most(distance, errors);
    if (!w->same) continue;
    assert_int_equal(there.used, host.used);
    assert_int_equal(there.evaluations, host.evaluations);
    assert_at_most(distance, 1e-12 * size);
  }
}

static void many(void **state) {
  (void)state;
  enum { rows = 3 };
  double kinds[rows] = {0, 5, 4}, value[2][rows], error[rows];
  for (int where = 0; where < 2; ++where) {
    tessera_solver *s = solver_of(4, 1);
    assert_status(s, tessera_set_integrand_source(s, TESSERA_LANGUAGE_C, text, "f"), TESSERA_OK);
    put_int(s, TESSERA_DEVICE, where ? device : -1);
    put_real(s, TESSERA_RELTOL, 1e-6);
    assert_status(
        s, tessera_integrate_many(s, TESSERA_AUTO, rows, kinds, sizeof *kinds, NULL, NULL, value[where], error, NULL),
        TESSERA_OK);
    tessera_destroy(s);
  }
  for (int i = 0; i < rows; ++i) assert_at_most(fabs(value[0][i] / value[1][i] - 1), 2e-6);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(device_is_host), cmocka_unit_test(many)};
  tessera_solver *s = solver_of(1, 1);
  const double kind = 0;
  tessera_set_integrand_source(s, TESSERA_LANGUAGE_C, text, "f");
  tessera_set_params(s, &kind, sizeof kind);
  if (lacks_device(s, device)) return no_device_here();
  return cmocka_run_group_tests(tests, NULL, NULL);
}
