// Double-exponential rules on the pieces between break points, for all components at once: the level of the piece with the largest error is raised
// until the errors together meet the tolerance.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "double_exponential.hpp"
#include "quadrature.hpp"

namespace tessera {

class exponential_run {
 public:
  void begin(const quadrature_settings &s, const quadrature_range &r) {
    s_ = &s;
    range_ = &r;
    const auto nc = static_cast<std::size_t>(s.ncomp);
    pieces_.clear();
    std::vector<double> ends(1, r.lower);
    ends.insert(ends.end(), r.breaks.begin(), r.breaks.end());
    ends.push_back(r.upper);
    for (std::size_t i = 0; i + 1 < ends.size(); ++i)
      pieces_.push_back({{ends[i], ends[i + 1], i == 0, i + 2 == ends.size()},
                         double_exponential::first_level - 1,
                         std::vector<component>(nc)});
    value_.assign(nc, 0.0);
    error_.assign(nc, infinity_value());
    ended_ = has_value_ = converged_ = false;
    now_ = 0;
    told_ = 0;
    begin_level();
  }
  bool ended() const { return ended_; }
  bool converged() const { return converged_; }
  bool has_value() const { return has_value_; }
  const std::vector<double> &value() const { return value_; }
  const std::vector<double> &error() const { return error_; }

  int64 points() const { return ended_ ? 0 : static_cast<int64>(t_.size()); }
  // The points in the user's coordinates; away: as in mapped_point.
  void write(double *x, double *away) const {
    for (std::size_t i = 0; i < at_.size(); ++i) {
      x[i] = at_[i].x;
      away[i] = at_[i].away;
    }
  }
  // Component k of point i: f[k * apart + i], all finite.
  void tell(const double *f, int64 apart) {
    piece &p = pieces_[now_];
    ++p.level;
    told_ += static_cast<int64>(at_.size());
    for (std::size_t k = 0; k < p.sums.size(); ++k) {
      component &c = p.sums[k];
      double sum = 0.0, size = 0.0;
      for (std::size_t i = 0; i < at_.size(); ++i) {
        const double v = f[static_cast<int64>(k) * apart + static_cast<int64>(i)];
        const double term = v == 0.0 ? 0.0 : v * at_[i].weight;
        sum += term;
        size += std::fabs(term);
        if (t_[i] < c.first) c.first = t_[i], c.first_term = std::fabs(term);
        if (t_[i] > c.last) c.last = t_[i], c.last_term = std::fabs(term);
      }
      c.sum += sum;
      c.size += size;
      const double step = 1.0 / static_cast<double>(1 << p.level), value = c.sum * step;
      const double before = c.change;
      c.change = p.level == double_exponential::first_level ? infinity_value() : std::fabs(value - c.value);
      c.value = value;
      c.error = error_of(c, before, c.size * step);
    }
    add_up();
  }
  void stop() { ended_ = true; }

 private:
  struct component {
    double sum = 0.0, size = 0.0, value = 0.0, error = infinity_value(), change = infinity_value();
    double first = 1e9, last = -1e9, first_term = 0.0, last_term = 0.0;  // the outermost points
  };
  struct piece {
    exponential_piece at;
    int level;
    std::vector<component> sums;
  };

  // The change to the level before, if the one before that bears it out: where a rule converges, changes are squares of those before, and an
  // accidental one has no such ancestor. Beside that what the outermost points leave out, and rounding.
  static double error_of(const component &c, double before, double size) {
    const double outside = c.first_term + c.last_term, rounding = 1e-15 * size;
    if (!(before <= size)) return infinity_value();
    const double share = size > 0.0 ? before / size : 0.0;
    return 10.0 * std::max(c.change, share * std::sqrt(std::sqrt(share)) * size) + outside + rounding;
  }

  void begin_level() {
    const piece &p = pieces_[now_];
    const int level = p.level + 1, n = double_exponential::points(p.at, level);
    t_.clear();
    at_.clear();
    for (int i = 0; i < n; ++i) {
      const double t = double_exponential::parameter(p.at, level, i);
      exponential_point e = double_exponential::at(p.at, t);
      // A point that rounds to an end tells nothing of its neighbourhood unless the distance is handed on.
      const bool at_lower = e.x <= p.at.lower || e.x <= range_->lower,
                 at_upper = e.x >= p.at.upper || e.x >= range_->upper;
      if ((at_lower || at_upper) && !handed(p.at, e.away)) continue;
      if (!(std::fabs(e.x) <= real_limits<double>::greatest) || !(e.weight <= real_limits<double>::greatest)) continue;
      e.x = std::min(std::max(e.x, range_->first), range_->last);
      if (!handed(p.at, e.away))
        e.away = e.x - range_->lower < range_->upper - e.x ? range_->lower - e.x : range_->upper - e.x;
      t_.push_back(t);
      at_.push_back(e);
    }
    if (at_.empty()) {
      t_.push_back(0.0);
      at_.push_back(double_exponential::at(p.at, 0.0));
    }
  }
  // The nearer end of the piece is a limit of the range, whose distance the integrand is given.
  bool handed(const exponential_piece &p, double away) const {
    return s_->complement != 0 && (away < 0.0 ? p.lower_end && s_->complement == 2 : p.upper_end);
  }

  void add_up() {
    if (now_ + 1 < pieces_.size() && pieces_[now_ + 1].level < double_exponential::first_level) {
      ++now_;
      begin_level();
      return;
    }
    has_value_ = true;
    converged_ = true;
    std::size_t worst = 0;
    double most = -1.0;
    for (std::size_t k = 0; k < value_.size(); ++k) {
      value_[k] = error_[k] = 0.0;
      for (const piece &p : pieces_) {
        value_[k] += p.sums[k].value;
        error_[k] += p.sums[k].error;
      }
    }
    const value_and_error_arrays now = {value_.data(), error_.data()};
    for (std::size_t k = 0; k < value_.size(); ++k) {
      const double tolerance = tolerated(*s_, static_cast<int>(k), now);
      const double allowed = std::max(tolerance, real_limits<double>::least);
      if (error_[k] <= tolerance) continue;
      converged_ = false;
      for (std::size_t i = 0; i < pieces_.size(); ++i) {
        const piece &p = pieces_[i];
        if (p.level >= double_exponential::last_level) continue;
        const double excess = std::min(p.sums[k].error, 1e300) / allowed;
        if (excess > most) most = excess, worst = i;
      }
    }
    if (converged_ && told_ < s_->mineval) {
      for (std::size_t i = 0; i < pieces_.size(); ++i)
        if (pieces_[i].level < double_exponential::last_level && pieces_[i].level < pieces_[worst].level) worst = i;
      most = pieces_[worst].level < double_exponential::last_level ? 1.0 : -1.0;
      converged_ = most < 0.0;
    }
    if (converged_ || most < 0.0) {
      ended_ = true;
      return;
    }
    now_ = worst;
    begin_level();
  }

  const quadrature_settings *s_ = nullptr;
  const quadrature_range *range_ = nullptr;
  std::vector<piece> pieces_;
  std::size_t now_ = 0;
  int64 told_ = 0;  // points
  std::vector<double> t_, value_, error_;
  std::vector<exponential_point> at_;
  bool ended_ = false, has_value_ = false, converged_ = false;
};

}  // namespace tessera
