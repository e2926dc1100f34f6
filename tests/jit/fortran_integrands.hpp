// Integrands in Fortran, from plain to nasty, with what a solver would be told of them. Their texts stand in fortran/.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "jit/fortran/fortran_text.hpp"
#include "text_file.hpp"

namespace fortran_integrands {

struct integrand {
  const char *file, *function;
  int ndim, ncomp;
  double tolerance;  // of the largest value, between GNU's compiler and LLVM's; 0: the same bits
};

// Not the same bits: sums and products in another order (matmul, norm2, whole powers), complex functions of our own.
inline const std::vector<integrand> &all() {
  static const std::vector<integrand> list = {
      {"sum_of_roots.f90", "sum_of_roots", 3, 1, 0.0},
      {"lorentz.f", "lorentz", 1, 1, 0.0},
      {"fourier.f90", "fourier", 3, 2, 1e-14},
      {"array_functions.f90", "array_functions::arrays", 3, 2, 1e-14},
      {"automatic_arrays.f90", "automatic", 4, 2, 1e-14},
      {"feynman_loop.f90", "feynman_loop", 3, 3, 1e-13},
      {"derived_types.f90", "derived", 2, 2, 1e-14},
      {"common_polynomial.f", "FUNSUB", 3, 2, 1e-14},
      {"special_functions.f90", "special", 4, 3, 1e-13},
      {"beta_binomial.f90", "posterior", 2, 1, 1e-12},
      {"normal_probability.f", "MVNPRB", 4, 2, 1e-14},
      {"table_in_common.f", "TABLED", 2, 1, 0.0},
      {"first_call.f90", "first_call", 2, 1, 1e-14},
      {"equivalence.f", "EQUIV", 2, 1, 0.0},
      {"entry_points.f", "SHIFTED", 2, 1, 0.0},
      {"external_argument.f", "WITHEX", 2, 1, 1e-14},
      {"type_bound.f90", "bound_calls", 3, 1, 1e-14},
      {"whole_program.f90", "peak", 2, 1, 1e-14},
      {"statement_functions.f", "STMTFN", 2, 1, 1e-14},
      {"local_allocation.f90", "local_allocation", 3, 1, 1e-14},
      {"recursion.f90", "by_recursion", 2, 1, 1e-14},
      {"concurrent.f90", "concurrent_loops", 2, 2, 1e-13},
      {"cuba_user_data.f", "INTGND", 3, 1, 0.0},
      {"matrix_inverse.f90", "quadratic", 2, 2, 1e-11}};
  return list;
}

// The parameter block of all of them; only cuba_user_data reads it.
inline const std::vector<double> &parameters() {
  static const std::vector<double> p = {1.25, 0.75};
  return p;
}

inline tessera::integrand_source read(const std::string &directory, const integrand &i) {
  tessera::integrand_source s;
  s.language = tessera::source_language::fortran;
  s.function = i.function;
  s.file_name = directory + "/" + i.file;
  s.fixed_form = tessera::fixed_by_suffix(s.file_name);
  const std::string why = tessera::read_text_file(s.file_name, s.text);
  if (!why.empty()) throw std::runtime_error(s.file_name + ": " + why);
  return s;
}

}  // namespace fortran_integrands
