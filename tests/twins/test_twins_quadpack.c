/* Twins of functions that are handed to QUADPACK's routines. Without a device the host function does all, each point once, and TESSERA_REPORT=1
 * says why; what is refused is refused on a device as well. SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE
#include <math.h>
#include <setjmp.h>
#include <stdlib.h>
#include <unistd.h>

#include "files.h"
#include "quadpack_call.h"
#include "solve.h"

typedef void (*any_function)(void);

static struct { double rate, scale; } block = {2, 1.5};
static int calls;

#define NAMED(name, factor)                                              \
  static volatile double factor_of_##name = factor;                      \
  static double name(const double *x) {                                  \
    ++calls;                                                             \
    return factor_of_##name * block.scale * exp(-block.rate * fabs(*x)); \
  }
NAMED(good, 1)
NAMED(plain, 1)
NAMED(differs, 1.001)
NAMED(lacks_block, 1)
NAMED(broken, 1)
NAMED(inner, 1)
static float single(const float *x) {
  ++calls;
  return (float)block.scale * expf(-(float)block.rate * fabsf(*x));
}
static float single_differs(const float *x) { return 1.001f * single(x); }

static const char text[] =
    "#include <math.h>\nstruct common { double rate, scale; };\n"
    "double decay(const double *x, const void *block) {\n"
    "  const struct common *c = block;\n  return c->scale * exp(-c->rate * fabs(*x));\n}\n"
    "double bad(const double *x) { return sinn(*x); }\n";

static int there_is_a_device, compiler_there;

static void put_twin(any_function f, const char *name, size_t bytes) {
  assert_int_equal(tessera_register_twin(f, TESSERA_LANGUAGE_C, text, 0, name, bytes ? &block : NULL, bytes),
                   TESSERA_OK);
}

/* What is said on stderr meanwhile. */
static char said[4096];
static int kept_stderr;
static void listen(void) {
  fflush(stderr);
  kept_stderr = dup(2);
  assert_non_null(freopen(test_path("said"), "w", stderr));
}
static void hear(void) {
  fflush(stderr);
  dup2(kept_stderr, 2);
  close(kept_stderr);
  FILE *f = fopen(test_path("said"), "r");
  assert_non_null(f);
  said[fread(said, 1, sizeof said - 1, f)] = 0;
  fclose(f);
}
static int lines(void) {
  int n = 0;
  for (const char *c = said; *c; ++c) n += *c == '\n';
  return n;
}

static struct call ags(function f) {
  struct call c = a_call(0, 1, 0, 1e-9);
  calls = 0;
  listen();
  run("dqags", f, &c);
  hear();
  return c;
}
static void assert_same(const struct call *a, const struct call *b) {
  assert_same_bits(a->result, b->result);
  assert_same_bits(a->abserr, b->abserr);
  assert_int_equal(a->neval, b->neval);
  assert_int_equal(a->ier, b->ier);
  assert_int_equal(a->last, b->last);
  assert_int_equal(a->lst, b->lst);
}

/* Every routine, all its points through the way to the device and back. */
static void without_a_device_nothing_changes(void **state) {
  (void)state;
  for (int i = 0; i < routine_count; ++i) {
    struct call here = usual(), there = usual();
    here.epsrel = there.epsrel = 1e-11;
    assert_int_equal(tessera_register_twin((any_function)good, 0, NULL, 0, NULL, NULL, 0), TESSERA_OK);
    calls = 0;
    run(routines[i], good, &here);
    const int expected = calls;
    assert_int_equal(expected, here.neval);
    put_twin((any_function)good, "decay", sizeof block);
    calls = 0;
    listen();
    run(routines[i], good, &there);
    hear();
    if (there_is_a_device) continue; /* parity_twins_quadpack */
    assert_same(&there, &here);
    assert_int_equal(calls, expected);
    assert_int_equal(lines(), i == 0);
    if (i > 0) continue;
    assert_says(said, "tessera: DQAG: the host function is used: ");
    assert_says(said, compiler_there ? "; its twin agrees with it" : "compiler");
  }
}

static void a_twin_that_is_not_the_function(void **state) {
  (void)state;
  const struct call alone = ags(differs);
  assert_int_equal(lines(), 1);
  assert_says(said, "no twin was registered for the function");
  put_twin((any_function)differs, "decay", sizeof block);
  for (int i = 0; i < 2; ++i) {
    const struct call c = ags(differs);
    assert_same(&c, &alone);
    assert_int_equal(calls, alone.neval);
    assert_int_equal(lines(), 0); /* one remark for each function is enough */
  }
  char sentence[512];
  tessera_solver *s = solver_of(1, 1);
  assert_true(tessera_set_twin(s, (any_function)differs, NULL) < 0);
  snprintf(sentence, sizeof sentence, "%s", tessera_last_error(s));
  if (there_is_a_device) assert_says(sentence, "not the same integrand");
  tessera_destroy(s);
}

static void texts_that_cannot_be_used(void **state) {
  (void)state;
  static const struct {
    function f;
    const char *name;
    size_t bytes;
    const char *says;
  } texts[] = {{plain, "nothing_of_this_name", 0, "defines no function 'nothing_of_this_name'"},
               {broken, "bad", 0, "sinn"},
               {lacks_block, "decay", 0, "registered without a parameter block"}};
  /* The last would read where nothing is: a process has lost its device then. */
  const size_t count = sizeof texts / sizeof *texts - (there_is_a_device ? 1 : 0);
  for (size_t i = 0; i < count; ++i) {
    put_twin((any_function)texts[i].f, texts[i].name, texts[i].bytes);
    const struct call c = ags(texts[i].f);
    assert_int_equal(c.ier, 0);
    assert_int_equal(calls, c.neval);
    assert_close(c.result, 1.5 * (1 - exp(-2.0)) / 2, 1e-13, 0);
    assert_int_equal(lines(), 1);
    assert_says(said, "tessera: DQAGS: the host function is used: ");
    if (compiler_there) assert_says(said, texts[i].says);
    const struct call again = ags(texts[i].f);
    assert_same(&again, &c);
    assert_int_equal(calls, c.neval);
    assert_int_equal(lines(), 0);
  }
}

/* A function in single precision is compared less closely. */
static void single_precision(void **state) {
  (void)state;
  static float (*const functions[])(const float *) = {single, single_differs};
  for (int i = 0; i < 2; ++i) {
    enum { limit = 20 };
    const float a = 0, b = 1, epsabs = 0, epsrel = 1e-5f;
    const integer most = limit, lenw = 4 * limit;
    float result, abserr, work[4 * limit];
    integer neval, ier, last, iwork[limit];
    put_twin((any_function)functions[i], "decay", sizeof block);
    calls = 0;
    listen();
    qags_(functions[i], &a, &b, &epsabs, &epsrel, &result, &abserr, &neval, &ier, &most, &lenw, &last, iwork, work);
    hear();
    assert_int_equal(ier, 0);
    assert_close((double)result, (i == 0 ? 1 : 1.001) * 1.5 * (1 - exp(-2.0)) / 2, 1e-6, 0);
    assert_int_equal(lines(), 1);
    if (!there_is_a_device || i == 1) assert_int_equal(calls, neval);
    if (i == 0)
      assert_says(said, there_is_a_device ? "QAGS: the twin runs on the device"
                        : compiler_there  ? "QAGS: the host function is used: "
                                          : "compiler");
    if (i == 0 && compiler_there && !there_is_a_device) assert_says(said, "; its twin agrees with it");
    if (i == 1 && compiler_there) assert_says(said, "not the same integrand");
  }
}

/* A double integral through a routine that calls itself: only the inner function has a twin. */
static double outer(const double *y) {
  const double rate = block.rate;
  struct call c = a_call(0, 1, 0, 1e-9);
  block.rate = 1 + *y;
  run("dqag", inner, &c);
  block.rate = rate;
  return c.result;
}
static void nested(void **state) {
  (void)state;
  struct call c[2];
  for (int there = 0; there < 2; ++there) {
    if (there) put_twin((any_function)inner, "decay", sizeof block);
    c[there] = ags(outer);
  }
  assert_int_equal(c[0].ier, 0);
  assert_int_equal(c[1].neval, c[0].neval);
  if (there_is_a_device)
    assert_close(c[1].result, c[0].result, 1e-11, 0);
  else
    assert_same(&c[1], &c[0]);
}

/* Refused arguments come before a twin; a function may leave in the middle of its comparison. */
static jmp_buf out;
static int leave;
static double leaves(const double *x) {
  if (leave) longjmp(out, 1);
  return good(x);
}
/* The sanitizer's, where it is there: what `run` allocates is lost on purpose. */
void __lsan_disable(void) __attribute__((weak));
void __lsan_enable(void) __attribute__((weak));
static void nothing_is_held(void **state) {
  (void)state;
  put_twin((any_function)leaves, "decay", sizeof block);
  struct call wrong = a_call(0, 1, 0, 0);
  calls = 0;
  run("dqags", leaves, &wrong);
  assert_int_equal(wrong.ier, 6);
  assert_int_equal(calls, 0);
  for (volatile int i = 0; i < 6; ++i) {
    leave = i % 2 == 0;
    if (i > 3) put_twin((any_function)leaves, "decay", sizeof block);
    if (__lsan_disable) __lsan_disable();
    if (setjmp(out) == 0) {
      struct call c = a_call(0, 1, 0, 1e-9);
      run("dqags", leaves, &c);
      assert_false(leave);
      assert_close(c.result, 1.5 * (1 - exp(-2.0)) / 2, 1e-13, 0);
    } else {
      assert_true(leave);
    }
    if (__lsan_enable) __lsan_enable();
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(without_a_device_nothing_changes),
      cmocka_unit_test(a_twin_that_is_not_the_function),
      cmocka_unit_test(texts_that_cannot_be_used),
      cmocka_unit_test(single_precision),
      cmocka_unit_test(nested),
      cmocka_unit_test(nothing_is_held),
  };
  open_test_directory();
  setenv("XDG_CACHE_HOME", test_directory, 1);
  compiler_there = system("cc --version > /dev/null 2>&1") == 0;
  tessera_solver *s = solver_of(1, 1);
  double x = 0, f = 0;
  assert_status(s,
                tessera_set_integrand_source(s, TESSERA_LANGUAGE_CUDA, "double f(const double *x) { return 1; }", "f"),
                TESSERA_OK);
  put_int(s, TESSERA_DEVICE, 0);
  there_is_a_device = tessera_evaluate(s, 1, &x, &f) == TESSERA_OK;
  tessera_destroy(s);
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  close_test_directory();
  return failed;
}
