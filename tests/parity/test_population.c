/* The population on device 0: false claims as on the host, and where both claim, values within the tolerance. Skipped
 * where there is no device.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "../methods/population_runs.h"
#include "skip.h"

static const uint64_t seed = 20260601;
static const int dims[] = {2, 4, 6, 8};
enum { device = 0, per_family = 4, most_evaluations = 3000000, per_comparison = 1, most_rows = 200 };
static const struct population_bounds bounds = {
    .most_false = {0.08, 0.06}, .most_dishonest = {0.15, 0.12}, .least_claims = {0.40, 0.20}};

static struct population_run runs(int on, int per) {
  struct population_run r;
  population_run_default(&r);
  r.seed = seed;
  r.per = per;
  r.dim_count = (int)(sizeof dims / sizeof dims[0]);
  memcpy(r.dims, dims, sizeof dims);
  r.maxeval = most_evaluations;
  r.device = on;
  r.selection = TESSERA_SELECT_BULK;
  r.initial_count = 1;
  r.initials[0] = 1024;
  return r;
}

static void claims(void **state) {
  (void)state;
  const struct population_run r = runs(device, per_family);
  check_population(&r, &bounds);
}

struct kept {
  int count, ndim[most_rows], family[most_rows], status[most_rows];
  double value[most_rows], estimate[most_rows];
};

static void keep(const struct population_row *row, void *userdata) {
  struct kept *k = userdata;
  if (k->count == most_rows) return;
  k->family[k->count] = row->instance->family;
  k->ndim[k->count] = row->instance->ndim;
  k->status[k->count] = row->status;
  k->value[k->count] = row->value;
  k->estimate[k->count++] = row->estimate;
}

/* The same method with the same text: nearly the same regions. */
static void as_on_the_host(void **state) {
  (void)state;
  static struct kept here, there;
  struct population_tally tally[population_most_families];
  memset(tally, 0, sizeof tally);
  struct population_run r = runs(-1, per_comparison);
  r.maxeval = 300000;
  assert_int_equal(population_run_all(&r, tally, keep, &here), 0);
  r.device = device;
  assert_int_equal(population_run_all(&r, tally, keep, &there), 0);
  assert_int_equal(here.count, there.count);
  int both = 0;
  for (int i = 0; i < here.count; ++i) {
    assert_true(there.status[i] >= 0);
    if (here.status[i] != TESSERA_OK || there.status[i] != TESSERA_OK) continue;
    ++both;
    const double difference = fabs(here.value[i] - there.value[i]);
    if (!(difference <= here.estimate[i] + there.estimate[i] + 1e-9 * fabs(here.value[i])))
      print_error("%s, %d-D: host %.15g +- %.2g, device %.15g +- %.2g\n", population_families[here.family[i]].name,
                  here.ndim[i], here.value[i], here.estimate[i], there.value[i], there.estimate[i]);
    assert_at_most(difference, here.estimate[i] + there.estimate[i] + 1e-9 * fabs(here.value[i]));
  }
  print_message("  %d instances, %d claimed by both\n", here.count, both);
  assert_true(both > here.count / 4);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(as_on_the_host), cmocka_unit_test(claims)};
  tessera_solver *s = NULL;
  double value, error;
  int status = tessera_create(&s, 1, 1);
  if (status == TESSERA_OK)
    status = tessera_set_integrand_source(s, TESSERA_LANGUAGE_CUDA, "double f(const double *x) { return x[0]; }", "f");
  if (status == TESSERA_OK) status = tessera_set_int(s, TESSERA_DEVICE, device);
  if (status == TESSERA_OK) status = tessera_integrate(s, TESSERA_CUBATURE, &value, &error);
  if (status == TESSERA_ERR_NOT_BUILT) {
    printf("skipped: %s\n", tessera_last_error(s));
    tessera_destroy(s);
    return no_device_here();
  }
  tessera_destroy(s);
  if (status != TESSERA_OK) return 1;
  return cmocka_run_group_tests(tests, NULL, NULL);
}
