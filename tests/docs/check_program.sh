#!/usr/bin/env bash
# What docs/program.md shows is what the program does: each command in a block ```console is run and ends with the status that a line
# <!-- status: N --> before it names; its output has the same rows, with the same words and values. Times, errors, paths and what differs from
# machine to machine are not compared. The manual page and the completions name all options of --help.
# SPDX-License-Identifier: BSD-3-Clause
# Usage: check_program.sh SOURCE_DIRECTORY PROGRAM
set -euo pipefail
source=$1 program=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_CACHE_HOME=$work
mkdir "$work/bin" "$work/blocks"
ln -s "$program" "$work/bin/tessera"
export PATH=$work/bin:$PATH
bad=0

# What of the output is the same on every machine.
comparable() { # command
  case $1 in
    'tessera info'*) sed -E 's/^(.{22}).*/\1/' | grep -vE '^(device|  |NVRTC|nvJitLink|libNVVM|cuFFT|cuRAND|flang)' ;;
    'tessera selftest'*) sed -E 's/^(good|skipped) +//; s/^(.{42}).*/\1/; s/[0-9]+ (good|skipped)/N \1/g; s/ +$//' | grep -v '^device' ;;
    *)
      sed -E '/^(error|seconds)/s/ .*//; /^reason/s/[0-9.e+-]+/N/g; /^(evaluations|plot)/s/[0-9]+ ?/N/g; s/^(value +[-0-9.]{8}).*/\1/'
      ;;
  esac
}

awk -v at="$work/blocks/" '
  /^<!-- status: [0-9]+ -->$/ { status = $3; next }
  !inside && /^```console$/ { inside = 1; file = at (++n); next }
  inside && /^```$/ { inside = 0; close(file); next }
  inside && /^\$ / { print substr($0, 3) > (file ".command"); print status > (file ".status"); next }
  inside { print > (file ".output") }
' "$source/docs/program.md"
commands=0
for file in "$work"/blocks/*.command; do
  commands=$((commands + 1))
  block=${file%.command}
  status=0
  (cd "$work" && bash "$file") > "$block.got" 2>&1 || status=$?
  cat "$block.got"
  [ "$status" -eq "$(cat "$block.status")" ] || { echo "$(cat "$file"): status $status"; bad=1; }
  comparable "$(cat "$file")" < "$block.output" > "$block.expected.txt"
  comparable "$(cat "$file")" < "$block.got" > "$block.got.txt"
  [ -s "$block.expected.txt" ] && diff "$block.expected.txt" "$block.got.txt" || { echo "$(cat "$file"): not as docs/program.md shows it"; bad=1; }
done
[ "$commands" -eq 6 ] || { echo "$commands commands"; bad=1; }

# A full disk is no success.
if [ -e /dev/full ]; then
  status=0
  "$program" --help > /dev/full 2> "$work/said" || status=$?
  [ "$status" -eq 3 ] && grep -q 'cannot be written' "$work/said" || { echo "/dev/full: status $status"; bad=1; }
fi

options=0
for command in info selftest integrate cache; do
  for option in $("$program" "$command" --help | sed -n 's/^  \(--[a-z-]*\).*/\1/p'); do
    options=$((options + 1))
    grep -qF -- "${option//-/\\-}" "$source/src/program/tessera.1" || { echo "tessera.1: nothing of $option"; bad=1; }
    grep -q -- "$option" "$source/src/program/completion/tessera.bash" || { echo "tessera.bash: nothing of $option"; bad=1; }
    grep -q -- "$option" "$source/src/program/completion/_tessera" || { echo "_tessera: nothing of $option"; bad=1; }
    grep -q -- "-l ${option#--}" "$source/src/program/completion/tessera.fish" || { echo "tessera.fish: nothing of $option"; bad=1; }
  done
done
[ "$options" -ge 19 ] || { echo "$options options"; bad=1; }

# Completion as bash makes it.
words=$(bash -c '. "$1"; COMP_WORDS=(tessera integrate --method "l"); COMP_CWORD=3; _tessera; echo "${COMPREPLY[@]}"' _ "$source/src/program/completion/tessera.bash")
[ "$words" = lattice ] || { echo "completion of --method l: '$words'"; bad=1; }
if command -v mandoc > /dev/null; then
  mandoc -T lint -W warning "$source/src/program/tessera.1" || bad=1
fi
echo "$commands commands, $options options"
exit "$bad"
