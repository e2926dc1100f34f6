#!/usr/bin/env bash
# A compiler launcher for package_add_subdirectory: an object that the build around the test has made by the same command is copied. The same
# but for optimisation, warnings, debug information and precompiled headers, for which the library does not ask as a part of another project:
# definitions, directories of headers, standard and the options of single files must be those of the build, or the file is compiled.
# SPDX-License-Identifier: BSD-3-Clause
# Usage: reuse.sh --table BUILD            prints what BUILD compiles, by its compile_commands.json
#        reuse.sh TABLE COMPILER ARGUMENTS...
set -euo pipefail

essence='function essence(line, words, n, i, w, out) { # sets source and object
  n = split(line, words, " ")
  out = words[1]
  for (i = 2; i <= n; i++) {
    w = words[i]
    if (w == "-o") object = words[++i]
    else if (w == "-c") source = words[++i]
    else if (w == "-MT" || w == "-MF" || w == "-include") i++
    else if (w !~ /^-(O.?|g[0-9]?|W.*|MD|DNDEBUG|U_FORTIFY_SOURCE|D_FORTIFY_SOURCE=2)$/) out = out " " w
  }
  return out " -c " source
}'

if [ "$1" = --table ]; then
  [ -f "$2/compile_commands.json" ] || exit 0
  awk "$essence"'
    function value(line) { sub(/^ *"[a-z]+": "/, "", line); sub(/",?$/, "", line); return line }
    /^ *"directory": / { directory = value($0) }
    /^ *"command": / { key = essence(value($0)); print key "\t" (object ~ /^\// ? "" : directory "/") object }' "$2/compile_commands.json"
  exit 0
fi

table=$1
shift
made=$(awk -F '\t' -v line="$*" "$essence"' BEGIN { key = essence(line) } $1 == key { print $2; exit }' "$table")
object= source=
for ((i = 1; i < $#; i++)); do
  next=$((i + 1))
  case ${!i} in
    -o) object=${!next} ;;
    -c) source=${!next} ;;
    -MF) : > "${!next}" ;;
  esac
done
if [ -n "$made" ] && [ -n "$object" ] && [ "$made" -nt "$source" ]; then
  cp "$made" "$object"
  echo "reused $object"
else
  exec "$@"
fi
