#!/usr/bin/env bash
# The numbers of the enumerators in tessera.h are those of the golden file: none is changed, removed or forgotten.
# A new enumerator is a new line in the golden file; lines of released versions never change.
# SPDX-License-Identifier: BSD-3-Clause
# Usage: check_enum_values.sh HEADER GOLDEN
set -euo pipefail
header=$1 golden=$2

found=$(sed -n 's/^ *\(TESSERA_[A-Z0-9_]*\) = \(-\{0,1\}[0-9]*\).*/\1=\2/p' "$header" | LC_ALL=C sort)
entries=$(awk '/^enum /, /^}/' "$header" | grep -c '^ *TESSERA_')
[ "$(wc -l <<<"$found")" -eq "$entries" ] || { echo "an enumerator has no number written out"; exit 1; }
diff <(grep -v '^#' "$golden" | LC_ALL=C sort) <(echo "$found") || {
  echo "< only in the golden file, > only in tessera.h"
  exit 1
}
echo "$entries enumerators as in $(basename "$golden")"
