// What a run says of itself on stdout, in the original's form: its iterations (level 1), its arguments before them (2), and the
// regions at its end where there are such (3). A block is written in one piece and flushed at once.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "hooks.hpp"
#include "routine.hpp"

namespace cuba {

void say(const std::string &block);

// Names and values, a line each.
class parameter_lines {
 public:
  explicit parameter_lines(const char *routine) : text_(std::string(routine) + " input parameters:") {}
  void add(const char *name, double value);
  void add(const char *name, int64 value) { line(name, std::to_string(value)); }
  void add(const char *name, int value) { add(name, static_cast<int64>(value)); }
  void add(const char *name, long long value) { add(name, static_cast<int64>(value)); }
  void add(const char *name, const char *value) { line(name, '"' + std::string(value ? value : "(null)") + '"'); }
  const std::string &text() const { return text_; }

 private:
  void line(const char *name, const std::string &value) { text_ += std::string("\n  ") + name + ' ' + value; }
  std::string text_;
};

// Level 2. own(lines) adds what stands between the flags and the state file.
template <class Arguments, class Own>
void introduce(const Arguments &a, Own own) {
  const int level = verbosity(a.flags);
  if (level < 2) return;
  parameter_lines lines(a.routine);
  lines.add("ndim", a.ndim);
  lines.add("ncomp", a.ncomp);
  lines.add("nvec", a.nvec);
  lines.add("epsrel", a.epsrel);
  lines.add("epsabs", a.epsabs);
  lines.add("flags", (a.flags & ~3) | level);
  own(lines);
  lines.add("statefile", a.statefile);
  say(lines.text());
}

// chi_square[ncomp] of the iterations, with so many degrees of freedom.
void say_iteration(int64 number, int64 evaluations, int ncomp, const double *value, const double *error,
                   const double *chi_square, int64 freedom);

// Divonne: while the cube is divided, and the end of it.
void say_partition(int64 number, int64 regions, int64 evaluations, int ncomp, const double *value, const double *error);
void say_main_integration(int64 regions, int64 evaluations);

// A box, by its centre and half widths, and what is in it.
void say_region(int ndim, const double *centre, const double *half, int ncomp, const double *value,
                const double *error);

}  // namespace cuba
