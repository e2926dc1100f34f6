/* Problems on which runs have claimed success with a wrong value, or an error estimate far below the true error, on
 * the host with both selections. test_outside_long.c does the same with all numbers of initial regions and more
 * evaluations.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "outside_runs.h"

static const int64_t initial[] = {1, sanitized ? 0 : 256, 0};
static const struct outside_plan plan = {outside_short, -1, NULL, initial, sanitized ? 2 : 12, sanitized ? 10 : 1};

#include "outside_tests.h"

int main(void) { return cmocka_run_group_tests(outside_tests, NULL, NULL); }
