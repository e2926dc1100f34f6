/* Two W bosons decay: Breit and Wigner's resonances in both masses, and the angles of the two electrons, by Vegas. A first call with
 * few evaluations finds the resonances and leaves its grid in slot 1; a second one uses it.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <cuba.h>
#include <math.h>
#include <stdio.h>

struct boson {
  double mass, width; /* GeV */
  double least, most; /* of the squared masses, GeV^2 */
  double correlation; /* of the angles */
};

static int decay(const int *ndim, const double u[], const int *ncomp, double f[], void *userdata) {
  const struct boson *w = userdata;
  double resonances = 1, angles = 1, both = w->correlation;
  (void)ndim, (void)ncomp;
  for (int i = 0; i < 2; ++i) {
    const double s = w->least + u[i] * (w->most - w->least), c = 2 * u[2 + i] - 1;
    const double off = s - w->mass * w->mass, on = w->mass * w->width;
    resonances *= (w->most - w->least) * on / (off * off + on * on);
    angles *= 2 * (1 + c * c);
    both *= c * c;
  }
  f[0] = resonances * angles * (1 + both);
  return 0;
}

static double exact(const struct boson *w) {
  const double m2 = w->mass * w->mass, on = w->mass * w->width;
  const double resonance = atan((w->most - m2) / on) - atan((w->least - m2) / on);
  const double apart = 8. / 3, together = 16. / 15;
  return resonance * resonance * (apart * apart + w->correlation * together * together);
}

int main(void) {
  const int gridno = 1, seed = 1;
  struct boson w = {80.377, 2.085, 1000, 12000, 0.7};
  int neval, fail;
  double integral, error, prob;
  Vegas(4, 1, decay, &w, 1, 1e-3, 0, 0, seed, 0, 20000, 1000, 500, 1000, gridno, NULL, NULL, &neval, &fail, &integral,
        &error, &prob);
  printf("first  fail %d, evaluations %6d: %9.5f +- %.5f\n", fail, neval, integral, error);
  Vegas(4, 1, decay, &w, 1, 1e-3, 0, 0, seed + 1, 0, 2000000, 10000, 5000, 1000, gridno, NULL, NULL, &neval, &fail,
        &integral, &error, &prob);
  printf("second fail %d, evaluations %6d: %9.5f +- %.5f, prob %.3f, exact %.5f\n", fail, neval, integral, error, prob,
         exact(&w));
  return fail != 0 || fabs(integral - exact(&w)) > 3 * error || !(prob < 0.999);
}
