#!/usr/bin/env bash
# docs/troubleshooting.md has a row for every status of tessera.h, with its number, under the right heading, and for every code of the drop-ins
# that it has a table of; docs/*.md are all chapters of the site.
# SPDX-License-Identifier: BSD-3-Clause
# Usage: check_troubleshooting.sh SOURCE_DIRECTORY
set -euo pipefail
cd "$1"
page=docs/troubleshooting.md
bad=0
count=0
# Each line behind its heading.
lines=$(awk '/^##+ / { heading = $0 } { print heading "\t" $0 }' "$page")
row() { # heading, first cells
  [[ $lines == *"$1"$'\t'"| $2 "* ]] || { echo "$page: no row of $2 below '$1'"; bad=1; }
}
while read -r name number; do
  count=$((count + 1))
  heading='## Statuses with a value'
  [ "$number" -ge 0 ] || heading='## Statuses without a value'
  row "$heading" "\`$name\` | $number |"
done < <(sed -n '/^enum tessera_status {/,/^};/s/^  \(TESSERA_[A-Z_]*\) = \(-\{0,1\}[0-9]*\).*/\1 \2/p' include/tessera.h)
rows=$(grep -cE '^\| `TESSERA_[A-Z_]+` \| -?[0-9]+ \|' "$page")
[ "$count" -ge 30 ] && [ "$rows" -eq "$count" ] || { echo "$count statuses, $rows rows"; bad=1; }
codes() { # heading, codes
  local heading=$1 code
  shift
  for code in "$@"; do row "$heading" "$code"; done
}
codes '### DCUHRE: IFAIL' {0..12}
codes '### ADAPT: INFORM' 0 1 2
codes '### Cuba: fail' 0 1 -1 -2 -90 -99
codes '### QUADPACK: IER' {0..7}

for file in docs/*.md; do
  grep -qE "(: |- )${file#docs/}\$" mkdocs.yml || { echo "mkdocs.yml: ${file#docs/} is no chapter"; bad=1; }
done
echo "$count statuses"
exit "$bad"
