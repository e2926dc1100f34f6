#!/usr/bin/env bash
# Code blocks in docs/*.md and README.md that follow a line <!-- file: PATH --> are verbatim parts of that file, so what the
# manual shows is what the tests compile and run.
# SPDX-License-Identifier: BSD-3-Clause
# Usage: check_quotes.sh SOURCE_DIRECTORY
set -euo pipefail
cd "$1"
awk '
  FNR == 1 { path = ""; inside = 0 }
  !inside && match($0, /^<!-- file: [^ ]+ -->$/) { path = substr($0, 12, length($0) - 15); next }
  !inside && /^```/ && path != "" { inside = 1; block = ""; start = FNR; next }
  inside && /^```/ {
    inside = 0
    text = ""
    while ((got = (getline line < path)) > 0) text = text line "\n"
    close(path)
    quotes++
    if (got < 0) { print FILENAME ":" start ": there is no " path; bad = 1 }
    else if (index(text, block) == 0) { print FILENAME ":" start ": not a part of " path; bad = 1 }
    path = ""
    next
  }
  inside { block = block $0 "\n"; next }
  !/^$/ { path = "" }
  END { print quotes + 0 " quotations"; exit bad || quotes == 0 }
' README.md docs/*.md
