/* On device 0: every form of an integrand gives the same value, integrands stop the run, points that are not finite are
 * named, and work keeps to the caller's stream. Skipped where there is no device.
 * SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE /* nanosleep */
#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "device_code.h"
#include "files.h"
#include "solve.h"
#include "skip.h"

enum { device = 0 };

/* ---- The forms ---------------------------------------------------------------------------------------------------------- */
/* A bell in three variables and a second component; the parameter block holds one number. */
static int bell(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  const double a = *(const double *)userdata;
  double s = 0;
  for (int i = 0; i < ndim; ++i) s += (x[i] - 0.4) * (x[i] - 0.4);
  f[0] = exp(-a * s);
  if (ncomp > 1) f[1] = s / (1 + a);
  return 0;
}

#define BELL_SUM "  double s = 0;\n  for (int i = 0; i < 3; ++i) s += (x[i] - 0.4) * (x[i] - 0.4);\n"

static const char bell_cuda[] =
    "struct shape { double a; };\n"
    "__device__ void bell(const double *x, double *f, const shape *p) {\n" BELL_SUM
    "  f[0] = exp(-p->a * s);\n  f[1] = s / (1 + p->a);\n}\n";

static const char bell_c[] =
    "#include <math.h>\n"
    "int bell(int ndim, const double *x, int ncomp, double *f, void *userdata) {\n"
    "  const double a = *(const double *)userdata;\n" BELL_SUM
    "  f[0] = exp(-a * s);\n  f[1] = s / (1 + a);\n  return 0;\n}\n";

static const char bell_cuba[] =
    "#include <math.h>\n#include \"cuba.h\"\n"
    "static int bell(const int *ndim, const cubareal x[], const int *ncomp, cubareal f[], void *userdata) {\n"
    "  const double a = *(const double *)userdata;\n" BELL_SUM
    "  f[0] = exp(-a * s);\n  f[1] = s / (1 + a);\n  return 3;\n}\n";

/* For compilers: the form that is always found, and C++ with one component. */
static const char bell_compiled[] =
    "extern \"C\" __device__ void bell(const double *x, double *f, const void *params) {\n"
    "  const double a = *(const double *)params;\n" BELL_SUM "  f[0] = exp(-a * s);\n  f[1] = s / (1 + a);\n}\n";
static const char bell_scalar[] =
    "namespace mine { __device__ double bell(const double *x, const void *params) {\n" BELL_SUM
    "  return exp(-*(const double *)params * s);\n} }\n";

static const double shape = 7.5;

static char warning[400];
static void keep_warning(int level, const char *line, void *userdata) {
  (void)userdata;
  if (level == 1) snprintf(warning, sizeof warning, "%s", line);
}

static tessera_solver *bell_solver(int ncomp) {
  tessera_solver *s = solver_of(3, ncomp);
  assert_status(s, tessera_set_params(s, &shape, sizeof shape), TESSERA_OK);
  put_cube(s, 3, -1, 2);
  put_real(s, TESSERA_RELTOL, 1e-8);
  put_int(s, TESSERA_SELECTION, TESSERA_SELECT_BULK);
  put_int(s, TESSERA_INITIAL_REGIONS, 1024);
  put_int(s, TESSERA_SPARSE, TESSERA_SPARSE_OFF); /* takes its turns at other times on a device */
  assert_status(s, tessera_set_log(s, keep_warning, NULL), TESSERA_OK);
  return s;
}

/* The integrand of s, which has been set, against the callback on the host; alone, and beside the callback. */
static void assert_same_as_host(const char *what, tessera_solver *s, int ncomp, int inlined) {
  double value[2], error[2], expected[2], expected_error[2];
  tessera_solver *host = bell_solver(ncomp);
  put_point(host, bell, NULL);
  assert_status(host, tessera_integrate(host, TESSERA_CUBATURE, expected, expected_error), TESSERA_OK);
  const int64_t evaluations = got_int(host, TESSERA_EVALUATIONS);
  tessera_destroy(host);
  put_int(s, TESSERA_DEVICE, device);
  for (int both = 0; both < 2; ++both) {
    warning[0] = 0;
    if (both) put_point(s, bell, NULL);
    assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, value, error), TESSERA_OK);
    assert_int_equal(got_int(s, TESSERA_DEVICE_USED), device);
    assert_int_equal(got_int(s, TESSERA_INLINED), inlined);
    if (!inlined && !both) assert_says(warning, "called on the device, not inlined");
    if (inlined) assert_string_equal(warning, "");
    print_message("  %-24s %.15g +- %.1e, inlined %d, compiled in %.3f s\n", what, value[0], error[0], inlined,
                  got_real(s, TESSERA_COMPILE_SECONDS));
    for (int k = 0; k < ncomp; ++k) assert_at_most(fabs(value[k] - expected[k]), error[k] + expected_error[k]);
    assert_at_most(fabs((double)(got_int(s, TESSERA_EVALUATIONS) - evaluations)), 0.05 * (double)evaluations);
  }
  put_int(s, TESSERA_DEVICE, -2);
  assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, value, error), TESSERA_OK);
  assert_int_equal(got_int(s, TESSERA_DEVICE_USED), device);
  tessera_destroy(s);
}

static void texts_and_files(void **state) {
  static const struct {
    int language;
    const char *text, *file;
  } all[] = {{TESSERA_LANGUAGE_CUDA, bell_cuda, "bell.cu"},
             {TESSERA_LANGUAGE_C, bell_c, "bell.c"},
             {TESSERA_LANGUAGE_CUBA, bell_cuba, "cuba.c"}};
  (void)state;
  for (int i = 0; i < 3; ++i) {
    tessera_solver *s = bell_solver(2);
    assert_status(s, tessera_set_integrand_source(s, all[i].language, all[i].text, "bell"), TESSERA_OK);
    assert_same_as_host(all[i].file, s, 2, 1);
    char outer[100];
    snprintf(outer, sizeof outer, "#include \"inner_%s\"\n", all[i].file);
    char inner[100];
    snprintf(inner, sizeof inner, "inner_%s", all[i].file);
    put_file(inner, all[i].text);
    s = bell_solver(2);
    assert_status(s, tessera_set_integrand_file(s, all[i].language, put_file(all[i].file, outer), "bell"), TESSERA_OK);
    snprintf(inner, sizeof inner, "file %s", all[i].file);
    assert_same_as_host(inner, s, 2, 1);
  }
}

/* Skipped piece by piece where a compiler is missing. */
static void assert_code(const char *what, int form, struct code code, const char *function, int ncomp, int inlined) {
  if (!code.bytes) {
    print_message("  %s: left out\n", what);
    return;
  }
  tessera_solver *s = bell_solver(ncomp);
  assert_status(s, tessera_set_integrand_code(s, form, code.bytes, code.size, function), TESSERA_OK);
  free(code.bytes);
  assert_same_as_host(what, s, ncomp, inlined);
}

static void compiled_code(void **state) {
  (void)state;
  const struct code made = code_by_nvrtc(bell_compiled, "-dlto", 0);
  assert_non_null(made.bytes); /* NVRTC is there, or main would have left */
  assert_code("LTO-IR", TESSERA_CODE_LTOIR, made, "bell", 2, 1);
  assert_code("LTO-IR, C++ scalar", TESSERA_CODE_LTOIR, code_by_nvrtc(bell_scalar, "-dlto", 0), "mine::bell", 1, 1);
  assert_code("PTX", TESSERA_CODE_PTX, code_by_nvrtc(bell_compiled, "-rdc=true", 1), "bell", 2, 0);
  assert_code("LTO-IR of nvcc", TESSERA_CODE_LTOIR,
              code_by_nvcc(bell_compiled, "bell.ltoir", "-dlto -rdc=true -ltoir -arch=sm_80"), "bell", 2, 1);
  assert_code("object of nvcc", TESSERA_CODE_OBJECT, code_by_nvcc(bell_compiled, "bell.o", "-dc -dlto -arch=sm_80"),
              "bell", 2, 1);
  assert_code("fatbin of nvcc", TESSERA_CODE_OBJECT,
              code_by_nvcc(bell_compiled, "bell.fatbin", "-rdc=true -gencode arch=compute_80,code=lto_80 -fatbin"),
              "bell", 2, 1);
  assert_code("PTX of nvcc", TESSERA_CODE_PTX,
              code_by_nvcc(bell_compiled, "bell.ptx", "-rdc=true -ptx -arch=compute_80"), "bell", 2, 0);
}

static void code_that_does_not_fit(void **state) {
  const struct code code = code_by_nvrtc(bell_compiled, "-dlto", 0), ptx = code_by_nvrtc(bell_compiled, "-rdc=true", 1);
  tessera_solver *s = bell_solver(1);
  (void)state;
  assert_true(code.bytes && ptx.bytes);
  put_int(s, TESSERA_DEVICE, device);
  assert_status(s, tessera_set_integrand_code(s, TESSERA_CODE_LTOIR, code.bytes, code.size, "nobody"), TESSERA_OK);
  struct answer a = integrate(s);
  assert_int_equal(a.status, TESSERA_ERR_COMPILE);
  assert_says(a.sentence, "link: code: no function 'nobody'");
  assert_same_bits(a.value, -1e300);
  assert_status(s, tessera_set_integrand_code(s, TESSERA_CODE_LTOIR, code.bytes, code.size / 2, "bell"), TESSERA_OK);
  a = integrate(s);
  assert_int_equal(a.status, TESSERA_ERR_COMPILE);
  assert_says(a.sentence, "link: code: ");
  assert_status(s, tessera_set_integrand_code(s, TESSERA_CODE_PTX, ptx.bytes, ptx.size, "nobody"), TESSERA_OK);
  a = integrate(s);
  assert_int_equal(a.status, TESSERA_ERR_COMPILE);
  assert_says(a.sentence, "the PTX defines no function 'nobody'; it has bell");
  free(code.bytes);
  free(ptx.bytes);
  /* another integrand than the callback's */
  const struct code other = code_by_nvrtc(
      "extern \"C\" __device__ void bell(const double *x, double *f, const void *) { f[0] = x[0]; }", "-dlto", 0);
  assert_non_null(other.bytes);
  assert_status(s, tessera_set_integrand_code(s, TESSERA_CODE_LTOIR, other.bytes, other.size, "bell"), TESSERA_OK);
  free(other.bytes);
  put_point(s, bell, NULL);
  a = integrate(s);
  assert_int_equal(a.status, TESSERA_ERR_CHECK);
  assert_says(a.sentence, "by the code");
  tessera_destroy(s);
}

static void an_error_in_a_file(void **state) {
  char place[path_bytes + 64];
  tessera_solver *s = solver_of(2, 1);
  (void)state;
  put_file("broken.h", "static double g(double a) {\n  return b;\n}\n");
  assert_status(
      s,
      tessera_set_integrand_file(
          s, TESSERA_LANGUAGE_CUDA,
          put_file("broken.cu", "#include \"broken.h\"\ndouble f(const double *x) { return g(x[0]); }\n"), "f"),
      TESSERA_OK);
  put_int(s, TESSERA_DEVICE, device);
  const struct answer a = integrate(s);
  assert_int_equal(a.status, TESSERA_ERR_COMPILE);
  snprintf(place, sizeof place, "compile: %.200s/broken.h(2): error", test_directory);
  assert_says(a.sentence, place);
  tessera_destroy(s);
}

/* ---- Integrands that stop the run --------------------------------------------------------------------------------------- */
static tessera_solver *text_solver(int ndim, int ncomp, int language, const char *text) {
  tessera_solver *s = solver_of(ndim, ncomp);
  assert_status(s, tessera_set_integrand_source(s, language, text, "f"), TESSERA_OK);
  put_int(s, TESSERA_DEVICE, device);
  assert_status(s, tessera_set_log(s, keep_warning, NULL), TESSERA_OK);
  return s;
}

static void stopped_at_once(void **state) {
  double threshold = 0.9;
  tessera_solver *s = text_solver(2, 1, TESSERA_LANGUAGE_C,
                                  "int f(int n, const double *x, int m, double *v, void *p) {\n"
                                  "  v[0] = 1;\n  return x[0] > *(double *)p ? (x[1] > 0.5 ? 17 : 5) : 0;\n}\n");
  (void)state;
  assert_status(s, tessera_set_params(s, &threshold, sizeof threshold), TESSERA_OK);
  for (int again = 0; again < 2; ++again) {
    const struct answer a = integrate(s);
    assert_int_equal(a.status, TESSERA_ERR_CALLBACK);
    assert_int_equal(got_int(s, TESSERA_CALLBACK_STATUS), 17);
    assert_says(a.sentence, "the integrand returned 17");
    assert_same_bits(a.value, -1e300);
  }
  threshold = 2; /* and the same kernel goes on as if nothing had been */
  assert_status(s, tessera_set_params(s, &threshold, sizeof threshold), TESSERA_OK);
  assert_close(integrate(s).value, 1, 1e-13, 0);
  assert_int_equal(got_int(s, TESSERA_CALLBACK_STATUS), 0);
  tessera_destroy(s);
}

/* sqrt|x - 0.3| is divided there again and again; what happens close to 0.3 comes after the first steps. */
#define CLOSE "(x[0] - 0.3) * (x[0] - 0.3) < 1e-14"
static const double root_exact = 0.49998586, root_tolerance = 1e-3;

static void stopped_on_the_way(void **state) {
  static const struct {
    int language, status;
    const char *text;
  } all[] = {{TESSERA_LANGUAGE_C, -4,
              "#include <math.h>\nint f(int n, const double *x, int m, double *v, void *p) {\n"
              "  v[0] = sqrt(fabs(x[0] - 0.3));\n  return " CLOSE " ? -4 : 0;\n}\n"},
             {TESSERA_LANGUAGE_CUBA, -999,
              "#include <math.h>\nint f(const int *n, const double x[], const int *m, double v[], void *p) {\n"
              "  v[0] = sqrt(fabs(x[0] - 0.3));\n  return " CLOSE " ? -999 : 1;\n}\n"}};
  (void)state;
  for (int i = 0; i < 2; ++i) {
    tessera_solver *s = text_solver(1, 1, all[i].language, all[i].text);
    put_real(s, TESSERA_RELTOL, 1e-14);
    const struct answer a = integrate(s), b = integrate(s);
    assert_int_equal(a.status, TESSERA_CALLBACK_STOPPED);
    assert_int_equal(got_int(s, TESSERA_CALLBACK_STATUS), all[i].status);
    assert_close(a.value, root_exact, root_tolerance, 0);
    assert_true(a.error > 0 && a.evaluations > 0);
    assert_same_answer(a, b);
    tessera_destroy(s);
  }
}

static void exit_and_output(void **state) {
  tessera_solver *s = text_solver(2, 1, TESSERA_LANGUAGE_C,
                                  "#include <stdlib.h>\nint f(int n, const double *x, int m, double *v, void *p) {\n"
                                  "  if (x[0] > 0.5) exit(1);\n  v[0] = 1;\n  return 0;\n}\n");
  (void)state;
  struct answer a = integrate(s);
  assert_int_equal(a.status, TESSERA_ERR_CALLBACK);
  assert_says(a.sentence, "exit");
  assert_int_equal(got_int(s, TESSERA_CALLBACK_STATUS), 0);
  tessera_destroy(s);
  s = text_solver(2, 1, TESSERA_LANGUAGE_C,
                  "#include <stdio.h>\nint f(int n, const double *x, int m, double *v, void *p) {\n"
                  "  if (x[0] > 0.5) printf(\"%g\\n\", x[0]);\n  v[0] = 1;\n  return 0;\n}\n");
  warning[0] = 0;
  a = integrate(s);
  assert_int_equal(a.status, TESSERA_OK);
  assert_says(warning, "printed");
  tessera_destroy(s);
}

static int never(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)ncomp, (void)userdata;
  f[0] = x[0];
  return 0;
}

static void stopped_during_the_comparison(void **state) {
  tessera_solver *s = text_solver(
      1, 1, TESSERA_LANGUAGE_C,
      "int f(int n, const double *x, int m, double *v, void *p) { v[0] = x[0]; return x[0] > 0.8 ? 3 : 0; }");
  (void)state;
  put_point(s, never, NULL);
  const struct answer a = integrate(s);
  assert_int_equal(a.status, TESSERA_ERR_CALLBACK);
  assert_says(a.sentence, "compared");
  tessera_destroy(s);
}

/* ---- Values that are not finite ----------------------------------------------------------------------------------------- */
/* Coordinate j (from 0) of the point in a sentence. */
static double coordinate(const char *sentence, int j) {
  const char *at = strstr(sentence, "at x = (");
  assert_non_null(at);
  at += 8;
  for (; j > 0; --j) {
    at = strchr(at, ',');
    assert_non_null(at);
    at += 2;
  }
  return strtod(at, NULL);
}

/* What a text does not write is no value, where it is inlined too. */
static void a_component_that_is_not_written(void **state) {
  static const char *const texts[] = {
      "void f(const double *x, double *v) { v[0] = 1 + x[0]; }",
      "void f(const double *x, double *v) { v[0] = 1 + x[0]; if (x[1] < 0.5) v[1] = 2; }"};
  (void)state;
  for (size_t t = 0; t < sizeof texts / sizeof texts[0]; ++t)
    for (int method = TESSERA_CUBATURE; method <= TESSERA_MONTECARLO; ++method) {
      double value[2], error[2];
      tessera_solver *s = text_solver(2, 2, TESSERA_LANGUAGE_CUDA, texts[t]);
      put_real(s, TESSERA_RELTOL, 1e-2);
      assert_status(s, tessera_integrate(s, method, value, error), TESSERA_NONFINITE);
      assert_non_null(strstr(tessera_last_error(s), "component 2"));
      tessera_destroy(s);
    }
}

static void the_point_is_named(void **state) {
  static const struct {
    int ndim, rule, component, last; /* which coordinate is above 0.9 there */
    const char *text;
  } all[] = {{3, TESSERA_RULE_AUTO, 1, 2,
              "void f(const double *x, double *v) { v[0] = x[2] > 0.9 ? log(-x[2]) : 1; v[1] = 0; }"},
             {3, TESSERA_RULE_AUTO, 2, 0,
              "void f(const double *x, double *v) { v[0] = 1; v[1] = x[0] > 0.9 ? 1 / (x[0] - x[0]) : 0; }"},
             {1, TESSERA_RULE_AUTO, 1, 0,
              "void f(const double *x, double *v) { v[0] = x[0] > 0.9 ? sqrt(-x[0]) : 1; v[1] = 0; }"},
             {5, TESSERA_RULE_GM7, 1, 4,
              "void f(const double *x, double *v) { v[0] = x[4] > 0.9 ? log(-x[4]) : 1; v[1] = 0; }"},
             {5, TESSERA_RULE_DEGREE9, 1, 4,
              "void f(const double *x, double *v) { v[0] = x[4] > 0.9 ? log(-x[4]) : 1; v[1] = 0; }"},
             {14, TESSERA_RULE_LOW, 1, 13,
              "void f(const double *x, double *v) { v[0] = x[13] > 0.9 ? log(-x[13]) : 1; v[1] = 0; }"}};
  (void)state;
  for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) {
    char component[64];
    double value[2], error[2];
    tessera_solver *s = text_solver(all[i].ndim, 2, TESSERA_LANGUAGE_CUDA, all[i].text);
    put_int(s, TESSERA_RULE, all[i].rule);
    assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, value, error), TESSERA_NONFINITE);
    char sentence[1024];
    snprintf(sentence, sizeof sentence, "%s", tessera_last_error(s));
    print_message("  %s\n", sentence);
    snprintf(component, sizeof component, "component %d of the integrand is ", all[i].component);
    assert_says(sentence, component);
    assert_true(coordinate(sentence, all[i].last) > 0.9);
    for (int j = 0; j < all[i].ndim; ++j) assert_true(coordinate(sentence, j) >= 0 && coordinate(sentence, j) <= 1);
    tessera_solver *again = text_solver(all[i].ndim, 2, TESSERA_LANGUAGE_CUDA, all[i].text);
    put_int(again, TESSERA_RULE, all[i].rule);
    assert_status(again, tessera_integrate(again, TESSERA_CUBATURE, value, error), TESSERA_NONFINITE);
    assert_string_equal(tessera_last_error(again), sentence);
    tessera_destroy(again);
    tessera_destroy(s);
  }
}

static void the_point_on_an_infinite_range(void **state) {
  const double lower[2] = {-INFINITY, 0}, upper[2] = {INFINITY, INFINITY};
  double value, error;
  tessera_solver *s =
      text_solver(2, 1, TESSERA_LANGUAGE_CUDA,
                  "double f(const double *x) { return x[1] > 3 ? log(-x[1]) : exp(-x[0] * x[0] - x[1]); }");
  (void)state;
  assert_status(s, tessera_set_domain(s, lower, upper), TESSERA_OK);
  assert_status(s, tessera_integrate(s, TESSERA_CUBATURE, &value, &error), TESSERA_NONFINITE);
  assert_says(tessera_last_error(s), "component 1 of the integrand is ");
  assert_true(coordinate(tessera_last_error(s), 1) > 3);
  tessera_destroy(s);
}

static void a_point_on_the_way(void **state) {
  tessera_solver *s =
      text_solver(1, 1, TESSERA_LANGUAGE_CUDA,
                  "double f(const double *x) { return " CLOSE " ? log(-1.0) : sqrt(fabs(x[0] - 0.3)); }");
  (void)state;
  put_real(s, TESSERA_RELTOL, 1e-14);
  const struct answer a = integrate(s), b = integrate(s);
  assert_int_equal(a.status, TESSERA_NONFINITE);
  assert_close(a.value, root_exact, root_tolerance, 0);
  assert_at_most(fabs(coordinate(a.sentence, 0) - 0.3), 1e-7);
  assert_same_answer(a, b);
  tessera_destroy(s);
}

/* ---- The stream --------------------------------------------------------------------------------------------------------- */
static struct {
  int (*init)(unsigned);
  int (*device_get)(int *, int);
  int (*retain)(void **, int);
  int (*release)(int);
  int (*push)(void *);
  int (*pop)(void **);
  int (*stream_create)(void **, unsigned);
  int (*stream_destroy)(void *);
  int (*allocate)(unsigned long long *, size_t);
  int (*release_memory)(unsigned long long);
  int (*upload)(unsigned long long, const void *, size_t);
  int (*upload_in_order)(unsigned long long, const void *, size_t, void *);
  int (*call_host)(void *, void (*)(void *), void *);
} cu;

static void open_driver(void) {
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  const struct {
    const char *name;
    void *function;
  } all[] = {{"cuInit", &cu.init},
             {"cuDeviceGet", &cu.device_get},
             {"cuDevicePrimaryCtxRetain", &cu.retain},
             {"cuDevicePrimaryCtxRelease_v2", &cu.release},
             {"cuCtxPushCurrent_v2", &cu.push},
             {"cuCtxPopCurrent_v2", &cu.pop},
             {"cuStreamCreate", &cu.stream_create},
             {"cuStreamDestroy_v2", &cu.stream_destroy},
             {"cuMemAlloc_v2", &cu.allocate},
             {"cuMemFree_v2", &cu.release_memory},
             {"cuMemcpyHtoD_v2", &cu.upload},
             {"cuMemcpyHtoDAsync_v2", &cu.upload_in_order},
             {"cuLaunchHostFunc", &cu.call_host}};
  assert_non_null(library);
  for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) {
    void *address = dlsym(library, all[i].name);
    assert_non_null(address);
    memcpy(all[i].function, &address, sizeof address);
  }
}

static void wait_a_little(void *userdata) {
  const struct timespec some = {0, 200000000};
  (void)userdata;
  nanosleep(&some, NULL);
}

static void work_comes_after_what_is_in_the_stream(void **state) {
  void *context = NULL, *stream = NULL;
  unsigned long long address = 0;
  static const double before = 1, after = 2;
  int number = 0;
  (void)state;
  open_driver();
  assert_int_equal(cu.init(0), 0);
  assert_int_equal(cu.device_get(&number, device), 0);
  assert_int_equal(cu.retain(&context, number), 0);
  assert_int_equal(cu.push(context), 0);
  assert_int_equal(cu.stream_create(&stream, 1 /* CU_STREAM_NON_BLOCKING */), 0);
  assert_int_equal(cu.allocate(&address, sizeof before), 0);
  assert_int_equal(cu.upload(address, &before, sizeof before), 0);

  tessera_solver *s = text_solver(2, 1, TESSERA_LANGUAGE_CUDA,
                                  "struct block { const double *a; };\n"
                                  "double f(const double *x, const block *p) { return p->a[0] * (x[0] + x[1]); }");
  assert_status(s, tessera_set_params(s, &address, sizeof address), TESSERA_OK);
  const struct answer own = integrate(s);
  assert_close(own.value, 1, 1e-13, 0);
  assert_status(s, tessera_set_stream(s, stream), TESSERA_OK);
  assert_same_answer(own, integrate(s));
  assert_same_bits(got_real(s, TESSERA_COMPILE_SECONDS), 0); /* the kernel is still there */
  assert_int_equal(cu.call_host(stream, wait_a_little, NULL), 0);
  assert_int_equal(cu.upload_in_order(address, &after, sizeof after, stream), 0);
  assert_close(integrate(s).value, 2, 1e-13, 0);
  assert_status(s, tessera_set_stream(s, NULL), TESSERA_OK);
  assert_close(integrate(s).value, 2, 1e-13, 0);
  tessera_destroy(s);

  cu.stream_destroy(stream);
  cu.release_memory(address);
  cu.pop(&context);
  cu.release(number);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(texts_and_files),
      cmocka_unit_test(compiled_code),
      cmocka_unit_test(code_that_does_not_fit),
      cmocka_unit_test(an_error_in_a_file),
      cmocka_unit_test(stopped_at_once),
      cmocka_unit_test(stopped_on_the_way),
      cmocka_unit_test(exit_and_output),
      cmocka_unit_test(stopped_during_the_comparison),
      cmocka_unit_test(a_component_that_is_not_written),
      cmocka_unit_test(the_point_is_named),
      cmocka_unit_test(the_point_on_an_infinite_range),
      cmocka_unit_test(a_point_on_the_way),
      cmocka_unit_test(work_comes_after_what_is_in_the_stream),
  };
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
  open_test_directory();
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  close_test_directory();
  return failed;
}
