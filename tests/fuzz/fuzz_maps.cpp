// What is read behind the public calls: map files of twins, entries of the cache on disk, tables of symbols, damaged.
// SPDX-License-Identifier: BSD-3-Clause
// Usage: fuzz_maps TRIALS [SEED [1 [FIRST]]]
#include <cstring>

#include <sys/stat.h>

#include "jit/cache.hpp"
#include "mutation.hpp"
#include "report.hpp"
#include "solver/symbols.hpp"
#include "solver/twins.hpp"

extern "C" {
#include "files.h"
}

namespace {

using fuzz::dice;
using fuzz::fail;

fuzz::counts all;

const char map_file[] =
    "# symbol language file function flags\n"
    "positv_  c  twin.c  positv  params=normal_\n"
    "\n"
    "__model_MOD_f   cuda  \"a file.cu\"  f  params=a_:24  params=b_   # two\n"
    "cross_section   cuba  /home/me/x.c  cross_section  userdata:64 params=c_:1\n";

void damaged_map(dice &r) {
  const std::string text = fuzz::damaged(map_file, r);
  fuzz::counted(all, 0, "read_twin_map", [&] {
    try {
      for (const tessera::twin_line &l : tessera::read_twin_map(text, "dir/a.map")) {
        if (l.symbol.empty() || l.file.empty() || l.function.empty() || l.number < 1) fail(0, "a word is empty");
        for (const auto &b : l.params)
          if (b.symbol.empty() && b.bytes == 0) fail(0, "user data without a length");
      }
      return 0;
    } catch (const tessera::no_twin &e) {
      if (std::strlen(e.what()) < 10) fail(0, "no message");
      return -1;
    }
  });
}

void damaged_entry(dice &r, const std::string &good, const std::string &file, const std::string &value) {
  tessera::cache_settings settings;
  settings.directory = std::string(test_directory) + "/cache";
  settings.memory = false;
  tessera::code_cache cache(settings);
  const std::string bytes = fuzz::damaged(good, r);
  fuzz::write_bytes(file, bytes);
  fuzz::counted(all, 0, "code_cache", [&] {
    std::string found;
    if (cache.find("11", found) == tessera::cache_hit::none) return -1;
    if (found != value) fail(0, "the cache gave what was not put there");
    return 0;
  });
  cache.store("11", value);
  std::string found;
  if (cache.find("11", found) == tessera::cache_hit::none || found != value) fail(0, "the entry is not put right");
}

void damaged_symbols(dice &r, const std::string &whole) {
  std::string bytes = whole;
  std::uint64_t sections;
  std::memcpy(&sections, whole.data() + 40, sizeof sections);
  if (r.one_in(8)) bytes.resize(r.bits() % bytes.size());
  for (std::int64_t n = r.between(1, 4); n > 0 && bytes.size() > 64; --n) {
    const std::size_t at =
        r.one_in(2) || sections >= bytes.size() ? r.bits() % 64 : sections + r.bits() % (bytes.size() - sections);
    bytes[at] = static_cast<char>(r.bits());
  }
  fuzz::write_bytes(test_path("program"), bytes);
  fuzz::counted(all, 0, "object_symbols", [&] {
    try {
      const tessera::object_symbols s(test_path("program"), 0);
      s.functions_at(reinterpret_cast<const void *>(&damaged_symbols));
      s.variable("library_block_");
      return 0;
    } catch (const tessera::symbol_error &e) {
      if (std::strlen(e.what()) < 10) fail(0, "no message");
      return -1;
    }
  });
}

}  // namespace

int main(int argc, char **argv) {
  const fuzz::arguments a(argc, argv, 6000);
  open_test_directory();
  const std::string directory = put_directory("cache"), file = test_path("cache/11.bin");
  const std::string value = std::string("an object\0with zeros\n", 22) + std::string(300, 'x');
  std::string good;
  {
    tessera::cache_settings settings;
    settings.directory = directory;
    tessera::code_cache cache(settings);
    cache.store("11", value);
    good = fuzz::read_bytes(file);
  }
  // A small table, for each trial reads it whole.
  const std::string whole = fuzz::read_bytes(FUZZ_OBJECT);
  fuzz::start_watchdog(1, a.seed);
  for (std::uint64_t i = 0; i < a.trials; ++i) {
    dice r(a.seed, a.first + i);
    fuzz::calls_in_progress()[0].trial = a.first + i;
    if (r.one_in(20))
      damaged_entry(r, good, file, value);
    else if (r.one_in(10))
      damaged_symbols(r, whole);
    else
      damaged_map(r);
  }
  fuzz::stop_watchdog();
  all.print();
  std::printf("seed %llu, %llu damaged files\n", static_cast<unsigned long long>(a.seed),
              static_cast<unsigned long long>(a.trials));
  close_test_directory();
  return good.empty() || (a.trials >= 6000 && all.missing("read_twin_map,object_symbols") > 0);
}
