// From an expression as a user writes it to the C text of an integrand. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace tessera {

struct expression_text {
  std::string text;   // C: double f(const double *x)
  int variables = 0;  // the highest that is used, counted from 1
};

// `names`: of the variables, in their order; empty: x, y, z, u, v, w. x1, x2, ... and x[0], x[1], ... are always there. ndim 0: unknown.
// Numbers are double precision, 1/2 is 0.5; a^b and a**b are pow(a, b). Throws command_failure, which says what is wrong and where.
expression_text read_expression(const std::string &expression, const std::vector<std::string> &names, int ndim);

// Is it a name that a variable may have? No function's, and of the form of C's.
bool is_variable_name(const std::string &name);

// A limit: [+-] products and quotients of numbers, pi and inf. Throws command_failure.
double read_limit(const std::string &text);

}  // namespace tessera
