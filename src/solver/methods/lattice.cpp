// TESSERA_LATTICE: from options and domain to a problem, and from its result to statistics.
// SPDX-License-Identifier: BSD-3-Clause
#include "lattice.hpp"

#include "../../core/number.hpp"
#include "../domain.hpp"

namespace tessera {
namespace {

lattice_vector vector_of(const lattice_data &d, int ndim) {
  lattice_vector v;
  v.z.assign(d.z.begin(), d.z.begin() + ndim);
  v.most = d.points;
  v.least = d.least > 0 ? d.least : d.points;
  return v;
}

void refuse(const std::string &why) { throw failure(TESSERA_ERR_UNSUPPORTED, why); }

}  // namespace

std::unique_ptr<method> make_lattice(const solver_view &solver) { return std::make_unique<lattice_method>(solver); }

void lattice_method::set_vector(const tessera_lattice *l) {
  if (!l) {
    vector_ = {};
    return;
  }
  if (l->data().points == 0) throw failure(TESSERA_ERR_ARGUMENT, "the lattice has no vector yet");
  if (l->ndim() < solver_.ndim)
    throw failure(TESSERA_ERR_ARGUMENT, "the lattice has " + std::to_string(l->ndim()) + " components, the integrand " +
                                            std::to_string(solver_.ndim) + " variables");
  vector_ = vector_of(l->data(), solver_.ndim);
}

problem &lattice_method::prepare(bool) {
  lattice_problem &p = problem_ = {};
  lattice_settings &s = p.settings;
  s.confidence = get_real(TESSERA_CONFIDENCE);
  s.seed = static_cast<uint64>(get_int(TESSERA_SEED));
  s.transform = static_cast<int>(get_int(TESSERA_TRANSFORM));
  s.shifts = static_cast<int>(get_int(TESSERA_SHIFTS));
  s.median = static_cast<int>(get_int(TESSERA_MEDIAN));
  s.points = static_cast<uint64>(get_int(TESSERA_POINTS));
  const std::int64_t copies = get_int(TESSERA_COPIES);
  s.copies = copies > 1 ? static_cast<int>(copies) : 0;
  if (s.median > 0 && s.copies > 0) refuse("TESSERA_MEDIAN and TESSERA_COPIES do not go together");
  p.trial = vector_of(builtin_lattice(solver_.ndim), solver_.ndim);
  p.vector = vector_.z.empty() ? p.trial : vector_;
  if (s.copies > 0 && common_divisor(static_cast<uint64>(s.copies), p.vector.most) != 1)
    refuse("TESSERA_COPIES = " + std::to_string(s.copies) + " and n = " + std::to_string(p.vector.most) +
           " of the vector have a common divisor");
  p.set_limits(solver_.ndim, solver_.lower.data(), solver_.upper.data());
  if (get_int(TESSERA_COMPLEMENT) > 1) refuse("TESSERA_COMPLEMENT = 2 is for quadrature");
  p.complement = get_int(TESSERA_COMPLEMENT) != 0;
  return p;
}

void lattice_method::start(bool) { require_normal_volume(problem_.volume); }

void lattice_method::record(bool) {
  const lattice_statistics &s = result_.statistics;
  set_int(TESSERA_EVALUATIONS, s.evaluations);
  set_int(TESSERA_ITERATIONS, s.passes);
  set_int(TESSERA_PEAK_MEMORY, result_.bytes);
  set_int(TESSERA_POINTS_USED, static_cast<std::int64_t>(s.points));
  set_int(TESSERA_SHIFTS_USED, s.shifts);
  set_int(TESSERA_TRANSFORM_USED, s.transform);
}

std::string lattice_method::summary(const std::string &where) const {
  const lattice_statistics &s = result_.statistics;
  return "lattice" + where + ": " + std::to_string(s.evaluations) + " evaluations, n = " + std::to_string(s.points) +
         ", " + std::to_string(s.shifts) + " shifts";
}

}  // namespace tessera
