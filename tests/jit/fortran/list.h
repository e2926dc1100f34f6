/* The integrands of this directory, from plain to nasty, with what a solver is told of them. SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESSERA_FORTRAN_LIST_H
#define TESSERA_FORTRAN_LIST_H

struct fortran_integrand {
  const char *file, *function;
  int ndim, ncomp;
  double tolerance; /* of the largest value, between GNU's compiler and LLVM's; 0: the same bits */
};

/* Not the same bits: sums and products in another order (matmul, norm2), complex functions of our own. */
static const struct fortran_integrand fortran_integrands[] = {
    {"sum_of_roots.f90", "sum_of_roots", 3, 1, 0.0},
    {"lorentz.f", "lorentz", 1, 1, 0.0},
    {"fourier.f90", "fourier", 3, 2, 0.0},
    {"array_functions.f90", "array_functions::arrays", 3, 2, 1e-15},
    {"automatic_arrays.f90", "automatic", 4, 2, 0.0},
    {"feynman_loop.f90", "feynman_loop", 3, 3, 1e-14},
    {"derived_types.f90", "derived", 2, 2, 0.0},
    {"common_polynomial.f", "FUNSUB", 3, 2, 0.0},
    {"special_functions.f90", "special", 4, 3, 0.0},
    {"beta_binomial.f90", "posterior", 2, 1, 0.0},
    {"normal_probability.f", "MVNPRB", 4, 2, 0.0},
    {"table_in_common.f", "TABLED", 2, 1, 0.0},
    {"first_call.f90", "first_call", 2, 1, 0.0},
    {"equivalence.f", "EQUIV", 2, 1, 0.0},
    {"entry_points.f", "SHIFTED", 2, 1, 0.0},
    {"external_argument.f", "WITHEX", 2, 1, 0.0},
    {"type_bound.f90", "bound_calls", 3, 1, 0.0},
    {"whole_program.f90", "peak", 2, 1, 0.0},
    {"statement_functions.f", "STMTFN", 2, 1, 0.0},
    {"local_allocation.f90", "local_allocation", 3, 1, 0.0},
    {"recursion.f90", "by_recursion", 2, 1, 0.0},
    {"concurrent.f90", "concurrent_loops", 2, 2, 1e-14},
    {"cuba_user_data.f", "INTGND", 3, 1, 0.0},
    {"matrix_inverse.f90", "quadratic", 2, 2, 0.0}};
enum { fortran_integrand_count = sizeof fortran_integrands / sizeof fortran_integrands[0] };

/* The parameter block of all of them; only cuba_user_data.f reads it. */
static const double fortran_parameters[2] = {1.25, 0.75};

#endif
