// tessera selftest: integrals whose values are known, by every method, on the host and on a device.
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include "command_line.hpp"
#include "program.hpp"
#include "sentences.hpp"

namespace tessera {
namespace {

// An integrand as a function of this program and as a text for a device, of the same words.
template <double (*F)(const double *, const double *)>
int point(int, const double *x, int, double *f, void *params) {
  f[0] = F(x, static_cast<const double *>(params));
  return 0;
}
#define KNOWN(name, ...)                                                                          \
  double name([[maybe_unused]] const double *x, [[maybe_unused]] const double *p) { __VA_ARGS__ } \
  constexpr const char *name##_text = "double f(const double *x, const double *p) { " #__VA_ARGS__ " }\n";

KNOWN(product, return exp(x[0] * x[1] * x[2] * x[3] * x[4]);)
KNOWN(plane, return exp(-x[0] * x[0] - x[1] * x[1]);)
KNOWN(polynomial, double v = 1.0; for (int j = 0; j < 8; ++j) v *= 1.0 + (x[j] - 0.5) / ((j + 1) * (j + 1)); return v;)
KNOWN(peak, double s = 0.0; for (int j = 0; j < 4; ++j) s += (x[j] - 0.4) * (x[j] - 0.4); return exp(-100.0 * s);)
KNOWN(singular, return log(x[0]) / sqrt(x[0]);)
KNOWN(corner, return 1.0 / sqrt(x[0] + x[1]);)
KNOWN(wave, return cos(x[0] + x[1] + x[2]);)
KNOWN(decay, return exp(-p[0] * x[0] - x[1]);)
#undef KNOWN

struct known_integral {
  const char *what;
  int method, ndim;
  double upper;  // all lower limits are 0; infinity: of -infinity .. infinity
  double value, reltol;
  tessera_integrand1 callback;
  const char *text;
};

std::vector<known_integral> known_integrals() {
  const double pi = std::acos(-1.0);
  const double edge = 0.05 * std::sqrt(pi) * (std::erf(4.0) + std::erf(6.0));
  return {{"cubature, 5 variables", TESSERA_CUBATURE, 5, 1.0, 1.03348486773424214, 1e-8, point<product>, product_text},
          {"cubature, the whole plane", TESSERA_CUBATURE, 2, HUGE_VAL, pi, 1e-8, point<plane>, plane_text},
          {"lattice rules, 8 variables", TESSERA_LATTICE, 8, 1.0, 1.0, 1e-6, point<polynomial>, polynomial_text},
          {"Monte Carlo, 4 variables", TESSERA_MONTECARLO, 4, 1.0, std::pow(edge, 4), 1e-3, point<peak>, peak_text},
          {"quadrature, singular at an end", TESSERA_QUADRATURE, 1, 1.0, -4.0, 1e-9, point<singular>, singular_text},
          {"iterated, singular in a corner", TESSERA_ITERATED, 2, 1.0, 8.0 / 3.0 * (std::sqrt(2.0) - 1.0), 1e-8,
           point<corner>, corner_text},
          {"automatic choice, 3 variables", TESSERA_AUTO, 3, 1.0, std::pow(2.0 * std::sin(0.5), 3) * std::cos(1.5),
           1e-6, point<wave>, wave_text}};
}

class report {
 public:
  explicit report(const streams &to) : to_(to) {}
  void good(const std::string &what, const std::string &how) { line("good    ", what, how), ++good_; }
  void failed(const std::string &what, const std::string &why) { line("FAILED  ", what, why), ++failed_; }
  void skipped(const std::string &what, const std::string &why) { line("skipped ", what, why), ++skipped_; }
  // One known value: `status` 0 and the true error within the tolerance.
  void compare(const std::string &what, int status, double value, double error, double exact, double reltol,
               const std::string &more, const std::string &message) {
    char numbers[160];
    std::snprintf(numbers, sizeof numbers, "%.12g, true %.12g, error %.1e%s", value, exact, error, more.c_str());
    if (status == TESSERA_OK && std::fabs(value - exact) <= reltol * std::fabs(exact))
      good(what, numbers);
    else
      failed(what,
             std::string(numbers) + "; " + tessera_status_string(status) + (message.empty() ? "" : "; " + message));
  }
  int end() const {
    std::fprintf(to_.out, "%d good, %d failed, %d skipped\n", good_, failed_, skipped_);
    return failed_ == 0 && good_ > 0 ? exit_good : exit_not_met;
  }

 private:
  void line(const char *verdict, const std::string &what, const std::string &how) {
    std::fprintf(to_.out, "%s%-42s %s\n", verdict, what.c_str(), how.c_str());
    std::fflush(to_.out);
  }
  const streams &to_;
  int good_ = 0, failed_ = 0, skipped_ = 0;
};

void set_domain(const solver &s, const known_integral &k) {
  const std::vector<double> upper(static_cast<std::size_t>(k.ndim), k.upper);
  const std::vector<double> lower(upper.size(), std::isfinite(k.upper) ? 0.0 : -HUGE_VAL);
  s.require(tessera_set_domain(s.get(), lower.data(), upper.data()));
}

std::string seconds_of(const solver &s) { return ", " + number_text("%.3f s", s.real(TESSERA_SECONDS)); }

std::string place_of(int device) { return device < 0 ? "host: " : "device " + std::to_string(device) + ": "; }

void check_one(const known_integral &k, int device, report &r) {
  const std::string what = place_of(device) + k.what;
  const solver s(k.ndim, 1);
  set_domain(s, k);
  s.require(tessera_set_int(s.get(), TESSERA_DEVICE, device));
  s.require(tessera_set_real(s.get(), TESSERA_RELTOL, k.reltol));
  s.require(tessera_set_integrand1(s.get(), k.callback, nullptr));  // beside a text: they are compared
  if (device >= 0) s.require(tessera_set_integrand_source(s.get(), TESSERA_LANGUAGE_CUDA, k.text, "f"));
  double value = NAN, error = NAN;
  const int status = tessera_integrate(s.get(), k.method, &value, &error);
  r.compare(what, status, value, error, k.value, k.reltol, seconds_of(s), status == TESSERA_OK ? "" : s.message());
}

// exp(-p x - y) for p = 1 ... 20, all in one call.
void check_many(int device, report &r) {
  const std::string what = place_of(device) + "20 integrals in one call";
  constexpr int count = 20;
  const solver s(2, 1);
  s.require(tessera_set_int(s.get(), TESSERA_DEVICE, device));
  s.require(tessera_set_real(s.get(), TESSERA_RELTOL, 1e-8));
  if (device >= 0)
    s.require(tessera_set_integrand_source(s.get(), TESSERA_LANGUAGE_CUDA, decay_text, "f"));
  else
    s.require(tessera_set_integrand1(s.get(), point<decay>, nullptr));
  double p[count], value[count], error[count];
  int status[count];
  for (int i = 0; i < count; ++i) p[i] = i + 1.0, value[i] = error[i] = NAN, status[i] = TESSERA_ERR_INTERNAL;
  const int all =
      tessera_integrate_many(s.get(), TESSERA_CUBATURE, count, p, sizeof p[0], nullptr, nullptr, value, error, status);
  if (all < 0) return r.failed(what, s.message());
  int worst = 0;
  double ratio = -1.0;
  for (int i = 0; i < count; ++i) {
    const double exact = (1.0 - std::exp(-p[i])) / p[i] * (1.0 - std::exp(-1.0));
    const double q = status[i] == TESSERA_OK ? std::fabs(value[i] / exact - 1.0) : HUGE_VAL;
    if (q > ratio) ratio = q, worst = i;
  }
  const double exact = (1.0 - std::exp(-p[worst])) / p[worst] * (1.0 - std::exp(-1.0));
  r.compare(what, status[worst], value[worst], error[worst], exact, 1e-8, seconds_of(s),
            all == TESSERA_OK ? "" : s.message());
}

// That what is no success is not called one.
int nowhere(int, const double *x, int, double *f, void *) {
  f[0] = x[0] < 0.3 ? NAN : 1.0;
  return 0;
}
void check_honesty(report &r) {
  double value = NAN, error = NAN;
  const solver s(2, 1);
  s.require(tessera_set_integrand1(s.get(), nowhere, nullptr));
  int status = tessera_integrate(s.get(), TESSERA_CUBATURE, &value, &error);
  const std::string nan = "host: values that are not finite";
  if (status == TESSERA_NONFINITE)
    r.good(nan, "TESSERA_NONFINITE, as it should be");
  else
    r.failed(nan, std::string("TESSERA_NONFINITE expected: ") + tessera_status_string(status));
  const solver t(4, 1);
  t.require(tessera_set_integrand1(t.get(), point<peak>, nullptr));
  t.require(tessera_set_int(t.get(), TESSERA_MAXEVAL, 2000));
  t.require(tessera_set_real(t.get(), TESSERA_RELTOL, 1e-12));
  status = tessera_integrate(t.get(), TESSERA_CUBATURE, &value, &error);
  const std::string limit = "host: too few evaluations";
  if (status == TESSERA_LIMIT_EVALUATIONS)
    r.good(limit, "TESSERA_LIMIT_EVALUATIONS, as it should be");
  else
    r.failed(limit, std::string("TESSERA_LIMIT_EVALUATIONS expected: ") + tessera_status_string(status));
}

// Texts through the system's compilers.
void check_text(const char *what, int language, const char *text, report &r) {
  const solver s(2, 1);
  s.require(tessera_set_int(s.get(), TESSERA_DISK_CACHE, 0));
  s.require(tessera_set_integrand_source(s.get(), language, text, "f"));
  double value = NAN, error = NAN;
  const int status = tessera_integrate(s.get(), TESSERA_CUBATURE, &value, &error);
  if (status == TESSERA_ERR_NOT_BUILT) return r.skipped(what, s.message());
  r.compare(what, status, value, error, 0.25, 1e-6, seconds_of(s), status == TESSERA_OK ? "" : s.message());
}

void check_construction(report &r) {
  const std::string what = "host: construction of a lattice";
  tessera_lattice *l = nullptr;
  int status = tessera_lattice_create(&l, 5);
  if (status == 0) status = tessera_lattice_construct(l, 1021);
  const std::string message = l ? tessera_lattice_last_error(l) : "";
  std::int64_t z[5] = {0, 0, 0, 0, 0};
  if (status == 0) status = tessera_lattice_get_vector(l, z);
  tessera_lattice_destroy(l);
  bool units = true;
  for (const std::int64_t c : z) units = units && c >= 1 && c < 1021;
  if (status == TESSERA_ERR_NOT_BUILT)
    r.skipped(what, message);
  else if (status == 0 && units)
    r.good(what, "5 components for 1021 points");
  else
    r.failed(what, message);
}

}  // namespace

int run_selftest(const std::vector<std::string> &arguments, const streams &to) {
  const command_line line(command_named("selftest"), arguments);
  if (!line.others().empty()) throw wrong_usage("'" + line.others()[0] + "' is one argument too many");
  const int where = line.has("device") ? where_of(line.text("device")) : TESSERA_DEVICE_ANY;
  report r(to);
  for (const known_integral &k : known_integrals()) check_one(k, TESSERA_DEVICE_HOST, r);
  check_many(TESSERA_DEVICE_HOST, r);
  check_honesty(r);
  check_text("host: a text in C", TESSERA_LANGUAGE_C, "double f(const double *x) { return x[0] * x[1]; }\n", r);
  check_text("host: a text in CUDA C++", TESSERA_LANGUAGE_CUDA, "double f(const double *x) { return x[0] * x[1]; }\n",
             r);
  check_text("host: a text in Fortran", TESSERA_LANGUAGE_FORTRAN,
             "double precision function f(x)\n  implicit none\n  double precision, intent(in) :: x(2)\n"
             "  f = x(1) * x(2)\nend function f\n",
             r);
  check_construction(r);
  if (where == TESSERA_DEVICE_HOST) {
    r.skipped("device", "--device host");
    return r.end();
  }
  // One value of a text there says whether there is a device at all.
  const int device = where == TESSERA_DEVICE_ANY ? 0 : where;
  const solver s(1, 1);
  s.require(tessera_set_int(s.get(), TESSERA_DEVICE, device));
  s.require(tessera_set_integrand_source(s.get(), TESSERA_LANGUAGE_CUDA,
                                         "double f(const double *x) { return 2.0 * x[0]; }\n", "f"));
  const double x = 0.25;
  double f = 0.0;
  const std::string what = "device " + std::to_string(device);
  const int status = tessera_evaluate(s.get(), 1, &x, &f);
  if (status == TESSERA_ERR_NOT_BUILT && where == TESSERA_DEVICE_ANY) {
    r.skipped(what, s.message());
    return r.end();
  }
  if (status != TESSERA_OK || f != 0.5) {
    r.failed(what, status == TESSERA_OK ? "2 * 0.25 is " + number_text("%.17g", f) : s.message());
    return r.end();
  }
  for (const known_integral &k : known_integrals()) check_one(k, device, r);
  check_many(device, r);
  return r.end();
}

}  // namespace tessera
