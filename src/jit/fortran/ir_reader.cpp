// SPDX-License-Identifier: BSD-3-Clause
#include "ir_reader.hpp"

#include <cstdlib>

#include "../text.hpp"

namespace tessera {
namespace {

using kind = ir_token::kind;

constexpr int deepest = 60;

constexpr const char *attribute_words =
    "noalias nonnull readonly readnone writeonly zeroext signext inreg noundef nocapture writable dead_on_unwind "
    "dead_on_return "
    "returned immarg nofree nest allocptr noext align sret byval captures initializes dereferenceable "
    "dereferenceable_or_null "
    "range nofpclass swiftself nounwind";

unsigned long long number_of(std::string_view text) {
  unsigned long long n = 0;
  for (const char c : text) {
    if (c < '0' || c > '9' || n > (1ULL << 50)) throw ir_error("'" + std::string(text) + "' is not a length");
    n = 10 * n + static_cast<unsigned long long>(c - '0');
  }
  return n;
}

std::string closed(char open) { return open == '[' ? "]" : open == '{' ? "}" : open == '<' ? ">" : ")"; }

}  // namespace

const ir_token &ir_reader::peek(std::size_t ahead) const {
  const std::vector<ir_token> &t = m_.tokens();
  return t[std::min(at_ + ahead, t.size() - 1)];
}

ir_token ir_reader::take() {
  const ir_token t = peek();
  if (t.what == kind::end) fail("the text ends too early");
  ++at_;
  return t;
}

bool ir_reader::take_if(std::string_view text) {
  if (!is(text)) return false;
  ++at_;
  return true;
}

void ir_reader::expect(std::string_view text) {
  if (!take_if(text)) fail("'" + std::string(text) + "' is expected");
}

void ir_reader::fail(const std::string &what) const {
  throw ir_error("line " + std::to_string(peek().line) + " of the intermediate code, at '" +
                 std::string(peek().text.substr(0, 40)) + "': " + what);
}

unsigned ir_reader::number() {
  const unsigned long long n = number_of(take().text);
  if (n > 1U << 30) fail("too large a number");
  return static_cast<unsigned>(n);
}

void ir_reader::skip_parentheses() {
  int depth = 0;
  do {
    const ir_token t = take();
    if (t.text == "(") ++depth;
    if (t.text == ")") --depth;
  } while (depth > 0);
}

void ir_reader::skip_attributes() {
  while (peek().what == kind::word && is_one_of(std::string(peek().text), attribute_words)) {
    if (is("byval") || is("sret")) fail("an argument by value is not possible here");
    const bool align = is("align");
    ++at_;
    if (align && peek().what == kind::number) ++at_;
    if (is("(")) skip_parentheses();
  }
}

ir_type_ref ir_reader::type(int depth) {
  if (depth > deepest) fail("types nest too deeply");
  auto t = std::make_shared<ir_type>();
  const ir_token first = take();
  t->text = std::string(first.text);
  if (first.what == kind::local) return m_.named(std::string(first.value), depth);
  if (first.text == "[") {
    t->what = ir_type::kind::array;
    t->count = number_of(take().text);
    expect("x");
    t->of.push_back(type(depth + 1));
    expect("]");
    return t;
  }
  if (first.text == "{" || (first.text == "<" && is("{"))) {
    t->what = ir_type::kind::structure;
    t->packed = first.text == "<";
    if (t->packed) take();
    while (!is("}")) {
      t->of.push_back(type(depth + 1));
      if (!take_if(",")) break;
    }
    expect("}");
    if (t->packed) expect(">");
    return t;
  }
  if (first.text == "<") fail("vectors are not expected here");
  if (first.what != kind::word) fail("'" + t->text + "' is no type");
  if (first.text == "ptr") {
    t->what = ir_type::kind::pointer;
    if (take_if("addrspace")) {
      expect("(");
      t->space = number();
      expect(")");
    }
    return t;
  }
  if (first.text == "void" || first.text == "label" || first.text == "metadata") {
    t->what = first.text == "void" ? ir_type::kind::nothing : ir_type::kind::other;
    return t;
  }
  if (first.text == "double" || first.text == "float") {
    t->what = ir_type::kind::real;
    t->bits = first.text == "double" ? 64 : 32;
    return t;
  }
  if (first.text.size() > 1 && first.text[0] == 'i' && first.text.size() < 6) {
    t->what = ir_type::kind::integer;
    t->bits = static_cast<unsigned>(number_of(first.text.substr(1)));
    if (t->bits == 0 || t->bits > 128) fail("integers of this size are not possible");
    return t;
  }
  if (is_one_of(t->text, "fp128 x86_fp80 ppc_fp128 half bfloat"))
    fail(t->text == "fp128" || t->text == "x86_fp80"
             ? "real numbers of more than 8 bytes, real(16) or real(10), are not possible on a device"
             : "real numbers of 2 bytes are not possible here");
  fail("'" + t->text + "' is no type");
}

ir_value ir_reader::typed_value(int depth) {
  const ir_type_ref t = type(depth);
  skip_attributes();
  return value(t, depth);
}

ir_value ir_reader::value(const ir_type_ref &type, int depth) {
  if (depth > deepest) fail("constants nest too deeply");
  ir_value v;
  v.type = type;
  const ir_token &t = peek();
  switch (t.what) {
    case kind::local:
    case kind::global:
      v.what = t.what == kind::local ? ir_value::kind::local : ir_value::kind::global;
      v.text = std::string(take().value);
      return v;
    case kind::number:
    case kind::cstring:
      v.text = std::string(take().text);
      return v;
    case kind::word:
      if (is_one_of(std::string(t.text), "null undef poison zeroinitializer true false none")) {
        v.text = std::string(take().text);
        if (v.text == "poison") v.text = "undef";
        return v;
      }
      return expression(type, depth);
    default:
      break;
  }
  const std::string open(t.text);
  if (open != "[" && open != "{" && open != "<") fail("a value is expected");
  take();
  const bool packed = open == "<";
  if (packed) expect("{");
  v.what = ir_value::kind::aggregate;
  v.text = packed ? "<{" : open;
  const std::string close = packed ? "}" : closed(open[0]);
  while (!is(close)) {
    v.parts.push_back(typed_value(depth + 1));
    if (!take_if(",")) break;
  }
  expect(close);
  if (packed) expect(">");
  return v;
}

ir_value ir_reader::expression(const ir_type_ref &t, int depth) {
  ir_value v;
  v.what = ir_value::kind::expression;
  v.type = t;
  v.text = std::string(take().text);
  if (is_one_of(v.text, "ptrtoint inttoptr bitcast addrspacecast trunc")) {
    expect("(");
    v.parts.push_back(typed_value(depth + 1));
    expect("to");
    v.source = type(depth + 1);
    expect(")");
    return v;
  }
  if (is_one_of(v.text, "add sub mul")) {
    while (is("nuw") || is("nsw")) take();
    expect("(");
    v.parts.push_back(typed_value(depth + 1));
    expect(",");
    v.parts.push_back(typed_value(depth + 1));
    expect(")");
    return v;
  }
  if (v.text != "getelementptr") fail("'" + v.text + "' is not a constant that is understood");
  while (peek().what == kind::word) {
    v.inbounds = v.inbounds || is("inbounds");
    if (!is("inbounds") && !is("nuw") && !is("nusw") && !is("inrange")) break;
    take();
    if (is("(") && is("i8", 1) == false && m_.tokens()[at_ - 1].text == "inrange") skip_parentheses();
  }
  expect("(");
  v.source = type(depth + 1);
  while (take_if(",")) v.parts.push_back(typed_value(depth + 1));
  expect(")");
  if (v.parts.empty()) fail("an address is missing");
  return v;
}

ir_type_ref ir_element(const ir_type &t, const ir_value &index) {
  if (t.what == ir_type::kind::array) return t.of.at(0);
  if (t.what != ir_type::kind::structure) throw ir_error("an index into '" + t.text + "'");
  if (index.what != ir_value::kind::plain) throw ir_error("the index of a component is not constant");
  const unsigned long long i = index.text == "zeroinitializer" ? 0 : number_of(index.text);
  if (i >= t.of.size()) throw ir_error("the index of a component is too large");
  return t.of[i];
}

}  // namespace tessera
