#!/usr/bin/env bash
# Recipes in packaging/ have the library's version, name options that CMakeLists.txt has, and are what their readers can read.
# SPDX-License-Identifier: BSD-3-Clause
# Usage: check_recipes.sh SOURCE VERSION
set -euo pipefail
cd "$1"
version=$2
bad=0
says() { # file version
  [ "$2" = "$version" ] || { echo "$1: version '$2', not $version"; bad=1; }
}
says debian/changelog "$(sed -n '1s/^tessera (\(.*\)-[^-]*) .*/\1/p' packaging/debian/changelog)"
says conda/recipe.yaml "$(sed -n 's/^  version: "\(.*\)"$/\1/p' packaging/conda/recipe.yaml)"
says vcpkg.json "$(sed -n 's/^  "version": "\(.*\)",$/\1/p' packaging/vcpkg/vcpkg.json)"
options=0
while IFS=: read -r file option; do
  options=$((options + 1))
  grep -qE "^(option|set)\($option " CMakeLists.txt || { echo "$file: CMakeLists.txt has no $option"; bad=1; }
done < <(grep -rohE 'TESSERA_(TESTS|[A-Z0-9]+)\b' packaging --include=rules --include=recipe.yaml --include=package.py --include=portfile.cmake \
  --include=Containerfile | sort -u | sed 's/^/packaging:/')
[ "$options" -ge 7 ] || { echo "$options options"; bad=1; }
# The ABI number is part of the packages' names.
soversion=$(sed -n 's/^set(TESSERA_SOVERSION \([0-9]*\))$/\1/p' CMakeLists.txt)
for package in libtessera libtessera-cuda libtessera-mpi; do
  grep -q "^Package: $package$soversion$" packaging/debian/control || { echo "debian/control: no $package$soversion"; bad=1; }
done
if command -v python3 > /dev/null; then
  python3 -c 'import ast, json; json.load(open("packaging/vcpkg/vcpkg.json")); ast.parse(open("packaging/spack/tessera/package.py").read())'
fi
echo "$options options"
exit "$bad"
