#!/usr/bin/env bash
# Commands in README.md and docs/*.md that link with the library say where it is found when the program starts (-rpath), and LD_PRELOAD has
# a whole path: the loader looks for a bare name in the system's directories alone.
# SPDX-License-Identifier: BSD-3-Clause
# Usage: check_link_lines.sh SOURCE_DIRECTORY
set -euo pipefail
cd "$1"
awk '
  /^```/ { code = !code; next }
  code && (/ -ltessera/ || /pkg-config .*--libs/) { links++; if ($0 !~ /-rpath/) { print FILENAME ":" FNR ": no -rpath: " $0; bad = 1 } }
  match($0, /LD_PRELOAD=[^ `]+/) {
    preloads++
    if (substr($0, RSTART, RLENGTH) !~ /^LD_PRELOAD=\//) { print FILENAME ":" FNR ": no whole path: " $0; bad = 1 }
  }
  END { print links + 0 " link lines, " preloads + 0 " of LD_PRELOAD"; exit bad || links < 5 || preloads < 4 }
' README.md docs/*.md
