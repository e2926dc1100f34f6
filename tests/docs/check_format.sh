#!/usr/bin/env bash
# Is the text as .clang-format lays it out? By clang-format 14 alone, for other versions lay out some things otherwise: skipped (77)
# where it is missing. The public header is laid out by hand, its comments in columns; examples are as the manual shows them.
# SPDX-License-Identifier: BSD-3-Clause
# Usage: check_format.sh SOURCE_DIRECTORY [--fix]
set -euo pipefail
cd "$1"
for program in clang-format-14 clang-format; do
  if command -v "$program" > /dev/null && "$program" --version | grep -q 'version 14\.'; then
    mapfile -t files < <(find src tests bindings scripts -type f \( -name '*.[ch]' -o -name '*.[ch]pp' -o -name '*.cu' -o -name '*.cuh' \) | LC_ALL=C sort)
    [ "${#files[@]}" -gt 100 ] || { echo "there are ${#files[@]} files only"; exit 1; }
    if [ "${2:-}" = --fix ]; then
      exec "$program" --style=file -i "${files[@]}"
    fi
    if ! "$program" --style=file --dry-run --Werror "${files[@]}" 2> >(grep -E 'error:' | head -20 >&2); then
      echo "tests/docs/check_format.sh . --fix puts it right"
      exit 1
    fi
    echo "${#files[@]} files"
    exit 0
  fi
done
echo "there is no clang-format 14"
exit 77
