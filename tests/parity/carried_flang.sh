#!/bin/sh
# Stands in for flang on a machine that has none: gives back what flang made of the same text elsewhere. To be named in $FLANG.
# TESSERA_CARRIED: the folder. TESSERA_CARRIED_FROM: the flang that fills it; where it is not set, nothing is compiled.
# tests/parity/carry_fortran.sh fills the folder. SPDX-License-Identifier: BSD-3-Clause
set -eu
folder=${TESSERA_CARRIED:?}
real=${TESSERA_CARRIED_FROM:-}
if [ "$1" = --version ]; then
  [ -z "$real" ] || "$real" --version > "$folder/version"
  exec cat "$folder/version"
fi
options= to= previous= file=
for word in "$@"; do
  case $previous in
    -o) to=$word ;;
    -module-dir) ;;
    *) case $word in -I* | -o | -module-dir) ;; *) options="$options $word" ;; esac ;;
  esac
  previous=$word
  file=$word
done
options=${options% *} # the last word is the file
name=$({ printf '%s\n' "$options"; cat "$file"; } | sha256sum | cut -c1-40)
if [ -n "$real" ]; then
  "$real" "$@"
  cp "$to" "$folder/$name.ll"
elif [ -f "$folder/$name.ll" ]; then
  cp "$folder/$name.ll" "$to"
else
  echo "error: $file was not compiled for $folder" >&2
  exit 1
fi
