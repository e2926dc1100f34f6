#!/usr/bin/env bash
# TESSERA_REPORT=2: a line for each drop-in that is loaded and one for each call, with routine, size, evaluations, seconds, where, status
# and why. =1: only what the routines' own codes have no word for. Unset or 0: nothing.
# SPDX-License-Identifier: BSD-3-Clause
# Usage: check_report.sh PROGRAM
set -euo pipefail
program=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

run() { # level
  TESSERA_REPORT=$1 "$program" > "$work/out$1" 2> "$work/err$1" || { echo "the program failed"; cat "$work/err$1"; exit 1; }
}
for level in "" 0 1 2; do run "$level"; done
for level in 0 1 2; do diff "$work/out" "$work/out$level"; done # no code depends on it
[ "$(cat "$work/out")" = "0 1 11 3 0 1 2 0 -1 -2 0 -90 0 6 6 0 positive" ] || { echo "other codes:"; cat "$work/out"; exit 1; }
[ ! -s "$work/err" ] && [ ! -s "$work/err0" ] || { echo "nobody asked"; cat "$work/err" "$work/err0"; exit 1; }

diff - "$work/err1" << 'END'
tessera: Vegas: nstart is not positive
tessera: DQAGS: LIMIT, LENIW, LENW or MAXP1 is too small
tessera: DQAGS: EPSABS <= 0 and EPSREL < 50 rounding errors, or NaN
tessera: DCUHRE: component 1 of the integrand is nan at x = (0.5, 0.5)
tessera: DQAGS: the integrand or an integral of it is not finite
tessera: Cuhre: the integrand returned -999 before there was a value
tessera: DCUHRE: the integrand returned 1 before there was a value
END

grep ' is loaded, ' "$work/err2" > "$work/loaded"
[ "$(wc -l < "$work/loaded")" = 4 ] || { echo "four drop-ins, and not four lines:"; cat "$work/loaded"; exit 1; }
for name in dcuhre adapt cuba quadpack; do
  grep -qE "^tessera: /.*/libtessera_$name\.so(\.[0-9]+)? is loaded, with libtessera [0-9]+\.[0-9]+\.[0-9]+$" "$work/loaded" || {
    echo "nothing was said of libtessera_$name"
    exit 1
  }
done

# Counts that follow from the rule alone are compared, and that the others are more than none.
limit='TESSERA_LIMIT_EVALUATIONS: the limit of evaluations was reached before the tolerance was met'
grep ': ndim ' "$work/err2" | sed -E 's/seconds [0-9][0-9.e+-]*,/seconds ...,/; s/fail [1-9][0-9]+:/fail ...:/
  s/^(tessera: (ADAPT|Vegas|Divonne): .*evaluations) [1-9][0-9]*,/\1 ...,/' > "$work/calls"
diff - "$work/calls" << END
tessera: DCUHRE: ndim 2, ncomp 1, evaluations 195, seconds ..., on the host, IFAIL 0
tessera: DCUHRE: ndim 2, ncomp 1, evaluations 325, seconds ..., on the host, IFAIL 1: $limit
tessera: DCUHRE: ndim 2, ncomp 1, evaluations 0, seconds ..., not run, IFAIL 11: NW = 9, at least 42 are needed with MAXPTS = 400
tessera: DCUHRE: ndim 16, ncomp 1, evaluations 0, seconds ..., not run, IFAIL 3: NDIM = 16, 2 to 15 are possible
tessera: ADAPT: ndim 2, ncomp 1, evaluations ..., seconds ..., on the host, INFORM 0
tessera: ADAPT: ndim 2, ncomp 1, evaluations ..., seconds ..., on the host, INFORM 1: MAXCLS = 100 do not suffice
tessera: ADAPT: ndim 2, ncomp 1, evaluations 0, seconds ..., not run, INFORM 2: LENWRK = 58, at least 59 are needed
tessera: Cuhre: ndim 2, ncomp 1, evaluations 195, seconds ..., on the host, fail 0
tessera: Cuhre: ndim 1, ncomp 1, evaluations 0, seconds ..., not run, fail -1: ndim = 1, 2 to 25 are possible
tessera: Cuhre: ndim 2, ncomp 0, evaluations 0, seconds ..., not run, fail -2: ncomp = 0, 1 to 1024 are possible
tessera: Vegas: ndim 2, ncomp 1, evaluations ..., seconds ..., on the host, fail 0
tessera: Vegas: ndim 2, ncomp 1, evaluations 0, seconds ..., not run, fail -90: nstart is not positive
tessera: DQAGS: ndim 1, ncomp 1, evaluations 21, seconds ..., on the host, IER 0
tessera: DQAGS: ndim 1, ncomp 1, evaluations 0, seconds ..., not run, IER 6: LIMIT, LENIW, LENW or MAXP1 is too small
tessera: DQAGS: ndim 1, ncomp 1, evaluations 0, seconds ..., not run, IER 6: EPSABS <= 0 and EPSREL < 50 rounding errors, or NaN
tessera: QNG: ndim 1, ncomp 1, evaluations 21, seconds ..., on the host, IER 0
tessera: Divonne: ndim 2, ncomp 1, evaluations ..., seconds ..., on the host, fail ...: $limit
tessera: DCUHRE: ndim 2, ncomp 1, evaluations 65, seconds ..., on the host, IFAIL 1: TESSERA_NONFINITE: the integrand returned NaN or infinity
tessera: DQAGS: ndim 1, ncomp 1, evaluations 21, seconds ..., on the host, IER 3: the integrand or an integral of it is not finite
tessera: Cuhre: ndim 2, ncomp 1, evaluations 0, seconds ..., on the host, fail -99: the integrand returned -999
tessera: DCUHRE: ndim 2, ncomp 1, seconds ..., left by an exception
END
