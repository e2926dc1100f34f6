// The levels by which a run comes to its first regions: as many as are wanted, however rough they turn out to be on the way, each cut across axes that there
// are, and in fewer levels where nothing is rough.
// SPDX-License-Identifier: BSD-3-Clause
#include <vector>

extern "C" {
#include "cases.h"
#include "close.h"
#include "solve.h"
}
#include "engine/cubature/initial.hpp"

using namespace tessera;

namespace {

// How many there are after each level. next(): how many of them are rough.
template <class Next>
std::vector<int64> levels(int ndim, int64 wanted, Next next) {
  const splitting single = make_splitting(0, ndim, 0.05);
  std::vector<int64> have = {1};
  while (have.back() < wanted && have.size() < 40) {
    const splitting s = first_splitting(single, ndim, have.back(), wanted, next());
    assert_int_equal(s.pieces, 1 << s.axes);
    assert_true(s.axes >= 1 && s.axes <= ndim && s.axes <= axes_kept);
    assert_true(!s.slabs && !s.widest);
    if (s.by_roughness) assert_true(have.back() >= halved_regions && s.pieces == 4);
    have.push_back(have.back() * s.pieces);
  }
  return have;
}
std::vector<int64> levels(int ndim, int64 wanted, roughness all) {
  return levels(ndim, wanted, [all] { return all; });
}

void as_many_as_are_wanted(void **) {
  uint64_t seed = 28120701;
  for (int ndim = 1; ndim <= 10; ++ndim)
    for (int64 wanted = 1; wanted <= int64{1} << 20; wanted *= 2) {
      const std::size_t most = levels(ndim, wanted, roughness::most).size(),
                        some = levels(ndim, wanted, roughness::some).size(),
                        none = levels(ndim, wanted, roughness::none).size();
      assert_true(none <= some && some <= most);
      for (const roughness all : {roughness::none, roughness::some, roughness::most})
        assert_int_equal(levels(ndim, wanted, all).back(), wanted);
      for (int times = 0; times < 20; ++times)
        assert_int_equal(
            levels(ndim, wanted,
                   [&seed] { return static_cast<roughness>(static_cast<int>(3 * splitmix_uniform(&seed))); })
                .back(),
            wanted);
    }
}

// A device's 1024: by eight up to 64 where nothing is rough, by four where some are, by two where most are; then by four.
void those_of_a_device(void **) {
  using numbers = std::vector<int64>;
  for (int ndim = 3; ndim <= 10; ++ndim)
    assert_true(levels(ndim, 1024, roughness::none) == (numbers{1, 8, 64, 256, 1024}));
  assert_true(levels(2, 1024, roughness::none) == (numbers{1, 4, 16, 64, 256, 1024}));
  for (int ndim = 2; ndim <= 10; ++ndim) {
    assert_true(levels(ndim, 1024, roughness::some) == (numbers{1, 4, 16, 64, 256, 1024}));
    assert_true(levels(ndim, 1024, roughness::most) == (numbers{1, 2, 4, 8, 16, 32, 64, 256, 1024}));
  }
  // A rough domain, and smooth halves.
  int asked = 0;
  assert_true(levels(8, 1024, [&asked] { return asked++ == 0 ? roughness::most : roughness::none; }) ==
              (numbers{1, 2, 16, 64, 256, 1024}));
}

void how_many_are_rough(void **) {
  for (int64 n = 1; n <= 64; ++n)
    for (int64 rough = 0; rough <= n; ++rough) {
      const roughness r = roughness_of(rough, n);
      assert_true((r == roughness::none) == (rough == 0));
      assert_true((r == roughness::most) == (rough > n - rough));
    }
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {
      cmocka_unit_test(as_many_as_are_wanted),
      cmocka_unit_test(those_of_a_device),
      cmocka_unit_test(how_many_are_rough),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
