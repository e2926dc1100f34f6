// Integrals over several variables one axis after the other on a device.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "../../engine/iterated/iterated_rounds.hpp"
#include "../../kept_inner.hpp"
#include "../../quadrature_integral.hpp"
#include "../quadrature/quadrature.hpp"

namespace tessera {

// The integrals of one call. Those over the outer axes are the host's; those over the last that they want are the rows of one call of device_quadrature,
// a round. Of one variable there is a single round.
class iterated_call {
 public:
  using rounds = iterated_rounds<quadrature_integral>;
  // What became of a row of `many`.
  struct answer {
    int64 number;
    many_row row;
    std::string message;
    std::vector<double> value, error;
  };

  // many: the problems, of the type of iterated_problem. All must stay where they are.
  iterated_call(device_quadrature &device, const many_problem &many, const device_integrand &integrand,
                device_report &report);
  iterated_call(const iterated_call &) = delete;
  iterated_call &operator=(const iterated_call &) = delete;

  // False: all have ended. watch: asked between launches.
  bool round(many_hooks &watch);
  void stop(outcome why);
  // Those that have ended since the last call.
  std::vector<answer> take_answers();

  const std::vector<std::unique_ptr<rounds::tree>> &under_way() const { return rounds_.under_way(); }
  int64 bytes() const { return peak_bytes_ + rounds_.bytes(); }

 private:
  struct trouble {
    int status = 0;
    std::string message;
  };

  bool ask_and_tell(many_hooks &watch);
  void run_alone(many_hooks &watch);
  bool add_row(int64 problem, const axis_request &asked, trouble &what);
  many_results run_rows(many_hooks &watch);
  bool recall(const rounds::row &r);
  void keep(const rounds::row &r, const many_row &said, const double *value, const double *error);
  answer conclude(const rounds::tree &t) const;

  device_quadrature &device_;
  const many_problem &many_;
  const iterated_problem &common_;
  const device_integrand &integrand_;
  device_report &report_;
  const std::unique_ptr<problem> box_;  // of a row
  rounds rounds_;
  kept_inner kept_;  // of a single integral
  bool alone_ended_ = false;
  innermost_rows rows_;
  many_problem innermost_;  // what the rows share
  std::unique_ptr<limited_integrand> limits_;
  std::vector<double> x_, value_, error_;
  iterated_record known_;  // of the last row that was recalled
  std::vector<double> known_value_, known_error_;
  std::map<int64, trouble> trouble_;  // why an integral has no more values, by number
  std::vector<answer> answers_;
  int64 peak_bytes_ = 0;
};

class device_iterated final : public cuda_method {
 public:
  explicit device_iterated(cuda_setting &setting) : device_(setting) {}

  void use_stream(CUstream stream) override { device_.use_stream(stream); }
  void integrate(const problem &problem, const device_integrand &integrand, run_hooks &hooks, double *value,
                 double *error, run_result &result, device_report &report) override;
  int64 rows_at_once(const many_problem &) const override { return 256; }
  many_results run_many(const many_problem &problem, const device_integrand &integrand, many_hooks &watch,
                        double *value, double *error, device_report &report) override;
  std::string evaluate(const problem &problem, const device_integrand &integrand, int64 n, const double *x,
                       double *values) override;

 private:
  device_quadrature device_;
};

}  // namespace tessera
