// Regions whose numbers are known from an earlier run are not evaluated again; see kept_answers.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "../kept_answers.hpp"
#include "evaluator.hpp"

namespace tessera {

// apply(ids, n) evaluates n regions; level: of the rule, 0 for that of the problem. axes: of each component, or null.
template <class Id, class Apply>
outcome host_evaluator::ask_for_unknown(const region_view &regions, const Id &id, int64 n, int level,
                                        unsigned char *axes, const Apply &apply) {
  constexpr uint64 kind = 0x726567696f6e;
  kept_answers &answers = *problem_->answers;
  const int box = 2 * regions.ndim(), numbers = regions.fields() - box, nc = regions.ncomp();
  const std::size_t length = index(numbers) + (axes ? index(nc) : 0);
  const auto key_of = [&](int64 region) {
    question asked(kind);
    asked.add(rule_.family).add(rule_.points).add(level).add(axes != nullptr);
    for (int f = 0; f < box; ++f) asked.add(regions.field(region, f));
    return asked.key();
  };
  failure_.clear();
  unknown_.clear();
  for (int64 i = 0; i < n; ++i) {
    const int64 region = id(i);
    const uint64 *const known = answers.find(key_of(region), length);
    if (!known) {
      unknown_.push_back(region);
      continue;
    }
    for (int f = 0; f < numbers; ++f) read_words(known + f, &regions.field(region, box + f), 1);
    for (int k = 0; axes && k < nc; ++k) axes[region * nc + k] = static_cast<unsigned char>(known[numbers + k]);
  }
  if (unknown_.empty()) return outcome::running;
  const outcome o = apply(unknown_.data(), static_cast<int64>(unknown_.size()));
  if (o != outcome::running) return o;
  for (const int64 region : unknown_) {
    uint64 *const to = answers.keep(key_of(region), length);
    if (!to) break;
    for (int f = 0; f < numbers; ++f) write_words(to + f, &regions.field(region, box + f), 1);
    for (int k = 0; axes && k < nc; ++k) to[numbers + k] = axes[region * nc + k];
  }
  return o;
}

outcome host_evaluator::evaluate(const region_view &regions, const region_list &list, int64 n, unsigned char *axes) {
  if (!problem_->answers) return apply(regions, list, n, axes);
  return ask_for_unknown(
      regions, [&list](int64 i) { return list[i]; }, n, 0, axes,
      [&](const int64 *ids, int64 unknown) {
        return apply(regions, {ids, 0, 1}, unknown, axes);
      });
}

outcome host_evaluator::raise(const region_view &regions, const int64 *ids, int64 n, int level) {
  if (!problem_->answers) return apply_raised(regions, ids, n, level);
  return ask_for_unknown(
      regions, [ids](int64 i) { return ids[i]; }, n, level, nullptr,
      [&](const int64 *unknown, int64 many) { return apply_raised(regions, unknown, many, level); });
}

}  // namespace tessera
