#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Prints the exact values of outside.c that have no closed form. Needs numpy and mpmath; takes a minute.

Linear model. At a fixed theta10 = log sigma the density is a product of functions of theta1 .. theta9, so that the
integrals over a cube are integrals over theta10 of products of nine one-dimensional ones. All by Gauss's rule with 24
points on panels that shrink to sigma/4 around the observations, in 80-bit arithmetic. Over all of R^10 nested
integration by residues gives 1.30563865391715646e-22; 1.6e-10 of it is outside the cube.

Contingency table. p_ij = h a_i b_j + (1-h) a'_i b'_j to the power n_ij, expanded for every cell by the binomial
theorem: with k_ij for the exponent of the first population a term is prod binomial(n_ij, k_ij) times one integral
over h, two over softmax coordinates of rows, which depend on the row sums of k and of n - k, and two over those of
columns. The sum over k is made row by row, keeping row sums and column sums. There are only positive terms. In a box
the integrals over softmax coordinates are done by Gauss's rule in two dimensions, the one over h in one; over R^9 they
are Dirichlet's. Gibbs sampling with 4000 chains agrees with the mean of h to 1e-4.
"""
import sys
from math import comb

import mpmath
import numpy as np

# ---- Linear model ---------------------------------------------------------------------------------------------------
real = np.longdouble
observations = np.array(
    [
        [1.951754965, 2.885632419, 2.391451482, 1.731576578, 1.421926027],
        [-0.638321684, 0.186636475, -0.009514517, 0.495339037, 0.261643198],
        [2.833250710, 1.098441287, -0.476050335, -0.383252862, 1.128895153],
        [0.041946195, 0.174042986, -0.581710481, 0.447193674, -0.071116204],
        [-0.616061349, -0.513835377, -1.321292735, 0.043171116, 0.072504593],
        [-0.816614843, 0.934854744, -0.156455228, -0.172299695, -0.174379640],
        [-0.878534226, 0.028068692, -0.110434509, -1.193255325, 0.973952349],
        [-0.610598648, -0.548582027, -0.544598812, -0.402896237, -1.299835892],
        [0.289558508, 0.755147497, -0.149990572, 0.746211189, -3.006485474],
    ]
).astype(real)
linear_mode = np.array(
    "2.0181844586 0.1164033358 0.8829971058 0.0286137933 -0.4075284444 -0.1719809578 -0.2705947873 -0.6290830366 "
    "0.3696063212 -0.2324376111".split()
).astype(real)


def gauss(edges, points, kind=float):
    """Nodes and weights of Gauss's rule on the panels between the edges."""
    x, w = np.polynomial.legendre.leggauss(points)
    edges = np.array(sorted(set(edges)), dtype=kind)
    half, mid = (edges[1:] - edges[:-1]) / 2, (edges[1:] + edges[:-1]) / 2
    return (mid[:, None] + half[:, None] * x.astype(kind)).ravel(), (half[:, None] * w.astype(kind)).ravel()


def group_moments(y, sigma, low, high):
    """Integrals of 1, t, t^2 times the density of one group."""
    edges = [low, high]
    for centre in y:
        for k in [0.0] + [2.0**j for j in range(-2, 14)]:
            edges += [e for e in (centre - k * sigma, centre + k * sigma) if low < e < high]
    t, w = gauss(edges, 24, real)
    w = w / np.prod([1 + ((v - t) / sigma) ** 2 for v in y], axis=0) ** 2
    return w.sum(), (w * t).sum(), (w * t * t).sum()


def linear(shift):
    low, high = linear_mode + shift - 5, linear_mode + shift + 5
    pi = real("3.14159265358979323846264338327950288")
    nodes, weights = gauss(np.linspace(low[9], high[9], 61), 24, real)
    sums = np.zeros(5, dtype=real)
    for t, w in zip(nodes, weights):
        m = [group_moments(observations[i], np.exp(t), low[i], high[i]) for i in range(9)]
        p = w * np.exp(-45 * t) * (2 / pi) ** real(45) * np.prod([a[0] for a in m])
        sums += p * np.array([1, m[0][1] / m[0][0], m[1][1] / m[1][0], t, m[0][2] / m[0][0]])
    return sums


# ---- Contingency table ----------------------------------------------------------------------------------------------
counts = np.array([[43, 16, 3], [6, 11, 10], [9, 18, 16]])
rows, columns, patients = counts.sum(1), counts.sum(0), counts.sum()


def log_density(x):
    g = 1 / (1 + mpmath.exp(-x[0]))

    def softmax(a, b):
        e = [mpmath.exp(a), mpmath.exp(b), 1]
        return [v / sum(e) for v in e]

    a, b, c, d = (softmax(x[i], x[i + 1]) for i in (1, 3, 5, 7))
    s = mpmath.log(g * (1 - g) / 2) + sum(mpmath.log(v) for p in (a, b, c, d) for v in p)
    for i in range(3):
        for j in range(3):
            s += int(counts[i][j]) * mpmath.log(g / 2 * a[i] * c[j] + (1 - g / 2) * b[i] * d[j])
    return s


def mode_near(x):
    """Newton's method with differences."""
    h = mpmath.mpf(10) ** -10


    def step(p, i, by):
        return [v + (by if k == i else 0) for k, v in enumerate(p)]

    def gradient(p):
        return [(log_density(step(p, i, h)) - log_density(step(p, i, -h))) / (2 * h) for i in range(9)]

    x = [mpmath.mpf(v) for v in x]
    for _ in range(8):
        hessian = mpmath.matrix(9, 9)
        for i in range(9):
            up, down = gradient(step(x, i, h)), gradient(step(x, i, -h))
            for j in range(9):
                hessian[j, i] = (up[j] - down[j]) / (2 * h)
        x = [a - b for a, b in zip(x, mpmath.lu_solve(hessian, mpmath.matrix(gradient(x))))]
    return x


def softmax_box(top, low, high):
    """D[i, j, k] = integral of p1^(i+1) p2^(j+1) p3^(k+1), where the 1 is from the map's determinant."""
    x, wx = gauss(np.linspace(low[0], high[0], 17), 20)
    y, wy = gauss(np.linspace(low[1], high[1], 17), 20)
    x, y = (v.ravel() for v in np.meshgrid(x, y, indexing="ij"))
    log_sum = np.logaddexp(np.logaddexp(x, y), 0)
    p = np.exp(x - log_sum), np.exp(y - log_sum), np.exp(-log_sum)
    first, second = (np.array([p[q] ** (i + 1) for i in range(top[q] + 1)]) for q in (0, 1))
    weight = np.outer(wx, wy).ravel() * p[2]
    table = np.empty(top + 1)
    for k in range(top[2] + 1):
        table[:, :, k] = (first * weight) @ second.T
        weight = weight * p[2]
    return table


def softmax_all(top):
    factorial = np.array([float(mpmath.factorial(i)) for i in range(top.sum() + 3)])
    i, j, k = np.indices(top + 1)
    return factorial[i] * factorial[j] / factorial[i + j + k + 2] * factorial[k]


def share(low, high):
    """T[n, q] = integral of h^(n+q) (1-h)^(patients-n) dh with h = 1/(2 + 2 e^-x)."""
    x, w = gauss(np.linspace(low, high, 129), 20)
    g = 1 / (1 + np.exp(-x))
    w, h = w * g * (1 - g) / 2, g / 2
    one = [w * h**n * (1 - h) ** (patients - n) for n in range(patients + 1)]
    return np.array([[v.sum(), (v * h).sum(), (v * h * h).sum()] for v in one])


def fold(table, row, rest):
    """The sum over one row's k, kept apart by the row's sum: out[sum(k)][c] = sum binomial * table[.., c + k]."""
    out = np.zeros((row.sum() + 1,) + table.shape[:-3] + tuple(rest + 1))
    for k in np.ndindex(*(row + 1)):
        weight = float(comb(row[0], k[0]) * comb(row[1], k[1]) * comb(row[2], k[2]))
        out[sum(k)] += weight * table[(Ellipsis,) + tuple(slice(k[j], k[j] + rest[j] + 1) for j in range(3))]
    return out


def contingency(row_tables, column_tables, share_table):
    d = row_tables[0] * row_tables[1][::-1, ::-1, ::-1]
    e = column_tables[0] * column_tables[1][::-1, ::-1, ::-1]
    scale = float(d.max()), float(e.max())
    e = e / scale[1]
    for i in (2, 1, 0):
        e = fold(e, counts[i], counts[:i].sum(0))
    e = e[..., 0, 0, 0]
    n = np.add.outer(np.add.outer(np.arange(rows[0] + 1), np.arange(rows[1] + 1)), np.arange(rows[2] + 1))
    return np.array([(d / scale[0] * e * share_table[n, q]).sum() for q in range(3)]) * scale[0] * scale[1]


# ---- (1 + |x - c|^2/h^2)^-7 in 8 variables --------------------------------------------------------------------------
def power8():
    def f(t):
        return t**6 * mpmath.exp(-t) * (mpmath.sqrt(mpmath.pi / t) * mpmath.erf(25 * mpmath.sqrt(t))) ** 8

    edges = [0] + [mpmath.mpf(10) ** k for k in range(-6, 1)] + [2, 5, 10, 20, 50, 100, 200]
    return mpmath.mpf("0.02") ** 8 / 720 * mpmath.quad(f, edges)


def main():
    mpmath.mp.dps = 40
    print("power8", mpmath.nstr(power8(), 20))
    for x in (
        (1.4, -2.14, -0.48, 1.64, -0.33, -1.74, -0.04, 2.63, 1.66),
        (2.05, 2.32, -0.16, -1.50, -0.48, 3.03, 1.85, -0.88, 0.12),
    ):
        mode = mode_near(x)
        print("contingency mode", *(mpmath.nstr(v, 14) for v in mode), mpmath.nstr(mpmath.exp(log_density(mode)), 10))
        if x[0] == 1.4:
            centre = np.array([float(v) for v in mode])

    def box(i, top):
        return softmax_box(top, centre[i : i + 2] - 8, centre[i : i + 2] + 8)

    everywhere = contingency([softmax_all(rows)] * 2, [softmax_all(columns)] * 2, share(-60, 60))
    in_box = contingency(
        [box(1, rows), box(3, rows)], [box(5, columns), box(7, columns)], share(centre[0] - 8, centre[0] + 8)
    )
    for what, v in (("R^9", everywhere), ("box", in_box)):
        print("contingency", what, *(f"{c:.15g}" for c in v), "means", *(f"{c:.10g}" for c in v[1:] / v[0]))
    for shift in "0", "1.1":
        print("linear, shift", shift, *(np.format_float_scientific(v, 17) for v in linear(real(shift))))


if __name__ == "__main__":
    sys.exit(main())
