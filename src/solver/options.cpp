// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

#include "tessera.h"

namespace tessera {
namespace {

constexpr key_entry keys[] = {
#define OPTION_INT(name, value, least, greatest, meaning) \
  {name, #name, key_kind::option_int, value, least, greatest, 0.0, 0.0, 0.0},
#define OPTION_REAL(name, value, least, greatest, meaning) \
  {name, #name, key_kind::option_real, 0, 0, 0, value, least, greatest},
#define STATISTIC_INT(name, meaning) {name, #name, key_kind::statistic_int, 0, 0, 0, 0.0, 0.0, 0.0},
#define STATISTIC_REAL(name, meaning) {name, #name, key_kind::statistic_real, 0, 0, 0, 0.0, 0.0, 0.0},
#include "../tables.def"
};

constexpr int greatest_key() {
  int greatest = 0;
  for (const key_entry &k : keys) greatest = k.key > greatest ? k.key : greatest;
  return greatest;
}

const status_entry statuses[] = {
#define STATUS(name, meaning) {name, #name ": " meaning},
#include "../tables.def"
};

constexpr std::size_t key_count = sizeof keys / sizeof keys[0];
static_assert(key_count <= 127, "places of keys are of type signed char");
constexpr int keys_end = 500;
static_assert(greatest_key() < keys_end, "all keys are in the table");

}  // namespace

option_values::option_values() : ints_(key_count), reals_(key_count) { reset(); }

void option_values::reset() {
  for (std::size_t i = 0; i < key_count; ++i) {
    if (keys[i].kind == key_kind::option_int) ints_[i] = keys[i].int_default;
    if (keys[i].kind == key_kind::option_real) reals_[i] = keys[i].real_default;
  }
}

void option_values::reset_statistics() {
  for (std::size_t i = 0; i < key_count; ++i) {
    if (keys[i].kind == key_kind::statistic_int) ints_[i] = 0;
    if (keys[i].kind == key_kind::statistic_real) reals_[i] = 0.0;
  }
}

bool is_value(int key, std::int64_t v) {
  switch (key) {
    case TESSERA_RULE:
      return (v >= 0 && v <= 4) || v == TESSERA_RULE_GM7 || v == TESSERA_RULE_LOW || v == TESSERA_RULE_KRONROD15 ||
             (v >= TESSERA_RULE_KRONROD21 && v <= TESSERA_RULE_KRONROD61 && v % 10 == 1) ||
             v == TESSERA_RULE_DOUBLE_EXPONENTIAL;
    case TESSERA_TRANSFORM:
      return v <= TESSERA_TRANSFORM_TANH || (v >= TESSERA_TRANSFORM_KOROBOV1 && v <= TESSERA_TRANSFORM_KOROBOV6) ||
             v >= TESSERA_TRANSFORM_SIDI1;
    case TESSERA_MEDIAN:
      return v == 0 || v % 2 == 1;
    default:
      return true;
  }
}

// Keys are small numbers: a table finds them at once.
const key_entry *find_key(int key) {
  struct table {
    signed char place[keys_end];
    table() {
      for (signed char &p : place) p = -1;
      for (std::size_t i = 0; i < key_count; ++i) place[keys[i].key] = static_cast<signed char>(i);
    }
  };
  static const table t;
  return key >= 0 && key < keys_end && t.place[key] >= 0 ? &keys[t.place[key]] : nullptr;
}

std::size_t option_values::place(int key) { return static_cast<std::size_t>(find_key(key) - keys); }

const char *status_text(int status) {
  for (const status_entry &e : statuses)
    if (e.status == status) return e.text;
  return "unknown status";
}

}  // namespace tessera
