// SPDX-License-Identifier: BSD-3-Clause
#include "verbose.hpp"

#include <cstdio>

namespace cuba {
namespace {

std::string number(double value, const char *format = "%g") {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}
std::string in_column(int64 n) {
  const std::string digits = std::to_string(n);
  constexpr std::size_t width = 7;
  return std::string(width - std::min(width, digits.size()), ' ') + digits;
}
std::string value_line(int k, const double *value, const double *error) {
  return "\n[" + std::to_string(k + 1) + "] " + number(value[k]) + " +- " + number(error[k]);
}

}  // namespace

void say(const std::string &block) {
  std::fputs((block + '\n').c_str(), stdout);
  std::fflush(stdout);
}

void parameter_lines::add(const char *name, double value) { line(name, number(value)); }

void say_iteration(int64 iteration, int64 evaluations, int ncomp, const double *value, const double *error,
                   const double *chi_square, int64 freedom) {
  std::string block = "\nIteration " + std::to_string(iteration) + ":  " + std::to_string(evaluations) +
                      " integrand evaluations so far";
  for (int k = 0; k < ncomp; ++k)
    block +=
        value_line(k, value, error) + "  \tchisq " + number(chi_square[k]) + " (" + std::to_string(freedom) + " df)";
  say(block);
}

void say_partition(int64 iteration, int64 regions, int64 evaluations, int ncomp, const double *value,
                   const double *error) {
  std::string block = iteration == 1 ? "\nPartitioning phase:\n" : "";
  block += "\nIteration " + std::to_string(iteration) + " (pass 0):  " + std::to_string(regions) + " regions\n" +
           in_column(evaluations) + " integrand evaluations so far,\n" + in_column(0) + " in optimizing regions,\n" +
           in_column(0) + " in finding cuts";
  for (int k = 0; k < ncomp; ++k) block += value_line(k, value, error);
  say(block);
}

void say_main_integration(int64 regions, int64 evaluations) {
  say("\nMain integration on " + std::to_string(regions) + " regions with " +
      std::to_string(evaluations / std::max<int64>(regions, 1)) + " samples per region.");
}

void say_region(int ndim, const double *centre, const double *half, int ncomp, const double *value,
                const double *error) {
  std::string block;
  for (int j = 0; j < ndim; ++j)
    block += (j == 0 ? "\nRegion (" : "\n       (") + number(centre[j] - half[j], "%f") + ") - (" +
             number(centre[j] + half[j], "%f") + ")";
  for (int k = 0; k < ncomp; ++k) block += value_line(k, value, error);
  say(block);
}

}  // namespace cuba
