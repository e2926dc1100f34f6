// Random arguments for the program tessera: each run ends with one of its statuses, and with one sentence where it does nothing.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdint>
#include <string>
#include <vector>

#include "../program/run.hpp"
#include "dice.hpp"
#include "report.hpp"

namespace {

const char *const words[] = {"info",
                             "selftest",
                             "integrate",
                             "cache",
                             "show",
                             "clear",
                             "--help",
                             "-h",
                             "--version",
                             "--",
                             "-",
                             "",
                             " ",
                             "--limits",
                             "--variables",
                             "--ndim",
                             "--rtol",
                             "--atol",
                             "--method",
                             "--device",
                             "--max-evaluations",
                             "--max-seconds",
                             "--threads",
                             "--seed",
                             "--progress",
                             "--plot",
                             "--quick",
                             "--no-such",
                             "--rtol=",
                             "--=1",
                             "cubature",
                             "auto",
                             "host",
                             "0",
                             "-1",
                             "1e400",
                             "nan",
                             "inf",
                             "1e-8",
                             "0:1",
                             "0:inf",
                             ":",
                             "0:1,",
                             "-inf:inf,pi:2",
                             "x,y",
                             "a,,b",
                             "x",
                             "x+y",
                             "x1*x[1]",
                             "sin(x",
                             "((((",
                             "\xff\xfe",
                             "%s%n",
                             "x[",
                             "1/0",
                             "2^",
                             "!x"};
const char pieces[] = "xyzuvwabe0123456789.+-*/^()[]<>=!&|?:, \tsincopwexplog\\\"'{};#%$\x80\xff\n";

std::string some_text(fuzz::dice &d) {
  if (!d.one_in(3)) return d.of(words);
  std::string out;
  for (std::int64_t n = d.between(0, d.one_in(20) ? 3000 : 24); n > 0; --n)
    out += pieces[static_cast<std::size_t>(d.between(0, static_cast<std::int64_t>(sizeof pieces) - 2))];
  return out;
}

std::vector<std::string> some_arguments(fuzz::dice &d) {
  std::vector<std::string> out;
  if (!d.one_in(10)) out.push_back(d.one_in(4) ? words[d.between(0, 3)] : "integrate");
  for (std::int64_t n = d.between(0, 8); n > 0; --n) out.push_back(some_text(d));
  // These would look at the whole machine, or run on a device.
  if (!out.empty() && (out[0] == "info" || out[0] == "selftest")) out.push_back("--no-such-option");
  for (std::size_t i = 1; i < out.size(); ++i)
    if (out[i - 1] == "--device" && (out[i] == "0" || out[i] == "any")) out[i] = "host";
  return out;
}

}  // namespace

int main(int argc, char **argv) {
  const fuzz::arguments given(argc, argv, 20000);
  // No text is compiled: what comes that far ends with the sentence that there is no compiler.
  ::setenv("CC", "/nowhere/cc", 1);
  ::setenv("XDG_CACHE_HOME", "/nowhere/cache", 1);
  fuzz::start_watchdog(1, given.seed);
  std::uint64_t counts[4] = {0, 0, 0, 0};
  fuzz::counts all;
  for (std::uint64_t trial = given.first; trial < given.first + given.trials; ++trial) {
    fuzz::dice d(given.seed, trial);
    fuzz::calls_in_progress()[0].trial = trial;
    const std::vector<std::string> arguments = some_arguments(d);
    outcome o;
    const int status = fuzz::counted(all, 0, "run_program", [&] { return (o = run(arguments)).status; });
    if (status != 0 && status != 2 && status != 3) fuzz::fail(0, "status %d", status);
    ++counts[status];
    if (status == 0 ? !o.err.empty() : o.err.compare(0, 7, "tessera") != 0 || o.err.back() != '\n' || !o.out.empty())
      fuzz::fail(0, "status %d, '%s', '%s'", status, o.out.c_str(), o.err.c_str());
    if (status == 3 && o.err.find("/nowhere/cc") == std::string::npos) fuzz::fail(0, "'%s'", o.err.c_str());
  }
  fuzz::stop_watchdog();
  std::printf("%llu ended well, %llu were refused, %llu came to the compiler\n",
              static_cast<unsigned long long>(counts[0]), static_cast<unsigned long long>(counts[2]),
              static_cast<unsigned long long>(counts[3]));
  return counts[0] > 0 && counts[2] > 0 && counts[3] > given.trials / 500 ? 0 : 1;
}
