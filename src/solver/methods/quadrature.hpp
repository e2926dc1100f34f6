// TESSERA_QUADRATURE: what the solver knows of it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../method.hpp"

namespace tessera {

// A value of TESSERA_RULE; is_rule_in_one_variable holds.
axis_rule rule_in_one_variable(int rule);
bool is_rule_in_one_variable(int rule);

class quadrature_method final : public method {
 public:
  static constexpr method_number number = method_quadrature;
  using method::method;
  void set_breakpoints(int count, const double *points);

  bool hands_complements() const override { return true; }
  std::string trouble_with_devices(bool callback) const override;
  bool is_small_alone() const override { return true; }
  void sign(fingerprint &to) const override { to.add(breaks_); }
  problem &prepare(bool on_host) override;
  void start(bool on_host) override;
  void start_many(bool on_host) override;
  run_result &new_result() override { return result_ = {}; }
  void record(bool on_host) override;
  void record_many(const many_results &results) override;
  std::string summary(const std::string &where) const override;

 private:
  quadrature_problem problem_;
  quadrature_result result_;
  std::vector<double> breaks_;  // ascending
};

}  // namespace tessera
