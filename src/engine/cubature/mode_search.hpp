// Looks for other modes of an integrand, over an infinite range or beside a peak that is narrow in a finite one: peaks apart from the one that the regions have met. An infinite range is mapped to a
// finite one, where a peak some twenty widths away takes a millionth of the domain, and no region's points meet it. But its foot shows: outwards from a peak the integrand falls ever faster, or as a power, and where it rises
// again, or falls much more slowly than before, there is something else. So rays run from the peak in many directions, in the user's coordinates and in widths of the peak, and from where
// one of them finds that, the integrand is climbed along the axes. What is found, a box and the integrand there, is compared with the regions as landmarks are (landmarks.hpp); from it rays run in their turn.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <bitset>
#include <cmath>
#include <cstddef>
#include <functional>
#include <iterator>
#include <new>
#include <utility>
#include <vector>

#include "../hooks.hpp"
#include "../problem.hpp"
#include "landmarks.hpp"
#include "largest_errors.hpp"
#include "listed_places.hpp"
#include "looked_points.hpp"
#include "mode_lines.hpp"
#include "ray_directions.hpp"
#include "user_range.hpp"

namespace tessera {

// Of the integrand by a map (product_map.hpp), at a point of the box, at[ndim], over its mean.
using density_at_place = std::function<double(const double *at)>;

// Usual places, x[ndim][n], at which a look before success asks for the integrand where a run has come so far; n = 0: there are none, or not all at once.
struct places_to_look_at {
  int64 n;
  const double *x;
  int ndim;
  int64 after;  // evaluations
};

class mode_search {
 public:
  // axes: their maps, null where all are finite. memory: bytes that the points of a look may take. kept: null, or where they are, for other looks to come.
  mode_search(const cubature_settings &settings, const domain_box &domain, const axis_map *axes,
              looked_at_points sample, int64 memory = greatest_int64, looked_memory *kept = nullptr)
      : set_(settings),
        nd_(static_cast<std::size_t>(settings.ndim)),
        nc_(static_cast<std::size_t>(settings.ncomp)),
        range_(settings.ndim, domain, axes),
        points_(settings.ndim, settings.ncomp, range_, std::move(sample), memory, kept),
        is_infinite_(range_.is_infinite()),
        looks_at_most_(is_infinite_ || settings.looks_in_finite_ranges ? most_looks : 0) {}

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
    const auto n = static_cast<std::size_t>(all_places());
    if (is_infinite_ || !may_look() || seen_places_ > 0 || points_.room(2) < static_cast<int64>(n) ||
        !are_places_inside())
      return {0, nullptr, set_.ndim, 0};
    return {static_cast<int64>(n), columns_of_places(0, n), set_.ndim,
            static_cast<int64>(std::ceil(static_cast<double>(n) / share_of_places))};
  }
  // There are no regions any more that could be compared with what is found.
  void give_up() { looks_at_most_ = 0; }
  // Regions that have met the first one long before their own success may lose it again: they are compared with it as well.
  void doubt_first() { is_first_seen_ = is_first_seen_ && is_before_regions(); }
  // Did a look end the run?
  bool has_ended() const { return has_ended_; }
  bool are_several() const {
    for (std::size_t m = 1; m < known_.size(); ++m)
      if (!is_first(known_[m])) return true;
    return false;
  }
  // Of what was found at usual places: have the regions met no peak yet that it could be?
  bool is_before_regions() const { return !known_.empty() && is_background(known_[0]); }
  // Are all others about as high as a density says?
  bool are_explained(const density_at_place &density) const {
    constexpr double far = 10.0;
    std::vector<double> at(nd_);
    for (std::size_t m = 1; m < known_.size(); ++m) {
      for (std::size_t j = 0; j < nd_; ++j) at[j] = range_.to_box(axis(j), known_[m].at[j]);
      if (known_[m].size > far * density(at.data()) * known_[0].size) return false;
    }
    return true;
  }
  // Modes that the regions may not have met.
  int count() const { return static_cast<int>(known_.size()) - behind_seen(); }

  bool has_looked() const { return looks_ > 0 || !known_.empty(); }
  // The first where the integrand does not rise on to a singular point.
  modes_told told() const {
    modes_told modes;
    for (std::size_t m = 0; m < known_.size(); ++m) {
      if (m == 0 && is_first_bounded_ && !is_background(known_[0])) modes.first = told(known_[0]);
      if (m > 0 && !is_first(known_[m])) modes.others.push_back(told(known_[m]));
    }
    return modes;
  }
  // Bytes of the points of a call, at most.
  int64 peak_bytes() const { return points_.peak_bytes(); }
  // Made by all looks; they are none of the driver's.
  int64 evaluations() const { return evaluations_; }

  // A look, or an early one, if it is owed, with the value[ncomp] and error[ncomp] of the run. largest(weights): the regions with most error, of so many. density: none, or as high as which usual
  // places are explained, for points everywhere have been compared with it. Else as look().
  template <class Largest>
  outcome look_if_owed(const double *value, const double *error, const Largest &largest, int64 regions, int64 spent,
                       int64 most, bool whole, bool early = false, const density_at_place &density = {}) {
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
               bool early = false, const density_at_place &density = {}) {
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
    points_.begin(scale, most);
    for (place &p : known_) p.size = size_of(p);
    ++looks_;
    outcome o;
    try {
      o = look_from_all(starts, spent, !was_thorough);
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
    evaluations_ += points_.made();
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
    for (std::size_t j = 0; j < nd_; ++j) {
      const int a = axis(j);
      double first = -0.5, last = 0.5;
      if (part == 1 + 2 * a) first = foot, last = -0.5;
      if (part == 2 + 2 * a) first = 0.5, last = -foot;
      const stretch_of_axis t = range_.to_box(axis(j), p.at[j] + first * p.width[j], p.at[j] + last * p.width[j]);
      // A foot that the range has no room for is the mode itself.
      const bool is_there = t.last > t.first;
      to.centre(b, a) = is_there ? 0.5 * (t.first + t.last) : range_.to_box(axis(j), p.at[j]);
      to.half(b, a) = is_there ? 0.5 * (t.last - t.first) : 0.5 * p.width[j] / range_.stretch(axis(j), to.centre(b, a));
    }
    for (std::size_t k = 0; k < nc_; ++k) to.value(b, static_cast<int>(k)) = range_.volume_of_box() * p.values[k];
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
  void foresee(const double *from) {
    mode_search then = *this;
    then.looks_ = 0;
    then.read(from);
    later_ = then.known_;
  }
  // All that it has found out, as so many numbers.
  std::size_t numbers() const { return 5 + (most_modes + 1) * numbers_of_place(); }
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
    if (*from < looks_) return;  // it has come farther when looks were made again
    looks_ = static_cast<int>(*from++);
    sources_ = static_cast<std::size_t>(*from++);
    known_.assign(std::min<std::size_t>(static_cast<std::size_t>(*from++), most_modes + 1), {});
    set_flags(static_cast<int>(*from++));
    evaluations_ = static_cast<int64>(*from++);
    for (place &p : known_) {
      p.size = *from++;
      p.at.assign(from, from + nd_);
      p.width.assign(from + nd_, from + 2 * nd_);
      p.values.assign(from + 2 * nd_, from + 2 * nd_ + nc_);
      from += 2 * nd_ + nc_;
    }
  }

 private:
  static constexpr int most_looks = 4;
  static constexpr double outwards[] = {0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.999};  // of half-widths
  static constexpr double early_share = 1.0 / 16;                                      // of the evaluations before
  static constexpr double on_their_way =
      1e-8;  // regions that have met so much of a peak's height go on to it by themselves
  static constexpr int64 first_early = 8192;
  static constexpr double as_explained = 1.5;  // of what a density says
  static constexpr int log2_from_early_to_next = 2, most_early = 5;
  static constexpr double foot = -2.5;  // where it ends, in widths: at five standard deviations of a normal density

  // In the coordinates of user_range.
  struct place {
    std::vector<double> at, width;
    double size = 0.0;           // of the integrand there, of the component that exceeds most what is tolerated
    std::vector<double> values;  // [ncomp] in the box, times the Jacobian
  };

  bool may_look() const { return looks_ - early_ < looks_at_most_; }
  static int axis(std::size_t j) { return static_cast<int>(j); }
  int flags() const { return (is_first_seen_ ? 1 : 0) + (is_thorough_ ? 2 : 0) + 4 * early_ + 32 * seen_places_; }
  void set_flags(int flags) {
    is_first_seen_ = (flags & 1) != 0;
    is_thorough_ = (flags & 2) != 0;
    early_ = flags >> 2 & 7;
    seen_places_ = flags >> 5;
  }
  // The first is left to the regions where they have seen it.
  int behind_seen() const { return is_first_seen_ && !known_.empty() ? 1 : 0; }
  std::size_t numbers_of_place() const { return 1 + 2 * nd_ + nc_; }
  double size_of(const place &p) const {
    double most = 0.0, stretched = 1.0;
    for (std::size_t k = 0; k < nc_; ++k) most = std::fmax(most, std::fabs(p.values[k]) * points_.scale()[k]);
    for (std::size_t j = 0; j < nd_; ++j) stretched *= range_.stretch(axis(j), range_.to_box(axis(j), p.at[j]));
    return most / stretched;
  }

  outcome look_from_all(const std::vector<double> &starts, int64 spent, bool anew) {
    if (!is_infinite_ && anew && !are_small(starts)) return put_off();
    if (anew) {
      place first;
      bool is_seen = false;
      outcome o = begin_at(starts, spent, first, is_seen);
      if (o != outcome::running || !(first.size > 0.0)) return o;
      bool rises_on = true;
      o = look_nearer_to_ends(first, rises_on);
      if (o != outcome::running) return o;
      is_first_bounded_ = !rises_on;
      const place *const same = find_same(first);
      if (known_.empty() || same == &known_[0] || is_background(known_[0])) {  // of which more is known by now
        is_first_seen_ = is_seen && (known_.empty() || is_first_seen_);
        known_.resize(std::max<std::size_t>(known_.size(), 1));
        known_[0] = first;
      } else if (!same && static_cast<int>(known_.size()) < most_modes) {
        known_.push_back(first);
      }
    }
    return look_from_sources();
  }
  // Around those from which rays have not run yet.
  outcome look_from_sources() {
    for (const std::size_t end = known_.size(); sources_ < end; ++sources_) {
      if (!is_narrow(known_[sources_]) || (sources_ > 0 && is_first(known_[sources_]))) continue;
      const outcome o = look_around(known_[sources_]);
      if (o != outcome::running) return o;
    }
    return outcome::running;
  }

  int all_places() const { return axis(listed_places(set_.ndim).size() / nd_); }
  int affordable_places(int64 spent) const {
    return static_cast<int>(std::min<double>(all_places(), share_of_places * static_cast<double>(spent)));
  }
  // Than have been seen: all of them, or twice as many.
  bool has_more_places(int64 spent) const {
    if (is_infinite_ || looks_at_most_ == 0) return false;
    const int n = affordable_places(spent);
    return n > seen_places_ && (n == all_places() || n >= 2 * seen_places_);
  }
  // Beside whatever there is: where the integrand stands out there it is climbed, and what is found and is narrow is another mode.
  outcome look_at_usual_places(int64 spent, const density_at_place &density) {
    if (!has_more_places(spent)) return outcome::running;
    const int first = seen_places_, end = seen_places_ = affordable_places(spent);
    place background = {std::vector<double>(nd_), std::vector<double>(nd_), 0.0, mean_};
    for (std::size_t j = 0; j < nd_; ++j) {
      background.at[j] = range_.at_part(axis(j), 0.5);
      background.width[j] = range_.length_of_box(axis(j));
    }
    background.size = size_of(background);
    std::vector<high_place> high;
    std::vector<double> values;
    mean_of_sizes mean;
    outcome o = outcome::running;
    // As many at once as half of the memory has room for.
    const int64 most = std::max<int64>(1, points_.room(2));
    for (int next = first; next < end && o == outcome::running;) {
      const int n = static_cast<int>(std::min<int64>(end - next, most));
      o = look_at_places(next, n, next + n == end, background.size, mean, high, values);
      next += n;
    }
    if (o != outcome::running) return o;
    std::vector<place> found;
    const double least = stands_out * mean.value();
    std::vector<double> at(nd_);
    for (std::size_t c = 0; c < high.size() && high[c].size > least && found.size() < climbs_of_places; ++c) {
      for (std::size_t j = 0; j < nd_; ++j)
        at[j] = range_.at_part(axis(j), listed_places(set_.ndim)[high[c].number * nd_ + j]);
      // The highest is climbed all the same: there may be a narrow peak upon the one that explains it.
      if (density && !found.empty() && high[c].size <= as_explained * density(at.data()) * background.size) continue;
      place p = background;
      p.at = at;
      p.size = high[c].size;
      p.values.assign(&values[high[c].values], &values[high[c].values] + nc_);
      for (double &w : p.width) w *= first_width_there;
      if (!has_alike(p)) found.push_back(std::move(p));
    }
    o = keep_what_falls(found);
    if (o == outcome::running)
      o = climb_from(
          found, background, [this](const place &p) { return !has_alike(p); },
          [this](const place &p) {
            return holds_something(set_.ndim, p.size, p.width.data()) &&
                   share_of(p, 1.0) * static_cast<double>(regions_) <= 1.0;
          });
    // Where regions are on their way to a peak, rays from here have time.
    return o == outcome::running && is_thorough_ ? look_from_sources() : o;
  }

  // Over infinite ranges: beside finite ends and 0, on all axes, or on some while the others are where the first mode is. The integrand stands out where it is higher than farther from there.
  outcome look_at_ends(int64 spent) {
    constexpr double beside[] = {1.0 / 256, 1.0 / 8192, 1.0 / 16};
    constexpr std::size_t apart = std::size(beside);
    if (seen_places_ > 0 || known_.empty()) return outcome::running;
    std::vector<uint64> chosen = chosen_axes();
    chosen.resize(std::min<std::size_t>(
        chosen.size(), static_cast<std::size_t>(share_of_places * static_cast<double>(spent) / (2.0 * apart))));
    if (chosen.empty()) return outcome::running;
    seen_places_ = 1;
    std::vector<double> y, sizes;
    for (const uint64 axes : chosen)
      for (const bool upper : {false, true})
        for (const double away : beside)
          for (std::size_t j = 0; j < nd_; ++j) {
            const double turn = usual_places::golden * static_cast<double>(j + 1),
                         part = away * (1.0 + 0.25 * (turn - std::floor(turn)));
            y.push_back((axes >> j & 1) != 0 ? range_.beside_end(axis(j), upper, part) : known_[0].at[j]);
          }
    outcome o = points_.measure(y, sizes);
    if (o != outcome::running) return o;
    std::vector<place> found;
    for (std::size_t i = 0; i < sizes.size(); i += apart) {
      const std::size_t high = sizes[i] >= sizes[i + 1] ? i : i + 1;
      if (!(sizes[high] > 0.0 && sizes[high] > stands_out * sizes[i + 2])) continue;
      place p = known_[0];
      take(p, y, sizes, high);
      for (std::size_t j = 0; j < nd_; ++j) p.width[j] = first_width_there * range_.unit(axis(j));
      found.push_back(std::move(p));
    }
    std::stable_sort(found.begin(), found.end(), [](const place &a, const place &b) { return a.size > b.size; });
    const std::size_t before = known_.size();
    o = climb_from(
        found, known_[0], [this](const place &p) { return !is_part_of(p, known_); },
        [this](const place &p) { return matters(p); });
    if (o != outcome::running) return o;
    return known_.size() > before ? look_from_sources() : o;
  }
  // From places, the highest first, that are new; what is reached is another mode where is_mode says so and it does not rise on. background: is known before it, if nothing else is.
  template <class New, class Mode>
  outcome climb_from(std::vector<place> &found, const place &background, const New &is_new, const Mode &is_mode) {
    outcome o = outcome::running;
    std::vector<place> climbed;
    for (place &p : found) {
      if (climbed.size() == climbs_of_places || static_cast<int>(known_.size()) >= most_modes) break;
      if (!is_new(p) || is_part_of(p, climbed)) continue;
      o = climb(p);
      if (o != outcome::running) return o;
      climbed.push_back(p);
      if (has_alike(p) || !is_mode(p)) continue;
      bool rises_on = false;
      o = look_nearer_to_ends(p, rises_on);
      if (o != outcome::running) return o;
      if (rises_on) continue;
      if (known_.empty()) {
        is_first_seen_ = true;
        known_.push_back(background);
      }
      known_.push_back(p);
    }
    return o;
  }
  // All choices of axes, those of many first; of many axes all, and all but one.
  std::vector<uint64> chosen_axes() const {
    constexpr std::size_t few = 6;
    const uint64 all = (uint64{1} << (nd_ - 1) << 1) - 1;
    std::vector<uint64> chosen;
    for (uint64 axes = all; axes > 0 && nd_ <= few; --axes) chosen.push_back(axes);
    const auto count = [](uint64 axes) { return std::bitset<64>(axes).count(); };
    std::stable_sort(chosen.begin(), chosen.end(), [&](uint64 a, uint64 b) { return count(a) > count(b); });
    if (nd_ <= few) return chosen;
    chosen.push_back(all);
    for (std::size_t j = 0; j < nd_; ++j) chosen.push_back(all & ~(uint64{1} << j));
    return chosen;
  }

  struct high_place {
    double size;
    std::size_t number, values;  // values: where its [ncomp] values stand
  };
  // At so many usual places, from one on. are_last: of the look. mean: of the sizes at all. high: the highest of those that stand out against the background, in descending order.
  outcome look_at_places(int next, int count, bool are_last, double background, mean_of_sizes &mean,
                         std::vector<high_place> &high, std::vector<double> &values) {
    constexpr std::size_t most_high = 64;
    const auto first = static_cast<std::size_t>(next), n = static_cast<std::size_t>(count);
    looked_memory &m = points_.memory();
    const outcome o = measure_places(first, n, m);
    if (o != outcome::running) return o;
    for (std::size_t i = 0; i < n; ++i) mean.add(m.sizes[i]);
    const double least = stands_out * (are_last ? larger(background, mean.value()) : background);
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < n; ++i)
      if (m.sizes[i] > least) order.push_back(i);
    const std::size_t chosen = std::min(order.size(), most_high);
    std::partial_sort(
        order.begin(), order.begin() + static_cast<std::ptrdiff_t>(chosen), order.end(),
        [&m](std::size_t a, std::size_t b) { return m.sizes[a] > m.sizes[b] || (m.sizes[a] == m.sizes[b] && a < b); });
    for (std::size_t c = 0; c < chosen; ++c) {
      high.push_back({m.sizes[order[c]], first + order[c], values.size()});
      values.insert(values.end(), &m.values[order[c] * nc_], &m.values[order[c] * nc_] + nc_);
    }
    std::stable_sort(high.begin(), high.end(),
                     [](const high_place &a, const high_place &b) { return a.size > b.size; });
    high.resize(std::min(high.size(), most_high));
    return o;
  }
  outcome measure_places(std::size_t first, std::size_t n, looked_memory &m) {
    const double *const columns = columns_of_places(first, n);
    if (are_places_inside()) return points_.measure_columns(n, columns, m.sizes);
    m.y.resize(n * nd_);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < nd_; ++j) m.y[i * nd_ + j] = columns[j * n + i];
    return points_.measure(m.y, m.sizes);
  }
  // Of the range, all of them? By rounding some may not be, where it is narrow beside its coordinates.
  bool are_places_inside() const {
    bool all = true;
    for (std::size_t j = 0; j < nd_; ++j)
      for (const double part : {usual_places::nearest_to_end, 1.0 - usual_places::nearest_to_end})
        all = all && range_.is_inside(axis(j), range_.at_part(axis(j), part));
    return all;
  }
  // So many from one on, [ndim][n].
  const double *columns_of_places(std::size_t first, std::size_t n) {
    looked_memory &m = points_.memory();
    std::vector<double> wanted = {static_cast<double>(first), static_cast<double>(n)};
    for (std::size_t j = 0; j < nd_; ++j)
      wanted.insert(wanted.end(), {range_.at_part(axis(j), 0.0), range_.length_of_box(axis(j))});
    if (wanted == m.made_for) return m.places.data();
    m.made_for.clear();  // none, until all are there
    m.places.resize(n * nd_);
    for (std::size_t j = 0; j < nd_; ++j) {
      const double *const parts = &listed_places(set_.ndim)[first * nd_ + j];
      for (std::size_t i = 0; i < n; ++i) m.places[j * n + i] = range_.at_part(axis(j), parts[i * nd_]);
    }
    m.made_for = wanted;
    return m.places.data();
  }
  // Where an integrand is still high a quarter of the range away along all axes, there is no peak that points may miss.
  outcome keep_what_falls(std::vector<place> &found) {
    constexpr double widest = 0.25;
    if (found.empty()) return outcome::running;
    std::vector<double> y, sizes;
    for (const place &p : found)
      for (std::size_t j = 0; j < nd_; ++j)
        for (const double away : {-widest, widest}) {
          y.insert(y.end(), p.at.begin(), p.at.end());
          y[y.size() - nd_ + j] += away * range_.length_of_box(axis(j));
        }
    const outcome o = points_.measure(y, sizes);
    if (o != outcome::running) return o;
    std::size_t kept = 0;
    for (std::size_t c = 0; c < found.size(); ++c) {
      bool falls = false;
      for (std::size_t i = 2 * nd_ * c; i < 2 * nd_ * (c + 1); i += 2)
        falls = falls || on_side(peak_side::flatter, sizes[i], sizes[i + 1]) < falls_to * found[c].size;
      if (falls) std::swap(found[kept++], found[c]);
    }
    found.resize(kept);
    return o;
  }
  // Does the integrand rise on there (nearer_to_end), as at a singular point?
  outcome look_nearer_to_ends(const place &p, bool &rises_on) {
    std::vector<double> y, sizes;
    for (std::size_t moved = 0; moved <= nd_; ++moved)  // along all axes, and along each of them
      for (std::size_t j = 0; j < nd_; ++j)
        y.push_back(moved == nd_ || moved == j ? nearer_to_end(range_, axis(j), p.at[j], p.width[j]) : p.at[j]);
    const outcome o = points_.measure(y, sizes);
    rises_on = o == outcome::running && *std::max_element(sizes.begin(), sizes.end()) > mode_rise * p.size;
    return o;
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
  outcome begin_at(const std::vector<double> &starts, int64 spent, place &p, bool &is_seen) {
    const std::size_t length = 2 * nd_ + nc_, n = starts.size() / length;
    if (n == 0) return outcome::running;
    std::vector<double> y, sizes;
    const auto add = [&](const double *start, const double *way, double part) {
      for (std::size_t j = 0; j < nd_; ++j)
        y.push_back(range_.from_box(axis(j), start[j] + (way ? part * way[j] * start[nd_ + j] : 0.0)));
    };
    for (std::size_t i = 0; i < n; ++i) add(&starts[i * length], nullptr, 0.0);
    outcome o = points_.measure(y, sizes);
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
      o = points_.measure(y, sizes);
      if (o != outcome::running) return o;
      best = static_cast<std::size_t>(std::max_element(sizes.begin(), sizes.end()) - sizes.begin());
      region = best / each;
    }
    if (!(sizes[best] > 0.0)) return o;
    take(p, y, sizes, best);
    for (std::size_t j = 0; j < nd_; ++j)
      p.width.push_back((is_infinite_ ? 1.0 : off_corners) * starts[region * length + nd_ + j] *
                        range_.stretch(axis(j), starts[region * length + j]));
    const double at_start = p.size;
    const outcome climbed = climb(p, is_infinite_ ? most_climb_rounds : rounds_from_small_region);
    is_seen = at_start >= (is_thorough_ && is_infinite_ ? much_less : on_their_way) * p.size;
    return climbed;
  }
  // Of point i of the last call of measure.
  void take(place &p, const std::vector<double> &y, const std::vector<double> &sizes, std::size_t i) {
    p.at.assign(y.begin() + static_cast<std::ptrdiff_t>(i * nd_),
                y.begin() + static_cast<std::ptrdiff_t>((i + 1) * nd_));
    p.size = sizes[i];
    const double *const values = points_.values(i);
    p.values.assign(values, values + nc_);
  }

  // Goes up along the axes, and finds how wide the peak is there: where it has fallen to the square of 1/e.
  outcome climb(place &p, int rounds = most_climb_rounds) {
    std::vector<double> &y = points_.memory().y, &sizes = points_.memory().sizes;
    for (int round = 0; round < rounds; ++round) {
      y.clear();
      for (std::size_t j = 0; j < nd_; ++j)
        for (int i = 0; i < points_on_line; ++i) {
          y.insert(y.end(), p.at.begin(), p.at.end());
          y[y.size() - nd_ + j] += offset_on_line(p.width[j], i);
        }
      outcome o = points_.measure(y, sizes);
      if (o != outcome::running) return o;
      std::vector<double> together = p.at;
      std::size_t best = 0;  // of all axes
      bool moves = false;
      std::vector<double> widths = p.width;
      for (std::size_t j = 0; j < nd_; ++j) {
        const std::size_t line = j * points_on_line;
        const climb_on_line c =
            climb_line(&sizes[line], p.size, p.width[j], is_infinite_ ? peak_side::steeper : peak_side::flatter);
        const std::size_t top = line + static_cast<std::size_t>(c.top);
        if (sizes[top] > sizes[best]) best = top;
        widths[j] = c.width;
        if (!c.goes_on) continue;
        together[j] += offset_on_line(p.width[j], c.top);
        moves = true;
      }
      place next = p;
      if (moves) {
        take(next, y, sizes, best);
        o = points_.measure(together, sizes);
        if (o != outcome::running) return o;
        if (sizes[0] > next.size) take(next, together, sizes, 0);
      }
      p = next;
      p.width = widths;
      if (!moves) break;
    }
    return outcome::running;
  }

  struct candidate {
    double by;  // how much the rise or the bend stands out, as a logarithm
    place at;
  };
  outcome look_around(const place source) {
    std::vector<candidate> found;
    outcome o = run_rays(source, found);
    int climbs = 0;
    for (std::size_t c = 0; c < found.size() && climbs < climbs_of_source && o == outcome::running; ++c) {
      place &p = found[c].at;
      if (is_known(p, source)) continue;
      ++climbs;
      o = climb(p);
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
  // There may be a narrow one upon a wide one.
  bool are_same(const place &a, const place &b) const {
    constexpr double other_sizes = 100.0;
    if (!is_same_mode(set_.ndim, a.at.data(), a.width.data(), b.at.data(), b.width.data())) return false;
    const double share_of_a = share_of(a, 1.0), share_of_b = share_of(b, 1.0);
    return share_of_a <= other_sizes * share_of_b && share_of_b <= other_sizes * share_of_a;
  }
  // Where a climb has ended: is it a known one?
  const place *find_same(const place &p) const {
    for (const place &k : known_)
      if (!is_background(k) && is_same_mode(set_.ndim, p.at.data(), p.width.data(), k.at.data(), k.width.data()))
        return &k;
    return nullptr;
  }
  // Or a part of one, or one with a narrow one upon it?
  bool has_alike(const place &p) const {
    for (const place &k : known_)
      if (are_same(p, k)) return true;
    return false;
  }
  // Of a place from which nobody has climbed: is it no higher than a normal density would be there that has the top and the widths of a peak? Beside what is narrow upon that it is.
  bool is_part_of(const place &p, const std::vector<place> &peaks) const {
    constexpr double close = 1.05;
    return std::any_of(peaks.begin(), peaks.end(), [this, &p](const place &k) {
      const double away = distance_of_places(set_.ndim, p.at.data(), k.at.data(), k.width.data());
      return away < 1.0 && p.size <= close * k.size * std::exp(-2.0 * away * away);
    });
  }
  bool matters(const place &p) const {
    return matters_beside(set_, p.size, p.width.data(), known_[0].size, known_[0].width.data());
  }

  // The signs of the ways on which the range ends within a width.
  std::vector<int> room_of(const place &p) const {
    std::vector<int> only;
    for (std::size_t j = 0; j < nd_; ++j) only.push_back(range_.only_way(axis(j), p.at[j], p.width[j]));
    return only;
  }

  // Where rays have found something, what stands out most first. As many rays at once as a quarter of the memory has room for, or one, and no more in all than the rest has, with what makes them and what they find.
  outcome run_rays(const place &source, std::vector<candidate> &found) {
    const auto of_ray = static_cast<int64>((5 * nd_ + nc_) * sizeof(double) + sizeof(candidate));
    const int64 points_of_ray = steps_of_ray * looked_points::bytes_of_point(set_.ndim, set_.ncomp),
                at_once = std::max<int64>(1, points_.most_bytes() / 4 / points_of_ray),
                most = (points_.most_bytes() - at_once * points_of_ray) / of_ray;
    if (most < static_cast<int64>(2 * nd_)) return outcome::roundoff;
    const std::vector<double> &directions = points_.memory().directions_for(
        nd_, static_cast<std::size_t>(std::min(allowed_rays_, static_cast<double>(most))), room_of(source));
    const std::size_t rays = directions.size() / nd_;
    outcome o = outcome::running;
    for (std::size_t first = 0; first < rays && o == outcome::running; first += static_cast<std::size_t>(at_once)) {
      const std::size_t n = std::min(rays - first, static_cast<std::size_t>(at_once));
      o = run_rays(source, &directions[first * nd_], n, found);
      points_.take_bytes(static_cast<int64>(n) * points_of_ray + static_cast<int64>(rays) * of_ray);
    }
    std::stable_sort(found.begin(), found.end(), [](const candidate &a, const candidate &b) { return a.by > b.by; });
    return o;
  }
  outcome run_rays(const place &source, const double *directions, std::size_t rays, std::vector<candidate> &found) {
    std::vector<double> &y = points_.memory().y, &sizes = points_.memory().sizes, point(nd_);
    std::vector<std::size_t> ends;  // of the points of each ray, as far as the range goes
    y.clear();
    for (std::size_t r = 0; r < rays; ++r) {
      const double *const direction = directions + r * nd_;
      const double step = step_in_range(range_, set_.ndim, source.at.data(), [&](int j) {
        return source.width[static_cast<std::size_t>(j)] * direction[j];
      });
      double away = 1.0;
      for (int i = 0; i < steps_of_ray; ++i, away *= step) {
        for (std::size_t j = 0; j < nd_; ++j) point[j] = source.at[j] + away * source.width[j] * direction[j];
        if (!points_.is_inside(point.data())) break;
        y.insert(y.end(), point.begin(), point.end());
      }
      ends.push_back(y.size() / nd_);
    }
    const outcome o = points_.measure(y, sizes, true);
    if (o != outcome::running) return o;
    for (std::size_t r = 0, i = 0; r < rays; ++r) {
      const std::size_t first = i;
      foot_of_ray seen(log_of_size(source.size));
      for (; i < ends[r]; ++i) seen.tell(sizes[i]);
      if (!(seen.by() > 0.0)) continue;
      candidate c = {seen.by(), source};
      take(c.at, y, sizes, first + static_cast<std::size_t>(seen.top()));
      found.push_back(c);
    }
    return o;
  }
  const run_settings set_;
  const std::size_t nd_, nc_;
  const user_range range_;
  looked_points points_;
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
