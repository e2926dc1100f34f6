// Small questions to a text.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace tessera {

inline bool contains(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }
inline bool starts_with(const std::string &text, const std::string &head) {
  return text.compare(0, head.size(), head) == 0;
}
inline bool ends_with(const std::string &text, const std::string &end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

// The words between the blanks; none of NULL.
inline std::vector<std::string> words_of(const char *text) {
  std::vector<std::string> out;
  bool inside = false;
  for (; text && *text; ++text) {
    const bool blank = *text == ' ' || *text == '\t';
    if (!blank && !inside) out.emplace_back();
    if (!blank) out.back() += *text;
    inside = !blank;
  }
  return out;
}

// Is `word` one of the words in a list, which has single blanks?
inline bool is_one_of(const std::string &word, const char *list) {
  return !word.empty() && contains(" " + std::string(list) + " ", " " + word + " ");
}

}  // namespace tessera
