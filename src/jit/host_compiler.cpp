// SPDX-License-Identifier: BSD-3-Clause
#include "host_compiler.hpp"

#include <chrono>
#include <cstdlib>
#include <set>
#include <vector>

#include <dlfcn.h>
#include <sys/stat.h>

#include "c_text.hpp"
#include "fortran/host_fortran.hpp"
#include "process.hpp"
#include "programs.hpp"
#include "sha256.hpp"
#include "host_prelude.hpp"
#include "text.hpp"

namespace tessera {
namespace {

constexpr const char *compiler_flags[] = {
    "-O3", "-fPIC", "-shared", "-fno-math-errno", "-fno-trapping-math", "-fvisibility=hidden"};

std::string cxx_text(const integrand_source &source) {
  const std::string text = std::string(host_cxx_prelude) + forms_text + expand_includes(source) + "\n#line 1 " +
                           quoted(call_name(source)) + "\n";
  if (source.axis >= 0)
    return text + "#define TESSERA_CALL(tessera_a, tessera_b, tessera_c, tessera_o) (::tessera_forms::limits(&::" +
           source.function + ", tessera_a, tessera_b, tessera_c, tessera_o), 0)\nextern \"C\"" + host_limits;
  return text + "#define TESSERA_CALL(tessera_a, tessera_b, tessera_o) (::tessera_forms::call(&::" + source.function +
         ", tessera_a, tessera_b, tessera_o), 0)\n" + "extern \"C\"" + host_loop;
}

std::string c_text_of(const integrand_source &source, bool &one_thread) {
  const bool cuba = source.language == source_language::c_cuba;
  const c_text c = read_c(expand_includes(source), source.function);
  check_parameters(c, source);
  one_thread = !c.not_parallel.empty();
  const std::string values = c.complex_values ? "(double _Complex *)tessera_b" : "tessera_b";
  std::string arguments = "TESSERA_NDIM, tessera_a, TESSERA_NCOMP, " + values + ", tessera_o";
  if (cuba) {
    arguments = "&tessera_d, tessera_a, &tessera_c, " + values;
    const char *more[] = {", tessera_o", ", &tessera_1", ", &tessera_0"};
    for (int i = 4; i < c.parameters; ++i) arguments += more[i - 4];
  }
  // A function of another form than the language says is an error of the call: it would be given addresses for numbers.
  std::string out = c.text + "\n#line 1 " + quoted(call_name(source)) +
                    "\n#undef TESSERA_CALL\n"
                    "#pragma GCC diagnostic error \"-Wint-conversion\"\n"
                    "#pragma GCC diagnostic error \"-Wincompatible-pointer-types\"\n";
  if (source.axis >= 0)
    return out + "#define TESSERA_CALL(tessera_a, tessera_b, tessera_c, tessera_o) ((" + source.function +
           ")(TESSERA_NDIM, " + std::to_string(source.axis) + ", tessera_a, tessera_b, tessera_c, tessera_o))\n" +
           host_limits;
  if (returns_value(c, source)) {
    // What it returns is asked of its type alone.
    const std::string call =
        std::string("((") + source.function + ")(tessera_a" + (c.parameters > 1 ? ", tessera_o" : "") + "))";
    out += "#define TESSERA_CALL(tessera_a, tessera_b, tessera_o) (*(tessera_b) = " + call +
           ", (void)(tessera_o), 0)\n" + "_Static_assert(TESSERA_NCOMP == 1, \"" + about_components + "\");\n" +
           "_Static_assert(__builtin_types_compatible_p(__typeof__((" + source.function + ")(" +
           (c.parameters > 1 ? "(double *)0, (void *)0" : "(double *)0") + ")), double), \"" + about_values + "\");\n";
  } else if (cuba) {
    // Cuba looks at the value -999 only.
    out +=
        "static int tessera_d = TESSERA_NDIM, tessera_c = TESSERA_NCOMP, tessera_1 = 1, tessera_0 = 0;\n"
        "#define TESSERA_CALL(tessera_a, tessera_b, tessera_o) ((" +
        source.function + ")(" + arguments + ") == -999 ? -999 : 0)\n";
  } else {
    out += "#define TESSERA_CALL(tessera_a, tessera_b, tessera_o) ((" + source.function + ")(" + arguments + "))\n";
  }
  return out + host_loop;
}

// The first error as file(line): error: text, like the device's compiler writes it. gcc and clang: file:line:column: error: text.
std::string readable(const std::string &line) {
  const std::size_t error = line.find("error:");
  if (error == std::string::npos) return line;
  const std::string place = line.substr(0, error);
  std::vector<std::size_t> colons;
  for (std::size_t i = 0; i < place.size(); ++i)
    if (place[i] == ':') colons.push_back(i);
  if (colons.size() < 2) return line;
  // the last numbers before "error:" are line and column
  const bool column = colons.size() >= 3;
  const std::size_t first = colons[colons.size() - (column ? 3 : 2)];
  const std::size_t second = colons[colons.size() - (column ? 2 : 1)];
  return place.substr(0, first) + "(" + place.substr(first + 1, second - first - 1) + "): " + line.substr(error);
}

[[noreturn]] void throw_compile_error(const integrand_source &source, const std::string &log) {
  const bool at_link =
      contains(log, "ld: ") || contains(log, "undefined reference") || contains(log, "linker command failed");
  std::string message = readable(first_error(log));
  if (starts_with(message, "tessera: the call of ") || starts_with(message, "tessera_host.h") ||
      starts_with(message, "tessera_forms.h")) {
    const std::size_t assertion = log.find("the integrand must be"),
                      many = log.find("a function that returns double has"), limits = log.find("limits must be");
    const std::size_t begin = assertion != std::string::npos ? assertion : many != std::string::npos ? many : limits;
    const bool missing = contains(message, "has not been declared") || contains(message, "no member named");
    message = source.file_name + "(1): error: " +
              (missing ? "the text defines no function '" + source.function + "'"
               : begin != std::string::npos
                   ? source.function + ": " +
                         log.substr(begin, std::min(log.find_first_of("\n\"", begin), log.size()) - begin)
                   : message);
  }
  throw compile_error(at_link ? jit_stage::link : jit_stage::compile,
                      message.empty() ? "the compiler gave no reason" : message, log);
}

// One run of the compiler on the text, in a directory that also has what the text may include of ours.
process_result run_compiler(const temporary_directory &work, const std::string &text, bool cxx,
                            const system_compiler &tool, const std::vector<std::string> &flags, const std::string &to,
                            const std::vector<std::string> &more, const integrand_source &source,
                            const deadline &until) {
  const std::string file = work.file(cxx ? "integrand.cpp" : "integrand.c");
  write_file(file, text);
  write_file(work.file("cuba.h"), host_cuba_header);
  write_file(work.file("tessera.h"), "");
  std::vector<std::string> command = tool.command;
  command.insert(command.end(), flags.begin(), flags.end());
  for (const std::string &part : {std::string("-idirafter"), work.path(), std::string("-o"), to, file})
    command.push_back(part);
  command.insert(command.end(), more.begin(), more.end());
  const process_result run = run_process(command, work.file("messages"), true, until);
  if (run.overdue) throw out_of_time("the source text '" + source.function + "' was compiled");
  return run;
}

// Does the text include what is not expanded and comes from other places than the compiler's own? Such files may change, and others may
// be found in their place.
bool includes_others(const std::string &text) {
  static const std::set<std::string> known = {
      "<assert.h>",   "<complex.h>", "<ctype.h>",  "<errno.h>",     "<fenv.h>",    "<float.h>",
      "<inttypes.h>", "<limits.h>",  "<math.h>",   "<stdarg.h>",    "<stdbool.h>", "<stddef.h>",
      "<stdint.h>",   "<stdio.h>",   "<stdlib.h>", "<string.h>",    "<tgmath.h>",  "<time.h>",
      "<algorithm>",  "<array>",     "<cfloat>",   "<climits>",     "<cmath>",     "<complex>",
      "<cstddef>",    "<cstdint>",   "<cstdio>",   "<cstdlib>",     "<cstring>",   "<functional>",
      "<limits>",     "<numeric>",   "<tuple>",    "<type_traits>", "<utility>",   "<vector>"};
  for (std::size_t at = text.find("include"); at != std::string::npos; at = text.find("include", at + 1)) {
    const std::size_t before = text.find_last_not_of(" \t", at == 0 ? 0 : at - 1);
    if (at == 0 || before == std::string::npos || text[before] != '#') continue;
    const std::size_t from = text.find_first_not_of(" \t", at + 7), end = text.find_first_of(" \t\r\n", from);
    if (from == std::string::npos || known.count(text.substr(from, end - from)) == 0) return true;
  }
  return false;
}

// The text as the compiler sees it; empty when there is no saying, which the compilation itself will tell.
std::string preprocessed(const std::string &text, bool cxx, const system_compiler &tool,
                         const std::vector<std::string> &flags, const integrand_source &source, const deadline &until) {
  const temporary_directory work;
  const std::string to = work.file("integrand.i");
  const process_result run = run_compiler(work, text, cxx, tool, flags, to, {"-E", "-P"}, source, until);
  return run.started && run.signal == 0 && run.status == 0 ? read_file(to) : std::string();
}

// Compiles, and gives back the shared object.
std::string build(const std::string &text, bool cxx, const system_compiler &tool, const integrand_source &source,
                  const std::vector<std::string> &flags, std::string &log, const deadline &until) {
  const temporary_directory work;
  const std::string object = work.file("integrand.so");
  const process_result run = run_compiler(work, text, cxx, tool, flags, object, {"-lm"}, source, until);
  log = run.output;
  if (!run.started)
    throw compile_error(jit_stage::load, "the compiler could not be started: " + run.output, run.output);
  if (run.signal != 0)
    throw compile_error(jit_stage::compile,
                        source.file_name + ": the compiler was ended by signal " + std::to_string(run.signal), log);
  if (run.status != 0) throw_compile_error(source, log);
  return read_file(object);
}

}  // namespace

compiled_source::compiled_source(const integrand_source &source, int ndim, int ncomp, code_cache *cache,
                                 const std::string &library_version, int coordinates, const deadline &until) try {
  const auto start = std::chrono::steady_clock::now();
  if (source.language == source_language::fortran) {
    if (source.text.empty()) throw compile_error(jit_stage::translate, text_name(source) + " is empty");
    find_or_build(source, cache, fortran_host_key(source, ndim, ncomp, coordinates).field(library_version).hex(),
                  [&] { return build_fortran(source, ndim, ncomp, coordinates, log_, until); });
    seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return;
  }
  const bool cxx = source.language == source_language::cuda_cxx;
  if (!cxx && source.language != source_language::c_point && source.language != source_language::c_cuba)
    throw compile_error(jit_stage::translate, "code that was compiled for a device cannot run on the host");
  if (source.text.empty()) throw compile_error(jit_stage::translate, text_name(source) + " is empty");
  const system_compiler tool = find_compiler(cxx ? host_language::cxx : host_language::c);
  const std::string text = cxx ? cxx_text(source) : c_text_of(source, one_thread_);
  std::vector<std::string> flags(std::begin(compiler_flags), std::end(compiler_flags));
  flags.push_back(cxx ? "-std=c++17" : "-std=gnu11");
  if (cxx) flags.push_back("-w");  // in C it would take the errors of the call along
  flags.push_back("-DTESSERA_NDIM=" + std::to_string(ndim));
  flags.push_back("-DTESSERA_NCOMP=" + std::to_string(ncomp));
  flags.push_back("-DTESSERA_COORDINATES=" + std::to_string(coordinates > 0 ? coordinates : ndim));

  sha256 h;
  h.field("tessera host 2").field(library_version).field(tool.identity).field(source.function).field(text);
  for (const std::string &part : tool.command) h.field(part);
  for (const std::string &flag : flags) h.field(flag);
  if (cache && includes_others(text)) h.field(preprocessed(text, cxx, tool, flags, source, until));
  find_or_build(source, cache, h.hex(), [&] { return build(text, cxx, tool, source, flags, log_, until); });
  seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
} catch (const compile_error &) {
  throw;
} catch (const std::bad_alloc &) {
  throw;
} catch (const std::exception &e) {
  throw compile_error(jit_stage::compile, e.what());
}

template <class Build>
void compiled_source::find_or_build(const integrand_source &source, code_cache *cache, const std::string &key,
                                    Build make) {
  if (cache && (handle_ = cache->opened(key))) {
    hit_ = cache_hit::memory;
    return find_entry(source.axis >= 0);
  }
  std::string image;
  if (cache) hit_ = cache->find(key, image);
  if (hit_ != cache_hit::none) try {
      load(image, source.file_name, source.axis >= 0);
    } catch (const compile_error &) {  // as whole as it was written, but nothing that can be opened here
      cache->forget(key);
      hit_ = cache_hit::none;
    }
  if (hit_ == cache_hit::none) {
    image = make();
    load(image, source.file_name, source.axis >= 0);
    if (cache) cache->store(key, image);
  }
  const bool keeps = keeps_data(image);
  if (cache && !keeps) cache->keep_open(key, handle_);
  if (source.language != source_language::fortran) return;
  one_thread_ = keeps;
  variables_ = find_variables(source, image, entry_);
  if (variables_.empty()) return;
  *static_cast<const kept_variable **>(::dlsym(handle_.get(), "tessera_variables")) = variables_.data();
  *static_cast<long long *>(::dlsym(handle_.get(), "tessera_number_of_variables")) =
      static_cast<long long>(variables_.size());
}

// The file may go as soon as it is open.
void compiled_source::load(const std::string &image, const std::string &file_name, bool is_limits) {
  const temporary_directory work;
  const std::string path = work.file("integrand.so");
  write_file(path, image);
  void *const opened = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!opened) {
    const char *why = ::dlerror();
    const std::string message = why ? why : "";
    const std::size_t undefined = message.find("undefined symbol: ");
    if (undefined != std::string::npos)
      throw compile_error(
          jit_stage::link,
          file_name + ": the function '" + message.substr(undefined + 18) + "' is used but not defined in this text",
          message);
    throw compile_error(jit_stage::load,
                        "the compiled integrand cannot be opened (does the file system of $TMPDIR forbid "
                        "programs?): " +
                            message);
  }
  handle_ = std::shared_ptr<void>(opened, [](void *code) { ::dlclose(code); });
  find_entry(is_limits);
}

void compiled_source::find_entry(bool is_limits) {
  entry_ = ::dlsym(handle_.get(), is_limits ? "tessera_limits_of_axis" : "tessera_batch");
  if (entry_) return;
  handle_.reset();
  throw compile_error(jit_stage::load, "the compiled integrand has no entry");
}

}  // namespace tessera
