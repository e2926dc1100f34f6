// SPDX-License-Identifier: BSD-3-Clause
#include "report.hpp"

#include <dlfcn.h>
#include <tessera.h>

#include <cstdio>
#include <cstdlib>

namespace dropin {
namespace {

constexpr int every_call = 2;

// The file of the drop-in that this is part of.
const char *own_file() {
  Dl_info info;
  return ::dladdr(reinterpret_cast<const void *>(&own_file), &info) != 0 && info.dli_fname ? info.dli_fname : "?";
}

// A program that finds another library than it should is silent: this line is not there.
[[maybe_unused]] const bool announced = [] {
  if (report_level() < every_call) return false;
  std::fprintf(stderr, "tessera: %s is loaded, with libtessera %s\n", own_file(), tessera_version_string());
  return true;
}();

}  // namespace

int report_level() {
  static const int level = [] {
    const char *text = ::secure_getenv("TESSERA_REPORT");
    if (!text || !*text) return 0;
    const std::string wanted = text;
    return wanted == "0" ? 0 : wanted == "2" ? every_call : 1;
  }();
  return level;
}

void report(const char *routine, const std::string &message) {
  if (report_wanted()) std::fprintf(stderr, "tessera: %s: %s\n", routine, message.c_str());
}

call_report::call_report(const char *routine, std::int64_t ndim, std::int64_t ncomp)
    : routine_(routine), ndim_(ndim), ncomp_(ncomp), open_(report_level() >= every_call) {
  if (open_) start_ = clock::now();
}

call_report::~call_report() {
  if (!open_) return;
  std::fprintf(stderr, "tessera: %s: ndim %lld, ncomp %lld, seconds %.3g, left by an exception\n", routine_,
               static_cast<long long>(ndim_), static_cast<long long>(ncomp_), seconds());
}

void call_report::end(place where, std::int64_t evaluations, const char *name, std::int64_t code,
                      const std::string &why) {
  if (!open_) return;
  open_ = false;
  constexpr const char *places[] = {"not run", "on the host", "on the device"};
  std::fprintf(stderr, "tessera: %s: ndim %lld, ncomp %lld, evaluations %lld, seconds %.3g, %s, %s %lld%s%s\n",
               routine_, static_cast<long long>(ndim_), static_cast<long long>(ncomp_),
               static_cast<long long>(evaluations), seconds(), places[static_cast<int>(where)], name,
               static_cast<long long>(code), why.empty() ? "" : ": ", why.c_str());
}

double call_report::seconds() const { return std::chrono::duration<double>(clock::now() - start_).count(); }

}  // namespace dropin
