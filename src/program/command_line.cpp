// SPDX-License-Identifier: BSD-3-Clause
#include "command_line.hpp"

#include <cerrno>
#include <cmath>
#include <cstdlib>

#include "program.hpp"

namespace tessera {

const std::vector<command_row> &commands() {
  static const std::vector<command_row> rows = {
      {"info",
       "",
       "say what the library finds on this machine",
       {{"quick", nullptr, "compile nothing and measure nothing"}}},
      {"selftest",
       "",
       "compute integrals whose values are known, by every method, on the host and on a device",
       {{"device", "WHERE", "also on a device: any (default, one if there is one), host (none), or its number"}}},
      {"integrate",
       "EXPRESSION",
       "integrate an expression of C, as in tessera integrate 'exp(-x*y)' --limits 1:2,0:inf",
       {{"limits", "A:B[,A:B...]",
         "lower and upper limit of each variable, one pair for all (default 0:1); numbers, pi, inf"},
        {"variables", "NAMES",
         "names of the variables, as a,b,c; else x, y, z, u, v, w, or x1 ... xn, or x[0] ... x[n-1]"},
        {"ndim", "N", "number of variables; else that of the limits, or what the expression shows"},
        {"rtol", "R", "relative tolerance (default 1e-6)"},
        {"atol", "A", "absolute tolerance (default 0)"},
        {"method", "NAME", "auto (default), cubature, lattice, montecarlo, vegas, quadrature or iterated"},
        {"device", "WHERE", "host (default), any (a GPU if there is one), or the number of a CUDA device"},
        {"max-evaluations", "N", "most evaluations (default 100000000)"},
        {"max-seconds", "S", "most seconds (default: no limit)"},
        {"threads", "N", "threads on the host (default 1; 0: one per processor)"},
        {"seed", "N", "of random points and shifts (default 1)"},
        {"progress", nullptr, "show evaluations, value and error on the standard error while it runs"},
        {"plot", "FILE.svg", "draw the regions of a cubature on the host, projected to the first two variables"}}},
      {"cache", "show|clear", "show or remove the compiled texts that are kept on disk", {}}};
  return rows;
}

const command_row &command_named(const std::string &name) {
  std::string known;
  for (const command_row &c : commands()) {
    if (name == c.name) return c;
    known += (known.empty() ? "" : ", ") + std::string(c.name);
  }
  throw wrong_usage("there is no command '" + name + "'; there are " + known + " (tessera --help)");
}

command_line::command_line(const command_row &command, const std::vector<std::string> &arguments) {
  const std::string advice = std::string("; tessera ") + command.name + " --help lists the options";
  bool ended = false;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string &a = arguments[i];
    if (ended || a.compare(0, 2, "--") != 0) {
      others_.push_back(a);
      continue;
    }
    if (a == "--") {
      ended = true;
      continue;
    }
    const std::size_t equals = a.find('=');
    const std::string name = a.substr(2, equals == std::string::npos ? equals : equals - 2);
    const option_row *row = nullptr;
    for (const option_row &o : command.options)
      if (name == o.name) row = &o;
    if (!row) throw wrong_usage("there is no option '--" + name + "'" + advice);
    if (has(name)) throw wrong_usage("--" + name + " is given twice");
    if (!row->value) {
      if (equals != std::string::npos) throw wrong_usage("--" + name + " takes no value");
      values_[name] = "";
    } else if (equals != std::string::npos) {
      values_[name] = a.substr(equals + 1);
    } else if (i + 1 < arguments.size()) {
      values_[name] = arguments[++i];
    } else {
      throw wrong_usage("--" + name + " needs a value: " + row->value);
    }
  }
}

double command_line::real(const std::string &option, double least, double greatest) const {
  const std::string &t = text(option);
  char *end = nullptr;
  const double v = std::strtod(t.c_str(), &end);
  if (t.empty() || *end != '\0' || end != t.c_str() + t.size() || !(v >= least && v <= greatest)) {
    char bounds[80];
    std::snprintf(bounds, sizeof bounds, "from %g to %g", least, greatest);
    throw wrong_usage("--" + option + ": '" + t + "' is no number " + bounds);
  }
  return v;
}

std::int64_t command_line::integer(const std::string &option, std::int64_t least, std::int64_t greatest) const {
  const std::string &t = text(option);
  const char *const end = t.c_str() + t.size();
  char *stop = nullptr;
  errno = 0;
  std::int64_t n = std::strtoll(t.c_str(), &stop, 10);
  bool whole = !t.empty() && stop == end && errno == 0;
  if (!t.empty() && stop != end) {  // a count may be written as 1e6
    const double v = std::strtod(t.c_str(), &stop);
    whole = stop == end && std::floor(v) == v && std::fabs(v) < 9e18;
    if (whole) n = static_cast<std::int64_t>(v);
  }
  if (!whole || n < least || n > greatest)
    throw wrong_usage("--" + option + ": '" + t + "' is no whole number from " + std::to_string(least) + " to " +
                      std::to_string(greatest));
  return n;
}

namespace {

std::string row_of(const std::string &left, const std::string &right) {
  constexpr std::size_t width = 30;
  return "  " + left +
         (left.size() < width ? std::string(width - left.size(), ' ') : "\n" + std::string(width + 2, ' ')) + right +
         "\n";
}

}  // namespace

std::string help_of(const command_row &command) {
  std::string out = std::string("usage: tessera ") + command.name + (*command.arguments ? " " : "") +
                    command.arguments + (command.options.empty() ? "" : " [options]") + "\n\n" + command.help + "\n\n";
  for (const option_row &o : command.options)
    out += row_of(std::string("--") + o.name + (o.value ? " " : "") + (o.value ? o.value : ""), o.help);
  return out + row_of("--help", "print this");
}

std::string help_of_program() {
  std::string out = "usage: tessera COMMAND [arguments]\n\n";
  for (const command_row &c : commands()) out += row_of(c.name, c.help);
  return out + row_of("--version", "print the version of the library") + row_of("--help", "print this") +
         "\ntessera COMMAND --help says more, and so does man tessera.\n";
}

}  // namespace tessera
