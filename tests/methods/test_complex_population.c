/* Random complex integrands that know their integrals, by every method: no success may have an error whose modulus is above the tolerance. By
 * Monte Carlo and lattice rules there may be as many of them as the confidence allows, and one in 200 for what real components have in it too (a
 * jump that bisection comes to lie beside, docs/quadrature.md). Waves, propagators near the axis, damped waves, kinks, jumps and
 * complex powers along each axis; one value in three is turned so that it is real, one in six so that it is imaginary.
 * Usage: methods_complex_population [INSTANCES [SEED]]
 * SPDX-License-Identifier: BSD-3-Clause */
#include <complex.h>
#include <math.h>
#include <stdlib.h>

#include "cases.h"
#include "solve.h"

typedef double _Complex number;

enum { most_ndim = 4, most_terms = 2, families = 6 };
enum family { WAVE, PROPAGATOR, DAMPED, KINK, JUMP, POWER };

struct factor {
  enum family family;
  double a, b, c;
};
struct instance {
  int ndim, terms;
  struct factor factor[most_terms][most_ndim];
  number weight[most_terms], turn;
};

static number factor_at(const struct factor *f, double x) {
  switch (f->family) {
    case WAVE:
      return cexp(I * f->a * x);
    case PROPAGATOR:
      return 1 / (x - f->c + I * f->b);
    case DAMPED:
      return cexp(CMPLX(f->a, f->b) * x);
    case KINK:
      return fabs(x - f->c) * cexp(I * f->a);
    case JUMP:
      return cexp(I * (x < f->c ? f->a : f->b));
    default:
      return x > 0 ? cexp(CMPLX(f->c, f->a) * log(x)) : 0;
  }
}

static number factor_integral(const struct factor *f) {
  switch (f->family) {
    case WAVE:
      return (cexp(I * f->a) - 1) / (I * f->a);
    case PROPAGATOR:
      return clog(CMPLX(1 - f->c, f->b) / CMPLX(-f->c, f->b));
    case DAMPED:
      return (cexp(CMPLX(f->a, f->b)) - 1) / CMPLX(f->a, f->b);
    case KINK:
      return 0.5 * (f->c * f->c + (1 - f->c) * (1 - f->c)) * cexp(I * f->a);
    case JUMP:
      return f->c * cexp(I * f->a) + (1 - f->c) * cexp(I * f->b);
    default:
      return 1 / CMPLX(1 + f->c, f->a);
  }
}

static int at_point(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  const struct instance *const p = userdata;
  number sum = 0;
  for (int m = 0; m < p->terms; ++m) {
    number product = p->weight[m];
    for (int j = 0; j < ndim; ++j) product *= factor_at(&p->factor[m][j], x[j]);
    sum += product;
  }
  sum *= p->turn;
  (void)ncomp;
  f[0] = creal(sum);
  f[1] = cimag(sum);
  return 0;
}

static double between(uint64_t *state, double low, double high) { return low + (high - low) * splitmix_uniform(state); }
static int one_of(uint64_t *state, int n) { return (int)(splitmix_uniform(state) * n); }

static number draw(uint64_t *state, int ndim, int rough, struct instance *p) {
  memset(p, 0, sizeof *p);
  p->ndim = ndim;
  p->terms = 1 + one_of(state, most_terms);
  p->turn = 1;
  number exact = 0;
  for (int m = 0; m < p->terms; ++m) {
    number product = p->weight[m] = CMPLX(between(state, -1, 1), between(state, -1, 1));
    for (int j = 0; j < ndim; ++j) {
      struct factor *const f = &p->factor[m][j];
      f->family = (enum family)one_of(state, rough ? families : KINK);
      f->c = between(state, 0.1, 0.9);
      f->a = between(state, -12, 12);
      f->b = pow(10, between(state, ndim > 2 ? -0.7 : -2, 0));
      if (f->family == DAMPED) f->a = between(state, -3, 3), f->b = between(state, -8, 8);
      if (f->family == JUMP) f->b = f->a + between(state, 0.3, 3);
      if (f->family == POWER) f->c = between(state, -0.4, 1.5), f->a = between(state, -2, 2);
      product *= factor_integral(f);
    }
    exact += product;
  }
  const int turned = one_of(state, 6);
  if (turned < 2) p->turn = conj(exact) / cabs(exact);
  if (turned == 2) p->turn = I * conj(exact) / cabs(exact);
  return exact * p->turn;
}

static const struct way {
  const char *name;
  int method, least_ndim, most_ndim, rough, sampled;
  double loose, tight; /* powers of ten: tolerances lie between */
  int key, value;
} ways[] = {
    {"worst first", TESSERA_CUBATURE, 1, 4, 1, 0, -2, -8, 0, 0},
    {"bulk", TESSERA_CUBATURE, 1, 4, 1, 0, -2, -8, TESSERA_SELECTION, TESSERA_SELECT_BULK},
    {"bulk, no sparse grid", TESSERA_CUBATURE, 2, 4, 1, 0, -2, -8, TESSERA_SPARSE, TESSERA_SPARSE_OFF},
    {"sparse grid alone", TESSERA_CUBATURE, 2, 4, 0, 0, -2, -8, TESSERA_SPARSE, TESSERA_SPARSE_ALONE},
    {"quadrature", TESSERA_QUADRATURE, 1, 1, 1, 0, -3, -11, 0, 0},
    {"Kronrod 31", TESSERA_QUADRATURE, 1, 1, 1, 0, -3, -11, TESSERA_RULE, TESSERA_RULE_KRONROD31},
    {"double exponential", TESSERA_QUADRATURE, 1, 1, 1, 0, -3, -11, TESSERA_RULE, TESSERA_RULE_DOUBLE_EXPONENTIAL},
    {"iterated", TESSERA_ITERATED, 2, 2, 1, 0, -2, -8, 0, 0},
    {"lattice", TESSERA_LATTICE, 1, 4, 1, 1, -2, -5, 0, 0},
    {"plain sampling", TESSERA_MONTECARLO, 1, 4, 1, 1, -1, -2.5, TESSERA_SAMPLING, TESSERA_SAMPLING_PLAIN},
    {"VEGAS", TESSERA_MONTECARLO, 1, 4, 1, 1, -1, -3, TESSERA_SAMPLING, TESSERA_SAMPLING_VEGAS},
};
enum { way_count = sizeof ways / sizeof ways[0] };

struct counts {
  int runs, claims, wrong, above;
  double worst; /* of the wrong ones: true error over tolerance */
};

static void one(const struct way *w, uint64_t *state, int number_of, struct counts *n) {
  struct instance p;
  const int ndim = w->least_ndim + one_of(state, w->most_ndim - w->least_ndim + 1);
  const number exact = draw(state, ndim, w->rough, &p);
  const double reltol = pow(10, between(state, w->tight, w->loose));
  const double abstol = one_of(state, 4) == 0 ? reltol : 0;
  number value = 0, error = 0;
  tessera_solver *s = solver_of(ndim, 2);
  put_int(s, TESSERA_COMPLEX, 1);
  put_point(s, at_point, &p);
  put_real(s, TESSERA_RELTOL, reltol);
  put_real(s, TESSERA_ABSTOL, abstol);
  put_int(s, TESSERA_MAXEVAL, 2000000);
  put_int(s, TESSERA_SEED, number_of);
  put_int(s, TESSERA_THREADS, 1);
  if (w->key) put_int(s, w->key, w->value);
  if (w->key == TESSERA_SPARSE && w->value == TESSERA_SPARSE_OFF) put_int(s, TESSERA_SELECTION, TESSERA_SELECT_BULK);
  const int status = tessera_integrate(s, w->method, (double *)&value, (double *)&error);
  ++n->runs;
  if (status < 0) assert_status(s, status, TESSERA_OK);
  if (status == TESSERA_OK) {
    const double tolerance = fmax(abstol, reltol * cabs(value)), off = cabs(value - exact);
    ++n->claims;
    n->above += !(hypot(creal(error), cimag(error)) <= tolerance * (1 + 1e-15));
    if (!(off <= fmax(abstol, reltol * cabs(exact)) * (1 + 1e-9) + 4e-16 * cabs(exact))) {
      ++n->wrong;
      n->worst = fmax(n->worst, off / tolerance);
      print_message(
          "    %s, instance %d: %d-D, families %d %d, reltol %.1e, |value| %.2e, true error %.1e, estimate %.1e\n",
          w->name, number_of, ndim, (int)p.factor[0][0].family, (int)p.factor[0][ndim > 1].family, reltol, cabs(exact),
          off, cabs(error));
    }
  }
  tessera_destroy(s);
}

static int instances = 8;
static uint64_t seed = 930401;

static void no_false_success(void **unused) {
  (void)unused;
  int bad = 0;
  for (int w = 0; w < way_count; ++w) {
    struct counts n = {0, 0, 0, 0, 0};
    uint64_t state = seed + 1000003 * (uint64_t)w;
    for (int i = 0; i < instances; ++i) one(&ways[w], &state, i + 1, &n);
    print_message("  %-22s %4d instances, %4d successes, %d of them false (at most %.2g times the tolerance)\n",
                  ways[w].name, n.runs, n.claims, n.wrong, n.worst);
    bad += n.above > 0 || n.claims < n.runs / 4 || n.wrong > (ways[w].sampled ? 1 + n.claims / 25 : n.claims / 200);
  }
  assert_int_equal(bad, 0);
}

int main(int argc, char **argv) {
  if (argc > 1) instances = atoi(argv[1]);
  if (argc > 2) seed = strtoull(argv[2], NULL, 10);
  const struct CMUnitTest tests[] = {cmocka_unit_test(no_false_success)};
  return cmocka_run_group_tests_name("complex population", tests, NULL, NULL);
}
