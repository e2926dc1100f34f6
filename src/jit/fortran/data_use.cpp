// SPDX-License-Identifier: BSD-3-Clause
#include "data_use.hpp"

#include "../text.hpp"
#include "reach.hpp"
#include "runtime.hpp"

namespace tessera {
namespace {

using names = std::set<std::string>;

class follower {
 public:
  follower(const ir_module &m, const names &globals, data_use &out) : m_(m), globals_(globals), out_(out) {}

  void run(const std::string &function, const std::vector<ir_block> &body) {
    from_.clear();
    bool changed = true;
    while (changed) {
      changed = false;
      for (const ir_block &b : body)
        for (const ir_instruction &i : b.code)
          if (!i.result.empty() && passes_on(i.op)) {
            names all;
            // of getelementptr and freeze the address alone, of select not the condition
            for (std::size_t k = i.op == "select" ? 1 : 0; k < (i.op == "phi" || i.op == "select" ? i.args.size() : 1);
                 ++k)
              add(all, i.args[k]);
            if (all.empty()) continue;
            names &known = from_[i.result];
            const std::size_t before = known.size();
            known.insert(all.begin(), all.end());
            changed = changed || known.size() > before;
          }
    }
    for (const ir_block &b : body)
      for (const ir_instruction &i : b.code) {
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

 private:
  static bool passes_on(const std::string &op) {
    return is_one_of(op, "getelementptr phi select freeze bitcast addrspacecast");
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

  void write(const ir_value &v) { add(out_.written, v); }

  void use(const ir_instruction &i) {
    if (passes_on(i.op) || i.op == "load" || i.op == "icmp") return;
    if (i.op != "call") {  // a store to it or of it, a number made of it, a result
      for (const ir_value &v : i.args) write(v);
      return;
    }
    const bool ours = i.callee.what != ir_value::kind::global;
    const auto f = ours ? m_.functions().end() : m_.functions().find(i.callee.text);
    const bool defined = f != m_.functions().end() && f->second.defined;
    const runtime_kind kind = ours || defined ? runtime_kind::unknown : runtime_of(i.callee.text).kind;
    for (std::size_t k = 0; k < i.args.size(); ++k) {
      const bool first =
          k == 0 && (kind == runtime_kind::memory || kind == runtime_kind::writer || kind == runtime_kind::release);
      if (kind == runtime_kind::unknown || first) write(i.args[k]);
    }
  }

  const ir_module &m_;
  const names &globals_;
  data_use &out_;
  std::map<std::string, names> from_;
};

}  // namespace

data_use find_use(const ir_module &m, const ir_bodies &bodies, const std::set<std::string> &globals) {
  data_use out;
  follower f(m, globals, out);
  for (const auto &[name, body] : bodies) f.run(name, body);
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
