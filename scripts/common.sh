# What scripts/test and scripts/demo share: the tools that they need. SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash

say() { printf '\n==== %s\n' "$*"; }

# need PACKAGE=CHECK...: installs the Debian packages whose check (a command, or pkg:NAME for pkg-config) fails, if we may.
need() {
  local pair package check missing=()
  for pair in "$@"; do
    package=${pair%%=*} check=${pair#*=}
    case $check in
      pkg:*) command -v pkg-config > /dev/null && pkg-config --exists "${check#pkg:}" || missing+=("$package") ;;
      *) command -v "$check" > /dev/null || missing+=("$package") ;;
    esac
  done
  [ ${#missing[@]} -eq 0 ] && return 0
  if [ "$(id -u)" -eq 0 ] && command -v apt-get > /dev/null; then
    say "Installing ${missing[*]}"
    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"
  else
    echo "Missing: ${missing[*]}. On Debian or Ubuntu:" >&2
    echo "  sudo apt-get install ${missing[*]}" >&2
    exit 1
  fi
}

jobs=$(nproc 2> /dev/null || echo 2)

# sanitizer_options: how programs that are sanitized run.
sanitizer_options() {
  export ASAN_OPTIONS=detect_stack_use_after_return=1 UBSAN_OPTIONS=print_stacktrace=1
  export LSAN_OPTIONS="suppressions=$PWD/tests/support/lsan.supp print_suppressions=0"
}
