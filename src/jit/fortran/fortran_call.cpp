// SPDX-License-Identifier: BSD-3-Clause
#include "fortran_call.hpp"

#include <algorithm>
#include <cstdlib>

#include "../text.hpp"

namespace tessera {
namespace {

constexpr std::size_t last_column = 72;

// A statement on lines that both forms take: & in column 73, which fixed form does not see, and in column 6 of the next.
std::string line(const std::string &statement) {
  std::string out, rest = statement;
  std::string begin = "      ";
  while (begin.size() + rest.size() > last_column - 2) {
    const std::size_t blank = rest.rfind(' ', last_column - 2 - begin.size());
    if (blank == std::string::npos || blank == 0) break;
    std::string part = begin + rest.substr(0, blank + 1);
    part.resize(last_column, ' ');
    out += part + "&\n";
    rest = rest.substr(blank + 1);
    begin = "     & ";
  }
  return out + begin + rest + "\n";
}

}  // namespace

std::string fortran_call(const fortran_entry &e, const integrand_source &source, int ndim, int ncomp, int coordinates) {
  const auto refuse = [&](const std::string &why) {
    throw compile_error(jit_stage::translate,
                        source.file_name + "(" + std::to_string(e.line) + "): error: '" + e.name + "' " + why);
  };
  const std::size_t n = e.arguments.size();
  const std::string user = e.module.empty() ? e.name : "tessera_user";
  const std::string four = "(tessera_n, tessera_x, tessera_m, tessera_v";
  std::string call, result;
  if (!e.function && n == 4) {
    call = "call " + user + four + ")";
  } else if (!e.function && n == 2) {
    call = "call " + user + "(tessera_x, tessera_v)";
  } else if (e.function && (n == 1 || n == 2)) {
    if (ncomp != 1) refuse("is a function of one value; this solver has " + std::to_string(ncomp) + " components");
    result = "double precision";
    call = "tessera_v(1) = " + user +
           (n == 2               ? "(tessera_n, tessera_x)"
            : e.assumed_shape[0] ? "(tessera_x)"
                                 : "(tessera_x(1))");
  } else if (e.function && n >= 4 && n <= 7) {
    if (!e.module.empty() && n > 4)
      refuse("stands in a module and has user data; there Cuba's form has four arguments");
    result = "integer";
    call = "tessera_s = " + user + four + (n > 4 ? ", tessera_p" : "") + (n > 5 ? ", tessera_1" : "") +
           (n > 6 ? ", tessera_0" : "") + ")";
  } else {
    refuse(std::string("is a ") + (e.function ? "function" : "subroutine") + " of " + std::to_string(n) +
           " arguments; an integrand is SUBROUTINE f(ndim, x, numfun, funvls), SUBROUTINE f(x, fval), DOUBLE PRECISION "
           "FUNCTION f(ndim, x), DOUBLE PRECISION FUNCTION f(x) or INTEGER FUNCTION f(ndim, x, ncomp, f [, userdata])");
  }
  const std::string points = std::to_string(coordinates > 0 ? coordinates : ndim), values = std::to_string(ncomp);
  std::string out =
      "\n" + line("recursive subroutine tessera_f(tessera_x, tessera_v, tessera_p) bind(c, name='tessera_f')");
  if (!e.module.empty()) out += line("use " + e.module + ", only: tessera_user => " + e.name);
  out += line("implicit none") + line("real(8) tessera_x(" + points + "), tessera_v(" + values + ")") +
         line("integer(1) tessera_p(*)") + line("integer tessera_n, tessera_m, tessera_s, tessera_1, tessera_0");
  if (e.module.empty()) {
    if (e.function) out += line(result + " " + user);
    out += line("external " + user);
  }
  if (result == "integer")
    out += line("interface") + line("subroutine tessera_m_status(tessera_s) bind(c)") +
           line("integer, value :: tessera_s") + line("end subroutine") + line("end interface");
  // What the integrand does not set is NaN.
  out += line("tessera_n = " + std::to_string(ndim)) + line("tessera_m = " + values) + line("tessera_s = 0") +
         line("tessera_1 = 1") + line("tessera_0 = 0") + line("tessera_v = transfer(9221120237041090560_8, 1d0)") +
         line(call);
  if (result == "integer") out += line("if (tessera_s == -999) call tessera_m_status(tessera_s)");
  return out + line("end subroutine");
}

fortran_files put_fortran_files(const integrand_source &source, const std::string &call, const fortran_entry &entry,
                                const temporary_directory *work) {
  fortran_files out;
  out.any_argument = entry.function && entry.arguments.size() > 4;
  const auto put = [&](const std::string &name, const std::string &text) {
    out.key += std::to_string(name.size()) + " " + name + " " + std::to_string(text.size()) + "\n" + text;
    if (work) write_file(work->file(name), text);
  };
  int number = 0;
  const auto compile = [&](const std::string &text, bool fixed, bool preprocess) {
    const std::string name = "source" + std::to_string(number++) +
                             (fixed        ? preprocess ? ".F" : ".f"
                              : preprocess ? ".F90"
                                           : ".f90");
    put(name, text);
    if (work) out.compiled.push_back(work->file(name));
    out.fixed.push_back(fixed);
    out.preprocess = out.preprocess || preprocess;
  };
  for (const integrand_source::file &f : source.files) {
    if (f.compiled)
      compile(f.text, f.fixed_form, f.preprocess);
    else if (!contains(f.name, "/"))
      put(f.name, f.text);
  }
  compile(source.text + call, source.fixed_form, source.preprocess);
  return out;
}

std::string fortran_place(const integrand_source &source, int line) {
  std::string name = source.file_name;
  int k = 0;
  for (const integrand_source::file &f : source.files)
    if (f.compiled && ++k == line / lines_of_file) name = f.name;
  return line % lines_of_file > 0 ? name + "(" + std::to_string(line % lines_of_file) + ")" : name;
}

// gfortran: file:line:column: on a line, and later "Error: text". flang: file:line:column: error: text.
std::string fortran_error(const std::string &log, const integrand_source &source) {
  std::string place, first;
  for (std::size_t begin = 0; begin < log.size();) {
    const std::size_t newline = std::min(log.find('\n', begin), log.size());
    const std::string s = log.substr(begin, newline - begin);
    begin = newline + 1;
    const std::size_t file = s.find("/source");
    if (file != std::string::npos) {
      const std::size_t colon = s.find(':', file), end = colon == std::string::npos ? colon : s.find(':', colon + 1);
      if (end != std::string::npos && s.find_first_not_of("0123456789", colon + 1) == end) {
        const auto number = static_cast<int>(std::strtoul(s.c_str() + file + 7, nullptr, 10));
        const int line = std::atoi(s.c_str() + colon + 1);
        place = fortran_place(source, line > lines_of_file ? line : (number + 1) * lines_of_file + line);
      }
    }
    const std::size_t error = std::min(s.find("error: "), s.find("Error: "));
    if (error == std::string::npos || contains(s, "Semantic errors in") || contains(s, "Could not parse")) continue;
    if (first.empty()) first = place.empty() ? s : place + ": error: " + s.substr(error + 7);
  }
  return first.empty() ? first_error(log) : first;
}

}  // namespace tessera
