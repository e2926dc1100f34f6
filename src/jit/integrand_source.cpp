// SPDX-License-Identifier: BSD-3-Clause
#include "integrand_source.hpp"

#include <set>

#include "../text_file.hpp"

namespace tessera {
namespace {

constexpr int deepest_include = 30;

std::string directory_of(const std::string &path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

// Word after '#' at the start of a line, and what follows it.
bool directive(const std::string &line, std::string &word, std::string &rest) {
  const char *blank = " \t";
  std::size_t i = line.find_first_not_of(blank);
  if (i == std::string::npos || line[i] != '#') return false;
  i = line.find_first_not_of(blank, i + 1);
  if (i == std::string::npos) return false;
  const std::size_t end = line.find_first_of(" \t\"<\r", i);
  word = line.substr(i, end - i);
  const std::size_t next = end == std::string::npos ? end : line.find_first_not_of(blank, end);
  rest = next == std::string::npos ? std::string() : line.substr(next);
  return true;
}

struct expander {
  const std::vector<std::string> &paths;
  std::set<std::string> once, open;

  void expand(const std::string &text, const std::string &name, int depth, std::string &out) {
    if (depth > deepest_include)
      throw compile_error(jit_stage::translate, name + "(1): error: #include directives nest too deeply");
    const bool outermost = open.insert(name).second;
    out += "#line 1 " + quoted(name) + "\n";
    int number = 0;
    bool comment = false;
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t newline = text.find('\n', begin);
      const std::string line = text.substr(begin, newline - begin);
      begin = newline == std::string::npos ? text.size() : newline + 1;
      ++number;
      std::string word, rest;
      if (!comment && directive(line, word, rest)) {
        if (word == "pragma" && rest.compare(0, 4, "once") == 0) {
          once.insert(name);
          out += '\n';
          continue;
        }
        if (word == "include" && !rest.empty() && rest[0] == '"' && include(rest, name, depth, out)) {
          out += "#line " + std::to_string(number + 1) + " " + quoted(name) + "\n";
          continue;
        }
      }
      comment = in_comment(line, comment);
      out += line;
      out += '\n';
    }
    if (outermost) open.erase(name);
  }

  bool include(const std::string &rest, const std::string &from, int depth, std::string &out) {
    const std::size_t end = rest.find('"', 1);
    if (end == std::string::npos) return false;
    const std::string wanted = rest.substr(1, end - 1);
    std::vector<std::string> candidates;
    if (wanted[0] == '/') {
      candidates.push_back(wanted);
    } else {
      const std::string here = directory_of(from);
      candidates.push_back(here == "." ? wanted : here + wanted);
      for (const std::string &path : paths) candidates.push_back(path + "/" + wanted);
    }
    for (const std::string &path : candidates) {
      if (once.count(path) || open.count(path)) return true;
      std::string text;
      if (!read_text_file(path, text).empty()) continue;
      expand(text, path, depth + 1, out);
      return true;
    }
    return false;
  }

  // Whether a block comment is open after this line.
  static bool in_comment(const std::string &line, bool open) {
    char quote = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
      const bool pair = i + 1 < line.size();
      if (open) {
        if (line[i] == '*' && pair && line[i + 1] == '/') open = false, ++i;
      } else if (quote) {
        if (line[i] == '\\')
          ++i;
        else if (line[i] == quote)
          quote = 0;
      } else if (line[i] == '/' && pair && line[i + 1] == '/') {
        return false;
      } else if (line[i] == '/' && pair && line[i + 1] == '*') {
        open = true, ++i;
      } else if (line[i] == '"' || line[i] == '\'') {
        quote = line[i];
      }
    }
    return open;
  }
};

}  // namespace

std::string expand_includes(const integrand_source &source) {
  if (source.expanded || source.language == source_language::fortran) return source.text;
  expander e{source.include_paths, {}, {}};
  std::string out;
  e.expand(source.text, source.file_name.empty() ? "integrand" : source.file_name, 0, out);
  return out;
}

std::string without_includes(const std::string &text, std::string &includes) {
  std::string out;
  int conditions = 0;
  bool comment = false;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t newline = text.find('\n', begin);
    const std::string line = text.substr(begin, newline - begin);
    begin = newline == std::string::npos ? text.size() : newline + 1;
    std::string word, rest;
    bool moves = false;
    if (!comment && directive(line, word, rest)) {
      if (word == "if" || word == "ifdef" || word == "ifndef") ++conditions;
      if (word == "endif") --conditions;
      moves = word == "include" && conditions == 0 && !rest.empty() && rest[0] == '<';
    }
    comment = expander::in_comment(line, comment);
    (moves ? includes : out) += line;
    if (moves) includes += '\n';
    out += '\n';
  }
  return out;
}

std::string undefine_macros(const std::string &text, const std::string &kept) {
  std::set<std::string> names;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t newline = text.find('\n', begin);
    const std::string line = text.substr(begin, newline - begin);
    begin = newline == std::string::npos ? text.size() : newline + 1;
    std::string word, rest;
    if (!directive(line, word, rest) || word != "define") continue;
    const std::string name = rest.substr(0, rest.find_first_of(" \t(\r/"));
    if (!name.empty() && kept.find("#define " + name + " ") == std::string::npos &&
        kept.find("#define " + name + "(") == std::string::npos)
      names.insert(name);
  }
  std::string out;
  for (const std::string &name : names) out += "#undef " + name + "\n";
  return out;
}

std::string quoted(const std::string &name) {
  std::string out = "\"";
  for (const char c : name) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' || c == '\r' ? ' ' : c;
  }
  return out + "\"";
}

std::string first_error(const std::string &log) {
  std::string first;
  for (std::size_t begin = 0; begin < log.size();) {
    const std::size_t newline = log.find('\n', begin);
    const std::string line = log.substr(begin, newline - begin);
    begin = newline == std::string::npos ? log.size() : newline + 1;
    if (line.empty()) continue;
    if (line.find("error") != std::string::npos || line.find("fatal") != std::string::npos) return line;
    if (first.empty()) first = line;
  }
  return first;
}

}  // namespace tessera
