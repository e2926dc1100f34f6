// Source integrands on the host: values, errors with the user's file and line, cache. Skipped without a compiler.
// SPDX-License-Identifier: BSD-3-Clause
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>

#include <stdlib.h>

#include "checks.hpp"
#include "jit/host_compiler.hpp"
#include "jit/process.hpp"
#include "texts.hpp"

using namespace tessera;
using checks::check;
using checks::fails;

namespace {

integrand_source make(source_language language, const std::string &text, const std::string &function = "f") {
  integrand_source s;
  s.language = language;
  s.text = text;
  s.function = function;
  s.file_name = "mine.src";
  return s;
}

void values(code_cache *cache, cache_hit expected) {
  for (const example &e : examples()) {
    integrand_source s = make(e.language, e.text, e.function);
    const compiled_source c(s, e.ndim, e.ncomp, cache, "test");
    check(c.hit() == expected, std::string(e.name) + ": where it came from");
    constexpr int n = 50, ldx = 53, ldf = 51;
    std::vector<double> x(ldx * e.ndim), f(ldf * e.ncomp, -7.0);
    for (int j = 0; j < e.ndim; ++j)
      for (int i = 0; i < n; ++i) x[j * ldx + i] = std::fmod(0.618 * (i + 1) * (j + 2), 1.0);
    double params[4];
    std::memcpy(params, example_params, sizeof params);
    check(c.function()(n, e.ndim, x.data(), ldx, e.ncomp, f.data(), ldf, params) == 0,
          std::string(e.name) + ": status");
    double worst = 0.0;
    for (int i = 0; i < n; ++i) {
      double p[16], v[16];
      for (int j = 0; j < e.ndim; ++j) p[j] = x[j * ldx + i];
      e.reference(p, v, example_params);
      for (int k = 0; k < e.ncomp; ++k) {
        const double d = std::fabs(v[k] - f[k * ldf + i]) / std::fmax(1.0, std::fabs(v[k]));
        worst = d <= worst ? worst : d;
        if (!(d <= 1e-13)) worst = 1.0;
      }
    }
    check(worst <= 1e-13, std::string(e.name) + ": values differ by " + std::to_string(worst));
    std::printf("%-14s %.3f s, largest difference %.1e\n", e.name, c.seconds(), worst);
  }
}

void compile(source_language language, const std::string &text, int ncomp = 1, const std::string &function = "f") {
  const compiled_source c(make(language, text, function), 2, ncomp, nullptr, "test");
}

void errors() {
  const auto cxx = source_language::cuda_cxx;
  const auto c = source_language::c_point;
  fails("C++ error", jit_stage::compile, "mine.src(3): error:", [&] {
    compile(cxx, "double f(const double *x) {\n  double y = x[0];\n  return sinn(y);\n}\n");
  });
  fails("C error", jit_stage::compile, "mine.src(4): error:", [&] {
    compile(c,
            "#include <math.h>\nint f(int n, const double *x, int m, double *v, void *p) {\n  v[0] = x[0];\n"
            "  return undeclared;\n}\n");
  });
  fails("no function", jit_stage::compile, "defines no function 'f'",
        [&] { compile(cxx, "double g(const double *x);\n"); });
  fails("no function, C", jit_stage::translate, "defines no function 'f'; it defines g",
        [&] { compile(c, "int g(void) { return 1; }\n"); });
  fails("scalar for a vector", jit_stage::compile, "this solver has more",
        [&] { compile(cxx, "double f(const double *x) { return x[0]; }\n", 2); });
  fails("wrong form", jit_stage::compile, "the integrand must be",
        [&] { compile(cxx, "int f(int a) { return a; }\n"); });
  fails("parameters, C", jit_stage::translate, "has 3 parameters",
        [&] { compile(c, "int f(int n, const double *x, int m) { return 0; }\n"); });
  fails("a value for a vector, C", jit_stage::compile, "this solver has more",
        [&] { compile(c, "double f(const double *x) { return x[0]; }\n", 2); });
  fails("a value that is no double", jit_stage::compile, "the integrand must be double f(const double *x) or",
        [&] { compile(c, "float f(const double *x, const void *p) { return x[0]; }\n"); });
  fails("a number for a point", jit_stage::compile,
        "mine.src(1): error: ", [&] { compile(c, "double f(double x) { return x; }\n"); });
  fails("undefined function", jit_stage::link, "dgetrf_", [&] {
    compile(c,
            "int dgetrf_(int *);\nint f(int n, const double *x, int m, double *v, void *p) { return dgetrf_(&n); }\n");
  });
  fails("device code", jit_stage::translate, "cannot run on the host", [&] { compile(source_language::ptx, "//"); });
  fails("empty", jit_stage::translate, "empty", [&] { compile(c, ""); });
}

void status() {
  const std::string text =
      "int f(int n, const double *x, int m, double *v, void *p) { v[0] = 1; return x[0] > 0.5 ? 12 : 0; }";
  double x[2] = {0.25, 0.75}, f[2] = {0, 0};
  const compiled_source c(make(source_language::c_point, text), 1, 1, nullptr, "test");
  check(c.function()(2, 1, x, 2, 1, f, 2, nullptr) == 12, "the integrand's status comes back");
  const std::string cuba =
      "static int f(const int *n, const double x[], const int *m, double v[], void *p) {"
      " v[0] = *n; return x[0] > 0.5 ? -999 : 3; }";
  const compiled_source d(make(source_language::c_cuba, cuba), 1, 1, nullptr, "test");
  check(d.function()(1, 1, x, 1, 1, f, 1, nullptr) == 0 && f[0] == 1.0, "Cuba: other values are no stop");
  check(d.function()(2, 1, x, 2, 1, f, 2, nullptr) == -999, "Cuba: -999 stops");
  const compiled_source e(make(source_language::c_point,
                               "static int count;\nint f(int n, const double *x, int m, double *v, "
                               "void *p) { count = 1; v[0] = count; return 0; }"),
                          1, 1, nullptr, "test");
  check(e.one_thread() && !c.one_thread(), "static variables that are written: one thread");
}

void no_compiler() {
  const std::string path = getenv("PATH"), cxx = getenv("CXX") ? getenv("CXX") : "",
                    cc = getenv("CC") ? getenv("CC") : "";
  setenv("PATH", "/nonexistent", 1);
  unsetenv("CXX");
  unsetenv("CC");
  fails("no C++ compiler", jit_stage::load, "there is no C++ compiler",
        [] { compile(source_language::cuda_cxx, "double f(const double *x) { return 1; }"); });
  unsetenv("PATH");  // the usual places
  compile(source_language::cuda_cxx, "double f(const double *x) { return 1; }");
  setenv("PATH", path.c_str(), 1);
  setenv("CXX", "/nonexistent/g++ -O1", 1);
  setenv("CC", "no-such-compiler", 1);
  fails("a C++ compiler that is not there", jit_stage::load, "'/nonexistent/g++' that $CXX names is not there",
        [] { compile(source_language::cuda_cxx, "double f(const double *x) { return 1; }"); });
  fails("a C compiler that is not there", jit_stage::load, "'no-such-compiler' that $CC names is not there", [] {
    compile(source_language::c_point,
            "int f(int n, const double *x, int m, double *y, void *u) { y[0] = 1; return 0; }");
  });
  unsetenv("CXX");
  unsetenv("CC");
  if (!cxx.empty()) setenv("CXX", cxx.c_str(), 1);
  if (!cc.empty()) setenv("CC", cc.c_str(), 1);
}

// Files in the cache that are as whole as they were written but no code, and pipes in their places: compiled again.
void files_that_are_no_code(const cache_settings &settings) {
  std::vector<std::string> keys;
  DIR *directory = opendir(settings.directory.c_str());
  while (const dirent *e = readdir(directory)) {
    const std::string name = e->d_name;
    if (name.size() > 4 && name.compare(name.size() - 4, 4, ".bin") == 0)
      keys.push_back(name.substr(0, name.size() - 4));
  }
  closedir(directory);
  check(keys.size() == examples().size(), "a file for each example");
  code_cache cache(settings);
  for (const std::string &key : keys) cache.store(key, "not a library");
  values(&cache, cache_hit::none);
  values(&cache, cache_hit::disk);
  for (const std::string &key : keys) {
    const std::string path = settings.directory + "/" + key + ".bin";
    unlink(path.c_str());
    check(mkfifo(path.c_str(), 0600) == 0, "a pipe");
  }
  alarm(120);
  values(&cache, cache_hit::none);
  values(&cache, cache_hit::disk);
  alarm(0);
}

// A header that the compiler finds by itself is part of what the cache looks for: here another content is another code.
void included_files_that_change(code_cache &cache) {
  const temporary_directory work;
  const auto value = [&](source_language language, const std::string &text) {
    const compiled_source c(make(language, text, "f"), 1, 1, &cache, "test");
    const double x = 1.0;
    double f = 0.0;
    c.function()(1, 1, &x, 1, 1, &f, 1, nullptr);
    return f;
  };
  const std::string point = "int f(int n, const double *x, int m, double *y, void *u) { y[0] = K * x[0]; return 0; }\n";
  const struct {
    const char *what, *variable;
    std::string setting;
    source_language language;
    std::string text;
  } ways[] = {
      {"by CPATH", "CPATH", work.path(), source_language::c_point, "#include <kept.h>\n" + point},
      {"by CPATH, C++", "CPATH", work.path(), source_language::cuda_cxx,
       "#include <kept.h>\ndouble f(const double *x) { return K * x[0]; }\n"},
      {"by the compiler's words", "CC", "cc -I" + work.path(), source_language::c_point, "#include <kept.h>\n" + point},
      {"computed", "CPATH", work.path(), source_language::c_point,
       "#define WHICH <kept.h>\n # include WHICH\n" + point},
  };
  for (const auto &way : ways) {
    setenv(way.variable, way.setting.c_str(), 1);
    for (const double k : {1.0, 2.0, 3.0, 2.0}) {
      write_file(work.file("kept.h"), "#define K " + std::to_string(k) + "\n");
      const double v = value(way.language, way.text);
      check(v == k, std::string(way.what) + ": " + std::to_string(v) + " in place of " + std::to_string(k));
    }
    unsetenv(way.variable);
  }
}

}  // namespace

int main() {
  try {
    compile(source_language::cuda_cxx, "double f(const double *x) { return x[0]; }\n");
  } catch (const compile_error &e) {
    std::printf("skipped: %s\n", e.what());
    return 77;
  }
  const temporary_directory work;
  cache_settings settings;
  settings.directory = work.path();
  settings.memory = false;
  code_cache cache(settings);
  values(nullptr, cache_hit::none);
  values(&cache, cache_hit::none);
  values(&cache, cache_hit::disk);
  files_that_are_no_code(settings);
  included_files_that_change(cache);
  errors();
  status();
  no_compiler();
  return checks::summary();
}
