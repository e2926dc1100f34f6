// SPDX-License-Identifier: BSD-3-Clause
#include "settings.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace dropin {
namespace {

constexpr int most_threads = 4096;
constexpr int not_set = -1;
constexpr long most_ordinal = 1023;

std::atomic<int> threads_set{not_set}, extended_set{not_set};

// The whole number in an environment variable; `otherwise` when there is none.
int number_in(const char *variable, int least, int greatest, int otherwise) {
  const char *text = ::secure_getenv(variable);
  if (!text) return otherwise;
  char *end;
  errno = 0;
  const long v = std::strtol(text, &end, 10);
  return end == text || *end != '\0' || errno != 0 || v < least || v > greatest ? otherwise : static_cast<int>(v);
}

}  // namespace

int threads() {
  const int set = threads_set.load(std::memory_order_relaxed);
  static const int environment = number_in("TESSERA_THREADS", 1, most_threads, 1);
  return set != not_set ? set : environment;
}

void set_threads(int n) {
  threads_set.store(n < 1 ? not_set : n > most_threads ? most_threads : n, std::memory_order_relaxed);
}

bool extended() {
  const int set = extended_set.load(std::memory_order_relaxed);
  static const int environment = number_in("TESSERA_EXTENDED", 0, 1, 0);
  return (set != not_set ? set : environment) != 0;
}

void set_extended(bool on) { extended_set.store(on ? 1 : 0, std::memory_order_relaxed); }

bool ranks_share() {
  static const bool world = [] {
    const char *text = ::secure_getenv("TESSERA_COMM");
    return text && std::strcmp(text, "world") == 0;
  }();
  return world;
}

const twin_devices &devices() {
  static const twin_devices asked = [] {
    twin_devices d;
    const char *text = ::secure_getenv("TESSERA_DEVICES");
    d.given = text && *text;
    if (!d.given) return d;
    d.all = std::strcmp(text, "all") == 0;
    for (const char *at = text; !d.all;) {
      char *end;
      errno = 0;
      const long v = std::strtol(at, &end, 10);
      if (end == at || errno != 0 || v < 0 || v > most_ordinal || (*end != ',' && *end != '\0')) {
        d.ordinals.clear();
        break;
      }
      d.ordinals.push_back(static_cast<int>(v));
      if (*end == '\0') break;
      at = end + 1;
    }
    return d;
  }();
  return asked;
}

std::atomic<unsigned long> cancels{0};

void cancel() { cancels.fetch_add(1, std::memory_order_relaxed); }

}  // namespace dropin
