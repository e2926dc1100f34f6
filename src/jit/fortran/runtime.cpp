// SPDX-License-Identifier: BSD-3-Clause
#include "runtime.hpp"

#include "../text.hpp"

namespace tessera {
namespace {

constexpr const char *one_real =
    "sqrt exp exp2 exp10 expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh floor ceil trunc rint "
    "nearbyint round fabs erf erfc tgamma lgamma cbrt j0 j1 y0 y1";
constexpr const char *two_reals = "atan2 pow fmod hypot copysign fmin fmax fdim nextafter remainder";
constexpr const char *other_math = "fma jn yn ldexp";
constexpr const char *complex_math =
    "__muldc3 __divdc3 cabs carg cexp clog csqrt csin ccos ctan csinh ccosh ctanh cpow _FortranAzpowi _FortranAzpowk";
constexpr const char *fortran_values =
    "_FortranAModuloReal8 _FortranAModuloReal4 _FortranAModReal8 _FortranAModReal4 _FortranAFPow8i _FortranAFPow8k _FortranAExponent8_4 _FortranAFraction8 "
    "_FortranAScale8 _FortranANearest8 _FortranASpacing8 _FortranARRSpacing8 _FortranASetExponent8 _FortranAErfcScaled8 "
    "_FortranAModuloInteger4 _FortranAModuloInteger8";
constexpr const char *fortran_readers =
    "_FortranANorm2_8";
constexpr const char *outputs =
    "_FortranAioBeginExternalListOutput _FortranAioBeginExternalFormattedOutput _FortranAioEndIoStatement _FortranAioOutputAscii "
    "_FortranAioOutputReal64 _FortranAioOutputReal32 _FortranAioOutputInteger8 _FortranAioOutputInteger16 "
    "_FortranAioOutputInteger32 _FortranAioOutputInteger64 _FortranAioOutputLogical _FortranAioOutputComplex64 "
    "_FortranAioOutputComplex32 _FortranAioOutputDescriptor _FortranAioEnableHandlers _FortranAioSetAdvance _FortranAFlush";
constexpr const char *stops =
    "_FortranAStopStatement _FortranAStopStatementText _FortranAPauseStatement _FortranAExit _FortranAAbort "
    "_FortranAFailImageStatement _FortranAReportFatalUserError _FortranACrash exit abort llvm.trap";
// Orders of LLVM to itself.
constexpr const char *hints =
    "llvm.assume llvm.donothing llvm.experimental.noalias.scope.decl llvm.lifetime.start llvm.lifetime.end llvm.prefetch "
    "llvm.stackrestore llvm.invariant.start llvm.invariant.end llvm.sideeffect";

bool function_of(const std::string &base, bool single) {
  return is_one_of(base, one_real) || is_one_of(base, two_reals) || (!single && is_one_of(base, other_math));
}

// llvm.sqrt.f64: sqrt; false: something else.
runtime_function intrinsic(const std::string &symbol) {
  runtime_function f;
  const std::string rest = symbol.substr(5);
  for (const char *name : {"memcpy.p0.p0.i64", "memmove.p0.p0.i64", "memset.p0.i64", "memcpy.p0.p0.i32", "memset.p0.i32", "memmove.p0.p0.i32"})
    if (rest == name) return {runtime_kind::memory, rest, {}};
  const std::size_t dot = rest.find('.');
  std::string base = rest.substr(0, dot);
  const std::string suffix = dot == std::string::npos ? "" : rest.substr(dot + 1);
  if (contains(suffix, "v2") || contains(suffix, "v4")) return f;
  if (is_one_of(base, "smax smin umax umin abs")) return {runtime_kind::order, base, {}};
  if (is_one_of(base, "ctpop ctlz cttz bitreverse bswap fshl fshr")) return f;
  static constexpr const char *other_names[][2] = {{"minnum", "fmin"},      {"maxnum", "fmax"},    {"fmuladd", "fma"},
                                                   {"minimumnum", "fmin"}, {"maximumnum", "fmax"}, {"roundeven", "rint"}};
  for (const auto &n : other_names)
    if (base == n[0]) base = n[1];
  const bool single = starts_with(suffix, "f32");
  if (base == "powi" && starts_with(suffix, "f64")) return {runtime_kind::value, "tessera_m_powi", {}};
  if (base == "powi" && starts_with(suffix, "f32")) return {runtime_kind::value, "tessera_m_powif", {}};
  if ((base == "lround" || base == "llround" || base == "lrint") && ends_with(suffix, "f64"))
    return {runtime_kind::value, "tessera_m_" + std::string(base == "lrint" ? "lrint" : "lround") + (starts_with(suffix, "i32") ? "_i32" : "_i64"), {}};
  if (starts_with(rest, "fptosi.sat.i32.f64")) return {runtime_kind::value, "tessera_m_fptosi_i32", {}};
  if (starts_with(rest, "fptosi.sat.i64.f64")) return {runtime_kind::value, "tessera_m_fptosi_i64", {}};
  if ((suffix == "f64" || single) && function_of(base, single))
    return {runtime_kind::value, "tessera_m_" + base + (single ? "f" : ""), {}};
  return f;
}

}  // namespace

runtime_function runtime_of(const std::string &symbol) {
  const auto known = [&](runtime_kind k) { return runtime_function{k, "tessera_m_" + symbol, {}}; };
  for (const std::string &hint : words_of(hints))
    if (symbol == hint || starts_with(symbol, hint + ".")) return {runtime_kind::nothing, {}, {}};
  if (is_one_of(symbol, stops)) return {runtime_kind::stop, {}, {}};
  if (starts_with(symbol, "llvm.")) return intrinsic(symbol);
  if (function_of(symbol, false) || is_one_of(symbol, complex_math) || is_one_of(symbol, fortran_values))
    return known(runtime_kind::value);
  if (ends_with(symbol, "f") && function_of(symbol.substr(0, symbol.size() - 1), true)) return known(runtime_kind::value);
  if (is_one_of(symbol, fortran_readers)) return known(runtime_kind::reader);
  if (symbol == "_FortranAInitialize") return known(runtime_kind::writer);
  if (is_one_of(symbol, outputs)) return {runtime_kind::output, {}, {}};
  if (symbol == "tessera_m_status") return {runtime_kind::writer, symbol, {}};
  if (symbol == "malloc") return {runtime_kind::allocate, {}, {}};
  if (symbol == "free") return {runtime_kind::release, {}, {}};
  runtime_function f;
  if (starts_with(symbol, "_FortranAio"))
    f.why = contains(symbol, "Input") || contains(symbol, "Open") || contains(symbol, "Close") || contains(symbol, "Inquire")
                ? "reads or opens files, which a device cannot do; read the data before, into COMMON or a module"
                : "writes in a way that is not possible on a device";
  else if (is_one_of(symbol, "_FortranARandomNumber _FortranARandomSeed _FortranACpuTime _FortranASystemClock _FortranADateAndTime"))
    f.why = "asks the operating system or draws random numbers, which is not possible for every point";
  else if (starts_with(symbol, "_FortranAAllocatable") || starts_with(symbol, "_FortranAPointer"))
    f.why = "allocates memory in a way that is not possible for every point; use arrays of a constant size";
  return f;
}

}  // namespace tessera
