// SPDX-License-Identifier: BSD-3-Clause
#include "runtime.hpp"

#include "../text.hpp"

namespace tessera {
namespace {

constexpr const char *one_real =
    "sqrt exp exp2 exp10 expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh floor "
    "ceil trunc rint "
    "nearbyint round fabs erf erfc tgamma lgamma cbrt j0 j1 y0 y1";
constexpr const char *two_reals = "atan2 pow fmod hypot copysign fmin fmax fdim nextafter remainder";
constexpr const char *other_math = "fma jn yn ldexp";
constexpr const char *complex_math =
    "__muldc3 __divdc3 cabs carg cexp clog csqrt csin ccos ctan csinh ccosh ctanh cpow _FortranAzpowi _FortranAzpowk";
constexpr const char *fortran_values =
    "_FortranAModuloReal8 _FortranAModuloReal4 _FortranAModReal8 _FortranAModReal4 _FortranAFPow8i _FortranAFPow8k "
    "_FortranAExponent8_4 _FortranAFraction8 "
    "_FortranAScale8 _FortranANearest8 _FortranASpacing8 _FortranARRSpacing8 _FortranASetExponent8 "
    "_FortranAErfcScaled8 "
    "_FortranAModuloInteger4 _FortranAModuloInteger8";
constexpr const char *fortran_readers = "_FortranANorm2_8 _FortranAIsContiguous";
constexpr const char *outputs =
    "_FortranAioBeginExternalListOutput _FortranAioBeginExternalFormattedOutput _FortranAioEndIoStatement "
    "_FortranAioOutputAscii "
    "_FortranAioOutputReal64 _FortranAioOutputReal32 _FortranAioOutputInteger8 _FortranAioOutputInteger16 "
    "_FortranAioOutputInteger32 _FortranAioOutputInteger64 _FortranAioOutputLogical _FortranAioOutputComplex64 "
    "_FortranAioOutputComplex32 _FortranAioOutputDescriptor _FortranAioEnableHandlers _FortranAioSetAdvance "
    "_FortranAFlush";
constexpr const char *stops =
    "_FortranAStopStatement _FortranAStopStatementText _FortranAPauseStatement _FortranAExit _FortranAAbort "
    "_FortranAFailImageStatement _FortranAReportFatalUserError _FortranACrash exit abort llvm.trap";
// Orders of LLVM to itself.
constexpr const char *hints =
    "llvm.assume llvm.donothing llvm.experimental.noalias.scope.decl llvm.lifetime.start llvm.lifetime.end "
    "llvm.prefetch "
    "llvm.stacksave llvm.stackrestore llvm.invariant.start llvm.invariant.end llvm.sideeffect";

bool function_of(const std::string &base, bool single) {
  return is_one_of(base, one_real) || is_one_of(base, two_reals) || (!single && is_one_of(base, other_math));
}

// llvm.sqrt.f64: sqrt; false: something else.
runtime_function intrinsic(const std::string &symbol) {
  runtime_function f;
  const std::string rest = symbol.substr(5);
  for (const char *name : {"memcpy.p0.p0.i64", "memmove.p0.p0.i64", "memset.p0.i64", "memcpy.p0.p0.i32",
                           "memset.p0.i32", "memmove.p0.p0.i32"})
    if (rest == name) return {runtime_kind::memory, rest, {}};
  const std::size_t dot = rest.find('.');
  std::string base = rest.substr(0, dot);
  const std::string suffix = dot == std::string::npos ? "" : rest.substr(dot + 1);
  if (contains(suffix, "v2") || contains(suffix, "v4")) return f;
  if (is_one_of(base, "smax smin umax umin abs")) return {runtime_kind::order, base, {}};
  if (is_one_of(rest, "ctpop.i32 ctpop.i64 ctlz.i32 ctlz.i64 cttz.i32 cttz.i64 bswap.i32 bswap.i64"))
    return {runtime_kind::same, symbol, {}};
  static constexpr const char *other_names[][2] = {{"minnum", "fmin"},     {"maxnum", "fmax"},
                                                   {"fmuladd", "fma"},     {"minimumnum", "fmin"},
                                                   {"maximumnum", "fmax"}, {"roundeven", "rint"}};
  for (const auto &n : other_names)
    if (base == n[0]) base = n[1];
  const bool single = starts_with(suffix, "f32");
  if (base == "powi" && starts_with(suffix, "f64")) return {runtime_kind::value, "tessera_m_powi", {}};
  if (base == "powi" && starts_with(suffix, "f32")) return {runtime_kind::value, "tessera_m_powif", {}};
  if ((base == "lround" || base == "llround" || base == "lrint") && ends_with(suffix, "f64"))
    return {runtime_kind::value,
            "tessera_m_" + std::string(base == "lrint" ? "lrint" : "lround") +
                (starts_with(suffix, "i32") ? "_i32" : "_i64"),
            {}};
  if (starts_with(rest, "fptosi.sat.i32.f64")) return {runtime_kind::value, "tessera_m_fptosi_i32", {}};
  if (starts_with(rest, "fptosi.sat.i64.f64")) return {runtime_kind::value, "tessera_m_fptosi_i64", {}};
  if ((suffix == "f64" || single) && function_of(base, single))
    return {runtime_kind::value, "tessera_m_" + base + (single ? "f" : ""), {}};
  return f;
}

// flang's record of an array: length of an element at 8, rank at 20, from 24 on (lower bound, extent, stride) each.
constexpr const char *contiguous = R"ir(
define internal zeroext i1 @_FortranAIsContiguous(ptr %d) alwaysinline {
begin:
  %pl = getelementptr i8, ptr %d, i64 8
  %length = load i64, ptr %pl, align 8
  %pr = getelementptr i8, ptr %d, i64 20
  %r = load i8, ptr %pr, align 1
  %rank = zext i8 %r to i64
  br label %next
next:
  %k = phi i64 [ 0, %begin ], [ %k1, %fits ]
  %step = phi i64 [ %length, %begin ], [ %step1, %fits ]
  %more = icmp ult i64 %k, %rank
  br i1 %more, label %look, label %yes
look:
  %o = mul i64 %k, 24
  %oe = add i64 %o, 32
  %os = add i64 %o, 40
  %pe = getelementptr i8, ptr %d, i64 %oe
  %ps = getelementptr i8, ptr %d, i64 %os
  %extent = load i64, ptr %pe, align 8
  %stride = load i64, ptr %ps, align 8
  %one = icmp sle i64 %extent, 1
  %tight = icmp eq i64 %stride, %step
  %good = or i1 %one, %tight
  br i1 %good, label %fits, label %no
fits:
  %step1 = mul i64 %step, %extent
  %k1 = add i64 %k, 1
  br label %next
yes:
  ret i1 true
no:
  ret i1 false
}
)ir";

}  // namespace

std::string runtime_definition(const std::string &symbol) {
  return symbol == "_FortranAIsContiguous" ? contiguous : "";
}

runtime_function runtime_of(const std::string &symbol) {
  const auto known = [&](runtime_kind k) { return runtime_function{k, "tessera_m_" + symbol, {}}; };
  for (const std::string &hint : words_of(hints))
    if (symbol == hint || starts_with(symbol, hint + ".")) return {runtime_kind::nothing, {}, {}};
  if (is_one_of(symbol, stops)) return {runtime_kind::stop, {}, {}};
  if (starts_with(symbol, "llvm.")) return intrinsic(symbol);
  if (function_of(symbol, false) || is_one_of(symbol, complex_math) || is_one_of(symbol, fortran_values))
    return known(runtime_kind::value);
  if (ends_with(symbol, "f") && function_of(symbol.substr(0, symbol.size() - 1), true))
    return known(runtime_kind::value);
  if (is_one_of(symbol, fortran_readers)) return known(runtime_kind::reader);
  if (symbol == "_FortranAAssign" || symbol == "_FortranAInitialize") return known(runtime_kind::writer);
  if (is_one_of(symbol, outputs)) return {runtime_kind::output, {}, {}};
  if (symbol == "tessera_m_status") return {runtime_kind::writer, symbol, {}};
  if (symbol == "malloc") return {runtime_kind::allocate, {}, {}};
  if (symbol == "free") return {runtime_kind::release, {}, {}};
  runtime_function f;
  if (starts_with(symbol, "_FortranAio"))
    f.why = contains(symbol, "Input") || contains(symbol, "Open") || contains(symbol, "Close") ||
                    contains(symbol, "Inquire")
                ? "reads or opens files, which a device cannot do; read the data before, into COMMON or a module"
                : "writes in a way that is not possible on a device";
  else if (is_one_of(
               symbol,
               "_FortranARandomNumber _FortranARandomSeed _FortranACpuTime _FortranASystemClock _FortranADateAndTime"))
    f.why = "asks the operating system or draws random numbers, which is not possible for every point";
  else if (starts_with(symbol, "_FortranAAllocatable") || starts_with(symbol, "_FortranAPointer"))
    f.why = "allocates memory in a way that is not possible for every point; use arrays of a constant size";
  return f;
}

}  // namespace tessera
