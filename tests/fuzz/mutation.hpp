// Damage to the bytes of a file: cut, flipped, swapped, numbers in place of others. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "dice.hpp"

namespace fuzz {

inline std::string odd_number(dice &r) {
  static const char *const list[] = {"0",
                                     "-1",
                                     "1",
                                     "2",
                                     "1e300",
                                     "1e999",
                                     "-1e999",
                                     "nan",
                                     "inf",
                                     "-inf",
                                     "1e-320",
                                     "0x10",
                                     "1.5",
                                     "",
                                     "18446744073709551616",
                                     "9223372036854775807",
                                     "-9223372036854775808",
                                     "4294967296",
                                     "2147483648",
                                     "99999999999999999999999999",
                                     "1e",
                                     "--1",
                                     "1,5"};
  if (r.one_in(3)) return std::to_string(r.odd_int());
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", r.odd_real());
  return r.one_in(3) ? text : r.of(list);
}

inline std::size_t place_in(const std::string &bytes, dice &r) {
  // The beginning, where all that matters stands, as often as the rest.
  const std::size_t n = bytes.size();
  return n == 0 ? 0 : r.bits() % (r.one_in(2) ? std::min<std::size_t>(n, 96) : n);
}

inline void damage_once(std::string &bytes, dice &r) {
  if (bytes.empty()) return;
  const std::size_t at = place_in(bytes, r), other = place_in(bytes, r);
  const auto line_at = [&](std::size_t i, std::size_t &begin, std::size_t &end) {
    begin = i == 0 ? 0 : bytes.rfind('\n', i - 1);
    begin = begin == std::string::npos ? 0 : begin == 0 && bytes[0] != '\n' ? 0 : begin + (begin < i ? 1 : 0);
    end = std::min(bytes.find('\n', i), bytes.size() - 1) + 1;
  };
  std::size_t a, b, c, d;
  switch (r.between(0, 9)) {
    case 0:
      return bytes.resize(at);
    case 1:
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << r.between(0, 7)));
      return;
    case 2:
      bytes[at] = static_cast<char>(r.bits());
      return;
    case 3: {  // a word
      const std::string blanks = " \t\r\n";
      std::size_t begin = at, end = at;
      while (begin > 0 && blanks.find(bytes[begin - 1]) == std::string::npos) --begin;
      while (end < bytes.size() && blanks.find(bytes[end]) == std::string::npos) ++end;
      bytes.replace(begin, end - begin, odd_number(r));
      return;
    }
    case 4:  // a line twice, or not at all
      line_at(at, a, b);
      if (r.one_in(2))
        bytes.insert(a, bytes.substr(a, b - a));
      else
        bytes.erase(a, b - a);
      return;
    case 5: {  // two lines in the other order
      line_at(std::min(at, other), a, b);
      line_at(std::max(at, other), c, d);
      if (b > c) return;
      const std::string first = bytes.substr(a, b - a), second = bytes.substr(c, d - c);
      bytes.replace(c, d - c, first);
      bytes.replace(a, b - a, second);
      return;
    }
    case 6: {  // eight bytes of a number
      if (bytes.size() < 8) return;
      const std::size_t word = std::min(at, bytes.size() - 8) / 8 * 8;
      const double v = r.odd_real();
      const std::int64_t i = r.odd_int();
      std::memcpy(&bytes[word], r.one_in(2) ? static_cast<const void *>(&v) : static_cast<const void *>(&i), 8);
      return;
    }
    case 7:
      bytes.insert(at, std::string(static_cast<std::size_t>(r.between(1, 40)), static_cast<char>(r.bits())));
      return;
    case 8:
      bytes.insert(at, odd_number(r) + (r.one_in(2) ? " " : "\n"));
      return;
    default:
      bytes += bytes.substr(std::min(at, other), 200);
  }
}

inline std::string damaged(std::string bytes, dice &r) {
  for (std::int64_t n = r.between(1, 3); n > 0; --n) damage_once(bytes, r);
  return bytes;
}

inline void write_bytes(const std::string &path, const std::string &bytes) {
  std::FILE *f = std::fopen(path.c_str(), "wb");
  if (!f || std::fwrite(bytes.data(), 1, bytes.size(), f) != bytes.size() || std::fclose(f) != 0) std::abort();
}
inline std::string read_bytes(const std::string &path) {
  std::string all;
  std::FILE *f = std::fopen(path.c_str(), "rb");
  if (!f) return all;
  char buffer[4096];
  for (std::size_t n; (n = std::fread(buffer, 1, sizeof buffer, f)) > 0;) all.append(buffer, n);
  std::fclose(f);
  return all;
}

}  // namespace fuzz
