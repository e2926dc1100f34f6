// The commands of the program tessera: what they print and how they end.
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>

#include <sys/stat.h>
#include <unistd.h>

extern "C" {
#include "close.h"
}
#include "run.hpp"

namespace {

std::string directory;  // of this test alone, with the cache

bool has(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

// The rest of the line that begins with this word.
std::string row(const outcome &o, const std::string &word) {
  std::istringstream lines(o.out);
  for (std::string line; std::getline(lines, line);)
    if (line.compare(0, word.size() + 1, word + " ") == 0) return line.substr(line.find_first_not_of(' ', word.size()));
  return "";
}

void ends_with(const outcome &o, int status, const char *part) {
  if (o.status != status || !has(o.err, part))
    fail_msg("status %d, '%s', '%s'", o.status, o.out.c_str(), o.err.c_str());
}

bool no_compiler(const outcome &o) { return o.status == 3 && has(o.err, "compiler on this machine"); }

void integrates(void **) {
  const outcome o = run({"integrate", "exp(-x*y)", "--limits", "1:2,0:inf", "--rtol=1e-8"});
  if (no_compiler(o)) skip();
  assert_int_equal(0, o.status);
  assert_string_equal("", o.err.c_str());
  assert_true(std::fabs(std::stod(row(o, "value")) - std::log(2.0)) <= 1e-8 * std::log(2.0));
  assert_string_equal("TESSERA_OK: the tolerance is met", row(o, "status").c_str());
  assert_string_equal("2", row(o, "variables").c_str());
  assert_string_equal("host", row(o, "device").c_str());
  assert_true(std::stod(row(o, "evaluations")) > 0);
}

// One range for all variables, names, and a text that is in the cache now.
void takes_names_and_one_range(void **) {
  const outcome o = run({"integrate", "a*b*c", "--variables", "a,b,c", "--limits", "0:2", "--method", "cubature"});
  if (no_compiler(o)) skip();
  assert_int_equal(0, o.status);
  assert_true(std::fabs(std::stod(row(o, "value")) - 8.0) <= 8e-6);
  assert_string_equal("cubature", row(o, "method").c_str());
  const outcome minus = run({"integrate", "-1", "--ndim", "2"});  // no option, for it has one dash
  assert_int_equal(0, minus.status);
  assert_true(std::fabs(std::stod(row(minus, "value")) + 1.0) <= 1e-6);
}

void says_what_is_not_met(void **) {
  const outcome few = run({"integrate", "x^2 + y^2 < 0.5", "--max-evaluations", "1e3", "--rtol", "1e-9", "--progress"});
  if (no_compiler(few)) skip();
  assert_int_equal(1, few.status);
  assert_true(has(row(few, "status"), "TESSERA_LIMIT_EVALUATIONS"));
  assert_true(has(row(few, "reason"), "--max-evaluations") && !has(row(few, "reason"), "TESSERA_MAXEVAL"));
  assert_true(has(few.err, " evaluations, value "));
  const outcome pole = run({"integrate", "log(x - 0.4) * y"});
  assert_int_equal(1, pole.status);
  assert_true(has(row(pole, "status"), "TESSERA_NONFINITE"));
  assert_true(has(row(pole, "reason"), "nan at x = ("));
}

void draws_regions(void **) {
  const std::string path = directory + "/regions.svg";
  const outcome o = run({"integrate", "x + y < 1.1", "--rtol", "1e-2", "--plot", path});
  if (no_compiler(o)) skip();
  assert_int_equal(0, o.status);
  std::ifstream file(path);
  std::stringstream svg;
  svg << file.rdbuf();
  assert_true(has(svg.str(), "<svg ") && has(svg.str(), "</svg>"));
  std::size_t rectangles = 0;
  for (std::size_t at = 0; (at = svg.str().find("<rect ", at)) != std::string::npos; ++at) ++rectangles;
  const std::string told = row(o, "plot");
  assert_true(has(told, path + ", " + std::to_string(rectangles - 2) + " regions"));  // page and frame
  assert_true(rectangles > 10);
  ::unlink(path.c_str());
  ends_with(run({"integrate", "x", "--plot", directory + "/no/such/place.svg"}), 3, "cannot be written");
  ends_with(run({"integrate", "x", "--plot", path, "--method", "lattice"}), 2, "--plot draws");
}

void wrong_arguments(void **) {
  const struct {
    std::vector<std::string> arguments;
    const char *part;
  } cases[] = {{{}, "a command is missing"},
               {{"integrat"}, "there is no command 'integrat'; there are info, selftest, integrate, cache"},
               {{"integrate"}, "the expression is missing"},
               {{"integrate", "x", "y"}, "one expression, please: 'y'"},
               {{"integrate", "x", "--rtl", "1"}, "there is no option '--rtl'"},
               {{"integrate", "x", "--rtol"}, "--rtol needs a value"},
               {{"integrate", "x", "--rtol", "much"}, "--rtol: 'much' is no number from 0 to 1"},
               {{"integrate", "x", "--rtol", "nan"}, "'nan' is no number"},
               {{"integrate", "x", "--rtol", "-1"}, "'-1' is no number"},
               {{"integrate", "x", "--rtol", "1", "--rtol", "1"}, "--rtol is given twice"},
               {{"integrate", "x", "--progress=1"}, "--progress takes no value"},
               {{"integrate", "x", "--ndim", "0"}, "--ndim: '0' is no whole number from 1 to 1024"},
               {{"integrate", "x", "--max-evaluations", "1e99"},
                "--max-evaluations: '1e99' is no whole number from 1 to 9223372036854775807"},
               {{"integrate", "x", "--seed", "9223372036854775808"}, "'9223372036854775808' is no whole number"},
               {{"integrate", "x", "--threads", "1.5"}, "--threads: '1.5' is no whole number"},
               {{"integrate", "x", "--seed", "99999999999999999999"}, "--seed"},
               {{"integrate", "x", "--method", "simpson"}, "--method: there is no 'simpson'"},
               {{"integrate", "x", "--device", "gpu"}, "--device: 'gpu'"},
               {{"integrate", "x", "--limits", "0"}, "is not of the form A:B"},
               {{"integrate", "x", "--limits", "0:1:2"}, "is not of the form A:B"},
               {{"integrate", "x", "--limits", "0:one"}, "'one' is no limit"},
               {{"integrate", "x", "--limits", "0:1,"}, "is not of the form A:B"},
               {{"integrate", "x", "--limits", "0:1,0:1", "--ndim", "3"}, "2 pairs of limits and 3 variables"},
               {{"integrate", "x", "--variables", "a,b", "--ndim", "3"}, "2 names and 3 variables"},
               {{"integrate", "a", "--variables", "a,a"}, "a is there twice"},
               {{"integrate", "a", "--variables", "a,sin"}, "'sin' is no name"},
               {{"integrate", "1"}, "the expression has no variable"},
               {{"integrate", "y", "--ndim", "1"}, "there is no variable y"},
               {{"info", "x"}, "'x' is one argument too many"},
               {{"selftest", "--device", "one"}, "--device: 'one'"},
               {{"cache"}, "tessera cache show, or tessera cache clear"},
               {{"cache", "empty"}, "tessera cache show, or tessera cache clear"}};
  for (const auto &c : cases) {
    const outcome o = run(c.arguments);
    if (o.status != 2 || !has(o.err, c.part) || !o.out.empty())
      fail_msg("%s: %d, '%s', '%s'", c.part, o.status, o.out.c_str(), o.err.c_str());
  }
  const outcome many = run({"integrate", "x*y", "--method", "quadrature"});  // for one variable
  if (!no_compiler(many)) ends_with(many, 2, "tessera integrate: ");
}

void says_what_is_missing(void **) {
  const char *before = std::getenv("CC");
  const std::string kept = before ? before : "";
  ::setenv("CC", "/nowhere/cc", 1);
  ends_with(run({"integrate", "x*x*x - 17"}), 3, "the compiler '/nowhere/cc' that $CC names is not there");
  before ? ::setenv("CC", kept.c_str(), 1) : ::unsetenv("CC");
  ends_with(run({"integrate", "x", "--device", "987"}), 3, "tessera integrate: ");
}

void shows_and_clears_the_cache(void **) {
  const std::string place = directory + "/tessera";
  run({"cache", "clear"});
  std::ofstream(place + "/mine.txt") << "not the cache's";
  assert_true(has(run({"cache", "show"}).out, place + ": 0 files, 0 bytes of at most 256.0 MiB"));
  const outcome o = run({"integrate", "x*x - 1"});
  if (no_compiler(o)) skip();
  assert_true(has(run({"cache", "show"}).out, place + ": 1 files, "));
  const outcome cleared = run({"cache", "clear"});
  assert_int_equal(0, cleared.status);
  assert_true(has(cleared.out, place + ": 1 files, ") && has(cleared.out, " removed"));
  assert_true(has(run({"cache", "show"}).out, ": 0 files"));
  assert_int_equal(0, ::unlink((place + "/mine.txt").c_str()));  // is still there
}

// A directory in which others may write is left alone.
void leaves_a_strange_cache_alone(void **) {
  const std::string place = directory + "/tessera";
  std::ofstream(place + "/0123.bin") << "what somebody put there";
  ::chmod(place.c_str(), 0777);
  ends_with(run({"cache", "clear"}), 3, "1 files cannot be removed");
  ::chmod(place.c_str(), 0700);
  assert_int_equal(0, run({"cache", "clear"}).status);
}

void help_and_version(void **) {
  assert_string_equal((std::string("tessera ") + tessera_version_string() + "\n").c_str(),
                      run({"--version"}).out.c_str());
  const outcome all = run({"--help"});
  assert_int_equal(0, all.status);
  for (const char *command : {"info", "selftest", "integrate", "cache"}) {
    assert_true(has(all.out, command));
    assert_true(has(run({command, "--version"}).out, tessera_version_string()));
    const outcome one = run({command, "--help"});
    assert_int_equal(0, one.status);
    assert_true(has(one.out, std::string("usage: tessera ") + command) && has(one.out, "--help"));
  }
}

int begin(void **) {
  char name[] = "/tmp/tessera-program-XXXXXX";
  if (!::mkdtemp(name)) return -1;
  directory = name;
  ::mkdir((directory + "/tessera").c_str(), 0700);
  return ::setenv("XDG_CACHE_HOME", name, 1);
}
int end(void **) {
  run({"cache", "clear"});
  ::rmdir((directory + "/tessera").c_str());
  return ::rmdir(directory.c_str());
}

}  // namespace

int main() {
  const struct CMUnitTest tests[] = {cmocka_unit_test(integrates),
                                     cmocka_unit_test(takes_names_and_one_range),
                                     cmocka_unit_test(says_what_is_not_met),
                                     cmocka_unit_test(draws_regions),
                                     cmocka_unit_test(wrong_arguments),
                                     cmocka_unit_test(says_what_is_missing),
                                     cmocka_unit_test(shows_and_clears_the_cache),
                                     cmocka_unit_test(leaves_a_strange_cache_alone),
                                     cmocka_unit_test(help_and_version)};
  return cmocka_run_group_tests(tests, begin, end);
}
