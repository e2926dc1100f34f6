#!/usr/bin/env bash
# The library loads anywhere: it needs nothing of CUDA and no Fortran run-time, and asks for no executable stack.
# SPDX-License-Identifier: BSD-3-Clause
# Usage: check_needed.sh READELF LIBRARY
set -euo pipefail
readelf=$1 library=$2

needed=$("$readelf" -d "$library" | sed -n 's/.*(NEEDED).*\[\(.*\)\].*/\1/p')
echo "needs:" $needed
[ -n "$needed" ] || { echo "no list of needed libraries"; exit 1; }
if grep -E '^lib(cuda|cudart|nvrtc|nvJitLink|cufft|curand|gfortran|tessera)' <<<"$needed"; then
  echo "libtessera may not need these"
  exit 1
fi
soname=$("$readelf" -d "$library" | sed -n 's/.*(SONAME).*\[\(.*\)\].*/\1/p')
echo "soname: $soname"
grep -Eq '^libtessera\.so\.[0-9]+$' <<<"$soname"
"$readelf" -d "$library" | grep -q 'BIND_NOW' || { echo "addresses are looked up late, in tables that can be written"; exit 1; }
"$readelf" -lW "$library" | grep -q 'GNU_RELRO' || { echo "there is no part that becomes read-only"; exit 1; }
if "$readelf" -lW "$library" | grep -E 'GNU_STACK.*RWE'; then
  echo "the stack would be executable"
  exit 1
fi
