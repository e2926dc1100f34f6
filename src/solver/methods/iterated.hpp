// TESSERA_ITERATED: what the solver knows of it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../method.hpp"

namespace tessera {

class iterated_method final : public method {
 public:
  static constexpr method_number number = method_iterated;
  using method::method;
  void set_axis_rule(int axis, int rule);

  bool takes_limit_functions() const override { return true; }
  std::string trouble_with_devices(bool callback) const override {
    return callback ? "TESSERA_ITERATED on a device takes a source text or compiled code, no device callback" : "";
  }
  bool is_small_alone() const override { return solver_.ndim <= 2; }
  void sign(fingerprint &to) const override { to.add(rules_); }
  problem &prepare(bool on_host) override;
  run_result &new_result() override { return result_ = {}; }
  void record(bool on_host) override;
  std::string summary(const std::string &where) const override;

 private:
  iterated_problem problem_;
  iterated_result result_;
  std::vector<int> rules_;  // of the axes; 0: that of TESSERA_RULE. Empty: of all of them
};

}  // namespace tessera
