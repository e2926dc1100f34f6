/* Runs by every method that are stopped in one process and go on in another end with the bits of the uninterrupted run, and ask the integrand for the rest
 * alone. SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "files.h"
#include "solve.h"

enum { most_ncomp = 3 };

static int64_t calls; /* of the integrand in this process */

static void count_call(void) { __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED); }

static int corner(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  double sum = 0.0, product = 1.0;
  (void)userdata;
  count_call();
  for (int j = 0; j < ndim; ++j) {
    sum += (x[j] - 0.3) * (x[j] - 0.3) * (j + 1);
    product *= 1 + 0.1 * x[j];
  }
  for (int k = 0; k < ncomp; ++k) f[k] = k % 2 == 0 ? exp(-8 * sum) : product * fabs(x[0] - 0.4);
  return 0;
}

static int smooth(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  double sum = 0.0;
  (void)userdata;
  count_call();
  for (int j = 0; j < ndim; ++j) sum += x[j] * (1 + 0.3 * j);
  for (int k = 0; k < ncomp; ++k) f[k] = cos(1.5 * sum + k);
  return 0;
}

static int root(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  double product = 1.0;
  (void)userdata;
  count_call();
  for (int j = 0; j < ndim; ++j) product *= sqrt(fabs(x[j] - 0.37)) + 0.1;
  for (int k = 0; k < ncomp; ++k) f[k] = log(product + 1e-3 * (k + 1));
  return 0;
}

static int whole_line(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  double sum = 0.0;
  (void)userdata;
  count_call();
  for (int j = 0; j < ndim; ++j) sum += (x[j] - 0.7) * (x[j] - 0.7) * (1 + j);
  for (int k = 0; k < ncomp; ++k) f[k] = exp(-sum) * cos(3 * x[0] + k);
  return 0;
}

/* Peaks far apart, each component with another. */
static int far_modes(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)userdata;
  count_call();
  for (int k = 0; k < ncomp; ++k)
    f[k] = exp(-(x[0] - 1) * (x[0] - 1)) + 0.5 * exp(-4 * (x[0] - 30 - 7 * k) * (x[0] - 30 - 7 * k));
  return 0;
}

/* Two narrow peaks beside faces that divisions make: regions in bulk explore their neighbourhood, and find no room on the way. */
static int beside_faces(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  static const double centre[2][4] = {{0.6543, 0.6270, 0.7552, 0.6536}, {0.4975, 0.8411, 0.2444, 0.3732}},
                      width[2][4] = {{0.0556, 0.0053, 0.0057, 0.0365}, {0.0083, 0.0834, 0.0071, 0.0039}};
  (void)userdata;
  count_call();
  for (int k = 0; k < ncomp; ++k) f[k] = 0;
  for (int p = 0; p < 2; ++p) {
    double s = 0;
    for (int j = 0; j < ndim; ++j) {
      const double t = (x[j] / (1 + 0.25 * j) - centre[p][j]) / width[p][j];
      s += t * t;
    }
    for (int k = 0; k < ncomp; ++k) f[k] += exp(-s) * (p + 1);
  }
  return 0;
}

/* A method with what it is asked for. */
struct a_case {
  const char *name;
  int method, ndim, ncomp;
  tessera_integrand1 f;
  double tolerance;
  int keys[4], values[4]; /* integer options */
  int redone;             /* a run to another tolerance asks for nearly everything again */
};

static const struct a_case cases[] = {
    {"worst first", TESSERA_CUBATURE, 3, 2, corner, 1e-5, {0}, {0}, 0},
    {"worst first, eight slabs",
     TESSERA_CUBATURE,
     4,
     1,
     corner,
     1e-4,
     {TESSERA_SPLITTING, TESSERA_INITIAL_REGIONS},
     {TESSERA_SPLIT_8R3, 16},
     0},
    {"classic estimate", TESSERA_CUBATURE, 3, 3, corner, 2e-3, {TESSERA_ESTIMATE}, {TESSERA_ESTIMATE_CLASSIC}, 0},
    {"by component", TESSERA_CUBATURE, 2, 3, corner, 1e-6, {TESSERA_PRIORITY}, {TESSERA_PRIORITY_WORST_COMPONENT}, 0},
    {"bulk", TESSERA_CUBATURE, 3, 2, root, 1e-4, {TESSERA_SELECTION}, {TESSERA_SELECT_BULK}, 0},
    {"bulk, higher degrees",
     TESSERA_CUBATURE,
     4,
     1,
     corner,
     1e-7,
     {TESSERA_SELECTION, TESSERA_SPARSE},
     {TESSERA_SELECT_BULK, TESSERA_SPARSE_OFF},
     0},
    {"infinite axes", TESSERA_CUBATURE, 2, 1, whole_line, 1e-7, {0}, {0}, 0},
    {"sparse grid beside regions", TESSERA_CUBATURE, 5, 1, smooth, 1e-9, {0}, {0}, 0},
    {"in bulk beside peaks",
     TESSERA_CUBATURE,
     4,
     1,
     beside_faces,
     1e-2,
     {TESSERA_SELECTION, TESSERA_INITIAL_REGIONS, TESSERA_SPARSE},
     {TESSERA_SELECT_BULK, 2, TESSERA_SPARSE_OFF},
     0},
    {"sparse grid alone", TESSERA_CUBATURE, 4, 2, smooth, 1e-9, {TESSERA_SPARSE}, {TESSERA_SPARSE_ALONE}, 0},
    {"lattice rule", TESSERA_LATTICE, 4, 2, corner, 3e-4, {0}, {0}, 0},
    {"lattice rule, tent",
     TESSERA_LATTICE,
     3,
     1,
     root,
     1e-4,
     {TESSERA_TRANSFORM, TESSERA_SHIFTS},
     {TESSERA_TRANSFORM_BAKER, 8},
     0},
    {"median rule",
     TESSERA_LATTICE,
     3,
     1,
     smooth,
     1e-7,
     {TESSERA_MEDIAN, TESSERA_TRANSFORM},
     {5, TESSERA_TRANSFORM_KOROBOV2},
     0},
    {"copies",
     TESSERA_LATTICE,
     3,
     1,
     smooth,
     1e-7,
     {TESSERA_COPIES, TESSERA_TRANSFORM},
     {3, TESSERA_TRANSFORM_KOROBOV1},
     0},
    {"plain sampling", TESSERA_MONTECARLO, 3, 2, corner, 5e-3, {TESSERA_SAMPLING}, {TESSERA_SAMPLING_PLAIN}, 0},
    {"antithetic",
     TESSERA_MONTECARLO,
     3,
     1,
     smooth,
     5e-3,
     {TESSERA_SAMPLING, TESSERA_ANTITHETIC, TESSERA_GENERATOR},
     {TESSERA_SAMPLING_PLAIN, 1, TESSERA_GENERATOR_THREEFRY},
     0},
    {"Sobol points",
     TESSERA_MONTECARLO,
     3,
     2,
     corner,
     2e-4,
     {TESSERA_SAMPLING, TESSERA_GENERATOR},
     {TESSERA_SAMPLING_PLAIN, TESSERA_GENERATOR_SOBOL},
     0},
    {"VEGAS", TESSERA_MONTECARLO, 3, 2, corner, 1e-3, {TESSERA_SAMPLING}, {TESSERA_SAMPLING_VEGAS}, 0},
    {"VEGAS, Sobol points",
     TESSERA_MONTECARLO,
     3,
     1,
     corner,
     1e-4,
     {TESSERA_SAMPLING, TESSERA_GENERATOR},
     {TESSERA_SAMPLING_VEGAS, TESSERA_GENERATOR_SOBOL},
     0},
    {"sampling by choice", TESSERA_MONTECARLO, 4, 1, corner, 3e-4, {0}, {0}, 0},
    {"quadrature", TESSERA_QUADRATURE, 1, 2, root, 1e-11, {0}, {0}, 0},
    {"quadrature, other modes", TESSERA_QUADRATURE, 1, 2, far_modes, 1e-9, {0}, {0}, 0},
    {"double exponential",
     TESSERA_QUADRATURE,
     1,
     1,
     smooth,
     1e-13,
     {TESSERA_RULE},
     {TESSERA_RULE_DOUBLE_EXPONENTIAL},
     0},
    {"quadrature, cosine", TESSERA_QUADRATURE, 1, 1, root, 1e-9, {TESSERA_WEIGHT}, {TESSERA_WEIGHT_COS}, 0},
    {"iterated", TESSERA_ITERATED, 2, 1, root, 1e-4, {0}, {0}, 1},
    {"iterated, three axes", TESSERA_ITERATED, 3, 2, corner, 1e-3, {0}, {0}, 1},
    {"iterated, one axis", TESSERA_ITERATED, 1, 1, root, 1e-10, {0}, {0}, 0},
    {"choice, one axis", TESSERA_AUTO, 1, 1, root, 1e-9, {0}, {0}, 0},
    {"choice", TESSERA_AUTO, 4, 1, corner, 1e-4, {0}, {0}, 0},
};
enum { case_count = sizeof cases / sizeof cases[0] };

static tessera_solver *solver_for(const struct a_case *c, int threads) {
  double lower[8], upper[8];
  tessera_solver *s = solver_of(c->ndim, c->ncomp);
  put_point(s, c->f, NULL);
  for (int i = 0; i < 4 && c->keys[i] != 0; ++i) put_int(s, c->keys[i], c->values[i]);
  if (c->keys[0] == TESSERA_COPIES) {
    tessera_lattice *l = NULL;
    assert_int_equal(tessera_lattice_create(&l, c->ndim), TESSERA_OK);
    assert_int_equal(tessera_lattice_korobov(l, 17011, 76), TESSERA_OK);
    assert_status(s, tessera_set_lattice(s, l), TESSERA_OK);
    tessera_lattice_destroy(l);
  }
  for (int j = 0; j < c->ndim; ++j) {
    const int infinite = c->f == whole_line || c->f == far_modes;
    lower[j] = infinite ? -INFINITY : 0;
    upper[j] = infinite ? INFINITY : 1 + 0.25 * j;
  }
  assert_status(s, tessera_set_domain(s, lower, upper), TESSERA_OK);
  put_real(s, TESSERA_RELTOL, c->tolerance);
  put_real(s, TESSERA_OMEGA, 20.0);
  put_real(s, TESSERA_PROGRESS_SECONDS, 0.0);
  put_int(s, TESSERA_THREADS, threads);
  put_int(s, TESSERA_MAXEVAL, 20000000);
  return s;
}

struct end {
  int status;
  double value[most_ncomp], error[most_ncomp];
  int64_t evaluations, regions, iterations, calls;
};

static struct end run(tessera_solver *s, int method) {
  struct end e;
  memset(&e, 0, sizeof e);
  calls = 0;
  e.status = tessera_integrate(s, method, e.value, e.error);
  if (e.status < 0) assert_status(s, e.status, TESSERA_OK);
  e.evaluations = got_int(s, TESSERA_EVALUATIONS);
  e.regions = got_int(s, TESSERA_REGIONS);
  e.iterations = got_int(s, TESSERA_ITERATIONS);
  e.calls = calls;
  return e;
}

static void assert_same_end(const struct a_case *c, struct end a, struct end b) {
  const int same = a.status == b.status && memcmp(a.value, b.value, sizeof a.value) == 0 &&
                   memcmp(a.error, b.error, sizeof a.error) == 0 && a.evaluations == b.evaluations &&
                   a.regions == b.regions && a.iterations == b.iterations;
  if (!same)
    print_error(
        "%s: %.17g +- %.3g, status %d, %lld evaluations; uninterrupted: %.17g +- %.3g, status %d, %lld evaluations\n",
        c->name, b.value[0], b.error[0], b.status, (long long)b.evaluations, a.value[0], a.error[0], a.status,
        (long long)a.evaluations);
  assert_true(same);
}

static int64_t stop_at;
static int stopper(int64_t evaluations, int ncomp, const double *value, const double *error, int64_t remaining,
                   void *userdata) {
  (void)ncomp, (void)value, (void)error, (void)remaining, (void)userdata;
  return evaluations >= stop_at;
}

enum way { by_callback, by_evaluations, by_tolerance, ways };

static struct end *shared; /* with the child */

/* In a process of its own: a run that ends early, and its state in a file. */
static struct end first_part(const struct a_case *c, enum way how, int64_t about, int threads, const char *path) {
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    tessera_solver *s = solver_for(c, threads);
    put_int(s, TESSERA_KEEP_STATE, 1);
    stop_at = about;
    if (how == by_callback) tessera_set_progress(s, stopper, NULL);
    if (how == by_evaluations) put_int(s, TESSERA_MAXEVAL, about);
    if (how == by_tolerance) put_real(s, TESSERA_RELTOL, fmin(0.1, 30 * c->tolerance));
    *shared = run(s, c->method);
    const int saved = tessera_save_state(s, path);
    if (saved != TESSERA_OK) fprintf(stderr, "%s\n", tessera_last_error(s));
    tessera_destroy(s);
    _exit(saved == TESSERA_OK ? 0 : 1);
  }
  int status = -1;
  assert_int_equal(waitpid(child, &status, 0), child);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) print_error("%s: the first part failed\n", c->name);
  assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  return *shared;
}

static void stopped_and_gone_on(void **state) {
  static const double shares[] = {0.02, 0.3, 0.8};
  const char *const path = test_path("state");
  (void)state;
  for (int i = 0; i < case_count; ++i) {
    const struct a_case *const c = &cases[i];
    tessera_solver *s = solver_for(c, 1 + i % 2);
    const struct end all = run(s, c->method);
    tessera_destroy(s);
    for (int how = 0; how < ways; ++how) {
      const int least = how == by_evaluations ? 1 : 0, parts = how == by_tolerance || sanitized ? 1 : 3 - least;
      for (int part = least; part < least + parts; ++part) {
        const int64_t about = (int64_t)(shares[part] * (double)all.evaluations);
        const struct end first = first_part(c, (enum way)how, about > 0 ? about : 1, 1 + (i + how) % 3, path);
        s = solver_for(c, 1 + (i + part) % 3);
        assert_status(s, tessera_load_state(s, path), TESSERA_OK);
        const struct end rest = run(s, c->method);
        tessera_destroy(s);
        assert_same_end(c, all, rest);
        /* What the first part has asked for is not asked for again, but for the step in which it ended. */
        if (how == by_tolerance && c->redone) continue;
        if (how == by_callback && part == 2 && rest.calls > all.calls - first.calls / 2) {
          print_error("%s: %lld points of %lld, after %lld\n", c->name, (long long)rest.calls, (long long)all.calls,
                      (long long)first.calls);
          fail();
        }
      }
    }
  }
}

/* What is loaded is for one run; what it has found is kept with the rest. */
static void a_state_of_a_run_that_went_on(void **state) {
  const char *const path = test_path("state");
  (void)state;
  const struct a_case *const c = &cases[0];
  tessera_solver *s = solver_for(c, 1);
  const struct end all = run(s, c->method);
  first_part(c, by_evaluations, all.evaluations / 4, 1, path);
  put_int(s, TESSERA_KEEP_STATE, 1);
  put_int(s, TESSERA_MAXEVAL, all.evaluations / 2);
  assert_status(s, tessera_load_state(s, path), TESSERA_OK);
  const struct end half = run(s, c->method);
  assert_true(half.calls < all.calls / 3);
  assert_status(s, tessera_save_state(s, path), TESSERA_OK);
  put_int(s, TESSERA_MAXEVAL, 20000000);
  assert_true(run(s, c->method).calls >= all.calls); /* from the beginning */
  assert_status(s, tessera_load_state(s, path), TESSERA_OK);
  const struct end rest = run(s, c->method);
  assert_same_end(c, all, rest);
  assert_true(rest.calls < all.calls * 2 / 3);
  tessera_destroy(s);
}

static tessera_solver *running;
static int saver(int64_t evaluations, int ncomp, const double *value, const double *error, int64_t remaining,
                 void *userdata) {
  (void)ncomp, (void)value, (void)error, (void)remaining;
  if (evaluations >= stop_at && *(int *)userdata == 1)
    *(int *)userdata = tessera_save_state(running, test_path("seen"));
  return 0;
}

static void saved_while_it_goes_on(void **state) {
  (void)state;
  for (int i = 0; i < case_count; ++i) {
    const struct a_case *const c = &cases[i];
    int saved = 1;
    running = solver_for(c, 2);
    put_int(running, TESSERA_KEEP_STATE, 1);
    stop_at = 0;
    assert_status(running, tessera_set_progress(running, saver, &saved), TESSERA_OK);
    const struct end all = run(running, c->method);
    tessera_destroy(running);
    if (saved == 1) continue; /* there was no step */
    assert_int_equal(saved, TESSERA_OK);
    tessera_solver *s = solver_for(c, 1);
    put_int(s, TESSERA_KEEP_STATE, 1);
    assert_status(s, tessera_load_state(s, test_path("seen")), TESSERA_OK);
    assert_same_end(c, all, run(s, c->method));
    tessera_destroy(s);
  }
}

/* A process that is killed leaves the last file that was whole. */
static void killed_and_gone_on(void **state) {
  static const int of[] = {0, 4, 9, 13, 16, 22};
  const char *const path = test_path("checkpoint");
  test_path("checkpoint.new");
  (void)state;
  for (int i = 0; i < 6; ++i) {
    const struct a_case *const c = &cases[of[i]];
    tessera_solver *s = solver_for(c, 1);
    const struct end all = run(s, c->method);
    remove(path);
    memset(shared, 0, sizeof *shared);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
      tessera_solver *t = solver_for(c, 1);
      put_real(t, TESSERA_CHECKPOINT_SECONDS, 0.0);
      if (tessera_set_checkpoint(t, path) != TESSERA_OK) _exit(1);
      for (;;) { /* until it is killed */
        remove(path);
        run(t, c->method);
      }
    }
    usleep(20000 + 7000 * (unsigned)i);
    while (access(path, R_OK) != 0) usleep(1000);
    kill(child, SIGKILL);
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    if (access(path, R_OK) == 0) { /* else it had just begun anew */
      assert_status(s, tessera_load_state(s, path), TESSERA_OK);
      const struct end rest = run(s, c->method);
      assert_same_end(c, all, rest);
      assert_true(rest.calls <= all.calls);
    }
    tessera_destroy(s);
  }
}

/* The file has the end of the run too, and costs nothing where it is not asked for. */
static void a_checkpoint_at_the_end(void **state) {
  const char *const path = test_path("checkpoint");
  (void)state;
  const struct a_case *const c = &cases[0];
  remove(path);
  tessera_solver *s = solver_for(c, 1);
  assert_status(s, tessera_set_checkpoint(s, path), TESSERA_OK);
  const struct end all = run(s, c->method);
  assert_status(s, tessera_set_checkpoint(s, NULL), TESSERA_OK);
  assert_int_equal(tessera_save_state(s, path), TESSERA_ERR_UNSUPPORTED); /* TESSERA_KEEP_STATE is 0 */
  assert_status(s, tessera_load_state(s, path), TESSERA_OK);
  const struct end again = run(s, c->method);
  assert_same_end(c, all, again);
  assert_int_equal(again.calls, 0);
  tessera_destroy(s);
}

static int begin(void **state) {
  let_files_be_short_lived();
  begin_in_test_directory(state);
  shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return shared == MAP_FAILED;
}
int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stopped_and_gone_on),     cmocka_unit_test(a_state_of_a_run_that_went_on),
      cmocka_unit_test(saved_while_it_goes_on),  cmocka_unit_test(killed_and_gone_on),
      cmocka_unit_test(a_checkpoint_at_the_end),
  };
  return cmocka_run_group_tests(tests, begin, end_in_test_directory);
}
