#!/usr/bin/env bash
# The library exports exactly the functions that tessera.h declares.
# SPDX-License-Identifier: BSD-3-Clause
# Usage: check_exports.sh NM LIBRARY HEADER
set -euo pipefail
nm=$1 library=$2 header=$3

exported=$("$nm" -D --defined-only "$library" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort)
declared=$(sed -n 's/^TESSERA_API [^(]*[ *]\(tessera_[a-z0-9_]*\)(.*/\1/p' "$header" | sort)

[ -n "$declared" ] || { echo "no declarations found in $header"; exit 1; }
echo "$(wc -l <<<"$declared") functions declared, $(wc -l <<<"$exported") symbols exported"
diff <(echo "$declared") <(echo "$exported") || {
  echo "< declared in tessera.h but not exported, > exported but not declared"
  exit 1
}
