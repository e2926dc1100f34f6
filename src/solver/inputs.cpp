// The ways in which an integrand arrives that is no callback: text, file, compiled code.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstring>

#include "../jit/fortran/fortran_text.hpp"
#include "../text_file.hpp"
#include "solver.hpp"

using tessera::failure;
using tessera::integrand_source;
using tessera::source_language;

namespace {

source_language to_language(int language) {
  switch (language) {
    case TESSERA_LANGUAGE_CUDA:
      return source_language::cuda_cxx;
    case TESSERA_LANGUAGE_C:
      return source_language::c_point;
    case TESSERA_LANGUAGE_CUBA:
      return source_language::c_cuba;
    case TESSERA_LANGUAGE_FORTRAN:
    case TESSERA_LANGUAGE_FORTRAN_FIXED:
      return source_language::fortran;
    default:
      break;
  }
  throw failure(TESSERA_ERR_ARGUMENT,
                "language " + std::to_string(language) + " is not a value of enum tessera_language");
}

std::string checked_name(const char *function) {
  if (!function || !*function) throw failure(TESSERA_ERR_ARGUMENT, function ? "function is empty" : "function is NULL");
  return function;
}

integrand_source nothing() {
  integrand_source none;
  none.function.clear();
  return none;
}

// Included files are read now: what runs later is what was there when the text was given, and every cache sees it whole.
void expand(integrand_source &source) {
  if (source.text.empty()) return;  // told when it is compiled
  try {
    if (source.language == source_language::fortran) source.files = tessera::fortran_includes(source);
    source.text = tessera::expand_includes(source);
    source.expanded = true;
  } catch (const tessera::compile_error &e) {
    throw failure(TESSERA_ERR_COMPILE, e.what());
  }
}

std::string read_text(const char *path) {
  const auto refuse = [&](const std::string &why) {
    throw failure(TESSERA_ERR_ARGUMENT, "path: the file '" + std::string(path) + "' " + why);
  };
  std::string text;
  const std::string why = tessera::read_text_file(path, text);
  if (!why.empty()) refuse(why);
  if (text.compare(0, 3, "\xef\xbb\xbf") == 0) text.erase(0, 3);  // a byte order mark
  if (text.empty()) refuse("is empty");
  if (text.find('\0') != std::string::npos) refuse("is not a text");
  return text;
}

bool begins(const std::string &bytes, const char *head, std::size_t n) { return bytes.compare(0, n, head, n) == 0; }

// Refuses what is plainly something else, with the place where it came in.
void check_code(int form, const std::string &code) {
  const bool ltoir = begins(code, "\xed\x43\x4e\x7f", 4);
  const bool object = begins(code,
                             "\x7f"
                             "ELF",
                             4) ||
                      begins(code, "\x50\xed\x55\xba", 4) || begins(code, "!<arch>\n", 8);
  const bool ptx = code.find(".version") != std::string::npos && code.find(".target") != std::string::npos;
  const auto refuse = [](const std::string &is_not) {
    throw failure(TESSERA_ERR_ARGUMENT, "code is not " + is_not + "; form says so");
  };
  if (form == TESSERA_CODE_LTOIR && !ltoir) refuse("LTO-IR");
  if (form == TESSERA_CODE_OBJECT && !object) refuse("an object file, library or fatbin");
  if (form == TESSERA_CODE_PTX && (ltoir || object || !ptx)) refuse("PTX");
}

}  // namespace

namespace tessera {

integrand_source make_source(int language, const char *text_or_path, bool is_file, const char *function, int axis) {
  integrand_source s;
  s.axis = axis;
  if (axis >= 0) s.file_name = "limits of axis " + std::to_string(axis);
  s.language = to_language(language);
  s.function = checked_name(function);
  if (is_file) {
    s.text = read_text(text_or_path);
    s.file_name = text_or_path;
  } else {
    s.text = text_or_path;
  }
  s.fixed_form = language == TESSERA_LANGUAGE_FORTRAN_FIXED || (is_file && tessera::fixed_by_suffix(s.file_name));
  s.preprocess = is_file && tessera::preprocessed_by_suffix(s.file_name);
  expand(s);
  return s;
}

}  // namespace tessera

void tessera_solver::take_source(integrand_source next) {
  source_ = std::move(next);
  host_code_.reset();
  checked_ = false;
  warned_of_calls_ = warned_of_changes_ = false;
  twin_.reset();
}

void tessera_solver::set_integrand_source(int language, const char *source, const char *function) {
  take_source(source ? tessera::make_source(language, source, false, function) : nothing());
}

void tessera_solver::set_integrand_file(int language, const char *path, const char *function) {
  take_source(path ? tessera::make_source(language, path, true, function) : nothing());
}

void tessera_solver::set_twin(const void *function, const void *userdata) {
  if (!function) return take_source(nothing());
  std::shared_ptr<tessera::twin> t;
  try {
    t = tessera::find_twin(function);
    const auto [status, message] = t->refusal();
    if (status != 0) throw failure(status, message);
    const std::vector<unsigned char> block = t->parameters(userdata);
    set_params(block.data(), block.size());
  } catch (const tessera::no_twin &e) {
    take_source(nothing());
    throw failure(TESSERA_ERR_NO_INTEGRAND, e.asked() ? e.what() : "");
  } catch (const failure &) {
    take_source(nothing());
    throw;
  }
  checked_ = false;
  if (t == twin_) return;  // as it is between the steps of a run
  take_source(t->source());
  twin_ = std::move(t);
}

void tessera_solver::set_integrand_code(int form, const void *code, std::size_t bytes, const char *function) {
  if (!code && bytes > 0) throw failure(TESSERA_ERR_ARGUMENT, "code is NULL and bytes is not 0");
  if (!code) return take_source(nothing());
  if (form < TESSERA_CODE_LTOIR || form > TESSERA_CODE_PTX)
    throw failure(TESSERA_ERR_ARGUMENT, "form " + std::to_string(form) + " is not a value of enum tessera_code");
  if (bytes == 0) throw failure(TESSERA_ERR_ARGUMENT, "bytes is 0");
  integrand_source next;
  next.language = form == TESSERA_CODE_PTX ? source_language::ptx : source_language::ltoir;
  next.function = checked_name(function);
  next.text.assign(static_cast<const char *>(code), bytes);
  next.file_name = "code";
  check_code(form, next.text);
  take_source(std::move(next));
}
