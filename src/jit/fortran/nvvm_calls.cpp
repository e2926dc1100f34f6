// Calls: of the text's own functions, and of what the device has in the place of Fortran's libraries.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "../text.hpp"
#include "nvvm_writer.hpp"
#include "reach.hpp"

namespace tessera {

// What is given back somewhere by its own name, and not through memory.
void nvvm_writer::find_released(const std::vector<ir_block> &body) {
  for (const ir_block &b : body)
    for (const ir_instruction &i : b.code)
      if (i.op == "call" && i.callee.text == "free" && i.args.size() == 1 && i.args[0].what == ir_value::kind::local)
        released_.insert(i.args[0].text);
}

bool nvvm_writer::in_a_cycle(const std::vector<ir_block> &body, const std::string &label) const {
  std::map<std::string, const ir_block *> by_label;
  for (const ir_block &b : body) by_label[b.label] = &b;
  std::set<std::string> seen;
  std::vector<std::string> todo = {label};
  bool first = true;
  while (!todo.empty()) {
    const std::string at = todo.back();
    todo.pop_back();
    if (!first && at == label) return true;
    if (!first && !seen.insert(at).second) continue;
    first = false;
    const auto b = by_label.find(at);
    if (b == by_label.end()) continue;
    const std::vector<std::string> &next = b->second->code.back().labels;
    todo.insert(todo.end(), next.begin(), next.end());
  }
  return false;
}

void nvvm_writer::call(const ir_instruction &i) {
  if (std::find(i.flags.begin(), i.flags.end(), "variadic") != i.flags.end())
    throw ir_error(
        "'" + i.callee.text + "' is called with a variable number of arguments, which is not possible on a device",
        i.line);
  if (i.callee.what != ir_value::kind::global)
    throw ir_error(
        "a procedure is called that is not known when the integrand is compiled: a procedure pointer, or a binding "
        "that "
        "depends on the dynamic type",
        i.line);
  const std::string to = i.result.empty() ? "" : local(i.result) + " = ";
  const auto f = functions_.find(i.callee.text);
  if (f != functions_.end()) {
    std::string arguments;
    bool same = i.args.size() == f->second.parameters.size() && type(*i.type) == type(*f->second.result);
    for (std::size_t k = 0; k < i.args.size(); ++k) {
      arguments += (k ? ", " : "") + typed(i.args[k]);
      same = same && type(*i.args[k].type) == type(*f->second.parameters[k]);
    }
    if (!same)
      throw ir_error("'" + fortran_name(i.callee.text) +
                         "' is called with other arguments than it has, or for another type of result",
                     i.line);
    line(to + "call " + type(*i.type) + " @" + symbols_.at(i.callee.text) + "(" + arguments + ")");
    return;
  }
  call_runtime(i, runtime_of(i.callee.text));
}

// A result that nobody needs, but that has a name.
void nvvm_writer::constant_result(const ir_instruction &i) {
  if (i.result.empty() || i.type->what == ir_type::kind::nothing) return;
  const std::string t = type(*i.type), zero = i.type->what == ir_type::kind::pointer ? "null"
                                              : i.type->bits == 1                    ? "true"
                                                                                     : "zeroinitializer";
  line(local(i.result) + " = select i1 true, " + t + " " + zero + ", " + t + " " + zero);
}

void nvvm_writer::call_runtime(const ir_instruction &i, const runtime_function &f) {
  std::string arguments, types;
  const auto list = [&] {
    for (const ir_value &v : i.args) {
      arguments += (arguments.empty() ? "" : ", ") + typed(v);
      types += (types.empty() ? "" : ", ") + type(*v.type);
    }
  };
  switch (f.kind) {
    case runtime_kind::nothing:
      return constant_result(i);
    case runtime_kind::order:
      return order(i, f.name);
    case runtime_kind::output:
      if (contains(i.callee.text, "Begin") || i.callee.text == "_FortranAFlush") {
        declared_["tessera_m_output"] = "declare void @tessera_m_output() #2";
        line("call void @tessera_m_output()");
      }
      return constant_result(i);
    case runtime_kind::stop:
      declared_["tessera_m_stop"] = "declare void @tessera_m_stop() #2";
      line("call void @tessera_m_stop()");
      return constant_result(i);
    case runtime_kind::release:
      return;  // it was no allocation
    case runtime_kind::allocate: {
      const bool constant = i.args.size() == 1 && i.args[0].what == ir_value::kind::plain &&
                            i.args[0].text.size() < 8 &&
                            i.args[0].text.find_first_not_of("0123456789") == std::string::npos;
      if (!constant || i.args[0].text.empty())
        throw ir_error(
            "the size of an array that is allocated is not known when the integrand is compiled, or too large", i.line);
      if (in_a_cycle(*blocks_, block_label_) && !released_.count(i.result))
        throw ir_error("an array is allocated in a loop and not given back in it, which is not possible on a device",
                       i.line);
      if (i.result.empty()) return;
      return slot(local(i.result), "[" + i.args[0].text + " x i8]", 16);
    }
    case runtime_kind::memory: {
      list();
      const std::string name = starts_with(f.name, "memset")   ? "llvm.memset.p0i8.i"
                               : starts_with(f.name, "memcpy") ? "llvm.memcpy.p0i8.p0i8.i"
                                                               : "llvm.memmove.p0i8.p0i8.i";
      const std::string full = name + f.name.substr(f.name.size() - 2);
      declared_[full] = "declare void @" + full + "(" + types + ")";
      line("call void @" + full + "(" + arguments + ")");
      return;
    }
    case runtime_kind::same:
      if (i.args.size() == 2 && i.args[1].what != ir_value::kind::plain)
        throw ir_error("'" + i.callee.text + "' is not possible on a device");
      break;
    case runtime_kind::unknown:
      throw ir_error("'" + i.callee.text + "' of the compiler's library is needed, which is not there on a device",
                     i.line);
    default:
      break;
  }
  const std::string attributes = f.kind == runtime_kind::value || f.kind == runtime_kind::same ? " #0"
                                 : f.kind == runtime_kind::reader                              ? " #1"
                                                                                               : " #2";
  const std::string t = type(*i.type);
  const auto declare = [&](const std::string &result, const std::string &marks) {
    const std::string text = "declare " + result + " @" + f.name + "(" + types + ")" + marks;
    std::string &known = declared_[f.name];
    if (!known.empty() && known != text) throw ir_error("'" + i.callee.text + "' is called in two ways", i.line);
    known = text;
  };
  if (i.type->what != ir_type::kind::structure) {
    list();
    declare(t, attributes);
    line((i.result.empty() ? "" : local(i.result) + " = ") + "call " + t + " @" + f.name + "(" + arguments + ")");
    return;
  }
  // A complex number comes back through memory.
  const std::string where = temporary(), cast = temporary();
  slot(where, t, 16);
  arguments = "i8* " + where;
  types = "i8*";
  list();
  declare("void", " #2");
  line("call void @" + f.name + "(" + arguments + ")");
  if (i.result.empty()) return;
  line(cast + " = bitcast i8* " + where + " to " + t + "*");
  line(local(i.result) + " = load " + t + ", " + t + "* " + cast);
}

void nvvm_writer::order(const ir_instruction &i, const std::string &what) {
  if (i.type->what != ir_type::kind::integer || i.args.size() < 2)
    throw ir_error("'" + i.callee.text + "' is not possible on a device", i.line);
  const std::string t = type(*i.type), test = temporary(), a = operand(i.args[0]);
  std::string b = operand(i.args[1]), predicate = what == "smax"   ? "sgt"
                                                  : what == "smin" ? "slt"
                                                  : what == "umax" ? "ugt"
                                                                   : "ult";
  if (what == "abs") {
    b = temporary();
    line(b + " = sub " + t + " 0, " + a);
    predicate = "sgt";
    line(test + " = icmp " + predicate + " " + t + " " + a + ", 0");
  } else {
    line(test + " = icmp " + predicate + " " + t + " " + a + ", " + b);
  }
  if (!i.result.empty()) line(local(i.result) + " = select i1 " + test + ", " + t + " " + a + ", " + t + " " + b);
}

}  // namespace tessera
