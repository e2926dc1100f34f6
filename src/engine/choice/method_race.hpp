// The race of methods for one integral, TESSERA_AUTO: each has a short trial, the one that will need the fewest evaluations goes on, and
// another takes its place when it stalls or ends without success.
//
// The run of a method is not taken apart: it goes on until its hooks are asked between two steps, and there, within the call, the run of
// another method begins. So runs lie above one another; the one on top is at work, those below wait with all that they have seen. A run
// that has to make room for one below is given up; should its method be wanted again it begins anew. Everything is decided by numbers of
// evaluations, values and errors, so that a run is the same whenever and wherever it takes place.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../hooks.hpp"
#include "contender.hpp"

namespace tessera {

// Where methods are run.
class race_course {
 public:
  virtual ~race_course() = default;
  // The whole run of a contender; n receives its evaluations. outcome::stopped with `broken` set: it ended by an exception, which is kept.
  virtual outcome run(int contender, int64 maxeval, run_hooks &hooks, double *value, double *error, bool &has_value,
                      int64 &n, bool &broken) = 0;
  // The part of the points of a contender's last run that lie in the box of a mode, as far as is known where they lie.
  virtual double share_of_points(int /*contender*/, const told_mode &mode) const { return mode.share; }
};

class method_race {
 public:
  // looker: the contender that can look for other modes of the integrand; -1 where there is none, or nothing to be looked for. has_to_look: before success by others, also where it has had no turn yet.
  method_race(const run_settings &asked, std::vector<contender> contenders, race_course &course, run_hooks &hooks,
              int looker = -1, bool has_to_look = true)
      : set_(asked),
        all_(std::move(contenders)),
        course_(course),
        hooks_(hooks),
        looker_(looker),
        has_to_look_(has_to_look) {
    for (std::size_t c = 0; c < all_.size(); ++c) {
      shares_.push_back(std::make_unique<share>(*this, static_cast<int>(c)));
      is_in_round_.push_back(all_[c].first_share <= most_look && !is_latecomer(all_[c]));
    }
    const auto looking = std::count(is_in_round_.begin(), is_in_round_.end(), true);
    if (looking == 0) is_in_round_.assign(all_.size(), true);
  }

  // value[ncomp] and error[ncomp] are set where has_value.
  outcome run(double *value, double *error, bool &has_value) {
    while (finish_ == outcome::running) {
      const int c = next_turn();
      if (c < 0) break;
      begin(c);
    }
    return conclude(value, error, has_value);
  }
  // The contender that gave the result, after run.
  int chosen() const { return chosen_; }
  // The one whose integrand or time ended the run, else the one that was chosen.
  int ended_by() const { return ended_by_ < 0 ? chosen_ : ended_by_; }
  int64 evaluations() const {
    int64 n = 0;
    for (const contender &c : all_) n += c.before + c.evaluations;
    return n;
  }
  const contender &of(int c) const { return all_[index(c)]; }
  // What was decided, and why; "" where there was nothing to decide.
  const std::string &story() const { return story_; }
  // That values contradict each other, "" where they do not.
  const std::string &doubt() const { return doubt_; }

 private:
  static constexpr double most_look = 8192.0;  // share of those that begin; the others join where more is foreseen
  static constexpr double growth = 4.0;        // of the shares, from one round to the next
  static constexpr double little = 2e4;        // evaluations that a trial may have whatever the run will need
  static constexpr double pilot_share = 0.05;  // of what is foreseen
  static constexpr double near_end = 0.8;
  static constexpr double at_the_end = 1.3;      // needs so many times what it has had
  static constexpr double again_share = 0.05;    // of what the leader has had, for trials of the others
  static constexpr double lost_share = 0.12;     // the same, where the leader is not seen to come to an end
  static constexpr double hopeless = 30.0;       // needs so many times more than the best: no part in the next round
  static constexpr double late_worth = 2e5;      // what has to be foreseen for a latecomer's first trial to be worth it
  static constexpr double stall = 3.0;           // needs so many times what another would
  static constexpr double patience = 0.25;       // has had so much of what another would need
  static constexpr double worth_going_on = 0.2;  // evaluations left, of all, for another method to begin
  static constexpr int most_changes = 6;
  static constexpr double believed_share = 1.0 / 16;  // of the evaluations of the value that most were spent on
  static constexpr double contradiction = 1.5;        // distance of two values in units of the sum of their errors
  static constexpr double evidence = 4.0;             // evaluations of a doubting method, of those of the one it doubts
  static constexpr double points_of_mode = 8.0;       // by which samples have met it

  // The hooks of a contender's run.
  class share final : public run_hooks {
   public:
    share(method_race &race, int c) : race_(race), c_(c) {}
    bool is_wanted() const override { return true; }
    outcome between_steps(int64 n, const double *v, const double *e) override { return race_.look(c_, n, v, e, true); }
    outcome between_levels(int64 n, const double *v, const double *e) override {
      return race_.look(c_, n, v, e, false);
    }
    outcome within_step() override { return race_.hooks_.within_step(); }
    // Of steps that are looked into for other reasons too, as a clock's, nothing is learnt before the share is over: the choice is the same whoever else looks.
    int64 until_look(int64 n) const override {
      race_.all_[index(c_)].says_when = true;
      const int64 beside = race_.beside(c_), left = race_.all_[index(c_)].budget - n;
      return std::max<int64>(1, std::min(race_.hooks_.until_look(n + beside), left));
    }
    int64 most_in_step(int64 n) const override { return race_.hooks_.most_in_step(n + race_.beside(c_)); }
    int64 evaluations_beside() const override { return race_.beside(c_) - race_.all_[index(c_)].beside_before; }
    bool wants_state() const override { return race_.hooks_.wants_state(); }
    void foresee(int64 n) override { race_.all_[index(c_)].foresee(n); }
    const double *value_to_look_beside() const override {
      return race_.waiting_ >= 0 && c_ == race_.looker_ ? race_.all_[index(race_.waiting_)].value.data() : nullptr;
    }
    void tell_modes(const modes_told &shares, outcome end) override { race_.judge(shares, end); }

   private:
    method_race &race_;
    const int c_;
  };

  // A lattice's choice of its change of variables is dear, and plain Sobol points are among what Monte Carlo itself looks at.
  static bool is_latecomer(const contender &c) {
    return c.kind == contender_kind::lattice || c.kind == contender_kind::sobol_points;
  }
  static std::size_t index(int c) { return static_cast<std::size_t>(c); }
  int count() const { return static_cast<int>(all_.size()); }
  int64 beside(int c) const { return evaluations() - all_[index(c)].evaluations; }
  double left() const { return static_cast<double>(set_.maxeval - evaluations()); }

  // ---- Turns ----------------------------------------
  outcome look(int c, int64 n, const double *v, const double *e, bool may_pause) {
    contender &it = all_[index(c)];
    const bool is_early = it.says_when && n < it.budget;
    if (is_early)
      it.evaluations = n;
    else
      it.look(set_, n, v, e);
    if (finish_ != outcome::running || it.is_given_up) return outcome::stopped;
    const outcome o = hooks_.between_steps(evaluations(), v, e);
    if (o != outcome::running) return finish_ = o;
    if (is_early) return o;
    if (doubted_ >= 0 && agrees_with_claim(c)) return finish_ = outcome::converged, outcome::stopped;
    if (!may_pause || (n < it.budget && !(in_trial_ && it.has_foresight() && it.kind == contender_kind::lattice)))
      return outcome::running;
    // About to claim. What it does not trust it may be long about, and then it waits as others do.
    if (n < 2 * it.budget && it.is_of(n) && it.ratio(set_) <= 1.0) return outcome::running;
    return pause(c);
  }

  // The contender c, on top, has had its share.
  outcome pause(int c) {
    for (;;) {
      const int next = next_turn();
      if (finish_ != outcome::running) return outcome::stopped;
      if (c == bottom_) clears_ = false;
      if (next == c && !clears_) return outcome::running;
      if (next < 0 || clears_ || all_[index(next)].is_live || all_[index(c)].is_out) {
        all_[index(c)].is_given_up = true;
        return outcome::stopped;
      }
      begin(next);
      if (finish_ != outcome::running) return outcome::stopped;
    }
  }

  // Runs c, above those that wait, until its run ends.
  void begin(int c) {
    contender &it = all_[index(c)];
    it.begin();
    it.beside_before = beside(c);
    it.is_given_up = false;
    if (bottom_ < 0) bottom_ = c;
    std::vector<double> v(it.value.size(), 0.0), e(v.size(), infinity_value());
    bool has_value = false, broken = false;
    int64 n = 0;
    const outcome end =
        course_.run(c, set_.maxeval - it.beside_before, *shares_[index(c)], v.data(), e.data(), has_value, n, broken);
    it.is_live = false;
    if (bottom_ == c) bottom_ = -1;
    it.end = end;
    if (has_value) it.finish(set_, n, v.data(), e.data());
    it.evaluations = n;
    if (broken) {
      finish_ = outcome::stopped;
      return;
    }
    if (finish_ != outcome::running || (it.is_given_up && end == outcome::stopped)) return;
    it.is_out = true;
    const int waiting = c == looker_ ? std::exchange(waiting_, -1) : -1;  // its run has ended before it could look
    if (end == outcome::converged)
      claim(c);
    else if (is_ended(end) || end == outcome::callback || end == outcome::nonfinite || end == outcome::all_zero)
      finish_ = end, ended_by_ = c;
    else if (waiting >= 0)
      has_looked_ = true, claim(waiting);
  }

  // ---- Decisions ----------------------------------------
  // Who has the next turn; -1: nobody.
  int next_turn() {
    for (;;) {
      if (waiting_ >= 0) return looker_;
      if (in_trial_) {
        for (int c = 0; c < count(); ++c)
          if (is_in_round_[index(c)] && wants_more(c)) return c;
        decide();
        continue;
      }
      if (leader_ >= 0) review();
      if (in_trial_) continue;
      if (leader_ >= 0 && has_room(leader_)) return leader_;
      leader_ = best(-1);
      if (leader_ < 0 || left() < worth_going_on * static_cast<double>(set_.maxeval)) return leader_ = -1;
      if (!has_room(leader_)) {
        all_[index(leader_)].is_out = true;
        continue;
      }
      tell("goes on with ", leader_);
      give_room(leader_);
      return leader_;
    }
  }

  // Are there evaluations enough for its run to begin?
  bool has_room(int c) const {
    const contender &it = all_[index(c)];
    if (it.is_out) return false;
    return it.is_live || evaluations() == 0 || left() >= it.first_share;
  }
  bool wants_more(int c) {
    contender &it = all_[index(c)];
    if (it.is_out) return false;
    const double its_share = round_share(c);
    it.budget = static_cast<int64>(its_share);
    if (static_cast<double>(it.evaluations) >= its_share) return false;
    if (it.kind == contender_kind::lattice && it.has_foresight()) return false;
    return it.is_live || left() >= its_share;
  }
  // Evaluations of a contender's run at the end of this round. One that is about to come to its end may come to it.
  double round_share(int c) const {
    const contender &it = all_[index(c)];
    const double its_share = std::min(it.first_share * scale_, 0.2 * static_cast<double>(set_.maxeval));
    // What samples foretell early is mostly chance.
    const double most = std::fmax(it.kind == contender_kind::samples ? 2.0 * its_share : little, its_share);
    return it.is_live && needed(c) < near_end * most ? most : its_share;
  }

  // All have had their shares of the round.
  void decide() {
    const int b = best(-1);
    const double foreseen = b < 0 ? left() : std::fmin(needed(b), left());
    const bool was_look = is_look_;
    is_look_ = false;
    for (int c = 0; c < count(); ++c) {
      const contender &it = all_[index(c)];
      if (is_in_round_[index(c)] || it.is_out || has_been_tried(c)) continue;
      is_in_round_[index(c)] = foreseen > (is_latecomer(it) ? late_worth : it.first_share);
      if (is_in_round_[index(c)] && wants_more(c)) return;
    }
    if (was_look) return;
    if (b < 0) {
      in_trial_ = false;
      return;
    }
    double cost = 0.0;
    std::vector<bool> stays(all_.size());
    int many = 0;
    for (int c = 0; c < count(); ++c) {
      const contender &it = all_[index(c)];
      stays[index(c)] = !it.is_out && is_in_round_[index(c)] && !(needed(c) > hopeless * foreseen && foreseen < left());
      if (!stays[index(c)]) continue;
      ++many;
      cost += growth * scale_ * it.first_share - (many == 1 && it.is_live ? static_cast<double>(it.evaluations) : 0.0);
    }
    if (leader_ < 0 && many > 1 && cost <= pilot_share * foreseen) {
      is_in_round_ = stays;
      scale_ *= growth;
      return;
    }
    in_trial_ = false;
    if (leader_ == b) return give_room(b);
    // Where nobody is seen to come to an end, it is the one that others can be tried above.
    leader_ = needed(b) > left() && bottom_ >= 0 && !all_[index(bottom_)].is_out ? bottom_ : b;
    tell("chooses ", leader_);
    stalls_ = 0;
    tried_at_ = 0.0;
    give_room(leader_);
    // A long run begins anew above the lowest one, so that the others can be tried again above it.
    clears_ = leader_ != bottom_ && all_[index(leader_)].is_live &&
              pilot_share * needed(leader_) > static_cast<double>(all_[index(leader_)].evaluations);
  }
  bool has_been_tried(int c) const { return all_[index(c)].evaluations + all_[index(c)].before > 0; }

  // Is the leader as good as was thought?
  void review() {
    contender &it = all_[index(leader_)];
    if (it.is_out || it.evaluations < it.budget) return;
    if (doubted_ >= 0) {
      it.is_out =
          static_cast<double>(it.evaluations) >= evidence * static_cast<double>(all_[index(doubted_)].evaluations);
      give_room(leader_);
      return;
    }
    const int other = best(leader_);
    const bool is_late = other >= 0 && needed(leader_) > stall * needed(other) && needed(other) < left() &&
                         needed(leader_) - static_cast<double>(it.evaluations) > stall * needed(other) &&
                         static_cast<double>(it.evaluations) > patience * needed(other);
    stalls_ = is_late ? stalls_ + 1 : 0;
    if (stalls_ > 1 && changes_ < most_changes) {
      ++changes_;
      stalls_ = 0;
      tell("stalls: ", leader_);
      leader_ = other;
      tell("goes on with ", leader_);
    } else if (try_others()) {
      return;
    }
    give_room(leader_);
  }
  // As the leader goes on, those above it get trials that cost a small part of what it has had. False: there is none.
  bool try_others() {
    const contender &it = all_[index(leader_)];
    const auto n = static_cast<double>(it.evaluations);
    if (!it.is_live || n < 2.0 * tried_at_ || needed(leader_) < at_the_end * n) return false;
    double shares = 0.0;
    std::vector<bool> tried(all_.size());
    for (int c = 0; c < count(); ++c) {
      tried[index(c)] = c != leader_ && !all_[index(c)].is_live && !all_[index(c)].is_out && left() > little;
      if (tried[index(c)]) shares += all_[index(c)].first_share;
    }
    const double scale = (needed(leader_) > left() ? lost_share : again_share) * n / shares;
    if (shares == 0.0 || scale <= scale_) return false;
    tried_at_ = n;
    is_in_round_ = tried;
    scale_ = scale;
    in_trial_ = true;
    return true;
  }
  void give_room(int c) {
    contender &it = all_[index(c)];
    it.budget = std::max(static_cast<int64>(it.first_share * scale_), it.evaluations + it.evaluations / 2);
  }

  double needed(int c) const { return all_[index(c)].needed(); }
  // Of those that are left, without one of them.
  int best(int without) const {
    int b = -1;
    for (int c = 0; c < count(); ++c) {
      if (c == without || all_[index(c)].is_out) continue;
      if (b < 0 || needed(c) < needed(b)) b = c;
    }
    return b;
  }

  // ---- Claims ----------------------------------------
  bool contradict(const contender &a, const contender &b) const {
    if (!a.has_value || !b.has_value) return false;
    for (std::size_t k = 0; k < a.value.size(); ++k)
      if (std::fabs(a.value[k] - b.value[k]) > contradiction * (a.error[k] + b.error[k])) return true;
    return false;
  }
  bool agrees_with_claim(int c) const {
    const contender &it = all_[index(c)];
    return it.has_value && c != doubted_ && c == leader_ && !contradict(it, all_[index(doubted_)]);
  }

  // c says that it has met the tolerance. Where another value speaks against that, there has to be more evidence.
  void claim(int c) {
    contender &it = all_[index(c)];
    it.claims = true;
    if (it.is_zero() && set_.abstol == 0.0) {
      chosen_ = ended_by_ = c;
      finish_ = outcome::all_zero;
      return;
    }
    if (looks_first(c)) return;
    if (has_missed_modes(c)) {
      it.claims = false;
      tell("has met too little of other modes: ", c);
      return;
    }
    for (int other = 0; other < count(); ++other)
      if (other != c && all_[index(other)].claims && !contradict(it, all_[index(other)])) {
        chosen_ = c;
        finish_ = outcome::converged;
        return;
      }
    int against = -1;
    for (int other = 0; other < count(); ++other) {
      const contender &o = all_[index(other)];
      if (other != c && !has_missed_modes(other) && contradict(it, o) &&
          (against < 0 || o.evaluations > all_[index(against)].evaluations))
        against = other;
    }
    if (against < 0 && doubted_ < 0) {
      chosen_ = c;
      finish_ = outcome::converged;
      return;
    }
    if (doubted_ < 0) doubted_ = c;
    in_trial_ = false;
    leader_ = against >= 0 && !all_[index(against)].is_out ? against : best(-1);
    tell("is contradicted: ", c);
    if (leader_ >= 0) tell("looks again with ", leader_);
  }

  // Regions are compared with modes that are far from the others, points of a sample meet them or do not: before success by samples, those modes are looked for by the method that can.
  bool looks_first(int c) {
    if (looker_ < 0 || c == looker_ || has_looked_) return false;
    contender &it = all_[index(looker_)];
    if (!has_room(looker_) || !(has_to_look_ || it.has_value)) return false;
    waiting_ = c;
    it.budget = 0;  // asked at once
    tell("looks for other modes before the success of ", c);
    return true;
  }
  // By the looker, within its run where it was asked to look, and at its end. Where the user or the clock has ended it nobody claims any more.
  void judge(const modes_told &shares, outcome end) {
    modes_ = shares;
    if (waiting_ < 0 || (is_ended(end) && !all_[index(looker_)].is_given_up)) return;
    has_looked_ = true;
    leader_ = looker_;
    in_trial_ = false;
    give_room(looker_);
    claim(std::exchange(waiting_, -1));
  }
  bool has_missed_modes(int c) const {
    const contender &it = all_[index(c)];
    if (c == looker_ || !it.has_value) return false;
    const auto has_missed = [&](const told_mode &mode) {
      return !(course_.share_of_points(c, mode) * static_cast<double>(it.seen()) >= points_of_mode);
    };
    return has_missed(modes_.first) || std::any_of(modes_.others.begin(), modes_.others.end(), has_missed);
  }

  // ---- The end ----------------------------------------
  outcome conclude(double *value, double *error, bool &has_value) {
    if (finish_ == outcome::converged && chosen_ < 0) chosen_ = doubted_;
    // The smallest error of those that have seen enough for it to be believed beside the others.
    int64 most_seen = 0;
    for (const contender &c : all_) most_seen = std::max(most_seen, c.seen());
    for (int c = 0; c < count(); ++c) {
      const contender &it = all_[index(c)];
      if (!it.has_value || has_missed_modes(c) || (chosen_ >= 0 && it.is_zero()) ||
          static_cast<double>(it.seen()) < believed_share * static_cast<double>(most_seen))
        continue;
      if (finish_ != outcome::converged &&
          (chosen_ < 0 || all_[index(chosen_)].is_zero() || it.ratio(set_) < all_[index(chosen_)].ratio(set_)))
        chosen_ = c;
    }
    for (int c = 0; c < count() && chosen_ < 0; ++c)
      if (all_[index(c)].has_value && has_missed_modes(c)) chosen_ = c;  // there is no other
    if (chosen_ < 0) chosen_ = ended_by_;
    if (chosen_ < 0)  // nothing is known
      for (int c = 0; c < count(); ++c)
        if (has_been_tried(c) && chosen_ < 0) chosen_ = c;
    if (chosen_ < 0) chosen_ = 0;
    contender &it = all_[index(chosen_)];
    has_value = it.has_value;
    std::copy(it.value.begin(), it.value.end(), value);
    std::copy(it.error.begin(), it.error.end(), error);
    if (finish_ == outcome::converged) return finish_;
    // What contradicts the value is within its error.
    for (const contender &c : all_)
      if (contradict(it, c))
        for (std::size_t k = 0; k < it.value.size(); ++k) {
          const double distance = std::fabs(it.value[k] - c.value[k]);
          if (distance > error[k]) {
            error[k] = distance;
            doubt_ = std::string("the values of ") + it.name + " and of " + c.name + " contradict each other";
          }
        }
    if (finish_ != outcome::running) return finish_;
    if (it.claims) return outcome::slow;
    if (it.end == outcome::heavy_tail) return it.end;
    for (const contender &c : all_)
      if (c.end == outcome::evaluations || c.end == outcome::heavy_tail) return outcome::evaluations;
    return it.end;
  }

  // Two digits of it.
  static std::string rough(double n) {
    if (!(n >= 1.0 && n < 1e300)) return "?";
    int exponent = static_cast<int>(std::log10(n)),
        digits = static_cast<int>(std::lround(n / std::pow(10.0, exponent - 1)));
    if (digits >= 100) digits /= 10, ++exponent;
    return std::to_string(digits / 10) + "." + std::to_string(digits % 10) + "e" + std::to_string(exponent);
  }
  void tell(const char *what, int c) {
    if (!story_.empty()) story_ += "; ";
    story_ += std::string("after ") + std::to_string(evaluations()) + " evaluations " + what + all_[index(c)].name;
    std::string needs;
    for (int i = 0; i < count(); ++i) {
      const double n = needed(i);
      if (!has_been_tried(i)) continue;
      needs += std::string(needs.empty() ? "" : ", ") + all_[index(i)].name + " " + rough(n);
    }
    story_ += " (foreseen: " + needs + ")";
  }

  const run_settings set_;
  std::vector<contender> all_;
  race_course &course_;
  run_hooks &hooks_;
  std::vector<std::unique_ptr<share>> shares_;
  std::vector<bool> is_in_round_;
  double scale_ = 1.0;  // of the shares in this round
  bool in_trial_ = true, is_look_ = true;
  double tried_at_ = 0.0;  // evaluations of the leader when the others were tried again
  int bottom_ = -1;        // the run that lies below all others,
  bool clears_ = false;    // for which all above it make room
  int leader_ = -1, doubted_ = -1, chosen_ = -1, ended_by_ = -1, changes_ = 0, stalls_ = 0;
  const int looker_;
  const bool has_to_look_;
  int waiting_ = -1;  // for a look for other modes
  bool has_looked_ = false;
  modes_told modes_;
  outcome finish_ = outcome::running;
  std::string story_, doubt_;
};

}  // namespace tessera
