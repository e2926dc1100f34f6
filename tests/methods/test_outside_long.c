/* test_outside.c with all numbers of initial regions, 1e6 to 2e8 evaluations a run, and the classic estimate for
 * comparison.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "outside_runs.h"

static const int64_t initial[] = {1, 2, 16, 256, 1024, 4096, 0};
static const struct outside_plan plan = {outside_long, -1, NULL, initial, 100, 1};

#include "outside_tests.h"

int main(void) { return cmocka_run_group_tests(outside_tests, NULL, NULL); }
