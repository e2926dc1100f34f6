/* The polynomials of tests/bench/loop_polynomials.h are those of their diagrams: Symanzik's, from spanning trees and two-forests (N. Nakanishi, Graph theory
 * and Feynman integrals, 1971), at random points. SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdint.h>

#include "../bench/loop_polynomials.h"
#include "close.h"

enum { most = 6 };

struct diagram {
  int vertices, lines;
  int ends[most][2];
  double mass2[most];
  int leg[most];                          /* of each vertex: its number from 0, or -1 */
  int legs;                               /* all of them together have no momentum */
  double (*square)(unsigned of_the_legs); /* of the sum of these momenta; also asked of the others */
};

static int root(const int *up, int v) {
  while (up[v] != v) v = up[v];
  return v;
}
/* With these lines alone: how many trees, 0 where there is a loop. part: the legs in the tree of vertex 0. */
static int trees(const struct diagram *g, unsigned lines, unsigned *part) {
  int up[most], count = g->vertices;
  for (int v = 0; v < g->vertices; ++v) up[v] = v;
  for (int l = 0; l < g->lines; ++l)
    if (lines >> l & 1) {
      const int a = root(up, g->ends[l][0]), b = root(up, g->ends[l][1]);
      if (a == b) return 0;
      up[a] = b;
      --count;
    }
  *part = 0;
  for (int v = 0; v < g->vertices; ++v)
    if (root(up, v) == root(up, 0) && g->leg[v] >= 0) *part |= 1u << g->leg[v];
  return count;
}
/* Both polynomials: C, and D = C sum x m^2 - sum over two-forests. */
static void symanzik(const struct diagram *g, const double *x, double *C, double *D) {
  double forests = 0, masses = 0;
  *C = 0;
  for (unsigned lines = 0; lines < 1u << g->lines; ++lines) {
    unsigned part = 0;
    double cut = 1;
    const int count = trees(g, lines, &part);
    for (int l = 0; l < g->lines; ++l)
      if (!(lines >> l & 1)) cut *= x[l];
    if (count == 1) *C += cut;
    if (count == 2 && part != 0 && part != (1u << g->legs) - 1) forests += cut * g->square(part);
  }
  for (int l = 0; l < g->lines; ++l) masses += x[l] * g->mass2[l];
  *D = *C * masses - forests;
}

static uint64_t state_of_numbers = 20261123;
static void point(int n, double *x) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    state_of_numbers = state_of_numbers * 6364136223846793005u + 1442695040888963407u;
    x[i] = (double)(state_of_numbers >> 11) * 0x1p-53;
    sum += x[i];
  }
  for (int i = 0; i < n; ++i) x[i] /= sum;
}

static const double s = 5, t = -1.5, pent[] = {11.1, -4.1, 4.4, 4.2, -4.3, 0.64};

static double vertex_square(unsigned m) { return m == 1 || m == 6 ? s : 0; }
static double box_square(unsigned m) { return m == 3 || m == 12 ? s : m == 6 || m == 9 ? t : 0; }
static double pentagon_square(unsigned m) {
  if (m & 16) m = 31 & ~m; /* legs 1 to 4 tell all */
  switch (m) {
    case 3:
      return pent[0];
    case 6:
      return pent[1];
    case 12:
      return pent[2];
    case 7: /* 1 + 2 + 3 = -(4 + 5) */
      return pent[3];
    case 14: /* 2 + 3 + 4 = -(5 + 1) */
      return pent[4];
    case 4:
    case 15:
      return 1;
    case 8:
      return pent[5];
    default:
      return 0;
  }
}
static double ladder_square(unsigned m) { return m == 1 || m == 6 ? s : 1; }
static double no_square(unsigned m) { return (void)m, 0; }

/* Line l of one loop joins vertices l - 1 and l. */
static const struct diagram vertex = {3, 3, {{2, 0}, {0, 1}, {1, 2}}, {1, 1, MZ2}, {0, 1, 2}, 3, vertex_square},
                            box = {4, 4, {{3, 0}, {0, 1}, {1, 2}, {2, 3}}, {1, 1, 1, 1}, {0, 1, 2, 3}, 4, box_square},
                            pentagon = {5,
                                        5,
                                        {{4, 0}, {0, 1}, {1, 2}, {2, 3}, {3, 4}},
                                        {1, 1, 1, MZ2, MZ2},
                                        {0, 1, 2, 3, 4},
                                        5,
                                        pentagon_square},
                            ladder = {5,
                                      6,
                                      {{0, 1}, {0, 2}, {1, 2}, {1, 3}, {2, 4}, {3, 4}},
                                      {1, 1, MZ2, 1, 1, MZ2},
                                      {0, -1, -1, 1, 2},
                                      3,
                                      ladder_square},
                            wheel = {
                                4, 6,        {{0, 1}, {0, 2}, {0, 3}, {2, 3}, {1, 3}, {1, 2}}, {0}, {-1, -1, -1, -1},
                                0, no_square};

static void they_are_those_of_the_diagrams(void **state) {
  (void)state;
  for (int trial = 0; trial < 50; ++trial) {
    double x[most], C, D;
    point(3, x);
    symanzik(&vertex, x, &C, &D);
    {
      const double x1 = x[0], x2 = x[1], x3 = x[2];
      assert_close(VERTEX_D(s), D, 1e-13, 1e-13);
    }
    point(4, x);
    symanzik(&box, x, &C, &D);
    {
      const double x1 = x[0], x2 = x[1], x3 = x[2], x4 = x[3];
      assert_close(BOX_D(s, t), D, 1e-13, 1e-13);
    }
    point(5, x);
    symanzik(&pentagon, x, &C, &D);
    {
      const double x1 = x[0], x2 = x[1], x3 = x[2], x4 = x[3], x5 = x[4];
      assert_close(PENTAGON_D(pent[0], pent[1], pent[2], pent[3], pent[4], pent[5]), D, 1e-13, 1e-13);
    }
    point(6, x);
    symanzik(&ladder, x, &C, &D);
    {
      const double x1 = x[0], x2 = x[1], x3 = x[2], x4 = x[3], x5 = x[4], x6 = x[5];
      assert_close(LADDER_C, C, 1e-13, 0);
      assert_close(LADDER_D(s), D, 1e-13, 1e-13);
      symanzik(&wheel, x, &C, &D);
      assert_close(WHEEL_C, C, 1e-13, 0);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(they_are_those_of_the_diagrams)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
