// Where a run takes place: host or device, the form of the integrand for it, and the report of what became of it.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "agreed_hooks.hpp"
#include "run.hpp"
#include "simplex.hpp"

using tessera::any_device;
using tessera::failure;
using tessera::host;

namespace tessera {

int compile_status(const compile_error &e) {
  return e.stage() == jit_stage::load     ? TESSERA_ERR_NOT_BUILT
         : e.stage() == jit_stage::upload ? TESSERA_ERR_NO_INTEGRAND  // its data are not there, and may be another time
                                          : TESSERA_ERR_COMPILE;
}

}  // namespace tessera

// That there is a form of the integrand for what TESSERA_DEVICE wants.
void tessera_solver::require_form(int wanted) const {
  if (!has_host_form() && !has_device_form()) throw failure(TESSERA_ERR_NO_INTEGRAND, "no integrand has been set");
  if (wanted >= 0 && !has_device_form())
    throw failure(TESSERA_ERR_NO_INTEGRAND,
                  "a callback cannot run on a device: TESSERA_DEVICE = " + std::to_string(wanted) +
                      " needs an integrand set by tessera_set_integrand_source, "
                      "tessera_set_integrand_file, tessera_set_integrand_code or "
                      "tessera_set_integrand_device");
  if (wanted == host && !has_host_form())
    throw failure(
        TESSERA_ERR_NO_INTEGRAND,
        device_form_name().article + " cannot run on the host: TESSERA_DEVICE = -1 needs a callback or a source text");
}

// Where the integrand is to run: a CUDA ordinal or `host`.
int tessera_solver::choose_device(const tessera::method &m, bool many) const {
  const int wanted = static_cast<int>(options_.get_int(TESSERA_DEVICE));
  require_form(wanted);
  if (!shape_.is_plain() && options_.get_int(TESSERA_COMPLEMENT) != 0)
    throw failure(TESSERA_ERR_UNSUPPORTED, "TESSERA_COMPLEMENT = 1 is for limits that are numbers");
  if (shape_.has_limits && shape_.is_simplex())
    throw failure(TESSERA_ERR_UNSUPPORTED, "a simplex and limits that are functions do not go together");
  const std::string held = wanted == host ? std::string() : trouble_with_shape_on_devices(m);
  if (!held.empty() && (wanted >= 0 || !has_host_form())) throw failure(TESSERA_ERR_UNSUPPORTED, held);
  if (!m.hands_complements() && options_.get_int(TESSERA_COMPLEMENT) != 0)
    throw failure(TESSERA_ERR_UNSUPPORTED,
                  "TESSERA_COMPLEMENT = " + std::to_string(options_.get_int(TESSERA_COMPLEMENT)) +
                      " is for lattice rules and quadrature");
  if (options_.get_int(TESSERA_WEIGHTS) != 0) {
    if (!m.hands_weights()) throw failure(TESSERA_ERR_UNSUPPORTED, "TESSERA_WEIGHTS = 1 is for TESSERA_MONTECARLO");
    if (!shape_.is_plain())
      throw failure(TESSERA_ERR_UNSUPPORTED, "TESSERA_WEIGHTS = 1 is for limits that are numbers");
  }
  const std::string trouble = wanted == host ? std::string() : m.trouble_with_devices(device_batch_ != nullptr);
  if (!trouble.empty() && (wanted >= 0 || !has_host_form()))
    throw failure(TESSERA_ERR_UNSUPPORTED,
                  trouble + (wanted >= 0 ? ": TESSERA_DEVICE = " + std::to_string(wanted)
                                         : ", and " + device_form_name().article + " cannot run there"));
  const bool too_many = m.most_device_ndim() > 0 && ndim_ > m.most_device_ndim();
  if (too_many && (wanted >= 0 || !has_host_form()))
    throw failure(TESSERA_ERR_UNSUPPORTED, "ndim = " + std::to_string(ndim_) + ": the device engine takes up to " +
                                               std::to_string(m.most_device_ndim()) + " variables");
  if (wanted != any_device) return wanted;
  if (!held.empty()) return do_without_device(held);
  if (!trouble.empty()) return do_without_device(trouble);
  if (!many && m.is_small_alone() && has_host_form()) return host;
  return too_many ? host : device_if_any();
}

int tessera_solver::device_if_any() const {
  if (!has_device_form()) return host;
  try {
    if (tessera::load_device_plugin().device_count() > 0) return devices_.empty() ? 0 : devices_.front();
  } catch (const tessera::device_failure &e) {
    return do_without_device(e.what());
  }
  return do_without_device("there is no CUDA device");
}

// For "a device if there is one", when it cannot be used.
int tessera_solver::do_without_device(const std::string &why) const {
  if (!has_host_form())
    throw failure(TESSERA_ERR_NOT_BUILT, why + ", and " + device_form_name().article + " cannot run on the host");
  log(2, why + ": the host is used");
  return host;
}

// What runs on a device.
tessera_solver::form_name tessera_solver::device_form_name() const {
  if (device_batch_) return {"device callback", "device callback", "a device callback"};
  if (has_code()) return {"compiled code '" + source_.function + "'", "code", "compiled code"};
  return source_name();
}

tessera_solver::form_name tessera_solver::source_name() const {
  return {"source text '" + source_.function + "'", "text", "a source text"};
}

// The source text for the host, compiled at the first call. Throws compile_error.
const tessera::compiled_source &tessera_solver::compiled_for_host(int coordinates) {
  if (!host_code_ || host_coordinates_ != coordinates) {
    host_code_ = std::make_unique<tessera::compiled_source>(
        source_, ndim_, ncomp_, &tessera::shared_cache(options_.get_int(TESSERA_DISK_CACHE) != 0),
        tessera_version_string(), coordinates, until_);
    host_coordinates_ = coordinates;
    tell_compiled(*host_code_);
  }
  return *host_code_;
}

void tessera_solver::tell_compiled(const tessera::compiled_source &code) {
  options_.set_real(TESSERA_COMPILE_SECONDS, options_.get_real(TESSERA_COMPILE_SECONDS) + code.seconds());
  const std::string &said = code.log();
  for (std::size_t begin = 0, end; begin < said.size(); begin = end + 1) {
    end = std::min(said.find('\n', begin), said.size());
    log(3, said.substr(begin, end - begin));
  }
}

void tessera_solver::forget_failed_device() {
  if (!device_failed_) return;
  device_failed_ = false;
  device_place_.reset();
  for (more_places &m : more_places_) m.device.reset();
}

tessera::place &tessera_solver::place_on(int device, std::size_t level) {
  std::unique_ptr<tessera::place> &kept = level == 0 ? device_place_ : more_places_[level - 1].device;
  std::vector<int> &of = level == 0 ? devices_of_place_ : more_places_[level - 1].devices_of_place;
  const std::vector<int> devices = devices_with(device);
  if (!kept || of != devices) {
    kept.reset();
    kept = tessera::open_place(devices);
    of = devices;
  }
  kept->use_stream(stream_);
  return *kept;
}

tessera::place &tessera_solver::place_here(std::size_t level) {
  std::unique_ptr<tessera::place> &kept = level == 0 ? host_place_ : more_places_[level - 1].host;
  if (!kept) kept = tessera::make_host_place();
  return *kept;
}

// Those that share a run on this one.
std::vector<int> tessera_solver::devices_with(int device) const {
  return !devices_.empty() && devices_.front() == device ? devices_ : std::vector<int>(1, device);
}

void tessera_solver::set_devices(int n, const int *ordinals) {
  const auto refuse = [](const std::string &why) { throw failure(TESSERA_ERR_ARGUMENT, why); };
  if (n == 0) return devices_.clear();
  if (n < -1) refuse("n = " + std::to_string(n) + " is neither a number of devices nor -1");
  if (n == -1 && ordinals) refuse("n is -1, all devices, and ordinals is not NULL");
  int there = 0;
  try {
    there = tessera::load_device_plugin().device_count();
  } catch (const tessera::device_failure &e) {
    throw failure(e.missing() ? TESSERA_ERR_NOT_BUILT : TESSERA_ERR_DEVICE, e.what());
  }
  if (there == 0) throw failure(TESSERA_ERR_NOT_BUILT, "there is no CUDA device");
  if (n == -1) n = there;
  const std::string system = "; the system has " + std::to_string(there);
  if (!ordinals && n > there) refuse("n = " + std::to_string(n) + system);
  std::vector<int> devices;
  for (int i = 0; i < n; ++i) {
    const int ordinal = ordinals ? ordinals[i] : i;
    if (ordinal < 0 || ordinal >= there)
      refuse("ordinals[" + std::to_string(i) + "] = " + std::to_string(ordinal) + ": there is no such device" + system);
    const auto before = std::find(devices.begin(), devices.end(), ordinal);
    if (before != devices.end() && !tessera::one_device_is_several())
      refuse("ordinals[" + std::to_string(before - devices.begin()) + "] and ordinals[" + std::to_string(i) +
             "] are both " + std::to_string(ordinal));
    devices.push_back(ordinal);
  }
  devices_ = std::move(devices);
  options_.set_int(TESSERA_DEVICE, devices_.front());
}

// What a device is given. with_limits: those that are text are a part of the kernels.
tessera::device_integrand tessera_solver::device_integrand(bool with_limits) const {
  tessera::device_integrand integrand;
  integrand.batch = device_batch_;
  integrand.userdata = device_userdata_;
  if (!device_batch_) {
    integrand.source = source_;
    integrand.source.domain = tessera::simplex_text(shape_);
    for (std::size_t i = 0; with_limits && i < limits_texts_.size(); ++i)
      integrand.source.limits.push_back(limits_texts_[i].source);
  }
  const auto *bytes = static_cast<const unsigned char *>(params());
  if (bytes) integrand.params.assign(bytes, bytes + params_bytes_);
  integrand.disk_cache = options_.get_int(TESSERA_DISK_CACHE) != 0;
  integrand.until = until_;
  return integrand;
}

void tessera_solver::take_report(const tessera::device_report &report, int device) {
  if (report.compile_seconds > 0.0) options_.set_real(TESSERA_COMPILE_SECONDS, report.compile_seconds);
  if (!report.inlined && !warned_of_calls_)
    log(1, "the integrand is called on the device, not inlined, which is slower");
  warned_of_calls_ = warned_of_calls_ || !report.inlined;
  const tessera::data_notes &data = report.notes;
  if (!data.written.empty() && !warned_of_changes_)
    log(1, "whatever the integrand writes to " + data.written + " stays on the device");
  if (!data.initial.empty() && !warned_of_changes_)
    log(1, "the values that " + data.initial +
               " has in the program cannot be found: each evaluation begins with those of the text");
  warned_of_changes_ = warned_of_changes_ || !data.written.empty() || !data.initial.empty();
  if (!report.remark.empty()) log(1, report.remark);
  if (!device_batch_) options_.set_int(TESSERA_INLINED, report.inlined ? 1 : 0);
  options_.set_int(TESSERA_DEVICE_USED, device);
  options_.set_int(TESSERA_DEVICES_USED,
                   std::max<std::int64_t>(options_.get_int(TESSERA_DEVICES_USED), report.devices));
}

// Ranks that share a run cut the work in one way: that of the host, or of one kind of device.
void tessera_solver::agree_on_place(const tessera::place &there) {
  const std::vector<std::int64_t> kinds = ranks_->exchange(tessera::ranks::step::place, 0, there.kind());
  for (std::size_t r = 1; r < kinds.size(); ++r)
    if (kinds[r] != kinds[0])
      throw tessera::common_failure(
          TESSERA_ERR_RANKS,
          kinds[r] != 0 && kinds[0] != 0
              ? "the devices of rank " + std::to_string(r) + " and rank 0 are of different kinds and cannot share a run"
              : "rank " + std::to_string(kinds[r] == 0 ? r : 0) + " runs on the host and rank " +
                    std::to_string(kinds[r] == 0 ? 0 : r) + " on a device");
}

// Runs the problem that the method has prepared for `device`.
tessera::run_result &tessera_solver::run(tessera::method &m, tessera::problem *problem, int &device,
                                         tessera::run_hooks &all_hooks, double *value, double *error,
                                         std::size_t level) {
  const bool wanted = device != host;
  tessera::hooks_between_steps alone(all_hooks);
  const bool shared = problem->shared != nullptr;
  tessera::run_hooks &hooks = ranks_ && !shared ? alone : all_hooks;
  tessera::run_result &result = m.new_result();
  m.start(!wanted);
  device_or_host(
      device,
      [&] {
        reach_device([&] {
          tessera::place &there = place_on(device, level);
          const tessera::device_integrand integrand = device_integrand(!m.takes_limit_functions());
          if (m.takes_limit_functions()) compile_limits(problem->threads);
          check_on_device(*problem, integrand, there);
          if (shared) agree_on_place(there);
          tessera::device_report report;
          there.run(*problem, integrand, hooks, value, error, result, report);
          take_report(report, device);
        });
      },
      [&] {
        if (wanted) {
          problem = &prepare(m, true);
          m.start(true);
        }
        compile_limits(problem->threads);
        use_host_form(problem->integrand, problem->threads, problem->coordinates(),
                      [&] { check_fallback(*problem, points_of_domain(*problem, false), params()); });
        tessera::limited_integrand limited(shape_);
        if (problem->shape) problem->integrand = limited.of(problem->integrand);
        tessera::device_report unused;
        if (problem->shared) agree_on_place(place_here(level));
        place_here(level).run(*problem, {}, hooks, value, error, result, unused);
      });
  options_.set_int(TESSERA_THREADS_USED, result.threads);
  return result;
}

// The source text as a host function of so many coordinates.
void tessera_solver::use_source(tessera::host_integrand &integrand, int &threads, int coordinates) try {
  const tessera::compiled_source &code = compiled_for_host(coordinates);
  integrand = {code.function(), nullptr, params(), true, params()};
  if (code.one_thread()) threads = 1;
} catch (const tessera::out_of_time &) {
  throw;
} catch (const tessera::compile_error &e) {
  throw failure(tessera::compile_status(e), e.what());
}
