/* One cubature on the devices of several ranks: the bits of one device, work that is shared, and one end for all ranks. On device 0 for all of them, where
 * there is one; else on devices that are the host (tests/core/several_devices). SPDX-License-Identifier: BSD-3-Clause */
#include "../parity/device_runs.h"
#include "common.h"
#include "skip.h"

int my_rank, ranks;

static const char as_several[] = "TESSERA_TEST_ONE_DEVICE_AS_SEVERAL";
enum { chosen = 12, one_component, three_components, as_it_comes }; /* of device_runs */

/* together: 0, or 1 more than the devices of this rank that run beside its first. */
static tessera_solver *solver_on(const struct device_run *r, int together) {
  const int one[] = {0, 0, 0}, several[] = {my_rank % 4, (my_rank + 1) % 4, (my_rank + 2) % 4};
  tessera_solver *s = device_solver_of(r);
  if (together) put_world(s);
  put_int(s, TESSERA_DEVICE, is_stand_in() && together ? my_rank % 3 : 0); /* two of four ranks have the same one */
  if (together > 1) assert_status(s, tessera_set_devices(s, together, is_stand_in() ? several : one), TESSERA_OK);
  return s;
}

static struct device_outcome run_on(const struct device_run *r, int together) {
  tessera_solver *s = solver_on(r, together);
  const struct device_outcome o = device_outcome_of(s, r->method);
  if (o.status < 0) fail_msg("%s: %s", r->name, o.sentence);
  tessera_destroy(s);
  return o;
}

/* All ranks have ended so, with one sentence. */
static void assert_common_end(const struct device_outcome *o, int status, const char *word) {
  if (o->status != status) fail_msg("status %d and not %d: %s", o->status, status, o->sentence);
  assert_says(o->sentence, word);
  assert_common_text(o->sentence);
  assert_common(o->value[0]);
  assert_common(o->error[0]);
  assert_common((double)o->evaluations);
}

static void any_number_of_ranks_gives_the_same_bits(void **state) {
  (void)state;
  for (int i = chosen; i <= as_it_comes; ++i) { /* what is chosen, and what has sparse grids, among them */
    const struct device_run *r = &device_runs[i];
    const struct device_outcome alone = run_on(r, 0);
    for (int devices = 1; devices <= 3; devices += 2) { /* of each rank */
      const struct device_outcome all = run_on(r, my_rank < 2 ? devices : 1);
      assert_same_outcome(r->name, &all, &alone);
      if (r->shared) assert_true(all.devices >= (devices > 1 && my_rank < 2 ? 2 : 1));
    }
    if (my_rank == 0) print_message("  %-26s %.16g +- %.3e\n", r->name, alone.value[0], alone.error[0]);
  }
}

/* Of all points a rank has had about its part, and besides those of the small steps, which all ranks make. */
static void each_rank_evaluates_a_part(void **state) {
  (void)state;
  if (!is_stand_in()) skip();
  const struct device_run *r = &device_runs[one_component];
  run_on(r, 1); /* opens the driver */
  const long before = points_of_stand_in();
  const struct device_outcome o = run_on(r, 1);
  const long mine = points_of_stand_in() - before;
  const double evaluations = (double)o.evaluations;
  assert_true((double)sum_over_ranks(mine) >= evaluations);
  assert_true((double)mine < evaluations / ranks + 0.15 * evaluations + 1);
}

/* Without the test's wish: where a step takes long enough. */
static void long_steps_are_shared(void **state) {
  (void)state;
  if (!is_stand_in() || ranks > 3) skip();
  struct device_run r = device_runs[one_component];
  r.maxeval *= 3; /* of which the stand-in makes a sixteenth */
  unsetenv(as_several);
  setenv("FAKE_CUDA_POINT_SECONDS", "1e-6", 1);
  const struct device_outcome alone = run_on(&r, 0);
  long before = points_of_stand_in();
  const struct device_outcome all = run_on(&r, 1);
  assert_same_outcome("long steps", &all, &alone);
  if (ranks > 1) assert_true(points_of_stand_in() - before < all.evaluations);
  unsetenv("FAKE_CUDA_POINT_SECONDS"); /* steps that are over at once are not shared */
  r.maxeval = 320000;
  before = points_of_stand_in();
  const struct device_outcome short_ones = run_on(&r, 1);
  const long beside = points_of_stand_in() - before - (long)short_ones.evaluations; /* asked ahead for a look */
  assert_true(beside >= 0 && beside < 4000);
  setenv(as_several, "1", 1);
}

/* What the integrand does far on in a run, on a device: it ends the run with the value of one device. */
static void texts_end_all_ranks_alike(void **state) {
  (void)state;
  if (is_stand_in()) skip();
  const double spoilt[] = {INFINITY, -1};
  for (int what = 0; what < 2; ++what) {
    struct device_outcome alone = {0};
    for (int together = 0; together < 2; ++together) {
      tessera_solver *s = ending_solver(spoilt[what]);
      if (together) put_world(s);
      put_int(s, TESSERA_DEVICE, 0);
      const struct device_outcome o = device_outcome_of(s, TESSERA_CUBATURE);
      if (!together) alone = o;
      assert_same_outcome("ends", &o, &alone);
      assert_common_end(&o, what == 0 ? TESSERA_NONFINITE : TESSERA_CALLBACK_STOPPED, what == 0 ? "inf" : "23");
      if (what == 1) assert_int_equal(got_int(s, TESSERA_CALLBACK_STATUS), 23);
      tessera_destroy(s);
    }
  }
}

/* A device callback, in the memory of the device whose stream it is given. After so many calls it refuses, or gives what is no number. */
struct calls {
  int64_t points, calls, refuse_at, spoil_at;
};
static int kinks_on_device(int64_t n, int ndim, const double *x, int64_t ldx, int ncomp, double *f, int64_t ldf,
                           void *stream, void *userdata) {
  struct calls *calls = userdata;
  (void)stream;
  calls->points += n;
  ++calls->calls;
  if (calls->calls == calls->refuse_at) return 40 + my_rank;
  kinks_at(n, ndim, x, ldx, ncomp, f, ldf);
  if (calls->calls == calls->spoil_at) f[n / 2] = INFINITY;
  return 0;
}

static struct device_outcome run_callback(int together, struct calls *calls) {
  tessera_solver *s = solver_on(&device_runs[one_component], together);
  assert_status(s, tessera_set_integrand_device(s, kinks_on_device, calls), TESSERA_OK);
  const struct device_outcome o = device_outcome_of(s, TESSERA_CUBATURE);
  if (o.status == TESSERA_CALLBACK_STOPPED) assert_int_equal(got_int(s, TESSERA_CALLBACK_STATUS), 40 + ranks - 1);
  tessera_destroy(s);
  return o;
}

static void callbacks_are_shared(void **state) {
  (void)state;
  if (!is_stand_in()) skip();
  struct calls one = {0}, mine = {0}, more = {0};
  const struct device_outcome alone = run_callback(0, &one);
  const struct device_outcome all = run_callback(1, &mine), with_two = run_callback(2, &more);
  assert_same_outcome("callback", &all, &alone);
  assert_same_outcome("callback", &with_two, &alone);
  assert_true(one.points >= alone.evaluations);
  assert_true(sum_over_ranks((long)mine.points) >= alone.evaluations);
  assert_true((double)mine.points < (double)alone.evaluations * (1.0 / ranks + 0.15) + 1);
}

/* In the middle of a run, and at its first points, which each rank evaluates. */
static void one_rank_that_fails_ends_all(void **state) {
  (void)state;
  if (!is_stand_in()) skip();
  const int last = my_rank == ranks - 1;
  char who[32];
  snprintf(who, sizeof who, ranks > 1 ? "rank %d: the device callback" : "the device callback", ranks - 1);
  struct calls later = {0, 0, last ? 12 : 0, 0}, at_once = {0, 0, last ? 1 : 0, 0}, spoilt = {0, 0, 0, last ? 12 : 0};
  struct device_outcome o = run_callback(1, &later);
  assert_common_end(&o, TESSERA_CALLBACK_STOPPED, who);
  o = run_callback(1, &spoilt);
  assert_common_end(&o, TESSERA_NONFINITE, "the device callback returned NaN or infinity");
  o = run_callback(1, &at_once);
  assert_common_end(&o, TESSERA_ERR_CALLBACK, who);
}

static void a_broken_device_ends_all(void **state) {
  (void)state;
  if (!is_stand_in()) skip();
  const struct device_run *r = &device_runs[one_component];
  const struct device_outcome alone = run_on(r, 0);
  for (int devices = 1; devices <= 2; ++devices) { /* the first of the rank's, or its second */
    tessera_solver *s = solver_on(r, devices);
    char broken[2] = {(char)('0' + (devices == 1 ? my_rank % 3 : (my_rank + 1) % 4)), 0};
    const struct device_outcome before = device_outcome_of(s, r->method);
    assert_same_outcome("before", &before, &alone);
    if (my_rank == ranks - 1) setenv("FAKE_CUDA_BROKEN_DEVICE", broken, 1);
    const struct device_outcome o = device_outcome_of(s, r->method);
    unsetenv("FAKE_CUDA_BROKEN_DEVICE");
    if (o.status != TESSERA_ERR_DEVICE) fail_msg("status %d: %s", o.status, o.sentence);
    assert_says(o.sentence, "broken");
    assert_common_text(o.sentence);
    const struct device_outcome after = device_outcome_of(s, r->method);
    assert_same_outcome("after", &after, &alone);
    tessera_destroy(s);
  }
}

/* One rank has less memory than the others: all do with what it has. None of it has been left by a solver before: the devices are reset. */
static void the_least_memory_counts(void **state) {
  (void)state;
  if (!is_stand_in()) skip();
  const struct device_run *r = &device_runs[one_component];
  const int has_less = my_rank == ranks - 1;
  const struct device_outcome plenty = run_on(r, 1);
  setenv("FAKE_CUDA_CONTEXT", "2", 1);
  if (has_less) setenv("FAKE_CUDA_FREE_BYTES", "300000", 1);
  const struct device_outcome little = run_on(r, 1);
  unsetenv("FAKE_CUDA_FREE_BYTES");
  assert_common_end(&little, little.status, "");
  assert_true(little.error[0] != plenty.error[0]); /* regions were given up */
  setenv("FAKE_CUDA_CONTEXT", "3", 1);
  if (has_less) setenv("FAKE_CUDA_LARGEST_BLOCK", "1000000", 1);
  tessera_solver *s = solver_on(r, 1);
  const struct device_outcome none = device_outcome_of(s, r->method);
  unsetenv("FAKE_CUDA_LARGEST_BLOCK");
  assert_common_end(&none, TESSERA_ERR_MEMORY, "no memory left");
  const struct device_outcome again = device_outcome_of(s, r->method);
  assert_same_outcome("again", &again, &plenty);
  tessera_destroy(s);
}

/* A run of which the first half has been kept, and which other devices go on with. */
static struct device_outcome gone_on_with(int together) {
  const struct device_run *r = &device_runs[one_component];
  tessera_solver *s = solver_on(r, together);
  const int64_t most = got_int(s, TESSERA_MAXEVAL);
  put_int(s, TESSERA_KEEP_STATE, 1);
  put_int(s, TESSERA_MAXEVAL, most / 2);
  const struct device_outcome half = device_outcome_of(s, r->method);
  assert_true(half.status >= 0 && half.evaluations <= most / 2);
  put_int(s, TESSERA_MAXEVAL, most);
  const struct device_outcome o = device_outcome_of(s, r->method);
  if (o.status < 0) fail_msg("%s", o.sentence);
  assert_true(o.evaluations > half.evaluations);
  tessera_destroy(s);
  return o;
}

static void a_kept_run_goes_on(void **state) {
  (void)state;
  const struct device_outcome alone = gone_on_with(0), all = gone_on_with(1), with_two = gone_on_with(2);
  assert_same_outcome("gone on with", &all, &alone);
  assert_same_outcome("gone on with", &with_two, &alone);
}

static void a_stop_or_a_limit_of_time_ends_all(void **state) {
  (void)state;
  int64_t enough = 20000, never = INT64_MAX;
  for (int what = 0; what < 2; ++what) {
    tessera_solver *s = solver_on(&device_runs[one_component], 1);
    put_int(s, TESSERA_MAXEVAL, (int64_t)4e12);
    if (what == 0) {
      put_real(s, TESSERA_PROGRESS_SECONDS, 1e-3);
      assert_status(s, tessera_set_progress(s, stop_at_evaluations, my_rank == 0 ? &enough : &never), TESSERA_OK);
    } else {
      put_real(s, TESSERA_MAX_SECONDS, my_rank == 0 ? 0.3 : 1000);
    }
    const struct device_outcome o = device_outcome_of(s, TESSERA_CUBATURE);
    assert_common_end(&o, what == 0 ? TESSERA_STOPPED : TESSERA_LIMIT_TIME, "");
    assert_true(got_real(s, TESSERA_SECONDS) < 20);
    tessera_destroy(s);
  }
}

static void ranks_must_be_of_one_kind(void **state) {
  (void)state;
  if (ranks == 1) skip();
  tessera_solver *s = solver_on(&device_runs[one_component], 1);
  put_int(s, TESSERA_DEVICE, my_rank == 0 ? 0 : TESSERA_DEVICE_HOST);
  struct device_outcome o = device_outcome_of(s, TESSERA_CUBATURE);
  assert_int_equal(o.status, TESSERA_ERR_RANKS);
  assert_says(o.sentence, "TESSERA_DEVICE");
  assert_common_text(o.sentence);
  tessera_destroy(s);
  s = solver_on(&device_runs[one_component], 1);
  put_real(s, TESSERA_BULK_FRACTION, my_rank == 0 ? 0.5 : 0.25);
  o = device_outcome_of(s, TESSERA_CUBATURE);
  assert_int_equal(o.status, TESSERA_ERR_RANKS);
  assert_says(o.sentence, "TESSERA_BULK_FRACTION");
  assert_common_text(o.sentence);
  tessera_destroy(s);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(any_number_of_ranks_gives_the_same_bits),
      cmocka_unit_test(each_rank_evaluates_a_part),
      cmocka_unit_test(long_steps_are_shared),
      cmocka_unit_test(texts_end_all_ranks_alike),
      cmocka_unit_test(callbacks_are_shared),
      cmocka_unit_test(one_rank_that_fails_ends_all),
      cmocka_unit_test(a_broken_device_ends_all),
      cmocka_unit_test(the_least_memory_counts),
      cmocka_unit_test(a_kept_run_goes_on),
      cmocka_unit_test(a_stop_or_a_limit_of_time_ends_all),
      cmocka_unit_test(ranks_must_be_of_one_kind),
  };
  setenv(as_several, "1", 1);
  if (lacks_device(device_solver_of(&device_runs[0]), 0)) return no_device_here();
  return run_on_ranks(tests);
}
