// The C interface: check, forward, turn exceptions into statuses. Nothing else.
// SPDX-License-Identifier: BSD-3-Clause
#include <string>

#include "guarded.hpp"
#include "../solver/methods/cubature.hpp"
#include "../solver/methods/lattice.hpp"
#include "../solver/methods/montecarlo.hpp"
#include "../solver/methods/iterated.hpp"
#include "../solver/methods/quadrature.hpp"
#include "../solver/solver.hpp"

#define TESSERA_TEXT2(x) #x
#define TESSERA_TEXT(x) TESSERA_TEXT2(x)

namespace {

using tessera::busy_flag;
using tessera::caught;
using tessera::guarded;

constexpr int most_ndim = 1024;
constexpr int most_ncomp = 65536;

// About the last call of this thread that has no solver.
std::string &message_without_solver() {
  static thread_local std::string message = "the solver is NULL";
  return message;
}
}  // namespace

extern "C" {

int tessera_version(void) {
  return 10000 * TESSERA_VERSION_MAJOR + 100 * TESSERA_VERSION_MINOR + TESSERA_VERSION_PATCH;
}

const char *tessera_version_string(void) {
  return TESSERA_TEXT(TESSERA_VERSION_MAJOR) "." TESSERA_TEXT(TESSERA_VERSION_MINOR) "." TESSERA_TEXT(
      TESSERA_VERSION_PATCH);
}

const char *tessera_status_string(int status) { return tessera::status_text(status); }

int tessera_create(tessera_solver **s, int ndim, int ncomp) {
  if (!s) return TESSERA_ERR_ARGUMENT;
  *s = nullptr;
  if (ndim < 1 || ndim > most_ndim || ncomp < 1 || ncomp > most_ncomp) return TESSERA_ERR_ARGUMENT;
  try {
    *s = new tessera_solver(ndim, ncomp);
    return TESSERA_OK;
  } catch (...) {
    return TESSERA_ERR_MEMORY;
  }
}

void tessera_destroy(tessera_solver *s) {
  if (!s || !s->busy)
    delete s;
  else
    s->log(1, "tessera_destroy from a callback of the solver itself has no effect");
}

const char *tessera_last_error(const tessera_solver *s) {
  return s ? s->last_error.c_str() : message_without_solver().c_str();
}

int tessera_set_domain(tessera_solver *s, const double *lower, const double *upper) {
  return guarded(s, [&] { return s->set_domain(lower, upper), TESSERA_OK; });
}

int tessera_set_integrand(tessera_solver *s, tessera_integrand fn, void *userdata) {
  return guarded(s, [&] { return s->set_integrand(fn, nullptr, userdata), TESSERA_OK; });
}

int tessera_set_integrand1(tessera_solver *s, tessera_integrand1 fn, void *userdata) {
  return guarded(s, [&] { return s->set_integrand(nullptr, fn, userdata), TESSERA_OK; });
}

int tessera_set_integrand_device(tessera_solver *s, tessera_device_integrand fn, void *userdata) {
  return guarded(s, [&] { return s->set_integrand_device(fn, userdata), TESSERA_OK; });
}

int tessera_set_integrand_source(tessera_solver *s, int language, const char *source, const char *function) {
  return guarded(s, [&] { return s->set_integrand_source(language, source, function), TESSERA_OK; });
}

int tessera_set_lattice(tessera_solver *s, const tessera_lattice *l) {
  return guarded(s, [&] { return s->of<tessera::lattice_method>().set_vector(l), TESSERA_OK; });
}

int tessera_set_breakpoints(tessera_solver *s, int count, const double *points) {
  return guarded(s, [&] { return s->of<tessera::quadrature_method>().set_breakpoints(count, points), TESSERA_OK; });
}

int tessera_set_axis_rule(tessera_solver *s, int axis, int rule) {
  return guarded(s, [&] { return s->of<tessera::iterated_method>().set_axis_rule(axis, rule), TESSERA_OK; });
}

int tessera_set_integrand_file(tessera_solver *s, int language, const char *path, const char *function) {
  return guarded(s, [&] { return s->set_integrand_file(language, path, function), TESSERA_OK; });
}

int tessera_set_integrand_code(tessera_solver *s, int form, const void *code, size_t bytes, const char *function) {
  return guarded(s, [&] { return s->set_integrand_code(form, code, bytes, function), TESSERA_OK; });
}

int tessera_register_twin(void (*function)(void), int language, const char *source, int is_file, const char *name,
                          const void *params, size_t bytes) {
  try {
    if (!function) throw tessera::failure(TESSERA_ERR_ARGUMENT, "function is NULL");
    const void *address = reinterpret_cast<const void *>(function);
    if (!source) return tessera::forget_twin(address), TESSERA_OK;
    if (!params && bytes > 0) throw tessera::failure(TESSERA_ERR_ARGUMENT, "params is NULL and bytes is not 0");
    tessera::register_twin(address, tessera::make_source(language, source, is_file != 0, name), params, bytes);
    return TESSERA_OK;
  } catch (const tessera::failure &f) {
    tessera::set_message(message_without_solver(), f.what());
    return f.status();
  } catch (const std::bad_alloc &) {
    return TESSERA_ERR_MEMORY;
  } catch (const std::exception &e) {
    tessera::set_message(message_without_solver(), e.what());
    return TESSERA_ERR_INTERNAL;
  }
}

int tessera_set_twin(tessera_solver *s, void (*function)(void), const void *userdata) {
  const void *address = reinterpret_cast<const void *>(function);
  if (s) return guarded(s, [&] { return s->set_twin(address, userdata), TESSERA_OK; });
  try {
    return tessera::may_have_twin(address) ? TESSERA_OK : TESSERA_ERR_NO_INTEGRAND;
  } catch (...) {  // the first look reads the map file
    return TESSERA_ERR_MEMORY;
  }
}

int tessera_reset(tessera_solver *s) {
  return guarded(s, [&] { return s->reset(), TESSERA_OK; });
}

int tessera_set_devices(tessera_solver *s, int n, const int *ordinals) {
  return guarded(s, [&] { return s->set_devices(n, ordinals), TESSERA_OK; });
}

int tessera_set_stream(tessera_solver *s, void *stream) {
  return guarded(s, [&] { return s->set_stream(stream), TESSERA_OK; });
}

int tessera_set_limits(tessera_solver *s, int axis, tessera_limits fn, void *userdata) {
  return guarded(s, [&] { return s->set_limits(axis, fn, userdata), TESSERA_OK; });
}

int tessera_set_limits_source(tessera_solver *s, int axis, int language, const char *source, const char *function) {
  return guarded(s, [&] { return s->set_limits_source(axis, language, source, function), TESSERA_OK; });
}

int tessera_set_simplex(tessera_solver *s, int map, const double *vertices) {
  return guarded(s, [&] { return s->set_simplex(map, vertices), TESSERA_OK; });
}
int tessera_set_comm(tessera_solver *s, const void *comm, size_t bytes) {
  return guarded(s, [&] { return s->set_comm(TESSERA_COMM_HANDLE_C, comm, bytes), TESSERA_OK; });
}

int tessera_set_comm_f(tessera_solver *s, int comm) {
  return guarded(s, [&] { return s->set_comm(TESSERA_COMM_HANDLE_FORTRAN, &comm, sizeof comm), TESSERA_OK; });
}

int tessera_set_comm_world(tessera_solver *s) {
  return guarded(s, [&] { return s->set_comm(TESSERA_COMM_HANDLE_WORLD, nullptr, 0), TESSERA_OK; });
}

int tessera_set_params(tessera_solver *s, const void *params, size_t bytes) {
  return guarded(s, [&] { return s->set_params(params, bytes), TESSERA_OK; });
}

int tessera_save_grid(const tessera_solver *s, const char *path) {
  return guarded(s, [&] { return s->of<tessera::monte_carlo_method>().save_grid(path), TESSERA_OK; });
}

int tessera_load_grid(tessera_solver *s, const char *path) {
  return guarded(s, [&] { return s->of<tessera::monte_carlo_method>().load_grid(path), TESSERA_OK; });
}

int tessera_get_grid(const tessera_solver *s, double *edges) {
  return guarded(s, [&] { return s->of<tessera::monte_carlo_method>().get_grid(edges), TESSERA_OK; });
}

int tessera_set_grid(tessera_solver *s, const double *edges) {
  return guarded(s, [&] { return s->of<tessera::monte_carlo_method>().set_grid(edges), TESSERA_OK; });
}

int tessera_save_state(const tessera_solver *s, const char *path) {
  const auto body = [&] { return s->save_state(path), TESSERA_OK; };
  return s && s->in_progress_callback ? caught(s, body) : guarded(s, body);
}

int tessera_load_state(tessera_solver *s, const char *path) {
  return guarded(s, [&] { return s->load_state(path), TESSERA_OK; });
}

int tessera_set_checkpoint(tessera_solver *s, const char *path) {
  return guarded(s, [&] { return s->set_checkpoint(path), TESSERA_OK; });
}

int tessera_get_state(const tessera_solver *s, int64_t n, double *state, int64_t *count) {
  const auto body = [&] { return s->of<tessera::monte_carlo_method>().get_state(n, state, count), TESSERA_OK; };
  return s && s->in_progress_callback ? caught(s, body) : guarded(s, body);
}

int tessera_set_state(tessera_solver *s, int64_t n, const double *state) {
  return guarded(s, [&] { return s->of<tessera::monte_carlo_method>().set_state(n, state), TESSERA_OK; });
}

int tessera_get_chi2(const tessera_solver *s, double *chi2) {
  const auto body = [&] { return s->of<tessera::monte_carlo_method>().get_chi2(chi2), TESSERA_OK; };
  return s && s->in_progress_callback ? caught(s, body) : guarded(s, body);
}

int tessera_set_int(tessera_solver *s, int key, int64_t value) {
  return guarded(s, [&] { return s->set_int(key, value), TESSERA_OK; });
}

int tessera_set_real(tessera_solver *s, int key, double value) {
  return guarded(s, [&] { return s->set_real(key, value), TESSERA_OK; });
}

int tessera_get_int(const tessera_solver *s, int key, int64_t *value) {
  return guarded(s, [&] {
    if (!value) throw tessera::failure(TESSERA_ERR_ARGUMENT, "value is NULL");
    *value = s->get_int(key);
    return TESSERA_OK;
  });
}

int tessera_get_real(const tessera_solver *s, int key, double *value) {
  return guarded(s, [&] {
    if (!value) throw tessera::failure(TESSERA_ERR_ARGUMENT, "value is NULL");
    *value = s->get_real(key);
    return TESSERA_OK;
  });
}

int tessera_set_progress(tessera_solver *s, tessera_progress fn, void *userdata) {
  return guarded(s, [&] { return s->set_progress(fn, userdata), TESSERA_OK; });
}

int tessera_set_log(tessera_solver *s, tessera_log fn, void *userdata) {
  return guarded(s, [&] { return s->set_log(fn, userdata), TESSERA_OK; });
}

int tessera_get_regions(const tessera_solver *s, int64_t first, int64_t n, double *records, int64_t *count) {
  const auto body = [&] { return s->of<tessera::cubature_method>().get_regions(first, n, records, count), TESSERA_OK; };
  return s && s->in_progress_callback ? caught(s, body) : guarded(s, body);
}

int tessera_set_regions(tessera_solver *s, int64_t n, const double *records, int64_t evaluations) {
  return guarded(s, [&] { return s->of<tessera::cubature_method>().set_regions(n, records, evaluations), TESSERA_OK; });
}

int tessera_integrate(tessera_solver *s, int method, double *value, double *error) {
  return guarded(s, [&] {
    const busy_flag busy(s->busy);
    return s->integrate(method, value, error);
  });
}

int tessera_evaluate(tessera_solver *s, int64_t n, const double *x, double *f) {
  return guarded(s, [&] {
    const busy_flag busy(s->busy);
    return s->evaluate(n, x, f);
  });
}

int tessera_integrate_limit(tessera_solver *s, int method, size_t offset, double first, double ratio, int extrapolation,
                            int most, double *value, double *error, int *count, double *parameter, double *values,
                            double *errors) {
  return guarded(s, [&] {
    const busy_flag busy(s->busy);
    return s->integrate_limit(method, {offset, first, ratio, extrapolation, most}, value, error,
                              {count, parameter, values, errors});
  });
}

int tessera_integrate_many(tessera_solver *s, int method, int64_t count, const void *params, size_t params_bytes,
                           const double *lower, const double *upper, double *value, double *error, int *status) {
  return guarded(s, [&] {
    const busy_flag busy(s->busy);
    return s->integrate_many(method, count, params, params_bytes, lower, upper, value, error, status);
  });
}

}  // extern "C"
