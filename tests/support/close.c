/* SPDX-License-Identifier: BSD-3-Clause */
#include "close.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* The doubles in their order as integers. */
static uint64_t rank(double x) {
  const uint64_t sign = UINT64_C(1) << 63;
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits & sign ? sign - (bits & ~sign) : sign + bits;
}

uint64_t ulp_distance(double a, double b) {
  if (isnan(a) || isnan(b)) return UINT64_MAX;
  const uint64_t p = rank(a), q = rank(b);
  return p > q ? p - q : q - p;
}

int close_enough(double actual, double expected, double rel, double abs) {
  if (isnan(actual) || isnan(expected) || isnan(rel) || isnan(abs)) return 0;
  if (isinf(actual) || isinf(expected)) return actual == expected;
  return fabs(actual - expected) <= fmax(abs, rel * fabs(expected));
}

void assert_close_at(double actual, double expected, double rel, double abs, const char *what, const char *file,
                     int line) {
  if (close_enough(actual, expected, rel, abs)) return;
  const double difference = fabs(actual - expected);
  print_error("%s\n  is       %.17g (%a)\n  expected %.17g (%a)\n  difference %.3g, relative %.3g, ulps %" PRIu64
              "; allowed: relative %.3g, absolute %.3g\n",
              what, actual, actual, expected, expected, difference, difference / fabs(expected),
              ulp_distance(actual, expected), rel, abs);
  _fail(file, line);
}

void assert_same_bits_at(double actual, double expected, const char *what, const char *file, int line) {
  if (memcmp(&actual, &expected, sizeof actual) == 0) return;
  print_error("%s\n  is       %.17g (%a)\n  expected %.17g (%a) bit by bit, ulps %" PRIu64 "\n", what, actual, actual,
              expected, expected, ulp_distance(actual, expected));
  _fail(file, line);
}

void assert_at_most_at(double actual, double bound, const char *what, const char *file, int line) {
  if (actual <= bound) return;
  print_error("%s does not hold:\n  %.17g (%a)\n  %.17g (%a)\n", what, actual, actual, bound, bound);
  _fail(file, line);
}
