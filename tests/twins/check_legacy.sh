#!/usr/bin/env bash
# A finished program with a drop-in and its twin. On a device the twin runs there and the program finds its answers right;
# elsewhere the twin is compared with the host function, which gives the answers, and the test counts as skipped. A program may have other
# functions, which the map does not name.
# SPDX-License-Identifier: BSD-3-Clause
# Usage: check_legacy.sh PROGRAM LIBRARY MAP
set -euo pipefail
program=$1 library=$2 map=$3
err=$(mktemp)
trap 'rm -f "$err"' EXIT

refuse() {
  echo "$1; it said:"
  cat "$err"
  exit 1
}

LD_PRELOAD=$library ASAN_OPTIONS=verify_asan_link_order=0 TESSERA_REPORT=1 TESSERA_TWINS=$map "$program" 2> "$err" ||
  refuse "the program failed"
cat "$err"
sed -i "/: the host function is used: the function is '.*', which is not in /d" "$err"
# A run that is too short for a device is not wrong.
if grep -v -e ': the twin runs on the device$' -e ': this run took .* s on the device' \
  -e ': a run of at most .* is repeated with the host function$' "$err" > "$err.rest"; then
  mv "$err.rest" "$err"
  [ -s "$err" ] && [ "$(wc -l < "$err")" -le "$(grep -c '^[^#]' "$map")" ] || refuse "not one line for each twin"
  if cc --version > /dev/null 2>&1; then
    ! grep -v 'the host function is used: .*; its twin agrees with it$' "$err" || refuse "a twin is not right"
  else
    ! grep -v 'the host function is used: .*compiler' "$err" || refuse "the host function was not used for want of a compiler"
  fi
  exit 77
fi
rm -f "$err.rest"
grep -q ': the twin runs on the device$' "$err" || refuse "nothing was said of the twin"
LD_PRELOAD=$library ASAN_OPTIONS=verify_asan_link_order=0 TESSERA_REPORT=2 TESSERA_TWINS=$map "$program" 2> "$err" ||
  refuse "the program failed"
grep -qE '^tessera: [A-Za-z]+: ndim .*, evaluations [1-9].*, on the device, (IFAIL|INFORM|fail|IER) ' "$err" ||
  refuse "no line about a run on the device"
