#!/usr/bin/env bash
# Relative links in README.md, CHANGELOG.md and docs/*.md lead to files that exist, and to headings that are there.
# SPDX-License-Identifier: BSD-3-Clause
# Usage: check_links.sh SOURCE_DIRECTORY
set -euo pipefail
cd "$1"
bad=0
links=0

# Names of the headings of a file, as the usual renderers make them: lower case, no punctuation, hyphens for blanks.
declare -A headings
headings_of() {
  if [ -z "${headings[$1]:-}" ]; then
    headings[$1]=" $(awk '/^```/ { code = !code } !code && /^#+ / { sub(/^#+ +/, ""); print }' "$1" |
      LC_ALL=C tr 'A-Z' 'a-z' | LC_ALL=C sed 's/[^a-z0-9 _-]//g; s/ /-/g' | tr '\n' ' ') "
  fi
}

for document in README.md CHANGELOG.md docs/*.md; do
  while IFS= read -r link; do
    links=$((links + 1))
    file=${link%%#*}
    anchor=${link#"$file"}
    anchor=${anchor#\#}
    target=$document
    [ -z "$file" ] || target=$(dirname "$document")/$file
    [ -e "$target" ] || { echo "$document: there is no $file"; bad=1; continue; }
    [ -n "$anchor" ] && [[ $target == *.md ]] || continue
    headings_of "$target"
    [[ ${headings[$target]} == *" $anchor "* ]] || { echo "$document: $target has no heading $anchor"; bad=1; }
  done < <(grep -oE '\]\([^): ]+\)' "$document" | sed -E 's/^\]\(//; s/\)$//')
done
echo "$links links"
exit "$bad"
