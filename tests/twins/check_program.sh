#!/usr/bin/env bash
# A finished program with a map file: it gives its answers whatever the twin is like, says why the host function was used when it
# is asked, and is silent otherwise.
# SPDX-License-Identifier: BSD-3-Clause
# Usage: check_program.sh PROGRAM LIBRARY MAP TWIN STRIP
set -euo pipefail
program=$1 library=$2 map=$3 twin=$4 strip=$5
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$map" "$work/twins"
cp "$twin" "$work/"
twin=$work/$(basename "$twin")

run() { # program; expects an answer
  LD_PRELOAD=$library ASAN_OPTIONS=verify_asan_link_order=0 "$1" > "$work/out" 2> "$work/err" || {
    cat "$work/out" "$work/err"
    exit 1
  }
  grep -q 'as in closed form' "$work/out"
}
expect() { # words of the one line on stderr
  [ "$(wc -l < "$work/err")" = 1 ] && grep -q "^tessera: ADAPT: the host function is used: .*$1" "$work/err" || {
    echo "expected one line with: $1"
    cat "$work/err"
    exit 1
  }
}

export TESSERA_TWINS=$work/twins XDG_CACHE_HOME=$work
run "$program"
[ ! -s "$work/err" ] || { echo "it was not asked"; cat "$work/err"; exit 1; }
export TESSERA_REPORT=1
run "$program"
if ! grep -q ': the twin runs on the device$' "$work/err"; then # no device
  if cc --version > /dev/null 2>&1; then expect 'its twin agrees with it'; else expect 'compiler'; fi
fi
if cc --version > /dev/null 2>&1; then
  sed 's/2.506628274631000502/2.51/' "$twin" > "$work/other" && mv "$work/other" "$twin"
  sed -i.bak 's/probability = 0.5/probability = 0.5000001/' "$twin"
  run "$program"
  grep -q ': the twin runs on the device$' "$work/err" || expect 'its twin agrees' # to 1e-6, as documented
  sed -i.bak 's/0.5000001/0.50001/' "$twin"
  run "$program"
  expect 'not the same integrand'
  echo 'int positv(int n, const double *z, int k, double *f, void *p) { return g(z[0]); }' > "$twin"
  run "$program"
  expect 'normal_probability_twin.c'
fi
export LD_LIBRARY_PATH=$(dirname "$program") # a program that was built finds its libraries from its own place, which the copy has not
cp "$program" "$work/stripped"
"$strip" "$work/stripped"
run "$work/stripped"
expect 'it has been stripped'
echo 'positv_ c' > "$work/twins"
run "$program"
expect 'twins(1): error: a line has the form'
echo 'other_ c a.c other' > "$work/twins"
run "$program"
expect "the function is 'positv_', which is not in"
rm "$work/twins"
run "$program"
expect 'No such file'
unset TESSERA_TWINS
run "$program"
[ ! -s "$work/err" ] || { echo "nobody spoke of twins"; cat "$work/err"; exit 1; }
