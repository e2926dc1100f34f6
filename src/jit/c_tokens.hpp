// The tokens of a C text.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cctype>
#include <cstddef>
#include <string>
#include <vector>

namespace tessera {

inline bool word_start(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || c == '$'; }
inline bool word_part(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$'; }

void blank(std::string &text, std::size_t begin, std::size_t end);

struct c_token {
  enum class kind { word, number, text, sign, directive };
  kind what;
  std::size_t begin, end;  // in the text
  int line;                // in the file that #line directives name
  int file;                // index in c_text::files
};

// Tokens of a text; blanks out comments, line continuations stay. Throws compile_error on an open comment or string.
std::vector<c_token> tokenize_c(std::string &text, std::vector<std::string> &files);

}  // namespace tessera
