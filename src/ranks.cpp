// SPDX-License-Identifier: BSD-3-Clause
#include "ranks.hpp"

#include <cstring>
#include <new>
#include <numeric>

#include "tessera.h"

namespace tessera {
namespace {

const char *name_of(int which) {
  switch (static_cast<ranks::step>(which)) {
    case ranks::step::begin:
      return "the beginning of a run";
    case ranks::step::place:
      return "the choice of host or device";
    case ranks::step::memory:
      return "the question for memory";
    case ranks::step::look:
      return "a look at the clock";
    case ranks::step::items:
      return "an exchange of sums";
    case ranks::step::training:
      return "an exchange of the grid's counts";
    case ranks::step::pace:
      return "the time that a step has taken";
    case ranks::step::claims:
      return "the beginning of many integrals";
    case ranks::step::rows:
      return "the results of many integrals";
    case ranks::step::state:
      return "tessera_save_state or tessera_load_state";
    case ranks::step::end:
      return "the end of a run";
  }
  return "a step of another version";
}

std::string of_rank(std::size_t r) { return "rank " + std::to_string(r); }

}  // namespace

ranks::ranks(const tessera_comm_plugin &plugin, int kind, const void *handle, std::size_t bytes) : plugin_(plugin) {
  char why[TESSERA_COMM_WHY] = "";
  if (plugin_.open(kind, handle, bytes, &state_, &all_, why) != 0)
    throw failure(TESSERA_ERR_RANKS, std::string(plugin_.name) + ": " + why);
}

ranks::~ranks() { plugin_.close(state_); }

void ranks::require(int failed, const char *why) const {
  if (failed != 0) throw common_failure(TESSERA_ERR_RANKS, std::string(plugin_.name) + ": " + why);
}

void ranks::require_thread() const {
  char why[TESSERA_COMM_WHY] = "";
  require(plugin_.may_call(state_, why), why);
}

ranks::gathered ranks::exchange(step which, uint64 number, const void *mine, std::size_t bytes) {
  return exchange(head{0, static_cast<int>(which), number, bytes}, mine);
}

std::vector<int64> ranks::exchange(step which, uint64 number, int64 mine) {
  const gathered all = exchange(which, number, &mine, sizeof mine);
  std::vector<int64> numbers(static_cast<std::size_t>(size()));
  std::memcpy(numbers.data(), all.bytes.data(), all.bytes.size());
  return numbers;
}

void ranks::fail(int status, const std::string &why) {
  exchange(head{status, 0, 0, why.size()}, why.data());
  throw common_failure(status, why);  // not reached: a head with a status is no step
}

ranks::gathered ranks::exchange(const head &mine, const void *data) {
  std::vector<head> heads(static_cast<std::size_t>(size()));
  char why[TESSERA_COMM_WHY] = "";
  require(plugin_.gather(state_, &mine, sizeof mine, heads.data(), why), why);
  for (const head &h : heads)
    if (h.status != 0 || h.which != heads[0].which || h.number != heads[0].number) part(heads, mine, data);
  return gather_each(heads, data);
}

ranks::gathered ranks::gather_each(const std::vector<head> &heads, const void *data) {
  gathered g;
  g.at.assign(1, 0);
  std::vector<std::size_t> sizes;
  for (const head &h : heads) {
    sizes.push_back(h.bytes);
    g.at.push_back(g.at.back() + h.bytes);
  }
  make_room(g);
  char why[TESSERA_COMM_WHY] = "";
  if (!g.bytes.empty()) require(plugin_.gather_each(state_, data, sizes.data(), g.bytes.data(), why), why);
  return g;
}

void ranks::gather_parts(const std::vector<std::size_t> &bytes, void *all) {
  const auto own = static_cast<std::ptrdiff_t>(std::accumulate(bytes.begin(), bytes.begin() + rank(), std::size_t{0}));
  char why[TESSERA_COMM_WHY] = "";
  require(plugin_.gather_each(state_, static_cast<unsigned char *>(all) + own, bytes.data(), all, why), why);
}

// Much may be too much for one of them, and the others would wait for it.
void ranks::make_room(gathered &g) {
  constexpr std::size_t much = std::size_t{1} << 26;
  const std::size_t n = g.at.back();
  if (n < much) return g.bytes.resize(n);
  int there = 1;
  try {
    g.bytes.resize(n);
  } catch (const std::bad_alloc &) {
    there = 0;
  }
  std::vector<int> all(static_cast<std::size_t>(size()));
  char why[TESSERA_COMM_WHY] = "";
  require(plugin_.gather(state_, &there, sizeof there, all.data(), why), why);
  for (std::size_t r = 0; r < all.size(); ++r)
    if (all[r] == 0)
      throw common_failure(TESSERA_ERR_MEMORY,
                           of_rank(r) + ": no memory for the " + std::to_string(n) + " bytes that the ranks hand in");
}

// Not all ranks have come to the same step: those that failed say why, and of these the first counts.
void ranks::part(const std::vector<head> &heads, const head &mine, const void *data) {
  std::vector<head> texts = heads;
  for (head &h : texts)
    if (h.status == 0) h.bytes = 0;
  const gathered said = gather_each(texts, mine.status != 0 ? data : nullptr);
  for (std::size_t r = 0; r < heads.size(); ++r)
    if (heads[r].status != 0)
      throw common_failure(heads[r].status,
                           of_rank(r) + ": " +
                               std::string(reinterpret_cast<const char *>(said.of(static_cast<int>(r))),
                                           said.size_of(static_cast<int>(r))));
  std::size_t other = 0;
  while (heads[other].which == heads[0].which && heads[other].number == heads[0].number) ++other;
  const auto place = [&](std::size_t r) {
    return of_rank(r) + " has come to " + name_of(heads[r].which) + " (" + std::to_string(heads[r].number) + ")";
  };
  throw common_failure(TESSERA_ERR_RANKS, "the ranks do not take the same steps: " + place(0) + ", " + place(other));
}

void ranks::begin_claims() {
  char why[TESSERA_COMM_WHY] = "";
  require(plugin_.reset_counter(state_, why), why);
}

int64 ranks::claim() {
  char why[TESSERA_COMM_WHY] = "";
  std::int64_t before = 0;
  require(plugin_.fetch_and_add(state_, 1, &before, why), why);
  return before;
}

}  // namespace tessera
