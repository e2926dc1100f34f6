#!/usr/bin/env bash
# The table "From C to Fortran" of docs/fortran.md has every function of tessera.h in its first column, and in its second names that
# module tessera has; "the same" means a name that both have.
# SPDX-License-Identifier: BSD-3-Clause
# Usage: check_fortran_forms.sh SOURCE_DIRECTORY
set -euo pipefail
cd "$1"
bad=0
names() { grep -oE 'tessera_[a-z0-9_]+\(' | tr -d '(' | LC_ALL=C sort -u; }
table=$(sed -n '/^## From C to Fortran$/,/^## All procedures$/p' docs/fortran.md | grep '^| `')
public=$(grep -E '^ *public :: ' fortran/tessera.f90 | grep -oE 'tessera_[a-z0-9_]+' | LC_ALL=C sort -u)
functions=$(grep '^TESSERA_API' include/tessera.h | names)
[ "$(wc -l <<< "$functions")" -gt 40 ] || { echo "too few functions were found in tessera.h"; exit 1; }

diff <(echo "$functions") <(awk -F' [|] ' '{ print $1 }' <<< "$table" | names) || { echo "< tessera.h, > first column"; bad=1; }
while IFS= read -r row; do
  second=${row#*' | '}
  used=$(names <<< "$second" || true)
  [[ $second != *"the same"* ]] || used+=" $(names <<< "${row%%' | '*}")"
  for name in $used; do
    grep -qx "$name" <<< "$public" || { echo "module tessera has no $name"; bad=1; }
  done
done <<< "$table"
echo "$(wc -l <<< "$functions") functions"
exit "$bad"
