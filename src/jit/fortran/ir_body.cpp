// Instructions.
// SPDX-License-Identifier: BSD-3-Clause
#include "../text.hpp"
#include "ir_reader.hpp"

namespace tessera {
namespace {

using kind = ir_token::kind;

constexpr const char *flag_words =
    "nnan ninf nsz arcp contract afn reassoc fast nsw nuw exact disjoint samesign nneg inbounds nusw";
constexpr const char *binary_words =
    "fadd fsub fmul fdiv frem add sub mul sdiv udiv srem urem and or xor shl lshr ashr";
constexpr const char *cast_words =
    "trunc zext sext fptosi fptoui sitofp uitofp fptrunc fpext ptrtoint inttoptr bitcast addrspacecast";

// A comma before another operand, not before what the optimiser is told.
bool another(ir_reader &r) {
  if (!r.is(",") || r.peek(1).what == kind::meta || r.is("!", 1)) return false;
  r.take();
  return true;
}

std::string label(ir_reader &r) {
  r.expect("label");
  const ir_token t = r.take();
  if (t.what != kind::local) r.fail("a label is expected");
  return std::string(t.value);
}

void flags(ir_reader &r, ir_instruction &i) {
  while (r.peek().what == kind::word && is_one_of(std::string(r.peek().text), flag_words))
    i.flags.push_back(std::string(r.take().text));
}

// , align 8
void alignment(ir_reader &r, ir_instruction &i) {
  if (r.is(",") && r.is("align", 1)) {
    r.take();
    r.take();
    i.align = r.number();
  }
}

void memory(ir_reader &r, ir_instruction &i) {
  if (r.is("atomic")) r.fail("atomic operations are not possible here");
  if (r.take_if("volatile")) i.flags.push_back("volatile");
  if (i.op == "store") {
    i.args.push_back(r.typed_value());
  } else {
    i.type = r.type();
  }
  r.expect(",");
  i.args.push_back(r.typed_value());
  alignment(r, i);
}

void call(ir_reader &r, ir_instruction &i) {
  flags(r, i);
  while (r.peek().what == kind::word && is_one_of(std::string(r.peek().text), "fastcc ccc coldcc")) r.take();
  r.skip_attributes();
  i.type = r.type();
  if (r.is("(")) {
    const std::size_t from = r.place();
    r.skip_parentheses();
    for (std::size_t k = from; k < r.place(); ++k)
      if (r.at(k).text == "...") i.flags.push_back("variadic");
  }
  if (r.is("asm")) r.fail("machine code is not possible here");
  auto pointer = std::make_shared<ir_type>();
  pointer->what = ir_type::kind::pointer;
  i.callee = r.value(pointer);
  r.expect("(");
  while (!r.is(")")) {
    if (r.is("metadata")) {  // of no use to a function that computes
      r.take();
      int depth = 0;
      while (depth > 0 || (!r.is(",") && !r.is(")"))) {
        const ir_token t = r.take();
        if (t.text == "(" || t.text == "{") ++depth;
        if (t.text == ")" || t.text == "}") --depth;
      }
    } else {
      i.args.push_back(r.typed_value());
    }
    if (!r.take_if(",")) break;
  }
  r.expect(")");
  // #5 [ "bundle"(...) ]
  while (r.is("#")) {
    r.take();
    r.take();
  }
  if (r.is("[")) {
    int depth = 0;
    do {
      const ir_token t = r.take();
      if (t.text == "[") ++depth;
      if (t.text == "]") --depth;
    } while (depth > 0);
  }
}

void switch_cases(ir_reader &r, ir_instruction &i) {
  i.args.push_back(r.typed_value());
  r.expect(",");
  i.labels.push_back(label(r));
  r.expect("[");
  while (!r.is("]")) {
    i.args.push_back(r.typed_value());
    r.expect(",");
    i.labels.push_back(label(r));
  }
  r.expect("]");
}

void operands(ir_reader &r, ir_instruction &i) {
  const std::string &op = i.op;
  if (op == "load" || op == "store") return memory(r, i);
  if (op == "call") return call(r, i);
  if (op == "switch") return switch_cases(r, i);
  if (op == "unreachable") return;
  if (op == "alloca") {
    r.take_if("inalloca");
    i.type = r.type();
    if (!r.is("align", 1) && another(r)) {
      if (r.is("addrspace")) r.fail("an address space is not expected here");
      i.args.push_back(r.typed_value());
    }
    return alignment(r, i);
  }
  if (op == "getelementptr") {
    flags(r, i);
    i.type = r.type();
    while (another(r)) i.args.push_back(r.typed_value());
    if (i.args.empty()) r.fail("an address is missing");
    return;
  }
  if (op == "br") {
    if (!r.is("label")) {
      i.args.push_back(r.typed_value());
      r.expect(",");
      i.labels.push_back(label(r));
      r.expect(",");
    }
    i.labels.push_back(label(r));
    return;
  }
  if (op == "ret") {
    if (!r.take_if("void")) i.args.push_back(r.typed_value());
    return;
  }
  if (op == "phi") {
    flags(r, i);
    i.type = r.type();
    do {
      r.expect("[");
      i.args.push_back(r.value(i.type));
      r.expect(",");
      const ir_token t = r.take();
      if (t.what != kind::local) r.fail("a label is expected");
      i.labels.push_back(std::string(t.value));
      r.expect("]");
    } while (another(r));
    return;
  }
  if (op == "fneg" || op == "freeze") {
    flags(r, i);
    i.args.push_back(r.typed_value());
    return;
  }
  if (op == "icmp" || op == "fcmp" || is_one_of(op, binary_words)) {
    flags(r, i);
    std::string predicate;
    if (op == "icmp" || op == "fcmp") predicate = std::string(r.take().text);
    i.args.push_back(r.typed_value());
    r.expect(",");
    const ir_type_ref t = i.args[0].type;
    i.args.push_back(r.value(t));
    if (!predicate.empty()) {
      if (!is_one_of(predicate,
                     "eq ne ugt uge ult ule sgt sge slt sle oeq ogt oge olt ole one ord ueq une uno true false"))
        r.fail("'" + predicate + "' is no comparison");
      i.flags.push_back(predicate);
    }
    return;
  }
  if (is_one_of(op, cast_words)) {
    flags(r, i);
    i.args.push_back(r.typed_value());
    r.expect("to");
    i.type = r.type();
    return;
  }
  if (op == "select") {
    flags(r, i);
    for (int k = 0; k < 3; ++k) {
      if (k > 0) r.expect(",");
      i.args.push_back(r.typed_value());
    }
    return;
  }
  if (op == "extractvalue" || op == "insertvalue") {
    i.args.push_back(r.typed_value());
    if (op == "insertvalue") {
      r.expect(",");
      i.args.push_back(r.typed_value());
    }
    while (r.is(",") && r.peek(1).what == kind::number) {
      r.take();
      i.indices.push_back(r.number());
    }
    if (i.indices.empty()) r.fail("an index is missing");
    return;
  }
  r.fail("the instruction '" + op + "' is not possible on a device");
}

}  // namespace

std::vector<ir_block> ir_module::body(const ir_function &f) const {
  std::vector<ir_block> blocks;
  ir_reader r(*this, f.open + 1);
  while (r.place() < f.close) {
    const ir_token t = r.peek();
    if (t.what == kind::label) {
      r.take();
      blocks.push_back({std::string(t.value), {}});
      continue;
    }
    if (t.text == "#") {  // #dbg_value(...)
      r.take();
      r.take();
      r.skip_parentheses();
      continue;
    }
    if (blocks.empty()) blocks.push_back({});
    ir_instruction i;
    if (t.what == kind::local) {
      i.result = std::string(r.take().value);
      r.expect("=");
    }
    i.op = std::string(r.take().text);
    if (is_one_of(i.op, "tail musttail notail")) i.op = std::string(r.take().text);
    // Where the user's line is to be found is known before the operands are: a complaint about them names it.
    for (std::size_t k = 0; r.place() + k < f.close && r.peek(k).line == t.line; ++k)
      if (r.is("!dbg", k)) {
        const auto line = lines_.find(std::string(r.peek(k + 1).value));
        if (line != lines_.end()) i.line = line->second;
      }
    try {
      operands(r, i);
    } catch (const ir_error &e) {
      throw ir_error(e.what(), e.line() ? e.line() : i.line);
    }
    while (r.is(",") && r.peek(1).what == kind::meta) {
      r.take();
      r.take();
      if (r.peek().what == kind::meta) {
        r.take();
      } else if (r.is("!") && r.is("{", 1)) {
        r.take();
        r.take();
        r.expect("}");
      }
    }
    if (r.place() > f.close || (r.place() < f.close && r.peek().line == t.line))
      r.fail("this is not expected behind an instruction");
    blocks.back().code.push_back(std::move(i));
  }
  if (blocks.empty()) throw ir_error("the function '" + f.name + "' is empty");
  for (const ir_block &b : blocks)
    if (b.code.empty()) throw ir_error("a block of the function '" + f.name + "' is empty");
  return blocks;
}

}  // namespace tessera
