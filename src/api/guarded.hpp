// Around every call of the C interface: no exception leaves it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <exception>
#include <new>
#include <string>

#include "../failure.hpp"
#include "tessera.h"

namespace tessera {

// There may be no memory for a message: then it is one that needs none.
inline void set_message(std::string &message, const char *text) noexcept {
  try {
    message = text;
  } catch (...) {
    message = "no memory left";  // short enough
  }
}

// Runs `body` on a solver or lattice; what is thrown becomes a status and a message.
template <class Object, class Body>
int caught(Object *s, Body body) {
  try {
    return body();
  } catch (const tessera::failure &f) {
    set_message(s->last_error, f.what());
    return f.status();
  } catch (const std::bad_alloc &) {
    set_message(s->last_error, "no memory left");
    return TESSERA_ERR_MEMORY;
  } catch (const std::exception &e) {
    set_message(s->last_error, e.what());
    return TESSERA_ERR_INTERNAL;
  } catch (...) {
    return TESSERA_ERR_INTERNAL;
  }
}

// The same unless the object is in the middle of a run.
template <class Object, class Body>
int guarded(Object *s, Body body) {
  if (!s) return TESSERA_ERR_ARGUMENT;
  return s->busy ? static_cast<int>(TESSERA_ERR_BUSY) : caught(s, body);
}

// Set while callbacks may run.
class busy_flag {
 public:
  explicit busy_flag(bool &f) : flag_(f) { flag_ = true; }
  ~busy_flag() { flag_ = false; }
  busy_flag(const busy_flag &) = delete;
  busy_flag &operator=(const busy_flag &) = delete;

 private:
  bool &flag_;
};

}  // namespace tessera
