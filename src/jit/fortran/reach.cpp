// SPDX-License-Identifier: BSD-3-Clause
#include "reach.hpp"

#include <map>

#include "fortran_call.hpp"
#include "runtime.hpp"

namespace tessera {
namespace {

std::string place(const std::string &caller, int line) {
  return "'" + fortran_name(caller) + "'" + (line > 0 ? " (line " + std::to_string(line % lines_of_file) + ")" : "");
}

[[noreturn]] void refuse_call(const std::string &symbol, const std::string &caller, int line) {
  const runtime_function f = runtime_of(symbol);
  if (!f.why.empty()) throw ir_error(place(caller, line) + " " + f.why, line);
  throw ir_error("'" + fortran_name(symbol) + "', which " + place(caller, line) + " calls, is not defined in this text",
                 line);
}

class walker {
 public:
  explicit walker(const ir_module &m) : m_(m) {}

  ir_reached run(const std::string &entry) {
    const auto first = m_.functions().find(entry);
    if (first == m_.functions().end() || !first->second.defined)
      throw ir_error("there is no function '" + entry + "' in the code");
    waiting_.push_back(entry);
    out_.functions.insert(entry);
    while (!waiting_.empty()) {
      const std::string name = waiting_.back();
      waiting_.pop_back();
      const auto f = m_.functions().find(name);
      if (f != m_.functions().end())
        function(f->second);
      else
        global(m_.globals().at(name));
    }
    find_cycles(entry);
    return std::move(out_);
  }

 private:
  void function(const ir_function &f) {
    for (const ir_block &b : m_.body(f))
      for (const ir_instruction &i : b.code) {
        std::set<std::string> names;
        for (const ir_value &v : i.args) ir_names(v, names);
        if (i.op == "call" && i.callee.what == ir_value::kind::global) {
          names.insert(i.callee.text);
          calls_[f.name].insert(i.callee.text);
        } else if (i.op == "call") {
          ir_names(i.callee, names);
        }
        for (const std::string &n : names) reach(n, f.name, i.line);
      }
  }

  void global(const ir_global &g) {
    if (g.alias) throw ir_error("'" + fortran_name(g.name) + "' is a second name, which is not possible here");
    if (g.initialiser == 0) return;
    std::set<std::string> names;
    ir_names(m_.initialiser(g), names);
    for (const std::string &n : names) reach(n, "", 0);
  }

  void reach(const std::string &name, const std::string &from, int line) {
    const auto f = m_.functions().find(name);
    if (f == m_.functions().end()) {
      if (!m_.globals().count(name)) throw ir_error("'" + name + "' is used and not defined", line);
      if (out_.globals.insert(name).second) waiting_.push_back(name);
      return;
    }
    if (!f->second.defined) {
      // In a table of procedures it may never be called.
      if (from.empty()) return;
      const runtime_function r = runtime_of(name);
      // Of the compiler's own it is seen later whether the call is left when all is inlined.
      const bool compilers = name.compare(0, 9, "_FortranA") == 0 || name.compare(0, 5, "llvm.") == 0;
      if (r.kind == runtime_kind::unknown && !(compilers && r.why.empty())) refuse_call(name, from, line);
      return;
    }
    if (out_.functions.insert(name).second) waiting_.push_back(name);
  }

  // Functions that may call themselves, by way of others or not.
  void find_cycles(const std::string &) {
    for (const std::string &f : out_.functions) {
      std::set<std::string> seen;
      std::vector<std::string> todo(calls_[f].begin(), calls_[f].end());
      while (!todo.empty()) {
        const std::string g = todo.back();
        todo.pop_back();
        if (!seen.insert(g).second) continue;
        const auto next = calls_.find(g);
        if (next != calls_.end()) todo.insert(todo.end(), next->second.begin(), next->second.end());
      }
      if (seen.count(f)) out_.recursive.insert(f);
    }
  }

  const ir_module &m_;
  ir_reached out_;
  std::vector<std::string> waiting_;
  std::map<std::string, std::set<std::string>> calls_;
};

}  // namespace

std::string fortran_name(const std::string &symbol) {
  if (symbol.compare(0, 2, "_Q") == 0) {
    // _QM<module>[S..][F<procedure>]P<name> or E<name>: capital letters part names, which have none.
    std::string name, module, procedure;
    char what = 0;
    for (std::size_t i = 2; i < symbol.size();) {
      std::size_t end = i + 1;
      while (end < symbol.size() && !(symbol[end] >= 'A' && symbol[end] <= 'Z')) ++end;
      what = symbol[i];
      const std::string word = symbol.substr(i + 1, end - i - 1);
      if (what == 'M') module = word;
      if (what == 'F' && !word.empty()) procedure = word;
      name = word;
      i = end;
    }
    std::string out = name;
    if (!procedure.empty() && what != 'F') out += " of " + procedure;
    if (!module.empty()) out += " of module " + module;
    if (!name.empty()) return out;
  }
  if (symbol.size() > 1 && symbol.back() == '_' && symbol[0] != '_') return symbol.substr(0, symbol.size() - 1);
  return symbol;
}

void ir_names(const ir_value &v, std::set<std::string> &names) {
  if (v.what == ir_value::kind::global) names.insert(v.text);
  for (const ir_value &p : v.parts) ir_names(p, names);
}

ir_reached ir_reach(const ir_module &m, const std::string &entry) { return walker(m).run(entry); }

std::string ir_inside(const ir_module &m, const ir_reached &reached, const std::string &entry,
                      const std::set<std::string> &whole) {
  std::string out = m.rest();
  for (const auto &[name, g] : m.globals()) {
    if (!reached.globals.count(name)) continue;
    std::string definition = m.slice(g.begin, g.end);
    const std::size_t internal = definition.find(" internal ");
    if (whole.count(name) && internal != std::string::npos) definition.erase(internal, 9);
    out += definition + "\n";
  }
  for (const auto &[name, f] : m.functions()) {
    if (!f.defined) {
      const std::string definition = runtime_definition(name);
      out += definition.empty() ? m.slice(f.begin, f.past_parameters) + "\n" : definition;
      continue;
    }
    if (!reached.functions.count(name)) continue;
    const bool first = name == entry;
    out += (first ? "define " : "define internal ") + m.slice(f.past_linkage, f.past_parameters);
    std::size_t at = f.past_parameters;
    while (at < f.open && (m.tokens()[at].text == "local_unnamed_addr" || m.tokens()[at].text == "unnamed_addr")) ++at;
    if (!first && !reached.recursive.count(name)) out += " alwaysinline";
    for (; at < f.open; ++at) {
      const std::string word(m.tokens()[at].text);
      if (word == "comdat") {
        if (m.tokens()[at + 1].text == "(") at += 3;
        continue;
      }
      // # and its number belong together
      out += (at > f.past_parameters && m.tokens()[at - 1].text == "#" ? "" : " ") + word;
    }
    out += " " + m.slice(f.open, f.close + 1) + "\n";
  }
  return out;
}

}  // namespace tessera
