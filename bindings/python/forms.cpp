// What the Python module has in compiled code: functions in the forms that other programs know, as integrands at a point, whose userdata is the
// address of a form; and many statistics in one call.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdint>

namespace {
struct form {
  void (*function)();
  void *userdata;
};

template <class F>
F *as(const form &f) {
  return reinterpret_cast<F *>(f.function);
}

const form &of(void *userdata) { return *static_cast<const form *>(userdata); }
}  // namespace

#define TESSERA_FORM(name)                                                                                \
  extern "C" __attribute__((visibility("default"))) int tessera_form_##name(                              \
      [[maybe_unused]] int ndim, [[maybe_unused]] const double *x, [[maybe_unused]] int ncomp, double *f, \
      void *userdata)

// double f(int n, double *x) and double f(int n, double *x, void *user_data), as scipy.integrate.nquad has them.
TESSERA_FORM(count_point) {
  f[0] = as<double(int, const double *)>(of(userdata))(ndim, x);
  return 0;
}
TESSERA_FORM(count_point_data) {
  f[0] = as<double(int, const double *, void *)>(of(userdata))(ndim, x, of(userdata).userdata);
  return 0;
}

// double f(const double *x) and double f(const double *x, void *user_data).
TESSERA_FORM(point) {
  f[0] = as<double(const double *)>(of(userdata))(x);
  return 0;
}
TESSERA_FORM(point_data) {
  f[0] = as<double(const double *, void *)>(of(userdata))(x, of(userdata).userdata);
  return 0;
}

// double f(double x0, double x1, ...), in up to six variables.
TESSERA_FORM(coordinates) {
  const form &g = of(userdata);
  switch (ndim) {
    case 1:
      f[0] = as<double(double)>(g)(x[0]);
      return 0;
    case 2:
      f[0] = as<double(double, double)>(g)(x[0], x[1]);
      return 0;
    case 3:
      f[0] = as<double(double, double, double)>(g)(x[0], x[1], x[2]);
      return 0;
    case 4:
      f[0] = as<double(double, double, double, double)>(g)(x[0], x[1], x[2], x[3]);
      return 0;
    case 5:
      f[0] = as<double(double, double, double, double, double)>(g)(x[0], x[1], x[2], x[3], x[4]);
      return 0;
    case 6:
      f[0] = as<double(double, double, double, double, double, double)>(g)(x[0], x[1], x[2], x[3], x[4], x[5]);
      return 0;
    default:
      return 1;
  }
}
// double f(double x, void *user_data).
TESSERA_FORM(number_data) {
  f[0] = as<double(double, void *)>(of(userdata))(x[0], of(userdata).userdata);
  return 0;
}

// int f(unsigned ndim, const double *x, void *fdata, unsigned fdim, double *fval), as S. G. Johnson's cubature has it.
TESSERA_FORM(hcubature) {
  return as<int(unsigned, const double *, void *, unsigned, double *)>(of(userdata))(
      static_cast<unsigned>(ndim), x, of(userdata).userdata, static_cast<unsigned>(ncomp), f);
}

// int f(const int *ndim, const double x[], const int *ncomp, double f[], void *userdata), as Cuba has it.
TESSERA_FORM(cuba) {
  return as<int(const int *, const double *, const int *, double *, void *)>(of(userdata))(&ndim, x, &ncomp, f,
                                                                                           of(userdata).userdata);
}

// tessera_get_int or tessera_get_real for many keys; what a solver does not have becomes 0.
extern "C" __attribute__((visibility("default"))) void tessera_form_integers(int (*get)(const void *solver, int key,
                                                                                        std::int64_t *value),
                                                                             const void *solver, int n, const int *keys,
                                                                             std::int64_t *values) {
  for (int i = 0; i < n; ++i)
    if (get(solver, keys[i], &values[i]) < 0) values[i] = 0;
}
extern "C" __attribute__((visibility("default"))) void tessera_form_reals(int (*get)(const void *solver, int key,
                                                                                     double *value),
                                                                          const void *solver, int n, const int *keys,
                                                                          double *values) {
  for (int i = 0; i < n; ++i)
    if (get(solver, keys[i], &values[i]) < 0) values[i] = 0;
}
