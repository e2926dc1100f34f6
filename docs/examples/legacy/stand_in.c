/* In place of the older libraries: has their symbols and no answers, so that a program that was linked against it can only be
 * right if the drop-in was loaded before it. SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>

static void fail(const char *name) {
  fprintf(stderr, "%s of the stand-in library was called\n", name);
  exit(3);
}
void dcuhre_(void);
void cuhre_(void);
void Cuhre(void);
void adapt_(void);
void Vegas(void);
void vegas_(void);
void suave_(void);
void divonne_(void);
void dqags_(void);
void dqag_(void);
void dqagi_(void);

void dcuhre_(void) { fail("dcuhre_"); }
void cuhre_(void) { fail("cuhre_"); }
void Cuhre(void) { fail("Cuhre"); }
void adapt_(void) { fail("adapt_"); }
void Vegas(void) { fail("Vegas"); }
void vegas_(void) { fail("vegas_"); }
void suave_(void) { fail("suave_"); }
void divonne_(void) { fail("divonne_"); }
void dqags_(void) { fail("dqags_"); }
void dqag_(void) { fail("dqag_"); }
void dqagi_(void) { fail("dqagi_"); }
