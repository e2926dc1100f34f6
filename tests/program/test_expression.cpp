// Expressions of the program tessera: what they mean, and what is said of those that mean nothing.
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

extern "C" {
#include "close.h"
}
#include "program/expression.hpp"
#include "program/program.hpp"
#include "tessera.h"

namespace {

using tessera::read_expression;
using tessera::read_limit;

struct meaning {
  const char *expression;
  double (*value)(double x, double y);
};

const meaning meanings[] = {
    {"1/2*x", [](double x, double) { return 0.5 * x; }},
    {"x - y - 1 + 2", [](double x, double y) { return x - y - 1.0 + 2.0; }},
    {"x / y / 2 * 3", [](double x, double y) { return x / y / 2.0 * 3.0; }},
    {"-x^2", [](double x, double) { return -(x * x); }},
    {"2^-y", [](double, double y) { return std::pow(2.0, -y); }},
    {"2^3^x", [](double x, double) { return std::pow(2.0, std::pow(3.0, x)); }},
    {"x**2*y", [](double x, double y) { return x * x * y; }},
    {"x1 + 10*x2 + 100*x[0] + 1000*x[ 1 ]", [](double x, double y) { return 101.0 * x + 1010.0 * y; }},
    {"x < y", [](double x, double y) { return x < y ? 1.0 : 0.0; }},
    {"(x < y)/2 + !(x < y)/4", [](double x, double y) { return x < y ? 0.5 : 0.25; }},
    {"x < 0.5 && y > 0.25 || x == y ? 3 : x >= 0.5 ? 4 : 5",
     [](double x, double y) { return (x < 0.5 && y > 0.25) || x == y ? 3.0
                                     : x >= 0.5                      ? 4.0
                                                                     : 5.0; }},
    {"abs(x - y) + min(x, y) + max(x, 2) + ln(x)",
     [](double x, double y) { return std::fabs(x - y) + std::fmin(x, y) + 2.0 + std::log(x); }},
    {"exp(-x*y)*sin(pi*x)+e", [](double x, double y) { return std::exp(-x * y) * std::sin(M_PI * x) + M_E; }},
    {"1.5e2*x+.5+2.*y+1E-1", [](double x, double y) { return 150.0 * x + 0.5 + 2.0 * y + 0.1; }},
    {"- - +x - -y", [](double x, double y) { return x + y; }},
    {"hypot(x,y)+atan2(y,x)+fma(x,y,1)+cbrt(x)+erf(y)", [](double x, double y) {
       return std::hypot(x, y) + std::atan2(y, x) + x * y + 1.0 + std::cbrt(x) + std::erf(y);
     }}};
constexpr int count = static_cast<int>(sizeof meanings / sizeof meanings[0]);

// All of them in one text, compiled once.
void means_what_it_says(void **) {
  std::string text = "#include <math.h>\n";
  std::string all = "int all(int ndim, const double *x, int ncomp, double *f, void *userdata) {\n";
  for (int k = 0; k < count; ++k) {
    std::string one = read_expression(meanings[k].expression, {}, 2).text;
    const std::string name = "f" + std::to_string(k);
    one.replace(one.find("double f("), 9, "static double " + name + "(");
    text += one;
    all += "  f[" + std::to_string(k) + "] = " + name + "(x);\n";
  }
  tessera_solver *s;
  assert_int_equal(0, tessera_create(&s, 2, count));
  assert_int_equal(
      0, tessera_set_integrand_source(s, TESSERA_LANGUAGE_C, (text + all + "  return 0;\n}\n").c_str(), "all"));
  constexpr int n = 3;
  const double x[2 * n] = {0.25, 0.75, 0.625, 0.5, 0.125, 0.625};
  std::vector<double> f(static_cast<std::size_t>(n * count));
  const int status = tessera_evaluate(s, n, x, f.data());
  if (status == TESSERA_ERR_NOT_BUILT) skip();
  assert_int_equal(0, status);
  for (int k = 0; k < count; ++k)
    for (int i = 0; i < n; ++i) {
      const double expected = meanings[k].value(x[i], x[n + i]);
      const double got = f[static_cast<std::size_t>(k * n + i)];
      if (!(std::fabs(got - expected) <= 1e-14 * std::fabs(expected) + 1e-15))
        fail_msg("%s at %g, %g: %.17g, not %.17g", meanings[k].expression, x[i], x[n + i], got, expected);
    }
  tessera_destroy(s);
}

std::string refusal(const std::string &expression, const std::vector<std::string> &names = {}, int ndim = 0) {
  try {
    read_expression(expression, names, ndim);
  } catch (const tessera::command_failure &e) {
    return e.status() == tessera::exit_usage ? e.what() : "another status";
  }
  return "accepted";
}

void is_refused(const std::string &expression, const char *part) {
  const std::string said = refusal(expression);
  if (said.find(part) == std::string::npos)
    fail_msg("'%s': '%s', without '%s'", expression.c_str(), said.c_str(), part);
}

void nonsense_is_refused(void **) {
  is_refused("", "something is missing: at its end");
  is_refused("   ", "something is missing");
  is_refused("x +", "something is missing");
  is_refused("x y", "an operator is missing here: 'y'");
  is_refused("2x", "after the number 2");
  is_refused("1.2.3", "after the number 1.2");
  is_refused("0x10", "after the number 0");
  is_refused("(x", "a ')' is missing");
  is_refused("x)", "no '(' for this");
  is_refused("q + 1", "q is no variable (x, y, z, u, v, w, or x1, x2, ...)");
  is_refused("system(x)", "no function system");
  is_refused("sin", "a '(' belongs behind the function sin");
  is_refused("sin(x, y)", "sin has 1 argument");
  is_refused("pow(x)", "pow has 2 arguments");
  is_refused("x ? 1", "a ':' is missing");
  is_refused("0 < x < 1", "two comparisons in a row");
  is_refused("x % 2", "fmod");
  is_refused("x; y", "an operator is missing here: '; y'");
  is_refused("x /* */", "a number, a variable or a function belongs here");
  is_refused("\"x\"", "belongs here");
  is_refused("x[-1]", "a whole number");
  is_refused("x[1.5]", "']' is missing");
  is_refused("x[2000]", "there is no variable x[2000]");
  is_refused("x0", "x0 is no variable");
  is_refused("1e999", "too large");
  is_refused(std::string(3000, '('), "brackets within brackets");
  is_refused(std::string(3000, '-') + "x", "brackets within brackets");
  is_refused(std::string(200001, 'x'), "100000 characters");
  is_refused("\xc3\xa9", "belongs here");
}

void variables_are_counted(void **) {
  assert_int_equal(0, read_expression("1 + pi", {}, 0).variables);
  assert_int_equal(3, read_expression("z", {}, 0).variables);
  assert_int_equal(12, read_expression("x12 + x", {}, 0).variables);
  assert_int_equal(1024, read_expression("x[1023]", {}, 0).variables);
  assert_int_equal(2, read_expression("e*a", {"a", "e"}, 0).variables);  // a name goes before a constant
  assert_non_null(std::strstr(refusal("x3", {}, 2).c_str(), "there is no variable x3, for there are 2"));
  assert_non_null(std::strstr(refusal("y", {}, 1).c_str(), "there is no variable y, for there is one"));
  assert_non_null(std::strstr(refusal("z", {"a", "b"}, 2).c_str(), "z is no variable (a, b"));
  assert_true(tessera::is_variable_name("a_1") && !tessera::is_variable_name("1a") &&
              !tessera::is_variable_name("sin") && !tessera::is_variable_name(""));
}

void limits_are_numbers(void **) {
  assert_true(read_limit("-2.5e1") == -25.0 && read_limit("+3") == 3.0);
  assert_true(read_limit("inf") == INFINITY && read_limit("-infinity") == -INFINITY);
  assert_true(read_limit("pi/2") == std::acos(-1.0) / 2.0 && read_limit("-3*pi/4") == -3.0 * std::acos(-1.0) / 4.0);
  for (const char *bad : {"", "-", "x", "1+1", "1e999", "nan", "inf/inf", "0*inf", "1*", "0x10p", "--1", "1 2"}) {
    bool refused = false;
    try {
      read_limit(bad);
    } catch (const tessera::command_failure &e) {
      refused = e.status() == tessera::exit_usage;
    }
    if (!refused) fail_msg("'%s' is taken for a limit", bad);
  }
}

}  // namespace

int main() {
  const struct CMUnitTest tests[] = {cmocka_unit_test(means_what_it_says), cmocka_unit_test(nonsense_is_refused),
                                     cmocka_unit_test(variables_are_counted), cmocka_unit_test(limits_are_numbers)};
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
