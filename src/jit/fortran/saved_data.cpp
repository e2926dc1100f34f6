// SPDX-License-Identifier: BSD-3-Clause
#include "saved_data.hpp"

#include <utility>

#include "data_use.hpp"
#include "fortran_data.hpp"

namespace tessera {
namespace {

using kind_of_variable = std::pair<std::string, unsigned long long>;  // name, bytes

struct saved_variable {
  std::string symbol, name;
  unsigned long long bytes = 0;
  bool numbers = false;  // no address in it
};

// All of the text; what has a type that no device knows is not reached, or refused later.
std::vector<saved_variable> saved_of(const ir_module &m) {
  std::vector<saved_variable> out;
  for (const auto &[symbol, g] : m.globals()) {
    const std::string name = symbol.compare(0, 2, "_Q") == 0 ? variable_of_procedure(symbol) : "";
    if (name.empty() || g.constant || g.alias || g.initialiser == 0) continue;
    try {
      const ir_type_ref t = m.initialiser(g).type;
      out.push_back({symbol, name, ir_module::size_of(*t), !has_address(*t)});
    } catch (const ir_error &) {
    }
  }
  return out;
}

// Functions of the whole text that may write each of them.
std::map<std::string, std::set<std::string>> writers_of(const ir_module &m, const std::set<std::string> &globals) {
  std::map<std::string, std::set<std::string>> out;
  ir_bodies bodies;
  for (const auto &[name, f] : m.functions()) {
    if (!f.defined) continue;
    try {
      bodies[name] = m.body(m.signature(f));
    } catch (const ir_error &) {  // whatever it names
      for (std::size_t k = f.open; k < f.close; ++k)
        if (globals.count(std::string(m.tokens()[k].value))) out[std::string(m.tokens()[k].value)].insert(name);
    }
  }
  for (const auto &[global, writers] : find_use(m, bodies, globals).writers)
    out[global].insert(writers.begin(), writers.end());
  return out;
}

// The one of the program that is meant; null, and why there is none.
const integrand_source::variable *find_in_program(const integrand_source &source, const saved_variable &v, int many,
                                                  std::string &why) {
  const integrand_source::variable *found = nullptr, *other = nullptr;
  int same = 0;
  for (const integrand_source::variable &there : source.variables) {
    if (there.symbol.empty() || there.name != v.name) continue;
    if (there.symbol == v.symbol && there.bytes == v.bytes) return &there;  // of LLVM's compiler, procedure and all
    if (there.bytes == v.bytes) {
      found = &there;
      ++same;
    } else {
      other = &there;
    }
  }
  if (!v.numbers)
    why = "it is allocatable or a pointer";
  else if (source.program == integrand_source::names::stripped)
    why = "the program has been stripped of names";
  else if (same > 1 || (same == 1 && many > 1))
    why = "more than one procedure has a variable of that name and size";
  else if (same == 1)
    return found;
  else if (other)
    why = "it has " + std::to_string(other->bytes) + " bytes in the program and " + std::to_string(v.bytes) +
          " in this text";
  else
    why = "the program has no such symbol";
  return nullptr;
}

}  // namespace

std::set<std::string> saved_data::all() const {
  std::set<std::string> out;
  for (const host_value &v : values) out.insert(v.symbol);
  for (const auto &[symbol, why] : missing) out.insert(symbol);
  return out;
}

saved_data find_saved(const ir_module &m, const ir_reached &reached, const integrand_source &source) {
  saved_data out;
  if (source.program == integrand_source::names::none) return out;
  const std::vector<saved_variable> all = saved_of(m);
  std::set<std::string> globals;
  std::map<kind_of_variable, int> many;
  for (const saved_variable &v : all) {
    if (reached.globals.count(v.symbol)) globals.insert(v.symbol);
    ++many[{v.name, v.bytes}];
  }
  if (globals.empty()) return out;
  const auto writers = writers_of(m, globals);
  for (const saved_variable &v : all) {
    const auto w = writers.find(v.symbol);
    if (w == writers.end()) continue;
    std::string why;
    const integrand_source::variable *const there = find_in_program(source, v, many[{v.name, v.bytes}], why);
    if (there) {
      out.values.push_back({v.symbol, there->offset, there->bytes, -1});
      continue;
    }
    out.missing[v.symbol] = why;
    for (const std::string &f : w->second)
      if (!reached.functions.count(f)) out.set_elsewhere.insert(v.symbol);
  }
  return out;
}

std::string require_saved(const saved_data &saved, const std::vector<nvvm_data> &data) {
  std::string out;
  for (const nvvm_data &d : data) {
    const auto missing = saved.missing.find(d.symbol);
    if (missing == saved.missing.end()) continue;
    if (!d.written || saved.set_elsewhere.count(d.symbol))
      throw ir_error("the value that the SAVE variable '" + d.name +
                     "' has in the program cannot be found: " + missing->second + "; put it into COMMON or a module");
    out += (out.empty() ? "'" : ", '") + d.name + "' (" + missing->second + ")";
  }
  return out;
}

}  // namespace tessera
