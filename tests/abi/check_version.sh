#!/usr/bin/env bash
# The version stands in include/tessera.h; the files that must repeat it for other tools agree.
# SPDX-License-Identifier: BSD-3-Clause
# Usage: check_version.sh SOURCE_DIRECTORY VERSION
set -euo pipefail
cd "$1"
version=$2
part() { sed -n "s/^#define TESSERA_VERSION_$1 \([0-9]*\)$/\1/p" include/tessera.h; }

check() { # file version
  echo "$1: $2"
  [ "$2" = "$version" ] || { echo "expected $version"; exit 1; }
}
check include/tessera.h "$(part MAJOR).$(part MINOR).$(part PATCH)"
fortran_part() { sed -n "s/.*parameter, public :: TESSERA_VERSION_$1 = \([0-9]*\)$/\1/p" fortran/tessera.f90; }
check fortran/tessera.f90 "$(fortran_part MAJOR).$(fortran_part MINOR).$(fortran_part PATCH)"
check fpm.toml "$(sed -n 's/^version = "\(.*\)"$/\1/p' fpm.toml)"
check CITATION.cff "$(sed -n 's/^version: \(.*\)$/\1/p' CITATION.cff)"
