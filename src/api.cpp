// The C interface: check, forward, turn exceptions into statuses. Nothing else.
// SPDX-License-Identifier: BSD-3-Clause
#include <new>

#include "solver.hpp"

#define TESSERA_TEXT2(x) #x
#define TESSERA_TEXT(x) TESSERA_TEXT2(x)

namespace {

constexpr int most_ndim = 1024;
constexpr int most_ncomp = 65536;

// Runs `body` on the solver; what is thrown becomes a status and a sentence.
template <class Solver, class Body>
int guarded(Solver *s, Body body) {
  if (!s) return TESSERA_ERR_ARGUMENT;
  if (s->busy) return TESSERA_ERR_BUSY;
  try {
    return body();
  } catch (const tessera::failure &f) {
    s->last_error = f.what();
    return f.status();
  } catch (const std::bad_alloc &) {
    s->last_error = "no memory left";  // short enough to need none
    return TESSERA_ERR_MEMORY;
  } catch (const std::exception &e) {
    s->last_error = e.what();
    return TESSERA_ERR_INTERNAL;
  } catch (...) {
    return TESSERA_ERR_INTERNAL;
  }
}

}  // namespace

extern "C" {

int tessera_version(void) {
  return 10000 * TESSERA_VERSION_MAJOR + 100 * TESSERA_VERSION_MINOR + TESSERA_VERSION_PATCH;
}

const char *tessera_version_string(void) {
  return TESSERA_TEXT(TESSERA_VERSION_MAJOR) "." TESSERA_TEXT(TESSERA_VERSION_MINOR) "." TESSERA_TEXT(TESSERA_VERSION_PATCH);
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

void tessera_destroy(tessera_solver *s) { delete s; }

const char *tessera_last_error(const tessera_solver *s) { return s ? s->last_error.c_str() : "the solver is NULL"; }

int tessera_set_domain(tessera_solver *s, const double *lower, const double *upper) {
  return guarded(s, [&] { return s->set_domain(lower, upper), TESSERA_OK; });
}

int tessera_set_integrand(tessera_solver *s, tessera_integrand fn, void *userdata) {
  return guarded(s, [&] { return s->set_integrand(fn, nullptr, userdata), TESSERA_OK; });
}

int tessera_set_integrand1(tessera_solver *s, tessera_integrand1 fn, void *userdata) {
  return guarded(s, [&] { return s->set_integrand(nullptr, fn, userdata), TESSERA_OK; });
}

int tessera_set_integrand_source(tessera_solver *s, int language, const char *source, const char *function) {
  return guarded(s, [&] { return s->set_integrand_source(language, source, function), TESSERA_OK; });
}

int tessera_set_integrand_file(tessera_solver *s, int language, const char *path, const char *function) {
  return guarded(s, [&] { return s->set_integrand_file(language, path, function), TESSERA_OK; });
}

int tessera_set_integrand_code(tessera_solver *s, int form, const void *code, size_t bytes, const char *function) {
  return guarded(s, [&] { return s->set_integrand_code(form, code, bytes, function), TESSERA_OK; });
}

int tessera_set_stream(tessera_solver *s, void *stream) {
  return guarded(s, [&] { return s->set_stream(stream), TESSERA_OK; });
}

int tessera_set_params(tessera_solver *s, const void *params, size_t bytes) {
  return guarded(s, [&] { return s->set_params(params, bytes), TESSERA_OK; });
}

int tessera_save_grid(const tessera_solver *s, const char *path) {
  return guarded(s, [&] { return s->save_grid(path), TESSERA_OK; });
}

int tessera_load_grid(tessera_solver *s, const char *path) {
  return guarded(s, [&] { return s->load_grid(path), TESSERA_OK; });
}

int tessera_get_chi2(const tessera_solver *s, double *chi2) {
  return guarded(s, [&] { return s->get_chi2(chi2), TESSERA_OK; });
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

int tessera_integrate(tessera_solver *s, int method, double *value, double *error) {
  return guarded(s, [&] {
    struct busy_flag {
      explicit busy_flag(bool &f) : flag(f) { flag = true; }
      ~busy_flag() { flag = false; }
      bool &flag;
    } busy(s->busy);
    return s->integrate(method, value, error);
  });
}

}  // extern "C"
