#!/usr/bin/env bash
# The source archive of a commit has the same bytes each time and everything that a build takes; bills of materials are JSON, name what the
# libraries are linked with, and are the same each time.
# SPDX-License-Identifier: BSD-3-Clause
# Usage: check_source_archive.sh SOURCE BUILD
set -euo pipefail
source=$1 build=$2
git -C "$source" rev-parse --verify -q HEAD > /dev/null 2>&1 || { echo "this is no git checkout"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for n in one two; do
  "$source/scripts/source-archive" "$work/$n" > "$work/said" 2>&1 || { cat "$work/said"; exit 1; }
done
cat "$work/said"
diff -r "$work/one" "$work/two"
(cd "$work/one" && sha256sum --quiet -c ./*.sha256)
[ "$(find "$work/one" -name '*.tar.gz' -o -name '*.cdx.json' -o -name '*.sha256' | wc -l)" -eq 3 ]
tar -tzf "$work"/one/*.tar.gz > "$work/files"
for file in CMakeLists.txt LICENSE include/tessera.h src/tables.def scripts/flatten-engine packaging/README.md; do
  grep -q "^tessera-[0-9.]*/$file$" "$work/files" || { echo "the archive has no $file"; exit 1; }
done
"$source/scripts/sbom" "$build" > "$work/build.cdx.json"
"$source/scripts/sbom" "$build" | cmp - "$work/build.cdx.json"
grep -q '"name": "libstdc++.so.6"' "$work/build.cdx.json" || { echo "the bill of materials has no libstdc++"; exit 1; }
if command -v python3 > /dev/null; then
  for file in "$work"/one/*.cdx.json "$work/build.cdx.json"; do
    python3 -c 'import json, sys
bill = json.load(open(sys.argv[1]))
names = [c["bom-ref"] for c in bill["components"]]
assert bill["bomFormat"] == "CycloneDX" and len(names) == len(set(names)) and len(names) > 8, names' "$file"
  done
fi
echo "$(wc -l < "$work/files") files"
