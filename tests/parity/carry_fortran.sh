#!/usr/bin/env bash
# Fills a folder with what flang makes of the texts of the tests that need a device: for a machine that has a device and no flang. There:
#   FLANG=$PWD/tests/parity/carried_flang.sh TESSERA_CARRIED=$PWD/FOLDER ctest -R 'parity_fortran|legacy_.*_fortran', and scripts/demo
# Usage: carry_fortran.sh BUILD_DIRECTORY FOLDER [FLANG]
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
mkdir -p "$2"
folder=$(cd "$2" && pwd)
flang=$(command -v "${3:-flang-22}")
legacy=$here/../../docs/examples/legacy
cat > "$folder/stop.f90" << 'TEXT'
double precision function f(x)
double precision x
if (x > 0.5d0) then
print *, 'too large', x
stop 3
end if
f = x
end function
TEXT
texts=("$folder/stop.f90" f 1 1)
for ndim in 1 2 3 4 5 6; do texts+=("$legacy/normal_probability.f" positv $ndim 1); done
texts+=("$legacy/posterior.f" densty 3 4 "$legacy/equilibrium.f90" surface 2 3 "$legacy/form_factor.f" density 1 1
  "$legacy/form_factor.f" radial 1 1 "$legacy/resonances.f90" decay 4 1 "$legacy/cross_section.f90" pair_production 3 2)
texts+=("$here/../../docs/examples/linear_model.f+$here/../../fortran/tessera.f90" post 10 9)
bench=$here/../bench/fortran
texts+=("$bench/squares.f90" f 5 1 "$bench/peak.f" f 5 1 "$bench/normal.f90" f 6 1 "$bench/wave.f90" f 5 1 "$bench/series.f90" f 3 1)
chmod +x "$here/carried_flang.sh"
FLANG=$here/carried_flang.sh TESSERA_CARRIED=$folder TESSERA_CARRIED_FROM=$flang \
  "$build/tests/jit/jit_fortran" "$build/src/tessera-jitlink" "$here/../jit/fortran" all "${texts[@]}"
FLANG=$here/carried_flang.sh TESSERA_CARRIED=$folder TESSERA_CARRIED_FROM=$flang \
  "$build/tests/jit/jit_fortran_program" "$here/../jit/fortran"
echo "$(find "$folder" -name '*.ll' | wc -l) codes in $folder"
