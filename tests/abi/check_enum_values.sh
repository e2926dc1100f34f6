#!/usr/bin/env bash
# No number of the golden file, which holds the enumerators of the last release, is changed or removed in tessera.h; every
# enumerator has a number written out, and no two of an enum have the same. New ones are free until they are released: then
# --release writes them into the golden file too.
# SPDX-License-Identifier: BSD-3-Clause
# Usage: check_enum_values.sh HEADER GOLDEN [--release]
set -euo pipefail
header=$1 golden=$2

found=$(sed -n 's/^ *\(TESSERA_[A-Z0-9_]*\) = \(-\{0,1\}[0-9]*\).*/\1=\2/p' "$header" | LC_ALL=C sort)
entries=$(awk '/^enum /, /^}/' "$header" | grep -c '^ *TESSERA_')
[ "$(wc -l <<<"$found")" -eq "$entries" ] || { echo "an enumerator has no number written out"; exit 1; }

lost=$(LC_ALL=C comm -23 <(grep -v '^#' "$golden" | LC_ALL=C sort) <(echo "$found"))
[ -z "$lost" ] || { echo "released, but changed or removed in tessera.h:"; echo "$lost"; exit 1; }

twice=$(awk '/^enum / { name = $2 }
  name && /^ *TESSERA_/ { number = $3; sub(/,.*/, "", number); if (used[name, number]++) print name, number }
  /^}/ { name = "" }' "$header")
[ -z "$twice" ] || { echo "numbers given twice:"; echo "$twice"; exit 1; }

if [ "${3:-}" = --release ]; then
  head=$(grep '^#' "$golden")
  printf '%s\n' "$head" "$found" > "$golden"
fi
released=$(grep -vc '^#' "$golden")
echo "$released enumerators as released, $((entries - released)) new ones"
