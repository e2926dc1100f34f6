/* Generating vectors through the public interface: life cycle, settings, every wrong argument, construction, files.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <math.h>
#include <time.h>
#include <stdlib.h>
#include <unistd.h>

#include "solve.h"

static tessera_lattice *lattice_of(int ndim) {
  tessera_lattice *l = NULL;
  assert_int_equal(tessera_lattice_create(&l, ndim), TESSERA_OK);
  assert_non_null(l);
  return l;
}

/* Fails, with the library's sentence, unless the status is the expected one; a refusal must name `word`. */
#define assert_lattice(l, status, expected, word) \
  assert_lattice_at((l), (status), (expected), (word), __FILE__, __LINE__)
static void assert_lattice_at(tessera_lattice *l, int status, int expected, const char *word, const char *file,
                              int line) {
  if (status != expected) {
    print_error("status %d, expected %d: %s\n", status, expected, tessera_lattice_last_error(l));
    _fail(file, line);
  }
  if (word) assert_says_at(tessera_lattice_last_error(l), word, file, line);
}

static int64_t lattice_int(const tessera_lattice *l, int key) {
  int64_t v = -1;
  assert_int_equal(tessera_lattice_get_int(l, key, &v), TESSERA_OK);
  return v;
}
static double lattice_real(const tessera_lattice *l, int key) {
  double v = -1;
  assert_int_equal(tessera_lattice_get_real(l, key, &v), TESSERA_OK);
  return v;
}

/* No FFTW: what needs it says so, and the test is skipped. */
static int constructs(tessera_lattice *l) {
  const int status = tessera_lattice_construct(l, 1009);
  if (status == TESSERA_ERR_NOT_BUILT) {
    assert_says(tessera_lattice_last_error(l), "FFTW");
    tessera_lattice_destroy(l);
    return 0;
  }
  assert_lattice(l, status, TESSERA_OK, NULL);
  return 1;
}

static void life_cycle(void **state) {
  (void)state;
  tessera_lattice *l = (tessera_lattice *)&l;
  assert_int_equal(tessera_lattice_create(NULL, 3), TESSERA_ERR_ARGUMENT);
  assert_int_equal(tessera_lattice_create(&l, 0), TESSERA_ERR_ARGUMENT);
  assert_null(l);
  assert_int_equal(tessera_lattice_create(&l, 1025), TESSERA_ERR_ARGUMENT);
  tessera_lattice_destroy(NULL);
  l = lattice_of(1024);
  assert_int_equal(lattice_int(l, TESSERA_LATTICE_NDIM), 1024);
  assert_int_equal(lattice_int(l, TESSERA_LATTICE_SIZE), 0);
  assert_int_equal(lattice_int(l, TESSERA_LATTICE_ORIGIN), TESSERA_ORIGIN_EMPTY);
  assert_true(isnan(lattice_real(l, TESSERA_LATTICE_MERIT)));
  assert_string_equal(tessera_lattice_last_error(l), "");
  assert_non_null(tessera_lattice_last_error(NULL));
  tessera_lattice_destroy(l);
}

static void null_handles(void **state) {
  (void)state;
  int64_t n = 0;
  double x = 0;
  assert_int_equal(tessera_lattice_set_weights(NULL, &x, 0, NULL), TESSERA_ERR_ARGUMENT);
  assert_int_equal(tessera_lattice_set_kernel(NULL, TESSERA_KERNEL_B2, NULL, 0), TESSERA_ERR_ARGUMENT);
  assert_int_equal(tessera_lattice_set_int(NULL, TESSERA_LATTICE_LEAST, 0), TESSERA_ERR_ARGUMENT);
  assert_int_equal(tessera_lattice_get_int(NULL, TESSERA_LATTICE_LEAST, &n), TESSERA_ERR_ARGUMENT);
  assert_int_equal(tessera_lattice_get_real(NULL, TESSERA_LATTICE_MERIT, &x), TESSERA_ERR_ARGUMENT);
  assert_int_equal(tessera_lattice_set_progress(NULL, NULL, NULL), TESSERA_ERR_ARGUMENT);
  assert_int_equal(tessera_lattice_construct(NULL, 1009), TESSERA_ERR_ARGUMENT);
  assert_int_equal(tessera_lattice_korobov(NULL, 1009, 2), TESSERA_ERR_ARGUMENT);
  assert_int_equal(tessera_lattice_vector(NULL, 1009, &n), TESSERA_ERR_ARGUMENT);
  assert_int_equal(tessera_lattice_builtin(NULL), TESSERA_ERR_ARGUMENT);
  assert_int_equal(tessera_lattice_get_vector(NULL, &n), TESSERA_ERR_ARGUMENT);
  assert_int_equal(tessera_lattice_save(NULL, "x"), TESSERA_ERR_ARGUMENT);
  assert_int_equal(tessera_lattice_load(NULL, "x"), TESSERA_ERR_ARGUMENT);
  assert_int_equal(tessera_lattice_prime(1000, 0, NULL), TESSERA_ERR_ARGUMENT);
  assert_int_equal(tessera_set_lattice(NULL, NULL), TESSERA_ERR_ARGUMENT);
}

static void keys(void **state) {
  (void)state;
  tessera_lattice *l = lattice_of(3);
  int64_t n;
  double x;
  assert_lattice(l, tessera_lattice_set_int(l, TESSERA_LATTICE_LEAST, 1000), TESSERA_ERR_RANGE,
                 "TESSERA_LATTICE_LEAST");
  assert_lattice(l, tessera_lattice_set_int(l, TESSERA_LATTICE_LEAST, -4), TESSERA_ERR_RANGE, "TESSERA_LATTICE_LEAST");
  assert_lattice(l, tessera_lattice_set_int(l, TESSERA_LATTICE_PRECISION, 16), TESSERA_ERR_RANGE, "PRECISION");
  assert_lattice(l, tessera_lattice_set_int(l, TESSERA_LATTICE_MAX_MEMORY, -1), TESSERA_ERR_RANGE, "MAX_MEMORY");
  assert_lattice(l, tessera_lattice_set_int(l, TESSERA_LATTICE_SIZE, 7), TESSERA_ERR_KEY, "521");
  assert_lattice(l, tessera_lattice_get_int(l, TESSERA_LATTICE_MERIT, &n), TESSERA_ERR_KEY, "540");
  assert_lattice(l, tessera_lattice_get_real(l, TESSERA_LATTICE_SIZE, &x), TESSERA_ERR_KEY, "521");
  assert_lattice(l, tessera_lattice_get_int(l, TESSERA_LATTICE_SIZE, NULL), TESSERA_ERR_ARGUMENT, "value");
  assert_lattice(l, tessera_lattice_set_int(l, TESSERA_LATTICE_PRECISION, 32), TESSERA_OK, NULL);
  assert_int_equal(lattice_int(l, TESSERA_LATTICE_PRECISION), 32);
  tessera_lattice_destroy(l);
}

static void wrong_arguments(void **state) {
  (void)state;
  tessera_lattice *l = lattice_of(3);
  const double good[] = {1, 0.5, 0.25}, zero[] = {1, 0, 1}, negative[] = {1, -1, 1}, nan[] = {1, NAN, 1},
               infinite[] = {1, INFINITY, 1};
  const double none[] = {0, 1, 1};
  const int64_t common[] = {1, 3, 4}, big[] = {1, 3, 1024}, nothing[] = {1, 0, 3};
  const int64_t sevens[] = {1, 7, 3};
  int64_t z[3];
  for (int i = 0; i < 4; ++i) {
    const double *bad[] = {zero, negative, nan, infinite};
    assert_lattice(l, tessera_lattice_set_weights(l, bad[i], 0, NULL), TESSERA_ERR_ARGUMENT, "product[1]");
    if (i > 0) assert_lattice(l, tessera_lattice_set_weights(l, good, 3, bad[i]), TESSERA_ERR_ARGUMENT, "order[1]");
  }
  assert_lattice(l, tessera_lattice_set_weights(l, good, 3, none), TESSERA_ERR_ARGUMENT, "order[0]");
  assert_lattice(l, tessera_lattice_set_weights(l, good, 4, good), TESSERA_ERR_ARGUMENT, "orders");
  assert_lattice(l, tessera_lattice_set_weights(l, good, -1, good), TESSERA_ERR_ARGUMENT, "orders");
  assert_lattice(l, tessera_lattice_set_weights(l, good, 0, good), TESSERA_ERR_ARGUMENT, "orders");
  assert_lattice(l, tessera_lattice_set_weights(l, good, 2, NULL), TESSERA_ERR_ARGUMENT, "order");
  assert_lattice(l, tessera_lattice_set_kernel(l, 4, NULL, 0), TESSERA_ERR_ARGUMENT, "kernel");
  assert_lattice(l, tessera_lattice_set_kernel(l, TESSERA_KERNEL_B2, good, 3), TESSERA_ERR_ARGUMENT, "values");
  assert_lattice(l, tessera_lattice_set_kernel(l, TESSERA_KERNEL_TABLE, NULL, 3), TESSERA_ERR_ARGUMENT, "values");
  assert_lattice(l, tessera_lattice_set_kernel(l, TESSERA_KERNEL_TABLE, good, 1), TESSERA_ERR_ARGUMENT, "count");
  assert_lattice(l, tessera_lattice_set_kernel(l, TESSERA_KERNEL_TABLE, nan, 3), TESSERA_ERR_ARGUMENT, "values[1]");
  assert_lattice(l, tessera_lattice_set_kernel(l, TESSERA_KERNEL_TABLE, good, 3), TESSERA_OK, NULL);
  assert_lattice(l, tessera_lattice_construct(l, 1009), TESSERA_ERR_ARGUMENT, "n/2 + 1");
  assert_lattice(l, tessera_lattice_set_kernel(l, TESSERA_KERNEL_B2, NULL, 0), TESSERA_OK, NULL);

  assert_lattice(l, tessera_lattice_construct(l, 1000), TESSERA_ERR_ARGUMENT, "997");  /* the nearest prime */
  assert_lattice(l, tessera_lattice_construct(l, 1001), TESSERA_ERR_ARGUMENT, "1009"); /* 2*504+1, 504 = 8*9*7 */
  assert_lattice(l, tessera_lattice_construct(l, 2), TESSERA_ERR_ARGUMENT, "n = 2");
  assert_lattice(l, tessera_lattice_construct(l, -7), TESSERA_ERR_ARGUMENT, "n = -7");
  assert_lattice(l, tessera_lattice_construct(l, INT64_MAX), TESSERA_ERR_ARGUMENT, "n = ");
  assert_lattice(l, tessera_lattice_construct(l, INT64_C(1) << 32), TESSERA_ERR_ARGUMENT, "n = ");
  assert_lattice(l, tessera_lattice_set_int(l, TESSERA_LATTICE_LEAST, 64), TESSERA_OK, NULL);
  assert_lattice(l, tessera_lattice_construct(l, 1009), TESSERA_ERR_ARGUMENT, "power of two");
  assert_lattice(l, tessera_lattice_construct(l, 32), TESSERA_ERR_ARGUMENT, "TESSERA_LATTICE_LEAST");
  assert_lattice(l, tessera_lattice_korobov(l, 1009, 2), TESSERA_ERR_ARGUMENT, "power of two");
  assert_lattice(l, tessera_lattice_set_int(l, TESSERA_LATTICE_LEAST, 0), TESSERA_OK, NULL);
  assert_lattice(l, tessera_lattice_set_int(l, TESSERA_LATTICE_MAX_MEMORY, 100000), TESSERA_OK, NULL);
  assert_lattice(l, tessera_lattice_construct(l, 1008001), TESSERA_ERR_MEMORY, "bytes");
  assert_int_equal(lattice_int(l, TESSERA_LATTICE_SIZE), 0);

  assert_lattice(l, tessera_lattice_korobov(l, 1, 1), TESSERA_ERR_ARGUMENT, "n = 1");
  assert_lattice(l, tessera_lattice_korobov(l, 1024, 6), TESSERA_ERR_ARGUMENT, "common divisor");
  assert_lattice(l, tessera_lattice_korobov(l, 1009, 0), TESSERA_ERR_ARGUMENT, "a = 0");
  assert_lattice(l, tessera_lattice_korobov(l, 1009, 1009), TESSERA_ERR_ARGUMENT, "a = 1009");
  assert_lattice(l, tessera_lattice_vector(l, 1024, NULL), TESSERA_ERR_ARGUMENT, "z is NULL");
  assert_lattice(l, tessera_lattice_vector(l, 1024, common), TESSERA_ERR_ARGUMENT, "z[2]");
  assert_lattice(l, tessera_lattice_vector(l, 1024, big), TESSERA_ERR_ARGUMENT, "z[2]");
  assert_lattice(l, tessera_lattice_vector(l, 1024, nothing), TESSERA_ERR_ARGUMENT, "z[1]");
  assert_lattice(l, tessera_lattice_vector(l, 0, sevens), TESSERA_ERR_ARGUMENT, "n = 0");
  assert_lattice(l, tessera_lattice_get_vector(l, z), TESSERA_ERR_ARGUMENT, "no vector");
  assert_lattice(l, tessera_lattice_save(l, "/tmp/x"), TESSERA_ERR_ARGUMENT, "no vector");
  assert_lattice(l, tessera_lattice_vector(l, 1024, sevens), TESSERA_OK, NULL);
  assert_lattice(l, tessera_lattice_get_vector(l, NULL), TESSERA_ERR_ARGUMENT, "z is NULL");
  assert_lattice(l, tessera_lattice_get_vector(l, z), TESSERA_OK, NULL);
  assert_memory_equal(z, sevens, sizeof z);
  assert_int_equal(lattice_int(l, TESSERA_LATTICE_ORIGIN), TESSERA_ORIGIN_GIVEN);
  tessera_lattice_destroy(l);
}

static void too_large_weights(void **state) {
  (void)state;
  tessera_lattice *l = lattice_of(300);
  double product[300];
  for (int j = 0; j < 300; ++j) product[j] = 1e10;
  assert_lattice(l, tessera_lattice_set_weights(l, product, 0, NULL), TESSERA_OK, NULL);
  const int status = tessera_lattice_construct(l, 1009);
  if (status == TESSERA_ERR_NOT_BUILT) skip();
  assert_lattice(l, status, TESSERA_ERR_ARGUMENT, "overflows");
  tessera_lattice_destroy(l);
}

static void korobov(void **state) {
  (void)state;
  tessera_lattice *l = lattice_of(5);
  int64_t z[5];
  assert_lattice(l, tessera_lattice_korobov(l, 1009, 500), TESSERA_OK, NULL);
  assert_lattice(l, tessera_lattice_get_vector(l, z), TESSERA_OK, NULL);
  int64_t power = 1;
  for (int j = 0; j < 5; ++j, power = power * 500 % 1009) assert_int_equal(z[j], power);
  assert_int_equal(lattice_int(l, TESSERA_LATTICE_ORIGIN), TESSERA_ORIGIN_KOROBOV);
  tessera_lattice_destroy(l);
}

static void primes(void **state) {
  (void)state;
  int64_t p;
  const int64_t cases[][3] = {/* n, largest factor, prime */
                              {3, 0, 3},
                              {4, 0, 3},
                              {1000, 0, 997},
                              {1000, 7, 1009},
                              {1008000, 7, 1008001},
                              {4001, 5, 4001},
                              {4294967295, 5, 4218750001}, /* far away */
                              {3000000000, 7, 3010560001},
                              {4294967295, 61, 4294947329},
                              {4294967295, 0, 4294967291}};
  const clock_t start = clock();
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    assert_int_equal(tessera_lattice_prime(cases[i][0], cases[i][1], &p), TESSERA_OK);
    assert_int_equal(p, cases[i][2]);
  }
  if (!sanitized) assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 0.5);
  assert_int_equal(tessera_lattice_prime(2, 0, &p), TESSERA_ERR_ARGUMENT);
  assert_int_equal(tessera_lattice_prime(INT64_C(1) << 32, 0, &p), TESSERA_ERR_ARGUMENT);
  assert_int_equal(tessera_lattice_prime(1000, 2, &p), TESSERA_ERR_ARGUMENT);
}

struct steps {
  int64_t last, all, stop_at;
  int again; /* status of a call from the callback */
  tessera_lattice *l;
};
static int watch(int64_t done, int64_t all, void *userdata) {
  struct steps *s = userdata;
  if (done != s->last + 1) s->last = -1000000;
  s->last = done;
  s->all = all;
  s->again = tessera_lattice_korobov(s->l, 1009, 2);
  return done == s->stop_at;
}

static void progress(void **state) {
  (void)state;
  tessera_lattice *l = lattice_of(6);
  struct steps s = {0, 0, -1, 0, l};
  if (!constructs(l)) skip();
  assert_lattice(l, tessera_lattice_set_progress(l, watch, &s), TESSERA_OK, NULL);
  assert_lattice(l, tessera_lattice_construct(l, 4001), TESSERA_OK, NULL);
  assert_int_equal(s.last, 6);
  assert_int_equal(s.all, 6);
  assert_int_equal(s.again, TESSERA_ERR_BUSY);
  s = (struct steps){0, 0, 4, 0, l};
  assert_lattice(l, tessera_lattice_construct(l, 1009), TESSERA_ERR_CALLBACK, "stopped");
  assert_int_equal(s.last, 4);
  assert_int_equal(lattice_int(l, TESSERA_LATTICE_SIZE), 4001); /* as it was */
  assert_lattice(l, tessera_lattice_set_int(l, TESSERA_LATTICE_LEAST, 256), TESSERA_OK, NULL);
  s = (struct steps){0, 0, -1, 0, l};
  assert_lattice(l, tessera_lattice_construct(l, 1024), TESSERA_OK, NULL);
  assert_int_equal(s.last, 6 * 4); /* three n alone, then all together */
  assert_int_equal(s.all, 6 * 4);
  tessera_lattice_destroy(l);
}

/* e^2 for product weights and B2 from its definition. */
static double merit(int ndim, int64_t n, const int64_t *z, const double *product) {
  const double pi = acos(-1.0);
  double sum = 0;
  for (int64_t k = 0; k < n; ++k) {
    double p = 1;
    for (int j = 0; j < ndim; ++j) {
      const double x = (double)(k * z[j] % n) / (double)n;
      p *= 1 + product[j] * 2 * pi * pi * (x * x - x + 1.0 / 6);
    }
    sum += p - 1;
  }
  return sum / (double)n;
}

static void construction(void **state) {
  (void)state;
  tessera_lattice *l = lattice_of(8);
  double product[8];
  int64_t z[8];
  if (!constructs(l)) skip();
  for (int j = 0; j < 8; ++j) product[j] = 1.0 / ((j + 1) * (j + 1)); /* the default */
  assert_lattice(l, tessera_lattice_get_vector(l, z), TESSERA_OK, NULL);
  assert_int_equal(z[0], 1);
  assert_close(lattice_real(l, TESSERA_LATTICE_MERIT), merit(8, 1009, z, product), 1e-10, 0);
  assert_same_bits(lattice_real(l, TESSERA_LATTICE_RATIO), 1.0);
  assert_true(lattice_real(l, TESSERA_LATTICE_SECONDS) >= lattice_real(l, TESSERA_LATTICE_PLAN_SECONDS));
  assert_int_equal(lattice_int(l, TESSERA_LATTICE_ORIGIN), TESSERA_ORIGIN_CONSTRUCTED);
  assert_true(lattice_int(l, TESSERA_LATTICE_BYTES) > 8 * 1009 * 2 &&
              lattice_int(l, TESSERA_LATTICE_BYTES) < 64 * 1009);

  for (int j = 0; j < 8; ++j) product[j] = 0.5;
  assert_lattice(l, tessera_lattice_set_weights(l, product, 0, NULL), TESSERA_OK, NULL);
  assert_lattice(l, tessera_lattice_set_int(l, TESSERA_LATTICE_LEAST, 128), TESSERA_OK, NULL);
  assert_lattice(l, tessera_lattice_construct(l, 4096), TESSERA_OK, NULL);
  assert_lattice(l, tessera_lattice_get_vector(l, z), TESSERA_OK, NULL);
  assert_close(lattice_real(l, TESSERA_LATTICE_MERIT), merit(8, 4096, z, product), 1e-10, 0);
  const double ratio = lattice_real(l, TESSERA_LATTICE_RATIO);
  assert_true(ratio >= 1 && ratio < 1.6);
  assert_int_equal(lattice_int(l, TESSERA_LATTICE_LEAST), 128);
  tessera_lattice_destroy(l);
}

/* The built-in vector is what its settings say: no component of a few is far from the best for its place. */
static void built_in(void **state) {
  (void)state;
  enum { ndim = 1024 };
  tessera_lattice *l = lattice_of(ndim), *few = lattice_of(3);
  static int64_t z[ndim], first[3];
  assert_lattice(l, tessera_lattice_builtin(l), TESSERA_OK, NULL);
  assert_lattice(few, tessera_lattice_builtin(few), TESSERA_OK, NULL);
  assert_lattice(l, tessera_lattice_get_vector(l, z), TESSERA_OK, NULL);
  assert_lattice(few, tessera_lattice_get_vector(few, first), TESSERA_OK, NULL);
  assert_memory_equal(z, first, sizeof first);
  const int64_t n = lattice_int(l, TESSERA_LATTICE_SIZE), least = lattice_int(l, TESSERA_LATTICE_LEAST);
  assert_int_equal(n, INT64_C(1) << 25);
  assert_int_equal(least, 1024);
  assert_int_equal(lattice_int(l, TESSERA_LATTICE_ORIGIN), TESSERA_ORIGIN_BUILTIN);
  assert_int_equal(z[0], 1);
  for (int j = 0; j < ndim; ++j) {
    assert_true(z[j] % 2 == 1 && z[j] < n);
    for (int i = 0; i < j; ++i) assert_true(z[i] != z[j] && z[i] != n - z[j]);
  }
  if (constructs(few)) {
    double product[16];
    int64_t reduced[16], other[16];
    tessera_lattice *alone = lattice_of(16);
    for (int j = 0; j < 16; ++j) product[j] = 0.2 / (1 + j * j / 400.0);
    assert_lattice(alone, tessera_lattice_set_weights(alone, product, 0, NULL), TESSERA_OK, NULL);
    for (int64_t m = least; m <= 1 << 16; m *= 4) {
      for (int j = 0; j < 16; ++j) reduced[j] = z[j] % m;
      assert_lattice(alone, tessera_lattice_construct(alone, m), TESSERA_OK, NULL);
      assert_lattice(alone, tessera_lattice_get_vector(alone, other), TESSERA_OK, NULL);
      assert_at_most(merit(16, m, reduced, product), 1.5 * merit(16, m, other, product));
    }
    tessera_lattice_destroy(alone);
    tessera_lattice_destroy(few);
  }
  tessera_lattice_destroy(l);
}

/* ---- Files --------------------------------------------------------------------------------------------------------------- */
static char path[64];

static int make_path(void **state) {
  (void)state;
  snprintf(path, sizeof path, "/tmp/tessera_lattice_XXXXXX");
  const int file = mkstemp(path);
  return file < 0 || close(file) != 0;
}
static int remove_path(void **state) {
  (void)state;
  return unlink(path);
}
static void write_text(const char *text) {
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  assert_int_equal(fputs(text, f) < 0, 0);
  assert_int_equal(fclose(f), 0);
}

static void save_and_load(void **state) {
  (void)state;
  tessera_lattice *l = lattice_of(7), *other = lattice_of(1);
  int64_t z[7], y[7];
  const double order[] = {1, 0.5, 0.1};
  if (!constructs(l)) skip();
  assert_lattice(l, tessera_lattice_set_weights(l, NULL, 3, order), TESSERA_OK, NULL);
  assert_lattice(l, tessera_lattice_set_kernel(l, TESSERA_KERNEL_B4, NULL, 0), TESSERA_OK, NULL);
  assert_lattice(l, tessera_lattice_set_int(l, TESSERA_LATTICE_LEAST, 64), TESSERA_OK, NULL);
  assert_lattice(l, tessera_lattice_construct(l, 1024), TESSERA_OK, NULL);
  assert_lattice(l, tessera_lattice_save(l, path), TESSERA_OK, NULL);
  assert_lattice(other, tessera_lattice_load(other, path), TESSERA_OK, NULL);
  assert_int_equal(lattice_int(other, TESSERA_LATTICE_NDIM), 7);
  assert_int_equal(lattice_int(other, TESSERA_LATTICE_SIZE), 1024);
  assert_int_equal(lattice_int(other, TESSERA_LATTICE_LEAST), 64);
  assert_int_equal(lattice_int(other, TESSERA_LATTICE_ORIGIN), TESSERA_ORIGIN_CONSTRUCTED);
  assert_same_bits(lattice_real(other, TESSERA_LATTICE_MERIT), lattice_real(l, TESSERA_LATTICE_MERIT));
  assert_same_bits(lattice_real(other, TESSERA_LATTICE_RATIO), lattice_real(l, TESSERA_LATTICE_RATIO));
  assert_lattice(l, tessera_lattice_get_vector(l, z), TESSERA_OK, NULL);
  assert_lattice(other, tessera_lattice_get_vector(other, y), TESSERA_OK, NULL);
  assert_memory_equal(z, y, sizeof z);
  /* the settings came along: the same construction again */
  assert_lattice(other, tessera_lattice_construct(other, 1024), TESSERA_OK, NULL);
  assert_lattice(other, tessera_lattice_get_vector(other, y), TESSERA_OK, NULL);
  assert_memory_equal(z, y, sizeof z);
  assert_same_bits(lattice_real(other, TESSERA_LATTICE_MERIT), lattice_real(l, TESSERA_LATTICE_MERIT));
  tessera_lattice_destroy(l);
  tessera_lattice_destroy(other);
}

static void written_by_hand(void **state) {
  (void)state;
  tessera_lattice *l = lattice_of(1);
  int64_t z[2];
  write_text("tessera-lattice 1\n# Fibonacci\n\nndim 2\nn 987 # a comment\norigin given\nvector\n1\n610\n\n");
  assert_lattice(l, tessera_lattice_load(l, path), TESSERA_OK, NULL);
  assert_lattice(l, tessera_lattice_get_vector(l, z), TESSERA_OK, NULL);
  assert_int_equal(z[1], 610);
  assert_true(isnan(lattice_real(l, TESSERA_LATTICE_MERIT)));
  tessera_lattice_destroy(l);
}

static void bad_files(void **state) {
  (void)state;
  tessera_lattice *l = lattice_of(2);
  static const char *const texts[][2] = {
      {"", "ends"},
      {"lattice 1\n", "tessera-lattice"},
      {"tessera-lattice 2\n", "version 2"},
      {"tessera-lattice 1\nndim 2\nn 1009\norigin given\nvector\n1\n", "ends"},
      {"tessera-lattice 1\nndim 2\nn 1009\norigin given\nvector\n1\n2\n3\n", "line 8"},
      {"tessera-lattice 1\nndim 2\nn 1009\norigin given\nvector\n1\n1009\n", "1009"},
      {"tessera-lattice 1\nndim 2\nn 1024\norigin given\nvector\n1\n4\n", "common divisor"},
      {"tessera-lattice 1\nndim 2\nn 1009\norigin given\nvector\n1\nx\n", "integer"},
      {"tessera-lattice 1\nndim 0\n", "integer"},
      {"tessera-lattice 1\nndim 2 3\n", "too much"},
      {"tessera-lattice 1\nndim 99999999999999999999\n", "integer"},
      {"tessera-lattice 1\nndim 2\nndim 2\n", "twice"},
      {"tessera-lattice 1\nfoo 2\n", "foo"},
      {"tessera-lattice 1\nndim 2\nn 1009\nvector\n1\n2\n", "origin"},
      {"tessera-lattice 1\nndim 2\nn 1009\norigin elsewhere\n", "elsewhere"},
      {"tessera-lattice 1\nndim 2\nn 1009\nleast 16\norigin given\nvector\n1\n2\n", "power of two"},
      {"tessera-lattice 1\nndim 2\nn 1009\norigin constructed\nvector\n1\n2\n", "product"},
      {"tessera-lattice 1\nndim 2\nn 1009\norigin given\nproduct 1 -2\nvector\n1\n2\n", "-2"},
      {"tessera-lattice 1\nndim 2\nn 1009\norigin given\nmerit abc\nvector\n1\n2\n", "number"},
      {"tessera-lattice 1\nndim 3\nn 101\norigin korobov\nproduct 1 1\nvector\n1\n2\n4\n", "product"},
      {"tessera-lattice 1\nndim 2\nn 1009\norigin given\nproduct 1 0\nvector\n1\n2\n", "product[1]"},
      {"tessera-lattice 1\nndim 2\nn 1009\norigin given\norder 0\nvector\n1\n2\n", "order[0]"},
      {"tessera-lattice 1\nndim 2\nn 1009\norigin given\norder 1 1 1\nvector\n1\n2\n", "order has 3"},
      {"tessera-lattice 1\nndim 2\nn 1009\nprecision 47\n", "neither 32 nor 64"},
      {"tessera-lattice 1\nndim 2\nn 1024\nleast 2\norigin given\nvector\n1\n3\n", "from 4 on"},
  };
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
    write_text(texts[i][0]);
    assert_lattice(l, tessera_lattice_load(l, path), TESSERA_ERR_FILE, texts[i][1]);
    assert_says(tessera_lattice_last_error(l), path);
    assert_int_equal(lattice_int(l, TESSERA_LATTICE_SIZE), 0);
  }
  assert_lattice(l, tessera_lattice_load(l, NULL), TESSERA_ERR_ARGUMENT, "path");
  assert_lattice(l, tessera_lattice_load(l, "/nonexistent/file"), TESSERA_ERR_FILE, "/nonexistent/file");
  assert_lattice(l, tessera_lattice_korobov(l, 1009, 3), TESSERA_OK, NULL);
  assert_lattice(l, tessera_lattice_save(l, NULL), TESSERA_ERR_ARGUMENT, "path");
  assert_lattice(l, tessera_lattice_save(l, "/nonexistent/file"), TESSERA_ERR_FILE, "/nonexistent/file");
  tessera_lattice_destroy(l);
}

static int one(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  (void)ndim, (void)x, (void)ncomp, (void)userdata;
  f[0] = 1;
  return 0;
}

static void for_a_solver(void **state) {
  (void)state;
  tessera_solver *s = solver_of(4, 1);
  tessera_lattice *l = lattice_of(3);
  put_point(s, one, NULL);
  assert_status(s, tessera_set_lattice(s, l), TESSERA_ERR_ARGUMENT);
  assert_says(tessera_last_error(s), "no vector");
  assert_lattice(l, tessera_lattice_korobov(l, 1009, 3), TESSERA_OK, NULL);
  assert_status(s, tessera_set_lattice(s, l), TESSERA_ERR_ARGUMENT);
  assert_says(tessera_last_error(s), "4 variables");
  tessera_lattice_destroy(l);
  l = lattice_of(5);
  assert_lattice(l, tessera_lattice_korobov(l, 1009, 3), TESSERA_OK, NULL);
  assert_status(s, tessera_set_lattice(s, l), TESSERA_OK);
  tessera_lattice_destroy(l); /* the solver has its copy */
  double value, error;
  assert_status(s, tessera_integrate(s, TESSERA_LATTICE, &value, &error), TESSERA_OK);
  assert_int_equal(got_int(s, TESSERA_POINTS_USED), 1009);
  assert_status(s, tessera_set_lattice(s, NULL), TESSERA_OK);
  assert_status(s, tessera_integrate(s, TESSERA_LATTICE, &value, &error), TESSERA_OK);
  assert_int_equal(got_int(s, TESSERA_POINTS_USED), 2048);
  tessera_destroy(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(life_cycle),
      cmocka_unit_test(null_handles),
      cmocka_unit_test(keys),
      cmocka_unit_test(wrong_arguments),
      cmocka_unit_test(too_large_weights),
      cmocka_unit_test(korobov),
      cmocka_unit_test(primes),
      cmocka_unit_test(progress),
      cmocka_unit_test(construction),
      cmocka_unit_test(built_in),
      cmocka_unit_test_setup_teardown(save_and_load, make_path, remove_path),
      cmocka_unit_test_setup_teardown(written_by_hand, make_path, remove_path),
      cmocka_unit_test_setup_teardown(bad_files, make_path, remove_path),
      cmocka_unit_test(for_a_solver),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
