#!/usr/bin/env bash
# The constants and the C interfaces in fortran/tessera.f90 are what scripts/fortran_module.awk makes of tessera.h now.
# SPDX-License-Identifier: BSD-3-Clause
# Usage: check_generated.sh GENERATOR HEADER MODULE
set -euo pipefail
awk -f "$1" "$2" "$3" | diff "$3" - || {
  echo "fortran/tessera.f90 is out of date: run scripts/generate-fortran"
  exit 1
}
functions=$(grep -c '^TESSERA_API ' "$2")
interfaces=$(grep -c "bind(c, name='tessera_" "$3")
echo "$functions functions, $interfaces interfaces"
[ "$functions" -eq "$interfaces" ]
