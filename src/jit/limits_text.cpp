// SPDX-License-Identifier: BSD-3-Clause
#include "limits_text.hpp"

#include <map>

#include "device_prelude.hpp"
#include "text.hpp"

namespace tessera {
namespace {

std::string function_of(const integrand_source &limits) { return "tessera_limits_" + std::to_string(limits.axis); }

}  // namespace

std::string entry_of(const integrand_source &source) {
  return "extern \"C\" __device__ __forceinline__ void " +
         (source.axis < 0 ? "tessera_f(const double *tessera_x, double *tessera_v, const void *tessera_p)"
                          : function_of(source) +
                                "(const double *tessera_x, double *tessera_l, double *tessera_u, "
                                "const void *tessera_p)");
}

std::string declared_limits(const integrand_source &source) {
  std::string functions, axes;
  for (const integrand_source &l : source.limits) {
    functions += entry_of(l) + ";\n";
    axes += " TESSERA_LIMITED_AXIS(" + std::to_string(l.axis) + ")";
  }
  return axes.empty() ? axes : functions + "#define TESSERA_LIMITED_AXES" + axes + "\n";
}

std::string cxx_limits(const integrand_source &source, std::string &includes) {
  std::map<std::string, std::string> spaces;  // of texts that are there
  if (source.language == source_language::cuda_cxx) spaces[expand_includes(source)] = "";
  std::string out;
  for (const integrand_source &l : source.limits) {
    if (l.language != source_language::cuda_cxx) continue;
    const std::string text = expand_includes(l);
    const auto [known, is_new] = spaces.emplace(text, "::" + function_of(l) + "_text");
    if (is_new) {
      std::string own;
      out += "namespace " + function_of(l) + "_text {\n" + without_includes(text, own) + "\n}\n";
      if (!own.empty()) includes += "#line 1 " + quoted(l.file_name) + "\n" + own;
    }
    out += "#line 1 " + quoted(call_name(l)) + "\n" + entry_of(l) + " { ::tessera_forms::limits(&" + known->second +
           "::" + l.function + ", tessera_x, tessera_l, tessera_u, tessera_p); }\n";
    if (is_new) out += undefine_macros(text, std::string(c_math_text) + c_float_text + c_limits_text);
  }
  return out;
}

const integrand_source &text_of_error(const integrand_source &source, const std::string &message,
                                      const std::string &log) {
  const bool of_forms = starts_with(message, "tessera_forms.h");
  for (const integrand_source &l : source.limits)
    if (of_forms ? contains(log, call_name(l)) : starts_with(message, call_name(l))) return l;
  return source;
}

}  // namespace tessera
