// SPDX-License-Identifier: BSD-3-Clause
#include "ir.hpp"

#include <algorithm>

namespace tessera {
namespace {

bool digit(char c) { return c >= '0' && c <= '9'; }
bool name_char(char c) {
  return digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '$' || c == '.' || c == '_';
}

class lexer {
 public:
  explicit lexer(std::string_view text) : s_(text) {}

  std::vector<ir_token> run() {
    while (at_ < s_.size()) {
      const char c = s_[at_];
      if (c == '\n') {
        ++line_;
        ++at_;
      } else if (c == ' ' || c == '\t' || c == '\r') {
        ++at_;
      } else if (c == ';') {
        at_ = std::min<std::size_t>(s_.find('\n', at_), s_.size());
      } else {
        one(c);
      }
    }
    add(kind::end, s_.size(), s_.size(), s_.size(), s_.size());
    return std::move(out_);
  }

 private:
  using kind = ir_token::kind;

  void add(kind what, std::size_t begin, std::size_t end, std::size_t from, std::size_t to) {
    out_.push_back({what, s_.substr(begin, end - begin), s_.substr(from, to - from), line_});
    at_ = end;
  }

  std::size_t quoted_end(std::size_t open) const {
    const std::size_t close = s_.find('"', open + 1);
    if (close == std::string_view::npos) throw ir_error("a quotation mark is missing");
    return close;
  }

  std::size_t word_end(std::size_t i) const {
    while (i < s_.size() && name_char(s_[i])) ++i;
    return i;
  }

  void one(char c) {
    if (c == '%' || c == '@' || c == '!' || c == '$') {
      const kind what = c == '%' ? kind::local : c == '@' ? kind::global : kind::meta;
      if (at_ + 1 < s_.size() && s_[at_ + 1] == '"') {
        const std::size_t close = quoted_end(at_ + 1);
        return add(what, at_, close + 1, at_ + 2, close);
      }
      const std::size_t end = word_end(at_ + 1);
      return add(end == at_ + 1 ? kind::other : what, at_, end, at_ + 1, end);
    }
    if (c == '"') {
      const std::size_t close = quoted_end(at_);
      if (close + 1 < s_.size() && s_[close + 1] == ':') return add(kind::label, at_, close + 2, at_ + 1, close);
      return add(kind::string, at_, close + 1, at_ + 1, close);
    }
    if (c == 'c' && at_ + 1 < s_.size() && s_[at_ + 1] == '"') {
      const std::size_t close = quoted_end(at_ + 1);
      return add(kind::cstring, at_, close + 1, at_ + 2, close);
    }
    if (digit(c) || (c == '-' && at_ + 1 < s_.size() && digit(s_[at_ + 1])) || name_char(c)) {
      std::size_t end = word_end(at_);
      if (end < s_.size() && s_[end] == ':' && !(end + 1 < s_.size() && s_[end + 1] == ':'))
        return add(kind::label, at_, end + 1, at_, end);
      const bool number = digit(c) || c == '-';
      // 1.0e+00
      if (number && end < s_.size() && s_[end] == '+' && s_[end - 1] == 'e') end = word_end(end + 1);
      return add(number ? kind::number : kind::word, at_, end, at_, end);
    }
    const bool dots = s_.compare(at_, 3, "...") == 0;
    add(kind::other, at_, at_ + (dots ? 3 : 1), at_, at_ + (dots ? 3 : 1));
  }

  std::string_view s_;
  std::size_t at_ = 0;
  int line_ = 1;
  std::vector<ir_token> out_;
};

}  // namespace

std::vector<ir_token> ir_tokens(std::string_view text) { return lexer(text).run(); }

}  // namespace tessera
