#!/usr/bin/env bash
# A drop-in exports the original's callable symbols and the settings that its header declares, and nothing else; it needs
# libtessera and the system's libraries alone.
# SPDX-License-Identifier: BSD-3-Clause
# Usage: check_exports.sh NM READELF LIBRARY HEADER SYMBOL...
set -euo pipefail
nm=$1 readelf=$2 library=$3 header=$4
shift 4

exported=$("$nm" -D --defined-only "$library" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | LC_ALL=C sort)
settings=$(grep -o 'tessera_[a-z]*_[a-z0-9_]*(' "$header" | tr -d '(' | LC_ALL=C sort -u)
expected=$({ printf '%s\n' "$@"; echo "$settings"; } | LC_ALL=C sort)
diff <(echo "$expected") <(echo "$exported") || {
  echo "< expected, > exported"
  exit 1
}
needed=$("$readelf" -d "$library" | sed -n 's/.*(NEEDED).*\[\(.*\)\].*/\1/p')
echo "$(wc -l <<<"$exported") symbols; needs:" $needed
grep -q '^libtessera\.so' <<<"$needed"
if grep -E '^lib(cuda|cudart|nvrtc|gfortran)' <<<"$needed"; then
  echo "a drop-in may not need these"
  exit 1
fi
if "$readelf" -lW "$library" | grep -E 'GNU_STACK.*RWE'; then
  echo "the stack would be executable"
  exit 1
fi
