/* Integrands from files and as compiled code, and the stream: arguments, messages, and what is said without a device.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "files.h"
#include "solve.h"

enum { nowhere = 1023 /* a device that no machine has */ };

/* The first bytes of each kind of code; more than that is not looked at before a device is there. */
static const char ltoir[] = "\xed\x43\x4e\x7f rest",
                  object[] =
                      "\x7f"
                      "ELF rest",
                  fatbin[] = "\x50\xed\x55\xba rest", library[] = "!<arch>\nrest",
                  ptx[] = ".version 8.0\n.target sm_80\n.address_size 64\n";

static int one(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)x, (void)ncomp, (void)userdata;
  f[0] = 1;
  return 0;
}

static void assert_refused(tessera_solver *s, int status, const char *word) {
  const struct answer a = integrate(s);
  if (a.status != status) print_error("%s\n", a.sentence);
  assert_int_equal(a.status, status);
  assert_says(a.sentence, word);
  assert_same_bits(a.value, -1e300);
  assert_same_bits(a.error, -1e300);
}

/* ---- Files -------------------------------------------------------------------------------------------------------------- */
static const struct {
  int language;
  const char *name, *text;
} files[] = {
    {TESSERA_LANGUAGE_CUDA, "user.cu",
     "#include \"sub/part.h\"\n"
     "double f(const double *x) { return factor(x[0]); }\n"},
    {TESSERA_LANGUAGE_C, "user.c",
     "#include \"sub/part.h\"\n"
     "int f(int n, const double *x, int m, double *v, void *p) { v[0] = factor(x[0]); return 0; }\n"},
    {TESSERA_LANGUAGE_CUBA, "cuba.c",
     "#include \"cuba.h\"\n#include \"sub/part.h\"\n"
     "static int f(const int *n, const cubareal x[], const int *m, cubareal v[], void *p) { v[0] = factor(x[0]); "
     "return 0; }\n"}};
enum { file_count = sizeof files / sizeof files[0] };

static void put_parts(const char *scale) {
  char text[200];
  put_directory("sub");
  snprintf(text, sizeof text,
           "#ifndef PART\n#define PART\n#include \"deep.h\"\nstatic double factor(double a) {\n  return %s * "
           "a;\n}\n#endif\n",
           scale);
  put_file("sub/part.h", text);
  put_file("sub/deep.h", "#include \"part.h\"\n#define TWO 2\n"); /* a ring, as guards allow it */
}

static void a_file_and_what_it_includes(void **state) {
  (void)state;
  for (int i = 0; i < file_count; ++i) {
    tessera_solver *s = solver_of(2, 1);
    put_parts("TWO");
    const char *path = put_file(files[i].name, files[i].text);
    assert_status(s, tessera_set_integrand_file(s, files[i].language, path, "f"), TESSERA_OK);
    put_parts("none"); /* too late: all has been read */
    assert_close(integrate(s).value, 1, 1e-13, 0);
    assert_int_equal(got_int(s, TESSERA_INLINED), -1);
    /* The main file is as it was, the included one is another. */
    put_parts("1.5 * TWO");
    assert_status(s, tessera_set_integrand_file(s, files[i].language, path, "f"), TESSERA_OK);
    assert_close(integrate(s).value, 1.5, 1e-13, 0);
    assert_status(s, tessera_set_integrand_file(s, 0, NULL, NULL), TESSERA_OK);
    assert_refused(s, TESSERA_ERR_NO_INTEGRAND, "no integrand");
    tessera_destroy(s);
  }
}

static void messages_name_file_and_line(void **state) {
  (void)state;
  for (int i = 0; i < file_count; ++i) {
    char place[path_bytes + 64];
    tessera_solver *s = solver_of(2, 1);
    put_parts("nothing");
    const char *path = put_file(files[i].name, files[i].text);
    assert_status(s, tessera_set_integrand_file(s, files[i].language, path, "f"), TESSERA_OK);
    snprintf(place, sizeof place, "compile: %s/sub/part.h(5): error:", test_directory);
    assert_refused(s, TESSERA_ERR_COMPILE, place);
    put_parts("TWO");
    char wrong[600];
    snprintf(wrong, sizeof wrong, "%s", files[i].text);
    memcpy(strstr(wrong, "factor(x"), "fectar(x", 8);
    put_file(files[i].name, wrong);
    assert_status(s, tessera_set_integrand_file(s, files[i].language, path, "f"), TESSERA_OK);
    snprintf(place, sizeof place, "%.250s", path);
    assert_refused(s, TESSERA_ERR_COMPILE, place);
    assert_says(tessera_last_error(s), "fectar");
    assert_status(s, tessera_set_integrand_file(s, files[i].language, path, "g"), TESSERA_OK);
    assert_refused(s, TESSERA_ERR_COMPILE, place);
    tessera_destroy(s);
  }
}

static void a_mark_at_the_beginning_and_windows_lines(void **state) {
  tessera_solver *s = solver_of(1, 1);
  (void)state;
  put_file("part.h", "#define THREE 3\r\n");
  assert_status(s,
                tessera_set_integrand_file(s, TESSERA_LANGUAGE_CUDA,
                                           put_file("bom.cu",
                                                    "\xef\xbb\xbf#include \"part.h\"\r\ndouble f(const double *x)\r\n"
                                                    "{ return THREE * x[0]; }\r\n"),
                                           "f"),
                TESSERA_OK);
  assert_close(integrate(s).value, 1.5, 1e-13, 0);
  tessera_destroy(s);
}

static void files_that_cannot_be_read(void **state) {
  tessera_solver *s = solver_of(1, 1);
  const char *good = put_file("good.cu", "double f(const double *x) { return x[0]; }\n");
  (void)state;
  assert_int_equal(tessera_set_integrand_file(NULL, TESSERA_LANGUAGE_CUDA, good, "f"), TESSERA_ERR_ARGUMENT);
  assert_status(s, tessera_set_integrand_file(s, TESSERA_LANGUAGE_CUDA, good, "f"), TESSERA_OK);
  const struct {
    const char *path, *word;
  } bad[] = {{"/nonexistent/f.cu", "cannot be opened"},
             {"", "cannot be opened"},
             {test_directory, "is not a regular file"},
             {put_file("empty.cu", ""), "is empty"},
             {put_bytes("binary.cu", "a\0b", 3), "is not a text"}};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
    assert_status(s, tessera_set_integrand_file(s, TESSERA_LANGUAGE_C, bad[i].path, "f"), TESSERA_ERR_ARGUMENT);
    assert_says(tessera_last_error(s), "path: the file");
    assert_says(tessera_last_error(s), bad[i].word);
  }
  static const int languages[] = {INT32_MIN, 0, 6, INT32_MAX};
  for (size_t i = 0; i < sizeof languages / sizeof languages[0]; ++i) {
    assert_status(s, tessera_set_integrand_file(s, languages[i], good, "f"), TESSERA_ERR_ARGUMENT);
    assert_says(tessera_last_error(s), "language");
  }
  assert_status(s, tessera_set_integrand_file(s, TESSERA_LANGUAGE_CUDA, good, NULL), TESSERA_ERR_ARGUMENT);
  assert_says(tessera_last_error(s), "function");
  assert_status(s, tessera_set_integrand_file(s, TESSERA_LANGUAGE_CUDA, good, ""), TESSERA_ERR_ARGUMENT);
  assert_close(integrate(s).value, 0.5, 1e-13, 0); /* the good one is still there */
  tessera_destroy(s);
}

/* ---- Compiled code ------------------------------------------------------------------------------------------------------ */
static void put_code(tessera_solver *s, int form, const char *code, size_t bytes) {
  assert_status(s, tessera_set_integrand_code(s, form, code, bytes, "f"), TESSERA_OK);
}

static void wrong_code(void **state) {
  tessera_solver *s = solver_of(1, 1);
  static const int forms[] = {INT32_MIN, -1, 0, 4, INT32_MAX};
  (void)state;
  assert_int_equal(tessera_set_integrand_code(NULL, TESSERA_CODE_LTOIR, ltoir, sizeof ltoir, "f"),
                   TESSERA_ERR_ARGUMENT);
  for (size_t i = 0; i < sizeof forms / sizeof forms[0]; ++i) {
    assert_status(s, tessera_set_integrand_code(s, forms[i], ltoir, sizeof ltoir, "f"), TESSERA_ERR_ARGUMENT);
    assert_says(tessera_last_error(s), "form");
  }
  assert_status(s, tessera_set_integrand_code(s, TESSERA_CODE_LTOIR, NULL, 4, "f"), TESSERA_ERR_ARGUMENT);
  assert_says(tessera_last_error(s), "code is NULL");
  assert_status(s, tessera_set_integrand_code(s, TESSERA_CODE_LTOIR, ltoir, 0, "f"), TESSERA_ERR_ARGUMENT);
  assert_says(tessera_last_error(s), "bytes is 0");
  assert_status(s, tessera_set_integrand_code(s, TESSERA_CODE_LTOIR, ltoir, sizeof ltoir, NULL), TESSERA_ERR_ARGUMENT);
  assert_says(tessera_last_error(s), "function");
  assert_status(s, tessera_set_integrand_code(s, TESSERA_CODE_LTOIR, ltoir, sizeof ltoir, ""), TESSERA_ERR_ARGUMENT);
  const struct {
    const char *bytes;
    size_t n;
    int good;
  } all[] = {{ltoir, sizeof ltoir, TESSERA_CODE_LTOIR},    {object, sizeof object, TESSERA_CODE_OBJECT},
             {fatbin, sizeof fatbin, TESSERA_CODE_OBJECT}, {library, sizeof library, TESSERA_CODE_OBJECT},
             {ptx, sizeof ptx, TESSERA_CODE_PTX},          {"x", 1, 0}};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i)
    for (int form = TESSERA_CODE_LTOIR; form <= TESSERA_CODE_PTX; ++form) {
      assert_status(s, tessera_set_integrand_code(s, form, all[i].bytes, all[i].n, "f"),
                    form == all[i].good ? TESSERA_OK : TESSERA_ERR_ARGUMENT);
      if (form != all[i].good) assert_says(tessera_last_error(s), "code is not");
    }
  assert_status(s, tessera_set_integrand_code(s, 0, NULL, 0, NULL), TESSERA_OK);
  assert_refused(s, TESSERA_ERR_NO_INTEGRAND, "no integrand");
  tessera_destroy(s);
}

static char last_line[400];
static void keep_line(int level, const char *line, void *userdata) {
  (void)level, (void)userdata;
  if (strstr(line, "the host is used")) snprintf(last_line, sizeof last_line, "%s", line);
}

static void code_has_no_host_form(void **state) {
  tessera_solver *s = solver_of(2, 1);
  (void)state;
  put_code(s, TESSERA_CODE_PTX, ptx, sizeof ptx);
  assert_refused(s, TESSERA_ERR_NO_INTEGRAND, "compiled code cannot run on the host");
  put_int(s, TESSERA_DEVICE, nowhere);
  assert_refused(s, TESSERA_ERR_NOT_BUILT, "");
  put_int(s, TESSERA_DEVICE, -2);
  const struct answer a = integrate(s); /* there is no f in the code */
  assert_true(a.status == TESSERA_ERR_NOT_BUILT || a.status == TESSERA_ERR_COMPILE);
  if (a.status == TESSERA_ERR_NOT_BUILT) assert_says(a.sentence, "and compiled code cannot run on the host");
  put_point(s, one, NULL);
  put_int(s, TESSERA_DEVICE, -1);
  assert_close(integrate(s).value, 1, 1e-13, 0);
  assert_int_equal(got_int(s, TESSERA_DEVICE_USED), -1);
  if (a.status == TESSERA_ERR_NOT_BUILT) {
    assert_status(s, tessera_set_log(s, keep_line, NULL), TESSERA_OK);
    put_int(s, TESSERA_DEVICE, -2);
    assert_close(integrate(s).value, 1, 1e-13, 0);
    assert_says(last_line, ": the host is used");
    assert_int_equal(got_int(s, TESSERA_INLINED), -1);
  }
  assert_status(s, tessera_set_int(s, TESSERA_INLINED, 1), TESSERA_ERR_KEY);
  tessera_destroy(s);
}

static void code_has_a_greatest_dimension(void **state) {
  tessera_solver *s = solver_of(33, 1);
  (void)state;
  put_code(s, TESSERA_CODE_PTX, ptx, sizeof ptx);
  put_int(s, TESSERA_NDIM_LIMIT, 64);
  put_int(s, TESSERA_DEVICE, -2);
  assert_refused(s, TESSERA_ERR_UNSUPPORTED, "ndim = 33");
  tessera_destroy(s);
}

static void text_and_code_take_each_other_s_place(void **state) {
  tessera_solver *s = solver_of(1, 1);
  (void)state;
  put_code(s, TESSERA_CODE_LTOIR, ltoir, sizeof ltoir);
  assert_status(
      s, tessera_set_integrand_source(s, TESSERA_LANGUAGE_CUDA, "double f(const double *x) { return x[0]; }", "f"),
      TESSERA_OK);
  assert_close(integrate(s).value, 0.5, 1e-13, 0);
  put_code(s, TESSERA_CODE_LTOIR, ltoir, sizeof ltoir);
  assert_refused(s, TESSERA_ERR_NO_INTEGRAND, "compiled code");
  tessera_destroy(s);
}

/* ---- The stream --------------------------------------------------------------------------------------------------------- */
static int meddle(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)x, (void)ncomp;
  tessera_solver *s = userdata;
  f[0] = 1;
  return tessera_set_stream(s, NULL) == TESSERA_ERR_BUSY &&
                 tessera_set_integrand_file(s, 1, "f", "f") == TESSERA_ERR_BUSY &&
                 tessera_set_integrand_code(s, 1, ltoir, 4, "f") == TESSERA_ERR_BUSY
             ? 0
             : 1;
}

static void a_stream_means_nothing_on_the_host(void **state) {
  tessera_solver *s = solver_of(1, 1);
  int nothing = 0;
  (void)state;
  assert_int_equal(tessera_set_stream(NULL, NULL), TESSERA_ERR_ARGUMENT);
  assert_status(s, tessera_set_stream(s, &nothing), TESSERA_OK);
  put_point(s, meddle, s);
  assert_close(integrate(s).value, 1, 1e-13, 0);
  assert_status(s, tessera_set_stream(s, NULL), TESSERA_OK);
  assert_close(integrate(s).value, 1, 1e-13, 0);
  tessera_destroy(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_file_and_what_it_includes),
      cmocka_unit_test(messages_name_file_and_line),
      cmocka_unit_test(a_mark_at_the_beginning_and_windows_lines),
      cmocka_unit_test(files_that_cannot_be_read),
      cmocka_unit_test(wrong_code),
      cmocka_unit_test(code_has_no_host_form),
      cmocka_unit_test(code_has_a_greatest_dimension),
      cmocka_unit_test(text_and_code_take_each_other_s_place),
      cmocka_unit_test(a_stream_means_nothing_on_the_host),
  };
  open_test_directory();
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  close_test_directory();
  return failed;
}
