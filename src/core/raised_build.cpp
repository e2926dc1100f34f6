// SPDX-License-Identifier: BSD-3-Clause
#include "raised_build.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "patterson.hpp"

namespace tessera {
namespace {

constexpr int patterson_used = 4;  // levels
static_assert(raised_nodes == (1 << patterson_used) - 1, "");

// A product of differences of rules in one variable whose ranks sum up to q is needed from degree 2q+1 on. Level l of Patterson's
// rules serves from this rank on, where its degree is needed.
constexpr int first_rank[patterson_used + 1] = {0, 0, 1, 3, 6};
constexpr int most_rank = (raised_degree(raised_levels) - 1) / 2;

std::size_t index(int i) { return static_cast<std::size_t>(i); }

int level_of(int node) {  // of those that are not negative
  int l = 1;
  while (node >= 1 << (l - 1)) ++l;
  return l;
}

// [rank] what node `node` weighs in the difference of that rank from the one before, of a mean.
std::vector<double> weights_by_rank(int node) {
  std::vector<double> w(index(most_rank + 1), 0.0);
  for (int l = level_of(node); l <= patterson_used; ++l) {
    const double *const own = patterson_weights + (1 << (l - 1)) - 1;
    const double below = l > level_of(node) ? patterson_weights[(1 << (l - 2)) - 1 + node] : 0.0;
    w[index(first_rank[l])] += 0.5 * (own[node] - below);
  }
  return w;
}

// A generator: the nodes that are not the centre, greatest number first, and the rank from which on its orbit has a weight.
struct generator {
  std::vector<int> nodes;
  int rank;
};

void add_generators(int ndim, generator &g, std::vector<generator> &to) {
  to.push_back(g);
  if (static_cast<int>(g.nodes.size()) == ndim) return;
  const int most = g.nodes.empty() ? (1 << (patterson_used - 1)) - 1 : g.nodes.back();
  for (int node = 1; node <= most; ++node) {
    const int more = first_rank[level_of(node)];
    if (g.rank + more > most_rank) continue;
    g.nodes.push_back(node);
    g.rank += more;
    add_generators(ndim, g, to);
    g.rank -= more;
    g.nodes.pop_back();
  }
}

// [rank] the weight of each point of the orbit in the rule of that rank.
std::vector<double> orbit_weights(int ndim, const generator &g) {
  std::vector<double> w(index(most_rank + 1), 0.0);
  w[0] = 1.0;
  for (int j = 0; j < ndim; ++j) {
    const std::vector<double> own = weights_by_rank(j < static_cast<int>(g.nodes.size()) ? g.nodes[index(j)] : 0);
    std::vector<double> product(w.size(), 0.0);
    for (int a = 0; a <= most_rank; ++a)
      for (int b = 0; a + b <= most_rank; ++b) product[index(a + b)] += w[index(a)] * own[index(b)];
    w = product;
  }
  for (int q = 1; q <= most_rank; ++q) w[index(q)] += w[index(q - 1)];
  return w;
}

void add_points(int ndim, const generator &g, int orbit, std::vector<uint64> &to) {
  std::vector<int> nodes(index(ndim), 0);
  std::copy(g.nodes.begin(), g.nodes.end(), nodes.begin());
  std::sort(nodes.begin(), nodes.end());
  do {
    for (uint32 signs = 0; signs < 1u << g.nodes.size(); ++signs) {
      uint64 word = listed_word(orbit);
      int moved = 0;
      for (int j = 0; j < ndim; ++j) {
        const int node = nodes[index(j)];
        if (node == 0) continue;
        const int number = 2 * node - 1 + static_cast<int>(signs >> moved++ & 1u);
        word |= listed_at(ndim, j, number);
      }
      to.push_back(word);
    }
  } while (std::next_permutation(nodes.begin(), nodes.end()));
}

// Permutations and signs of the nodes.
int64 count_points(int ndim, const generator &g) {
  int64 n = 1;
  int place = 0, alike = 0;
  for (const int node : g.nodes) {  // the binomial coefficients one after the other are whole numbers
    alike = place > 0 && node == g.nodes[index(place - 1)] ? alike + 1 : 1;
    n = n * 2 * (ndim - place++) / alike;
  }
  return n;
}

std::vector<generator> orbits_in_order(int ndim) {
  std::vector<generator> orbits;
  generator centre = {{}, 0};
  add_generators(ndim, centre, orbits);
  std::vector<generator> in_order;
  for (int rank = 0; in_order.size() < orbits.size(); ++rank)
    std::copy_if(orbits.begin(), orbits.end(), std::back_inserter(in_order),
                 [rank](const generator &g) { return g.rank == rank; });
  return in_order;
}

// The points of each level and the number of orbits; no tables.
raised_tables count_levels(int ndim, const std::vector<generator> &orbits) {
  raised_tables t;
  t.ndim = ndim;
  t.orbits = static_cast<int>(orbits.size());
  for (int level = 1; level <= raised_levels; ++level)
    for (const generator &g : orbits)
      if (g.rank <= (raised_degree(level) - 1) / 2) t.points[level - 1] += count_points(ndim, g);
  return t;
}

}  // namespace

int64 raised_bytes(int ndim) {
  const raised_tables t = count_levels(ndim, orbits_in_order(ndim));
  return 8 * (t.points[raised_levels - 1] + ndim * raised_nodes + int64{raised_levels} * t.orbits * listed_sums);
}

raised_tables build_raised(int ndim) {
  const std::vector<generator> orbits = orbits_in_order(ndim);
  raised_tables t = count_levels(ndim, orbits);
  t.words.reserve(static_cast<std::size_t>(t.points[raised_levels - 1]));
  for (int o = 0; o < t.orbits; ++o) add_points(ndim, orbits[index(o)], o, t.words);
  t.nodes = raised_nodes;
  for (int i = 0; i < ndim * raised_nodes; ++i) {  // on each axis the same
    const int number = i % raised_nodes;
    const double node = patterson_nodes[(number + 1) / 2];
    t.offsets.push_back(number % 2 == 1 || number == 0 ? node : -node);
  }
  t.weights.assign(index(raised_levels * t.orbits * listed_sums), 0.0);
  for (int o = 0; o < t.orbits; ++o) {
    const std::vector<double> w = orbit_weights(ndim, orbits[index(o)]);
    for (int level = 1; level <= raised_levels; ++level) {
      double *const to = &t.weights[index(((level - 1) * t.orbits + o) * listed_sums)];
      for (int q = 0; q < raised_compared; ++q) to[q] = w[index((raised_degree(level) - 1) / 2 - q)];
      to[raised_compared] = std::fabs(to[0]);
    }
  }
  return t;
}

}  // namespace tessera
