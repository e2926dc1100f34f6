#!/usr/bin/env bash
# Runs a program on ranks of this machine, more than it has processors if need be, under whichever MPI there is.
# SPDX-License-Identifier: BSD-3-Clause
# Usage: run.sh MPIEXEC RANKS PROGRAM [arguments...]
set -euo pipefail
mpiexec=$1 ranks=$2
shift 2
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 # containers have no other user
export OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_btl="${OMPI_MCA_btl:-self,vader}"
export UCX_MEM_EVENTS=no # its hooks run before the thread sanitizer knows a thread
# What MPI leaves in modules that it has unloaded cannot be told from other leaks.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"
options=()
case $("$mpiexec" --version 2>&1) in
  *"Open MPI"* | *"OpenRTE"*) options=(--oversubscribe) ;;
esac
# Open MPI, called by its whole path, puts its own libraries in front, among them a real driver beside which a stand-in would not be found.
program=(${LD_LIBRARY_PATH+env LD_LIBRARY_PATH="$LD_LIBRARY_PATH"} "$@")
exec "$mpiexec" "${options[@]}" -n "$ranks" "${program[@]}"
