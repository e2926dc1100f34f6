// Rules as lists of points: the same points and weights as the orbits have.
// SPDX-License-Identifier: BSD-3-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <vector>

extern "C" {
#include <cmocka.h>
}

#include <tessera.h>

#include "core/listed_build.hpp"
#include "core/node_table.hpp"
#include "core/rule_build.hpp"

using namespace tessera;

namespace {

double offset_of(const listed_tables &t, uint64 word, int ndim, int j) {
  assert_true(listed_node(word, ndim, j) < t.nodes);
  return t.offsets[static_cast<std::size_t>(j * t.nodes + listed_node(word, ndim, j))];
}

// Vertices come in the order of their indices here, in that of a Gray code there.
double offset_there(const rule &r, int o, const node_word *words, int64 p, int j) {
  if (r.orb[o].kind != orbit_vertex) return point_offset(r, o, words, p, j);
  return parity(static_cast<uint32>(p) & r.vertex_mask[j]) != 0u ? -r.orb[o].a : r.orb[o].a;
}

void assert_lists(int family, int ndim) {
  rule r;
  build_rule(choose_rule(family, ndim), ndim, r, true);
  const listed_tables t = build_listed(r);
  const std::vector<node_word> words = make_node_table(r);
  assert_int_equal(t.words.size(), r.points);
  assert_int_equal(t.weights.size(), r.orbits * listed_sums);
  std::size_t at = 0;
  for (int o = 0; o < r.orbits; ++o) {
    const node_word *const own = r.orb[o].kind < orbit_vertex ? words.data() + at : nullptr;
    const double *const w = t.weights.data() + o * listed_sums;
    assert_true(w[0] == r.weight[o]);
    for (int i = 0; i < null_rules; ++i) assert_true(w[1 + i] == r.null_weight[i][o]);
    assert_true(w[1 + null_rules] == (r.orb[o].kind == orbit_probe ? 1.0 : 0.0));
    for (int64 p = 0; p < r.orb[o].count; ++p, ++at) {
      const uint64 word = t.words[at];
      assert_int_equal(listed_orbit(word), o);
      for (int j = 0; j < ndim; ++j) assert_true(offset_of(t, word, ndim, j) == offset_there(r, o, own, p, j));
      assert_true(static_cast<uint32>(word) < uint64{1} << (ndim * listed_bits(ndim)));  // nothing behind the last axis
    }
  }
}

void lists_have_the_orbits_points(void **) {
  for (int ndim = 2; ndim <= listed_axes; ++ndim)
    for (const int family : {TESSERA_RULE_AUTO, TESSERA_RULE_GM7, TESSERA_RULE_DEGREE7, TESSERA_RULE_DEGREE9})
      assert_lists(family, ndim);
}

void more_variables_have_no_list(void **) {
  rule r;
  build_rule(choose_rule(TESSERA_RULE_AUTO, listed_axes + 1), listed_axes + 1, r, true);
  assert_true(build_listed(r).words.empty());
}

}  // namespace

int main() {
  const struct CMUnitTest tests[] = {cmocka_unit_test(lists_have_the_orbits_points),
                                     cmocka_unit_test(more_variables_have_no_list)};
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
