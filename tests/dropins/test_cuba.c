/* Cuhre as a caller in C sees it, and the other calls of Cuba. Numbers named "Cuhre" follow from runs of Cuba 4.2.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cuba.h"

#include <math.h>
#include <stdint.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cases.h"
#include "close.h"

#ifdef __SANITIZE_ADDRESS__
enum { sanitized = 1 };
#else
enum { sanitized = 0 };
#endif

enum { most_ncomp = 8 };

typedef int (*full_integrand)(const int *, const double[], const int *, double[], void *, const int *, const int *);
typedef int (*ll_integrand)(const int *, const double[], const int *, double[], void *, const long long *, const int *);
#define AS_INTEGRAND(f) ((integrand_t)(void (*)(void))(f))

struct call {
  int ndim, ncomp, nvec, flags, mineval, maxeval, key;
  double epsrel, epsabs;
  integrand_t f;
  void *userdata;
  const char *statefile;
  int nregions, neval, fail;
  double integral[most_ncomp], error[most_ncomp], prob[most_ncomp];
};

static struct call make(int ndim, int ncomp, full_integrand f) {
  struct call c;
  memset(&c, 0, sizeof c);
  c.ndim = ndim, c.ncomp = ncomp, c.nvec = 1, c.maxeval = 100000, c.epsrel = 1e-6;
  c.f = AS_INTEGRAND(f);
  c.fail = -7;
  for (int k = 0; k < most_ncomp; ++k) c.integral[k] = -9, c.error[k] = -10, c.prob[k] = -11;
  return c;
}
static void run(struct call *c) {
  Cuhre(c->ndim, c->ncomp, c->f, c->userdata, c->nvec, c->epsrel, c->epsabs, c->flags, c->mineval, c->maxeval, c->key,
        c->statefile, NULL, &c->nregions, &c->neval, &c->fail, c->integral, c->error, c->prob);
}
static void assert_same_result(const struct call *a, const struct call *b) {
  assert_int_equal(a->fail, b->fail);
  assert_int_equal(a->neval, b->neval);
  assert_int_equal(a->nregions, b->nregions);
  for (int k = 0; k < a->ncomp; ++k) {
    assert_same_bits(a->integral[k], b->integral[k]);
    assert_same_bits(a->error[k], b->error[k]);
    assert_close(a->prob[k], b->prob[k], 1e-6, 1e-9);
  }
}

/* ---- Integrands --------------------------------------------------------------------------------------------------------- */
static long long points_seen, calls_seen, largest_call;
static int core_seen;

static int exponentials(const int *ndim, const double x[], const int *ncomp, double f[], void *userdata,
                        const int *nvec, const int *core) {
  (void)userdata;
  core_seen = *core;
  ++calls_seen;
  points_seen += *nvec;
  if (*nvec > largest_call) largest_call = *nvec;
  for (int i = 0; i < *nvec; ++i) {
    double s = 0;
    for (int j = 0; j < *ndim; ++j) s += x[i * *ndim + j];
    for (int k = 0; k < *ncomp; ++k) f[i * *ncomp + k] = exp(-(k + 1) * s);
  }
  return 0;
}
static double exact_exponential(int ndim, int k) { return pow((1 - exp(-(k + 1.0))) / (k + 1), ndim); }

static int from_suite(const int *ndim, const double x[], const int *ncomp, double f[], void *userdata, const int *nvec,
                      const int *core) {
  (void)nvec, (void)core;
  ++points_seen;
  return ((const struct suite_case *)userdata)->fn(*ndim, x, *ncomp, f, NULL);
}

/* Components of different size and shape, symmetric in two coordinates so that equal errors abound. */
static int peaks(const int *ndim, const double x[], const int *ncomp, double f[], void *userdata, const int *nvec,
                 const int *core) {
  (void)userdata, (void)core;
  points_seen += *nvec;
  for (int i = 0; i < *nvec; ++i) {
    const double *p = x + i * *ndim;
    double s = 0;
    for (int j = 0; j < *ndim; ++j) s += (p[j] - 0.5) * (p[j] - 0.5);
    for (int k = 0; k < *ncomp; ++k)
      f[i * *ncomp + k] = pow(1000, k) / (s + 1e-3 * (k + 1)) * (k == 1 ? fabs(p[0] - 0.3) : 1);
  }
  return 0;
}

/* ---- Arguments and codes ---------------------------------------------------------------------------------------------------- */
static void wrong_arguments_have_the_originals_codes(void **state) {
  static const int bad[][3] = {{1, 1, -1}, {0, 1, -1},  {-5, 1, -1},   {26, 1, -1}, {1025, 1, -1},
                               {3, 0, -2}, {3, -1, -2}, {3, 1025, -2}, {1, 0, -1}};
  (void)state;
  for (int i = 0; i < 9; ++i) {
    struct call c = make(bad[i][0], bad[i][1], exponentials);
    run(&c);
    assert_int_equal(c.fail, bad[i][2]);
    assert_int_equal(c.neval, 0);
    for (int k = 0; k < most_ncomp; ++k) {
      assert_same_bits(c.integral[k], -9);
      assert_same_bits(c.error[k], -10);
      assert_same_bits(c.prob[k], -11);
    }
  }
}

static void the_keys_are_those_of_the_original(void **state) {
  static const int runs[][3] = {{2, 0, 65},   {2, 13, 65},  {2, 7, 21},   {2, 9, 33},  {2, 11, 65}, {3, 0, 127},
                                {3, 11, 127}, {3, 13, 127}, {3, 7, 39},   {3, 9, 77},  {4, 0, 153}, {4, 7, 65},
                                {4, 13, 153}, {4, 99, 153}, {8, 0, 1105}, {8, 7, 417}, {3, -1, 127}};
  (void)state;
  for (int i = 0; i < 17; ++i) {
    struct call c = make(runs[i][0], 1, exponentials);
    c.key = runs[i][1];
    c.epsrel = 10; /* met at once, but one division is always made */
    points_seen = 0;
    run(&c);
    assert_int_equal(c.fail, 0);
    assert_int_equal(c.neval, 3 * runs[i][2]);
    assert_int_equal(points_seen, c.neval);
    assert_int_equal(c.nregions, 2);
    assert_int_equal(core_seen, -1);
    c.maxeval = runs[i][2]; /* too little for it */
    run(&c);
    assert_int_equal(c.fail, 1);
    assert_int_equal(c.neval, runs[i][2]);
    assert_int_equal(c.nregions, 1);
    assert_same_bits(c.prob[0], -999);
    c.maxeval = runs[i][2] + 1; /* the original goes beyond maxeval by up to two rules */
    run(&c);
    assert_int_equal(c.neval, 3 * runs[i][2]);
  }
}

static void the_counts_are_those_of_the_original(void **state) {
  static const struct {
    const char *name;
    double tolerance;
    int evaluations;
  } runs[] = {
      /* Cuhre with the bit for the last samples set, and DCUHRE */
      {"f3_3d", 1e-3, 1651},   {"f3_3d", 1e-4, 3683},    {"f3_3d", 1e-5, 6223},   {"f3_3d", 1e-6, 7493},
      {"f3_3d", 1e-7, 9271},   {"f3_3d", 1e-8, 13081},   {"f8_8d", 1e-4, 135915}, {"f7_8d", 1e-3, 177905},
      {"f5_5d", 1e-3, 344799}, {"f4_5d", 1e-3, 1307943},
  };
  (void)state;
  for (int i = 0; i < (sanitized ? 7 : 10); ++i)
    for (int flags = 0; flags <= 4; flags += 4) {
      const struct suite_case *s = suite_find(runs[i].name);
      struct call c = make(s->ndim, 1, from_suite);
      c.userdata = (void *)(uintptr_t)s;
      c.epsrel = runs[i].tolerance;
      c.epsabs = 1e-300;
      c.maxeval = 2000000;
      c.flags = flags;
      points_seen = 0;
      run(&c);
      print_message("  %s %g: %d, Cuhre %d\n", s->name, c.epsrel, c.neval, runs[i].evaluations);
      assert_int_equal(c.fail, 0);
      assert_int_equal(c.neval, runs[i].evaluations);
      assert_int_equal(points_seen, c.neval);
      assert_int_equal(c.nregions, (c.neval / (c.neval / (2 * c.nregions - 1)) + 1) / 2);
      assert_close(c.integral[0], s->exact, c.epsrel, 0);
      assert_true(c.prob[0] >= 0 && c.prob[0] <= 1);
    }
}

static void mineval_and_maxeval(void **state) {
  (void)state;
  struct call c = make(3, 1, exponentials);
  c.epsrel = 1e-2;
  c.mineval = 127 * 9 + 1;
  run(&c);
  assert_int_equal(c.fail, 0);
  assert_int_equal(c.neval, 127 * 11);
  c = make(3, 3, peaks);
  c.epsrel = 1e-14;
  for (int maxeval = -1; maxeval < 3000; maxeval += 211) {
    c.maxeval = maxeval;
    run(&c);
    assert_int_equal(c.fail, 1);
    assert_true(c.neval >= maxeval && c.neval < (maxeval < 127 ? 128 : maxeval + 2 * 127));
    assert_int_equal(c.neval, 127 * (2 * c.nregions - 1));
  }
}

static int abort_at;
static int aborting(const int *ndim, const double x[], const int *ncomp, double f[], void *userdata, const int *nvec,
                    const int *core) {
  const int other = points_seen % 2 ? 17 : -1; /* has no meaning */
  peaks(ndim, x, ncomp, f, userdata, nvec, core);
  return points_seen >= abort_at ? -999 : other;
}
static void minus_999_aborts(void **state) {
  static const int at[] = {1, 200, 1000, 5000};
  (void)state;
  for (int i = 0; i < 4; ++i)
    for (int nvec = 1; nvec < 300; nvec += 250) {
      struct call c = make(3, 2, aborting);
      c.epsrel = 1e-12;
      c.nvec = nvec;
      abort_at = at[i];
      points_seen = 0;
      run(&c);
      assert_int_equal(c.fail, -99);
      assert_true(c.neval <= points_seen && c.neval > points_seen - 3 * 127 * 2);
      if (nvec == 1) assert_int_equal(points_seen, at[i]);
      for (int k = 0; k < 2; ++k) {
        assert_same_bits(c.integral[k], -9);
        assert_same_bits(c.error[k], -10);
        assert_same_bits(c.prob[k], -11);
      }
    }
}

/* ---- Batches ------------------------------------------------------------------------------------------------------------------ */
static void nvec_points_at_a_time(void **state) {
  static const int nvecs[] = {2, 7, 127, 128, 254, 1000, 100000};
  (void)state;
  struct call one = make(3, 3, peaks);
  one.maxeval = 20000;
  run(&one);
  for (int i = 0; i < 7; ++i) {
    struct call c = make(3, 3, peaks);
    c.maxeval = 20000;
    c.nvec = nvecs[i];
    run(&c);
    assert_int_equal(c.neval, one.neval);
    for (int k = 0; k < 3; ++k) assert_close(c.integral[k], one.integral[k], 1e-11, 0);
  }
  for (int i = 0; i < 7; ++i) {
    struct call c = make(3, 3, exponentials);
    c.nvec = nvecs[i];
    c.epsrel = 1e-9;
    points_seen = largest_call = calls_seen = 0;
    run(&c);
    assert_int_equal(c.fail, 0);
    assert_int_equal(points_seen, c.neval);
    assert_int_equal(largest_call,
                     nvecs[i] < 254 ? (nvecs[i] < 127 ? nvecs[i] : 127) : 254); /* two regions where they fit */
    assert_close(c.integral[2], exact_exponential(3, 2), 1e-9, 0);
  }
  struct call c = make(3, 1, exponentials);
  c.nvec = 0; /* the original hangs */
  run(&c);
  assert_int_equal(c.fail, 0);
}

static int ll_counts(const int *ndim, const double x[], const int *ncomp, double f[], void *userdata,
                     const long long *nvec, const int *core) {
  const int n = (int)*nvec;
  if (*nvec < 1 || *nvec > 300) return -999;
  return exponentials(ndim, x, ncomp, f, userdata, &n, core);
}
static void the_ll_routine_counts_in_long_long(void **state) {
  (void)state;
  for (long long nvec = 1; nvec < 300; nvec += 280) {
    int nregions, fail;
    long long neval;
    double integral[2], error[2], prob[2];
    llCuhre(3, 2, AS_INTEGRAND(ll_counts), NULL, nvec, 1e-9, 0, 0, 0, 1LL << 40, 0, NULL, NULL, &nregions, &neval,
            &fail, integral, error, prob);
    assert_int_equal(fail, 0);
    assert_int_equal(neval, 127 * (2LL * nregions - 1));
    assert_close(integral[1], exact_exponential(3, 1), 1e-9, 0);
  }
}

/* ---- Several components -------------------------------------------------------------------------------------------------------- */
static void every_component_meets_its_tolerance(void **state) {
  (void)state;
  struct call c = make(3, 3, peaks);
  c.epsrel = 1e-3;
  c.maxeval = 1000000;
  run(&c);
  assert_int_equal(c.fail, 0);
  for (int k = 0; k < 3; ++k) assert_at_most(c.error[k], 1e-3 * fabs(c.integral[k]));
  /* DCUHRE compares absolute errors: there the last component, a million times larger, is refined alone */
  assert_true(c.neval < 300000);
}

/* ---- State files ---------------------------------------------------------------------------------------------------------------- */
static char state_name[] = "/tmp/tessera-cuba-XXXXXX";
static int there(const char *name) {
  struct stat s;
  return stat(name, &s) == 0;
}
static struct call hard(int ncomp) {
  struct call c = make(3, ncomp, peaks);
  c.epsrel = 1e-13;
  return c;
}

static void a_run_in_parts_is_the_run_as_a_whole(void **state) {
  static const int sizes[] = {127 * 41, 127 * 2363, 127 * 9001}; /* 21, 1182 and 4501 regions */
  (void)state;
  for (int i = 0; i < 3; ++i)
    for (int ncomp = 1; ncomp <= 3; ncomp += 2) {
      struct call whole = hard(ncomp), parts = hard(ncomp);
      whole.maxeval = sizes[i];
      run(&whole);
      parts.statefile = state_name;
      for (int part = 1; part <= 4; ++part) {
        parts.maxeval = part < 4 ? sizes[i] / 5 * part : sizes[i];
        points_seen = 0;
        const int before = part > 1 ? parts.neval : 0;
        run(&parts);
        assert_int_equal(parts.fail, 1);
        assert_int_equal(points_seen, parts.neval - before); /* counts are those of the whole */
        assert_true(there(state_name));
      }
      assert_same_result(&parts, &whole);
      unlink(state_name);
    }
}

static void the_state_file_goes_when_it_is_done(void **state) {
  (void)state;
  for (int flags = 0; flags <= 16; flags += 16) {
    struct call c = make(3, 1, exponentials);
    c.statefile = state_name;
    c.flags = flags;
    run(&c);
    assert_int_equal(c.fail, 0);
    assert_int_equal(there(state_name), flags != 0);
  }
  struct call c = make(3, 1, exponentials); /* kept and good enough: nothing to do */
  c.statefile = state_name;
  points_seen = 0;
  run(&c);
  assert_int_equal(c.fail, 0);
  assert_int_equal(points_seen, 0);
  assert_close(c.integral[0], exact_exponential(3, 0), 1e-6, 0);
  assert_false(there(state_name));
}

static void damage(long at, const char *with, size_t n) {
  FILE *f = fopen(state_name, "r+b");
  assert_non_null(f);
  if (at >= 0) {
    fseek(f, at, SEEK_SET);
    fwrite(with, 1, n, f);
  } else {
    assert_int_equal(ftruncate(fileno(f), -at), 0);
  }
  fclose(f);
}

/* Another value for one of the numbers of 8 bytes, and the checksum that goes with it. */
static void forge(size_t word, const void *with) {
  enum { most = 100000 };
  uint64_t *words = malloc(8 * most), sum = 0xcbf29ce484222325u;
  FILE *f = fopen(state_name, "r+b");
  assert_non_null(f);
  assert_non_null(words);
  const size_t n = fread(words, 8, most, f);
  assert_true(n > word + 1 && n < most);
  memcpy(&words[word], with, 8);
  for (size_t i = 0; i + 1 < n; ++i) {
    sum = (sum ^ words[i]) * 0x100000001b3u;
    sum ^= sum >> 29;
  }
  words[n - 1] = sum;
  rewind(f);
  assert_int_equal(fwrite(words, 8, n, f), n);
  fclose(f);
  free(words);
}

static void a_wrong_state_file_is_a_fresh_start(void **state) {
  (void)state;
  struct call fresh = make(3, 1, exponentials);
  run(&fresh);
  const int64_t endless = INT64_MAX;
  const double outside = 1.9e299;
  for (int kind = 0; kind < 12; ++kind) {
    struct call c = hard(kind == 6 ? 2 : 1);
    c.maxeval = 3000;
    c.statefile = state_name;
    if (kind == 7) c.key = 7;
    if (kind == 8) c.ndim = 4;
    run(&c);
    assert_true(there(state_name));
    switch (kind) {
      case 0:
        damage(0, "ABUC", 4);
        break;
      case 1:
        damage(200, "x", 1);
        break;
      case 2:
        damage(-100, NULL, 0);
        break;
      case 3:
        damage(-2000, NULL, 0);
        break;
      case 4:
        damage(56, "\377\377\377\377\377\377\377\177", 8);
        break; /* how many regions */
      case 5:
        damage(-1, NULL, 0);
        break;
      case 9:
        unlink(state_name), mkdir(state_name, 0700);
        break;
      case 10:
        forge(6, &endless);
        break; /* evaluations so far */
      case 11:
        forge(8 + 4, &outside);
        break; /* the first region's centre, behind what there is for one component */
    }
    c = make(3, 1, exponentials);
    c.statefile = state_name;
    run(&c);
    assert_same_result(&c, &fresh);
    rmdir(state_name);
    assert_false(there(state_name));
  }
  struct call c = make(3, 1, peaks); /* it cannot be written: the result is there all the same */
  c.statefile = "/nonexistent/directory/state";
  c.epsrel = 1e-13;
  run(&c);
  assert_int_equal(c.fail, 1);
  assert_true(c.integral[0] > 0);
}

/* The program dies in the middle: what it wrote on the way is a state to go on from. */
static int deadly(const int *ndim, const double x[], const int *ncomp, double f[], void *userdata, const int *nvec,
                  const int *core) {
  peaks(ndim, x, ncomp, f, userdata, nvec, core);
  if (points_seen > 10000) _exit(0);
  return 0;
}
static void a_program_that_dies_can_be_continued(void **state) {
  (void)state;
  struct call whole = hard(2);
  whole.maxeval = 30000;
  run(&whole);
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    tessera_cuba_state_seconds(0);
    struct call c = hard(2);
    c.f = AS_INTEGRAND(deadly);
    c.maxeval = 30000;
    c.statefile = state_name;
    points_seen = 0;
    run(&c);
    _exit(1);
  }
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
  assert_true(there(state_name));
  struct call rest = hard(2);
  rest.maxeval = 30000;
  rest.statefile = state_name;
  points_seen = 0;
  run(&rest);
  assert_true(points_seen < rest.neval);
  assert_same_result(&rest, &whole);
  unlink(state_name);
}

/* ---- Fortran's argument passing, from C ----------------------------------------------------------------------------------------- */
#define FORTRAN(name, count)                                                                                     \
  extern void name(const int *, const int *, integrand_t, void *, const count *, const double *, const double *, \
                   const int *, const count *, const count *, const int *, const char *, void *, int *, count *, \
                   int *, double *, double *, double *, int)
FORTRAN(cuhre, int);
FORTRAN(cuhre_, int);
FORTRAN(llcuhre, long long);
FORTRAN(llcuhre_, long long);
extern void Cuhre_(int, int, integrand_t, void *, int, double, double, int, int, int, int, const char *, void *, int *,
                   int *, int *, double[], double[], double[]);
extern void llCuhre_(int, int, integrand_t, void *, long long, double, double, int, long long, long long, int,
                     const char *, void *, int *, long long *, int *, double[], double[], double[]);

static void all_spellings_are_the_same(void **state) {
  (void)state;
  struct call c = make(3, 1, peaks);
  run(&c);
  const int ndim = 3, ncomp = 1, nvec = 1, flags = 0, mineval = 0, maxeval = c.maxeval, key = 0, spin = -1;
  const long long llnvec = 1, llmineval = 0, llmaxeval = maxeval;
  int nregions, neval, fail;
  long long llneval;
  double integral, error, prob;
  for (int spelling = 0; spelling < 6; ++spelling) {
    integral = neval = 0;
    llneval = 0;
    char name[64];
    memset(name, ' ', sizeof name); /* blanks at its end */
    memcpy(name, state_name, strlen(state_name));
    switch (spelling) {
      case 0:
        cuhre(&ndim, &ncomp, c.f, NULL, &nvec, &c.epsrel, &c.epsabs, &flags, &mineval, &maxeval, &key, name,
              (void *)(uintptr_t)&spin, &nregions, &neval, &fail, &integral, &error, &prob, sizeof name);
        assert_true(there(state_name));
        unlink(state_name);
        break;
      case 1:
        cuhre_(&ndim, &ncomp, c.f, NULL, &nvec, &c.epsrel, &c.epsabs, &flags, &mineval, &maxeval, &key, NULL, NULL,
               &nregions, &neval, &fail, &integral, &error, &prob, 0);
        break;
      case 2:
        llcuhre(&ndim, &ncomp, c.f, NULL, &llnvec, &c.epsrel, &c.epsabs, &flags, &llmineval, &llmaxeval, &key, "", NULL,
                &nregions, &llneval, &fail, &integral, &error, &prob, 0);
        break;
      case 3:
        llcuhre_(&ndim, &ncomp, c.f, NULL, &llnvec, &c.epsrel, &c.epsabs, &flags, &llmineval, &llmaxeval, &key, "   ",
                 NULL, &nregions, &llneval, &fail, &integral, &error, &prob, 3);
        break;
      case 4:
        Cuhre_(3, 1, c.f, NULL, 1, c.epsrel, c.epsabs, 0, 0, maxeval, 0, NULL, NULL, &nregions, &neval, &fail,
               &integral, &error, &prob);
        break;
      case 5:
        llCuhre_(3, 1, c.f, NULL, 1, c.epsrel, c.epsabs, 0, 0, maxeval, 0, "", NULL, &nregions, &llneval, &fail,
                 &integral, &error, &prob);
        break;
    }
    assert_int_equal(neval + llneval, c.neval);
    assert_int_equal(fail, c.fail);
    assert_same_bits(integral, c.integral[0]);
    assert_int_equal(spin, -1);
  }
}

/* ---- The rest of Cuba --------------------------------------------------------------------------------------------------------------- */
static int inits, last_core;
static void init(void *arg, const int *core) {
  ++*(int *)arg;
  last_core = *core;
}
static void calls_about_processes_are_accepted(void **state) {
  const int n = 4, p = 10000;
  void *spin = NULL;
  (void)state;
  cubacores(&n, &p);
  cubaaccel(&n, &p);
  cubacores((const int *)4, (const int *)10000); /* as version 4.1 passes them */
  cubafork(&spin);
  cubainit(init, &inits);
  struct call c = make(3, 1, exponentials);
  run(&c);
  run(&c);
  assert_int_equal(inits, 1);
  assert_int_equal(last_core, 32768);
  assert_int_equal(core_seen, -1); /* one thread all the same */
  cubainit(NULL, NULL);
  cubaexit(init, &inits);
  cubaexit(NULL, NULL);
  assert_int_equal(inits, 2);
  run(&c);
  assert_int_equal(inits, 2);
  cubawait(&spin);
}

/* The original's data symbols. */
extern struct {
  void (*init)(void);
  void *init_argument;
  void (*exit)(void);
  void *exit_argument;
} cubafun_;
extern int cubaverb_;
extern struct { int cores, accelerators, points_of_cores, points_of_accelerators; } cubaworkers_;
static void data_symbols_show_what_is_set(void **state) {
  int inits = 0;
  const int n = 3, p = 500, some = 7, none = 0;
  (void)state;
  cubainit(init, &inits);
  cubaexit(init, &inits);
  assert_true(cubafun_.init == (void (*)(void))init && cubafun_.exit == (void (*)(void))init);
  assert_true(cubafun_.init_argument == &inits && cubafun_.exit_argument == &inits);
  cubainit(NULL, NULL);
  cubaexit(NULL, NULL);
  assert_null(cubafun_.init);
  assert_null(cubafun_.exit_argument);
  cubacores(&n, &p);
  cubaaccel(&none, &some);
  assert_true(cubaworkers_.cores == 3 && cubaworkers_.points_of_cores == 500);
  assert_true(cubaworkers_.accelerators == 0 && cubaworkers_.points_of_accelerators == 7);
  cubacores((const int *)(uintptr_t)4294967295u, (const int *)10000); /* as version 4.1 passes -1 and 10000 */
  assert_true(cubaworkers_.cores == -1 && cubaworkers_.points_of_cores == 10000);
  cubacores((const int *)4, (const int *)2147483647); /* one that could be an address */
  assert_true(cubaworkers_.cores == 4 && cubaworkers_.points_of_cores == 10000);
  cubaverbose(&n);
  assert_int_equal(cubaverb_, 3);
  cubaverb_ = 0;
}

/* What a run prints. */
static const char *printed(int flags, struct call *c) {
  static char text[1 << 16];
  char name[] = "/tmp/tessera-out-XXXXXX";
  const int fd = mkstemp(name), old = dup(1);
  assert_true(fd >= 0 && old >= 0);
  fflush(stdout);
  dup2(fd, 1);
  *c = make(3, 2, peaks);
  c->maxeval = 5000;
  c->flags = flags;
  run(c); /* flushes itself */
  dup2(old, 1);
  close(old);
  const ssize_t n = pread(fd, text, sizeof text - 1, 0);
  assert_true(n >= 0);
  text[n] = 0;
  close(fd);
  unlink(name);
  return text;
}
static void it_is_as_verbose_as_it_is_told(void **state) {
  struct call c;
  (void)state;
  assert_string_equal(printed(0, &c), "");
  assert_string_equal(printed(4 + 8, &c), "");
  char *const one = strdup(printed(1, &c));
  /* An iteration for each division, with as many degrees of freedom as divisions. */
  const char *text = one;
  int iterations = 0, evaluations, freedom, component, used;
  double value[2], error[2], chi[2];
  while (*text) {
    int number;
    assert_int_equal(sscanf(text, "\nIteration %d: %d integrand evaluations so far%n", &number, &evaluations, &used),
                     2);
    text += used;
    assert_int_equal(number, ++iterations);
    assert_int_equal(evaluations, 127 * (2 * number - 1));
    for (int k = 0; k < 2; ++k) {
      assert_int_equal(sscanf(text, "\n[%d] %lf +- %lf  \tchisq %lf (%d df)%n", &component, &value[k], &error[k],
                              &chi[k], &freedom, &used),
                       5);
      assert_int_equal(component, k + 1);
      assert_int_equal(freedom, number - 1);
      text += used;
    }
    assert_true(*text++ == '\n');
  }
  assert_int_equal(iterations, c.nregions);
  assert_int_equal(evaluations, c.neval);
  for (int k = 0; k < 2; ++k) {
    assert_close(value[k], c.integral[k], 1e-5, 0);
    assert_close(error[k], c.error[k], 1e-5, 0);
  }
  const char *two = printed(2, &c);
  static const char head[] =
      "Cuhre input parameters:\n  ndim 3\n  ncomp 2\n  nvec 1\n  epsrel 1e-06\n  epsabs 0\n  flags 2\n  mineval 0\n"
      "  maxeval 5000\n  key 0\n  statefile \"(null)\"\n";
  assert_int_equal(strncmp(two, head, sizeof head - 1), 0);
  assert_string_equal(two + sizeof head - 1, one);
  /* The regions too, whose values add up. */
  const char *at = strstr(printed(3, &c), "\nRegion (");
  int regions = 0;
  double sum[2] = {0, 0}, volume = 0;
  for (; at; at = strstr(at + 1, "\nRegion ("), ++regions) {
    double low[3], high[3], v[2], e[2];
    assert_int_equal(
        sscanf(at, "\nRegion (%lf) - (%lf)\n (%lf) - (%lf)\n (%lf) - (%lf)\n[1] %lf +- %lf\n[2] %lf +- %lf\n", &low[0],
               &high[0], &low[1], &high[1], &low[2], &high[2], &v[0], &e[0], &v[1], &e[1]),
        10);
    sum[0] += v[0], sum[1] += v[1];
    volume += (high[0] - low[0]) * (high[1] - low[1]) * (high[2] - low[2]);
  }
  assert_int_equal(regions, c.nregions);
  assert_close(volume, 1, 1e-4, 0);
  for (int k = 0; k < 2; ++k) assert_close(sum[k], c.integral[k], 1e-4, 0);
  const int level = 1;
  cubaverbose(&level);
  assert_string_equal(printed(0, &c), one);
  cubaverb_ = 2; /* as a program may that does not know the routine */
  assert_int_equal(strncmp(printed(0, &c), "Cuhre input", 11), 0);
  cubaverbose((const int *)0); /* as version 4.1 passes it */
  assert_string_equal(printed(0, &c), "");
  free(one);
}

/* ---- Beyond the original -------------------------------------------------------------------------------------------------------------- */
static int nan_later(const int *ndim, const double x[], const int *ncomp, double f[], void *userdata, const int *nvec,
                     const int *core) {
  peaks(ndim, x, ncomp, f, userdata, nvec, core);
  if (points_seen > abort_at) f[0] = abort_at % 2 ? NAN : INFINITY;
  return 0;
}
static void a_nan_is_not_success(void **state) {
  (void)state;
  for (int at = 0; at < 4000; at += 501) {
    struct call c = make(3, 2, nan_later);
    c.epsrel = 1;
    c.mineval = 20000;
    abort_at = at;
    points_seen = 0;
    run(&c);
    assert_int_equal(c.fail, 1);
    for (int k = 0; k < 2; ++k) {
      assert_true(isinf(c.error[k]));
      assert_same_bits(c.prob[k], -999);
    }
  }
}

static int cancelling(const int *ndim, const double x[], const int *ncomp, double f[], void *userdata, const int *nvec,
                      const int *core) {
  peaks(ndim, x, ncomp, f, userdata, nvec, core);
  if (points_seen == 5000) tessera_cuba_cancel();
  return 0;
}
static void a_run_can_be_cancelled(void **state) {
  (void)state;
  struct call c = make(3, 2, cancelling);
  c.epsrel = 1e-13;
  points_seen = 0;
  run(&c);
  assert_int_equal(c.fail, 1);
  assert_int_equal(points_seen, 5000);
  assert_true(c.neval < 5000 && c.neval > 4000 && c.integral[0] > 0 && c.error[0] < c.integral[0]);
}

static int thread_safe(const int *ndim, const double x[], const int *ncomp, double f[], void *userdata, const int *nvec,
                       const int *core) {
  int *seen = userdata;
  if (*core >= 0 && *core < 3) __atomic_store_n(&seen[*core], 1, __ATOMIC_RELAXED);
  if (*core < 0 || *core >= 3) __atomic_store_n(&seen[3], 1, __ATOMIC_RELAXED);
  for (int i = 0; i < *nvec; ++i) {
    double s = 0;
    for (int j = 0; j < *ndim; ++j) s += fabs(x[i * *ndim + j] - 0.3);
    for (int k = 0; k < *ncomp; ++k) f[i * *ncomp + k] = exp(-s * (k + 1));
  }
  return 0;
}
static void several_threads_may_work(void **state) {
  (void)state;
  for (int nvec = 1; nvec <= 1001; nvec += 1000) {
    struct call c[2];
    for (int i = 0; i < 2; ++i) {
      int seen[4] = {0};
      c[i] = make(3, 2, thread_safe);
      c[i].userdata = seen;
      c[i].nvec = nvec;
      c[i].maxeval = 1000000;
      c[i].epsrel = 1e-3;
      tessera_cuba_threads(2 + i);
      run(&c[i]);
      assert_int_equal(c[i].fail, 0);
      assert_int_equal(seen[3], 0);
      assert_int_equal(seen[0], 1);
    }
    assert_same_result(&c[0], &c[1]);
  }
  tessera_cuba_threads(0);
}

static int random_values(const int *ndim, const double x[], const int *ncomp, double f[], void *userdata,
                         const int *nvec, const int *core) {
  (void)userdata, (void)core;
  for (int i = 0; i < *nvec; ++i)
    for (int k = 0; k < *ncomp; ++k) {
      const double t = x[i * *ndim] + x[i * *ndim + *ndim - 1] * (k + 1);
      f[i * *ncomp + k] = t > 1.7 && t < 1.7001 ? NAN : t > 1.3 && t < 1.30001 ? 1e308 : 1 / fabs(t - 0.5);
    }
  return fabs(x[0] - 0.123) < 0.01 ? -999 : 0;
}
static void no_arguments_do_harm(void **state) {
  static const double reals[] = {0, 1, -1, 0.5, NAN, INFINITY, -INFINITY, 1e308, -1e308, 1e-320, 1e-8};
  static const int integers[] = {-2147483647 - 1, -1, 0, 1, 2, 3, 9, 13, 100, 1000, 5000};
  uint64_t seed = 4;
  int ends[5] = {0};
  (void)state;
  for (int i = 0; i < (sanitized ? 1000 : 5000); ++i) {
    struct call c = make(2 + (int)(splitmix64(&seed) % 3), 1 + (int)(splitmix64(&seed) % 3), random_values);
    c.maxeval = 100 + (int)(splitmix64(&seed) % 5000);
    c.epsrel = pow(10, -(double)(splitmix64(&seed) % 8));
    tessera_cuba_threads(1 + (int)(splitmix64(&seed) % 2));
    for (int wild = (int)(splitmix64(&seed) % 4); wild > 0; --wild) switch (splitmix64(&seed) % 9) {
        case 0:
          c.ndim = integers[splitmix64(&seed) % 9];
          break;
        case 1:
          c.ncomp = integers[splitmix64(&seed) % 6];
          break;
        case 2:
          c.nvec = integers[splitmix64(&seed) % 11];
          break;
        case 3:
          c.epsrel = reals[splitmix64(&seed) % 11];
          break;
        case 4:
          c.epsabs = reals[splitmix64(&seed) % 11];
          break;
        case 5:
          c.mineval = integers[splitmix64(&seed) % 11];
          break;
        case 6:
          c.maxeval = integers[splitmix64(&seed) % 11];
          break;
        case 7:
          c.key = integers[splitmix64(&seed) % 11];
          break;
        case 8:
          c.flags = (int)(splitmix64(&seed) & 0xffffffec);
          break;
      }
    run(&c);
    switch (c.fail) {
      case 0:
        ++ends[0];
        break;
      case 1:
        ++ends[1];
        break;
      case -1:
        ++ends[2];
        break;
      case -2:
        ++ends[3];
        break;
      case -99:
        ++ends[4];
        break;
      default:
        assert_int_equal(c.fail, 0);
    }
    if (c.fail == 0)
      for (int k = 0; k < c.ncomp; ++k)
        assert_true(c.error[k] <= fmax(fmax(c.epsabs, ldexp(1, -104)), c.epsrel * fabs(c.integral[k])));
  }
  tessera_cuba_threads(0);
  for (int e = 0; e < 5; ++e) {
    print_message("  end %d: %d\n", e, ends[e]);
    assert_true(ends[e] > 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(wrong_arguments_have_the_originals_codes),
      cmocka_unit_test(the_keys_are_those_of_the_original),
      cmocka_unit_test(the_counts_are_those_of_the_original),
      cmocka_unit_test(mineval_and_maxeval),
      cmocka_unit_test(minus_999_aborts),
      cmocka_unit_test(nvec_points_at_a_time),
      cmocka_unit_test(the_ll_routine_counts_in_long_long),
      cmocka_unit_test(every_component_meets_its_tolerance),
      cmocka_unit_test(a_run_in_parts_is_the_run_as_a_whole),
      cmocka_unit_test(the_state_file_goes_when_it_is_done),
      cmocka_unit_test(a_wrong_state_file_is_a_fresh_start),
      cmocka_unit_test(a_program_that_dies_can_be_continued),
      cmocka_unit_test(all_spellings_are_the_same),
      cmocka_unit_test(calls_about_processes_are_accepted),
      cmocka_unit_test(data_symbols_show_what_is_set),
      cmocka_unit_test(it_is_as_verbose_as_it_is_told),
      cmocka_unit_test(a_nan_is_not_success),
      cmocka_unit_test(a_run_can_be_cancelled),
      cmocka_unit_test(several_threads_may_work),
      cmocka_unit_test(no_arguments_do_harm),
  };
  const int fd = mkstemp(state_name); /* a name of our own */
  if (fd < 0) return 1;
  close(fd);
  unlink(state_name);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
