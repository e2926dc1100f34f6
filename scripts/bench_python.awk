# Makes one table of docs/python.md from docs/bench/python-*.csv, which bindings/python/bench/compare.py writes: awk -v table=NAME -f
# scripts/bench_python.awk FILE (scripts/bench-tables). A cell has time and evaluations of a run that claims success; (no) where it claims none.
# SPDX-License-Identifier: BSD-3-Clause
/^#/ {
  machine = compiler = commit = $0
  sub(/.*machine: */, "", machine); sub(/;.*/, "", machine)
  sub(/.*compiler: */, "", compiler); sub(/; commit.*/, "", compiler)
  sub(/.*commit */, "", commit)
  name = FILENAME
  sub(/.*\//, "", name)
  printf "%s; %s; commit %s; [%s](bench/%s).\n\n", machine, compiler, commit, name, name
  next
}
/^integrand/ { next }
{
  key = $1 SUBSEP $2 SUBSEP $3
  if (!(key in seen)) { seen[key] = 1; order[++rows] = key }
  at = key SUBSEP $4 SUBSEP $5
  time[at] = $6 + 0; count[at] = $7; error[at] = $8 + 0; claim[at] = $9
}
function title(names, alignment) { print "| " names " |"; print "|" alignment "|" }
function two(x, unit) { # two digits, without an exponent
  if (x < 100) return sprintf("%.2g", x)
  unit = 10 ^ (int(log(x) / log(10) + 1e-9) - 1)
  return sprintf("%d", int(x / unit + 0.5) * unit)
}
function spoken(seconds) { return seconds >= 0.9995 ? two(seconds) " s" : two(1e3 * seconds) " ms" }
function has(key, package, form) { return (key SUBSEP package SUBSEP form) in time }
function t(key, package, form) { return time[key, package, form] }
function succeeded(key, package, form) { return has(key, package, form) && claim[key, package, form] != "0" }
function cell(key, package, form, part, text) {
  if (!has(key, package, form)) return ""
  split(key, part, SUBSEP)
  text = spoken(t(key, package, form)) ", " count[key, package, form]
  if (claim[key, package, form] == "0") return text " (no)"
  return error[key, package, form] > part[3] ? text " (false)" : text
}
function what(key, part, tolerance) {
  split(key, part, SUBSEP)
  sub(/_/, " ", part[1])
  tolerance = sprintf("%.0e", part[3])
  sub(/e-0/, "e-", tolerance)
  return part[1] ", " part[2] "-D, " tolerance
}
# The least time of ours: that of the method chosen, or of one named.
function ours(key, form, one, least) {
  least = t(key, "tessera", form)
  for (one = 1; one <= 2; one++)
    if (succeeded(key, named[one], form) && t(key, named[one], form) < least) least = t(key, named[one], form)
  return least
}
function scipys(key, one, least, best) { # the faster rule
  best = ""
  for (one = 1; one <= 2; one++)
    if (succeeded(key, rule[one], "numba") && (best == "" || t(key, rule[one], "numba") < least)) { best = rule[one]; least = t(key, best, "numba") }
  return best
}
END {
  split("tessera cubature;tessera vegas", named, ";")
  split("scipy.integrate.cubature gk21;scipy.integrate.cubature genz-malik", rule, ";")
  if (table == "python") title("integrand, tolerance | `'auto'` | `'cubature'` | SciPy | SciPy's time in the faster of ours | cubature (PyPI)", "---|---:|---:|---:|---:|---:")
  if (table == "python-sampling") title("integrand, tolerance | `'auto'` | `'vegas'` | vegas | vegas in `'auto'` | vegas in `'vegas'`", "---|---:|---:|---:|---:|---:")
  if (table == "python-torchquad") title("integrand, tolerance | faster of ours | torchquad's VEGAS | its Gauss–Legendre grid | VEGAS in ours | grid in ours", "---|---:|---:|---:|---:|---:")
  if (table == "python-device") title("integrand, tolerance | text, `'auto'` | text, named | torch function, `'auto'` | torchquad's VEGAS | its grid", "---|---:|---:|---:|---:|---:")
  for (i = 1; i <= rows; i++) {
    key = order[i]
    if (table == "python" && (best = scipys(key)) != "") {
      fast = ours(key, "numba")
      quotient = t(key, best, "numba") / fast
      logs += log(quotient); n++
      for (one = 1; one <= 2; one++) if (succeeded(key, rule[one], "numba")) { rule_logs[one] += log(t(key, rule[one], "numba") / fast); rule_n[one]++ }
      printf "| %s | %s | %s | %s | %s | %s |\n", what(key), cell(key, "tessera", "numba"), cell(key, "tessera cubature", "numba"), cell(key, best, "numba"), two(quotient), cell(key, "cubature (PyPI)", "numba")
    }
    if (table == "python-sampling" && has(key, "vegas", "numba"))
      printf "| %s | %s | %s | %s | %s | %s |\n", what(key), cell(key, "tessera", "numba"), cell(key, "tessera vegas", "numba"), cell(key, "vegas", "numba"), two(t(key, "vegas", "numba") / t(key, "tessera", "numba")), two(t(key, "vegas", "numba") / t(key, "tessera vegas", "numba"))
    if (table == "python-torchquad" && has(key, "torchquad VEGAS", "torch")) {
      fast = ours(key, "numba")
      grid = "torchquad GaussLegendre (size known)"
      printf "| %s | %s | %s | %s | %s | %s |\n", what(key), spoken(fast), cell(key, "torchquad VEGAS", "torch"), cell(key, grid, "torch"), succeeded(key, "torchquad VEGAS", "torch") ? two(t(key, "torchquad VEGAS", "torch") / fast) : "", has(key, grid, "torch") ? two(t(key, grid, "torch") / fast) : ""
    }
    if (table == "python-device") {
      method = has(key, named[1], "CUDA C++") ? named[1] : named[2]
      printf "| %s | %s | %s | %s | %s | %s |\n", what(key), cell(key, "tessera", "CUDA C++"), cell(key, method, "CUDA C++") (method == named[2] ? " `'vegas'`" : ""), cell(key, "tessera", "torch"), cell(key, "torchquad VEGAS", "torch"), cell(key, "torchquad GaussLegendre (size known)", "torch")
    }
  }
  if (table == "python" && n) printf "\nThe geometric mean of SciPy's ratios is %s (with `gk21` alone %s, with `genz-malik` alone %s).\n", two(exp(logs / n)), two(exp(rule_logs[1] / rule_n[1])), two(exp(rule_logs[2] / rule_n[2]))
}
