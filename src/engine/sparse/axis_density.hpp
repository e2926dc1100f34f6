// How the size of an integrand goes along a line: a series in each of several panels, which are divided until it is known to rounding or a panel holds next to nothing.
// Whatever the series are, their integral is a change of variables without an error of its own; the better they are the smoother the integrand is in the new variable.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "../../core/transform.hpp"
#include "product_map.hpp"

namespace tessera {

class axis_density {
 public:
  static constexpr double finest = 2e-13;
  // accuracy: of a series beside the largest size in its panel. cuts: where there may be a jump or a kink, known elsewhere. The memory of an earlier line is used again.
  void start(double lower, double upper, double accuracy, const std::vector<double> &cuts) {
    accuracy_ = accuracy;
    lower_ = lower;
    upper_ = upper;
    length_ = upper - lower;
    narrowest_ = std::max(narrowest * length_, least_spacing * std::max(std::fabs(lower), std::fabs(upper)));
    known_mass_ = total_ = largest_ = mode_ = 0.0;
    open_.clear();
    known_.clear();
    cuts_ = cuts;
    std::sort(cuts_.begin(), cuts_.end());
    const auto same = [this](double a, double b) { return b - a <= narrowest_; };
    cuts_.erase(std::unique(cuts_.begin(), cuts_.end(), same), cuts_.end());
    for (int p = 0; p < first_panels; ++p)
      open_.push_back({p == 0 ? lower : lower + length_ * p / first_panels,
                       p == first_panels - 1 ? upper : lower + length_ * (p + 1) / first_panels, 0.0});
  }

  // Points of this round; 0: there is none any more.
  int64 points() const { return static_cast<int64>(open_.size()) * points_of_panel; }
  void write_points(double *at) const {
    for (const panel &p : open_) {
      const double middle = 0.5 * (p.lower + p.upper), half = 0.5 * (p.upper - p.lower);
      for (int i = 0; i < terms; ++i) *at++ = middle + half * cosine(i, 1);
      // Nothing lies beyond the ends of the axis, which are not the integrand's.
      *at++ = middle - half * (p.lower == lower_ ? cosine(0, 1) : near_end);
      *at++ = middle + half * (p.upper == upper_ ? cosine(0, 1) : near_end);
    }
  }
  // Sizes of the integrand at them.
  void take(const double *sizes) {
    spare_.clear();
    const double *own = sizes;
    total_ = known_mass_;
    for (panel &p : open_) {
      p.starts_axis = p.lower == lower_;
      p.ends_axis = p.upper == upper_;
      p.fit(sizes);
      sizes += points_of_panel;
      if (p.largest > largest_) {
        largest_ = p.largest;
        mode_ = p.largest_at;
      }
      total_ += p.mass;
    }
    for (const panel &p : open_) {
      if (is_known(p)) {
        known_.push_back(p);
        known_mass_ += p.mass;
      } else {
        divide(p, own, spare_);
      }
      own += points_of_panel;
    }
    open_.swap(spare_);
    if (open_.empty()) finish();
  }
  // There would be too many panels.
  bool has_failed() const { return static_cast<int>(known_.size() + open_.size()) > most_panels; }

  // Where the size is largest.
  double mode() const { return mode_; }
  // The largest size over the mean.
  double peak() const { return mean_of_all() > 0.0 ? largest_ / mean_of_all() : 1.0; }
  // For each share of the whole: below where it lies, and the mean of the density over the density there. Several at once, for a processor waits for each term of a series.
  void find(const double *shares, int n, mapped_node *nodes) const {
    for (int first = 0; first < n; first += together) {
      const int count = std::min(together, n - first);
      seeker all[together];
      for (int i = 0; i < together; ++i) all[i] = seek(shares[first + std::min(i, count - 1)]);
      double integrals[terms + 1][together], series[terms][together];
      for (int i = 0; i < together; ++i) {
        for (std::size_t k = 0; k <= terms; ++k) integrals[k][i] = all[i].in->integral[k];
        for (std::size_t k = 0; k < terms; ++k) series[k][i] = all[i].in->series[k];
      }
      double over[together], density[together];
      for (int step = 0; step < most_steps; ++step) {
        sum_series(integrals, all, over);
        sum_series(series, all, density);
        bool ends = true;
        for (int i = 0; i < together; ++i) ends = all[i].move(over[i], density[i]) && ends;
        if (ends) break;
      }
      sum_series(series, all, density);
      for (int i = 0; i < count; ++i) {
        const panel &p = *all[i].in;
        const double place = 0.5 * (p.lower + p.upper) + all[i].half * all[i].t;
        nodes[first + i] = {between(place, std::nextafter(lower_, upper_), std::nextafter(upper_, lower_)),
                            total_ / (length_ * std::max(density[i], least_density * p.largest))};
      }
    }
  }
  double density(double at) const {
    auto p = std::upper_bound(known_.begin(), known_.end(), at, [](double x, const panel &q) { return x < q.lower; });
    if (p != known_.begin()) --p;
    return std::max(0.0,
                    chebyshev_sum(p->series.data(), terms, (2.0 * at - p->lower - p->upper) / (p->upper - p->lower)));
  }
  // The mean of place(at)^power over the mass, that of its size, and what both may be off by: what the series leave out, and ten times what rules of half as many points differ by, for beyond an infinite
  // end a power may have no mean. By the rules of Fejer (1933) in each panel.
  struct moment {
    double mean = 0.0, size = 0.0, uncertainty = 0.0;
  };
  template <class Place>
  void find_moments(const Place &place, int powers, moment *moments) const {
    constexpr double caution = 10.0;
    std::fill_n(moments, powers, moment());
    std::vector<moment> fine(static_cast<std::size_t>(powers)), coarse(fine);
    const auto add = [&](const panel &p) {
      add_panel(p, fejer_rule<2 * terms>(), place, fine);
      add_panel(p, fejer_rule<terms>(), place, coarse);
      for (std::size_t m = 0; m < fine.size(); ++m) {
        moments[m].mean += fine[m].mean;
        moments[m].size += fine[m].size;
        moments[m].uncertainty += fine[m].uncertainty + caution * std::fabs(fine[m].mean - coarse[m].mean);
      }
    };
    for (const panel &p : known_)
      if (!p.is_constant) add(p);
    for (const panel &p : made_constant_) add(p);
  }
  // visit(lower end, width, density in the middle): parts of the axis in which that changes little.
  template <class Visit>
  void each_cell(const Visit &visit) const {
    for (const panel &p : known_) {
      const double width = (p.upper - p.lower) / cells_of_panel;
      for (int c = 0; c < cells_of_panel; ++c)
        visit(p.lower + c * width, width,
              chebyshev_sum(p.series.data(), terms, (2.0 * c + 1.0) / cells_of_panel - 1.0));
    }
  }
  void write_panels(std::vector<density_panel> &to) const {
    for (const panel &p : known_) {
      const double scale = length_ / total_;
      density_panel q = {p.lower, p.upper, (p.is_constant ? 1.0 : sure) * p.largest * scale, {}};
      for (int k = 0; k < terms; ++k) q.series[k] = p.series[static_cast<std::size_t>(k)] * scale;
      to.push_back(q);
    }
  }
  bool is_empty() const { return !(total_ > 0.0 && total_ < infinity_value()); }
  // Of its memory.
  std::size_t bytes() const {
    return (open_.capacity() + known_.capacity() + spare_.capacity() + made_constant_.capacity()) * sizeof(panel);
  }

 private:
  static constexpr int terms = density_terms, first_panels = 8, most_panels = 512, most_steps = 80, together = 16;
  static constexpr int cells_of_panel = 8;
  // Of a series that converges the uncertainty falls so many times by halving its panel, and mostly more.
  static constexpr double less_by_halving = 2048.0;
  static constexpr int most_parts = 8, most_cuts = 3;
  static constexpr double dominant = 0.5;  // share of a difference in all, with which it is a jump or a kink
  static constexpr double arrived = 1e-7;
  // The last two next to the ends: a jump between there and the first points of two neighbours would be seen by neither.
  static constexpr int points_of_panel = terms + 2;
  static constexpr double near_end = 1.0 - 1e-12;
  static constexpr double noise = 1e-9;           // below which what does not fall by dividing is noise
  static constexpr double negligible = 1e-15;     // of the whole
  static constexpr double narrowest = 1e-13;      // panel, of the axis,
  static constexpr double least_spacing = 1e-12;  // and of the coordinates
  static constexpr double least_density = 1e-14;  // of the largest in a panel
  static constexpr double sure = 1e-12;           // of the largest in a panel: what its series is good for

  static const double &cosine(int point, int order) {
    static const std::array<double, terms *terms> table = [] {
      std::array<double, terms *terms> t = {};
      for (int i = 0; i < terms; ++i)
        for (int k = 0; k < terms; ++k)
          t[static_cast<std::size_t>(i * terms + k)] = std::cos(k * (i + 0.5) * 3.14159265358979323846 / terms);
      return t;
    }();
    return table[static_cast<std::size_t>(point * terms + order)];
  }

  // Nodes from -1 to 1, and weights for a mean.
  template <int n>
  struct node_rule {
    std::array<double, n> node, weight;
  };
  template <int n>
  static const node_rule<n> &fejer_rule() {
    static const node_rule<n> rule = [] {
      node_rule<n> r = {};
      for (int i = 0; i < n; ++i) {
        const double angle = (i + 0.5) * 3.14159265358979323846 / n;
        double sum = 0.5;
        for (int k = 1; k <= n / 2; ++k) sum -= std::cos(2.0 * k * angle) / (4.0 * k * k - 1.0);
        r.node[static_cast<std::size_t>(i)] = std::cos(angle);
        r.weight[static_cast<std::size_t>(i)] = 2.0 * sum / n;
      }
      return r;
    }();
    return rule;
  }
  struct panel {
    double lower, upper,
        smooth;  // smooth: its uncertainty, of its largest size, at most if there is no jump or kink; 0: unknown
    std::array<double, terms> series = {};
    std::array<double, terms + 1> integral = {};  // from the lower end, over half the width
    double largest = 0.0, largest_at = 0.0, mass = 0.0;
    double last = 0.0;  // what the series leaves out, as far as its last terms and the ends show
    bool is_constant = false, starts_axis = false, ends_axis = false;
    panel(double low, double high, double at_most) : lower(low), upper(high), smooth(at_most) {}

    void fit(const double *sizes) {
      const double *const most = std::max_element(sizes, sizes + terms);
      largest = *most;
      largest_at = 0.5 * (lower + upper) + 0.5 * (upper - lower) * cosine(static_cast<int>(most - sizes), 1);
      double even[terms / 2], odd[terms / 2];  // about the middle, as the terms are
      for (int i = 0; i < terms / 2; ++i) {
        even[i] = sizes[i] + sizes[terms - 1 - i];
        odd[i] = sizes[i] - sizes[terms - 1 - i];
      }
      const double *const cosines = &cosine(0, 0);
      series.fill(0.0);
      for (int i = 0; i < terms / 2; ++i)
        for (int k = 0; k < terms; ++k)
          series[static_cast<std::size_t>(k)] += (k % 2 == 0 ? even : odd)[i] * cosines[i * terms + k];
      for (int k = 0; k < terms; ++k) series[static_cast<std::size_t>(k)] *= (k == 0 ? 1.0 : 2.0) / terms;
      last = 0.0;
      for (std::size_t k = terms - 3; k < terms; ++k) last += std::fabs(series[k]);
      last = std::max(last, std::fabs(sizes[terms] - sum_at_end(starts_axis, -1.0)));
      last = std::max(last, std::fabs(sizes[terms + 1] - sum_at_end(ends_axis, 1.0)));
      integrate();
    }
    // The series at the last of the points on one side.
    double sum_at_end(bool is_of_axis, double side) const {
      static const std::array<double, terms> near = [] {
        std::array<double, terms> t = {};
        for (int k = 0; k < terms; ++k) t[static_cast<std::size_t>(k)] = std::cos(k * std::acos(near_end));
        return t;
      }();
      const double *const at = is_of_axis ? &cosine(0, 0) : near.data();
      double even = 0.0, odd = 0.0;
      for (std::size_t k = 0; k < terms; k += 2) {
        even += series[k] * at[k];
        odd += series[k + 1] * at[k + 1];
      }
      return even + side * odd;
    }
    void make_constant() {
      const double mean = mass / (upper - lower);
      series.fill(0.0);
      series[0] = mean;
      last = 0.0;
      is_constant = true;
      integrate();
    }
    void integrate() {
      static const std::array<double, terms + 1> inverse = [] {  // of twice the order
        std::array<double, terms + 1> t = {};
        for (int k = 1; k <= terms; ++k) t[static_cast<std::size_t>(k)] = 0.5 / k;
        return t;
      }();
      integral[1] = series[0] - 0.5 * series[2];
      for (std::size_t k = 2; k < terms - 1; ++k) integral[k] = (series[k - 1] - series[k + 1]) * inverse[k];
      for (std::size_t k = terms - 1; k <= terms; ++k) integral[k] = series[k - 1] * inverse[k];
      double at_lower = 0.0, sum = 0.0;
      for (std::size_t k = 1; k <= terms; ++k) {
        at_lower += k % 2 == 1 ? -integral[k] : integral[k];
        sum += integral[k];
      }
      integral[0] = -at_lower;
      sum -= at_lower;
      mass = std::max(0.0, 0.5 * (upper - lower) * sum);
    }
  };

  // Where in a panel its integral is what is wanted, by Newton's method between two bounds.
  struct seeker {
    const panel *in;
    double half, wanted, low, high, t;
    // Returns whether it has arrived.
    bool move(double integral, double density) {
      const double beyond = integral * half - wanted;
      (beyond > 0.0 ? high : low) = t;
      const double newton = t - beyond / (half * density);
      const bool ends = std::fabs(newton - t) < arrived;  // the next one would be as near as can be
      t = ends || (newton > low && newton < high) ? newton : 0.5 * (low + high);
      return ends;
    }
  };
  seeker seek(double share) const {
    const double goal = share * total_;
    const auto behind = std::upper_bound(before_.begin() + 1, before_.end(), goal);
    const auto i = static_cast<std::size_t>(
        std::min<std::ptrdiff_t>(behind - before_.begin(), before_.end() - before_.begin() - 1) - 1);
    const panel &p = known_[i];
    const double wanted = goal - before_[i], t = p.mass > 0.0 ? 2.0 * wanted / p.mass - 1.0 : 0.0;
    return {&p, 0.5 * (p.upper - p.lower), wanted, -1.0, 1.0, std::min(1.0, std::max(-1.0, t))};
  }
  template <int n>
  static void sum_series(const double (&series)[n][together], const seeker *all, double *sums) {
    double one[together] = {}, two[together] = {}, t[together];
    for (int i = 0; i < together; ++i) t[i] = all[i].t;
    for (int k = n - 1; k > 0; --k)
      for (int i = 0; i < together; ++i) {
        const double next = 2.0 * t[i] * one[i] - two[i] + series[k][i];
        two[i] = one[i];
        one[i] = next;
      }
    for (int i = 0; i < together; ++i) sums[i] = t[i] * one[i] - two[i] + series[0][i];
  }

  // Where in a panel a jump or a kink may be by its sizes: between two of its points, or some, gap[0] and gap[1] between -1 and 1. Returns whether there is such a place.
  static bool find_gap(const double *sizes, double *gap) {
    constexpr int n = points_of_panel;
    double at[n], size[n], slope[n - 1], all = 0.0, bends = 0.0, steepest = 0.0, bend = 0.0;  // in ascending order
    at[0] = -near_end;
    size[0] = sizes[terms];
    for (int i = 0; i < terms; ++i) {
      at[terms - i] = cosine(i, 1);
      size[terms - i] = sizes[i];
    }
    at[n - 1] = near_end;
    size[n - 1] = sizes[terms + 1];
    int jump = 0, kink = 0;
    for (int i = 0; i < n - 1; ++i) {
      const double difference = std::fabs(size[i + 1] - size[i]);
      slope[i] = (size[i + 1] - size[i]) / (at[i + 1] - at[i]);
      all += difference;
      if (difference > steepest) jump = i;
      steepest = std::max(steepest, difference);
    }
    // A kink between two points is seen at both.
    for (int i = 0; i < n - 2; ++i) {
      const double own = std::fabs(slope[i + 1] - slope[i]),
                   both = own + (i < n - 3 ? std::fabs(slope[i + 2] - slope[i + 1]) : 0.0);
      bends += own;
      if (both > bend) kink = i;
      bend = std::max(bend, both);
    }
    const bool is_jump = steepest > dominant * all;
    const int first = is_jump ? jump : kink, end = is_jump ? jump + 1 : std::min(kink + 3, n - 1);
    gap[0] = first == 0 ? -1.0 : at[first];
    gap[1] = end == n - 1 ? 1.0 : at[end];
    return is_jump || bend > dominant * bends;
  }

  // A panel with these sizes into narrower ones.
  void divide(const panel &p, const double *sizes, std::vector<panel> &narrower) const {
    const double uncertainty = p.last / p.largest, middle = 0.5 * (p.lower + p.upper), half = 0.5 * (p.upper - p.lower);
    const auto cut = [&](double from, double to, int parts) {
      const double share = (to - from) / (2.0 * half * parts);
      for (int part = 0; part < parts; ++part)
        narrower.push_back({part == 0 ? from : from + (to - from) * part / parts,
                            part == parts - 1 ? to : from + (to - from) * (part + 1) / parts,
                            uncertainty * share * share * share});
    };
    int parts = is_rough(p) ? most_parts : 2;
    for (double reached = less_by_halving * accuracy_; parts < most_parts && uncertainty > reached; parts *= 2)
      reached *= less_by_halving;
    const auto first = std::upper_bound(cuts_.begin(), cuts_.end(), p.lower + narrowest_),
               end = std::lower_bound(first, cuts_.end(), p.upper - narrowest_);
    const auto cuts = static_cast<int>(end - first);
    double gap[2], from = p.lower;
    const bool is_smooth = parts < most_parts, has_gap = !is_smooth && cuts == 0 && is_rough(p) && find_gap(sizes, gap);
    if (!is_smooth && cuts > 0 && cuts <= most_cuts) {
      for (auto c = first; c != end; from = *c++) cut(from, *c, most_parts / (cuts + 1));
      cut(from, p.upper, most_parts / (cuts + 1));
    } else if (has_gap && (gap[1] - gap[0]) * half > narrowest_) {
      const double to = gap[1] < 1.0 ? middle + half * gap[1] : p.upper;
      if (gap[0] > -1.0) cut(p.lower, from = middle + half * gap[0], 1);
      cut(from, to, most_parts - 2);
      if (to < p.upper) cut(to, p.upper, 1);
    } else {
      cut(p.lower, p.upper, parts);
    }
  }

  static bool is_rough(const panel &p) { return p.smooth > 0.0 && p.last >= p.smooth * p.largest; }
  bool is_known(const panel &p) const {
    const double width = p.upper - p.lower;
    if (p.last <= accuracy_ * p.largest || p.last * width <= negligible * total_ || width < narrowest_) return true;
    return p.last <= noise * p.largest && p.last >= p.smooth * p.largest;
  }
  // What a panel holds of moments, by a rule.
  template <class Rule, class Place>
  void add_panel(const panel &p, const Rule &rule, const Place &place, std::vector<moment> &to) const {
    std::fill(to.begin(), to.end(), moment());
    const double width = p.upper - p.lower;
    for (std::size_t i = 0; i < rule.node.size(); ++i) {
      const double t = rule.node[i], share = rule.weight[i] * width / total_,
                   density = chebyshev_sum(p.series.data(), terms, t);
      if (density == 0.0 && p.last == 0.0) continue;  // an end may be infinitely far away
      const double at = place(0.5 * (p.lower + p.upper) + 0.5 * width * t);
      double power = 1.0;
      for (moment &m : to) {
        m.mean += share * density * power;
        m.size += share * std::fabs(density * power);
        m.uncertainty += share * std::fabs(p.last * power);
        power *= at;
      }
    }
  }
  double mean_of_all() const { return total_ / length_; }
  void finish() {
    std::vector<const panel *> order;  // a panel is long: it is moved once
    for (const panel &p : known_) order.push_back(&p);
    std::sort(order.begin(), order.end(), [](const panel *a, const panel *b) { return a->lower < b->lower; });
    spare_.clear();
    for (const panel *p : order) spare_.push_back(*p);
    known_.swap(spare_);
    total_ = 0.0;
    before_.assign(1, 0.0);
    made_constant_.clear();
    for (panel &p : known_) {
      if (p.last > std::max(noise, accuracy_) * p.largest) {  // next to nothing, or a jump
        made_constant_.push_back(p);
        p.make_constant();
      }
      before_.push_back(total_ += p.mass);
    }
  }

  double accuracy_ = finest, lower_ = 0.0, upper_ = 0.0, length_ = 0.0, narrowest_ = 0.0;
  std::vector<double> cuts_;
  double known_mass_ = 0.0, total_ = 0.0, largest_ = 0.0, mode_ = 0.0;
  std::vector<panel> open_, known_, spare_;  // spare_: for the next ones
  std::vector<panel> made_constant_;         // as they were
  std::vector<double> before_;               // mass of the panels before each, and of all
};

}  // namespace tessera
