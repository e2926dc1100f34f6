/* Denominators of loop integrals as polynomials of their Feynman parameters, for numbers of any type (expressions of x1 ... and of the masses and
 * invariants named): the integrands' text for host and device, and the contour deformation that checks them.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LOOP_POLYNOMIALS_H
#define LOOP_POLYNOMIALS_H

/* In units of the top mass: the mass of the Z, 91.17/150, squared. */
#define MZ2 0.36941284

/* One loop, three lines of masses t, t, Z; two massless legs and one with momentum squared s, which parts the tops. */
#define VERTEX_D(s) (x1 + x2 + MZ2 * x3 - (s)*x1 * x2)

/* One loop, four lines of mass 1, massless legs: scattering of light by light. */
#define BOX_D(s, t) (1 - (s)*x1 * x3 - (t)*x2 * x4)

/* One loop, five lines t, t, t, Z, Z: photons between 1, 2 and 2, 3, a top between 3, 4, a Higgs (mass squared h) between 4, 5, a top between 5, 1. */
#define PENTAGON_D(s12, s23, s34, s45, s51, h)                                                                        \
  (x1 + x2 + x3 + MZ2 * (x4 + x5) - x3 * x4 - x5 * x1 - (h)*x4 * x5 - (s12)*x1 * x3 - (s23)*x2 * x4 - (s34)*x3 * x5 - \
   (s45)*x4 * x1 - (s51)*x5 * x2)

/* Two loops, the ladder vertex: tops 1, 2 at the leg k and 4, 5 at the legs p1, p2 (on the mass shell), Z 3 between the tops, Z 6 between the legs. */
#define LADDER_C ((x1 + x2 + x3) * (x4 + x5 + x6) + (x1 + x2) * x3)
#define LADDER_D(k)                                                                                  \
  (LADDER_C * (x1 + x2 + x4 + x5 + MZ2 * (x3 + x6)) -                                                \
   ((k) * (x1 * x2 * (x3 + x4 + x5 + x6) + x1 * x3 * x5 + x2 * x3 * x4 + x4 * x5 * (x1 + x2 + x3)) + \
    x6 * (x1 * x3 + x2 * x3 + (x1 + x2 + x3) * (x4 + x5))))

/* Three loops, four vertices each joined to each: 1, 2, 3 from the hub, 4, 5, 6 the rim opposite to 1, 2, 3. The sum over the sixteen spanning trees of
 * what is not in them. */
#define WHEEL_C                                                                                                       \
  ((x1 * x2 + x1 * x3 + x2 * x3) * (x4 + x5 + x6) + x1 * x4 * (x5 + x6) + x2 * x5 * (x4 + x6) + x3 * x6 * (x4 + x5) + \
   x4 * x5 * x6)
#endif
