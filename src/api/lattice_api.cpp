// The C interface of generating vectors: check, forward, turn exceptions into statuses.
// SPDX-License-Identifier: BSD-3-Clause
#include "guarded.hpp"
#include "../vectors/lattice.hpp"

using tessera::guarded;

namespace {

template <class T>
T *required(T *p, const char *name) {
  if (!p) throw tessera::failure(TESSERA_ERR_ARGUMENT, std::string(name) + " is NULL");
  return p;
}

}  // namespace

extern "C" {

int tessera_lattice_create(tessera_lattice **l, int ndim) {
  if (!l) return TESSERA_ERR_ARGUMENT;
  *l = nullptr;
  if (ndim < 1 || ndim > tessera::most_lattice_ndim) return TESSERA_ERR_ARGUMENT;
  try {
    *l = new tessera_lattice(ndim);
    return TESSERA_OK;
  } catch (...) {
    return TESSERA_ERR_MEMORY;
  }
}

void tessera_lattice_destroy(tessera_lattice *l) {
  if (!l || !l->busy) delete l;
}

const char *tessera_lattice_last_error(const tessera_lattice *l) {
  return l ? l->last_error.c_str() : "the lattice is NULL";
}

int tessera_lattice_set_weights(tessera_lattice *l, const double *product, int orders, const double *order) {
  return guarded(l, [&] { return l->set_weights(product, orders, order), TESSERA_OK; });
}

int tessera_lattice_set_kernel(tessera_lattice *l, int kernel, const double *values, int64_t count) {
  return guarded(l, [&] { return l->set_kernel(kernel, values, count), TESSERA_OK; });
}

int tessera_lattice_set_int(tessera_lattice *l, int key, int64_t value) {
  return guarded(l, [&] { return l->set_int(key, value), TESSERA_OK; });
}

int tessera_lattice_get_int(const tessera_lattice *l, int key, int64_t *value) {
  return guarded(l, [&] { return *required(value, "value") = l->get_int(key), TESSERA_OK; });
}

int tessera_lattice_get_real(const tessera_lattice *l, int key, double *value) {
  return guarded(l, [&] { return *required(value, "value") = l->get_real(key), TESSERA_OK; });
}

int tessera_lattice_set_progress(tessera_lattice *l, tessera_lattice_progress fn, void *userdata) {
  return guarded(l, [&] { return l->set_progress(fn, userdata), TESSERA_OK; });
}

int tessera_lattice_construct(tessera_lattice *l, int64_t n) {
  return guarded(l, [&] {
    const tessera::busy_flag busy(l->busy);
    return l->construct(n), TESSERA_OK;
  });
}

int tessera_lattice_korobov(tessera_lattice *l, int64_t n, int64_t a) {
  return guarded(l, [&] { return l->korobov(n, a), TESSERA_OK; });
}

int tessera_lattice_vector(tessera_lattice *l, int64_t n, const int64_t *z) {
  return guarded(l, [&] { return l->vector(n, z), TESSERA_OK; });
}

int tessera_lattice_builtin(tessera_lattice *l) {
  return guarded(l, [&] { return l->builtin(), TESSERA_OK; });
}

int tessera_lattice_get_vector(const tessera_lattice *l, int64_t *z) {
  return guarded(l, [&] { return l->get_vector(z), TESSERA_OK; });
}

int tessera_lattice_save(const tessera_lattice *l, const char *path) {
  return guarded(l, [&] { return l->save(path), TESSERA_OK; });
}

int tessera_lattice_load(tessera_lattice *l, const char *path) {
  return guarded(l, [&] { return l->load(path), TESSERA_OK; });
}

int tessera_lattice_prime(int64_t n, int64_t largest, int64_t *prime) {
  try {
    *required(prime, "prime") = tessera::nearest_prime(n, largest);
    return TESSERA_OK;
  } catch (const tessera::failure &f) {
    return f.status();
  } catch (...) {  // the message of the failure
    return TESSERA_ERR_MEMORY;
  }
}

}  // extern "C"
