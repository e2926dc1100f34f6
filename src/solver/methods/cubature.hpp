// TESSERA_CUBATURE: what the solver knows of it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../method.hpp"

namespace tessera {

class cubature_method final : public method {
 public:
  static constexpr method_number number = method_cubature;
  using method::method;
  void get_regions(std::int64_t first, std::int64_t n, double *records, std::int64_t *count) const;
  void set_regions(std::int64_t n, const double *records, std::int64_t evaluations);

  int most_device_ndim() const override { return 32; }
  bool shares_evaluations(bool) const override { return true; }
  void sign(fingerprint &to) const override { to.add(given_).add(given_evaluations_); }
  void begin_run() override { regions_there_ = false; }
  cubature_problem &prepare(bool on_host) override;
  void start(bool on_host) override;
  run_result &new_result() override { return result_ = {}; }
  void record(bool on_host) override;
  std::string summary(const std::string &where) const override;
  void end_run() override { given_count_ = 0; }
  void record_many(const many_results &results) override;

 private:
  int choose_rule() const;
  void choose_raised();
  void require_given_inside() const;

  cubature_problem problem_;  // of the last run
  cubature_result result_;
  bool regions_there_ = false;  // the host has those of the last run
  std::vector<double> given_;   // records to start the next run from
  std::int64_t given_count_ = 0, given_evaluations_ = 0;
};

}  // namespace tessera
