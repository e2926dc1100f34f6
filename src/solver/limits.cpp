// Limits of an axis that depend on the coordinates before it: functions, and texts that are compiled.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "solver.hpp"

using tessera::failure;
using tessera::integrand_source;

static void require_axis(int axis, int ndim) {
  if (axis < 0 || axis >= ndim)
    throw failure(TESSERA_ERR_ARGUMENT,
                  "axis = " + std::to_string(axis) + " is not within 0 .. " + std::to_string(ndim - 1));
}

void tessera_solver::set_limits(int axis, tessera_limits fn, void *userdata) {
  require_axis(axis, ndim_);
  change_limits(axis, {fn, fn ? userdata : nullptr}, nullptr);
}

void tessera_solver::set_limits_source(int axis, int language, const char *source, const char *function) {
  require_axis(axis, ndim_);
  if (!source) return change_limits(axis, {}, nullptr);
  if (language == TESSERA_LANGUAGE_CUBA)
    throw failure(
        TESSERA_ERR_ARGUMENT,
        "language is TESSERA_LANGUAGE_CUBA, which has no form for limits: TESSERA_LANGUAGE_C is for texts in C");
  if (language == TESSERA_LANGUAGE_FORTRAN || language == TESSERA_LANGUAGE_FORTRAN_FIXED)
    throw failure(TESSERA_ERR_ARGUMENT,
                  "language is Fortran, which has no form for limits: they are given in TESSERA_LANGUAGE_C or "
                  "TESSERA_LANGUAGE_CUDA");
  auto text = std::make_unique<integrand_source>(tessera::make_source(language, source, false, function, axis));
  change_limits(axis, {nullptr, nullptr, true}, std::move(text));
}

// Nothing has changed where this throws. The texts are in the order of their axes.
void tessera_solver::change_limits(int axis, tessera::axis_limits limits, std::unique_ptr<integrand_source> text) {
  limits_texts_.reserve(limits_texts_.size() + 1);
  auto at = std::find_if(limits_texts_.begin(), limits_texts_.end(),
                         [&](const limits_text &l) { return l.source.axis >= axis; });
  if (at != limits_texts_.end() && at->source.axis == axis) at = limits_texts_.erase(at);
  if (text) limits_texts_.insert(at, {std::move(*text), nullptr});
  shape_.limits[static_cast<std::size_t>(axis)] = limits;
  shape_.has_limits =
      std::any_of(shape_.limits.begin(), shape_.limits.end(), [](const tessera::axis_limits &l) { return l.is_set(); });
  make_box();
}

// Why a device cannot have this domain; "" if it can.
std::string tessera_solver::trouble_with_shape_on_devices(const tessera::method &m) const {
  for (std::size_t j = 0; j < shape_.limits.size() && !m.takes_limit_functions(); ++j)
    if (shape_.limits[j].is_set() && !shape_.limits[j].is_text)
      return "the limits of axis " + std::to_string(j) +
             " are a function of the host; a device takes limits that tessera_set_limits_source gives as text";
  if (shape_.is_plain() || !device_batch_) return {};
  return std::string(shape_.name()) + " on a device is for source texts and compiled code, not for a device callback";
}

// For the host; threads: 1 where a text writes to what all points share.
void tessera_solver::compile_limits(int &threads) try {
  for (limits_text &l : limits_texts_) {
    if (!l.code) {
      l.code = std::make_unique<tessera::compiled_source>(
          l.source, ndim_, ncomp_, &tessera::shared_cache(options_.get_int(TESSERA_DISK_CACHE) != 0),
          tessera_version_string(), 0, until_);
      tell_compiled(*l.code);
    }
    shape_.limits[static_cast<std::size_t>(l.source.axis)].function = l.code->limits();
    if (l.code->one_thread()) threads = 1;
  }
} catch (const tessera::out_of_time &) {
  throw;
} catch (const tessera::compile_error &e) {
  throw failure(tessera::compile_status(e), e.what());
}
