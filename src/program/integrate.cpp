// tessera integrate: one integral of an expression. SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <csignal>

#include "../jit/text.hpp"
#include "command_line.hpp"
#include "expression.hpp"
#include "program.hpp"
#include "region_plot.hpp"
#include "sentences.hpp"

#include <unistd.h>

namespace tessera {
namespace {

struct method_row {
  const char *name;
  int method, sampling;
};
constexpr method_row methods[] = {
    {"auto", TESSERA_AUTO, TESSERA_SAMPLING_AUTO},         {"cubature", TESSERA_CUBATURE, TESSERA_SAMPLING_AUTO},
    {"lattice", TESSERA_LATTICE, TESSERA_SAMPLING_AUTO},   {"montecarlo", TESSERA_MONTECARLO, TESSERA_SAMPLING_AUTO},
    {"vegas", TESSERA_MONTECARLO, TESSERA_SAMPLING_VEGAS}, {"quadrature", TESSERA_QUADRATURE, TESSERA_SAMPLING_AUTO},
    {"iterated", TESSERA_ITERATED, TESSERA_SAMPLING_AUTO}};

std::vector<std::string> parts_of(const std::string &text, char between) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == between)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

// A message of the library with options as this program has them.
std::string with_own_options(std::string text) {
  constexpr const char *names[][2] = {{"TESSERA_MAXEVAL", "--max-evaluations"},
                                      {"TESSERA_MAX_SECONDS", "--max-seconds"},
                                      {"TESSERA_RELTOL", "--rtol"},
                                      {"TESSERA_ABSTOL", "--atol"},
                                      {"TESSERA_SEED", "--seed"}};
  for (const auto &[key, option] : names) {
    const std::string word = key;
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
      text.replace(at, word.size(), option);
  }
  return text;
}

struct range {
  double lower, upper;
};
std::vector<range> read_limits(const std::string &text) {
  std::vector<range> ranges;
  for (const std::string &part : parts_of(text, ',')) {
    const std::vector<std::string> ends = parts_of(part, ':');
    if (ends.size() != 2)
      throw wrong_usage("--limits: '" + part + "' is not of the form A:B, lower and upper limit of a variable");
    ranges.push_back({read_limit(ends[0]), read_limit(ends[1])});
    if (ranges.size() > 1024) throw wrong_usage("--limits: there are at most 1024 variables");
  }
  return ranges;
}

std::vector<std::string> read_names(const std::string &text) {
  const std::vector<std::string> names = parts_of(text, ',');
  if (names.size() > 1024) throw wrong_usage("--variables: there are at most 1024");
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!is_variable_name(names[i])) throw wrong_usage("--variables: '" + names[i] + "' is no name for a variable");
    for (std::size_t j = 0; j < i; ++j)
      if (names[i] == names[j]) throw wrong_usage("--variables: " + names[i] + " is there twice");
  }
  return names;
}

// What a run shows while it goes on, and whether the user wants it to end.
volatile std::sig_atomic_t interrupted = 0;
extern "C" void interrupt(int) { interrupted = 1; }

struct shown_progress {
  std::FILE *to;
  bool terminal;
};
extern "C" int progress(int64_t evaluations, int, const double *value, const double *error, int64_t remaining,
                        void *userdata) {
  const auto *shown = static_cast<const shown_progress *>(userdata);
  if (shown->to) {
    std::fprintf(shown->to, "%s%lld evaluations, value %.10g, error %.2g", shown->terminal ? "\r\033[K" : "",
                 static_cast<long long>(evaluations), value[0], error[0]);
    if (remaining >= 0) std::fprintf(shown->to, ", about %lld to come", static_cast<long long>(remaining));
    if (!shown->terminal) std::fputc('\n', shown->to);
    std::fflush(shown->to);
  }
  return interrupted;
}

// Ctrl-C ends the run with the value so far; once more, the program.
class interruptible {
 public:
  interruptible() {
    interrupted = 0;
    struct sigaction wanted = {};
    wanted.sa_handler = interrupt;
    wanted.sa_flags = static_cast<int>(SA_RESETHAND);
    ::sigaction(SIGINT, &wanted, &before_);
  }
  ~interruptible() { ::sigaction(SIGINT, &before_, nullptr); }
  interruptible(const interruptible &) = delete;
  interruptible &operator=(const interruptible &) = delete;

 private:
  struct sigaction before_ = {};
};

std::string method_text(int method) {
  for (const method_row &m : methods)
    if (m.method == method) return m.name;
  return "?";
}

struct job {
  int ndim = 0, method = 0, sampling = 0;
  std::string text;
  std::vector<double> lower, upper;
};

job read_job(const command_line &line) {
  if (line.others().empty()) throw wrong_usage("the expression is missing, as in tessera integrate 'exp(-x*y)'");
  if (line.others().size() > 1)
    throw wrong_usage("one expression, please: '" + line.others()[1] + "' is one too many (it belongs in quotes)");
  const std::vector<std::string> names =
      line.has("variables") ? read_names(line.text("variables")) : std::vector<std::string>();
  std::vector<range> ranges = line.has("limits") ? read_limits(line.text("limits")) : std::vector<range>{{0.0, 1.0}};
  int ndim = line.has("ndim") ? static_cast<int>(line.integer("ndim", 1, 1024)) : 0;
  const auto agree = [&](std::size_t n, const char *what) {
    if (ndim > 0 && static_cast<std::size_t>(ndim) != n)
      throw wrong_usage("there are " + std::to_string(n) + " " + what + " and " + std::to_string(ndim) + " variables");
    ndim = static_cast<int>(n);
  };
  if (!names.empty()) agree(names.size(), "names");
  if (ranges.size() > 1) agree(ranges.size(), "pairs of limits");
  const expression_text read = read_expression(line.others()[0], names, ndim);
  if (ndim == 0) ndim = read.variables;
  if (ndim == 0) throw wrong_usage("the expression has no variable; --ndim says how many there are");
  job j;
  j.ndim = ndim;
  j.text = read.text;
  ranges.resize(static_cast<std::size_t>(ndim), ranges[0]);
  for (const range &r : ranges) {
    j.lower.push_back(r.lower);
    j.upper.push_back(r.upper);
  }
  const std::string wanted = line.has("method") ? line.text("method") : line.has("plot") ? "cubature" : "auto";
  const method_row *row = nullptr;
  for (const method_row &m : methods)
    if (wanted == m.name) row = &m;
  if (!row)
    throw wrong_usage("--method: there is no '" + wanted +
                      "'; there are auto, cubature, lattice, montecarlo, vegas, quadrature and iterated");
  j.method = row->method;
  j.sampling = row->sampling;
  return j;
}

void print_result(const solver &s, const job &j, int status, double value, double error, const streams &to) {
  std::fprintf(to.out, "value        %.15g\n", value);
  std::fprintf(to.out, "error        %.2g\n", error);
  std::fprintf(to.out, "status       %s\n", tessera_status_string(status));
  if (status != TESSERA_OK) {  // the message may begin with what has just been printed
    std::string reason = with_own_options(s.message());
    const std::string head = std::string(tessera_status_string(status)) + "; ";
    if (starts_with(reason, head)) reason.erase(0, head.size());
    if (!reason.empty()) std::fprintf(to.out, "reason       %s\n", reason.c_str());
  }
  std::fprintf(to.out, "evaluations  %lld\n", static_cast<long long>(s.integer(TESSERA_EVALUATIONS)));
  std::fprintf(to.out, "variables    %d\n", j.ndim);
  const auto used = static_cast<int>(s.integer(TESSERA_METHOD_USED));
  std::fprintf(to.out, "method       %s\n", method_text(used != 0 ? used : j.method).c_str());
  const std::int64_t device = s.integer(TESSERA_DEVICE_USED);
  std::fprintf(to.out, "device       %s\n", device < 0 ? "host" : std::to_string(device).c_str());
  std::fprintf(to.out, "seconds      %.3f, of them %.3f to compile\n", s.real(TESSERA_SECONDS),
               s.real(TESSERA_COMPILE_SECONDS));
}

}  // namespace

int where_of(const std::string &text) {
  if (text == "host") return TESSERA_DEVICE_HOST;
  if (text == "any") return TESSERA_DEVICE_ANY;
  if (text.empty() || text.size() > 3 || text.find_first_not_of("0123456789") != std::string::npos)
    throw wrong_usage("--device: '" + text + "' is neither host, any nor the number of a device");
  return std::atoi(text.c_str());
}

int run_integrate(const std::vector<std::string> &arguments, const streams &to) {
  const command_line line(command_named("integrate"), arguments);
  const job j = read_job(line);
  solver s(j.ndim, 1);
  const auto set_real = [&](const char *option, int key, double least, double greatest) {
    if (line.has(option)) s.require(tessera_set_real(s.get(), key, line.real(option, least, greatest)));
  };
  const auto set_int = [&](const char *option, int key, std::int64_t least, std::int64_t greatest) {
    if (line.has(option)) s.require(tessera_set_int(s.get(), key, line.integer(option, least, greatest)));
  };
  set_real("rtol", TESSERA_RELTOL, 0.0, 1.0);
  set_real("atol", TESSERA_ABSTOL, 0.0, 1e300);
  set_real("max-seconds", TESSERA_MAX_SECONDS, 0.0, 1e9);
  set_int("max-evaluations", TESSERA_MAXEVAL, 1, INT64_MAX);
  set_int("threads", TESSERA_THREADS, 0, 4096);
  set_int("seed", TESSERA_SEED, 0, INT64_MAX);
  const int where = line.has("device") ? where_of(line.text("device")) : TESSERA_DEVICE_HOST;
  s.require(tessera_set_int(s.get(), TESSERA_DEVICE, where));
  s.require(tessera_set_int(s.get(), TESSERA_SAMPLING, j.sampling));
  if (line.has("plot")) {
    if (j.method != TESSERA_CUBATURE || where != TESSERA_DEVICE_HOST)
      throw wrong_usage("--plot draws the regions of --method cubature on the host");
    s.require(tessera_set_int(s.get(), TESSERA_KEEP_REGIONS, 1));
    s.require(tessera_set_int(s.get(), TESSERA_SPARSE, TESSERA_SPARSE_OFF));  // which would leave regions coarse
  }
  if (tessera_set_domain(s.get(), j.lower.data(), j.upper.data()) < 0) throw wrong_usage("--limits: " + s.message());
  s.require(tessera_set_integrand_source(s.get(), TESSERA_LANGUAGE_C, j.text.c_str(), "f"));
  shown_progress shown = {line.has("progress") ? to.err : nullptr, false};
  shown.terminal = shown.to && ::isatty(::fileno(shown.to));
  s.require(tessera_set_progress(s.get(), progress, &shown));

  double value = 0.0, error = 0.0;
  int status = 0;
  {
    const interruptible here;
    status = tessera_integrate(s.get(), j.method, &value, &error);
  }
  if (shown.terminal) std::fputs("\r\033[K", shown.to);
  if (status < 0) {
    const bool asked =
        status == TESSERA_ERR_UNSUPPORTED || status == TESSERA_ERR_ARGUMENT || status == TESSERA_ERR_RANGE;
    throw command_failure(asked ? exit_usage : exit_no_result, with_own_options(s.message()));
  }
  print_result(s, j, status, value, error, to);
  if (line.has("plot")) plot_regions(s, j.lower, j.upper, line.text("plot"), to);
  return status == TESSERA_OK ? exit_good : exit_not_met;
}

}  // namespace tessera
