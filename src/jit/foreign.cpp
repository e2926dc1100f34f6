// SPDX-License-Identifier: BSD-3-Clause
#include "foreign.hpp"

#include <algorithm>
#include <cctype>

#include "text.hpp"

namespace tessera {
namespace {

using form = integrand_form;

constexpr form all_forms[] = {form::vector_params, form::scalar_params, form::vector, form::scalar};

const char *mangled_parameters(form f) {
  switch (f) {
    case form::vector:
      return "PKdPd";
    case form::scalar_params:
      return "PKdPKv";
    case form::scalar:
      return "PKd";
    default:
      return "PKdPdPKv";
  }
}

bool returns_value(form f) { return f == form::scalar || f == form::scalar_params; }
bool takes_params(form f) { return f == form::vector_params || f == form::scalar_params; }

std::vector<std::string> components(const std::string &name) {
  std::vector<std::string> out(1);
  for (const char c : name) {
    if (c != ':')
      out.back() += c;
    else if (!out.back().empty())
      out.emplace_back();
  }
  return out;
}

// `c_linkage`: name is the symbol itself.
std::string declare(const std::string &name, form f, bool c_linkage) {
  std::string prototype = std::string(returns_value(f) ? "double" : "void") + " ";
  const std::string parameters = std::string("(const double *") + (returns_value(f) ? "" : ", double *") +
                                 (takes_params(f) ? ", const void *" : "") + ");";
  std::string out, call = name;
  if (c_linkage) {
    out = "extern \"C\" __device__ " + prototype + name + parameters + "\n";
  } else {
    const std::vector<std::string> parts = components(name);
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) out += "namespace " + parts[i] + " { ";
    out += "extern __device__ " + prototype + parts.back() + parameters;
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) out += " }";
    out += "\n";
  }
  call += std::string("(tessera_x") + (returns_value(f) ? "" : ", tessera_v") + (takes_params(f) ? ", tessera_p" : "") +
          ")";
  out += "extern \"C\" __device__ void tessera_f(const double *tessera_x, double *tessera_v, const void *tessera_p) { ";
  if (returns_value(f)) {
    out +=
        "static_assert(TESSERA_NCOMP == 1, \"a function that returns double has one component; this solver has "
        "more\"); "
        "tessera_v[0] = ";
  }
  return out + call + "; }\n";
}

bool symbol_part(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '%'; }

std::size_t skip_blanks(const std::string &s, std::size_t i) {
  while (i < s.size() && std::isspace(static_cast<unsigned char>(s[i]))) ++i;
  return i;
}

// Comments out of the way, places kept.
std::string without_comments(std::string s) {
  for (std::size_t i = 0; i + 1 < s.size(); ++i) {
    if (s[i] != '/' || (s[i + 1] != '/' && s[i + 1] != '*')) continue;
    const bool line = s[i + 1] == '/';
    std::size_t end = line ? s.find('\n', i) : s.find("*/", i + 2);
    end = end == std::string::npos ? s.size() : line ? end : end + 2;
    for (; i < end; ++i)
      if (s[i] != '\n') s[i] = ' ';
    --i;
  }
  return s;
}

// ".param .f64" and its like become ".param .b64", as nvcc writes them.
void plain_parameter_types(std::string &s) {
  for (std::size_t at = s.find(".param"); at != std::string::npos; at = s.find(".param", at + 1)) {
    if (at > 0 && symbol_part(s[at - 1])) continue;  // ld.param
    const std::size_t type = skip_blanks(s, at + 6);
    if (type == at + 6 || type + 3 >= s.size() || s[type] != '.') continue;
    if (std::string("fus").find(s[type + 1]) != std::string::npos &&
        std::isdigit(static_cast<unsigned char>(s[type + 2])))
      s[type + 1] = 'b';
  }
}

struct ptx_function {
  std::size_t at = 0;  // of ".func"
  std::string symbol;
  bool returns = false, defined = false;
  int parameters = 0;
};

std::vector<ptx_function> functions_of(const std::string &s) {
  std::vector<ptx_function> out;
  for (std::size_t at = s.find(".func"); at != std::string::npos; at = s.find(".func", at + 1)) {
    ptx_function f;
    f.at = at;
    std::size_t i = skip_blanks(s, at + 5);
    if (i < s.size() && s[i] == '(') {
      f.returns = true;
      i = s.find(')', i);
      if (i == std::string::npos) break;
      i = skip_blanks(s, i + 1);
    }
    while (i < s.size() && symbol_part(s[i])) f.symbol += s[i++];
    i = skip_blanks(s, i);
    if (i < s.size() && s[i] == '(') {
      const std::size_t close = s.find(')', i);
      if (close == std::string::npos) break;
      const std::string list = s.substr(i, close - i);
      f.parameters = list.find(".param") == std::string::npos
                         ? 0
                         : 1 + static_cast<int>(std::count(list.begin(), list.end(), ','));
      i = close + 1;
    }
    const std::size_t end = s.find_first_of(";{", i);
    f.defined = end != std::string::npos && s[end] == '{';
    if (!f.symbol.empty()) out.push_back(f);
  }
  return out;
}

}  // namespace

std::string mangled_name(const std::string &function) {
  const std::vector<std::string> parts = components(function);
  std::string out;
  for (const std::string &p : parts) out += std::to_string(p.size()) + p;
  return parts.size() > 1 ? "_ZN" + out + "E" : "_Z" + out;
}

std::vector<callee> possible_callees(const integrand_source &source) {
  const std::string &name = source.function;
  const bool automatic = source.form == form::automatic;
  if (name == "tessera_f") return {{name, ""}};
  if (name.compare(0, 2, "_Z") == 0) {
    form f = source.form;
    for (const form candidate : all_forms)
      if (automatic && f == form::automatic && ends_with(name, mangled_parameters(candidate))) f = candidate;
    return {{name, declare(name, f, true)}};
  }
  std::vector<callee> out;
  const auto add = [&](form f, bool c_linkage) {
    const std::string symbol = c_linkage ? name : mangled_name(name) + mangled_parameters(f);
    // a name that stands in the bytes goes first
    const bool seen = !c_linkage && source.text.find(symbol + '\0') != std::string::npos;
    out.insert(seen ? out.begin() : out.end(), {symbol, declare(name, f, c_linkage)});
  };
  const bool plain = name.find(':') == std::string::npos;
  if (automatic) {
    if (plain) add(form::vector_params, true);
    for (const form f : all_forms) add(f, false);
  } else {
    if (plain) add(source.form, true);
    add(source.form, false);
  }
  return out;
}

foreign_ptx read_ptx(const integrand_source &source) {
  const auto refuse = [&](const std::string &why) {
    throw compile_error(jit_stage::translate, source.file_name + "(1): error: " + why);
  };
  foreign_ptx out;
  out.text = without_comments(source.text);
  while (!out.text.empty() && out.text.back() == '\0') out.text.pop_back();
  plain_parameter_types(out.text);
  const std::string mangled = mangled_name(source.function);
  std::string others;
  const ptx_function *found = nullptr;
  const std::vector<ptx_function> functions = functions_of(out.text);
  for (const ptx_function &f : functions) {
    if (f.symbol == source.function || f.symbol.compare(0, mangled.size(), mangled) == 0) {
      if (!found || f.defined) found = &f;
    }
    others += (others.empty() ? "" : ", ") + f.symbol;
  }
  if (!found || !found->defined)
    refuse("the PTX defines no function '" + source.function + "'" + (others.empty() ? "" : "; it has " + others));
  form f = source.form;
  if (f == form::automatic) {
    const int n = found->parameters;
    if (found->returns)
      f = n == 1 ? form::scalar : n == 2 ? form::scalar_params : f;
    else
      f = n == 2 ? form::vector : n == 3 ? form::vector_params : f;
    if (f == form::automatic)
      refuse(
          "'" + source.function + "' has " + std::to_string(n) + " parameters and returns " +
          (found->returns ? "a value" : "nothing") +
          "; it must be void (const double *x, double *out, const void *params) or double (const double *x, const void "
          "*params), params optional");
  }
  out.function.symbol = found->symbol;
  if (found->symbol != "tessera_f") out.function.declaration = declare(found->symbol, f, true);
  // everyone must see it
  const std::size_t at = found->at;
  const std::size_t line = out.text.find_last_of(";}\n", at);
  const std::string before =
      out.text.substr(line == std::string::npos ? 0 : line + 1, at - (line == std::string::npos ? 0 : line + 1));
  if (before.find(".visible") == std::string::npos) {
    const std::size_t weak = before.find(".weak");
    if (weak != std::string::npos)
      out.text.replace(at - before.size() + weak, 5, ".visible");
    else
      out.text.insert(at, ".visible ");
  }
  return out;
}

}  // namespace tessera
