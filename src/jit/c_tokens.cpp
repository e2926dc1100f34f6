// SPDX-License-Identifier: BSD-3-Clause
#include "c_tokens.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>

#include "integrand_source.hpp"

namespace tessera {

void blank(std::string &text, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i)
    if (text[i] != '\n') text[i] = ' ';
}

namespace {

using kind = c_token::kind;

std::size_t end_of_literal(const std::string &text, std::size_t begin) {
  for (std::size_t i = begin + 1; i < text.size() && text[i] != '\n'; ++i) {
    if (text[i] == '\\')
      ++i;
    else if (text[i] == text[begin])
      return i + 1;
  }
  return std::string::npos;  // an apostrophe in an #error or in skipped text, say
}

void blank_comments(std::string &text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"' || text[i] == '\'') {
      const std::size_t end = end_of_literal(text, i);
      if (end != std::string::npos) i = end - 1;
    } else if (text.compare(i, 2, "//") == 0) {
      const std::size_t end = std::min(text.find('\n', i), text.size());
      blank(text, i, end);
      i = end;
    } else if (text.compare(i, 2, "/*") == 0) {
      const std::size_t close = text.find("*/", i + 2);
      const std::size_t end = close == std::string::npos ? text.size() : close + 2;
      blank(text, i, end);
      i = end - 1;
    }
  }
}

// A line that starts with '#': its words, joined by single spaces.
std::string plain_directive(const std::string &line) {
  std::string out;
  for (const char c : line) {
    if (std::isspace(static_cast<unsigned char>(c)) || c == '(' || c == ')') {
      if (!out.empty() && out.back() != ' ' && out != "#") out += ' ';
    } else {
      out += c;
    }
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

// Takes out what a C compiler never sees: #if 0 and what is there for C++ only.
void blank_dead_code(std::string &text) {
  enum class truth { unknown, yes, no };
  struct level {
    truth now;
    bool known;
  };
  std::vector<level> stack;
  const auto dead = [&] {
    return std::any_of(stack.begin(), stack.end(), [](const level &l) { return l.known && l.now == truth::no; });
  };
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::size_t hash = text.find_first_not_of(" \t", begin);
    bool take_out = dead();
    if (hash < end && text[hash] == '#') {
      const std::string d = plain_directive(text.substr(hash, end - hash));
      if (d.compare(0, 5, "#line") == 0) {
        take_out = false;
      } else if (d.compare(0, 3, "#if") == 0) {
        truth t = truth::unknown;
        if (d == "#if 0" || d == "#ifdef __cplusplus" || d == "#if defined __cplusplus") t = truth::no;
        if (d == "#if 1" || d == "#ifndef __cplusplus" || d == "#if !defined __cplusplus") t = truth::yes;
        stack.push_back({t, t != truth::unknown});
        take_out = take_out || stack.back().known;
      } else if (!stack.empty() && (d == "#else" || d.compare(0, 5, "#elif") == 0)) {
        level &l = stack.back();
        if (l.known) {
          const bool was_true = l.now == truth::yes;
          take_out = true;
          l.now = was_true ? truth::no : truth::yes;
          if (!was_true && d != "#else") {  // #elif of what is known to be false begins a condition of its own
            text.replace(text.find("elif", hash), 4, "if  ");
            l = {truth::unknown, false};
            take_out = dead();
          }
        }
      } else if (!stack.empty() && d == "#endif") {
        const bool known = stack.back().known;
        stack.pop_back();
        take_out = known || dead();
      }
    }
    if (take_out) blank(text, begin, end);
    begin = end + 1;
  }
}

const char *const signs[] = {"<<=", ">>=", "...", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=",
                             "&&",  "||",  "+=",  "-=", "*=", "/=", "%=", "&=", "|=", "^=", "##"};

}  // namespace

std::vector<c_token> tokenize_c(std::string &text, std::vector<std::string> &files) {
  files.clear();
  blank_comments(text);
  blank_dead_code(text);
  std::vector<c_token> out;
  int line = 1, file = 0;
  bool fresh = true;  // nothing but blanks on this line so far
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == '\n') {
      ++line, ++i;
      fresh = true;
      continue;
    }
    if (std::isspace(static_cast<unsigned char>(c)) || c == '\\') {
      ++i;
      continue;
    }
    c_token token{kind::sign, i, i + 1, line, file};
    if (c == '#' && fresh) {
      std::size_t end = i;
      int continued = 0;
      while (end < text.size() && !(text[end] == '\n' && text[end - 1] != '\\')) continued += text[end++] == '\n';
      token.what = kind::directive;
      token.end = end;
      const std::string d = text.substr(i, end - i);
      const std::size_t quote = d.find('"');
      if (d.compare(0, 6, "#line ") == 0 && quote != std::string::npos) {
        const std::string name = d.substr(quote + 1, d.rfind('"') - quote - 1);
        const auto known = std::find(files.begin(), files.end(), name);
        file = static_cast<int>(known - files.begin());
        if (known == files.end()) files.push_back(name);
        line = std::atoi(d.c_str() + 6) - 1;
      }
      out.push_back(token);
      line += continued;
      i = end;
      continue;
    }
    fresh = false;
    if (word_start(c)) {
      token.what = kind::word;
      while (token.end < text.size() && word_part(text[token.end])) ++token.end;
    } else if (std::isdigit(static_cast<unsigned char>(c)) ||
               (c == '.' && i + 1 < text.size() && std::isdigit(static_cast<unsigned char>(text[i + 1])))) {
      token.what = kind::number;
      while (token.end < text.size() &&
             (word_part(text[token.end]) || text[token.end] == '.' ||
              ((text[token.end] == '+' || text[token.end] == '-') && std::strchr("eEpP", text[token.end - 1]))))
        ++token.end;
    } else if (c == '"' || c == '\'') {
      token.what = kind::text;
      token.end = end_of_literal(text, i);
      if (token.end == std::string::npos)
        throw compile_error(jit_stage::translate, (files.empty() ? "" : files[static_cast<std::size_t>(file)]) + "(" +
                                                      std::to_string(line) + "): error: a quotation that does not end");
    } else {
      for (const char *sign : signs)
        if (text.compare(i, std::strlen(sign), sign) == 0) {
          token.end = i + std::strlen(sign);
          break;
        }
    }
    out.push_back(token);
    i = token.end;
  }
  if (files.empty()) files.push_back("integrand");
  return out;
}

}  // namespace tessera
