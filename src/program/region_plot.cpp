// SPDX-License-Identifier: BSD-3-Clause
#include "region_plot.hpp"

#include <algorithm>
#include <cmath>

#include "sentences.hpp"

namespace tessera {
namespace {

constexpr double side = 560.0, margin = 60.0;
constexpr std::int64_t most_drawn = 50000;  // what a browser shows at once

struct drawn {
  double centre[2], half[2], error;
};

// What an axis of the drawing shows: where the regions lie, which on a range that is not finite is in t of its map, and what the ends are called.
struct shown_axis {
  double low = HUGE_VAL, high = -HUGE_VAL;
  std::string text, at_low, at_high;
};

shown_axis axis_of(double lower, double upper, const std::vector<drawn> &regions, int number) {
  shown_axis a;
  for (const drawn &d : regions) {
    a.low = std::min(a.low, d.centre[number] - d.half[number]);
    a.high = std::max(a.high, d.centre[number] + d.half[number]);
  }
  if (!(a.high > a.low)) throw command_failure(exit_no_result, "--plot: there are no regions to draw");
  const bool finite = std::isfinite(lower) && std::isfinite(upper);
  a.text = "x" + std::to_string(number + 1) + (finite ? "" : ", mapped to a finite range");
  a.at_low = number_text("%g", std::min(lower, upper));
  a.at_high = number_text("%g", std::max(lower, upper));
  return a;
}

}  // namespace

void plot_regions(const solver &s, const std::vector<double> &lower, const std::vector<double> &upper,
                  const std::string &path, const streams &to) {
  const auto ndim = static_cast<std::int64_t>(lower.size());
  const std::int64_t length = TESSERA_REGION_LENGTH(ndim, 1);
  std::int64_t count = 0;
  s.require(tessera_get_regions(s.get(), 0, 0, nullptr, &count));
  std::vector<double> records(static_cast<std::size_t>(count * length));
  s.require(tessera_get_regions(s.get(), 0, count, records.data(), nullptr));
  std::vector<drawn> regions;
  double least = HUGE_VAL, greatest = 0.0;
  for (std::int64_t i = 0; i < count; ++i) {
    const double *const record = &records[static_cast<std::size_t>(i * length)];
    drawn d = {};
    for (std::int64_t j = 0; j < 2 && j < ndim; ++j) {
      d.centre[j] = record[j];
      d.half[j] = record[ndim + j];
    }
    d.error = record[2 * ndim + 1];
    if (d.error > 0.0) least = std::min(least, d.error);
    greatest = std::max(greatest, d.error);
    regions.push_back(d);
  }
  std::stable_sort(regions.begin(), regions.end(), [](const drawn &a, const drawn &b) { return a.error > b.error; });
  if (count > most_drawn) regions.resize(static_cast<std::size_t>(most_drawn));
  // small errors first, so that the dark ones lie above
  std::reverse(regions.begin(), regions.end());

  const bool flat = ndim == 1;
  const shown_axis x = axis_of(lower[0], upper[0], regions, 0);
  const shown_axis y =
      flat ? shown_axis{0.0, 1.0, "error, logarithmic", "", ""} : axis_of(lower[1], upper[1], regions, 1);
  // Six decades, or fewer where the errors span fewer: what is below is white.
  const double span = std::isfinite(least) ? std::fmin(std::fmax(std::log(greatest / least), 1.0), std::log(1e6)) : 1.0;
  const auto darkness = [&](double error) {  // from 0 to 1
    return error > 0.0 ? std::fmax(1.0 + std::log(error / greatest) / span, 0.0) : 0.0;
  };
  std::FILE *file = std::fopen(path.c_str(), "w");
  if (!file) throw command_failure(exit_no_result, "--plot: " + path + " cannot be written");
  const double whole = side + 2.0 * margin;
  std::fprintf(
      file,
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%g\" height=\"%g\" viewBox=\"0 0 %g %g\" "
      "font-family=\"sans-serif\" font-size=\"13\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
      whole, whole, whole, whole);
  const auto across = [&](double v) { return margin + side * (v - x.low) / (x.high - x.low); };
  const auto down = [&](double v) { return margin + side * (1.0 - (v - y.low) / (y.high - y.low)); };
  std::fprintf(file, "<g stroke=\"#777\" stroke-width=\"0.4\" fill=\"#c0392b\">\n");
  for (const drawn &d : regions) {
    const double dark = darkness(d.error);
    const double left = across(d.centre[0] - d.half[0]), right = across(d.centre[0] + d.half[0]);
    const double top = flat ? down(0.05 + 0.95 * dark) : down(d.centre[1] + d.half[1]);
    const double bottom = flat ? down(0.0) : down(d.centre[1] - d.half[1]);
    std::fprintf(file, "<rect x=\"%.3f\" y=\"%.3f\" width=\"%.3f\" height=\"%.3f\" fill-opacity=\"%.3f\"/>\n", left,
                 top, right - left, bottom - top, ndim > 2 ? 0.02 + 0.3 * dark : 0.05 + 0.9 * dark);
  }
  std::fprintf(file, "</g>\n<rect x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\" fill=\"none\" stroke=\"black\"/>\n",
               margin, margin, side, side);
  const auto label = [&](double at_x, double at_y, const char *anchor, const std::string &text) {
    std::fprintf(file, "<text x=\"%g\" y=\"%g\" text-anchor=\"%s\">%s</text>\n", at_x, at_y, anchor, text.c_str());
  };
  label(margin, margin + side + 20.0, "start", x.at_low);
  label(margin + side, margin + side + 20.0, "end", x.at_high);
  label(margin + side / 2.0, margin + side + 40.0, "middle", x.text);
  label(margin - 6.0, margin + side, "end", y.at_low);
  label(margin - 6.0, margin + 12.0, "end", y.at_high);
  std::fprintf(file, "<text transform=\"translate(%g %g) rotate(-90)\" text-anchor=\"middle\">%s</text>\n",
               margin - 24.0, margin + side / 2.0, y.text.c_str());
  label(margin, margin - 30.0, "start",
        std::to_string(count) + " regions, dark where the error is large" +
            (count > most_drawn ? "; of them the " + std::to_string(most_drawn) + " with the largest errors" : ""));
  std::fprintf(file, "</svg>\n");
  const bool written = std::ferror(file) == 0;
  if (std::fclose(file) != 0 || !written)
    throw command_failure(exit_no_result, "--plot: " + path + " cannot be written");
  std::fprintf(to.out, "plot         %s, %lld regions\n", path.c_str(), static_cast<long long>(count));
}

}  // namespace tessera
