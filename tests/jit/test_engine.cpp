// The device engine's own kernels, compiled for one architecture: every shape of rule, integrands inlined. Nothing is run, so no
// device is needed. Skipped without NVIDIA's run-time compiler. A compilation takes seconds: everyday runs have each part of the kernels once,
// the argument "all" every rule with and without it. Arguments: path of tessera-jitlink, all.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include "checks.hpp"
#include "compiled.hpp"
#include "core/node_table.hpp"
#include "core/rule_build.hpp"
#include "jit/cubin.hpp"
#include "cuda/cubature/kernel.hpp"
#include "cuda/cubature/rule_points.hpp"
#include "jit/toolkit.hpp"
#include "tessera.h"

using namespace tessera;
using checks::check;
using checks::fails;

namespace {

// What knows no integrand is compiled once for all.
checks::counted_cache &counted() {
  static checks::counted_cache all;
  return all;
}

compiled_module with_degrees(int ndim, const char *text, int arch = 90) {
  rule r;
  build_rule(choose_rule(TESSERA_RULE_AUTO, ndim), ndim, r, true);
  r.raises = true;
  integrand_source source;
  source.file_name = "mine.src";
  source.text = text;
  target where;
  where.arch = arch;
  where.ndim = ndim;
  where.library_version = "test";
  return compile_integrand(source, engine_kernel(r, choose_shape(r, 1, false, false)), where, &counted().cache);
}

// The steps know no integrand: another text in another dimension finds them compiled.
void steps_are_kept() {
  const auto files_made_by = [&](int ndim, const char *text) {
    const std::int64_t before = counted().files();
    const compiled_module m = with_degrees(ndim, text);
    std::printf("%d-D, a cache that is counted %16s %7zu bytes %.2f s\n", ndim, "", m.image->size(), m.seconds);
    check(m.inlined, "a cache that is counted: inlined");
    return counted().files() - before;
  };
  check(files_made_by(5, "double f(const double *x) { return x[0] * x[4]; }\n") == (compiles_apart() ? 2 : 1),
        "a text and the steps are kept");
  check(files_made_by(3, "static double f(const double *x) { return 1 / (1 + x[0] * x[2]); }\n") == 1,
        "the second text does without the steps");
  fails("undefined", jit_stage::link, "mine.src: the function 'dgetrf_' is declared but not defined", [] {
    with_degrees(3, "extern \"C\" double dgetrf_(double);\ndouble f(const double *x) { return dgetrf_(x[0]); }\n");
  });
}

// For a device that NVRTC does not know: one text, in PTX.
void one_text_in_ptx() {
  const compiled_module m = with_degrees(3, "double f(const double *x) { return x[0] * x[2]; }\n", 999);
  check(m.image_kind == compiled_module::kind::ptx, "an unknown device: PTX");
  for (const char *name :
       {".entry tessera_bulk(", ".entry tessera_bulk_of_few", ".entry tessera_points", "]) tessera_evaluate("})
    check(checks::contains(*m.image, name), std::string("an unknown device: ") + name);
}

void compiles(int family, int ndim, int ncomp, bool mapped, bool many = false, bool raises = false,
              const char *domain = "") {
  const std::string name = (many ? "many, rule " : "rule ") + std::to_string(family) + ", " + std::to_string(ndim) +
                           "-D, " + std::to_string(ncomp) + (mapped ? " components, infinite" : " components") +
                           (raises ? ", degrees" : "") + (*domain ? ", a simplex" : "");
  rule r;
  build_rule(choose_rule(family, ndim), ndim, r, true);
  r.raises = raises;
  integrand_source source;
  source.domain = domain;
  source.text =
      "void f(const double *x, double *v) {\n"
      "  double s = 0;\n"
      "  for (int i = 0; i < TESSERA_NDIM; ++i) s += x[i] * x[i];\n"
      "  for (int k = 0; k < TESSERA_NCOMP; ++k) v[k] = exp(-s * (k + 1));\n"
      "}\n";
  target where;
  where.arch = 90;
  where.ndim = ndim;
  where.ncomp = ncomp;
  where.library_version = "test";
  const compiled_module m =
      compile_integrand(source, engine_kernel(r, choose_shape(r, ncomp, mapped, many)), where, &counted().cache);
  int kernels = 0;
  for (const cubin_function &f : cubin_functions(*m.image))
    kernels +=
        f.kernel && (many ? f.name == "tessera_many"
                          : f.name == "tessera_bulk" || f.name == "tessera_bulk_of_few" || f.name == "tessera_points");
  check(kernels == (many ? 1 : 3), name + ": the kernels are there");
  check(m.inlined, name + ": inlined");
  std::printf("%-44s %7zu bytes %.2f s\n", name.c_str(), m.image->size(), m.seconds);
}

// An integrand in C: what it returns must reach the host.
void compiles_c(source_language language, const char *text, bool many) {
  rule r;
  build_rule(choose_rule(TESSERA_RULE_AUTO, 4), 4, r, true);
  r.raises = true;
  integrand_source source;
  source.language = language;
  source.text = text;
  target where;
  where.arch = 90;
  where.ndim = 4;
  where.library_version = "test";
  const compiled_module m =
      compile_integrand(source, engine_kernel(r, choose_shape(r, 1, false, many)), where, &counted().cache);
  check(m.inlined, "C: inlined");
  if (many) return;  // each block has an answer of its own, which the kernel writes down
  for (const char *name : {"tessera_flags", "tessera_status", "tessera_rule", "tessera_axes"})
    check(checks::contains(*m.image, name), std::string("C: ") + name + " is there");
}

// Code that stays a function: the kernels' own functions must keep to the kernels' registers.
void links_ptx(int ndim, int ncomp, bool many, const char *helper) {
  rule r;
  build_rule(choose_rule(TESSERA_RULE_AUTO, ndim), ndim, r, true);
  r.raises = true;
  integrand_source source;
  source.language = source_language::ptx;
  source.text = checks::ptx_function(ncomp);
  target where;
  where.arch = 90;
  where.ndim = ndim;
  where.ncomp = ncomp;
  where.library_version = "test";
  where.helper = helper;
  const compiled_module m =
      compile_integrand(source, engine_kernel(r, choose_shape(r, ncomp, false, many)), where, &counted().cache);
  check(!m.inlined, "PTX: not inlined");
  check(cubin_use_of(*m.image, many ? "tessera_many" : "tessera_bulk").registers == 128,
        "PTX: registers of the kernel");
  if (!many)
    check(cubin_use_of(*m.image, "tessera_bulk_of_few").registers > 128,
          "PTX: registers of the kernel for few regions");
}

// The points of a region on the device are those of the rule.
void points(int family, int ndim) {
  const std::string name = "points of rule " + std::to_string(family) + ", " + std::to_string(ndim) + "-D: ";
  rule r;
  build_rule(choose_rule(family, ndim), ndim, r, true);
  const std::size_t d = static_cast<std::size_t>(ndim);
  std::vector<double> box(2 * d);
  for (std::size_t j = 0; j < d; ++j)
    box[j] = 0.3 + 0.1 * static_cast<double>(j), box[d + j] = 0.25 / static_cast<double>(j + 1);
  const std::vector<node_word> words = make_node_table(r);
  std::vector<std::vector<double>> expected, all;
  const node_word *of_orbit = words.data();
  for (int o = 0; o < r.orbits; ++o) {
    for (int64 p = 0; p < r.orb[o].count; ++p) {
      std::vector<double> x;
      for (int j = 0; j < ndim; ++j)
        x.push_back(box[static_cast<std::size_t>(j)] +
                    point_offset(r, o, of_orbit, p, j) * box[d + static_cast<std::size_t>(j)]);
      expected.push_back(x);
    }
    if (r.orb[o].kind < orbit_vertex) of_orbit += r.orb[o].count;
  }
  const rule_points generator(r);
  const int64 part = 97;  // cuts orbits
  for (int64 first = 0; first < r.points; first += part) {
    const int64 n = std::min(part, r.points - first);
    std::vector<double> x(d * static_cast<std::size_t>(n), -1.0);
    generator.fill(box.data(), first, n, x.data());
    for (int64 i = 0; i < n; ++i) {
      std::vector<double> point;
      for (int64 j = 0; j < ndim; ++j) point.push_back(x[static_cast<std::size_t>(j * n + i)]);
      all.push_back(point);
    }
  }
  check(all.size() == expected.size(), name + "their number");
  // Vertices come in another order, all others in that of the table.
  const auto vertices = static_cast<std::ptrdiff_t>(sparse_points(r));
  const auto rounded = [](const std::vector<double> &a) {
    std::vector<long> out;
    for (const double v : a) out.push_back(std::lround(v * 1e12));
    return out;
  };
  const auto before = [&](const std::vector<double> &a, const std::vector<double> &b) {
    return rounded(a) < rounded(b);
  };
  std::sort(all.begin() + vertices, all.end(), before);
  std::sort(expected.begin() + vertices, expected.end(), before);
  double worst = 0.0;
  for (std::size_t i = 0; i < all.size() && i < expected.size(); ++i)
    for (std::size_t j = 0; j < d; ++j) worst = std::fmax(worst, std::fabs(all[i][j] - expected[i][j]));
  check(worst < 1e-15, name + "off by " + std::to_string(worst));
}

}  // namespace

int main(int argc, char **argv) {
  for (const int ndim : {1, 2, 3, 5, 8}) points(TESSERA_RULE_AUTO, ndim);
  points(TESSERA_RULE_GM7, 4);
  points(TESSERA_RULE_LOW, 14);
  try {
    nvrtc();
  } catch (const compile_error &e) {
    std::printf("no kernels: %s\n", e.what());
    return checks::summary() == 0 ? 77 : 1;
  }
  const bool all = argc > 2 && std::string(argv[2]) == "all";
  steps_are_kept();
  compiles(TESSERA_RULE_AUTO, 5, 1, false, false, true);
  one_text_in_ptx();
  for (const bool many : {false, true})
    if (argc > 1) links_ptx(3, 2, many, argv[1]);
  const auto compiles_point = [](bool many) {
    compiles_c(source_language::c_point,
               "#include <math.h>\n#include <stdio.h>\n"
               "int f(int n, const double *x, int m, double *v, void *p) {\n"
               "  if (!(x[0] < 0.9)) { printf(\"stop\\n\"); return 17; }\n"
               "  v[0] = exp(x[0]);\n  return 0;\n}\n",
               many);
  };
  const auto compiles_cuba = [](bool many) {
    compiles_c(source_language::c_cuba,
               "int f(const int *n, const double x[], const int *m, double v[], void *p) {\n"
               "  v[0] = x[0];\n  return x[0] > 0.9 ? -999 : 0;\n}\n",
               many);
  };
  compiles_point(true);
  compiles_cuba(false);
  compiles(TESSERA_RULE_AUTO, 12, 1, false, true);  // without a list of points
  if (!all) return checks::summary();
  compiles(TESSERA_RULE_AUTO, 1, 2, true, true);
  compiles(TESSERA_RULE_LOW, 32, 1, false, true);
  compiles(TESSERA_RULE_GM7, 8, 2, true);
  compiles(TESSERA_RULE_AUTO, 5, 1, false);
  compiles(TESSERA_RULE_AUTO, 3, 1, false, true);
  compiles(TESSERA_RULE_AUTO, 1, 1, false, false, false, "#define TESSERA_SIMPLEX 1\n");
  compiles(TESSERA_RULE_AUTO, 3, 3, true);
  compiles(TESSERA_RULE_GM7, 8, 2, false);
  compiles(TESSERA_RULE_LOW, 32, 1, true);
  compiles(TESSERA_RULE_GM7, 8, 2, true, true);
  if (argc > 1) links_ptx(8, 1, false, argv[1]);
  compiles_point(false);
  compiles_cuba(true);
  return checks::summary();
}
