// SPDX-License-Identifier: BSD-3-Clause
#include "kernel.hpp"

#include <algorithm>

#include "../../plugin.hpp"
#include "../../core/listed_build.hpp"
#include "../../core/node_table.hpp"

namespace tessera {

// The engine's headers and the kernels; made by the build.
extern const char *const state_text, *const steps_text, *const bulk_text, *const evaluator_text, *const many_text;

namespace {

std::string define(const char *name, int value) { return std::string("-D") + name + "=" + std::to_string(value); }

bool full_vertices(const rule &r) {
  for (int j = 0; j < r.ndim; ++j)
    if (r.vertex_mask[j] != 1u << j) return false;
  return true;
}

// The nodes, and behind them the axes of the second generator.
std::vector<uint32> make_nodes(const rule &r) {
  const std::vector<node_word> table = make_node_table(r);
  const std::size_t size = 4 * static_cast<std::size_t>(device_node_quads(r.ndim));
  std::vector<uint32> words(table.size() * (size + 1), 0u);
  for (std::size_t m = 0; m < table.size(); ++m)
    for (int q = 0; q < node_moved(table[m]); ++q) {
      const int j = node_coordinate(table[m], q);
      const uint32 code = node_minus(table[m], q) ? device_node_minus : device_node_plus;
      words[m * size + static_cast<std::size_t>(j / 2)] |= (j & 1) != 0 ? code << 16 : code;
      if (q + 1 == node_moved(table[m]) && node_uses_b(table[m])) words[table.size() * size + m] |= 1u << j;
    }
  return words;
}

std::vector<pair_factors> make_pairs(const rule &r) {
  std::vector<pair_factors> pairs(max_orbits);
  for (int k = 0; k < r.orbits; ++k)
    for (int i = 0; i < null_rules - 1; ++i) pairs[static_cast<std::size_t>(k)].pair[i] = {r.scale[i][k], r.norm[i][k]};
  return pairs;
}

// Axis orbits whose values the kernel keeps: those of the fourth differences, or all where there are points near the faces.
int axis_orbits(const rule &r) { return r.face_orbit < 0 ? 2 : r.face_orbit; }

listed_rule upload_list(listed_memory &there, const listed_tables &t, CUstream stream) {
  const auto put = [stream](device_memory &to, const auto &from) {
    const std::size_t bytes = from.size() * sizeof from[0];
    to.require(bytes);
    upload(to.address(), from.data(), bytes, stream, "uploading the rule's points");
    return to.address();
  };
  std::vector<uint64> words = t.words;
  words.resize(words.size() + listed_beyond, 0u);
  return {reinterpret_cast<const uint64 *>(put(there.words, words)),
          reinterpret_cast<const double *>(put(there.offsets, t.offsets)),
          reinterpret_cast<const double *>(put(there.weights, t.weights)), t.nodes};
}

// Bytes of device_scratch.
int scratch_bytes(const rule &r, const kernel_shape &s, int ncomp) {
  const int group = ncomp * (1 + 2 * r.ndim * axis_orbits(r)) + r.ndim;
  return 8 * (s.block / s.lanes * group);
}

// Those of a region that go through a list: the fewer, the more regions come to their end at once, and the more often lanes of a warp want different
// coordinates from the same bank of near memory. Measured with 4 to 32.
constexpr int lanes_of_list = 8;

// The most lanes for which the orbits keep nearly all of them busy.
int lanes_of_orbits(const rule &r) {
  int lanes = 32;
  for (; lanes > 2; lanes /= 2) {
    int64 rounds = 0;
    for (int o = 0; o < r.orbits; ++o)
      if (o != r.probe_orbit) rounds += (r.orb[o].count + lanes - 1) / lanes;  // these come with the centre
    if (static_cast<double>(r.points) >= 0.93 * static_cast<double>(rounds * lanes)) break;
  }
  return lanes;
}

// Of a slice_record.
std::size_t slice_doubles(int ndim) { return static_cast<std::size_t>(3 + null_rules + 3 * ndim); }

}  // namespace

kernel_shape choose_shape(const rule &r, int ncomp, bool mapped, bool many) {
  kernel_shape s;
  s.mapped = mapped;
  s.many = many;
  if (many) {  // small blocks wait less for their own threads, and more integrals are at work at a time
    s.block = 64;
    s.blocks = 8;
  }
  s.lanes = nodes_listed(r) > 0 ? lanes_of_list : lanes_of_orbits(r);
  constexpr int most_shared = 100000;
  while (s.lanes < 32 && scratch_bytes(r, s, ncomp) > most_shared) s.lanes *= 2;
  while (s.block > 32 && scratch_bytes(r, s, ncomp) > most_shared) s.block /= 2;
  return s;
}

kernel_text engine_kernel(const rule &r, const kernel_shape &shape) {
  kernel_text text;
  text.head = state_text;
  const std::vector<std::string> of_steps = {
      define("TESSERA_BLOCK", shape.block), define("TESSERA_BLOCKS", shape.blocks),
      define("TESSERA_RAISED", r.raises && !shape.many), define("TESSERA_MANY", shape.many)};
  text.options = {define("TESSERA_LANES", shape.lanes),
                  define("TESSERA_MAPPED", shape.mapped),
                  define("TESSERA_FULL_VERTICES", full_vertices(r)),
                  define("TESSERA_AXIS_ORBITS", axis_orbits(r)),
                  define("TESSERA_PROBES", r.probe_orbit >= 0),
                  define("TESSERA_NODES", nodes_listed(r)),
                  define("TESSERA_POINTS", static_cast<int>(r.points)),
                  define("TESSERA_ORBITS", r.orbits)};
  text.options.insert(text.options.end(), of_steps.begin(), of_steps.end());
  text.text = evaluator_text;
  text.apart = {std::string(steps_text) + (shape.many ? many_text : bulk_text), of_steps};
  constexpr int registers = 65536;  // of a multiprocessor
  text.most_registers = std::min(255, registers / (shape.block * shape.blocks) / 8 * 8);
  return text;
}

loaded_kernel::loaded_kernel(const cubature_problem &problem, const placed_integrand &f, int arch, int multiprocessors,
                             CUstream stream, bool many)
    : ndim_(problem.settings.ndim),
      ncomp_(problem.settings.ncomp),
      shape_(choose_shape(problem.integration_rule, ncomp_, any_mapped(problem.axes), many)) {
  const rule &r = problem.integration_rule;
  target where;
  where.arch = arch;
  where.ndim = ndim_;
  where.ncomp = ncomp_;
  where.library_version = std::to_string(backend_abi);
  where.until = f.until;
  module_ = compile_integrand(f.source, engine_kernel(r, shape_), where, f.cache);
  library_.load(module_.image->data(), "loading the compiled integrand");
  steps_.function = library_.function(many ? "tessera_many" : "tessera_bulk");
  if (!many) {
    steps_.of_few = library_.function("tessera_bulk_of_few");
    points_ = library_.function("tessera_points");
    part_ = library_.function("tessera_part");
    packing_.find(library_);
    upload_axes(library_, problem.axes, stream);
    flags_ = library_.global("tessera_flags", sizeof(int));
    status_ = library_.global("tessera_status", sizeof(int));
  }
  upload_rule(library_, r, stream);
  const std::vector<pair_factors> pairs = make_pairs(r);
  const std::size_t bytes = pairs.size() * sizeof(pair_factors);
  upload(library_.global("tessera_pairs", bytes), pairs.data(), bytes, stream, "uploading the rule");
  upload_points(nodes_, make_nodes(r), stream);
  node_bytes_ = static_cast<std::size_t>(sparse_points(r)) * 16 * static_cast<std::size_t>(device_node_quads(ndim_));
  const listed_tables listed = build_listed(r);
  if (!listed.words.empty()) listed_ = upload_list(listed_there_, listed, stream);
  if (r.raises && !many) raised_ = {upload_list(raised_there_, *problem.raised, stream), problem.raised->orbits};
  check(cuda().stream_synchronize(stream), "uploading the rule");
  steps_.block = static_cast<unsigned>(shape_.block);
  steps_.shared_bytes = static_cast<unsigned>(scratch_bytes(r, shape_, ncomp_));
  for (const CUfunction with : {steps_.function, steps_.of_few, part_})
    if (with)
      check(cuda().function_set(with, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                static_cast<int>(steps_.shared_bytes)),
            "asking for shared memory");
  steps_.fit(multiprocessors, "the integrand needs");
}

std::size_t loaded_kernel::slice_bytes() const { return static_cast<std::size_t>(ncomp_) * slice_doubles(ndim_) * 8; }

}  // namespace tessera
