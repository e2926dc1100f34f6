// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <exception>
#include <new>
#include <utility>

#include "iterated.hpp"

namespace tessera {
namespace {

constexpr int64 most_under_way = 4096;
constexpr int64 none = -1, known = -2;  // in the place of the number of a row on the device

quadrature_limits limits_between(const quadrature_range &r) { return {r.lower, r.upper, r.first, r.last, 0, 0}; }

}  // namespace

iterated_call::iterated_call(device_quadrature &device, const many_problem &many, const device_integrand &integrand,
                             device_report &report)
    : device_(device),
      many_(many),
      common_(static_cast<const iterated_problem &>(*many.common)),
      integrand_(integrand),
      report_(report),
      box_(many.common->copy()),
      rounds_(
          common_.domain(), common_.ndim() > 1 ? many.rows() : 0,
          [this](int64 number, std::vector<quadrature_range> &ranges) {
            many_.give_row(number, *box_);
            ranges = static_cast<const iterated_problem &>(*box_).ranges;
          },
          most_under_way),
      kept_(common_.ndim() > 1 ? common_.answers : nullptr, common_.ncomp()) {
  const int last = common_.ndim() - 1;
  rows_.ndim = common_.ndim();
  rows_.problems = &many_;
  for (int64 i = 0; i < (many_.lower ? many_.rows() : 1); ++i) {
    many_.give_row(i, *box_);
    rows_.limits.push_back(limits_between(static_cast<const iterated_problem &>(*box_).ranges[size(last)]));
  }
  auto q = std::make_unique<quadrature_problem>();
  q->settings = common_.domain().settings_of(last);
  q->settings.strict = true;
  q->settings.memory = common_.settings.memory;
  q->memory_is_given = common_.memory_is_given;
  q->answers = common_.ndim() == 1 ? common_.answers : nullptr;
  q->shape = common_.shape;
  innermost_.common = std::move(q);
  if (common_.shape && common_.shape->has_limits) limits_ = std::make_unique<limited_integrand>(*common_.shape);
  x_.resize(size(common_.ndim()));
  known_value_.resize(size(common_.ncomp()));
  known_error_.resize(size(common_.ncomp()));
}

bool iterated_call::round(many_hooks &watch) {
  if (common_.ndim() == 1) {
    if (!std::exchange(alone_ended_, true)) run_alone(watch);
    return false;
  }
  try {
    if (!ask_and_tell(watch)) return false;
  } catch (const std::bad_alloc &) {
    stop(outcome::memory);
  }
  for (const std::unique_ptr<rounds::tree> &t : rounds_.take_ended()) answers_.push_back(conclude(*t));
  return true;
}

void iterated_call::stop(outcome why) {
  rounds_.stop(why);
  for (const std::unique_ptr<rounds::tree> &t : rounds_.take_ended()) answers_.push_back(conclude(*t));
}

std::vector<iterated_call::answer> iterated_call::take_answers() { return std::exchange(answers_, {}); }

// The row of an integral over the last axis, behind x_. False: there is none, for its limits.
bool iterated_call::add_row(int64 problem, const axis_request &asked, trouble &what) {
  innermost_row row = {asked.reltol, asked.abstol, asked.most, asked.least_intervals, axis_as_it_is(), 1.0, problem};
  const int last = common_.ndim() - 1;
  if (limits_) try {
      limits_->use_params(many_.params ? const_cast<unsigned char *>(many_.block(problem)) : common_.integrand.params);
      row.volume = limits_->map_first(last, x_.data(), what.status);
      const axis_extent e = row.volume != 0.0 ? limits_->extent(last, x_.data(), what.status) : axis_extent();
      row.volume *= e.length;
      row.axis = e;
      if (what.status != 0) what.message = "the integrand returned " + std::to_string(what.status);
    } catch (const std::bad_alloc &) {
      throw;
    } catch (const impossible_limits &e) {
      what.message = e.what();
    } catch (const std::exception &e) {
      what.message = std::string("the integrand threw an exception: ") + e.what();
    } catch (...) {
      what.message = "the integrand threw an exception";
    }
  if (!what.message.empty()) return false;
  rows_.rows.push_back(row);
  rows_.outer.insert(rows_.outer.end(), x_.begin(), x_.begin() + last);
  return true;
}

many_results iterated_call::run_rows(many_hooks &watch) {
  innermost_.index.resize(rows_.rows.size());
  value_.resize(rows_.rows.size() * size(common_.ncomp()));
  error_.resize(value_.size());
  if (rows_.rows.empty()) return many_results(0);
  many_results results =
      device_.run_innermost(rows_, innermost_, integrand_, watch, value_.data(), error_.data(), report_);
  peak_bytes_ = std::max(peak_bytes_, results.peak_bytes);
  return results;
}

// At x_, where the row is.
bool iterated_call::recall(const rounds::row &r) {
  known_ = {};
  return kept_.recall(x_.data(), common_.ndim() - 1, rounds_.request(r), known_, known_value_.data(),
                      known_error_.data());
}
void iterated_call::keep(const rounds::row &r, const many_row &said, const double *value, const double *error) {
  iterated_record record;
  record.evaluations = said.evaluations;
  record.see_row(said.evaluations);
  record.take(said.end, said.has_value);
  rounds_.write(r, x_.data());
  kept_.keep(x_.data(), common_.ndim() - 1, rounds_.request(r), record, value, error);
}

// False: all have ended.
bool iterated_call::ask_and_tell(many_hooks &watch) {
  const std::vector<rounds::row> &wanted = rounds_.ask();
  if (wanted.empty()) return false;
  std::vector<int64> row_of(wanted.size(), none);
  std::map<std::size_t, trouble> without_row;
  rows_.rows.clear();
  rows_.outer.clear();
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    rounds_.write(wanted[i], x_.data());
    trouble what;
    if (recall(wanted[i]))
      row_of[i] = known;
    else if (add_row(wanted[i].of->number, rounds_.request(wanted[i]), what))
      row_of[i] = static_cast<int64>(rows_.rows.size()) - 1;
    else
      without_row[i] = std::move(what);
  }
  const many_results results = run_rows(watch);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const rounds::row &r = wanted[i];
    if (row_of[i] == known) {
      rounds_.write(r, x_.data());
      recall(r);
      rounds_.tell(r, known_.soft, true, known_.evaluations, known_value_.data(), known_error_.data());
      continue;
    }
    const int64 row = row_of[i], at = std::max<int64>(row, 0) * common_.ncomp();
    many_row nothing;
    nothing.end = outcome::callback;
    const many_row &said = row == none ? nothing : results.rows[size(row)];
    const outcome why =
        rounds_.tell(r, said.end, said.has_value, said.evaluations, value_.data() + at, error_.data() + at);
    if (why == outcome::running && kept_.is_used()) keep(r, said, value_.data() + at, error_.data() + at);
    if (!is_hard(why) || trouble_.count(r.of->number) > 0) continue;
    trouble_[r.of->number] = row == none ? without_row[i] : trouble{said.callback_status, results.message_of(row)};
  }
  rounds_.end_round();
  return true;
}

// Of one variable: each integral is a row.
void iterated_call::run_alone(many_hooks &watch) {
  iterated_record nothing;
  std::vector<trouble> said(size(many_.rows()));
  std::vector<int64> row_of;
  for (int64 i = 0; i < many_.rows(); ++i) {
    const bool there = add_row(i, first_request(common_.domain()), said[size(i)]);
    row_of.push_back(there ? static_cast<int64>(rows_.rows.size()) - 1 : -1);
  }
  const many_results results = run_rows(watch);
  const auto ncomp = static_cast<std::ptrdiff_t>(common_.ncomp());
  for (int64 i = 0; i < many_.rows(); ++i) {
    const int64 row = row_of[size(i)];
    answer a = {i, {}, said[size(i)].message, std::vector<double>(size(ncomp)), std::vector<double>(size(ncomp))};
    a.row.end = outcome::callback;
    a.row.callback_status = said[size(i)].status;
    if (row >= 0) {
      a.row = results.rows[size(row)];
      a.message = results.message_of(row);
      std::copy_n(value_.begin() + row * ncomp, ncomp, a.value.begin());
      std::copy_n(error_.begin() + row * ncomp, ncomp, a.error.begin());
    }
    const iterated_end told =
        conclude_iterated(common_.settings, a.row.end, a.row.has_value, nothing, a.value.data(), a.error.data());
    a.row.end = told.end;
    a.row.has_value = told.has_value;
    answers_.push_back(std::move(a));
  }
}

iterated_call::answer iterated_call::conclude(const rounds::tree &t) const {
  const auto ncomp = static_cast<std::size_t>(common_.ncomp());
  const quadrature_integral &q = t.first->axis.integral();
  answer a = {t.number, {}, q.message(), std::vector<double>(ncomp), std::vector<double>(ncomp)};
  const auto what = trouble_.find(t.number);
  if (is_hard(t.end) && what != trouble_.end()) {
    a.row.callback_status = what->second.status;
    a.message = what->second.message;
  }
  if (q.has_value()) t.first->axis.result(a.value.data(), a.error.data());
  const iterated_end told =
      conclude_iterated(common_.settings, t.end, q.has_value(), t.record, a.value.data(), a.error.data());
  a.row.end = told.end;
  a.row.has_value = told.has_value;
  if (told.by_inner_errors) a.message = why_inner_errors();
  a.row.evaluations = t.record.evaluations;
  a.row.regions = q.statistics().intervals;
  a.row.iterations = q.statistics().steps;
  return a;
}

}  // namespace tessera
