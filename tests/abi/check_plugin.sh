#!/usr/bin/env bash
# A plug-in exports one symbol, and needs nothing of CUDA to be opened.
# SPDX-License-Identifier: BSD-3-Clause
# Usage: check_plugin.sh NM READELF PLUGIN SYMBOL
set -euo pipefail
nm=$1 readelf=$2 plugin=$3 symbol=$4

exported=$("$nm" -D --defined-only "$plugin" | awk '$2 != "A" { print $3 }')
echo "exports: $exported"
[ "$exported" = "$symbol" ] || { echo "expected $symbol alone"; exit 1; }
needed=$("$readelf" -d "$plugin" | sed -n 's/.*(NEEDED).*\[\(.*\)\].*/\1/p')
echo "needs:" $needed
[ -n "$needed" ] || { echo "no list of needed libraries"; exit 1; }
if grep -E '^lib(cuda|cudart|nvrtc|nvJitLink|tessera)' <<<"$needed"; then
  echo "the plug-in may not need these"
  exit 1
fi
