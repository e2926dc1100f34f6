#!/usr/bin/env bash
# src/tables.def names every status and key of tessera.h once, each in the table that its number range calls for.
# SPDX-License-Identifier: BSD-3-Clause
# Usage: check_tables.sh HEADER TABLES
set -euo pipefail
header=$1 tables=$2

numbers() { awk "/^enum tessera_$1 /, /^}/" "$header" | sed -n 's/^ *\(TESSERA_[A-Z0-9_]*\) = \(-\{0,1\}[0-9]*\).*/\1 \2/p'; }
expected=$(
  numbers status | awk '{ print "STATUS", $1 }'
  numbers key | awk '{ kind = $2 < 200 ? "OPTION_INT" : $2 < 300 ? "OPTION_REAL" : $2 < 400 ? "STATISTIC_INT" : "STATISTIC_REAL"
                       print kind, $1 }'
)
found=$(sed -n 's/^\([A-Z]*_\{0,1\}[A-Z]*\)(\(TESSERA_[A-Z0-9_]*\),.*/\1 \2/p' "$tables")
diff <(LC_ALL=C sort <<<"$expected") <(LC_ALL=C sort <<<"$found") || {
  echo "< missing in tables.def, > not (or elsewhere) in tessera.h"
  exit 1
}
echo "$(wc -l <<<"$found") entries"
