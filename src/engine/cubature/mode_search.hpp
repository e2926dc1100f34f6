// Looks for other modes of an integrand, over an infinite range or beside a peak that is narrow in a finite one: peaks apart from the one that the regions have met. An infinite range is mapped to a
// finite one, where a peak some twenty widths away takes a millionth of the domain, and no region's points meet it. But its foot shows: outwards from a peak the integrand falls ever faster, or as a power, and where it rises
// again, or falls much more slowly than before, there is something else. So rays run from the peak in many directions, in the user's coordinates and in widths of the peak, and from where
// one of them finds that, the integrand is climbed along the axes. What is found, a box and the integrand there, is compared with the regions as landmarks are (landmarks.hpp); from it rays run in their turn.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <new>
#include <utility>
#include <vector>

#include "../hooks.hpp"
#include "../problem.hpp"
#include "landmarks.hpp"
#include "largest_errors.hpp"
#include "likely_places.hpp"
#include "mode_climbs.hpp"
#include "mode_lines.hpp"
#include "user_range.hpp"

namespace tessera {

class mode_search {
 public:
  // axes: their maps, null where all are finite. memory: bytes that the points of a look may take. kept: null, or where they are, for other looks to come.
  mode_search(const cubature_settings &settings, const domain_box &domain, const axis_map *axes,
              looked_at_points sample, int64 memory = greatest_int64, looked_memory *kept = nullptr)
      : set_(settings),
        nd_(static_cast<std::size_t>(settings.ndim)),
        nc_(static_cast<std::size_t>(settings.ncomp)),
        range_(settings.ndim, domain, axes),
        climbs_(settings, range_, std::move(sample), memory, kept),
        places_(settings, range_, climbs_),
        is_infinite_(range_.is_infinite()),
        looks_at_most_(is_infinite_ || settings.looks_in_finite_ranges ? most_looks : 0) {}
  mode_search(const mode_search &) = delete;
  mode_search &operator=(const mode_search &) = delete;

  // Bytes without which there is no look.
  static int64 least_bytes(int ndim, int ncomp) {
    return looked_points::bytes_of_point(ndim, ncomp) * std::max(4 * steps_of_ray, points_on_line * ndim);
  }
  // Else it is looked through beside peaks that are narrow in it, for it may have been cut off.
  bool is_infinite() const { return is_infinite_; }
  // Before success is claimed: is there a range to be looked through, from where it has not been?
  bool is_owed() const { return may_look() && (!is_thorough_ || sources_ < known_.size()); }
  // And now and then before that, so that a run that a limit ends knows of them. After how many evaluations?
  int64 early_after() const {
    return !is_infinite_ || is_thorough_ || early_ == most_early || looks_at_most_ == 0
               ? greatest_int64
               : first_early << (early_ * log2_from_early_to_next);
  }
  // For whoever has time before. Valid until the next look.
  places_to_look_at next_places() {
    return is_infinite_ || !may_look() || seen_places_ > 0 ? places_to_look_at{} : places_.all();
  }
  // There are no regions any more that could be compared with what is found.
  void give_up() { looks_at_most_ = 0; }
  // Regions that have met the first one long before their own success may lose it again: they are compared with it as well.
  void doubt_first() { is_first_seen_ = is_first_seen_ && is_before_regions(); }
  // Did a look end the run?
  bool has_ended() const { return has_ended_; }
  // But for those that are tops of multiples alone.
  bool are_several(const density_of_map &density = {}) const {
    for (std::size_t m = 1; m < known_.size(); ++m)
      if (!is_first(known_[m]) && !is_of_multiple(known_[m], density)) return true;
    return false;
  }
  // Of what was found at usual places: have the regions met no peak yet that it could be?
  bool is_before_regions() const { return !known_.empty() && is_background(known_[0]); }
  // Are all others about as high as a density says?
  bool are_explained(const density_of_map &density) const {
    constexpr double far = 10.0;
    for (std::size_t m = 1; m < known_.size(); ++m)
      if (known_[m].size > far * density_at(known_[m], density) * known_[0].size && !is_of_multiple(known_[m], density))
        return false;
    return true;
  }
  // Is the first one, in a finite range, narrower than regions are in the mean, and holds something? The points of a grid without a map miss it.
  bool is_first_hidden() const {
    return !is_infinite_ && !known_.empty() && !is_background(known_[0]) && is_first_bounded_ && is_mode(known_[0]);
  }
  // Modes that the regions may not have met.
  int count() const { return static_cast<int>(known_.size()) - behind_seen(); }

  // Where a limit ends a run that has not divided its regions beside them yet: adds to error[ncomp] what they hold, were they as high as that a width to either side. All of them, for it is
  // not known which.
  void add_unresolved(double *error) const {
    for (std::size_t m = static_cast<std::size_t>(behind_seen()); m < known_.size(); ++m)
      for (std::size_t k = 0; k < nc_; ++k)
        error[k] += std::fabs(known_[m].values[k]) * range_.volume_of_box() * share_of(known_[m], 1.0);
  }

  bool has_looked() const { return looks_ > 0 || !known_.empty(); }
  // The first where the integrand does not rise on to a singular point.
  modes_told told() const {
    modes_told modes;
    for (std::size_t m = 0; m < known_.size(); ++m) {
      if (m == 0 && is_first_bounded_ && !is_background(known_[0])) modes.first = told(known_[0]);
      if (m > 0 && !is_first(known_[m]) && !known_[m].is_bounded_by_jump) modes.others.push_back(told(known_[m]));
    }
    return modes;
  }
  // What a run that has ended so tells other methods, if it has looked. Where its integrand has ended it there is nothing but that.
  void tell(run_hooks &hooks, outcome end) const {
    if (has_looked() && end != outcome::nonfinite && end != outcome::callback) hooks.tell_modes(told(), end);
  }
  // Bytes of the points of a call, at most.
  int64 peak_bytes() const { return climbs_.points().peak_bytes(); }
  // Made by all looks; they are none of the driver's.
  int64 evaluations() const { return evaluations_; }

  // A look, or an early one, if it is owed, with the value[ncomp] and error[ncomp] of the run. largest(weights): the regions with most error, of so many. density: none, or as high as which usual
  // places are explained, for points everywhere have been compared with it. Else as look().
  template <class Largest>
  outcome look_if_owed(const double *value, const double *error, const Largest &largest, int64 regions, int64 spent,
                       int64 most, bool whole, bool early = false, const density_of_map &density = {}) {
    regions_ = regions;
    const bool is_anew = early || is_owed();  // else there are usual places alone
    if (early ? spent < early_after() : !is_anew && !(may_look() && has_more_places(spent))) return outcome::running;
    const std::vector<double> weights = weights_of(set_, value, error);
    mean_.clear();
    for (std::size_t k = 0; k < nc_; ++k) mean_.push_back(value[k] / range_.volume_of_box());
    return look(is_anew ? largest(weights.data()) : std::vector<double>(), weights, spent, most, whole, early, density);
  }
  // starts: centre[ndim], half-width[ndim], error[ncomp] of some of the regions with most error, behind so many evaluations. scale[ncomp]: one over what is tolerated. most: evaluations that it may make.
  // Where they are not enough it is not made to its end, and not again; whole: or not at all, and outcome::evaluations is returned.
  outcome look(const std::vector<double> &starts, const std::vector<double> &scale, int64 spent, int64 most, bool whole,
               bool early = false, const density_of_map &density = {}) {
    const std::size_t sources = sources_;
    const std::vector<place> known = known_;
    const bool was_thorough = is_thorough_;
    if (!is_thorough_) sources_ = 0;  // from all of them once more
    is_thorough_ = !early;
    const int were_early = early_;
    const int were_seen = seen_places_;
    while (early && early_ < most_early && (early_ == were_early || early_after() <= spent)) ++early_;
    allowed_rays_ = affordable_rays(is_infinite_, set_.ndim,
                                    (early ? early_share : most_share_of_rays) * static_cast<double>(spent));
    climbs_.points().begin(scale, most);
    for (place &p : known_) p.size = climbs_.size_of(p);
    ++looks_;
    outcome o;
    try {
      o = look_from_all(starts, spent, !was_thorough, !density.at);
      if (o == outcome::running && !early)
        o = is_infinite_ ? look_at_ends(spent) : look_at_usual_places(spent, density);
    } catch (const std::bad_alloc &) {
      o = outcome::roundoff;  // what the run has found already is not lost for it
    }
    if (o == outcome::memory && whole) {
      --looks_;
      early_ = were_early;
      is_thorough_ = was_thorough;
      sources_ = sources;
      known_ = known;
      seen_places_ = were_seen;
      return outcome::evaluations;
    }
    evaluations_ += climbs_.points().made();
    // What could not be afforded is not looked at, nor where there is no memory, nor from where a point has hit a singularity.
    const bool is_left = o == outcome::memory || o == outcome::roundoff;
    has_ended_ = o != outcome::running && !is_left;
    return is_left ? outcome::running : o;
  }

  // What regions are compared with: of each mode the box in which it is highest, and on both sides of each axis that of its foot there, along which regions may be thin.
  static int boxes_of_mode(int ndim) { return 1 + 2 * ndim; }
  int boxes() const { return count() * boxes_of_mode(set_.ndim); }
  // Box b as landmark_set has it.
  void write(const region_view &to, int b) const {
    const int of_mode = boxes_of_mode(set_.ndim), part = b % of_mode;
    const place &p = known_[static_cast<std::size_t>(b / of_mode + behind_seen())];
    const stretch_of_axis beside = p.is_bounded_by_jump ? behind_jump : is_sheet(p) ? foot_of_sheet : foot;
    for (std::size_t j = 0; j < nd_; ++j) {
      const int a = axis(j);
      double first = -0.5, last = 0.5;
      if (part == 1 + 2 * a) first = -beside.last, last = -beside.first;
      if (part == 2 + 2 * a) first = beside.first, last = beside.last;
      const stretch_of_axis t = range_.to_box(axis(j), p.at[j] + first * p.width[j], p.at[j] + last * p.width[j]);
      // A foot that the range has no room for is the mode itself.
      const bool is_there = t.last > t.first;
      to.centre(b, a) = is_there ? 0.5 * (t.first + t.last) : range_.to_box(axis(j), p.at[j]);
      to.half(b, a) = is_there ? 0.5 * (t.last - t.first) : 0.5 * p.width[j] / range_.stretch(axis(j), to.centre(b, a));
    }
    // Regions that a sheet runs through, or a box behind jumps, are divided whatever they hold: there is no more in it than beside it, perhaps, but nobody has seen that.
    const double times = p.is_bounded_by_jump || is_sheet(p) ? 1e9 : 1.0;
    for (std::size_t k = 0; k < nc_; ++k)
      to.value(b, static_cast<int>(k)) = times * range_.volume_of_box() * p.values[k];
  }

  // How far it had come at a look between steps, two numbers; and that look made again: if it has not come so far by itself it is asked about no more than that.
  void write_progress(int64 *to) const {
    to[0] = looks_ + (static_cast<int64>(sources_) << 8) + (static_cast<int64>(known_.size()) << 16) +
            (static_cast<int64>(flags()) << 32);
    to[1] = evaluations_;
  }
  void catch_up(const int64 *progress) {
    if ((progress[0] & 255) <= looks_) return;
    looks_ = static_cast<int>(progress[0] & 255);
    sources_ = static_cast<std::size_t>(progress[0] >> 8 & 255);
    known_.assign(later_.begin(),
                  later_.begin() + static_cast<std::ptrdiff_t>(
                                       std::min(later_.size(), static_cast<std::size_t>(progress[0] >> 16 & 255))));
    set_flags(static_cast<int>(progress[0] >> 32));
    evaluations_ = progress[1];
  }
  // What it is going to find out, for catch_up: as of write().
  void foresee(const double *from) { later_ = known_in(from); }
  // All that it has found out, as so many numbers.
  std::size_t numbers() const { return numbers_ahead + (most_modes + 1) * numbers_of_place(); }
  void write(double *to) const {
    std::fill_n(to, numbers(), 0.0);
    *to++ = looks_;
    *to++ = static_cast<double>(sources_);
    *to++ = static_cast<double>(known_.size());
    *to++ = flags();
    *to++ = static_cast<double>(evaluations_);
    for (const place &p : known_) {
      *to++ = p.size;
      for (const auto *const of : {&p.at, &p.width, &p.values}) to = std::copy(of->begin(), of->end(), to);
    }
  }
  void read(const double *from) {
    if (from[0] < looks_) return;  // it has come farther when looks were made again
    looks_ = static_cast<int>(from[0]);
    sources_ = static_cast<std::size_t>(from[1]);
    set_flags(static_cast<int>(from[3]));
    evaluations_ = static_cast<int64>(from[4]);
    known_ = known_in(from);
  }

 private:
  using place = climbed_place;
  static constexpr int most_looks = 4;
  static constexpr std::size_t numbers_ahead = 5;  // of the places in what write() writes
  static constexpr double outwards[] = {0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.999};  // of half-widths
  static constexpr double early_share = 1.0 / 16;                                      // of the evaluations before
  static constexpr double on_their_way =
      1e-8;  // regions that have met so much of a peak's height go on to it by themselves
  static constexpr int64 first_early = 8192;
  static constexpr int log2_from_early_to_next = 2, most_early = 5;
  static constexpr int bits_below_jumps = 1 << 20;
  // Of a mode, in widths: to where it ends, at five standard deviations of a normal density; of a sheet, whose width is less than a third of that where it is half as high; of a box behind jumps to next to its end.
  static constexpr stretch_of_axis foot = {0.5, 2.5}, foot_of_sheet = {0.5, 5.0},
                                   behind_jump = {next_to_end / width_of_landmark - 1.0,
                                                  next_to_end / width_of_landmark};

  bool may_look() const { return looks_ - early_ < looks_at_most_; }
  static int axis(std::size_t j) { return static_cast<int>(j); }
  int flags() const {
    return (is_first_seen_ ? 1 : 0) + (is_thorough_ ? 2 : 0) + 4 * early_ + (is_first_bounded_ ? 32 : 0) +
           64 * seen_places_ + jumps() * bits_below_jumps;
  }
  // A bit for each of the known ones.
  int jumps() const {
    int bits = 0;
    for (std::size_t m = 0; m < known_.size(); ++m) bits |= known_[m].is_bounded_by_jump ? 1 << m : 0;
    return bits;
  }
  void set_flags(int flags) {
    is_first_seen_ = (flags & 1) != 0;
    is_thorough_ = (flags & 2) != 0;
    early_ = flags >> 2 & 7;
    is_first_bounded_ = (flags & 32) != 0;
    seen_places_ = flags % bits_below_jumps >> 6;
  }
  // The first is left to the regions where they have seen it.
  int behind_seen() const { return is_first_seen_ && !known_.empty() ? 1 : 0; }
  std::size_t numbers_of_place() const { return 1 + 2 * nd_ + nc_; }
  std::vector<place> known_in(const double *from) const {
    std::vector<place> known(std::min<std::size_t>(static_cast<std::size_t>(from[2]), most_modes + 1));
    const int jumps = static_cast<int>(from[3]) / bits_below_jumps;
    from += numbers_ahead;
    for (place &p : known) {
      p.is_bounded_by_jump = (jumps >> (&p - known.data()) & 1) != 0;
      p.size = *from++;
      p.at.assign(from, from + nd_);
      p.width.assign(from + nd_, from + 2 * nd_);
      p.values.assign(from + 2 * nd_, from + 2 * nd_ + nc_);
      from += 2 * nd_ + nc_;
    }
    return known;
  }

  // upon: may something stand upon the first one that no map has seen?
  outcome look_from_all(const std::vector<double> &starts, int64 spent, bool anew, bool upon) {
    if (!is_infinite_ && anew && !are_small(starts)) return put_off();
    if (anew) {
      place first;
      double seen = 0.0;
      outcome o = begin_at(starts, spent, first, seen);
      if (o != outcome::running || !(first.size > 0.0)) return o;
      if (is_in_corner(range_, set_.ndim, first.at.data(),
                       [&](int j) { return first.width[static_cast<std::size_t>(j)]; }))
        upon = false;
      // From a small region the top is not far, unless it is that of another one.
      if (upon && !is_infinite_ && seen < much_less) o = climbs_.climb(first);
      if (o != outcome::running) return o;
      bool rises_on = true;
      o = climbs_.look_nearer_to_ends(first, rises_on);
      if (o != outcome::running) return o;
      is_first_bounded_ = !rises_on;
      // What stands upon a wide peak they need not see before they claim success; a singular point they see, and in a finite range it holds nothing.
      const bool stands_out_there =
          is_thorough_ && (is_infinite_ || (upon && is_first_bounded_ && is_mode(first) && !is_sheet(first)));
      const bool is_seen = seen >= (stands_out_there ? much_less : on_their_way);
      const place *const same = find_same(first);
      if (known_.empty() || same == &known_[0] || is_background(known_[0])) {  // of which more is known by now
        is_first_seen_ = is_seen && (known_.empty() || is_first_seen_);
        known_.resize(std::max<std::size_t>(known_.size(), 1));
        known_[0] = first;
      } else if (!same && static_cast<int>(known_.size()) < most_modes) {
        known_.push_back(first);
      }
      if (upon) o = look_upon(first, first, [this](const place &p) { return is_infinite_ ? matters(p) : is_mode(p); });
      if (o != outcome::running) return o;
    }
    return look_from_sources();
  }
  // Around those from which rays have not run yet.
  outcome look_from_sources() {
    for (const std::size_t end = known_.size(); sources_ < end; ++sources_) {
      if (!is_narrow(known_[sources_]) ||
          (sources_ > 0 &&
           (is_first(known_[sources_]) || known_[sources_].is_bounded_by_jump || is_sheet(known_[sources_]))))
        continue;
      const outcome o = look_around(known_[sources_]);
      if (o != outcome::running) return o;
    }
    return outcome::running;
  }

  // Than have been seen: all of them, or twice as many.
  bool has_more_places(int64 spent) const {
    if (is_infinite_ || looks_at_most_ == 0) return false;
    const int n = places_.affordable(spent);
    return n > seen_places_ && (n == places_.count() || n >= 2 * seen_places_);
  }
  // All of a finite range, with the mean there.
  place background() const {
    place all = {std::vector<double>(nd_), std::vector<double>(nd_), 0.0, mean_};
    for (std::size_t j = 0; j < nd_; ++j) {
      all.at[j] = range_.at_part(axis(j), 0.5);
      all.width[j] = range_.length_of_box(axis(j));
    }
    all.size = climbs_.size_of(all);
    return all;
  }
  // Beside whatever there is: where the integrand stands out there it is climbed, and what is found and is narrow is another mode.
  outcome look_at_usual_places(int64 spent, const density_of_map &density) {
    if (!has_more_places(spent)) return outcome::running;
    const int first = seen_places_, end = seen_places_ = places_.affordable(spent);
    const place around = background();
    const std::size_t before = known_.size();
    std::vector<place> found, sheets;
    place highest;
    outcome o = places_.find_usual(
        first, end, around, density, [this](const place &p) { return has_alike(p); },
        [this](const place &p) { return is_known_sheet(p); }, found, sheets, highest);
    if (o == outcome::running)
      o = climb_from(
          found, around, [this](const place &p) { return !has_alike(p); },
          [this](const place &p) { return is_mode(p); });
    for (const place &p : sheets) {
      if (o != outcome::running || static_cast<int>(known_.size()) >= most_modes || is_known_sheet(p)) continue;
      know_background(around);
      known_.push_back(p);
    }
    if (o == outcome::running && !density.at) o = look_upon_highest(highest, before, around);
    std::vector<place> jumps;
    if (o == outcome::running)
      o = places_.find_jumps(
          around, density,
          [this](const std::vector<double> &at) {
            return std::any_of(known_.begin(), known_.end(), [this, &at](const place &k) {
              return !is_background(k) && jump_search::is_beside(k, at);
            });
          },
          jumps);
    for (place &p : jumps) {
      if (o != outcome::running || static_cast<int>(known_.size()) >= most_modes) break;
      know_background(around);
      known_.push_back(p);
    }
    // Where regions are on their way to a peak, rays from here have time.
    return o == outcome::running && is_thorough_ ? look_from_sources() : o;
  }

  // Of usual places; where it is of a mode, of that if it has not been known `before`.
  outcome look_upon_highest(const place &p, std::size_t before, const place &background) {
    if (is_beside_corner(range_, set_.ndim, p.at.data())) return outcome::running;
    std::size_t of = 0;
    while (of < known_.size() && !is_part_of(p, known_[of])) ++of;
    if (of < before) return outcome::running;
    return look_upon(of < known_.size() ? known_[of] : p, background, [this](const place &q) { return is_mode(q); });
  }
  // Does something narrow stand upon the top there? From far down its flank the first climb may lead to the top alone.
  template <class Mode>
  outcome look_upon(const place &p, const place &background, const Mode &is_mode) {
    std::vector<place> found = {p};
    outcome o = outcome::running;
    for (int climbs = 0; climbs < most_climbs_upon && o == outcome::running; ++climbs) {
      bool is_there = false;
      o = climbs_.look_upon(found[0], is_there);
      if (o != outcome::running || !is_there) return o;
      o = climb_from(
          found, background, [](const place &) { return true; }, is_mode);
    }
    return o;
  }

  outcome look_at_ends(int64 spent) {
    const std::vector<uint64> choices = places_.affordable_choices(spent);
    if (seen_places_ > 0 || known_.empty() || choices.empty()) return outcome::running;
    seen_places_ = 1;
    std::vector<place> found;
    outcome o = places_.find_at_ends(choices, known_[0], found);
    if (o != outcome::running) return o;
    const std::size_t before = known_.size();
    o = climb_from(
        found, known_[0], [this](const place &p) { return !is_part_of(p, known_); },
        [this](const place &p) { return matters(p); });
    if (o != outcome::running) return o;
    return known_.size() > before ? look_from_sources() : o;
  }
  // Does it hold something in a box that is smaller than regions are in the mean?
  bool is_mode(const place &p) const {
    return holds_something(set_.ndim, p.size, p.width.data()) &&
           share_of(p, 1.0) * static_cast<double>(regions_) <= 1.0;
  }
  // Of a finite range: narrow along an axis, and there whatever another is.
  bool is_sheet(const place &p) const {
    constexpr double wide = 0.5;
    bool goes_on = false;
    for (std::size_t j = 0; j < nd_; ++j) goes_on = goes_on || p.width[j] >= wide * range_.length_of_box(axis(j));
    return !is_infinite_ && goes_on && is_narrow_peak(range_, set_.ndim, p.width.data());
  }
  // From places, the highest first, that are new; what is reached is another mode where is_mode says so and it does not rise on. background: is known before it, if nothing else is.
  template <class New, class Mode>
  outcome climb_from(std::vector<place> &found, const place &background, const New &is_new, const Mode &is_mode) {
    outcome o = outcome::running;
    std::vector<place> climbed;
    for (place &p : found) {
      if (climbed.size() == climbs_of_places || static_cast<int>(known_.size()) >= most_modes) break;
      if (!is_new(p) || is_part_of(p, climbed)) continue;
      o = climbs_.climb(p);
      if (o != outcome::running) return o;
      climbed.push_back(p);
      if (has_alike(p) || !is_mode(p)) continue;
      bool rises_on = false;
      o = climbs_.look_nearer_to_ends(p, rises_on);
      if (o != outcome::running) return o;
      if (rises_on) continue;
      know_background(background);
      if (is_sheet(p)) narrow_sheet(p);
      known_.push_back(p);
    }
    return o;
  }
  // A climb has found where it falls to the square of 1/e; regions are to be no wider than that, and may be four times as wide as what they are compared with.
  void narrow_sheet(place &p) const {
    for (std::size_t j = 0; j < nd_; ++j)
      if (p.width[j] < narrow_peak * range_.length_of_box(axis(j))) p.width[j] *= 0.25;
  }
  // The first of all, as long as regions have met no peak.
  void know_background(const place &background) {
    if (!known_.empty()) return;
    is_first_seen_ = true;
    known_.push_back(background);
  }
  // There is nothing to look from yet: it stays owed.
  outcome put_off() {
    is_thorough_ = false;
    --looks_;
    return outcome::running;
  }
  // Is one of the regions small?
  bool are_small(const std::vector<double> &starts) const {
    const std::size_t length = 2 * nd_ + nc_;
    for (std::size_t first = 0; first < starts.size(); first += length) {
      const double *const half = &starts[first + nd_];
      if (is_small_region(
              range_, set_.ndim, [half](int j) { return half[j]; }, regions_))
        return true;
    }
    return false;
  }
  bool is_narrow(const place &p) const { return is_infinite_ || is_narrow_peak(range_, set_.ndim, p.width.data()); }
  // From the centre of a region to its faces and corners, in half-widths.
  std::vector<double> corners_of_start() const {
    std::vector<double> ways =
        even_directions(nd_, (std::size_t{1} << std::min(nd_, most_free_signs)) + 2 * nd_, std::vector<int>(nd_, 0));
    for (double &w : ways) w = w > 0.0 ? 1.0 : w < 0.0 ? -1.0 : 0.0;
    return ways;
  }
  // seen: of its height that the regions there have met.
  outcome begin_at(const std::vector<double> &starts, int64 spent, place &p, double &seen) {
    const std::size_t length = 2 * nd_ + nc_, n = starts.size() / length;
    if (n == 0) return outcome::running;
    std::vector<double> y, sizes;
    const auto add = [&](const double *start, const double *way, double part) {
      for (std::size_t j = 0; j < nd_; ++j)
        y.push_back(range_.from_box(axis(j), start[j] + (way ? part * way[j] * start[nd_ + j] : 0.0)));
    };
    for (std::size_t i = 0; i < n; ++i) add(&starts[i * length], nullptr, 0.0);
    outcome o = climbs_.points().measure(y, sizes);
    if (o != outcome::running) return o;
    auto best = static_cast<std::size_t>(std::max_element(sizes.begin(), sizes.end()) - sizes.begin());
    std::size_t region = best;
    if (!(sizes[best] > 0.0)) {  // what there is was met farther out
      const std::vector<double> ways = corners_of_start();
      const std::size_t each = ways.size() / nd_ * std::size(outwards);
      const double fit = most_share_of_rays * static_cast<double>(spent) / static_cast<double>(each);
      y.clear();
      for (std::size_t i = 0; i < n && (i == 0 || static_cast<double>(i) < fit); ++i)
        for (std::size_t w = 0; w < ways.size(); w += nd_)
          for (const double part : outwards) add(&starts[i * length], &ways[w], part);
      o = climbs_.points().measure(y, sizes);
      if (o != outcome::running) return o;
      best = static_cast<std::size_t>(std::max_element(sizes.begin(), sizes.end()) - sizes.begin());
      region = best / each;
    }
    if (!(sizes[best] > 0.0)) return o;
    climbs_.take(p, y, sizes, best);
    for (std::size_t j = 0; j < nd_; ++j)
      p.width.push_back((is_infinite_ ? 1.0 : off_corners) * starts[region * length + nd_ + j] *
                        range_.stretch(axis(j), starts[region * length + j]));
    const double at_start = p.size;
    o = climbs_.climb(p, is_infinite_ ? most_climb_rounds : rounds_from_small_region);
    seen = at_start / p.size;
    return o;
  }
  outcome look_around(const place source) {
    std::vector<foot_on_ray> found;
    outcome o = climbs_.run_rays(source, allowed_rays_, found);
    int climbs = 0;
    for (std::size_t c = 0; c < found.size() && climbs < climbs_of_source && o == outcome::running; ++c) {
      place &p = found[c].at;
      if (is_known(p, source)) continue;
      ++climbs;
      o = climbs_.climb(p);
      if (o == outcome::running && static_cast<int>(known_.size()) < most_modes && !find_same(p) && matters(p) &&
          is_narrow(p))
        known_.push_back(p);
    }
    return o;
  }
  // All of a finite range: what there is beside what has been found at usual places, before regions have met a peak.
  bool is_background(const place &p) const {
    bool is = !is_infinite_;
    for (std::size_t j = 0; j < nd_; ++j) is = is && p.width[j] >= range_.length_of_box(axis(j));
    return is;
  }
  // Is it on the way to a known one?
  bool is_known(const place &p, const place &source) const {
    for (const place &k : known_)
      if (!is_background(k) &&
          is_on_the_way(set_.ndim, p.at.data(), k.at.data(), source.at.data(), source.width.data()))
        return true;
    return false;
  }
  // The part of the box that is so many widths or less from it.
  double share_of(const place &p, double widths) const {
    return share_near(range_, set_.ndim, p.at.data(), p.width.data(), widths);
  }
  told_mode told(const place &p) const {
    told_mode mode = {share_of(p, 0.5), {}, {}};
    for (std::size_t j = 0; j < nd_; ++j) {
      const stretch_of_axis box = range_.to_box(axis(j), p.at[j] - 0.5 * p.width[j], p.at[j] + 0.5 * p.width[j]);
      mode.from.push_back(range_.part_of_box(axis(j), box.first));
      mode.to.push_back(range_.part_of_box(axis(j), box.last));
    }
    return mode;
  }
  bool is_first(const place &p) const { return are_same(p, known_[0]); }
  double density_at(const place &p, const density_of_map &density) const {
    std::vector<double> at(nd_);
    for (std::size_t j = 0; j < nd_; ++j) at[j] = range_.to_box(axis(j), p.at[j]);
    return density.at(at.data());
  }
  // Is the component that others are multiples of there what the density says?
  bool is_of_multiple(const place &p, const density_of_map &density) const {
    constexpr double departure = 1.01;
    if (density.of_multiples < 0) return false;
    const auto k = static_cast<std::size_t>(density.of_multiples);
    return std::fabs(p.values[k]) <= departure * density_at(p, density) * std::fabs(mean_[k]);
  }
  bool are_same(const place &a, const place &b) const {
    return is_alike_mode(range_, set_.ndim, a.at.data(), a.width.data(), b.at.data(), b.width.data());
  }
  // Where a climb has ended: is it a known one?
  const place *find_same(const place &p) const {
    for (const place &k : known_)
      if (!is_background(k) && is_same_mode(set_.ndim, p.at.data(), p.width.data(), k.at.data(), k.width.data()))
        return &k;
    return nullptr;
  }
  // Or a part of one, or one with a narrow one upon it? Not what rises above it.
  bool has_alike(const place &p, std::size_t from = 0) const {
    for (std::size_t m = from; m < known_.size(); ++m)
      if (p.size <= mode_rise * known_[m].size && are_same(p, known_[m])) return true;
    return false;
  }
  // The first one is left to the regions, but of a sheet those alone that it was climbed from have met it.
  bool is_known_sheet(const place &p) const {
    for (std::size_t m = 1; m < known_.size(); ++m)
      if (is_sheet(known_[m]) &&
          is_same_mode(set_.ndim, p.at.data(), p.width.data(), known_[m].at.data(), known_[m].width.data()))
        return true;
    return has_alike(p, 1) || is_part_of(p, known_);
  }
  bool is_part_of(const place &p, const place &peak) const {
    return is_part_of_peak(set_.ndim, p.at.data(), p.size, peak.at.data(), peak.width.data(), peak.size);
  }
  bool is_part_of(const place &p, const std::vector<place> &peaks) const {
    return std::any_of(peaks.begin(), peaks.end(), [this, &p](const place &k) { return is_part_of(p, k); });
  }
  bool matters(const place &p) const {
    return matters_beside(set_, p.size, p.width.data(), known_[0].size, known_[0].width.data());
  }

  const run_settings set_;
  const std::size_t nd_, nc_;
  const user_range range_;
  mode_climbs climbs_;
  likely_places places_;
  const bool is_infinite_;
  bool has_ended_ = false;
  int looks_at_most_, looks_ = 0, early_ = 0;
  std::size_t sources_ = 0;     // of the known modes, from which rays have run
  std::vector<place> known_;    // from the one on that was climbed from the regions
  std::vector<place> later_;    // what looks of before, which are made again, are going to find
  bool is_first_seen_ = false;  // by the regions, at all looks; else they are compared with it as well
  bool is_first_bounded_ = false;
  bool is_thorough_ = false;  // as it is before success
  int64 regions_ = 0;         // of the run
  int64 evaluations_ = 0;
  double allowed_rays_ = 0.0;
  int seen_places_ = 0;                                       // of the usual ones
  std::vector<double> mean_ = std::vector<double>(nc_, 0.0);  // [ncomp] in the box
};

}  // namespace tessera
