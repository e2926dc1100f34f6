/* Comparison of real numbers for CMocka, whose own accepts far too much (1.0 equals 1.0 + 1e-8 at a tolerance of 1e-14,
 * NaN equals 1). Here: |actual - expected| <= max(abs, rel*|expected|); a NaN fails, infinities must be equal. A failure
 * prints both values and their distance in units in the last place. Never inside a callback: CMocka fails by longjmp.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESSERA_TESTS_CLOSE_H
#define TESSERA_TESTS_CLOSE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h> /* needs the four above */

#ifdef __cplusplus
extern "C" {
#endif

/* Non-zero if the two are close in the sense above. */
int close_enough(double actual, double expected, double rel, double abs);

/* Number of doubles between the two, UINT64_MAX if one of them is a NaN. */
uint64_t ulp_distance(double a, double b);

/* Behind the macros. */
void assert_close_at(double actual, double expected, double rel, double abs, const char *what, const char *file,
                     int line);
void assert_same_bits_at(double actual, double expected, const char *what, const char *file, int line);
void assert_at_most_at(double actual, double bound, const char *what, const char *file, int line);

#define assert_close(actual, expected, rel, abs) \
  assert_close_at((actual), (expected), (rel), (abs), #actual, __FILE__, __LINE__)

/* Equal bit by bit: what two runs of the same problem have to give. */
#define assert_same_bits(actual, expected) assert_same_bits_at((actual), (expected), #actual, __FILE__, __LINE__)

/* actual <= bound, where a NaN on either side fails. */
#define assert_at_most(actual, bound) assert_at_most_at((actual), (bound), #actual " <= " #bound, __FILE__, __LINE__)

#ifdef __cplusplus
}
#endif

#endif
