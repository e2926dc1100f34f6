#!/usr/bin/env bash
# Relative links in README.md, CHANGELOG.md and docs/*.md lead to files that exist.
# SPDX-License-Identifier: BSD-3-Clause
# Usage: check_links.sh SOURCE_DIRECTORY
set -euo pipefail
cd "$1"
bad=0
links=0
for document in README.md CHANGELOG.md docs/*.md; do
  while IFS= read -r link; do
    links=$((links + 1))
    [ -e "$(dirname "$document")/$link" ] || { echo "$document: there is no $link"; bad=1; }
  done < <(grep -oE '\]\([^)#: ]+[^)]*\)' "$document" | grep -v '://' | sed -E 's/^\]\(//; s/\)$//; s/#.*//')
done
echo "$links links"
exit "$bad"
