// SPDX-License-Identifier: BSD-3-Clause
#include "twins.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <shared_mutex>
#include <stdexcept>

#include "../jit/fortran/fortran_data.hpp"
#include "../jit/fortran/fortran_text.hpp"
#include "../jit/fortran/program_array.hpp"
#include "../text_file.hpp"

namespace tessera {
namespace {

// The names of languages in a map file: all that a new one needs here.
constexpr struct {
  const char *name;
  source_language language;
} languages[] = {{"cuda", source_language::cuda_cxx},
                 {"c", source_language::c_point},
                 {"cuba", source_language::c_cuba},
                 {"fortran", source_language::fortran}};

constexpr std::size_t block_alignment = 16;

std::string directory_of(const std::string &path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string() : path.substr(0, slash + 1);
}

// The words of a line: separated by blanks, "..." keeps blanks, # begins a comment. False: a quotation mark is missing.
bool split(const std::string &line, std::vector<std::string> &words) {
  for (std::size_t i = 0; i < line.size();) {
    if (std::strchr(" \t\r", line[i])) {
      ++i;
    } else if (line[i] == '#') {
      break;
    } else if (line[i] == '"') {
      const std::size_t end = line.find('"', i + 1);
      if (end == std::string::npos) return false;
      words.push_back(line.substr(i + 1, end - i - 1));
      i = end + 1;
    } else {
      const std::size_t end = std::min(line.find_first_of(" \t\r", i), line.size());
      words.push_back(line.substr(i, end - i));
      i = end;
    }
  }
  return true;
}

// params=symbol, params=symbol:bytes or userdata:bytes
bool read_params(const std::string &word, std::vector<twin_line::block> &params) {
  const std::string start = "params=";
  const std::size_t colon = word.rfind(':');
  const std::string what = word.substr(0, colon);
  twin_line::block b = {"", 0};
  if (what.compare(0, start.size(), start) == 0 && what.size() > start.size())
    b.symbol = what.substr(start.size());
  else if (what != "userdata" || colon == std::string::npos)
    return false;
  if (colon != std::string::npos) {
    const std::string digits = word.substr(colon + 1);
    if (digits.empty() || digits.size() > 12 || digits.find_first_not_of("0123456789") != std::string::npos)
      return false;
    b.bytes = std::strtoull(digits.c_str(), nullptr, 10);
    if (b.bytes == 0) return false;
  }
  params.push_back(b);
  return true;
}

std::string read_file(const std::string &path) {
  std::string text;
  const std::string why = read_text_file(path, text);
  if (!why.empty()) throw std::runtime_error(path + ": " + why);
  return text;
}

// The form by the suffix; the files that are compiled before, and what is included.
void add_fortran_files(integrand_source &source, const std::vector<std::string> &with) {
  source.fixed_form = fixed_by_suffix(source.file_name);
  source.preprocess = preprocessed_by_suffix(source.file_name);
  for (const std::string &path : with)
    source.files.push_back({path, read_file(path), true, fixed_by_suffix(path), preprocessed_by_suffix(path)});
  for (integrand_source::file &f : fortran_includes(source)) source.files.push_back(std::move(f));
}

struct saved_variable {
  std::string name, symbol;
  data_symbol there;
};

// Variables of procedures with names that the text may save; of the text's own files, where the compiler has named them.
std::vector<saved_variable> saved_variables(const integrand_source &source, const fortran_data_names &names,
                                            const object_symbols &symbols) {
  std::set<std::string> files = {source.file_name.substr(source.file_name.rfind('/') + 1)};
  for (const integrand_source::file &f : source.files) files.insert(f.name.substr(f.name.rfind('/') + 1));
  bool named = false;
  for (const std::string &f : files) named = named || symbols.has_file(f);
  std::vector<saved_variable> out;
  std::vector<std::string> all;
  for (const std::string &name : names.saved)
    for (const std::string &symbol : symbols.variables(name + ".")) all.push_back(symbol);
  for (const char *head : {"_QF", "_QM"})
    for (const std::string &symbol : symbols.variables(head)) all.push_back(symbol);
  for (const std::string &symbol : all) {
    const std::string name = variable_of_procedure(symbol);
    if (name.empty() || !names.saved.count(name)) continue;
    for (const data_symbol &there : symbols.all_of(symbol))
      if (!named || files.count(there.file)) out.push_back({name, symbol, there});
  }
  return out;
}

// The program's COMMON blocks and module variables that a Fortran text has too; they follow what is in `data`.
void add_program_data(integrand_source &source, const object_symbols &symbols, std::vector<program_data> &data) {
  constexpr std::size_t most = std::size_t{64} << 20;
  std::size_t end = 0;
  for (const program_data &d : data) end = (end + block_alignment - 1) / block_alignment * block_alignment + d.bytes;
  const fortran_data_names names = find_fortran_data(source);
  const auto add = [&](integrand_source::variable v, const data_symbol &s, bool gnu) {
    if (s.bytes == 0) return;
    program_data d = {s.address, s.bytes, -1, gnu, v.name + " of module " + v.module};
    if (names.allocatable.count({v.module, v.name})) d.rank = v.rank = rank_by_size(s.bytes, gnu);
    if (d.rank >= 0) d.bytes = array_record_bytes(d.rank);
    v.offset = (end + block_alignment - 1) / block_alignment * block_alignment;
    v.bytes = d.bytes;
    end = v.offset + d.bytes;
    source.variables.push_back(v);
    data.push_back(d);
  };
  const auto missing = [&](const std::string &what) {
    if (symbols.stripped())
      throw no_twin(
          "the values of " + what + " cannot be found: the file '" + symbols.path() + "' has been stripped of names",
          true);
  };
  for (const std::string &common : names.commons) {
    const integrand_source::variable v = {"", common, 0, 0};
    const std::vector<std::string> all = symbols.variables(gnu_symbol(v));
    if (!all.empty() && all.front() == gnu_symbol(v))
      add(v, symbols.variable(all.front()), true);
    else
      missing("COMMON /" + common + "/");
  }
  for (const std::string &module : names.modules) {
    bool found = false;
    for (const std::string &head : {"__" + module + "_MOD_", "_QM" + module + "E"})
      for (const std::string &symbol : symbols.variables(head)) {
        const std::string name = variable_of_module(symbol, module);
        if (name.empty()) continue;
        found = true;
        const integrand_source::variable v = {module, name, 0, 0};
        add(v, symbols.variable(symbol), symbol == gnu_symbol(v));
      }
    if (!found) missing("module " + module);
  }
  // Which of these are meant is known when the text is compiled.
  source.program = symbols.stripped() ? integrand_source::names::stripped : integrand_source::names::all;
  std::map<std::string, std::vector<saved_variable>> saved;  // all of a name or none
  for (saved_variable &v : saved_variables(source, names, symbols)) saved[v.name].push_back(std::move(v));
  for (const auto &[name, all] : saved) {
    std::size_t bytes = 0;
    for (const saved_variable &v : all) bytes += v.there.bytes + block_alignment;
    if (bytes > most - std::min(end, most)) continue;
    for (const saved_variable &v : all) add({"", name, 0, 0, -1, v.symbol}, v.there, true);
  }
  if (end > most)
    throw no_twin("the COMMON blocks and modules of '" + source.file_name + "' have " + std::to_string(end) +
                      " bytes in the program; " + std::to_string(most) + " are possible",
                  true);
}

class registry {
 public:
  static registry &instance() {
    static registry &r = *new registry;  // lives as long as the threads that use it
    return r;
  }

  bool may_have(const void *function) {
    if (!active_.load(std::memory_order_acquire)) return false;
    const std::shared_lock<std::shared_mutex> lock(mutex_);
    const auto known = known_.find(function);
    return known == known_.end() || (known->second.found && known->second.found->refusal().first == 0);
  }

  std::shared_ptr<twin> find(const void *function) {
    if (!active_.load(std::memory_order_acquire))
      throw no_twin("the function has no twin: none was registered, and TESSERA_TWINS names no map file", false);
    {
      const std::shared_lock<std::shared_mutex> lock(mutex_);
      const auto known = known_.find(function);
      if (known != known_.end()) return known->second.get();
    }
    answer a;
    try {
      a.found = look_up(function);
    } catch (const std::bad_alloc &) {
      throw;
    } catch (const std::exception &e) {
      a.why = e.what();
    }
    const std::unique_lock<std::shared_mutex> lock(mutex_);
    return known_.emplace(function, a).first->second.get();
  }

  void put(const void *function, std::shared_ptr<twin> t) {
    const std::unique_lock<std::shared_mutex> lock(mutex_);
    if (t) {
      known_[function] = {std::move(t), {}};
      active_.store(true, std::memory_order_release);
    } else {
      known_.erase(function);
    }
  }

 private:
  struct answer {
    std::shared_ptr<twin> found;
    std::string why;
    std::shared_ptr<twin> get() const {
      if (!found) throw no_twin(why, true);
      return found;
    }
  };

  registry() {
    const char *path = ::secure_getenv("TESSERA_TWINS");
    if (!path || !*path) return;
    path_ = path;
    try {
      lines_ = read_twin_map(read_file(path_), path_);
    } catch (const std::exception &e) {
      map_error_ = e.what();
    }
    active_.store(true, std::memory_order_release);
  }

  std::shared_ptr<twin> look_up(const void *function) const {
    if (path_.empty()) throw no_twin("no twin was registered for the function", true);
    if (!map_error_.empty()) throw no_twin(map_error_, true);
    const object_symbols symbols = object_symbols::of(function);
    const std::vector<std::string> names = symbols.functions_at(function);
    if (names.empty())
      throw no_twin("the file '" + symbols.path() + "' has no name for the function" +
                        (symbols.stripped() ? ": it has been stripped of names that are not exported" : ""),
                    true);
    const twin_line *line = nullptr;
    std::string all;
    for (const std::string &name : names) {
      all += (all.empty() ? "'" : "', '") + name;
      for (const twin_line &l : lines_)
        if (l.symbol == name) line = &l;
    }
    if (!line) throw no_twin("the function is " + all + "', which is not in " + path_, true);
    integrand_source source;
    source.language = line->language;
    source.function = line->function;
    source.file_name = line->file;
    source.text = read_file(line->file);
    if (source.language == source_language::fortran) add_fortran_files(source, line->with);
    source.text = expand_includes(source);
    source.expanded = true;
    std::vector<program_data> data;
    for (const twin_line::block &b : line->params) {
      if (b.symbol.empty()) {
        data.push_back({nullptr, b.bytes, -1, false, {}});
        continue;
      }
      data_symbol v = symbols.variable(b.symbol);
      if (b.bytes > v.bytes || v.bytes == 0)
        throw no_twin(path_ + ": params=" + b.symbol + ": the variable has " + std::to_string(v.bytes) + " bytes",
                      true);
      if (b.bytes > 0) v.bytes = b.bytes;
      data.push_back({v.address, v.bytes, -1, false, {}});
    }
    if (source.language == source_language::fortran) add_program_data(source, symbols, data);
    return std::make_shared<twin>(std::move(source), std::move(data), path_ + "(" + std::to_string(line->number) + ")");
  }

  std::atomic<bool> active_{false};
  std::shared_mutex mutex_;
  std::map<const void *, answer> known_;
  std::string path_, map_error_;
  std::vector<twin_line> lines_;
};

}  // namespace

std::vector<unsigned char> twin::parameters(const void *userdata) const {
  std::vector<unsigned char> block;
  std::vector<std::size_t> records;
  for (const program_data &d : data_) {
    block.resize((block.size() + block_alignment - 1) / block_alignment * block_alignment);
    if (d.rank >= 0) {
      records.push_back(block.size());
      block.resize(block.size() + d.bytes);
      continue;
    }
    const auto *bytes = static_cast<const unsigned char *>(d.address ? d.address : userdata);
    if (!bytes)
      throw no_twin("the twin is to have " + std::to_string(d.bytes) + " bytes of user data, and the call has none",
                    true);
    block.insert(block.end(), bytes, bytes + d.bytes);
  }
  auto record = records.begin();
  for (const program_data &d : data_)
    if (d.rank >= 0) try {
        put_array(d.address, d.gnu, d.rank, d.name, *record++, block);
      } catch (const std::runtime_error &e) {
        throw no_twin(e.what(), true);
      }
  return block;
}

std::string twin::about_parameters() const {
  if (data_.empty())
    return map_line_.empty() ? "it was registered without a parameter block (params is NULL)"
                             : "its line, " + map_line_ +
                                   ", gives it no parameter block: it has neither params=symbol nor userdata:bytes";
  std::size_t bytes = 0;
  for (const program_data &d : data_)
    bytes = (bytes + block_alignment - 1) / block_alignment * block_alignment + d.bytes;
  return (map_line_.empty() ? "it was registered with" : "its line, " + map_line_ + ", gives it") +
         " a parameter block of " + std::to_string(bytes) + " bytes";
}

void twin::refuse(int status, const std::string &message) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (status_ != 0) return;
  status_ = status;
  message_ = message;
}

std::pair<int, std::string> twin::refusal() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return {status_, message_};
}

bool may_have_twin(const void *function) { return registry::instance().may_have(function); }

std::shared_ptr<twin> find_twin(const void *function) { return registry::instance().find(function); }

void register_twin(const void *function, integrand_source source, const void *params, std::size_t bytes) {
  std::vector<program_data> data;
  if (bytes > 0) data.push_back({params, bytes, -1, false, {}});
  if (source.language == source_language::fortran) {
    std::optional<object_symbols> symbols;
    try {
      symbols = object_symbols::of(function);
    } catch (const symbol_error &) {  // a function that is in no file: the text's own values
    }
    if (symbols) add_program_data(source, *symbols, data);
  }
  registry::instance().put(function, std::make_shared<twin>(std::move(source), std::move(data), ""));
}

void forget_twin(const void *function) { registry::instance().put(function, nullptr); }

std::vector<twin_line> read_twin_map(const std::string &text, const std::string &path) {
  std::vector<twin_line> lines;
  int number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t newline = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, newline - begin);
    begin = newline + 1;
    ++number;
    const auto refuse = [&](const std::string &why) {
      throw no_twin(path + "(" + std::to_string(number) + "): error: " + why, true);
    };
    std::vector<std::string> words;
    if (!split(line, words)) refuse("a quotation mark is missing");
    if (words.empty()) continue;
    if (words.size() < 4)
      refuse("a line has the form: symbol language file function [params=symbol[:bytes] | userdata:bytes] ...");
    twin_line l = {words[0], source_language::cuda_cxx, words[2], words[3], {}, number, {}};
    std::string names;
    bool known = false;
    for (const auto &entry : languages) {
      if (words[1] == entry.name) {
        l.language = entry.language;
        known = true;
      }
      names += std::string(names.empty() ? "" : ", ") + entry.name;
    }
    if (!known) refuse("there is no language '" + words[1] + "'; there are " + names);
    for (const std::string &empty : {l.symbol, l.file, l.function})
      if (empty.empty()) refuse("a word is empty");
    if (l.file[0] != '/') l.file = directory_of(path) + l.file;
    for (std::size_t i = 4; i < words.size(); ++i)
      if (l.language == source_language::fortran && words[i].compare(0, 5, "with=") == 0 && words[i].size() > 5)
        l.with.push_back((words[i][5] == '/' ? "" : directory_of(path)) + words[i].substr(5));
      else if (!read_params(words[i], l.params))
        refuse("'" + words[i] + "' is not params=symbol, params=symbol:bytes or userdata:bytes" +
               (l.language == source_language::fortran ? ", nor with=file" : ""));
    for (const twin_line &other : lines)
      if (other.symbol == l.symbol) refuse("'" + l.symbol + "' has a line already");
    lines.push_back(l);
  }
  return lines;
}

}  // namespace tessera
