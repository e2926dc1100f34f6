// SPDX-License-Identifier: BSD-3-Clause
#include "data_use.hpp"

#include <algorithm>

#include "../text.hpp"
#include "reach.hpp"
#include "runtime.hpp"

namespace tessera {
namespace {

using names = std::set<std::string>;

// An address is known by what it leads to: a global by its name, the contents of an array by * and that name, a local variable or
// allocation by % and the name of its address, an argument and all that it leads to by = and its number.
class follower {
 public:
  follower(const ir_module &m, const names &globals, const names &arrays, data_use &out)
      : m_(m), globals_(globals), out_(out) {
    for (const std::string &a : arrays) always_[a] = {"*" + a};
  }

  // All functions, until it is known of each which arguments it writes.
  void run(const ir_bodies &bodies) {
    for (const auto &[name, body] : bodies) arguments_written_[name];
    do {
      learnt_ = false;
      for (const auto &[name, body] : bodies) run(name, body);
    } while (learnt_);
  }

 private:
  void run(const std::string &function, const std::vector<ir_block> &body) {
    function_ = function;
    from_.clear();
    numbers_.clear();
    held_ = always_;
    const std::vector<std::string> parameters = m_.signature(m_.functions().at(function)).names;
    for (std::size_t k = 0; k < parameters.size(); ++k) {
      const std::string label = "=" + std::to_string(k);
      from_[parameters[k]] = held_[label] = {label};
    }
    for (changed_ = true; changed_;) {
      changed_ = false;
      for (const ir_block &b : body)
        for (const ir_instruction &i : b.code) follow(i);
    }
    names other_uses;
    for (const ir_block &b : body)
      for (const ir_instruction &i : b.code)
        for (const ir_value &v : i.args)
          if (v.what == ir_value::kind::local && i.op != "icmp") other_uses.insert(v.text);
    for (const ir_block &b : body)
      for (const ir_instruction &i : b.code) {
        if (i.op == "ptrtoint" && !other_uses.count(i.result)) continue;  // it is asked whether there is one
        names named;
        for (const ir_value &v : i.args) ir_names(v, named);
        for (const std::string &n : named)
          if (globals_.count(n)) {
            out_.used.insert(n);
            out_.users[n].insert(function);
          }
        use(i);
      }
  }

  static bool passes_on(const std::string &op) {
    return is_one_of(op, "getelementptr phi select freeze bitcast addrspacecast insertvalue extractvalue");
  }
  static bool is_local(const std::string &label) { return label[0] == '%'; }

  void grow(names &to, const names &more) {
    const std::size_t before = to.size();
    to.insert(more.begin(), more.end());
    changed_ = changed_ || to.size() > before;
  }

  // Arguments whose address becomes a part of the result.
  static std::vector<std::size_t> sources(const ir_instruction &i) {
    if (i.op == "insertvalue") return {0, 1};
    std::vector<std::size_t> out;
    if (i.op == "phi" || i.op == "select")
      for (std::size_t k = i.op == "select" ? 1 : 0; k < i.args.size(); ++k) out.push_back(k);
    else if (!i.args.empty())
      out.push_back(0);
    return out;
  }

  // What may be read there.
  names held(const names &at) const {
    names out;
    for (const std::string &label : at) {
      const auto known = held_.find(label);
      if (known != held_.end()) out.insert(known->second.begin(), known->second.end());
    }
    return out;
  }

  void follow(const ir_instruction &i) {
    if (i.op == "store") return keep(of(i.args[1]), all_of(i.args[0]));
    if (i.op == "call") {
      const runtime_kind kind = kind_of(i);
      if (kind == runtime_kind::allocate && !i.result.empty()) grow(from_[i.result], {"%" + i.result});
      if (kind == runtime_kind::memory && i.args.size() > 2) keep(of(i.args[0]), held(of(i.args[1])));
      return;
    }
    if (i.result.empty()) return;
    if (i.op == "alloca") return grow(from_[i.result], {"%" + i.result});
    if (i.op == "load") {
      const names there = held(of(i.args[0]));
      // As eight bytes an address may be copied, too; what else is made of such a number is an extent.
      if (!there.empty() && i.type->what == ir_type::kind::integer) return grow(numbers_[i.result], there);
      if (!there.empty() && has_address(*i.type)) grow(from_[i.result], there);
      return;
    }
    if (i.op == "inttoptr") {
      const names number = all_of(i.args[0]);
      if (!number.empty()) grow(from_[i.result], number);
      return;
    }
    if (i.op == "ptrtoint" || (i.op == "trunc" && i.args[0].type->bits > 64)) {
      const names number = all_of(i.args[0]);
      if (!number.empty()) grow(numbers_[i.result], number);
      return;
    }
    if (!passes_on(i.op)) return;
    names addresses, numbers;
    for (const std::size_t k : sources(i)) {
      add(addresses, i.args[k]);
      const auto number = numbers_.find(i.args[k].text);
      if (i.args[k].what == ir_value::kind::local && number != numbers_.end())
        numbers.insert(number->second.begin(), number->second.end());
    }
    if (!addresses.empty()) grow(from_[i.result], addresses);
    if (!numbers.empty()) grow(numbers_[i.result], numbers);
  }

  // In local variables; what is put elsewhere is given away.
  void keep(const names &at, const names &what) {
    for (const std::string &label : at)
      if (is_local(label) && !what.empty()) grow(held_[label], what);
  }

  void add(names &to, const ir_value &v) const {
    if (v.what == ir_value::kind::local) {
      const auto known = from_.find(v.text);
      if (known != from_.end()) to.insert(known->second.begin(), known->second.end());
      return;
    }
    names all;
    ir_names(v, all);
    for (const std::string &n : all)
      if (globals_.count(n)) to.insert(n);
  }

  names of(const ir_value &v) const {
    names out;
    add(out, v);
    return out;
  }

  names all_of(const ir_value &v) const {
    names out = of(v);
    const auto number = numbers_.find(v.text);
    if (v.what == ir_value::kind::local && number != numbers_.end())
      out.insert(number->second.begin(), number->second.end());
    return out;
  }

  void write(const names &all) {
    for (const std::string &label : all) {
      if (label[0] == '*') {
        out_.contents_written.insert(label.substr(1));
      } else if (label[0] == '=') {
        learnt_ = arguments_written_[function_].insert(label).second || learnt_;
      } else if (!is_local(label)) {
        out_.written.insert(label);
        out_.writers[label].insert(function_);
      }
    }
  }

  // Somebody else has it, and what it leads to.
  void give_away(const names &all) {
    names seen, todo = all;
    while (!todo.empty()) {
      seen.insert(todo.begin(), todo.end());
      names next;
      for (const std::string &label : held(todo))
        if (!seen.count(label)) next.insert(label);
      todo.swap(next);
    }
    write(seen);
  }

  void reach(const names &all) {
    for (const std::string &label : all)
      if (label[0] == '*') out_.contents_used.insert(label.substr(1));
  }

  runtime_kind kind_of(const ir_instruction &i) const {
    const bool ours = i.callee.what != ir_value::kind::global;
    const auto f = ours ? m_.functions().end() : m_.functions().find(i.callee.text);
    const bool defined = f != m_.functions().end() && f->second.defined;
    return ours || defined ? runtime_kind::unknown : runtime_of(i.callee.text).kind;
  }

  void use(const ir_instruction &i) {
    if (i.op == "load") return reach(of(i.args[0]));
    if (i.op == "store") {
      const names at = of(i.args[1]);
      reach(at);
      write(at);
      const bool local = !at.empty() && std::all_of(at.begin(), at.end(), is_local);
      if (!local) give_away(all_of(i.args[0]));
      return;
    }
    if (i.op == "call") return use_call(i);
    if (i.op == "icmp") {
      for (const ir_value &v : i.args)
        for (const std::string &label : all_of(v))
          if (label[0] == '*') out_.asked_for.insert(label.substr(1));
      return;
    }
    if (passes_on(i.op)) return;
    for (const ir_value &v : i.args) give_away(of(v));  // a number made of it, a result
  }

  // Whether it is known that the function called leaves an argument, and what that leads to, as it is.
  bool only_read(const ir_instruction &i, std::size_t k) const {
    const auto known = arguments_written_.find(i.callee.text);
    if (i.callee.what != ir_value::kind::global || known == arguments_written_.end()) return false;
    const std::size_t count = m_.signature(m_.functions().at(i.callee.text)).names.size();
    return k < count && !known->second.count("=" + std::to_string(k));
  }

  void use_call(const ir_instruction &i) {
    const runtime_kind kind = kind_of(i);
    for (std::size_t k = 0; k < i.args.size(); ++k) {
      const names at = of(i.args[k]);
      if (kind != runtime_kind::nothing) reach(at);
      if (kind != runtime_kind::nothing && kind != runtime_kind::memory) reach(held(at));
      if (kind == runtime_kind::unknown && !only_read(i, k)) give_away(all_of(i.args[k]));
      if (k > 0) continue;
      if (kind == runtime_kind::memory || kind == runtime_kind::release) write(at);
      if (kind == runtime_kind::writer) give_away(at);
    }
    // What is copied to where others see it.
    if (kind == runtime_kind::memory && i.args.size() > 2) {
      const names to = of(i.args[0]);
      if (to.empty() || !std::all_of(to.begin(), to.end(), is_local)) give_away(held(of(i.args[1])));
    }
  }

  const ir_module &m_;
  const names &globals_;
  data_use &out_;
  std::map<std::string, names> always_;             // what global records hold
  std::map<std::string, names> arguments_written_;  // by function
  bool learnt_ = false;
  // of the function that is followed
  std::string function_;
  std::map<std::string, names> from_;     // what an address leads to
  std::map<std::string, names> numbers_;  // numbers that may be addresses
  std::map<std::string, names> held_;     // what is kept there
  bool changed_ = false;
};

}  // namespace

data_use find_use(const ir_module &m, const ir_bodies &bodies, const std::set<std::string> &globals,
                  const std::set<std::string> &arrays) {
  data_use out;
  follower f(m, globals, arrays, out);
  f.run(bodies);
  for (const std::string &name : globals) {
    const ir_global &g = m.globals().at(name);
    if (g.initialiser == 0 || g.alias) continue;
    names all;
    ir_names(m.initialiser(g), all);
    for (const std::string &n : all)
      if (globals.count(n)) out.pointed.insert(n);
  }
  return out;
}

bool has_address(const ir_type &t) {
  if (t.what == ir_type::kind::pointer) return true;
  for (const ir_type_ref &e : t.of)
    if (has_address(*e)) return true;
  return false;
}

bool is_descriptor(const ir_type &t) {
  if (t.what != ir_type::kind::structure || t.of.size() < 7) return false;
  const auto integer = [&](std::size_t k, unsigned bits) {
    return t.of[k]->what == ir_type::kind::integer && t.of[k]->bits == bits;
  };
  return t.of[0]->what == ir_type::kind::pointer && integer(1, 64) && integer(2, 32) && integer(3, 8) &&
         integer(4, 8) && integer(5, 8) && integer(6, 8);
}

}  // namespace tessera
