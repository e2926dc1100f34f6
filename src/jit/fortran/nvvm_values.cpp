// Types and values in NVVM IR: every pointer is i8*.
// SPDX-License-Identifier: BSD-3-Clause
#include "../text.hpp"
#include "ir_reader.hpp"
#include "nvvm_writer.hpp"
#include "reach.hpp"

namespace tessera {
namespace {

constexpr int deepest = 60;

bool plain_name(const std::string &name) {
  for (const char c : name)
    if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.'))
      return false;
  return !name.empty();
}

}  // namespace

std::string nvvm_writer::type(const ir_type &t, int depth) const {
  if (depth > deepest) throw ir_error("types nest too deeply");
  std::string out;
  switch (t.what) {
    case ir_type::kind::pointer:
      if (t.space != 0) throw ir_error("a pointer into another address space");
      return "i8*";
    case ir_type::kind::array:
      return "[" + std::to_string(t.count) + " x " + type(*t.of.at(0), depth + 1) + "]";
    case ir_type::kind::structure:
      for (const ir_type_ref &e : t.of) out += (out.empty() ? "" : ", ") + type(*e, depth + 1);
      return t.packed ? "<{ " + out + " }>" : "{ " + out + " }";
    default:
      return t.text;
  }
}

// Names keep their letters where they can; numbers are no numbers any more, for there are others between them now.
std::string nvvm_writer::local(const std::string &name) {
  std::string &known = locals_[name];
  if (known.empty()) known = plain_name(name) ? "%v." + name : "%q." + std::to_string(locals_.size());
  return known;
}

ir_type_ref nvvm_writer::walked(const ir_type_ref &from, const std::vector<ir_value> &indices) const {
  ir_type_ref t = from;
  for (std::size_t k = 2; k < indices.size(); ++k) t = ir_element(*t, indices[k]);
  return t;
}

// A value that is a constant of the module.
std::string nvvm_writer::constant(const ir_value &v, int depth) {
  if (depth > deepest) throw ir_error("constants nest too deeply");
  const auto pair = [&](const ir_value &p) { return type(*p.type) + " " + constant(p, depth + 1); };
  std::string out;
  switch (v.what) {
    case ir_value::kind::plain:
      return v.text;
    case ir_value::kind::local:
      return local(v.text);
    case ir_value::kind::global: {
      const auto p = places_.find(v.text);
      if (p != places_.end()) {
        if (p->second.where != home::shared || p->second.global->initialiser == 0)
          throw ir_error("'" + fortran_name(v.text) + "' is pointed to in a way that is not possible on a device");
        return "addrspacecast (i8 addrspace(1)* bitcast (" + type(*p->second.type) + " addrspace(1)* @" +
               p->second.symbol + " to i8 addrspace(1)*) to i8*)";
      }
      const auto f = functions_.find(v.text);
      if (f == functions_.end()) return "null";  // in a table of procedures: one that is never called
      std::string parameters;
      for (const ir_type_ref &t : f->second.parameters) parameters += (parameters.empty() ? "" : ", ") + type(*t);
      return "bitcast (" + type(*f->second.result) + " (" + parameters + ")* @" + symbols_.at(v.text) + " to i8*)";
    }
    case ir_value::kind::aggregate:
      for (const ir_value &p : v.parts) out += (out.empty() ? "" : ", ") + pair(p);
      return v.text == "[" ? "[" + out + "]" : v.text == "{" ? "{ " + out + " }" : "<{ " + out + " }>";
    case ir_value::kind::expression:
      break;
  }
  if (v.text == "getelementptr") {
    const std::string source = type(*v.source), result = type(*walked(v.source, v.parts));
    out = "getelementptr " + std::string(v.inbounds ? "inbounds " : "") + "(" + source + ", " + source +
          "* bitcast (i8* " + constant(v.parts[0], depth + 1) + " to " + source + "*)";
    for (std::size_t k = 1; k < v.parts.size(); ++k) out += ", " + pair(v.parts[k]);
    return "bitcast (" + result + "* " + out + ") to i8*)";
  }
  if (v.source) return v.text + " (" + pair(v.parts.at(0)) + " to " + type(*v.source) + ")";
  return v.text + " (" + pair(v.parts.at(0)) + ", " + pair(v.parts.at(1)) + ")";
}

// Whether it leads to data whose address is made at the beginning of a call.
bool nvvm_writer::is_moved(const ir_value &v) const {
  if (v.what == ir_value::kind::global) {
    const auto p = places_.find(v.text);
    return p != places_.end() && p->second.where != home::shared;
  }
  for (const ir_value &part : v.parts)
    if (is_moved(part)) return true;
  return false;
}

std::string nvvm_writer::operand(const ir_value &v) { return is_moved(v) ? moved(v) : constant(v); }

// The same by instructions, once in the first block.
std::string nvvm_writer::moved(const ir_value &v) {
  if (!is_moved(v)) return constant(v);
  if (v.what == ir_value::kind::global) return places_.at(v.text).base;
  if (v.what != ir_value::kind::expression)
    throw ir_error("an address of data in a constant is not possible on a device");
  std::vector<std::string> parts;
  for (const ir_value &p : v.parts) parts.push_back(moved(p));
  std::string key = v.text + (v.inbounds ? " inbounds" : "") + (v.source ? " " + type(*v.source) : "");
  for (std::size_t k = 0; k < parts.size(); ++k) key += ", " + type(*v.parts[k].type) + " " + parts[k];
  std::string &known = moved_[key];
  if (!known.empty()) return known;
  const std::string result = temporary();
  if (v.text == "getelementptr") {
    const std::string source = type(*v.source), base = temporary(), there = temporary();
    first_ += "  " + base + " = bitcast i8* " + parts[0] + " to " + source + "*\n  " + there + " = getelementptr " +
              (v.inbounds ? "inbounds " : "") + source + ", " + source + "* " + base;
    for (std::size_t k = 1; k < parts.size(); ++k) first_ += ", " + type(*v.parts[k].type) + " " + parts[k];
    first_ += "\n  " + result + " = bitcast " + type(*walked(v.source, v.parts)) + "* " + there + " to i8*\n";
  } else if (v.source) {
    first_ += "  " + result + " = " + v.text + " " + type(*v.parts[0].type) + " " + parts[0] + " to " +
              type(*v.source) + "\n";
  } else {
    first_ += "  " + result + " = " + v.text + " " + type(*v.parts[0].type) + " " + parts[0] + ", " + parts[1] + "\n";
  }
  return moved_[key] = result;
}

}  // namespace tessera
