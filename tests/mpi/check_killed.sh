#!/usr/bin/env bash
# A rank that dies ends the program on all ranks, by MPI's own means, and nobody waits for it for ever.
# SPDX-License-Identifier: BSD-3-Clause
# Usage: check_killed.sh MPIEXEC PROGRAM
set -uo pipefail
output=$(timeout 60 bash "$(dirname "$0")/run.sh" "$1" 3 "$2" 2>&1)
code=$?
echo "$output"
grep -q integrating <<<"$output" || { echo "it has not begun"; exit 1; }
[ "$code" -ne 0 ] || { echo "its end passes for a success"; exit 1; }
[ "$code" -ne 124 ] || { echo "somebody waits for a rank that is dead"; exit 1; }
