// Integrands joined with a small kernel at run time: every language, inlining, errors, cache. Nothing is run, so no device is
// needed. Skipped without NVIDIA's toolkit. Arguments: path of tessera-jitlink, path of nvcc (may be empty).
// SPDX-License-Identifier: BSD-3-Clause
#include <dlfcn.h>

#include "jit/device_compiler.hpp"

#include "checks.hpp"
#include "jit/cubin.hpp"
#include "cuda/device/driver.hpp"
#include "jit/toolkit.hpp"
#include "jit/process.hpp"
#include "texts.hpp"

using namespace tessera;
using checks::check;
using checks::contains;
using checks::fails;

namespace {

const char *kernel_source = R"code(
#include "tessera_toy.h"
extern "C" __global__ void tessera_points(const double *x, double *f, const void *params, int n) {
  for (int i = first_item(); i < n; i += gridDim.x * blockDim.x) {
    double p[TESSERA_NDIM], v[TESSERA_NCOMP];
    for (int j = 0; j < TESSERA_NDIM; ++j) p[j] = x[(long long)j * n + i];
    tessera_f(p, v, params);
    for (int k = 0; k < TESSERA_NCOMP; ++k) f[(long long)k * n + i] = v[k];
  }
}
)code";

std::string helper, nvcc;

kernel_text kernel() {
  kernel_text k;
  k.text = kernel_source;
  k.headers = {
      {"tessera_toy.h", "__device__ inline int first_item() { return blockIdx.x * blockDim.x + threadIdx.x; }\n"}};
  return k;
}

target where(int ndim = 2, int ncomp = 1) {
  target t;
  t.ndim = ndim;
  t.ncomp = ncomp;
  t.library_version = "test";
  t.helper = helper;
  return t;
}

integrand_source make(source_language language, const std::string &text, const std::string &function = "f") {
  integrand_source s;
  s.language = language;
  s.text = text;
  s.function = function;
  s.file_name = "mine.src";
  return s;
}

void is_module(const compiled_module &m, const std::string &name, bool inlined) {
  int kernels = 0;
  for (const cubin_function &f : cubin_functions(*m.image)) kernels += f.kernel && f.name == "tessera_points";
  check(kernels == 1, name + ": the kernel is there");
  check(m.inlined == inlined, name + (inlined ? ": inlined" : ": not inlined"));
  check(m.image_kind == compiled_module::kind::cubin, name + ": machine code");
  std::printf("%-24s %6zu bytes %.3f s\n", name.c_str(), m.image->size(), m.seconds);
}

void languages() {
  for (const example &e : examples())
    is_module(compile_integrand(make(e.language, e.text, e.function), kernel(), where(e.ndim, e.ncomp), nullptr),
              e.name, true);
}

void cached() {
  const temporary_directory work;
  cache_settings settings;
  settings.directory = work.path();
  const example e = examples()[0];
  integrand_source s = make(e.language, e.text, e.function);
  std::string image, key;
  {
    code_cache cache(settings);
    const compiled_module first = compile_integrand(s, kernel(), where(3), &cache);
    const compiled_module second = compile_integrand(s, kernel(), where(3), &cache);
    check(first.hit == cache_hit::none && second.hit == cache_hit::memory && *first.image == *second.image, "memory");
    check(second.seconds < 0.05, "a hit is quick");
    // Where there is a driver NVRTC may answer from a cache of its own, without the report on registers.
    const bool has_driver = ::dlopen("libcuda.so.1", RTLD_LAZY) != nullptr;
    check(first.log == second.log && (has_driver || contains(first.log, "registers")), "the log is kept");
    image = *first.image;
    key = first.key;
  }
  code_cache cache(settings);
  const compiled_module third = compile_integrand(s, kernel(), where(3), &cache);
  check(third.hit == cache_hit::disk && *third.image == image && third.inlined, "disk");
  const auto other = [&](const char *what, const kernel_text &k, const target &t) {
    const compiled_module m = compile_integrand(s, k, t, &cache);
    check(m.hit == cache_hit::none && m.key != key, std::string("another ") + what + " is another key");
  };
  target t = where(3);
  t.arch = 80;
  other("architecture", kernel(), t);
  t = where(4);
  other("dimension", kernel(), t);
  t = where(3);
  t.library_version = "other";
  other("version", kernel(), t);
  kernel_text k = kernel();
  k.headers[0].text += "// changed\n";
  other("header", k, where(3));
  k = kernel();
  k.options.push_back("-DTESSERA_LANES=4");
  other("option", k, where(3));
  s.text += "\n";
  other("text", kernel(), where(3));
}

void compile(source_language language, const std::string &text, int ncomp = 1) {
  compile_integrand(make(language, text), kernel(), where(2, ncomp), nullptr);
}

void errors() {
  const auto cxx = source_language::cuda_cxx;
  const auto c = source_language::c_point;
  const std::string head = "int f(int n, const double *x, int m, double *v, void *p) ";
  fails("C++", jit_stage::compile, "mine.src(3): error: identifier \"sinn\"",
        [&] { compile(cxx, "double f(const double *x) {\n  double y = x[0];\n  return sinn(y);\n}\n"); });
  fails("C", jit_stage::compile, "mine.src(2): error: identifier \"sinn\"",
        [&] { compile(c, "#include <math.h>\n" + head + "{ v[0] = sinn(x[0]); return 0; }\n"); });
  fails("no function", jit_stage::compile, "mine.src(1): error: the text defines no function 'f'",
        [&] { compile(cxx, "double g(const double *x) { return 1.0; }\n"); });
  fails("no function, C", jit_stage::translate, "the text defines no function 'f'; it defines g",
        [&] { compile(c, "int g(void) { return 1; }\n"); });
  fails("scalar for a vector", jit_stage::compile,
        "mine.src(1): error: f: a function that returns double has one component",
        [&] { compile(cxx, "double f(const double *x) { return x[0]; }\n", 2); });
  fails("wrong form", jit_stage::compile, "f: the integrand must be double f(const double *x)",
        [&] { compile(cxx, "int f(int a) { return a; }\n"); });
  fails("a value for a vector, C", jit_stage::compile,
        "mine.src(1): error: f: a function that returns double has one component",
        [&] { compile(c, "double f(const double *x) { return x[0]; }\n", 2); });
  fails("a value that is no double", jit_stage::compile, "f: the integrand must be double f(const double *x) or",
        [&] { compile(c, "float f(const double *x, const void *p) { return x[0]; }\n"); });
  fails("a number for a point", jit_stage::compile,
        "mine.src(1): error: ", [&] { compile(c, "double f(double x) { return x; }\n"); });
  fails("undefined", jit_stage::link, "mine.src: the function 'dgetrf_'", [&] {
    compile(cxx, "extern \"C\" double dgetrf_(double);\ndouble f(const double *x) { return dgetrf_(x[0]); }\n");
  });
  fails("undefined, C", jit_stage::compile, "dgetrf_",
        [&] { compile(c, "double dgetrf_(double);\n" + head + "{ v[0] = dgetrf_(x[0]); return 0; }\n"); });
  fails("missing header", jit_stage::compile, "mine.src(1)",
        [&] { compile(c, "#include <gsl/gsl_math.h>\n" + head + "{ return 0; }\n"); });
  fails("variable-length array", jit_stage::compile,
        "mine.src(2): error:", [&] { compile(c, head + "{\n double t[n]; t[0] = 1; v[0] = t[0]; return 0; }\n"); });
  fails("malloc", jit_stage::translate, "mine.src(2): error: malloc() allocates memory",
        [&] { compile(c, head + "{\n double *t = malloc(8); v[0] = *t; return 0; }\n"); });
  fails("written static", jit_stage::translate, "mine.src(2): error: 'f' writes to the variable 'count'",
        [&] { compile(c, "static int count = 0;\n" + head + "{ count++; v[0] = 1; return 0; }\n"); });
  fails("float complex", jit_stage::translate, "only double complex",
        [&] { compile(c, "#include <complex.h>\n" + head + "{ float complex z = 1; v[0] = creal(z); return 0; }\n"); });
  fails("bad name", jit_stage::translate, "is not the name of a function",
        [&] { compile_integrand(make(cxx, "x", "f(x); evil"), kernel(), where(), nullptr); });
  fails("old device", jit_stage::compile, "compute capability 1.0", [&] {
    target t = where();
    t.arch = 10;
    compile_integrand(make(cxx, "double f(const double *x) { return x[0]; }"), kernel(), t, nullptr);
  });
  target newer = where();
  newer.arch = 999;
  const compiled_module m =
      compile_integrand(make(cxx, "double f(const double *x) { return x[0]; }"), kernel(), newer, nullptr);
  check(m.image_kind == compiled_module::kind::ptx && contains(*m.image, ".entry tessera_points"),
        "unknown device: PTX");
}

void more_c() {
  const auto good = [&](const char *what, const std::string &text) {
    try {
      const compiled_module m = compile_integrand(make(source_language::c_point, text), kernel(), where(), nullptr);
      check(m.inlined, std::string(what) + ": inlined");
    } catch (const compile_error &e) {
      check(false, std::string(what) + ": " + e.what() + "\n" + e.log());
    }
  };
  const std::string head = "int f(int n, const double *x, int m, double *v, void *p) ";
  good("designated initialisers",
       "struct s { double a, b; };\n" + head + "{ struct s q = {.a = 1, .b = x[0]}; v[0] = q.a + q.b; return 0; }");
  good("assert and output",
       "#include <assert.h>\n#include <stdio.h>\n#include <stdlib.h>\n" + head +
           "{ assert(n > 0); if (x[0] < 0) abort(); printf(\"%g\\n\", x[0]); v[0] = x[0]; return 0; }");
  good("function pointers and tables",
       "#include <math.h>\nstatic double a(double t) { return sin(t); }\n"
       "static double (*const table[1])(double) = {a};\n" +
           head + "{ v[0] = table[0](x[0]); return 0; }");
  good("const void pointers",
       "struct s { double a; };\nstatic double g(const void *q) { const struct s *t = q; return t->a; }\n" + head +
           "{ v[0] = g(p); if (!p) v[0] = 0; return p ? 0 : 1; }");
  good("loops, goto, switch, enum, union",
       "enum kind { ONE = 1, TWO };\nunion u { double d; long long i; };\n" + head +
           "{ union u w; int i = 0; enum kind k = TWO; w.d = x[0]; again: if (i++ < 3) goto again;\n"
           "  switch (k) { case ONE: v[0] = 1; break; default: v[0] = w.d; } return 0; }");
  good("memcpy, bool, int types", "#include <string.h>\n#include <stdbool.h>\n#include <stdint.h>\n" + head +
                                      "{ double t[2]; bool b = true; int64_t i = 3; uint32_t u = 7u; memcpy(t, x, "
                                      "sizeof t); v[0] = b ? t[1] * i * u : 0; return 0; }");
  good("the math library", "#include <math.h>\n#include <float.h>\n" + head +
                               "{ int e; double w; v[0] = lgamma(2) + erf(x[0]) + j0(x[1]) + fmod(x[0], 1) + "
                               "frexp(x[0], &e) + modf(x[1], &w)\n"
                               " + (isnan(x[0]) ? NAN : INFINITY) + DBL_EPSILON * M_PI + fabs(-1) + abs(-3) + "
                               "tgamma(x[0]) + pow(x[0], 0.3); return 0; }");
  good("struct copy and arrays of arrays",
       "typedef struct { double m[2][2]; } mat;\nstatic const mat id = {{{1, 0}, {0, 1}}};\n"
       "static mat mul(mat a, mat b) { mat c; int i, j, k; for (i = 0; i < 2; i++) for (j = 0; j < 2; j++) { c.m[i][j] "
       "= 0;\n"
       " for (k = 0; k < 2; k++) c.m[i][j] += a.m[i][k] * b.m[k][j]; } return c; }\n" +
           head + "{ mat a = id; a.m[0][1] = x[0]; v[0] = mul(a, a).m[0][1]; return 0; }");
  good("compound literal", "struct s { double a, b; };\nstatic double g(struct s q) { return q.a * q.b; }\n" + head +
                               "{ v[0] = g((struct s){x[0], 2.0}); return 0; }");
  good("implicit conversions", head +
                                   "{ const double *q = x; int i = x[0]; unsigned long k = sizeof(double) * n; float a "
                                   "= 1.5; v[0] = q[i] + k + a; return 0; }");
  good("static tables in functions",
       "static double look(int i) { static const double t[3] = {1, 2, 3}; static double s[2] = {4, 5}; return t[i] + "
       "s[i]; }\n" +
           head + "{ v[0] = look((int)(2 * x[0])); return 0; }");
  good("C++ keywords as names",
       head +
           "{ double new = x[0], class = 2, this = 3; struct { double delete; } template; template.delete = 1;\n"
           " v[0] = new * class + this + template.delete; return 0; }");
  good("complex mixtures", "#include <complex.h>\n#include <math.h>\n" + head +
                               "{ double complex z = x[0] + x[1] * I, a[2] = {0, 1}; int k = 2; z = k * z + 3 - z / k; "
                               "a[0] = cexp(I * M_PI * z) + conj(z);\n"
                               " double r = creal(a[0] * a[1]); if (z == 0 || cimag(z) != 0.0) r += 1; a[1] = r; z -= "
                               "1; v[0] = cabs(z) + r + carg(-z); return 0; }");
}

// #include "..." beside the user's file, in every language: found, named in messages, part of the key.
void files() {
  const temporary_directory work;
  const std::string good = "double factor(double a) {\n  return 2 * a;\n}\n";
  const struct {
    source_language language;
    const char *name, *text;
  } all[] = {{source_language::cuda_cxx, "user.cu",
              "#include \"part.h\"\ndouble f(const double *x) { return factor(x[0]); }\n"},
             {source_language::c_point, "user.c",
              "#include \"part.h\"\nint f(int n, const double *x, int m, double *v, void *p) { v[0] = factor(x[0]); "
              "return 0; }\n"},
             {source_language::c_cuba, "cuba.c",
              "#include \"part.h\"\nint f(const int *n, const double x[], const int *m, double v[], void *p) {\n"
              "  v[0] = factor(x[0]);\n  return 0;\n}\n"}};
  for (const auto &one : all) {
    integrand_source s = make(one.language, one.text);
    s.file_name = work.file(one.name);
    const auto key = [&](const std::string &part) {
      write_file(work.file("part.h"), part);
      const compiled_module m = compile_integrand(s, kernel(), where(), nullptr);
      check(m.inlined, std::string(one.name) + ": inlined");
      return m.key;
    };
    const std::string first = key(good);
    check(key(good) == first, std::string(one.name) + ": the same key");
    check(key(good + "static const int more = 1;\n") != first, std::string(one.name) + ": another key");
    write_file(work.file("part.h"), "double factor(double a) {\n  return wrong * a;\n}\n");
    fails(one.name, jit_stage::compile,
          work.file("part.h") + "(2): error:", [&] { compile_integrand(s, kernel(), where(), nullptr); });
    write_file(work.file("part.h"), good);
    s.text.replace(s.text.find("factor(x[0])"), 12, "facto(x[0])");
    fails(one.name, jit_stage::compile,
          work.file(one.name) + (one.language == source_language::c_cuba ? "(3): error:" : "(2): error:"),
          [&] { compile_integrand(s, kernel(), where(), nullptr); });
  }
}

// LTO-IR made by nvcc, in its three wrappings, and PTX.
void compiled_code() {
  if (nvcc.empty()) {
    std::printf("no nvcc: the tests of compiled code are left out\n");
    return;
  }
  const temporary_directory work;
  const auto build = [&](const char *name, const std::string &text, const std::vector<std::string> &options) {
    write_file(work.file("user.cu"), text);
    std::vector<std::string> command = {nvcc};
    command.insert(command.end(), options.begin(), options.end());
    for (const std::string &part : {work.file("user.cu"), std::string("-o"), work.file(name)}) command.push_back(part);
    const process_result run = run_process(command, work.file("messages"), false);
    check(run.good(), std::string("nvcc: ") + run.output);
    return run.good() ? read_file(work.file(name)) : std::string();
  };
  const std::string body = "{ double s = 0; for (int i = 0; i < 2; ++i) s += exp(-x[i] * x[i]); ";
  const std::string standard =
      "extern \"C\" __device__ void gauss(const double *x, double *f, const void *) " + body + "f[0] = s; }\n";
  const auto link = [&](const char *what, source_language language, const std::string &bytes,
                        const std::string &function, bool inlined, integrand_form form = integrand_form::automatic) {
    if (bytes.empty()) return;
    integrand_source s = make(language, bytes, function);
    s.form = form;
    try {
      is_module(compile_integrand(s, kernel(), where(), nullptr), what, inlined);
    } catch (const compile_error &e) {
      check(false, std::string(what) + ": " + e.what() + "\n" + e.log());
    }
  };
  const auto lto = source_language::ltoir;
  const auto ptx = source_language::ptx;
  const std::string object = build("a.o", standard, {"-dc", "-dlto", "-arch=sm_80"});
  link("object", lto, object, "gauss", true);
  if (!checks::sanitized) {
    link("fatbin", lto,
         build("a.fatbin", standard, {"-rdc=true", "-gencode", "arch=compute_90,code=lto_90", "-fatbin"}), "gauss",
         true);
    link("raw LTO-IR", lto, build("a.ltoir", standard, {"-dlto", "-rdc=true", "-ltoir", "-arch=sm_90"}), "gauss", true);
    const std::string own = build(
        "b.o",
        "extern \"C\" __device__ void tessera_f(const double *x, double *f, const void *) " + body + "f[0] = s; }\n",
        {"-dc", "-dlto", "-arch=sm_90"});
    link("tessera_f itself", lto, own, "tessera_f", true);
    link("C++ scalar", lto,
         build("c.o", "namespace my { __device__ double gauss(const double *x) " + body + "return s; } }\n",
               {"-dc", "-dlto", "-arch=sm_90"}),
         "my::gauss", true);
  }
  link("C++ scalar, parameters", lto,
       build("d.o",
             "__device__ double gauss(const double *x, const void *p) " + body + "return s * *(const double *)p; }\n",
             {"-dc", "-dlto", "-arch=sm_90"}),
       "gauss", true);
  const std::string scalar =
      build("e.o", "extern \"C\" __device__ double gauss(const double *x) " + body + "return s; }\n",
            {"-dc", "-dlto", "-arch=sm_90"});
  link("C scalar", lto, scalar, "gauss", true, integrand_form::scalar);
  fails("C scalar whose form is not said", jit_stage::link, "mine.src: 'gauss' writes nothing to its second argument",
        [&] { compile_integrand(make(lto, scalar, "gauss"), kernel(), where(), nullptr); });
  if (!checks::sanitized)
    link("a constant", lto,
         build("f.o", "extern \"C\" __device__ void gauss(const double *, double *f, const void *) { f[0] = 0; }\n",
               {"-dc", "-dlto", "-arch=sm_90"}),
         "gauss", true);
  fails("no such function", jit_stage::link, "no function 'other'",
        [&] { compile_integrand(make(lto, object, "other"), kernel(), where(), nullptr); });
  for (unsigned seed = 1; seed <= (checks::sanitized ? 1 : 4);
       ++seed) {  // what makes nvJitLink crash stays in the child
    std::string damaged = object;
    std::srand(seed);
    for (std::size_t i = 0; !damaged.empty() && i < 60; ++i)
      damaged[64 + static_cast<std::size_t>(std::rand()) % (damaged.size() - 64)] = static_cast<char>(std::rand());
    fails("damaged object", jit_stage::link, "mine.src",
          [&] { compile_integrand(make(lto, damaged, "gauss"), kernel(), where(), nullptr); });
  }
  const std::string machine = build("machine.o", standard, {"-dc", "-arch=sm_90"});
  link("machine code", lto, machine, "gauss", false);
  fails("no code", jit_stage::link, "mine.src",
        [&] { compile_integrand(make(lto, "this is no object file", "f"), kernel(), where(), nullptr); });
  const std::string vector = build("a.ptx", standard, {"-ptx", "-rdc=true", "-arch=sm_80"});
  link("PTX", ptx, vector, "gauss", false);
  if (!checks::sanitized)
    link("PTX, scalar", ptx,
         build("b.ptx", "__device__ double gauss(const double *x) " + body + "return s; }\n",
               {"-ptx", "-rdc=true", "-arch=sm_90"}),
         "gauss", false);
  // as gcc writes it: types of the parameters named, not visible
  std::string foreign = vector;
  for (std::size_t at; (at = foreign.find(".param .b64")) != std::string::npos;) foreign.replace(at, 11, ".param .u64");
  const std::size_t visible = foreign.find(".visible .func");
  if (visible != std::string::npos) foreign.erase(visible, 9);
  link("PTX of another compiler", ptx, foreign, "gauss", false);
  fails("PTX without the function", jit_stage::translate, "the PTX defines no function 'other'; it has gauss",
        [&] { compile_integrand(make(ptx, vector, "other"), kernel(), where(), nullptr); });
  std::string broken = vector;
  broken.replace(broken.find("ret;"), 4, "rot;");
  fails("broken PTX", jit_stage::link, "mine.src",
        [&] { compile_integrand(make(ptx, broken, "gauss"), kernel(), where(), nullptr); });
  fails("no helper", jit_stage::load, "tessera-jitlink", [&] {
    target t = where();
    t.helper = "/nonexistent/tessera-jitlink";
    compile_integrand(make(ptx, vector, "gauss"), kernel(), t, nullptr);
  });
}

}  // namespace

int main(int argc, char **argv) {
  helper = argc > 1 ? argv[1] : "";
  nvcc = argc > 2 ? argv[2] : "";
  try {
    nvrtc();
    nvjitlink();
  } catch (const compile_error &e) {
    std::printf("skipped: %s\n", e.what());
    return 77;
  }
  languages();
  cached();
  errors();
  more_c();
  files();
  compiled_code();
  check(describe_flags(0).empty() && contains(describe_flags(3), "printed") && contains(describe_flags(3), "exit"),
        "flags");
  try {
    cuda();
    std::printf("there is a driver\n");
  } catch (const device_error &e) {
    check(e.missing() && contains(e.what(), "driver"), std::string("no driver: ") + e.what());
  }
  return checks::summary();
}
