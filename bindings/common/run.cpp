// SPDX-License-Identifier: BSD-3-Clause
#include "run.hpp"

namespace dropin {

run_end run(lease &solver, const char *routine, const host_form &form, double *value, double *error, int method) {
  tessera_solver *s = solver.solver();
  if (form.batch)
    tessera_set_integrand(s, form.batch, form.userdata);
  else
    tessera_set_integrand1(s, form.point, form.userdata);
  run_end end = {tessera_integrate(s, method, value, error), 0, place::host};
  tessera_get_int(s, TESSERA_EVALUATIONS, &end.evaluations);
  if (end.status != TESSERA_OK && !is_limit(end.status)) report(routine, tessera_last_error(s));
  return end;
}

}  // namespace dropin
