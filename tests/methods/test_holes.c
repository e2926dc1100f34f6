/* A value that is not finite is never claimed over, whoever comes to it: the points of regions, lines that look for break points, sparse grids. A singularity
 * that lines and grids hit, and regions do not, ends nothing (docs/methods.md, "NaN and infinity").
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "solve.h"

#include "holes.h"

static long grid_hits;

struct called {
  struct holed hole;
  long in_hole, calls;
};

static int f(int ndim, const double *x, int ncomp, double *v, void *userdata) {
  struct called *c = userdata;
  (void)ndim, (void)ncomp;
  ++c->calls;
  c->in_hole += is_in_hole(&c->hole, x);
  v[0] = holed_value(&c->hole, x);
  return 0;
}

static void what_has_been_seen_is_said(void **state) {
  enum { members = 120 };
  (void)state;
  for (int kind = 0; kind < hole_kinds; ++kind) {
    uint64_t seed = (uint64_t)(28124100 + kind);
    int claims = 0, ends = 0;
    for (int n = 2; n <= hole_most_ndim; ++n)
      for (int i = 0; i < members; ++i) {
        struct called c = {.hole = draw_holed(kind, n, &seed)};
        double x[hole_most_ndim];
        tessera_solver *s = solver_of(n, 1);
        if (i % 3 == 2) c.hole.upper = c.hole.lower + 0.1 * (c.hole.upper - c.hole.lower);
        put_point(s, f, &c);
        put_real(s, TESSERA_RELTOL, pow(10, -3 - 3 * splitmix_uniform(&seed)));
        put_int(s, TESSERA_MAXEVAL, 300000);
        put_int(s, TESSERA_SELECTION, i % 2 == 0 ? TESSERA_SELECT_WORST_FIRST : TESSERA_SELECT_BULK);
        const struct answer a = integrate(s);
        if (c.in_hole == 0) {
          assert_true(a.status == TESSERA_OK || a.status == TESSERA_LIMIT_EVALUATIONS);
          assert_int_equal(c.calls, a.evaluations);
          ++claims;
        } else {
          assert_status(s, a.status, TESSERA_NONFINITE);
          assert_int_equal(point_in(a.sentence, x), n);
          assert_true(is_in_hole(&c.hole, x));
          ++ends;
        }
        tessera_destroy(s);
      }
    print_message("kind %d: %d runs ended at a value that is not finite, %d never met one\n", kind, ends, claims);
    assert_true(ends > 20 && claims > 20);
  }
}

/* Infinite on a plane, which has no volume: 0: between the sides of a jump; 1: NaN, of 0 times infinity, at a kink; 2: at a node of a sparse grid alone. */
static int singular(int ndim, const double *x, int ncomp, double *v, void *userdata) {
  const double t = x[0] - 0.3;
  double s = 0, p = 1;
  (void)ncomp;
  for (int j = 0; j < ndim; ++j) s += x[j], p *= cos(4 * x[j]);
  switch (*(const int *)userdata) {
    case 0:
      v[0] = exp(-s) + (t > 0 ? 1 : (t < 0 ? 0 : INFINITY));
      break;
    case 1:
      v[0] = exp(-s) + t * log(fabs(t));
      break;
    default:
      v[0] = fabs(x[0] - 0.5 - 0.5 * 0.774596669241483377) < 1e-14 ? INFINITY : p;
      if (isinf(v[0])) ++grid_hits;
  }
  return 0;
}

static void singularities_end_nothing(void **state) {
  const double of_kind[] = {0.7, (0.49 * log(0.7) - 0.09 * log(0.3)) / 2 - (0.49 - 0.09) / 4, 0};
  (void)state;
  for (int kind = 0; kind < 3; ++kind)
    for (int n = kind < 2 ? 2 : 4; n <= (kind < 2 ? 4 : 5); ++n)
      for (int selection = TESSERA_SELECT_WORST_FIRST; selection <= TESSERA_SELECT_BULK; ++selection) {
        tessera_solver *s = solver_of(n, 1);
        put_point(s, singular, &kind);
        put_real(s, TESSERA_RELTOL, kind == 2 ? 1e-5 : 1e-3);
        put_int(s, TESSERA_SELECTION, selection);
        grid_hits = 0;
        const struct answer a = integrate(s);
        assert_status(s, a.status, TESSERA_OK);
        if (kind == 2)
          assert_close(a.value, pow(sin(4) / 4, n), 1e-5, 0);
        else
          assert_close(a.value, pow(1 - exp(-1), n) + of_kind[kind], 1e-3, 0);
        assert_int_equal(grid_hits > 0, kind == 2);
        tessera_destroy(s);
      }
}

/* A narrow peak, a product, and NaN in a thin column beside it, which only the lines of the search for a sparse grid's map run through. */
static double column;
static int beside_peak(int n, const double *x, int ncomp, double *v, void *userdata) {
  double q = 0;
  int in_column = x[0] > column && x[0] < column + 0.03;
  (void)ncomp, (void)userdata;
  for (int j = 0; j < n; ++j) {
    const double d = (x[j] - 0.4 - 0.02 * j) / 0.02;
    q += d * d;
    in_column = in_column && (j == 0 || fabs(d) < 1.5);
  }
  v[0] = in_column ? (double)NAN : exp(-q);
  return 0;
}
static void the_search_for_a_map_says_so(void **state) {
  (void)state;
  for (int i = 0; i < 6; ++i) {
    column = 0.6 + 0.05 * i;
    tessera_solver *s = solver_of(6, 1);
    put_point(s, beside_peak, NULL);
    put_real(s, TESSERA_RELTOL, 1e-4);
    const struct answer a = integrate(s);
    assert_status(s, a.status, TESSERA_NONFINITE);
    double x[hole_most_ndim], v = 0;
    assert_int_equal(point_in(a.sentence, x), 6);
    beside_peak(6, x, 1, &v, NULL);
    assert_true(isnan(v));
    tessera_destroy(s);
  }
}

/* A hole of which a point, whoever asks for it, has only just met the edge: what is a little beside it on one side is a number. */
enum { kept_points = 100000 };
static struct {
  double lower[4], upper[4];
  long in_hole, calls;
  int is_kept;
} edge;
static double kept_point[kept_points][4];
static int at_edge(int n, const double *x, int ncomp, double *v, void *userdata) {
  double s = 0;
  int in = 1;
  (void)ncomp, (void)userdata;
  for (int j = 0; j < n; ++j) {
    s += (1 + j) * x[j];
    in = in && x[j] > edge.lower[j] && x[j] < edge.upper[j];
    if (edge.is_kept && edge.calls < kept_points) kept_point[edge.calls][j] = x[j];
  }
  ++edge.calls;
  edge.in_hole += in;
  v[0] = in ? (double)NAN : exp(-s);
  return 0;
}
static struct answer run_at_edge(int n, int selection) {
  tessera_solver *s = solver_of(n, 1);
  put_point(s, at_edge, NULL);
  put_real(s, TESSERA_RELTOL, 1e-5);
  put_int(s, TESSERA_MAXEVAL, kept_points);
  put_int(s, TESSERA_SELECTION, selection);
  edge.in_hole = edge.calls = 0;
  const struct answer a = integrate(s);
  tessera_destroy(s);
  return a;
}
static void an_edge_is_no_singularity(void **state) {
  const double inside = 2e-7, width = 3e-4, beside = 0.03;
  int met = 0, claims = 0;
  (void)state;
  for (int n = 2; n <= 4; ++n)
    for (int selection = TESSERA_SELECT_WORST_FIRST; selection <= TESSERA_SELECT_BULK; ++selection) {
      for (int j = 0; j < n; ++j) edge.lower[j] = edge.upper[j] = 2;
      edge.is_kept = 1;
      const struct answer whole = run_at_edge(n, selection);
      const long points = edge.calls;
      edge.is_kept = 0;
      assert_int_equal(whole.status, TESSERA_OK);
      for (long i = 0; i < points; i += 1 + points / 150)
        for (int way = 0; way < 2; ++way) {
          const int along = (int)(i % n);
          for (int j = 0; j < n; ++j)
            edge.lower[j] = kept_point[i][j] - beside, edge.upper[j] = kept_point[i][j] + beside;
          edge.lower[along] = kept_point[i][along] - (way ? inside : width);
          edge.upper[along] = kept_point[i][along] + (way ? width : inside);
          const struct answer a = run_at_edge(n, selection);
          met += edge.in_hole > 0;
          claims += a.status == TESSERA_OK && edge.in_hole > 0;
        }
    }
  print_message("%d runs met a hole at its edge, %d claimed success all the same\n", met, claims);
  assert_true(met > 1000);
  assert_int_equal(claims, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_has_been_seen_is_said), cmocka_unit_test(singularities_end_nothing),
      cmocka_unit_test(the_search_for_a_map_says_so), cmocka_unit_test(an_edge_is_no_singularity)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
