// The engine in one variable as text for a device: a run in each thread, with the host's decisions. Products are not fused (-fmad=false); what is
// left are the last bits of the functions that the integrands call. Skipped where there is no device.
// SPDX-License-Identifier: BSD-3-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmath>
#include <cstdio>
#include <vector>

extern "C" {
#include <cmocka.h>

#include "close.h"
}

#include "engine/quadrature/end_rule.hpp"
#include "engine/quadrature/extrapolating_run.hpp"
#include "engine/quadrature/nested_rule.hpp"
#include "engine/quadrature/null_rules.hpp"
#include "engine/quadrature/oscillating_rule.hpp"
#include "engine/quadrature/plain_run.hpp"
#include "engine/quadrature/pole_rule.hpp"
#include "engine/quadrature/range_map.hpp"
#include "skip.h"

namespace {

using namespace tessera;

constexpr int limit = 40, rows = 12, integrals = 256, kinds = 8;

// What lies in constant tables on the host, in memory of the device.
template <class Real>
struct tables {
  kronrod_pair<Real, 7> pair_15 = kronrod_of<Real, 7>;
  kronrod_pair<Real, 10> pair_21 = kronrod_of<Real, 10>;
  cosine_table<Real> cosine = cosines<Real>;
  nested_tables<Real> nested = nested_of<Real>;
  null_weights<Real, 10> null = null_weights_of<Real, 10>;
};

template <class Real>
struct answer {
  Real value, error;
  int size, end;
};

template <class Run, class Evaluate, class Real>
__host__ __device__ void drive(Run &run, Evaluate &&evaluate, answer<Real> &a) {
  while (run.request().count > 0) {
    interval_estimate<Real> e[2];
    for (int i = 0; i < run.request().count; ++i) e[i] = evaluate(run.request().part[i], run.request().level);
    run.tell(e);
  }
  a = {run.value(), run.error(), run.size(), static_cast<int>(run.end())};
}

// All kinds of runs, for one value of the parameter between 0 and 1. Rational integrands and square roots: every bit is the host's.
template <class Real>
__host__ __device__ void integrate_all(const tables<Real> &t, Real parameter, answer<Real> *a) {
  Real lower[limit], upper[limit], value[limit], error[limit], moment[25 * rows];
  int order[limit], levels[limit];
  const interval_arrays<Real, int> arrays = {lower, upper, value, error, order};
  const interval<Real> unit = {Real(0), Real(1)};
  const tolerances<Real> wanted = {Real(0), sizeof(Real) == sizeof(double) ? Real(1e-9) : Real(1e-4)};
  const auto peak = [parameter](Real x) { return Real(1) / ((x - parameter) * (x - parameter) + Real(1e-3)); };

  plain_run<Real, int> plain(plain_kind::smooth, unit, Real(0), wanted, arrays, limit);
  drive(
      plain, [&](interval<Real> on, int) { return apply_kronrod(t.pair_21, on, peak); }, a[0]);

  const auto singular = [parameter](Real x) { return Real(1) / sqrt(fabs(x - parameter)); };
  extrapolating_run<Real, int> extrapolating(unit, Real(0), nullptr, wanted, arrays, limit);
  drive(
      extrapolating, [&](interval<Real> on, int) { return apply_kronrod(t.pair_21, on, singular); }, a[1]);

  oscillating_rule<Real, int> oscillating(t.pair_15, t.cosine, Real(20) + parameter, false, {moment, rows, 0});
  extrapolating_run<Real, int> waves(unit, Real(20) + parameter, levels, wanted, arrays, limit);
  drive(
      waves, [&](interval<Real> on, int level) { return oscillating.apply(on, level, peak); }, a[2]);

  const end_rule<Real> ends(t.pair_15, t.cosine, unit, -parameter / 2, parameter, true, false, log_sums::exact);
  plain_run<Real, int> at_ends(plain_kind::ends, unit, Real(0), wanted, arrays, limit);
  drive(
      at_ends, [&](interval<Real> on, int) { return ends.apply(on, peak); }, a[3]);

  const Real pole_at = Real(0.25) + parameter / 2;
  const pole_rule<Real> pole(t.pair_15, t.cosine, pole_at);
  plain_run<Real, int> principal(plain_kind::singularity, unit, pole_at, wanted, arrays, limit);
  drive(
      principal, [&](interval<Real> on, int) { return pole.apply(on, peak); }, a[4]);

  nested_run<Real> nested(t.pair_21, t.nested, unit, wanted);
  const auto smooth = [parameter](Real x) { return Real(1) / (Real(1) + parameter * x * x); };
  nested.add_centre(smooth(nested.centre()));
  while (const int pairs = nested.next()) {
    for (int p = 0; p < pairs; ++p)
      nested.add_pair(p, smooth(nested.centre() - nested.distance(p)), smooth(nested.centre() + nested.distance(p)));
    nested.finish_rule();
  }
  a[5] = {nested.value(), nested.error(), nested.evaluations(), nested.met() ? 0 : 1};

  // As TESSERA_QUADRATURE does it: with doubts, over a peak and over a singular end.
  Real doubt[limit];
  const auto carefully = [&](const auto &f, answer<Real> &to) {
    extrapolating_run<Real, int> run(unit, Real(0), nullptr, wanted, {lower, upper, value, error, order, doubt}, limit);
    drive(
        run,
        [&](interval<Real> on, int) {
          const Real centre = (on.lower + on.upper) / 2, half = (on.upper - on.lower) / 2;
          Real v[21];
          v[0] = f(centre);
          for (int p = 0; p < 10; ++p) {
            v[1 + p] = f(centre - half * t.pair_21.node[p]);
            v[11 + p] = f(centre + half * t.pair_21.node[p]);
          }
          return estimate_carefully(t.pair_21, t.null, half, v);
        },
        to);
  };
  carefully(peak, a[6]);
  carefully([](Real x) { return Real(1) / sqrt(x); }, a[7]);
}

template <class Real>
__host__ __device__ Real parameter_of(int i) {
  return (Real(i) + Real(0.37)) / Real(integrals);
}

template <class Real>
__global__ void kernel(const tables<Real> *t, answer<Real> *answers) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < integrals) integrate_all(*t, parameter_of<Real>(i), answers + i * kinds);
}

void good(cudaError_t status) {
  if (status != cudaSuccess) fail_msg("%s", cudaGetErrorString(status));
}

template <class Real>
void device_decides_as_host() {
  const tables<Real> on_host;
  tables<Real> *on_device = nullptr;
  answer<Real> *answers = nullptr;
  std::vector<answer<Real>> device(integrals * kinds), host(integrals * kinds);
  good(cudaMalloc(&on_device, sizeof on_host));
  good(cudaMalloc(&answers, device.size() * sizeof(answer<Real>)));
  good(cudaMemcpy(on_device, &on_host, sizeof on_host, cudaMemcpyHostToDevice));
  kernel<<<integrals / 64, 64>>>(on_device, answers);
  good(cudaGetLastError());
  good(cudaMemcpy(device.data(), answers, device.size() * sizeof(answer<Real>), cudaMemcpyDeviceToHost));
  good(cudaFree(answers));
  good(cudaFree(on_device));
  int other = 0;
  for (int i = 0; i < integrals; ++i)
    integrate_all(on_host, parameter_of<Real>(i), &host[static_cast<std::size_t>(i) * kinds]);
  for (std::size_t k = 0; k < host.size(); ++k) {
    const answer<Real> &h = host[k], &d = device[k];
    const int kind = static_cast<int>(k % kinds);
    if (kind != 2 && kind != 3 && kind != 4) {  // nothing but the four operations and square roots
      assert_int_equal(d.size, h.size);
      assert_int_equal(d.end, h.end);
      assert_same_bits(d.value, h.value);
      assert_same_bits(d.error, h.error);
      continue;
    }
    other += d.size != h.size || d.end != h.end;
    assert_at_most(std::fabs(static_cast<double>(d.value - h.value)),
                   h.error + d.error + 1e2 * real_limits<Real>::spacing * std::fabs(h.value));
  }
  std::printf("%d of %zu runs have other decisions\n", other, host.size());
  assert_true(other <= integrals * kinds / 50);
}

void in_double(void **) { device_decides_as_host<double>(); }
void in_single(void **) { device_decides_as_host<float>(); }

}  // namespace

int main() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::puts("no device");
    return no_device_here();
  }
  const CMUnitTest tests[] = {cmocka_unit_test(in_double), cmocka_unit_test(in_single)};
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
