// A run in bulk that has room for all its regions from the start, as on a device, and runs that have to ask for more on the way, also while they explore the
// neighbourhood of peaks, take the same course.
// SPDX-License-Identifier: BSD-3-Clause
#include "bulk_runs.hpp"

using namespace tessera;

namespace {

// Host executors that begin with so much room.
template <int64 regions>
struct beginning_with : host_executor {
  using host_executor::host_executor;
  static constexpr int64 first_regions = regions;
};

template <int64 regions>
answer in_room_for(const cubature_problem &p) {
  thread_pool pool(p.threads);
  host_evaluator evaluator;
  evaluator.start(p, pool, nobody_asks, INT64_MAX);
  beginning_with<regions> executor(pool, evaluator);
  return run(executor, p);
}

// Two narrow peaks of other widths along each axis, beside faces that divisions make.
struct two_peaks {
  double centre[2][4], width[2][4];
} peaks;

int beside_faces(int ndim, const double *x, int, double *f, void *) {
  f[0] = 0.0;
  for (int p = 0; p < 2; ++p) {
    double s = 0.0;
    for (int j = 0; j < ndim; ++j) {
      const double t = (x[j] - peaks.centre[p][j]) / peaks.width[p][j];
      s += t * t;
    }
    f[0] += std::exp(-s) * (p + 1);
  }
  return 0;
}

void draw(uint64 &seed) {
  const auto uniform = [&seed] {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(seed >> 11) * 0x1p-53;
  };
  for (int p = 0; p < 2; ++p)
    for (int j = 0; j < 4; ++j) {
      peaks.width[p][j] = 0.003 * std::pow(30.0, uniform());
      peaks.centre[p][j] = (1.0 + std::floor(7.0 * uniform())) / 8.0 + peaks.width[p][j] * (2.0 * uniform() - 1.0);
    }
}

void the_course_does_not_depend_on_room(void **) {
  uint64 seed = 28129001;
  int exploring = 0;
  for (int i = 0; i < 12; ++i) {
    draw(seed);
    cubature_problem p = problem_of(3 + i % 2, 1, beside_faces, 1e-2);
    p.settings.initial_regions = 2;
    const answer roomy = in_room_for<1 << 17>(p), tight = in_room_for<16>(p), usual = direct(p);
    assert_same_course(roomy, tight);
    assert_same_course(roomy, usual);
    if (roomy.statistics.regions > 1000) ++exploring;
  }
  assert_true(exploring >= 3);
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {cmocka_unit_test(the_course_does_not_depend_on_room)};
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
