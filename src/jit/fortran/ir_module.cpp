// SPDX-License-Identifier: BSD-3-Clause
#include "ir.hpp"

#include "../text.hpp"
#include "ir_reader.hpp"

namespace tessera {

using kind = ir_token::kind;

namespace {

constexpr const char *linkage_words =
    "private internal available_externally linkonce weak common appending extern_weak linkonce_odr weak_odr external "
    "default hidden "
    "protected dllimport dllexport dso_local dso_preemptable";

}  // namespace

ir_module::ir_module(std::string text) : text_(std::move(text)), tokens_(ir_tokens(text_)) { index(); }

std::string ir_module::slice(std::size_t from, std::size_t past) const {
  if (from >= past) return {};
  const char *const begin = tokens_.at(from).text.data();
  const std::string_view last = tokens_.at(past - 1).text;
  return std::string(begin, static_cast<std::size_t>(last.data() + last.size() - begin));
}

std::string ir_module::rest() const {
  std::string out;
  for (const auto &[from, past] : rest_) out += slice(from, past) + "\n";
  return out;
}

void ir_module::index() {
  std::size_t at = 0;
  while (tokens_[at].what != kind::end) {
    const ir_token &t = tokens_[at];
    std::size_t past = at;
    while (tokens_[past].what != kind::end && tokens_[past].line == t.line) ++past;
    if (t.text == "define" || t.text == "declare") {
      define_or_declare(at);
      continue;
    }
    if (t.what == kind::global) {
      global(at, past);
    } else {
      if (t.what == kind::local && past > at + 2 && tokens_[at + 1].text == "=" && tokens_[at + 2].text == "type")
        types_[std::string(t.value)] = at + 3;
      if (t.what == kind::meta) location(at, past);
      if (t.text != "source_filename") rest_.push_back({at, past});
    }
    at = past;
  }
}

// !5 = !DILocation(line: 12, column: 3, scope: !7)
void ir_module::location(std::size_t at, std::size_t past) {
  for (std::size_t i = at; i + 1 < past; ++i)
    if (tokens_[i].value == "DILocation" && tokens_[i].what == kind::meta)
      for (std::size_t k = i + 1; k + 1 < past; ++k)
        if (tokens_[k].text == "line:") {
          ir_reader r(*this, k + 1);
          lines_[std::string(tokens_[at].value)] = static_cast<int>(r.number());
          return;
        }
}

void ir_module::global(std::size_t at, std::size_t past) {
  ir_global g;
  g.name = std::string(tokens_[at].value);
  g.begin = at;
  g.end = past;
  std::size_t i = at + 2;
  bool elsewhere = false;
  for (; i < past && tokens_[i].text != "global" && tokens_[i].text != "constant"; ++i) {
    const std::string_view w = tokens_[i].text;
    if (w == "external" || w == "extern_weak") elsewhere = true;
    if (w == "thread_local") g.thread_local_ = true;
    if (w == "alias" || w == "ifunc") g.alias = true;
  }
  if (i + 1 < past && !g.alias) {
    g.constant = tokens_[i].text == "constant";
    g.initialiser = elsewhere ? 0 : i + 1;
    // The type is read when it is asked for: what is not reached may be anything.
    for (std::size_t k = i + 1; k + 1 < past; ++k)
      if (tokens_[k].text == "align" && tokens_[k + 1].what == kind::number && tokens_[k - 1].text == ",")
        g.align = ir_reader(*this, k + 1).number();
    if (elsewhere) g.end = past;
  }
  if (elsewhere && i + 1 < past) {
    try {
      g.type = ir_reader(*this, i + 1).type();
    } catch (const ir_error &) {  // refused when it is reached
    }
  }
  globals_.emplace(g.name, g);
}

ir_value ir_module::initialiser(const ir_global &g) const {
  if (g.initialiser == 0) throw ir_error("'" + g.name + "' has no value in this text");
  return ir_reader(*this, g.initialiser).typed_value();
}

void ir_module::define_or_declare(std::size_t &at) {
  ir_function f;
  f.header = f.begin = at;
  f.defined = tokens_[at].text == "define";
  std::size_t i = at + 1;
  // !dbg !5 of a declaration
  while (tokens_[i].what == kind::meta) ++i;
  while (tokens_[i].what == kind::word && is_one_of(std::string(tokens_[i].text), linkage_words)) ++i;
  f.past_linkage = i;
  while (tokens_[i].what != kind::end && tokens_[i].what != kind::global && tokens_[i].text != "{") ++i;
  // A result in braces comes before the name.
  for (int depth = 0; tokens_[i].what != kind::end && (depth > 0 || tokens_[i].what != kind::global); ++i) {
    if (tokens_[i].text == "{") ++depth;
    if (tokens_[i].text == "}") --depth;
    if (tokens_[i].line > tokens_[at].line + 1) throw ir_error("a function without a name");
  }
  if (tokens_[i].what != kind::global || tokens_[i + 1].text != "(") throw ir_error("a function without a name");
  f.name = std::string(tokens_[i].value);
  ir_reader skip(*this, i + 1);
  skip.skip_parentheses();
  f.past_parameters = i = skip.place();
  if (!f.defined) {
    while (tokens_[i].what != kind::end && tokens_[i].line == tokens_[at].line) ++i;
  } else {
    while (tokens_[i].what != kind::end && tokens_[i].text != "{") ++i;
    f.open = i;
    // The end stands at the beginning of a line, alone; braces inside are on lines that begin otherwise.
    while (tokens_[i].what != kind::end && !(tokens_[i].text == "}" && tokens_[i].line > tokens_[i - 1].line)) ++i;
    if (tokens_[i].what == kind::end) throw ir_error("the function '" + f.name + "' does not end");
    f.close = i++;
  }
  at = i;
  functions_.emplace(f.name, f);
}

ir_function ir_module::signature(const ir_function &f) const {
  ir_function out = f;
  ir_reader r(*this, f.past_linkage);
  while (r.peek().what == kind::word && is_one_of(std::string(r.peek().text), "ccc fastcc coldcc")) r.take();
  r.skip_attributes();
  out.result = r.type();
  r.take();
  r.expect("(");
  while (!r.is(")")) {
    if (r.is("..."))
      throw ir_error("'" + f.name + "' has a variable number of arguments, which is not possible on a device");
    const ir_value v = r.typed_value();
    if (v.what != ir_value::kind::local) r.fail("a parameter is expected");
    out.parameters.push_back(v.type);
    out.names.push_back(v.text);
    if (!r.take_if(",")) break;
  }
  r.expect(")");
  return out;
}

ir_type_ref ir_module::named(const std::string &name, int depth) const {
  const auto known = known_types_.find(name);
  if (known != known_types_.end()) return known->second;
  const auto found = types_.find(name);
  if (found == types_.end() || tokens_[found->second].text == "opaque")
    throw ir_error("the type '" + name + "' has no definition");
  const ir_type_ref t = ir_reader(*this, found->second).type(depth + 1);
  known_types_[name] = t;
  return t;
}

unsigned long long ir_module::align_of(const ir_type &t) {
  switch (t.what) {
    case ir_type::kind::integer:
      return t.bits <= 8 ? 1 : t.bits <= 16 ? 2 : t.bits <= 32 ? 4 : t.bits <= 64 ? 8 : 16;
    case ir_type::kind::real:
      return t.bits / 8;
    case ir_type::kind::pointer:
      return 8;
    case ir_type::kind::array:
      return align_of(*t.of.at(0));
    case ir_type::kind::structure: {
      unsigned long long most = 1;
      for (const ir_type_ref &e : t.of) most = std::max(most, align_of(*e));
      return t.packed ? 1 : most;
    }
    default:
      throw ir_error("'" + t.text + "' has no size");
  }
}

unsigned long long ir_module::size_of(const ir_type &t) {
  constexpr unsigned long long most = 1ULL << 40;
  unsigned long long n = 0;
  if (t.what == ir_type::kind::array) {
    const unsigned long long each = size_of(*t.of.at(0));
    if (each > 0 && t.count > most / each) throw ir_error("an array is too large");
    return each * t.count;
  }
  if (t.what != ir_type::kind::structure) return align_of(t);
  for (const ir_type_ref &e : t.of) {
    const unsigned long long a = t.packed ? 1 : align_of(*e);
    n = (n + a - 1) / a * a + size_of(*e);
    if (n > most) throw ir_error("a structure is too large");
  }
  const unsigned long long a = align_of(t);
  return (n + a - 1) / a * a;
}

}  // namespace tessera
