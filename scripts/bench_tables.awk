# Makes one table of docs/benchmarks.md or README.md from the CSV files in docs/bench: awk -v table=NAME -f scripts/bench_tables.awk FILE...
# (scripts/bench-tables). The first line of a file names machine, compiler and commit; the caption repeats it.
# SPDX-License-Identifier: BSD-3-Clause

# ---- Numbers as the manual has them ---------------------------------------------------------------------------------------
function sci(x, digits, text) { # 1.5e-6
  if (x == "") return ""
  if (x + 0 == 0) return "0"
  text = sprintf("%." digits "e", x)
  sub(/e\+0*/, "e", text)
  sub(/e-0*/, "e-", text)
  return text
}
function grouped(n, text, result) { # 39 370
  text = sprintf("%d", n)
  while (length(text) > 3) {
    result = " " substr(text, length(text) - 2) result
    text = substr(text, 1, length(text) - 3)
  }
  return text result
}
function short(x) { x += 0; return x >= 1000 ? sprintf("%d", x + 0.5) : x >= 0.001 ? sprintf("%.3g", x) : sci(x, 1) }
function percent(x) { return sprintf("%.0f%%", 100 * x) }
function case_name(c, part) { split(c, part, "_"); sub(/d$/, "-D", part[2]); return part[1] " " part[2] }
function degree(points) { return points == 65 || points == 67 ? 13 : points == 127 || points == 129 ? 11 : 9 }  # with and without points near the faces
# Points of DCUHRE's rule for a KEY.
function rule_points(key, n) {
  if (key == 0) key = n == 2 ? 1 : n == 3 ? 2 : 3
  if (key == 1) return 65
  if (key == 2) return 127
  return key == 3 ? 1 + 8 * n + 6 * n * (n - 1) + 4 * n * (n - 1) * (n - 2) / 3 + 2 ^ n : 1 + 6 * n + 2 * n * (n - 1) + 2 ^ n
}
function transform_name(t) {
  return t == 1 ? "none" : t == 2 ? "baker" : t == 3 ? "tanh" : t < 20 ? "Korobov " (t - 10) : "Sidi " (t - 20)
}
function integrand_name(f, ndim) {
  return (f == "kink" ? "(1/d) Σ\\|4x_i − 2\\|" : f == "power" ? "(Σ x_i)^1.5" : f == "peak" ? "Gaussian peak" : f) ", " ndim "-D"
}

# ---- Lines ----------------------------------------------------------------------------------------------------------------
function title(names, alignment) { print "| " names " |"; print "|" alignment "|" }
function part_of(head, name, text) { # "commit 246980c" of a first line
  text = head
  if (!sub(".*" name " *", "", text)) return ""
  sub(/[;,].*/, "", text)
  return text
}
function machine_of(head, text) {
  text = head
  sub(/.*machine: */, "", text)
  sub(/;.*/, "", text)
  return text
}
function link_of(path, text) { text = path; sub(/.*\//, "", text); return "[" text "](bench/" text ")" }
function caption(file, head, compiler) {
  compiler = head
  sub(/.*compiler: */, "", compiler)
  sub(/;.*/, "", compiler)
  printf "%s; %s; commit %s; %s.\n\n", machine_of(head), compiler, part_of(head, "commit"), link_of(file)
}

FNR == 1 {
  files++
  header = ""
  if (/^#/ && FILENAME !~ /peers-/) {
    heads[files] = $0
    if (table !~ /^(summary|readme)$/) caption(FILENAME, $0)
  }
}
/^#/ {
  if (table == "suite" && FNR > 1 && /false of/) { sub(/^# /, "* "); remarks[++remark_count] = $0 }
  if (table == "lattice-accuracy" && /of .* true errors/) { sub(/.*1e-2: /, ""); sub(/ \(conf.*/, ""); counted = $0 }
  next
}
header == "" {
  header = $0
  for (i = 1; i <= NF; i++) column[files, $i] = i
  next
}
# The field of this row that has that name in the header of its file.
function field(name) { return (files, name) in column ? $(column[files, name]) : "" }

# ---- Host -----------------------------------------------------------------------------------------------------------------
table == "overhead" && !begun++ {
  title("variables | points a region | integrand | selection | whole | bare calls | overhead | least | spread", "---:|---:|---|---|---:|---:|---:|---:|---:")
}
table == "overhead" {
  printf "| %d | %d | %s | %s | %.2f | %.2f | **%.2f** | %.2f | %s |\n", field("ndim"), field("rule_points"), field("integrand"),
    field("selection"), field("whole_ns"), field("bare_ns"), field("overhead_ns"), field("least_overhead_ns"), percent(field("spread"))
}
table == "dropins" && !begun++ { title("variables | KEY | points a region | drop-in s | plain s | ratio for one evaluation", "---:|---:|---:|---:|---:|---:") }
table == "dropins" {
  printf "| %d | %d | %d | %.3f | %.3f | %.2f |\n", field("ndim"), field("key"), rule_points(field("key"), field("ndim")), field("dcuhre_s"),
    field("plain_s"), field("ratio_per_evaluation")
}
table == "kink" && !begun++ { title("rule | estimate | median s | least s | regions | error estimate | true error", "---|---|---:|---:|---:|---:|---:") }
table == "kink" {
  d = degree(field("rule_points"))
  printf "| degree %d%s | %s | %.3f | %.3f | %s | %s | %s |\n", d, d == 11 ? " (default)" : "", field("estimate"), field("cpu_s"),
    field("least_cpu_s"), grouped(field("regions")), sci(field("error_estimate"), 1), sci(field("true_error"), 1)
}
table == "growth" && !begun++ {
  title("rule | selection | evaluations | regions | ns an evaluation | ratio | bytes a region, of the record | and of everything at the peak",
    "---|---|---:|---:|---:|---:|---:|---:")
}
table == "growth" {
  printf "| %d | %s | %s | %s | %.2f | %.2f | %d | %.0f |\n", degree(field("rule_points")), field("selection"), sci(field("evaluations"), 0),
    grouped(field("regions")), field("ns_per_evaluation"), field("ratio"), field("region_bytes"), field("peak_bytes_per_region")
}
table == "batch" && !begun++ {
  title("variables | points a region | selection | steps | calls | least points | mean points | share of points in calls below 4096",
    "---:|---:|---|---:|---:|---:|---:|---:")
}
table == "batch" {
  printf "| %d | %d | %s | %s | %s | %d | %d | %.2f %% |\n", field("ndim"), field("rule_points"), field("selection"), grouped(field("steps")),
    grouped(field("calls")), field("least_points"), field("mean_points"), 100 * field("share_in_calls_below_4096")
}
table == "threads" && !begun++ { title("method | threads | median wall s | least wall s | CPU s | speed-up | same bits", "---|---:|---:|---:|---:|---:|---") }
table == "threads" {
  printf "| %s | %d | %.3f | %.3f | %.3f | %.2f | %s |\n", field("method"), field("threads"), field("wall_s"), field("least_wall_s"),
    field("cpu_s"), field("speed_up"), field("same_bits") == 1 ? "yes" : "no"
}
table == "suite" && files == 1 {
  key = field("case") SUBSEP field("reltol")
  way = field("estimate") " " field("selection")
  n[way, key] = field("status") == 0 ? field("evaluations") : "limit"
  if (way == "robust worst-first") {
    order[++rows] = key
    rest[key] = sprintf("%s | %s | %s", short(field("cpu_s")), sci(field("relative_estimate"), 1), sci(field("relative_true_error"), 1))
  }
}
table == "suite" && files == 2 && field("claimed_success") == 1 {
  peer[field("code"), field("case"), field("tolerance") + 0] = short(field("seconds")) (field("true_error") + 0 > field("tolerance") + 0 ? " false" : "")
}
function times(way, key, base) {
  if (base == "limit" || !((way, key) in n)) return ""
  return n[way, key] == "limit" ? "limit" : sprintf("%.2f", n[way, key] / base)
}
function end_suite(i, key, part, base) {
  title("case | tolerance | evaluations | bulk | classic | seconds | estimate | true error | DCUHRE s | Cuhre s", "---|---:|---:|---:|---:|---:|---:|---:|---:|---:")
  for (i = 1; i <= rows; i++) {
    key = order[i]
    split(key, part, SUBSEP)
    base = n["robust worst-first", key]
    printf "| %s | %s | %s | %s | %s | %s | %s | %s |\n", case_name(part[1]), sci(part[2], 0), base == "limit" ? base : sci(base, 2),
      times("robust bulk", key, base), times("classic worst-first", key, base), rest[key], peer["dcuhre", part[1], part[2] + 0],
      peer["cuhre", part[1], part[2] + 0]
  }
  print "\nSuccesses (status 0) and false ones (true error above the tolerance):\n"
  for (i = 1; i <= remark_count; i++) print remarks[i]
}

# ---- The method that chooses ----------------------------------------------------------------------------------------------
table ~ /^choose/ {
  key = field("integral") SUBSEP field("tolerance")
  if (!(key in seen)) { seen[key] = 1; order[++rows] = key }
  way = field("method")
  state[way, key] = field("status") == 0 ? (field("false") == 1 ? "false" : "right") : "none"
  spent[way, key] = field("evaluations")
  time[way, key] = field("seconds") < 1e-5 ? 1e-5 : field("seconds")
  used[key] = way == "auto" ? field("used") : used[key]
}
# The fewest evaluations and the least time of an honest success by a fixed method.
function best_of(key, i, way) {
  least_n = least_t = 0
  for (i = 1; i <= fixed; i++) {
    way = fixed_way[i]
    if (state[way, key] != "right") continue
    if (!least_n || spent[way, key] + 0 < least_n) { least_n = spent[way, key] + 0; least_way = way }
    if (!least_t || time[way, key] < least_t) least_t = time[way, key]
  }
  return least_n > 0
}
function is_near_best(way, key) { return state[way, key] == "right" && (spent[way, key] <= 2 * least_n || time[way, key] <= 2 * least_t) }
function end_choose(i, j, key, way, part) {
  fixed = split("quadrature cubature lattice montecarlo vegas sobol", fixed_way, " ")
  split("quadrature cubature lattice montecarlo vegas sobol auto", name_of, " ")
  split("`TESSERA_QUADRATURE` (1-D), cubature beyond;`TESSERA_CUBATURE`;`TESSERA_LATTICE`;`TESSERA_MONTECARLO`;the same, VEGAS;the same, Sobol points;**`TESSERA_AUTO`**", shown, ";")
  if (table == "choose-misses") {
    title("integral | tolerance | best | its evaluations | seconds | `TESSERA_AUTO` | evaluations | seconds", "---|---:|---|---:|---:|---|---:|---:")
    for (i = 1; i <= rows; i++) {
      if (!best_of(order[i]) || is_near_best("auto", order[i])) continue
      split(order[i], part, SUBSEP)
      printf "| `%s` | %s | %s | %s | %s | %s | %s | %s |\n", part[1], sci(part[2], 0), least_way, sci(least_n, 1), short(least_t),
        state["auto", order[i]] == "right" ? "success" : state["auto", order[i]] == "false" ? "false claim" : "no success",
        sci(spent["auto", order[i]], 1), short(time["auto", order[i]])
    }
    return
  }
  title("method | successes | of them false | within twice the best | mean logarithm of the seconds", "---|---:|---:|---:|---:")
  for (j = 1; j <= fixed + 1; j++) {
    claims = falsehoods = right = logs = solvable = 0
    for (i = 1; i <= rows; i++) {
      key = order[i]
      way = name_of[j]
      if (way == "quadrature" && !((way, key) in state)) way = "cubature"
      claims += state[way, key] != "none"
      falsehoods += state[way, key] == "false"
      logs += log(state[way, key] == "right" ? time[way, key] : 10)
      if (!best_of(key)) continue
      ++solvable
      right += is_near_best(way, key)
    }
    printf "| %s | %d | %d | %d of %d, %.1f %% | %.2f |\n", shown[j], claims, falsehoods, right, solvable, 100 * right / solvable, logs / rows
  }
}

# ---- Lattice rules on the host --------------------------------------------------------------------------------------------
table ~ /^lattice-(speed|accuracy)$/ {
  if (!((name = field("application")) in seen)) { seen[name] = 1; order[++rows] = name }
  if (!((t = field("transform")) in known)) { known[t] = 1; transforms[++columns] = t }
  if (table == "lattice-speed") cell[name, t] = sprintf("%.1f", field("points_per_second") / 1e6)
  else if (field("points") == 131072) {
    cell[name, t] = sci(field("relative_true_error"), 1) " (" sci(field("relative_estimate"), 1) ")"
    full[name] = 1
  }
}
function end_pivot(i, j, names, alignment) {
  names = "application"
  alignment = "---"
  for (j = 1; j <= columns; j++) { names = names " | " transforms[j]; alignment = alignment "|---:" }
  title(names, alignment)
  for (i = 1; i <= rows; i++) {
    if (table == "lattice-accuracy" && !(order[i] in full)) continue
    printf "| %s |", order[i]
    for (j = 1; j <= columns; j++) printf " %s |", cell[order[i], transforms[j]]
    print ""
  }
  if (counted != "") print "\nWhere the estimate was below 1e-2: " counted "."
}
table == "lattice-cbc" && !begun++ { title("n | range from | bits | CPU s | of it plans, kernels | MB stated | e² | ratio", "---:|---:|---:|---:|---:|---:|---:|---:") }
table == "lattice-cbc" {
  printf "| %d | %s | %d | %.3f | %.3f (wall) | %.1f | %s | %.4f |\n", field("n"), (field("least") + 0 > 0 ? field("least") : ""), field("bits"),
    field("cpu_s"), field("plan_s"), field("bytes") / 1e6, sci(field("merit"), 6), field("ratio")
}

# ---- On a device ----------------------------------------------------------------------------------------------------------
table == "device-lattice" && $1 == "construction" { of_construction = 1 }
table == "device-lattice" && !begun++ { title("integrand | transform | points | ms | points/s | true error", "---|---|---:|---:|---:|---:") }
table == "device-lattice" && !of_construction {
  printf "| %s | %s | %s | %s | %s | %s |\n", integrand_name(field("integrand"), field("ndim")), transform_name(field("transform")),
    sci(field("evaluations"), 1), short(field("milliseconds")), (field("evaluations") + 0 > 1e7 ? sci(field("points_per_second"), 2) : ""),
    sci(field("true_error"), 1)
}
table == "device-construct" && $1 == "construction" { title("components | n | bits | ms", "---:|---:|---:|---:") }
table == "device-construct" && $1 == "cbc" { printf "| %d | %d | %d | %.0f |\n", $2, $4, $3, $5 }
table == "device-montecarlo" && !begun++ { title("integrand | sampling | points | ms | points/s | estimate | true error", "---|---|---:|---:|---:|---:|---:") }
table == "device-montecarlo" {
  printf "| %s | %s | %s | %s | %s | %s | %s |\n", integrand_name(field("integrand"), field("ndim")), field("sampling"),
    sci(field("evaluations"), 1), short(field("milliseconds")), sci(field("points_per_second"), 2), sci(field("error") / field("value"), 1),
    sci(field("true_error") / field("value"), 1)
}
table == "device-rates" && !begun++ { title("what | ms | evaluations | evaluations/s | compiling or loading s", "---|---:|---:|---:|---:") }
table == "device-rates" {
  printf "| %s | %s | %s | %s | %s |\n", field("what"), short(field("ms")), sci(field("evaluations"), 2), sci(field("evaluations_per_s"), 2),
    field("compile_or_load_s")
}
table == "device-legacy" && !begun++ { title("variables | one core s | evaluations | with a twin ms | evaluations | times as fast | first call s", "---:|---:|---:|---:|---:|---:|---:") }
table == "device-legacy" {
  printf "| %d | %.2f | %s | %.2f | %s | %.0f | %.1f |\n", field("ndim"), field("host_s"), grouped(field("host_evaluations")),
    1e3 * field("twin_s"), grouped(field("twin_evaluations")), field("ratio"), field("first_s")
}
table == "device-many" && !begun++ { title("integrals | variables | tolerance | ms, median | evaluations | converged | false", "---:|---:|---:|---:|---:|---:|---:") }
table == "device-many" {
  printf "| %d | %d | %s | %.2f | %s | %d | %d |\n", field("count"), field("ndim"), sci(field("tolerance"), 0), field("ms_median"),
    grouped(field("evaluations")), field("converged"), field("false_successes")
}
table ~ /moments$/ && !begun++ { title("variables | components | range | with sparse grids ms | evaluations | without ms | evaluations", "---:|---:|---|---:|---:|---:|---:") }
table ~ /moments$/ {
  result = short(field("ms_median")) (field("status") == 0 ? "" : " (limit)") " | " sci(field("evaluations"), 2)
  if (field("sparse") == "auto") with = result
  else printf "| %d | %d | %s | %s | %s |\n", field("ndim"), field("ncomp"), field("range"), with, result
}
table == "device-ladder" && files == 1 {
  key = field("case") SUBSEP sprintf("%.3e", field("tolerance"))
  line[++rows] = sprintf("| %s | %s | %s%s | %s | %d | %s | %s |", case_name(field("case")), sci(field("tolerance"), 3), short(field("ms")),
    field("status") == 0 ? "" : " (limit)", sci(field("evaluations"), 2), field("steps"), sci(field("true_error"), 1), sci(field("evaluations_per_s"), 2))
  sub(/\.?0+e/, "e", line[rows])
  order[rows] = key
  ms[key] = field("status") == 0 ? field("ms") + 0 : 0
  false_ones += field("status") == 0 && field("true_error") + 0 > field("tolerance") + 0
  successes += field("status") == 0
}
table ~ /^(device-ladder|summary|readme)$/ && FILENAME ~ /peers-device/ && field("converged") == 1 {
  key = field("case") SUBSEP sprintf("%.3e", field("tolerance"))
  pagani[key] = field("ms")
  wrong[key] = field("true_error") + 0 > field("tolerance") + 0
}
function end_ladder(i, key) {
  title("case | tolerance | ms | evaluations | steps | true error | evaluations/s | PAGANI ms | ratio", "---|---:|---:|---:|---:|---:|---:|---:|---:")
  for (i = 1; i <= rows; i++) {
    key = order[i]
    if (key in pagani) {
      printf "%s %s%s | %s |\n", line[i], short(pagani[key]), wrong[key] ? " false" : "", (ms[key] > 0 ? sprintf("%.1f", pagani[key] / ms[key]) : "")
    } else print line[i] " | |"
    compare(key)
  }
  printf "\n%d false successes of %d. Over the %d rows that both converge rightly the geometric mean of the ratio is **%.1f**, the least %.2f; %d rows are below 3.\n",
    false_ones, successes, compared, exp(logs / compared), least, below
}
function compare(key, ratio) {
  if (!(key in pagani) || wrong[key] || !(ms[key] > 0)) return
  ratio = pagani[key] / ms[key]
  logs += log(ratio)
  if (!compared++ || ratio < least) least = ratio
  below += ratio < 3
}

# ---- README.md: three numbers ---------------------------------------------------------------------------------------------
table == "readme" && FILENAME ~ /device-legacy/ { twin = field("twin_s") + 0; core = field("host_s") + 0 }
function end_readme(key) {
  key = "f4_5d" SUBSEP "1.600e-06"
  for (k in ms) compare(k)
  print "| | |\n|---|---|"
  printf "| **%s ms** | for that peak to 1.6e-6 on an H200; PAGANI took %s ms (in %d rows of the suite %.1f times as long, geometric mean, %.2f times in the worst) |\n",
    short(ms[key]), short(pagani[key]), compared, exp(logs / compared), least
  printf "| **%s ms** | for an unchanged program that calls `DCUHRE` in 8 variables, with a source text of its integrand on the H200; %.2f s on one core of that machine |\n",
    short(1e3 * twin), core
  printf "| **%d of %d** | claims of success in the suite on the GPU that were false ([elsewhere some are](docs/methods.md#honest-errors)) |\n", false_ones, successes
}

# ---- docs/gpu_pays.md: the same integral on one core and on a device, both with success at 1e-3 ------------------------------
table == "pays" && field("status") == 0 && (field("reltol") + 0 == 1e-3 || field("tolerance") + 0 == 1e-3) {
  if (files == 1 && field("selection") == "worst-first" && field("estimate") == "robust") {
    core_s[$1] = field("cpu_s")
    core_n[$1] = field("evaluations")
  }
  if (files == 2 && $1 in core_s) {
    pay_line[++pays] = sprintf("| %s | %s | %s | %s | %s |", case_name($1), short(core_s[$1]), sci(core_n[$1], 2), short(field("ms")), sci(field("evaluations"), 2))
    pay_s[pays] = core_s[$1] + 0
  }
}
function end_pays(i, j, best) {
  title("case | one core s | evaluations | device ms | evaluations", "---|---:|---:|---:|---:")
  for (i = 1; i <= pays; i++) { # by the core's seconds
    best = 0
    for (j = 1; j <= pays; j++) if (!(j in written) && (!best || pay_s[j] < pay_s[best])) best = j
    written[best] = 1
    print pay_line[best]
  }
}

# ---- One variable ---------------------------------------------------------------------------------------------------------
# The fastest of the peers on the device that was right, and what Tessera takes there and on the host.
table == "block-cutting" {
  key = field("integrand") SUBSEP field("upper") SUBSEP field("tolerance")
  name = field("method")
  if (!(key in known)) { known[key] = ++keys; key_of[keys] = key }
  is_right = field("converged") == 1 && field("false") == ""
  if (name ~ /^Tessera/) {
    place = files == 1 ? "device" : name ~ /quadrature/ ? "host" : "other"
    block_ms[key, place] = is_right ? short(field("ms")) : "no"
    block_n[key, place] = is_right ? sci(field("evaluations"), 1) : ""
    if (is_right && place != "other" && (!(key in own) || field("ms") + 0 < own[key])) own[key] = field("ms") + 0
  } else if (files == 1 && is_right && (!(key in peer_ms) || field("ms") + 0 < peer_ms[key])) {
    peer_ms[key] = field("ms") + 0
    peer[key] = name
    peer_n[key] = field("evaluations")
  }
}
function end_block_cutting(i, key, part) {
  title("integrand | tolerance | best peer | ms | evaluations | Tessera on the device ms | evaluations | quadrature on the host ms | evaluations | ratio", "---|---:|---|---:|---:|---:|---:|---:|---:|---:")
  for (i = 1; i <= keys; i++) {
    key = key_of[i]
    split(key, part, SUBSEP)
    printf "| %s to %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", part[1], part[2], sci(part[3], 0), key in peer ? peer[key] : "none", short_or_none(peer_ms[key]), sci(peer_n[key], 1),
      block_ms[key, "device"], block_n[key, "device"], block_ms[key, "host"], block_n[key, "host"], key in peer && key in own ? sprintf("%.1f", peer_ms[key] / own[key]) : ""
  }
}
function short_or_none(x) { return x == "" ? "" : short(x) }

# ---- Summary: a row from each file ----------------------------------------------------------------------------------------
function row(what, figure, beside) { fact[++facts] = sprintf("| %s | %s | %s | %s | %s |", what, figure, beside, machine_of(heads[files]), part_of(heads[files], "commit")) }
table !~ /^(summary|readme)$/ { next }
FILENAME ~ /host-overhead/ && field("ndim") == 5 && field("integrand") == "point" && field("selection") == "worst-first" {
  row("what the library adds to an evaluation, 5 variables", sprintf("%.1f ns", field("overhead_ns")), sprintf("the empty call alone %.1f ns", field("bare_ns")))
}
FILENAME ~ /host-dropins/ && field("ndim") == 3 && field("key") == 0 {
  row("`DCUHRE`, 1e7 evaluations in 3 variables", sprintf("%.3f s", field("dcuhre_s")), sprintf("plain Fortran %.3f s", field("plain_s")))
}
FILENAME ~ /host-suite/ && field("case") == "f4_5d" && field("reltol") + 0 == 1e-6 && field("selection") == "worst-first" && field("estimate") == "robust" {
  f4_seconds = field("cpu_s")
  f4_head = heads[files]
}
FILENAME ~ /peers-host/ && field("case") == "f4_5d" && field("tolerance") + 0 == 1e-6 { f4_peer[field("code")] = field("seconds") }
FILENAME ~ /host-lattice-cbc/ && field("n") == 1008001 && field("bits") == 64 {
  row("constructing a lattice rule, n = 1008001, 100 components", sprintf("%.2f s", field("cpu_s")), "")
}
FILENAME ~ /device-legacy/ {
  row("a program that calls `DCUHRE`, 8 variables, with a twin on a GPU", sprintf("%.1f ms", 1e3 * field("twin_s")), sprintf("the same on one core %.2f s", field("host_s")))
}
FILENAME ~ /device-lattice/ && $1 == "feyn6" && field("transform") == 13 && field("evaluations") + 0 > 1e8 {
  row("lattice rule, feyn6 with Korobov 3, 1e9 points", short(field("milliseconds")) " ms", sci(field("points_per_second"), 1) " points/s")
}
FILENAME ~ /device-lattice/ && $1 == "cbc" && $4 == 80015041 && $3 == 64 { row("constructing a lattice rule, n = 80015041, 100 components", short($5) " ms", "") }
FILENAME ~ /device-montecarlo/ && $1 == "feyn6" && field("sampling") == "plain" && field("evaluations") + 0 == 1e9 {
  row("Monte Carlo, feyn6, 1e9 points", short(field("milliseconds")) " ms", sci(field("points_per_second"), 1) " points/s")
}
FILENAME ~ /device-ladder/ {
  key = field("case") SUBSEP sprintf("%.3e", field("tolerance"))
  ms[key] = field("status") == 0 ? field("ms") + 0 : 0
  false_ones += field("status") == 0 && field("true_error") + 0 > field("tolerance") + 0
  successes += field("status") == 0
  ladder_head = heads[files]
}
function end_summary(i, key, others) {
  others = facts
  title("what | figure | beside it | machine | commit", "---|---:|---|---|---")
  if (f4_head != "") {
    heads[0] = f4_head; files = 0
    row("f4 (a peak in 5 variables) to 1e-6, one core", sprintf("%.2f s", f4_seconds), sprintf("DCUHRE %.2f s, Cuhre %.2f s *", f4_peer["dcuhre"], f4_peer["cuhre"]))
  }
  heads[0] = ladder_head; files = 0
  key = "f4_5d" SUBSEP "1.600e-06"
  row("the same to 1.6e-6 on a GPU", short(ms[key]) " ms", "PAGANI " short(pagani[key]) " ms *")
  for (key in ms) compare(key)
  row("suite on a GPU: time of PAGANI over ours, geometric mean of " compared " rows", sprintf("%.1f", exp(logs / compared)), sprintf("from %.2f, %d rows below 3 *", least, below))
  row("suite on a GPU: claims of success that were false", false_ones, "of " successes)
  for (i = others + 1; i <= facts; i++) print fact[i]
  for (i = 1; i <= others; i++) print fact[i]
  print "\n\\* Measured at another time, DCUHRE and Cuhre on another machine too: not side by side."
}

END {
  if (table == "block-cutting") end_block_cutting()
  if (table == "suite") end_suite()
  if (table ~ /^choose/) end_choose()
  if (table ~ /^lattice-(speed|accuracy)$/) end_pivot()
  if (table == "device-ladder") end_ladder()
  if (table == "summary") end_summary()
  if (table == "readme") end_readme()
  if (table == "pays") end_pays()
}
