// Integrals over two or more variables one axis after the other, side by side: all that are under way, and within each of them the integrals over its
// inner axes, say which integrals over the last axis they want; these are asked for together, in rounds. Who integrates them is not the business of
// this text. An integral takes the steps that it takes by itself; only where it ends within a step, for the evaluations, a value that is not finite or
// a limit of the time, integrals behind later points of that step may have been begun.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "iterated_axis.hpp"

namespace tessera {

template <class Integral>
class iterated_rounds {
 public:
  // The integral over one axis, at a point of those in front.
  struct node {
    iterated_axis<Integral> axis;
    node *outer = nullptr;
    int64 place = 0;             // among the points of the step outside
    axis_request inside = {};    // of the step
    int64 points = 0, told = 0;  // of the step
    int64 begun = 0;             // of these, where they are nodes
    int64 failed_at = -1;        // the first point behind which there is no value, and why
    outcome why = outcome::running;
    outcome failure = outcome::running;  // there is no value here either
    std::vector<std::unique_ptr<node>> inner;
  };
  struct tree {
    int64 number = 0;
    iterated_domain domain = {};
    std::vector<quadrature_range> ranges;
    iterated_record record;
    std::unique_ptr<node> first;
    outcome end = outcome::running;
  };
  // An integral over the last axis.
  struct row {
    tree *of;
    node *outer;
    int64 point;
  };
  using ranges_function = std::function<void(int64 number, std::vector<quadrature_range> &ranges)>;

  // domain: of all of them, without the ranges. most: integrals over outer axes that are under way at a time, each of which takes
  // some 20 kB.
  iterated_rounds(const iterated_domain &domain, int64 integrals, ranges_function ranges, int64 most)
      : domain_(domain), integrals_(integrals), ranges_(std::move(ranges)), most_(most) {
    value_.resize(static_cast<std::size_t>(domain.ncomp()));
    error_.resize(value_.size());
  }

  // Those of the next round, in the order in which they come up one after the other. None: all have ended.
  const std::vector<row> &ask() {
    rows_.clear();
    for (const std::unique_ptr<tree> &t : trees_) collect(*t, *t->first);
    while (next_ < integrals_ && has_room()) {
      trees_.push_back(begin_tree(next_));
      ++next_;
      collect(*trees_.back(), *trees_.back()->first);
    }
    return rows_;
  }
  const axis_request &request(const row &r) const { return r.outer->inside; }
  // Coordinates of the axes in front, within the box.
  void write(const row &r, double *x) const {
    int64 point = r.point;
    for (const node *n = r.outer; n; point = n->place, n = n->outer) x[n->axis.axis()] = n->axis.x(point);
  }
  // Returns why what is in front has no value, or running.
  outcome tell(const row &r, outcome end, bool has_value, int64 evaluations, const double *value, const double *error) {
    r.of->record.evaluations += evaluations;
    r.of->record.see_row(evaluations);
    r.outer->axis.use(evaluations);
    const outcome why = r.of->record.take(end, has_value);
    take(*r.outer, r.point, why, value, error);
    return why;
  }
  // All have been told.
  void end_round() {
    for (std::unique_ptr<tree> &t : trees_)
      if (settle(*t, *t->first)) end(*t, t->first->failure);
    hand_over();
  }
  // Those under way end with what they have, and none is begun.
  void stop(outcome why) {
    next_ = integrals_;
    for (std::unique_ptr<tree> &t : trees_) end(*t, why);
    hand_over();
  }

  // That have ended since the last call; first->axis has what there is.
  std::vector<std::unique_ptr<tree>> take_ended() { return std::move(ended_); }
  const std::vector<std::unique_ptr<tree>> &under_way() const { return trees_; }
  int64 bytes() const { return most_live_ * static_cast<int64>(sizeof(node)); }

 private:
  bool is_next_to_last(const node &n) const { return n.axis.axis() + 2 == domain_.ndim(); }
  // Where all is full, the first that has nothing under way goes on.
  bool has_room() const { return live_ < most_ || rows_.empty(); }

  std::unique_ptr<tree> begin_tree(int64 number) {
    auto t = std::make_unique<tree>();
    t->number = number;
    t->domain = domain_;
    ranges_(number, t->ranges);
    t->domain.ranges = t->ranges.data();
    t->first = begin_node(*t, nullptr, 0);
    return t;
  }
  std::unique_ptr<node> begin_node(tree &t, node *outer, int64 place) {
    std::unique_ptr<node> n;
    if (spare_.empty()) {
      n = std::make_unique<node>();
    } else {
      n = std::move(spare_.back());
      spare_.pop_back();
    }
    n->outer = outer;
    n->place = place;
    n->failure = outcome::running;
    n->axis.start(t.domain, outer ? outer->axis.axis() + 1 : 0);
    n->axis.begin(outer ? outer->inside : first_request(t.domain));
    begin_step(*n);
    most_live_ = std::max(most_live_, ++live_);
    return n;
  }
  void begin_step(node &n) {
    n.inside = n.axis.begin_step();
    n.points = n.axis.wanted();
    n.inside.most = n.axis.share(n.points);
    n.told = n.begun = 0;
    n.failed_at = -1;
    n.why = outcome::running;
  }
  void retire(std::unique_ptr<node> &n) {
    for (std::unique_ptr<node> &i : n->inner) retire(i);
    n->inner.clear();
    --live_;
    spare_.push_back(std::move(n));
  }

  void collect(tree &t, node &n) {
    if (is_next_to_last(n)) {
      for (int64 i = 0; i < n.points; ++i) rows_.push_back({&t, &n, i});
      return;
    }
    for (const std::unique_ptr<node> &i : n.inner) collect(t, *i);
    while (n.begun < n.points && has_room()) {
      n.inner.push_back(begin_node(t, &n, n.begun));
      ++n.begun;
      collect(t, *n.inner.back());
    }
  }

  void take(node &n, int64 point, outcome why, const double *value, const double *error) {
    if (why == outcome::running) {
      n.axis.keep(point, value, error);
      ++n.told;
    } else if (n.failed_at < 0 || point < n.failed_at) {
      n.failed_at = point;
      n.why = why;
    }
  }
  // True: it has ended.
  bool settle(tree &t, node &n) {
    std::size_t left = 0;
    for (std::unique_ptr<node> &i : n.inner) {
      if (!settle(t, *i)) {
        std::swap(n.inner[left++], i);
        continue;
      }
      n.axis.use(i->axis.used());
      const outcome why =
          i->failure != outcome::running ? i->failure : i->axis.finish(t.record, value_.data(), error_.data());
      take(n, i->place, why, value_.data(), error_.data());
    }
    for (std::size_t i = left; i < n.inner.size(); ++i) retire(n.inner[i]);
    n.inner.resize(left);
    if (n.why != outcome::running) {
      for (std::unique_ptr<node> &i : n.inner) retire(i);
      n.inner.clear();
      if (!n.axis.survives(n.why)) n.failure = n.why;
      return true;
    }
    if (n.told < n.points) return false;
    n.axis.end_step();
    if (!n.outer && is_to_begin_anew(t.domain, n.axis.least_of_last(), t.record))
      n.axis.begin(begin_anew(t.domain, t.record));
    if (n.axis.wanted() == 0) return true;
    begin_step(n);
    return false;
  }

  void end(tree &t, outcome why) {
    Integral &q = t.first->axis.integral();
    if (why != outcome::running && q.wanted() > 0) q.stop(why);
    t.end = why == outcome::running ? q.end() : why;
    for (std::unique_ptr<node> &i : t.first->inner) retire(i);
    t.first->inner.clear();
    --live_;
  }
  void hand_over() {
    std::size_t left = 0;
    for (std::unique_ptr<tree> &t : trees_)
      if (t->end == outcome::running)
        std::swap(trees_[left++], t);
      else
        ended_.push_back(std::move(t));
    trees_.resize(left);
  }

  const iterated_domain domain_;
  const int64 integrals_;
  const ranges_function ranges_;
  const int64 most_;
  int64 next_ = 0, live_ = 0, most_live_ = 0;
  std::vector<std::unique_ptr<tree>> trees_, ended_;
  std::vector<std::unique_ptr<node>> spare_;
  std::vector<row> rows_;
  std::vector<double> value_, error_;  // [ncomp]
};

}  // namespace tessera
