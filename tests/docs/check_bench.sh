#!/usr/bin/env bash
# The tables of docs/benchmarks.md are those of docs/bench now; no row of a file there has more fields than its header (a comma in a name once
# left panels of a drawing empty); and every case that a drawing names is in a file that it reads.
# SPDX-License-Identifier: BSD-3-Clause
# Usage: check_bench.sh SOURCE_DIRECTORY
set -euo pipefail
cd "$1"
scripts/bench-tables --check
bad=0
for file in docs/bench/*.csv; do
  case $file in */golden-*) continue ;; esac # the numbers of all components stand in the last column
  awk -F, -v file="$file" '
    /^#/ { next }
    !fields { fields = NF; next }
    NF > fields || /"/ { print file ":" FNR ": a name with a comma"; bad = 1 }
    END { exit bad }' "$file" || bad=1
done
names=0
for drawing in docs/bench/*.gp; do
  mapfile -t data < <(grep -oE '"[a-z-]+\.csv"' "$drawing" | tr -d '"' | sort -u | sed 's|^|docs/bench/|')
  while IFS= read -r name; do
    [ -n "$name" ] || continue
    names=$((names + 1))
    awk -F, -v name="$name" '$1 == name || $2 == name { found = 1 } END { exit !found }' "${data[@]}" || { echo "$drawing: no rows of $name"; bad=1; }
  done < <(sed -n 's/^cases\{0,1\} = "\(.*\)"$/\1/p' "$drawing" | sed "s/' '/\n/g; s/'//g" | awk '/-D/ { print; next } { gsub(/ /, "\n"); print }')
done
[ "$names" -ge 20 ] || { echo "$names names of cases only"; bad=1; }
echo "$names cases in drawings"
exit "$bad"
