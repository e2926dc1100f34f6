#!/usr/bin/env bash
# The manual as a site: MkDocs builds it without a warning, no table is left as text, and all links within lead somewhere. Skipped where there is
# no mkdocs-material: MKDOCS names another mkdocs.
# SPDX-License-Identifier: BSD-3-Clause
# Usage: check_site.sh SOURCE_DIRECTORY [VENV]     (VENV: a directory into which pip installs it first, where it can)
set -euo pipefail
cd "$1"
mkdocs=${MKDOCS:-mkdocs}
if [ $# -gt 1 ]; then
  mkdocs=$2/bin/mkdocs
  [ -x "$mkdocs" ] || { python3 -m venv "$2" && "$2/bin/pip" install --quiet mkdocs-material; } || { echo "pip cannot install it"; exit 77; }
fi
command -v "$mkdocs" > /dev/null || { echo "there is no mkdocs (pip install mkdocs-material)"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if ! PYTHONDONTWRITEBYTECODE=1 "$mkdocs" build --quiet --strict --site-dir "$work/site" > "$work/log" 2>&1; then
  cat "$work/log"
  ! grep -qE "Unrecognised theme name|No module named" "$work/log" || exit 77
  exit 1
fi
bad=0
pages=0
cd "$work/site"
while IFS= read -r page; do
  pages=$((pages + 1))
  ! grep -nE '<p>\| ' "$page" || { echo "$page: a table that is none"; bad=1; }
  while IFS= read -r link; do
    [ -e "$(dirname "$page")/$link" ] || { echo "$page: there is no $link"; bad=1; }
  done < <(grep -oE '(href|src)="[^"#?]+' "$page" | sed -E 's/^[a-z]+="//' | grep -vE '^([a-z]+:|/)' | sort -u)
done < <(find . -name '*.html' ! -name 404.html)
[ "$pages" -ge 25 ] || { echo "$pages pages"; bad=1; }
echo "$pages pages"
exit "$bad"
