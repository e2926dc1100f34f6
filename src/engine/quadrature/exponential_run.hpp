// Double-exponential rules on the pieces between break points, for all components at once: the level of the piece with the largest error is raised
// until the errors together meet the tolerance. In the caller's memory; points one at a time, so that they need none.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "double_exponential.hpp"
#include "quadrature.hpp"

namespace tessera {

// A point of a level in the user's coordinates; away: as in mapped_point.
struct exponential_sample {
  double t, x, weight, away;
};

// Terms of one component, and those of the outermost points.
struct exponential_sums {
  double sum = 0.0, size = 0.0;
  double first = 1e9, last = -1e9, first_term = 0.0, last_term = 0.0;

  TESSERA_HD void add(const exponential_sample &at, double f) {
    const double term = f == 0.0 ? 0.0 : f * at.weight, modulus = fabs(term);
    sum += term;
    size += modulus;
    if (at.t < first) first = at.t, first_term = modulus;
    if (at.t > last) last = at.t, last_term = modulus;
  }
};

class exponential_run {
 public:
  struct component {
    exponential_sums sums;  // of all levels
    double value = 0.0, error = 0.0, change = 0.0;
  };
  struct piece {
    exponential_piece at;
    int level;
  };
  // pieces[breaks + 1], components[breaks + 1][ncomp], level[ncomp], value[ncomp], error[ncomp]
  struct arrays {
    piece *pieces = nullptr;
    component *components = nullptr;
    exponential_sums *level = nullptr;
    double *value = nullptr, *error = nullptr;
  };

  // All of it must stay where it is.
  TESSERA_HD TESSERA_APART void begin(const quadrature_settings &s, const quadrature_range &r, const arrays &a) {
    s_ = &s;
    range_ = &r;
    a_ = a;
    pieces_ = r.count + 1;
    for (int i = 0; i < pieces_; ++i)
      a_.pieces[i] = {{i == 0 ? r.lower : r.breaks[i - 1], i < r.count ? r.breaks[i] : r.upper, i == 0, i == r.count},
                      double_exponential::first_level - 1};
    for (int i = 0; i < pieces_ * s.ncomp; ++i) a_.components[i] = {{}, 0.0, infinity_value(), infinity_value()};
    for (int k = 0; k < s.ncomp; ++k) {
      a_.value[k] = 0.0;
      a_.error[k] = infinity_value();
    }
    ended_ = has_value_ = converged_ = false;
    now_ = 0;
    told_ = 0;
    begin_level();
  }
  TESSERA_HD bool ended() const { return ended_; }
  TESSERA_HD bool converged() const { return converged_; }
  TESSERA_HD bool has_value() const { return has_value_; }
  TESSERA_HD const double *value() const { return a_.value; }
  TESSERA_HD const double *error() const { return a_.error; }

  // The level that is wanted is the next one of this piece.
  TESSERA_HD const piece &wanted_piece() const { return a_.pieces[now_]; }
  // So many points of it at most.
  TESSERA_HD int candidates() const { return candidates_; }
  // False: there is none for this number.
  TESSERA_HD TESSERA_APART bool sample(int i, exponential_sample &to) const {
    const piece &p = a_.pieces[now_];
    const double t = double_exponential::parameter(p.at, p.level + 1, i);
    exponential_point e = double_exponential::at(p.at, t);
    // A point that rounds to an end tells nothing of its neighbourhood unless the distance is handed on.
    const bool at_lower = e.x <= p.at.lower || e.x <= range_->lower,
               at_upper = e.x >= p.at.upper || e.x >= range_->upper;
    if ((at_lower || at_upper) && !handed(p.at, e.away)) return false;
    if (!is_finite(e.x) || !(e.weight <= real_limits<double>::greatest)) return false;
    e.x = smaller_of(larger_of(e.x, range_->first), range_->last);
    if (!handed(p.at, e.away))
      e.away = e.x - range_->lower < range_->upper - e.x ? range_->lower - e.x : range_->upper - e.x;
    to = {t, e.x, e.weight, e.away};
    return true;
  }
  // The only one where there is none for any number.
  TESSERA_HD TESSERA_APART exponential_sample middle() const {
    const exponential_point e = double_exponential::at(a_.pieces[now_].at, 0.0);
    return {0.0, e.x, e.weight, e.away};
  }
  // What the integrand is handed as the distance.
  TESSERA_HD double complement(const exponential_sample &at) const {
    return s_->complement == 2 || at.away >= 0.0 ? at.away : range_->upper - at.x;
  }
  // Where the values of the level's points are added.
  TESSERA_HD exponential_sums &level_sums(int k) { return a_.level[k]; }
  // All of them have been.
  TESSERA_HD TESSERA_APART void tell(int64 points) {
    piece &p = a_.pieces[now_];
    ++p.level;
    told_ += points;
    const double step = 1.0 / static_cast<double>(1 << p.level);
    for (int k = 0; k < s_->ncomp; ++k) {
      component &c = of(now_, k);
      const exponential_sums &level = a_.level[k];
      const double sum = c.sums.sum + level.sum, size = c.sums.size + level.size, value = sum * step, before = c.change;
      c.sums = level;
      c.sums.sum = sum;
      c.sums.size = size;
      c.change = p.level == double_exponential::first_level ? infinity_value() : fabs(value - c.value);
      c.value = value;
      c.error = error_of(c, before, size * step);
    }
    add_up();
  }
  TESSERA_HD void stop() { ended_ = true; }

 private:
  // The change to the level before, if the one before that bears it out: where a rule converges, changes are squares of those before, and an
  // accidental one has no such ancestor. Beside that what the outermost points leave out, and rounding.
  TESSERA_HD static double error_of(const component &c, double before, double size) {
    const double outside = c.sums.first_term + c.sums.last_term, rounding = 1e-15 * size;
    if (!(before <= size)) return infinity_value();
    const double share = size > 0.0 ? before / size : 0.0;
    return 10.0 * larger_of(c.change, share * sqrt(sqrt(share)) * size) + outside + rounding;
  }

  TESSERA_HD component &of(int i, int k) const { return a_.components[i * s_->ncomp + k]; }
  TESSERA_HD TESSERA_APART void begin_level() {
    const piece &p = a_.pieces[now_];
    candidates_ = double_exponential::points(p.at, p.level + 1);
    for (int k = 0; k < s_->ncomp; ++k) {
      a_.level[k] = of(now_, k).sums;
      a_.level[k].sum = a_.level[k].size = 0.0;
    }
  }
  // The nearer end of the piece is a limit of the range, whose distance the integrand is given.
  TESSERA_HD bool handed(const exponential_piece &p, double away) const {
    return s_->complement != 0 && (away < 0.0 ? p.lower_end && s_->complement == 2 : p.upper_end);
  }

  TESSERA_HD TESSERA_APART void add_up() {
    constexpr int last_level = double_exponential::last_level;
    if (now_ + 1 < pieces_ && a_.pieces[now_ + 1].level < double_exponential::first_level) {
      ++now_;
      begin_level();
      return;
    }
    has_value_ = true;
    converged_ = true;
    int worst = 0;
    double most = -1.0;
    for (int k = 0; k < s_->ncomp; ++k) {
      double value = 0.0, error = 0.0;
      for (int i = 0; i < pieces_; ++i) {
        value += of(i, k).value;
        error += of(i, k).error;
      }
      a_.value[k] = value;
      a_.error[k] = error;
    }
    for (int k = 0; k < s_->ncomp; ++k) {
      const double tolerance = tolerated(*s_, k, value_and_error_arrays{a_.value, a_.error});
      const double allowed = larger_of(tolerance, real_limits<double>::least);
      if (a_.error[k] <= tolerance) continue;
      converged_ = false;
      for (int i = 0; i < pieces_; ++i) {
        if (a_.pieces[i].level >= last_level) continue;
        const double excess = smaller_of(of(i, k).error, 1e300) / allowed;
        if (excess > most) most = excess, worst = i;
      }
    }
    if (converged_ && told_ < s_->mineval) {
      for (int i = 0; i < pieces_; ++i)
        if (a_.pieces[i].level < last_level && a_.pieces[i].level < a_.pieces[worst].level) worst = i;
      most = a_.pieces[worst].level < last_level ? 1.0 : -1.0;
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
  arrays a_;
  int pieces_ = 1, now_ = 0, candidates_ = 0;
  int64 told_ = 0;  // points
  bool ended_ = false, has_value_ = false, converged_ = false;
};

}  // namespace tessera
