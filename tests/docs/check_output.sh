#!/usr/bin/env bash
# What README.md says that a program prints is what it prints: the lines of its output stand, in their order, in a code block that
# follows a line <!-- output: PROGRAM ... -->. Numbers may differ by 1e-4 and errors by a factor of 2, as the rounding of another
# machine makes them do; times are not compared.
# SPDX-License-Identifier: BSD-3-Clause
# Usage: check_output.sh FILE.md PROGRAM_NAME COMMAND...
set -euo pipefail
file=$1 name=$2
shift 2
output=$("$@") || exit $? # 77: skipped
printf '%s\n' "$output"
printf '%s\n' "$output" | awk -v name="$name" '
  FILENAME != "-" { # the document
    if (match($0, /^<!-- output: .* -->$/)) { if (index($0 " ", " " name " ")) wanted = 1; next }
    if (!inside && /^```/ && wanted) { inside = 1; blocks++; next }
    if (inside && /^```/) { inside = wanted = 0; next }
    if (inside) shown[++lines] = $0
    next
  }
  function number(s) { return s ~ /^[-+]?[0-9]+(\.[0-9]*)?([eE][-+]?[0-9]+)?$/ }
  # A relative difference of the values and counts, a factor of two between the errors.
  function alike(a, b, is_error,  d) {
    if (a == b) return 1
    if (!number(a) || !number(b)) return 0
    if (is_error) return a <= 2 * b && b <= 2 * a
    d = a - b
    if (d < 0) d = -d
    return d <= 1e-4 * (b < 0 ? -b : b)
  }
  function same(text, line,  n, m, i, a, b, error) {
    if (text == line) return 1
    n = split(text, a)
    m = split(line, b)
    if (n != m) return 0
    if (a[1] == "seconds") return b[1] == "seconds"
    for (i = 1; i <= n; i++) {
      error = text ~ /error/ || (table && i > n - 3 && i < n)
      if (!alike(a[i], b[i], error)) return 0
    }
    return 1
  }
  {
    if (/error estimate +true error/) table = 1
    for (++at; at <= lines && !same($0, shown[at]); ++at) { }
    if (at > lines) { print "not shown (or not in this place): " $0; bad = 1; exit }
    compared++
  }
  END {
    if (!blocks) { print "no code block is marked as the output of " name; exit 1 }
    if (!compared) { print name " printed nothing"; exit 1 }
    exit bad
  }
' "$file" -
