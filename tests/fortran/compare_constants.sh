#!/bin/sh
# The named constants of module tessera are those of the header: the same names, the same numbers, none missing on either
# side. Usage: compare_constants.sh [HEADER MODULE]
# SPDX-License-Identifier: BSD-3-Clause
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
header=${1:-$root/include/tessera.h}
module=${2:-$root/fortran/tessera.f90}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# "NAME number" for every enumerator and for the version macros. An enumerator without a number gives "NAME ?".
awk '
  /^#define TESSERA_VERSION_[A-Z]+ / { print $2, $3 }
  /^enum / { inside = 1; next }
  /^}/ { inside = 0 }
  inside && match($0, /^ *TESSERA_[A-Z0-9_]+/) {
    line = $0
    sub(/^ */, "", line)
    name = line
    sub(/[^A-Z0-9_].*/, "", name)
    if (sub(/^[A-Z0-9_]+ *= */, "", line) && match(line, /^-?[0-9]+/)) print name, substr(line, 1, RLENGTH)
    else print name, "?"
  }' "$header" | sort > "$work/header"

awk '
  match($0, /^ *integer\(c_int\), parameter, public :: TESSERA_[A-Z0-9_]+ = -?[0-9]+ *$/) {
    sub(/.*:: /, "")
    print $1, $3
    next
  }
  /parameter.*:: *TESSERA_/ { print $0, "?" }' "$module" | sort > "$work/module"

# Nothing found would compare equal to nothing found.
count=$(wc -l < "$work/header" | tr -d ' ')
if [ "$count" -lt 70 ]; then
  echo "only $count constants found in $header"
  exit 1
fi
if ! diff "$work/header" "$work/module" > "$work/difference"; then
  echo "< only in $header, > only in $module"
  cat "$work/difference"
  exit 1
fi
echo "$count constants agree"
