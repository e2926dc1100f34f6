// Life of a solver, its settings, and what is asked of the library as a whole. SPDX-License-Identifier: BSD-3-Clause
#include <cstring>

#include "api_fuzzer.hpp"

namespace fuzz {
namespace {

const char *const text_c =
    "#include <math.h>\nint f(int n, const double *x, int m, double *v, void *p) {\n  for (int k = 0; k < m; ++k) v[k] "
    "= exp(-x[0]) + k;\n"
    "  return 0;\n}\n";
constexpr int all_keys[] = {TESSERA_MAXEVAL,
                            TESSERA_MINEVAL,
                            TESSERA_THREADS,
                            TESSERA_MAX_MEMORY,
                            TESSERA_DEVICE,
                            TESSERA_RULE,
                            TESSERA_SELECTION,
                            TESSERA_SPLITTING,
                            TESSERA_INITIAL_REGIONS,
                            TESSERA_ESTIMATE,
                            TESSERA_BATCH_POINTS,
                            TESSERA_NDIM_LIMIT,
                            TESSERA_DISK_CACHE,
                            TESSERA_KEEP_REGIONS,
                            TESSERA_PRIORITY,
                            TESSERA_COMPLEX,
                            TESSERA_SHIFTS,
                            TESSERA_SEED,
                            TESSERA_TRANSFORM,
                            TESSERA_COMPLEMENT,
                            TESSERA_MEDIAN,
                            TESSERA_COPIES,
                            TESSERA_POINTS,
                            TESSERA_SAMPLING,
                            TESSERA_ANTITHETIC,
                            TESSERA_INCREASE,
                            TESSERA_WARMUP,
                            TESSERA_KEEP_GRID,
                            TESSERA_KEEP_STATE,
                            TESSERA_GENERATOR,
                            TESSERA_WEIGHT,
                            TESSERA_WEIGHTS,
                            TESSERA_CONSTANT_EVALUATIONS,
                            TESSERA_SHARED_CALLS,
                            TESSERA_RELTOL,
                            TESSERA_ABSTOL,
                            TESSERA_MAX_SECONDS,
                            TESSERA_BULK_FRACTION,
                            TESSERA_PROGRESS_SECONDS,
                            TESSERA_CONFIDENCE,
                            TESSERA_DAMPING,
                            TESSERA_STRATIFY,
                            TESSERA_OMEGA,
                            TESSERA_ALPHA,
                            TESSERA_BETA,
                            TESSERA_POLE,
                            TESSERA_EVALUATIONS,
                            TESSERA_REGIONS,
                            TESSERA_ITERATIONS,
                            TESSERA_CALLBACK_STATUS,
                            TESSERA_REGION_BYTES,
                            TESSERA_RULE_USED,
                            TESSERA_RULE_POINTS,
                            TESSERA_THREADS_USED,
                            TESSERA_PEAK_MEMORY,
                            TESSERA_DEVICE_USED,
                            TESSERA_INLINED,
                            TESSERA_POINTS_USED,
                            TESSERA_SHIFTS_USED,
                            TESSERA_TRANSFORM_USED,
                            TESSERA_SAMPLING_USED,
                            TESSERA_STRATA,
                            TESSERA_SECONDS,
                            TESSERA_COMPILE_SECONDS,
                            TESSERA_CHI2,
                            0,
                            -1,
                            99,
                            199,
                            299,
                            500,
                            520,
                            INT32_MAX,
                            INT32_MIN};

int on_device(std::int64_t, int, const double *, std::int64_t, int, double *, std::int64_t, void *, void *) {
  return 0;
}
void some_function() {}

}  // namespace

double untouched() { return -1.2345678901234567e-201; }
bool is_untouched(double v) {
  const double u = untouched();
  return std::memcmp(&v, &u, sizeof v) == 0;
}

bool is_known(int status) { return std::strcmp(tessera_status_string(status), tessera_status_string(12345)) != 0; }

api_fuzzer::api_fuzzer(std::uint64_t seed, int thread, const std::string &directory)
    : seed_(seed), thread_(thread), directory_(directory), r_(seed, 0) {}

api_fuzzer::~api_fuzzer() { destroy(); }

void api_fuzzer::create() {
  const bool odd = r_.one_in(20);
  ndim_ = odd ? r_.odd_small_int() : static_cast<int>(r_.between(1, r_.one_in(10) ? 30 : 5));
  ncomp_ = odd && r_.one_in(2) ? r_.odd_small_int() : static_cast<int>(r_.between(1, r_.one_in(10) ? 40 : 3));
  solver_ = nullptr;
  const int status = call("tessera_create", [&] { return tessera_create(&solver_, ndim_, ncomp_); });
  const bool valid = ndim_ >= 1 && ndim_ <= 1024 && ncomp_ >= 1 && ncomp_ <= 65536;
  require((status == TESSERA_OK) == valid && (solver_ != nullptr) == valid, "create and its limits");
  if (!valid) {
    ndim_ = ncomp_ = 1;
    require(tessera_create(&solver_, ndim_, ncomp_) == TESSERA_OK, "a plain solver");
  }
  lower_.assign(static_cast<std::size_t>(ndim_), 0.0);
  upper_.assign(lower_.size(), 1.0);
  has_callback_ = is_simplex_ = small_vector_ = goes_on_ = points_in_block_ = false;
  progress_left_ = -1;
  f_.how = manner::smooth;
  f_.solver = solver_;
}

void api_fuzzer::destroy() {
  call("tessera_destroy", [&] { return tessera_destroy(solver_), 0; });
  call("tessera_lattice_destroy", [&] { return tessera_lattice_destroy(lattice_), 0; });
  solver_ = f_.solver = nullptr;
  lattice_ = nullptr;
}

void api_fuzzer::trial(std::uint64_t number) {
  calls_in_progress()[static_cast<std::size_t>(thread_)].trial = number;
  r_ = dice(seed_, number);
  create();
  for (std::int64_t left = r_.between(3, 25); left > 0; --left) set_something();
  if (r_.one_in(3)) plain_run();
  destroy();
}

void api_fuzzer::set_something() {
  switch (r_.between(0, 19)) {
    case 0:
    case 1:
      return set_domain();
    case 2:
    case 3:
    case 4:
      return set_integrand();
    case 5:
    case 6:
    case 7:
    case 8:
      return set_options();
    case 9:
      return get_options();
    case 10:
      return set_callbacks();
    case 11:
      return ask_the_library();
    case 12:
      return use_lattice();
    case 13:
      return r_.one_in(4) ? integrate_limit() : integrate_many();
    case 14:
      return r_.one_in(2) ? set_text() : set_twin();
    case 15:
      return r_.one_in(2) ? evaluate() : look_at_results();
    default:
      return integrate();
  }
}

void api_fuzzer::set_domain() {
  std::vector<double> lower(lower_.size()), upper(lower_.size());
  bool valid = true;
  const bool odd = r_.one_in(2);
  for (std::size_t j = 0; j < lower.size(); ++j) {
    lower[j] = odd && r_.one_in(3) ? r_.odd_real() : r_.uniform() - 1.0;
    upper[j] = odd && r_.one_in(3) ? r_.odd_real() : r_.one_in(20) ? lower[j] : r_.uniform() + 0.5;
    valid = valid && !std::isnan(lower[j]) && !std::isnan(upper[j]);
  }
  const bool no_array = r_.one_in(30);
  const int status = solver_call("tessera_set_domain", [&] {
    return tessera_set_domain(solver_, lower.data(), no_array ? nullptr : upper.data());
  });
  if (no_array || !valid) require(status == TESSERA_ERR_ARGUMENT, "limits that are none are refused");
  if (status == TESSERA_OK) lower_.swap(lower), upper_.swap(upper);
  if (r_.one_in(4)) set_limits();
  if (r_.one_in(6)) set_simplex();
  if (r_.one_in(ndim_ == 1 ? 3 : 20)) set_breakpoints();
}

void api_fuzzer::set_breakpoints() {
  std::vector<double> points(static_cast<std::size_t>(r_.between(0, 5)));
  bool valid = ndim_ == 1;
  for (double &p : points) {
    p = r_.one_in(4) ? r_.odd_real() : 0.5 * (r_.uniform() - 0.5);
    valid = valid && std::isfinite(p);
  }
  const bool no_array = r_.one_in(10), negative = r_.one_in(20);
  const int count = negative ? -1 : static_cast<int>(points.size());
  solver_call("tessera_set_axis_rule", [&] {
    return tessera_set_axis_rule(solver_,
                                 r_.one_in(9) ? r_.odd_small_int() : static_cast<int>(r_.between(0, ndim_ - 1)),
                                 r_.one_in(3) ? r_.odd_small_int() : 10 * static_cast<int>(r_.between(2, 7)) + 1);
  });
  const int status = solver_call("tessera_set_breakpoints", [&] {
    return tessera_set_breakpoints(solver_, count, no_array ? nullptr : points.data());
  });
  require((status == TESSERA_OK) == (valid && !negative && (count == 0 || !no_array)) || ndim_ != 1,
          "break points are finite");
}

// Those of the domain as functions, and now and then some that cannot be.
void api_fuzzer::set_limits() {
  const auto limits = [](int, int axis, const double *x, double *lo, double *hi, void *userdata) {
    auto &me = *static_cast<api_fuzzer *>(userdata);
    const auto j = static_cast<std::size_t>(axis);
    *lo = std::fmin(me.lower_[j], me.upper_[j]);
    *hi = std::fmax(me.lower_[j], me.upper_[j]);
    if (*lo == *hi) me.limits_equal_ = true;
    if (axis > 0 && me.odd_limits_ == 1 && x[axis - 1] > 0.0) std::swap(*lo, *hi);
    if (axis > 0 && me.odd_limits_ == 2 && x[axis - 1] > 0.0) *hi = std::numeric_limits<double>::quiet_NaN();
    return axis > 0 && me.odd_limits_ == 3 && x[axis - 1] > 0.3 ? 5 : 0;
  };
  odd_limits_ = r_.one_in(2) ? static_cast<int>(r_.between(1, 3)) : 0;
  const int axis = r_.one_in(10) ? r_.odd_small_int() : static_cast<int>(r_.between(0, ndim_ - 1));
  const int status = solver_call(
      "tessera_set_limits", [&] { return tessera_set_limits(solver_, axis, r_.one_in(3) ? nullptr : +limits, this); });
  require((status == TESSERA_OK) == (axis >= 0 && axis < ndim_), "an axis that there is, and no other");
}

// Of a domain that is a simplex points are not looked at here (methods_simplex does).
void api_fuzzer::set_simplex() {
  std::vector<double> vertices;
  bool finite = true;
  const bool odd = r_.one_in(4), given = r_.one_in(2);
  const int map = r_.one_in(20) ? r_.odd_small_int() : static_cast<int>(r_.between(0, 2));
  for (int i = 0; i < (ndim_ + 1) * ndim_; ++i) {
    vertices.push_back(odd && r_.one_in(3) ? r_.odd_real() : 2.0 * r_.uniform() - 1.0);
    finite = finite && std::isfinite(vertices.back());
  }
  const int status = solver_call("tessera_set_simplex",
                                 [&] { return tessera_set_simplex(solver_, map, given ? vertices.data() : nullptr); });
  const bool known = map >= 0 && map <= 2;
  if (!known || (given && (map == 0 || !finite))) require(status < 0, "what is no simplex is refused");
  if (known && !given)
    require((status == TESSERA_OK) == (map == 0 || ndim_ <= 128), "the unit simplex up to 128 variables, or none");
  if (status == TESSERA_OK) is_simplex_ = map != 0;
}

void api_fuzzer::set_integrand() {
  f_.how = r_.one_in(3) ? static_cast<manner>(r_.between(0, static_cast<int>(manner::manners) - 1)) : manner::smooth;
  batch_ = r_.one_in(2);
  const int kind = static_cast<int>(r_.between(0, 20));
  has_callback_ = kind != 1;
  if (batch_)
    solver_call("tessera_set_integrand", [&] {
      return kind == 0 ? tessera_set_integrand(solver_, with_block_points, nullptr)
                       : tessera_set_integrand(solver_, kind == 1 ? nullptr : at_points, &f_);
    });
  else
    solver_call("tessera_set_integrand1", [&] {
      return kind == 0 ? tessera_set_integrand1(solver_, with_block, nullptr)
                       : tessera_set_integrand1(solver_, kind == 1 ? nullptr : at_point, &f_);
    });
  points_in_block_ = kind == 0;  // and then nobody looks at the points
  if (r_.one_in(4) && kind != 0) {
    const std::vector<unsigned char> block(static_cast<std::size_t>(r_.between(0, 100)), 7);
    const bool wrong = r_.one_in(10);
    const int status = solver_call("tessera_set_params", [&] {
      return tessera_set_params(solver_, wrong ? nullptr : block.data(), block.size() + (wrong ? 1 : 0));
    });
    require((status == TESSERA_OK) == !wrong, "a parameter block");
  }
}

void api_fuzzer::set_text() {
  const int language = r_.one_in(3) ? r_.odd_small_int() : TESSERA_LANGUAGE_C;
  switch (r_.between(0, 4)) {
    case 0:
      solver_call("tessera_set_integrand_source", [&] {
        return tessera_set_integrand_source(solver_, language, text_c, r_.one_in(9) ? nullptr : "f");
      });
      break;
    case 1: {
      const std::string path = directory_ + (r_.one_in(3) ? "/nowhere" : "/text.c");
      solver_call("tessera_set_integrand_file",
                  [&] { return tessera_set_integrand_file(solver_, language, path.c_str(), "f"); });
      break;
    }
    case 2: {
      std::string code(static_cast<std::size_t>(r_.between(0, 60)), '\0');
      for (char &c : code) c = static_cast<char>(r_.bits());
      if (r_.one_in(2))
        code =
            "\x7f"
            "ELF" +
            code;
      const int form = r_.one_in(3) ? r_.odd_small_int() : TESSERA_CODE_OBJECT;
      solver_call("tessera_set_integrand_code",
                  [&] { return tessera_set_integrand_code(solver_, form, code.data(), code.size(), "f"); });
      break;
    }
    case 3:
      return set_limits_text();
    default:
      solver_call("tessera_set_integrand_device",
                  [&] { return tessera_set_integrand_device(solver_, r_.one_in(2) ? on_device : nullptr, nullptr); });
      set_comm();
      set_devices();
      solver_call("tessera_set_stream", [&] { return tessera_set_stream(solver_, r_.one_in(2) ? this : nullptr); });
  }
  // Compiling takes far longer than a call: once in a while, and then from the cache.
  if (has_callback_ || r_.one_in(20)) {
    integrate();
  }
  solver_call("tessera_set_integrand_source",
              [&] { return tessera_set_integrand_source(solver_, 0, nullptr, nullptr); });
  solver_call("tessera_set_integrand_device", [&] { return tessera_set_integrand_device(solver_, nullptr, nullptr); });
}

// Sometimes those that there may be; in the end one again, which always can be.
void api_fuzzer::set_devices() {
  const int ordinals[] = {r_.odd_small_int(), r_.odd_small_int()};
  const int n = r_.one_in(2) ? 2 : r_.odd_small_int();
  solver_call("tessera_set_devices",
              [&] { return tessera_set_devices(solver_, n > 2 ? 2 : n, r_.one_in(2) ? ordinals : nullptr); });
  solver_call("tessera_set_devices", [&] { return tessera_set_devices(solver_, 0, nullptr); });
  solver_call("tessera_set_int", [&] { return tessera_set_int(solver_, TESSERA_DEVICE, TESSERA_DEVICE_HOST); });
}

// There is no MPI: no number is a communicator, and only none can be set.
void api_fuzzer::set_comm() {
  const int comm = r_.one_in(2) ? -1 : 0;
  const bool none = r_.one_in(2);
  solver_call("tessera_set_comm", [&] {
    return tessera_set_comm(solver_, none ? nullptr : &comm, none && r_.one_in(2) ? 0 : sizeof comm);
  });
  solver_call("tessera_set_comm_f", [&] { return tessera_set_comm_f(solver_, comm); });
  solver_call("tessera_set_comm_world", [&] { return tessera_set_comm_world(solver_); });
}

// A text that gives limits, which are not those that points are looked for between.
void api_fuzzer::set_limits_text() {
  static const char text[] =
      "int g(int ndim, int axis, const double *x, double *lower, double *upper, void *params) {\n"
      "  *lower = 0;\n  *upper = axis > 0 && x[axis - 1] < 0 ? -1 : 1;\n  return 0;\n}\n";
  const int language = r_.one_in(3) ? r_.odd_small_int() : TESSERA_LANGUAGE_C;
  const int axis = r_.one_in(5) ? r_.odd_small_int() : static_cast<int>(r_.between(0, ndim_ - 1));
  const bool no_name = r_.one_in(9);
  const int status = solver_call("tessera_set_limits_source", [&] {
    return tessera_set_limits_source(solver_, axis, language, text, no_name ? nullptr : "g");
  });
  const bool exists = axis >= 0 && axis < ndim_;
  require((status == TESSERA_OK) ==
              (exists && !no_name && (language == TESSERA_LANGUAGE_C || language == TESSERA_LANGUAGE_CUDA)),
          "limits as text: an axis, a language and a name");
  if (status != TESSERA_OK) return;
  if (r_.one_in(20)) {
    const bool was = is_simplex_;
    is_simplex_ = true;
    integrate();
    is_simplex_ = was;
  }
  solver_call("tessera_set_limits_source",
              [&] { return tessera_set_limits_source(solver_, axis, 0, nullptr, nullptr); });
}

void api_fuzzer::set_twin() {
  static const double block[2] = {1, 2};  // stays where it is
  const int language = r_.one_in(3) ? r_.odd_small_int() : TESSERA_LANGUAGE_C;
  const bool no_function = r_.one_in(10);
  const int status = call("tessera_register_twin", [&] {
    return tessera_register_twin(no_function ? nullptr : some_function, language, r_.one_in(5) ? nullptr : text_c, 0,
                                 "f", r_.one_in(2) ? block : nullptr, r_.one_in(2) ? sizeof block : 0);
  });
  if (status < 0) require(*tessera_last_error(nullptr), "a message for a twin that was refused");
  call("tessera_set_twin", [&] { return tessera_set_twin(nullptr, some_function, nullptr); });
  // (an empty message is allowed where nobody has spoken of twins)
  call("tessera_set_twin", [&] { return tessera_set_twin(solver_, r_.one_in(9) ? nullptr : some_function, nullptr); });
  solver_call("tessera_set_integrand_source",
              [&] { return tessera_set_integrand_source(solver_, 0, nullptr, nullptr); });
}

void api_fuzzer::set_options() {
  const int key = r_.of(all_keys);
  if (r_.one_in(2)) {
    const std::int64_t value = r_.one_in(2) ? r_.odd_int() : r_.between(0, 3);
    const int status = solver_call("tessera_set_int", [&] { return tessera_set_int(solver_, key, value); });
    std::int64_t is = 0;
    if (status == TESSERA_OK)
      require(tessera_get_int(solver_, key, &is) == TESSERA_OK && is == value && key >= 100 && key < 200,
              "an option that was set is read");
  } else {
    const double value = r_.odd_real();
    const int status = solver_call("tessera_set_real", [&] { return tessera_set_real(solver_, key, value); });
    double is = 0.0;
    if (status == TESSERA_OK)
      require(tessera_get_real(solver_, key, &is) == TESSERA_OK && is == value && key >= 200 && key < 300,
              "an option that was set is read");
  }
}

void api_fuzzer::get_options() {
  const int key = r_.of(all_keys);
  std::int64_t i = -77;
  double v = untouched();
  if (solver_call("tessera_get_int", [&] { return tessera_get_int(solver_, key, r_.one_in(9) ? nullptr : &i); }) < 0)
    require(i == -77, "an output is left alone");
  if (solver_call("tessera_get_real", [&] { return tessera_get_real(solver_, key, r_.one_in(9) ? nullptr : &v); }) < 0)
    require(is_untouched(v), "an output is left alone");
  if (r_.one_in(4)) solver_call("tessera_reset", [&] { return tessera_reset(solver_); });
}

int api_fuzzer::progress(std::int64_t evaluations, int ncomp, const double *value, const double *error, std::int64_t,
                         void *userdata) {
  auto *self = static_cast<api_fuzzer *>(userdata);
  if (evaluations < 0 || ncomp != self->ncomp_ || !value || !error)
    fail(self->thread_, "the progress callback's arguments");
  std::int64_t there = 0;
  tessera_get_regions(self->solver_, 0, 0, nullptr, &there);
  if (tessera_set_int(self->solver_, TESSERA_MAXEVAL, 5) != TESSERA_ERR_BUSY)
    fail(self->thread_, "a call from the progress callback is let in");
  if (self->progress_left_ == 7) throw 7;
  return --self->progress_left_ < 0;
}

void api_fuzzer::log(int level, const char *line, void *userdata) {
  auto *self = static_cast<api_fuzzer *>(userdata);
  if (level < 1 || level > 3 || !line || std::strchr(line, '\n')) fail(self->thread_, "a line of the log");
  if (++self->log_lines_ % 16 == 0) throw 7;
}

void api_fuzzer::set_callbacks() {
  progress_left_ = static_cast<int>(r_.between(0, 10));
  solver_call("tessera_set_progress",
              [&] { return tessera_set_progress(solver_, r_.one_in(3) ? nullptr : progress, this); });
  solver_call("tessera_set_log", [&] { return tessera_set_log(solver_, r_.one_in(3) ? nullptr : log, this); });
  if (r_.one_in(2))
    solver_call("tessera_set_real", [&] { return tessera_set_real(solver_, TESSERA_PROGRESS_SECONDS, 0.0); });
}

void api_fuzzer::extrapolate() {
  const auto n = r_.between(1, 70);
  std::vector<double> members(static_cast<std::size_t>(n)), parameters(members.size());
  const bool odd = r_.one_in(3);
  double sum = 0.0, h = 1.0, limit = untouched(), error = untouched();
  for (std::size_t i = 0; i < members.size(); ++i) {
    members[i] = odd && r_.one_in(4) ? r_.odd_real() : sum += r_.uniform() / static_cast<double>(i + 1);
    parameters[i] = odd && r_.one_in(20) ? r_.odd_real() : h *= 0.1 + 0.8 * r_.uniform();
  }
  const int method = r_.one_in(10) ? r_.odd_small_int() : static_cast<int>(r_.between(1, 3));
  const bool with = (method == TESSERA_EXTRAPOLATE_RICHARDSON) != r_.one_in(20);
  const int status = call("tessera_extrapolate", [&] {
    return tessera_extrapolate(method, r_.one_in(20) ? r_.odd_small_int() % (n + 1) : n,
                               with ? parameters.data() : nullptr, members.data(), &limit, &error);
  });
  if (status < 0)
    require(is_untouched(limit) && is_untouched(error), "a negative status leaves the outputs alone");
  else
    require(std::isfinite(limit) && error >= 0.0, "a limit is a number, and its error is none or more");
}

namespace {

int shifted_pole(int ndim, const double *x, int ncomp, double *f, void *userdata) {
  const double *const p = static_cast<const double *>(userdata);
  double sum = 1.0;
  for (int j = 0; j < ndim; ++j) sum += x[j];
  for (int k = 0; k < ncomp; ++k) f[k] = (k + 1) / (sum + p[0] + p[1]);
  return 0;
}

}  // namespace

// On the fuzzer's solver, whose integrand mostly sees no parameter block, or on one that has one.
void api_fuzzer::integrate_limit() {
  constexpr int most = 12;
  const auto n = static_cast<std::size_t>(ncomp_);
  std::vector<double> value(n, untouched()), error(value), parameter(most, untouched()), table(most * n, untouched());
  int count = -12345;
  const bool odd = r_.one_in(4), own = ndim_ <= 2 && r_.one_in(2);
  const double block[2] = {0.0, 0.0};
  tessera_solver *s = solver_;
  if (own) {
    if (tessera_create(&s, ndim_, ncomp_) != TESSERA_OK) return;
    tessera_set_integrand1(s, shifted_pole, nullptr);
    tessera_set_params(s, block, sizeof block);
    tessera_set_int(s, TESSERA_MAXEVAL, r_.between(1, 100000));
  }
  choose_limits();
  f_.begin();
  const int status = call("tessera_integrate_limit", [&] {
    return tessera_integrate_limit(
        s, r_.one_in(4) ? static_cast<int>(r_.between(0, 5)) : TESSERA_CUBATURE,
        odd ? static_cast<std::size_t>(r_.odd_small_int()) : 8 * static_cast<std::size_t>(r_.between(0, 2)),
        odd && r_.one_in(3) ? r_.odd_real() : r_.uniform(), odd && r_.one_in(3) ? r_.odd_real() : r_.uniform(),
        static_cast<int>(r_.between(odd ? 0 : 1, odd ? 4 : 3)), static_cast<int>(r_.between(odd ? 4 : 6, most)),
        value.data(), error.data(), r_.one_in(3) ? nullptr : &count, r_.one_in(3) ? nullptr : parameter.data(),
        r_.one_in(3) ? nullptr : table.data(), nullptr);
  });
  if (own) tessera_destroy(s);
  ++runs_;
  for (std::size_t k = 0; k < n; ++k) {
    if (status < 0)
      require(is_untouched(value[k]) && is_untouched(error[k]), "a negative status leaves the outputs alone");
    if (status == TESSERA_OK) require(std::isfinite(value[k]) && std::isfinite(error[k]), "success is finite");
    if (status >= 0) require(error[k] >= 0.0, "an error is none or more");
  }
  if (status < 0) require(count == -12345, "a negative status leaves the outputs alone");
}

void api_fuzzer::ask_the_library() {
  call("tessera_version", [&] { return tessera_version() > 0 ? 0 : TESSERA_ERR_INTERNAL; });
  call("tessera_version_string", [&] { return *tessera_version_string() ? 0 : TESSERA_ERR_INTERNAL; });
  call("tessera_status_string", [&] { return *tessera_status_string(r_.odd_small_int()) ? 0 : TESSERA_ERR_INTERNAL; });
  call("tessera_last_error",
       [&] { return tessera_last_error(r_.one_in(2) ? solver_ : nullptr) ? 0 : TESSERA_ERR_INTERNAL; });
  extrapolate();
  // No solver at all.
  double v = untouched();
  require(tessera_set_int(nullptr, TESSERA_MAXEVAL, 1) == TESSERA_ERR_ARGUMENT &&
              tessera_integrate(nullptr, 1, &v, &v) == TESSERA_ERR_ARGUMENT &&
              tessera_create(nullptr, 1, 1) == TESSERA_ERR_ARGUMENT &&
              tessera_get_grid(nullptr, &v) == TESSERA_ERR_ARGUMENT && is_untouched(v),
          "NULL in the place of a solver");
  tessera_destroy(nullptr);
}

}  // namespace fuzz
