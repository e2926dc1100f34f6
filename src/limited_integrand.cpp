// SPDX-License-Identifier: BSD-3-Clause
#include "limited_integrand.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "problem.hpp"

namespace tessera {
namespace {

[[noreturn]] void refuse(int axis, const double *x, const std::string &what) {
  throw impossible_limits("the limits of axis " + std::to_string(axis) + " " + what +
                          (axis > 0 ? " at " + shown_point(x, axis) : std::string()));
}

// What a thread needs for the points of a call. An integrand may integrate by itself, so a call takes it along and brings it back.
struct workspace {
  std::vector<double> x, f, point, spare, length;
  std::vector<int64> place;  // of the points whose axes have a length, among those of the call
};
thread_local workspace kept;

class borrowed {
 public:
  borrowed() { std::swap(w_, kept); }
  ~borrowed() { std::swap(w_, kept); }
  borrowed(const borrowed &) = delete;
  borrowed &operator=(const borrowed &) = delete;
  workspace *operator->() { return &w_; }

 private:
  workspace w_;
};

std::size_t index(int64 i) { return static_cast<std::size_t>(i); }

}  // namespace

axis_extent limited_integrand::extent(int j, const double *x, int &status) const {
  const axis_limits &limits = shape_.limits[index(j)];
  axis_extent e = axis_as_it_is();
  if (!limits.is_set()) return e;
  double lower = nan_value(), upper = nan_value();
  status = limits.function(static_cast<int>(shape_.limits.size()), j, x, &lower, &upper,
                           limits.is_text ? user_.params : limits.userdata);
  if (status != 0) return {};
  const limits_trouble trouble = find_extent(lower, upper, e);
  if (trouble == limits_apart)
    refuse(j, x,
           "are " + shown_number(lower) + " and " + shown_number(upper) + ", not two numbers a finite distance apart,");
  if (trouble == limits_cross) refuse(j, x, "cross, " + shown_number(lower) + " > " + shown_number(upper) + ",");
  return e;
}

double limited_integrand::map_first(int axes, double *x, int &status) const {
  double volume = 1.0;
  for (int j = 0; j < axes; ++j) {
    if (!shape_.limits[index(j)].is_set()) continue;
    const axis_extent e = extent(j, x, status);
    if (status != 0 || e.length == 0.0) return 0.0;
    x[j] = e.at(x[j]);
    volume *= e.length;
  }
  return volume;
}

double limited_integrand::map(double *x, double *spare, int &status) const {
  if (shape_.is_simplex()) return shape_.to_simplex(x, spare);
  return map_first(static_cast<int>(shape_.limits.size()), x, status);
}

void show_in_domain(const domain_shape *shape, void *params, double *x) {
  if (!shape) return;
  std::vector<double> at(x, x + shape->limits.size()), spare(at.size());
  try {
    int status = 0;
    limited_integrand(*shape, params).map(at.data(), spare.data(), status);
    if (status == 0) std::copy(at.begin(), at.end(), x);
  } catch (const std::exception &) {
  }
}

host_integrand limited_integrand::of(const host_integrand &user) {
  user_ = user;
  host_integrand form;
  form.userdata = this;
  form.params = user.params;
  if (user.batch)
    form.batch = call_batch;
  else
    form.point = call_point;
  return form;
}

int limited_integrand::call_point(int ndim, const double *x, int ncomp, double *f, void *self) {
  const auto &me = *static_cast<const limited_integrand *>(self);
  borrowed w;
  w->point.assign(x, x + ndim);
  w->spare.resize(index(ndim));
  int status = 0;
  const double volume = me.map(w->point.data(), w->spare.data(), status);
  if (status != 0) return status;
  if (volume == 0.0) {
    std::fill_n(f, ncomp, 0.0);
    return 0;
  }
  status = me.user_.point(ndim, w->point.data(), ncomp, f, me.user_.userdata);
  for (int k = 0; k < ncomp; ++k) f[k] *= volume;
  return status;
}

int limited_integrand::call_batch(int64 n, int ndim, const double *x, int64 ldx, int ncomp, double *f, int64 ldf,
                                  void *self) {
  const auto &me = *static_cast<const limited_integrand *>(self);
  borrowed w;
  w->x.resize(index(n * ndim));
  w->f.resize(index(n * ncomp));
  w->length.clear();
  w->place.clear();
  w->point.resize(index(ndim));
  w->spare.resize(index(ndim));
  for (int k = 0; k < ncomp; ++k) std::fill_n(f + k * ldf, n, 0.0);
  for (int64 i = 0; i < n; ++i) {
    for (int j = 0; j < ndim; ++j) w->point[index(j)] = x[j * ldx + i];
    int status = 0;
    const double volume = me.map(w->point.data(), w->spare.data(), status);
    if (status != 0) return status;
    if (volume == 0.0) continue;
    const auto at = static_cast<int64>(w->place.size());
    for (int j = 0; j < ndim; ++j) w->x[index(j * n + at)] = w->point[index(j)];
    w->length.push_back(volume);
    w->place.push_back(i);
  }
  const auto inside = static_cast<int64>(w->place.size());
  if (inside == 0) return 0;
  std::fill(w->f.begin(), w->f.end(), nan_value());  // what the integrand does not write must not pass for a value
  const int status = me.user_.batch(inside, ndim, w->x.data(), n, ncomp, w->f.data(), n, me.user_.userdata);
  for (int k = 0; k < ncomp; ++k)
    for (int64 i = 0; i < inside; ++i) f[k * ldf + w->place[index(i)]] = w->length[index(i)] * w->f[index(k * n + i)];
  return status;
}

}  // namespace tessera
