/* Twins found by the name of a function, in programs and libraries linked in several ways, and registered ones. Without a
 * device the text is compiled for the host and compared with the function; with one it runs there.
 * SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE
#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "files.h"
#include "module.h"
#include "solve.h"

/* TWINS_HOW: how this program was linked. TWINS_STRIPPED: names that are not exported are gone. */
#ifdef TWINS_STRIPPED
enum { stripped = 1 };
#else
enum { stripped = 0 };
#endif

struct module program_module(void);

typedef void (*any_function)(void);

static const char text[] =
    "#include <math.h>\n"
    "static int sum_and_exp(double rate, int ndim, const double *x, double *f) {\n"
    "  double s = 0;\n  for (int j = 0; j < ndim; ++j) s += x[j];\n  f[0] = exp(-rate * s);\n  return 0;\n}\n"
    "int decay(int ndim, const double *x, int ncomp, double *f, void *params) {\n"
    "  return sum_and_exp(*(const double *)params, ndim, x, f);\n}\n"
    "int second_block(int ndim, const double *x, int ncomp, double *f, void *params) {\n"
    "  return sum_and_exp(((const double *)params)[4], ndim, x, f);\n}\n"
    "int endless_data(int ndim, const double *x, int ncomp, double *f, void *params) {\n"
    "  f[0] = ((const double *)params)[1 << 26];\n  return 0;\n}\n"
    "int wrong(int ndim, const double *x, int ncomp, double *f, void *params) {\n"
    "  return sum_and_exp(1.001, ndim, x, f);\n}\n";
static const char cuda_text[] =
    "double decay(const double *x, const double *rate) {\n  double s = 0;\n"
    "  for (int j = 0; j < TESSERA_NDIM; ++j) s += x[j];\n  return exp(-*rate * s);\n}\n";

/* Functions with names in this file. */
#define NAMED(name)                                                                  \
  static int name(int ndim, const double *x, int ncomp, double *f, void *userdata) { \
    double s = 0;                                                                    \
    (void)ncomp, (void)userdata;                                                     \
    for (int j = 0; j < ndim; ++j) s += x[j];                                        \
    f[0] = exp(-s) * scale_of_##name;                                                \
    return 0;                                                                        \
  }
static volatile double scale_of_differs = 1, scale_of_no_file = 1.5, scale_of_no_function = 2, scale_of_bad_text = 3,
                       scale_of_no_block = 4, scale_of_small_block = 5, scale_of_unnamed = 6, scale_of_registered = 7,
                       scale_of_in_cuda = 1, scale_of_with_data = 1, scale_of_lacks_block = 6.5,
                       scale_of_lacks_data = 7.5;
NAMED(differs)
NAMED(no_file)
NAMED(no_function)
NAMED(bad_text)
NAMED(no_block)
NAMED(small_block)
NAMED(unnamed)
NAMED(registered)
NAMED(in_cuda)
NAMED(with_data)
NAMED(lacks_block)
NAMED(lacks_data)

static void *library;
static struct module in_program, in_library;

static any_function any(point_function f) { return (any_function)f; }

static int compiler_there(void) { return system("cc --version > /dev/null 2>&1") == 0; }

static void write_map(void) {
  static const char map[] =
      "# symbol            language file function  flags\n"
      "program_exported_   c  twin.c  decay  params=program_block_\n"
      "program_hidden_     c  \"twin.c\"  decay  params=program_hidden_block_:8   # static\n"
      "\n"
      "library_exported_   c  twin.c  second_block  params=library_block_:8  params=library_block_\n"
      "library_hidden_     c  twin.c  decay  params=library_hidden_block_\n"
      "differs       c  twin.c  wrong\n"
      "no_file       c  nowhere.c  decay\n"
      "no_function   c  twin.c  nothing_of_this_name\n"
      "bad_text      c  bad.c   decay\n"
      "no_block      c  twin.c  decay  params=nothing_of_this_name_\n"
      "small_block   c  twin.c  decay  params=program_block_:25\n"
      "with_data     c  twin.c  second_block  params=program_block_:8  userdata:24\n" /* its third number */
      "lacks_block   c  twin.c  decay\n"
      "lacks_data    c  twin.c  endless_data  params=program_block_:8\n" /* no userdata: */
      "in_cuda       cuda  twin.cu  decay  params=program_block_\r\n";
  put_file("twin.c", text);
  put_file("twin.cu", cuda_text);
  put_file("bad.c",
           "int decay(int ndim, const double *x, int ncomp, double *f, void *params) {\n  return sinn(1.0);\n}\n");
  put_file("twins.map", map);
  setenv("TESSERA_TWINS", test_path("twins.map"), 1);
}

static tessera_solver *solver(point_function f) {
  tessera_solver *s = solver_of(2, 1);
  put_point(s, f, NULL);
  put_int(s, TESSERA_DEVICE, -2);
  put_real(s, TESSERA_RELTOL, 1e-7);
  put_int(s, TESSERA_DISK_CACHE, 0);
  return s;
}

static int twin_status(point_function f, char *sentence, size_t bytes) {
  tessera_solver *s = solver(f);
  const int status = tessera_set_twin(s, any(f), NULL);
  snprintf(sentence, bytes, "%s", status == TESSERA_OK ? "" : tessera_last_error(s));
  tessera_destroy(s);
  return status;
}

/* f has a twin, which follows its variable. */
static void expect_twin(point_function f, double *rate) {
  tessera_solver *s = solver(f);
  for (int i = 0; i < 2; ++i) {
    *rate = 1 + 0.5 * i;
    assert_status(s, tessera_set_twin(s, any(f), NULL), TESSERA_OK);
    const struct answer a = integrate(s);
    if (a.status != TESSERA_OK) print_message("%s\n", a.sentence);
    assert_int_equal(a.status, TESSERA_OK);
    assert_close(a.value, pow((1 - exp(-*rate)) / *rate, 2), 1e-7, 0);
  }
  /* Had the block not been read again, the comparison would have told. */
  assert_status(s, tessera_set_twin(s, any(f), NULL), TESSERA_OK);
  *rate = 2;
  if (compiler_there()) {
    put_point(s, f, NULL);
    assert_int_equal(integrate(s).status, TESSERA_ERR_CHECK);
  }
  tessera_destroy(s);
}

static void expect_refusal(point_function f, int status, const char *why) {
  char sentence[512];
  assert_int_equal(twin_status(f, sentence, sizeof sentence), status);
  assert_says(sentence, why);
}

static void test_program(void **state) {
  (void)state;
  if (stripped) {
    expect_refusal(in_program.exported, TESSERA_ERR_NO_INTEGRAND, "stripped");
    expect_refusal(in_program.hidden, TESSERA_ERR_NO_INTEGRAND, "stripped");
    return;
  }
  expect_twin(in_program.hidden, in_program.hidden_rate);
  expect_twin(in_program.exported, in_program.rate);
}

static void test_library(void **state) {
  (void)state;
  /* exported: its variable stands behind another block of 8 bytes, at the next multiple of 16 bytes: 16 + 2*8 */
  tessera_solver *s = solver(in_library.exported);
  in_library.rate[0] = in_library.rate[2] = 1.25;
  assert_status(s, tessera_set_twin(s, any(in_library.exported), NULL), TESSERA_OK);
  assert_int_equal(integrate(s).status, TESSERA_OK);
  tessera_destroy(s);
#ifdef TWINS_LIBRARY_STRIPPED
  expect_refusal(in_library.hidden, TESSERA_ERR_NO_INTEGRAND, "stripped");
#else
  expect_twin(in_library.hidden, in_library.hidden_rate);
#endif
}

static void test_refusals(void **state) {
  (void)state;
  if (stripped) {
    expect_refusal(differs, TESSERA_ERR_NO_INTEGRAND, "stripped");
    return;
  }
  expect_refusal(unnamed, TESSERA_ERR_NO_INTEGRAND, "'unnamed', which is not in ");
  expect_refusal(unnamed, TESSERA_ERR_NO_INTEGRAND, "'unnamed', which is not in "); /* from memory */
  expect_refusal(no_file, TESSERA_ERR_NO_INTEGRAND, "nowhere.c");
  expect_refusal(no_block, TESSERA_ERR_NO_INTEGRAND, "no variable 'nothing_of_this_name_'");
  expect_refusal(small_block, TESSERA_ERR_NO_INTEGRAND, "has 24 bytes");
  double on_heap = 0;
  expect_refusal((point_function)(uintptr_t)&on_heap, TESSERA_ERR_NO_INTEGRAND, "lies in no file");
  assert_int_equal(tessera_set_twin(NULL, any(unnamed), NULL), TESSERA_ERR_NO_INTEGRAND);
  assert_int_equal(tessera_set_twin(NULL, any(differs), NULL), TESSERA_OK);
}

/* A text that is not the function: refused when it first runs, and not tried again. */
static void test_wrong_twin(void **state) {
  (void)state;
  if (stripped || !compiler_there()) return;
  tessera_solver *s = solver(differs);
  assert_status(s, tessera_set_twin(s, any(differs), NULL), TESSERA_OK);
  struct answer a = integrate(s);
  assert_int_equal(a.status, TESSERA_ERR_CHECK);
  assert_says(a.sentence, "not the same integrand");
  assert_same_bits(a.value, -1e300);
  assert_int_equal(tessera_set_twin(s, any(differs), NULL), TESSERA_ERR_CHECK);
  assert_says(tessera_last_error(s), "not the same integrand");
  assert_int_equal(tessera_set_twin(NULL, any(differs), NULL), TESSERA_ERR_NO_INTEGRAND);
  a = integrate(s); /* the text is gone */
  assert_int_equal(a.status, TESSERA_OK);
  assert_close(a.value, pow(1 - exp(-1.0), 2), 1e-7, 0);
  assert_int_equal(got_int(s, TESSERA_DEVICE_USED), -1);
  tessera_destroy(s);

  /* The text alone does not compile. */
  static const point_function broken[] = {bad_text, no_function};
  for (int i = 0; i < 2; ++i) {
    s = solver(NULL);
    assert_status(s, tessera_set_twin(s, any(broken[i]), NULL), TESSERA_OK);
    a = integrate(s);
    assert_int_equal(a.status, TESSERA_ERR_COMPILE);
    assert_says(a.sentence, i == 0 ? "bad.c" : "nothing_of_this_name");
    assert_int_equal(tessera_set_twin(s, any(broken[i]), NULL), TESSERA_ERR_COMPILE);
    tessera_destroy(s);
  }
}

/* What the text reads and the map does not give: the program goes on, and the message says what the line lacks. */
static void test_no_block(void **state) {
  (void)state;
  if (stripped || !compiler_there()) return;
  const struct {
    point_function f;
    const char *line, *lacks;
  } cases[] = {{lacks_block, "twins.map(14)", "neither params=symbol nor userdata:bytes"},
               {lacks_data, "twins.map(15)", "gives it a parameter block of 8 bytes"}};
  for (int i = 0; i < 2; ++i) {
    tessera_solver *s = solver(cases[i].f);
    assert_status(s, tessera_set_twin(s, any(cases[i].f), NULL), TESSERA_OK);
    const struct answer a = integrate(s);
    /* A device says no more than that an address is not there, and one far behind a block may be there. */
    const int read_elsewhere = i == 1 && strstr(a.sentence, "not the same integrand") != NULL;
    if (a.status != TESSERA_ERR_DEVICE) assert_int_equal(a.status, TESSERA_ERR_CHECK);
    if (a.status == TESSERA_ERR_CHECK && !read_elsewhere) {
      assert_says(a.sentence, "signal 11");
      assert_says(a.sentence, " at x = (");
    }
    if (!read_elsewhere) {
      assert_says(a.sentence, cases[i].line);
      assert_says(a.sentence, cases[i].lacks);
    }
    assert_same_bits(a.value, -1e300);
    assert_int_equal(tessera_set_twin(s, any(cases[i].f), NULL), a.status); /* not tried again */
    assert_int_equal(integrate(s).status, TESSERA_OK);
    tessera_destroy(s);
  }
  assert_int_equal(tessera_register_twin(any(lacks_block), TESSERA_LANGUAGE_C, text, 0, "decay", NULL, 0), TESSERA_OK);
  tessera_solver *s = solver(lacks_block);
  assert_status(s, tessera_set_twin(s, any(lacks_block), NULL), TESSERA_OK);
  assert_says(integrate(s).sentence, "registered without a parameter block");
  tessera_destroy(s);
}

static void test_cuda_text(void **state) {
  (void)state;
  if (!stripped) {
    in_program.rate[0] = 1;
    tessera_solver *s = solver(in_cuda);
    assert_status(s, tessera_set_twin(s, any(in_cuda), NULL), TESSERA_OK);
    assert_int_equal(integrate(s).status, TESSERA_OK);
    tessera_destroy(s);
  }
}

/* What the program hands to its function is part of the block. */
static void test_user_data(void **state) {
  double data[3] = {7, 8, 1};
  (void)state;
  if (stripped) return;
  tessera_solver *s = solver(with_data);
  for (int i = 0; i < 2; ++i) {
    assert_int_equal(tessera_set_twin(s, any(with_data), NULL), TESSERA_ERR_NO_INTEGRAND);
    assert_says(tessera_last_error(s), "24 bytes of user data, and the call has none");
    assert_int_equal(tessera_set_twin(NULL, any(with_data), NULL), TESSERA_OK); /* another call may have some */
    assert_status(s, tessera_set_twin(s, any(with_data), data), TESSERA_OK);
    const struct answer a = integrate(s);
    assert_int_equal(a.status, TESSERA_OK);
    assert_close(a.value, pow(1 - exp(-1.0), 2), 1e-7, 0);
  }
  data[2] = 2;
  if (compiler_there()) {
    assert_status(s, tessera_set_twin(s, any(with_data), data), TESSERA_OK);
    assert_int_equal(integrate(s).status, TESSERA_ERR_CHECK);
  }
  tessera_destroy(s);
}

static void test_registered(void **state) {
  static double rate[2] = {1, 0};
  char sentence[512];
  (void)state;
  assert_int_equal(twin_status(registered, sentence, sizeof sentence), TESSERA_ERR_NO_INTEGRAND);
  /* wrong arguments */
  assert_int_equal(tessera_register_twin(NULL, TESSERA_LANGUAGE_C, text, 0, "decay", NULL, 0), TESSERA_ERR_ARGUMENT);
  assert_says(tessera_last_error(NULL), "function is NULL");
  assert_int_equal(tessera_register_twin(any(registered), 0, text, 0, "decay", NULL, 0), TESSERA_ERR_ARGUMENT);
  assert_says(tessera_last_error(NULL), "language 0");
  assert_int_equal(tessera_register_twin(any(registered), TESSERA_LANGUAGE_C, text, 0, NULL, NULL, 0),
                   TESSERA_ERR_ARGUMENT);
  assert_int_equal(tessera_register_twin(any(registered), TESSERA_LANGUAGE_C, text, 0, "", NULL, 0),
                   TESSERA_ERR_ARGUMENT);
  assert_int_equal(tessera_register_twin(any(registered), TESSERA_LANGUAGE_C, text, 0, "decay", NULL, 8),
                   TESSERA_ERR_ARGUMENT);
  assert_says(tessera_last_error(NULL), "params is NULL");
  assert_int_equal(
      tessera_register_twin(any(registered), TESSERA_LANGUAGE_C, test_path("nowhere.c"), 1, "decay", NULL, 0),
      TESSERA_ERR_ARGUMENT);
  assert_says(tessera_last_error(NULL), "nowhere.c");
  assert_int_equal(twin_status(registered, sentence, sizeof sentence), TESSERA_ERR_NO_INTEGRAND);

  scale_of_registered = 1;
  for (int is_file = 0; is_file < 2; ++is_file) {
    rate[0] = 1;
    assert_int_equal(tessera_register_twin(any(registered), TESSERA_LANGUAGE_C, is_file ? test_path("twin.c") : text,
                                           is_file, "decay", rate, sizeof rate),
                     TESSERA_OK);
    tessera_solver *s = solver(registered);
    assert_status(s, tessera_set_twin(s, any(registered), NULL), TESSERA_OK);
    assert_int_equal(integrate(s).status, TESSERA_OK);
    if (compiler_there()) {
      rate[0] = 2;
      assert_status(s, tessera_set_twin(s, any(registered), NULL), TESSERA_OK);
      assert_int_equal(integrate(s).status, TESSERA_ERR_CHECK);
      assert_int_equal(tessera_set_twin(s, any(registered), NULL), TESSERA_ERR_CHECK);
    }
    /* another one for the same function, and none */
    assert_int_equal(tessera_register_twin(any(registered), TESSERA_LANGUAGE_CUDA, cuda_text, 0, "decay", rate, 8),
                     TESSERA_OK);
    assert_status(s, tessera_set_twin(s, any(registered), NULL), TESSERA_OK);
    assert_int_equal(tessera_register_twin(any(registered), 0, NULL, 0, NULL, NULL, 0), TESSERA_OK);
    assert_int_equal(tessera_set_twin(s, any(registered), NULL), TESSERA_ERR_NO_INTEGRAND);
    assert_status(s, tessera_set_twin(s, NULL, NULL), TESSERA_OK);
    assert_int_equal(integrate(s).status, TESSERA_OK);
    tessera_destroy(s);
  }
}

static void *find_many_times(void *good) {
  for (int i = 0; i < 200; ++i) {
    tessera_solver *s = NULL;
    if (tessera_create(&s, 2, 1) != TESSERA_OK) return NULL;
    tessera_register_twin(any(registered), TESSERA_LANGUAGE_C, text, 0, "decay", in_program.rate, 8);
    const int a = tessera_set_twin(s, any(in_library.exported), NULL), b = tessera_set_twin(s, any(registered), NULL);
    *(int *)good += a == TESSERA_OK && b == TESSERA_OK;
    tessera_destroy(s);
  }
  return NULL;
}
static void test_threads(void **state) {
  pthread_t threads[4];
  int good[4] = {0};
  (void)state;
  for (int i = 0; i < 4; ++i) assert_int_equal(pthread_create(threads + i, NULL, find_many_times, good + i), 0);
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
  for (int i = 0; i < 4; ++i) assert_int_equal(good[i], 200);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_program),   cmocka_unit_test(test_library),    cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_cuda_text), cmocka_unit_test(test_wrong_twin), cmocka_unit_test(test_registered),
      cmocka_unit_test(test_user_data), cmocka_unit_test(test_no_block),   cmocka_unit_test(test_threads),
  };
  if (argc != 2) return 2;
  open_test_directory();
  write_map();
  library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    fprintf(stderr, "%s\n", dlerror());
    return 2;
  }
  struct module (*get)(void);
  *(void **)&get = dlsym(library, "library_module");
  in_program = program_module();
  in_library = get();
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  close_test_directory();
  dlclose(library);
  return failed;
}
