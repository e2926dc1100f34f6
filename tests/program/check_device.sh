#!/usr/bin/env bash
# The program on a device: known integrals by every method, an expression, and what it says of the device. Skipped where there is none.
# SPDX-License-Identifier: BSD-3-Clause
# Usage: check_device.sh PROGRAM
set -euo pipefail
program=$1
said=$("$program" info --quick)
grep -q '^device 0 ' <<< "$said" || {
  echo "there is no device"
  [ -z "${TESSERA_TEST_REQUIRE_DEVICE:-}" ] || exit 1
  exit 77
}
"$program" selftest --device 0
"$program" integrate 'exp(-x*y) * (x < 1.5 ? 1 : 0.5)' --limits 1:2,0:inf --method cubature --device 0 --rtol 1e-6 | tee /dev/stderr |
  grep -q '^device       0$'
said=$("$program" info)
echo "$said"
for row in 'to compile a text +[0-9.]+ s$' 'rate +[1-9].* operations in double precision a second, measured$'; do
  grep -qE "^  $row" <<< "$said" || { echo "info: no row '$row'"; exit 1; }
done
