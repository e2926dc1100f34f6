#!/usr/bin/env bash
# Two builds of the same sources in different directories give the same bytes of the libraries.
# SPDX-License-Identifier: BSD-3-Clause
# Usage: reproducible.sh CMAKE CXX SOURCE WORK
set -euo pipefail
cmake=$1 cxx=$2 source=$3 work=$4
libraries="src/libtessera.so bindings/libtessera_dcuhre.so bindings/libtessera_dcuhre_ilp64.so bindings/libtessera_adapt.so bindings/libtessera_cuba.so bindings/libtessera_quadpack.so"
rm -rf "$work"

build() { # directory
  mkdir -p "$1/tessera"
  (cd "$source" && tar -cf - CMakeLists.txt CHANGELOG.md LICENSE fpm.toml include src bindings fortran scripts) | tar -xf - -C "$1/tessera"
  if ! { "$cmake" -S "$1/tessera" -B "$1/build" "-DCMAKE_CXX_COMPILER=$cxx" -DCMAKE_BUILD_TYPE=Release -DTESSERA_TESTS=OFF \
    -DTESSERA_EXAMPLES=OFF -DTESSERA_INSTALL=OFF -DTESSERA_FORTRAN=OFF -DTESSERA_CUDA=OFF &&
    "$cmake" --build "$1/build" --parallel "$(nproc)" --target tessera_dcuhre tessera_dcuhre_ilp64 tessera_adapt tessera_cuba \
      tessera_quadpack; } \
    > "$1/log" 2>&1; then
    tail -40 "$1/log"
    exit 1
  fi
}
build "$work/one"
build "$work/another/and deeper/place"
for library in $libraries; do
  cmp "$work/one/build/$library" "$work/another/and deeper/place/build/$library" || { echo "$library depends on where it is built"; exit 1; }
done
echo "the same bytes: $libraries"
