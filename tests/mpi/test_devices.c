/* Ranks that run on a device share its work: the bits of one process. All of them on device 0, where there is no other. Skipped where there is
 * no device. SPDX-License-Identifier: BSD-3-Clause */
#include "../parity/device_runs.h"
#include "common.h"
#include "skip.h"

int my_rank, ranks;

static struct device_outcome outcome_of(const struct device_run *r, int together, int devices) {
  const int one[] = {0, 0}, several[] = {my_rank % 2, 2 + my_rank % 2};
  const int *ordinals = is_stand_in() ? several : one;
  tessera_solver *s = device_solver_of(r);
  if (together) put_world(s);
  put_int(s, TESSERA_DEVICE, is_stand_in() ? my_rank % 3 : 0);
  if (devices > 1) assert_status(s, tessera_set_devices(s, devices, ordinals), TESSERA_OK);
  const struct device_outcome o = device_outcome_of(s, r->method);
  if (o.status < 0) fail_msg("%s: %s", r->name, o.sentence);
  tessera_destroy(s);
  return o;
}

/* Of the stand-in, which takes its time, one run of each kind. */
static int is_one_of_a_kind(int i) { return i == 0 || i == 5 || i == 7 || i == 9 || i == 14; }

static void ranks_with_devices_give_the_bits_of_one_process(void **state) {
  (void)state;
  for (int i = 0; i < many_device_runs; ++i) {
    const struct device_run *r = &device_runs[i];
    if (!is_runnable(r) || (is_stand_in() && !is_one_of_a_kind(i))) continue;
    const struct device_outcome alone = outcome_of(r, 0, 1), together = outcome_of(r, 1, 1);
    assert_same_outcome(r->name, &together, &alone);
    if (my_rank == 0) print_message("  %-26s %.16g +- %.3e\n", r->name, together.value[0], together.error[0]);
  }
}

static void ranks_with_two_devices_each(void **state) {
  (void)state;
  for (int i = 0; i < many_device_runs; i += is_stand_in() ? 9 : 3) {
    const struct device_run *r = &device_runs[i];
    if (!is_runnable(r) || (is_stand_in() && !is_one_of_a_kind(i))) continue;
    const struct device_outcome alone = outcome_of(r, 0, 1), together = outcome_of(r, 1, 2);
    assert_same_outcome(r->name, &together, &alone);
  }
}

static void a_rank_on_the_host_is_named(void **state) {
  (void)state;
  if (ranks == 1) skip();
  const struct device_run *r = &device_runs[0];
  tessera_solver *s = device_solver_of(r);
  put_world(s);
  put_int(s, TESSERA_DEVICE, my_rank == 0 ? 0 : TESSERA_DEVICE_HOST);
  const struct device_outcome o = device_outcome_of(s, r->method);
  assert_int_equal(o.status, TESSERA_ERR_RANKS);
  assert_says(o.sentence, "TESSERA_DEVICE");
  tessera_destroy(s);
}

enum { rows = 3000 };
static double blocks[rows], value[2][rows], error[2][rows];
static int status[2][rows];

/* The first `count` integrals by all ranks, with so many devices each, have the bits of one process. */
static void assert_many(int method, int ndim, int count, int devices) {
  static const char text[] =
      "double f(const double *x, const void *p) { return 1 / (1 + *(const double *)p * x[0] * x[TESSERA_NDIM - 1]); }";
  const int one[] = {0, 0}, several[] = {my_rank % 2, 2 + my_rank % 2};
  for (int i = 0; i < rows; ++i) blocks[i] = 0.001 * i;
  tell_stand_in(ndim, 1);
  for (int together = 0; together < 2; ++together) {
    tessera_solver *s = solver_of(ndim, 1);
    if (together) put_world(s);
    assert_status(s, tessera_set_integrand_source(s, TESSERA_LANGUAGE_CUDA, text, "f"), TESSERA_OK);
    put_real(s, TESSERA_RELTOL, method == TESSERA_MONTECARLO ? 1e-2 : 1e-6);
    put_int(s, TESSERA_MAXEVAL, is_stand_in() ? 20000 : 1000000);
    put_int(s, TESSERA_DEVICE, 0);
    if (together && devices > 1)
      assert_status(s, tessera_set_devices(s, devices, is_stand_in() ? several : one), TESSERA_OK);
    const int worst = tessera_integrate_many(s, method, count, blocks, sizeof blocks[0], NULL, NULL, value[together],
                                             error[together], status[together]);
    if (worst < 0) assert_status(s, worst, TESSERA_OK);
    tessera_destroy(s);
  }
  assert_memory_equal(value[0], value[1], (size_t)count * sizeof(double));
  assert_memory_equal(error[0], error[1], (size_t)count * sizeof(double));
  assert_memory_equal(status[0], status[1], (size_t)count * sizeof(int));
}

static void many_integrals_on_devices(void **state) {
  (void)state;
  for (int devices = 1; devices <= 2; ++devices) {
    assert_many(TESSERA_LATTICE, 3, is_stand_in() ? 20 : 40, devices);
    assert_many(TESSERA_MONTECARLO, 3, is_stand_in() ? 20 : 40, devices);
    if (is_stand_in()) continue;
    assert_many(TESSERA_CUBATURE, 3, rows, devices);
    assert_many(TESSERA_QUADRATURE, 1, rows, devices);
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ranks_with_devices_give_the_bits_of_one_process),
      cmocka_unit_test(ranks_with_two_devices_each),
      cmocka_unit_test(a_rank_on_the_host_is_named),
      cmocka_unit_test(many_integrals_on_devices),
  };
  setenv("TESSERA_TEST_ONE_DEVICE_AS_SEVERAL", "1", 1);
  if (lacks_device(device_solver_of(&device_runs[0]), 0)) return no_device_here();
  return run_on_ranks(tests);
}
