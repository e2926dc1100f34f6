// SPDX-License-Identifier: BSD-3-Clause
#include "../text.hpp"
#include "ir_reader.hpp"
#include "nvvm_writer.hpp"

namespace tessera {
namespace {

// Of the flags those that LLVM 7 has.
std::string kept_flags(const ir_instruction &i) {
  std::string out;
  const bool casts = is_one_of(i.op, "trunc zext sext fptosi fptoui sitofp uitofp fptrunc fpext phi select icmp");
  for (const std::string &f : i.flags)
    if ((!casts && is_one_of(f, "nnan ninf nsz arcp contract afn reassoc fast nsw nuw exact")) ||
        (i.op == "icmp" && &f == &i.flags.back()))
      out += f + " ";
  return out;
}

}  // namespace

void nvvm_writer::slot(const std::string &result, const std::string &t, unsigned long long align) {
  const std::string raw = temporary();
  slots_ += "  " + raw + " = alloca " + t + ", align " + std::to_string(align) + "\n  " + result + " = bitcast " + t +
            "* " + raw + " to i8*\n";
}

// A local variable: of constant size, once in a call.
void nvvm_writer::allocation(const ir_instruction &i) {
  unsigned long long count = 1;
  if (!i.args.empty()) {
    const ir_value &n = i.args[0];
    if (n.what != ir_value::kind::plain || n.text.empty() ||
        n.text.find_first_not_of("0123456789") != std::string::npos || n.text.size() > 12)
      throw ir_error("the size of a local array is not known when the integrand is compiled", i.line);
    count = std::stoull(n.text);
  }
  const unsigned long long each = ir_module::size_of(*i.type);
  constexpr unsigned long long most = 128 << 10;
  if (each > 0 && count > most / each)
    throw ir_error("a local array has more than " + std::to_string(most) +
                       " bytes, of which every thread of a device needs its own",
                   i.line);
  const std::string t = type(*i.type);
  slot(local(i.result), count == 1 ? t : "[" + std::to_string(count) + " x " + t + "]",
       i.align ? i.align : std::max<unsigned long long>(8, ir_module::align_of(*i.type)));
}

void nvvm_writer::memory(const ir_instruction &i) {
  const bool load = i.op == "load";
  const ir_type_ref t = load ? i.type : i.args[0].type;
  const ir_value &where = i.args[load ? 0 : 1];
  const std::string text = type(*t), keep = i.flags.empty() ? "" : "volatile ",
                    align = i.align ? ", align " + std::to_string(i.align) : "";
  const std::string value = load ? "" : operand(i.args[0]), address = operand(where), cast = temporary();
  line(cast + " = bitcast i8* " + address + " to " + text + "*");
  if (load)
    line(local(i.result) + " = load " + keep + text + ", " + text + "* " + cast + align);
  else
    line("store " + keep + text + " " + value + ", " + text + "* " + cast + align);
}

void nvvm_writer::address(const ir_instruction &i) {
  bool inbounds = false;
  for (const std::string &f : i.flags) inbounds = inbounds || f == "inbounds";
  const std::string source = type(*i.type), base = temporary(), there = temporary();
  std::string text = there + " = getelementptr " + (inbounds ? "inbounds " : "") + source + ", " + source + "* " + base;
  line(base + " = bitcast i8* " + operand(i.args[0]) + " to " + source + "*");
  for (std::size_t k = 1; k < i.args.size(); ++k) text += ", " + typed(i.args[k]);
  line(text);
  line(local(i.result) + " = bitcast " + type(*walked(i.type, i.args)) + "* " + there + " to i8*");
}

void nvvm_writer::instruction(const ir_instruction &i) {
  const std::string &op = i.op;
  const std::string to = i.result.empty() ? "" : local(i.result) + " = ";
  const auto block = [&](const std::string &label) { return "label " + local(label); };
  if (op == "call") return call(i);
  if (op == "alloca") return allocation(i);
  if (op == "load" || op == "store") return memory(i);
  if (op == "getelementptr") return address(i);
  if (op == "br") {
    if (i.args.empty()) return line("br " + block(i.labels[0]));
    return line("br " + typed(i.args[0]) + ", " + block(i.labels[0]) + ", " + block(i.labels[1]));
  }
  if (op == "switch") {
    std::string cases;
    for (std::size_t k = 1; k < i.args.size(); ++k) cases += " " + typed(i.args[k]) + ", " + block(i.labels[k]);
    return line("switch " + typed(i.args[0]) + ", " + block(i.labels[0]) + " [" + cases + " ]");
  }
  if (op == "ret") return line(i.args.empty() ? "ret void" : "ret " + typed(i.args[0]));
  if (op == "unreachable") {  // behind STOP, which here comes back
    const ir_type_ref t = function_->result;
    return line(t->what == ir_type::kind::nothing ? "ret void" : "ret " + type(*t) + " undef");
  }
  if (op == "phi") {
    std::string values;
    for (std::size_t k = 0; k < i.args.size(); ++k)
      values += (k ? ", [ " : "[ ") + operand(i.args[k]) + ", " + local(i.labels[k]) + " ]";
    return line(to + "phi " + type(*i.type) + " " + values);
  }
  if (op == "select")
    return line(to + "select " + typed(i.args[0]) + ", " + typed(i.args[1]) + ", " + typed(i.args[2]));
  if (op == "fneg") return line(to + "fsub " + type(*i.args[0].type) + " -0.000000e+00, " + operand(i.args[0]));
  if (op == "freeze") {
    const std::string t = type(*i.args[0].type);
    return line(to + "select i1 true, " + t + " " + operand(i.args[0]) + ", " + t + " undef");
  }
  if (op == "frem") {
    const std::string t = type(*i.args[0].type),
                      name = i.args[0].type->bits == 32 ? "tessera_m_fmodf" : "tessera_m_fmod";
    declared_[name] = "declare " + t + " @" + name + "(" + t + ", " + t + ") #0";
    return line(to + "call " + t + " @" + name + "(" + typed(i.args[0]) + ", " + typed(i.args[1]) + ")");
  }
  if (op == "icmp" || op == "fcmp")
    return line(to + op + " " + (op == "fcmp" ? kept_flags(i) + i.flags.back() + " " : kept_flags(i)) +
                typed(i.args[0]) + ", " + operand(i.args[1]));
  if (op == "extractvalue" || op == "insertvalue") {
    std::string text = to + op + " " + typed(i.args[0]);
    if (op == "insertvalue") text += ", " + typed(i.args[1]);
    for (const unsigned n : i.indices) text += ", " + std::to_string(n);
    return line(text);
  }
  if (i.type)  // a cast
    return line(to + op + " " + typed(i.args[0]) + " to " + type(*i.type));
  line(to + op + " " + kept_flags(i) + typed(i.args[0]) + ", " + operand(i.args[1]));
}

}  // namespace tessera
