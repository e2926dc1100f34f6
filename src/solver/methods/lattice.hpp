// TESSERA_LATTICE: what the solver knows of it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../../vectors/lattice.hpp"
#include "../method.hpp"

namespace tessera {

class lattice_method final : public method {
 public:
  static constexpr method_number number = method_lattice;
  using method::method;
  void set_vector(const tessera_lattice *l);

  bool hands_complements() const override { return true; }
  bool shares_evaluations(bool) const override { return true; }
  void sign(fingerprint &to) const override { to.add(vector_.z).add(vector_.least).add(vector_.most); }
  problem &prepare(bool on_host) override;
  void start(bool on_host) override;
  run_result &new_result() override { return result_ = {}; }
  void record(bool on_host) override;
  std::string summary(const std::string &where) const override;

 private:
  lattice_problem problem_;
  lattice_result result_;
  lattice_vector vector_;  // of set_vector; no z: the built-in one
};

}  // namespace tessera
