// Prints docs/options.md: options, statistics and statuses from src/tables.def, numbers and the meaning of enumerators from
// tessera.h. Run by scripts/generate-options and by the CMake target options-doc.
// SPDX-License-Identifier: BSD-3-Clause
// Usage: options_doc include/tessera.h
#include <tessera.h>

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <regex>
#include <string>

namespace {

// What the table says, but for the numbers that nobody reads at a glance.
std::string shown(const std::string &text) {
  if (text == "INT64_MAX") return "2^63 - 1";
  if (text.rfind("TESSERA_", 0) == 0) return "`" + text + "`";
  return text;
}

// A meaning in a cell of a table.
std::string cell(const char *meaning) { return std::regex_replace(meaning, std::regex(R"(\|)"), R"(\|)"); }

// Tables of the enums above which the header says "Values of TESSERA_...".
void values_of_options(const char *header) {
  std::ifstream file(header);
  const std::regex title(R"(^/\* Values of (TESSERA_\w+).*)");
  const std::regex entry(R"(^\s*(TESSERA_\w+) = (-?\d+),?\s*(?:/\*\s*(.*?)\s*\*/)?\s*$)");
  std::string line, next, option;
  std::string group;  // the comment of a line holds for the lines below that have none
  bool inside = false;
  while (std::getline(file, line)) {
    while (line.find("/*") != std::string::npos && line.find("*/") == std::string::npos && std::getline(file, next))
      line += std::regex_replace(next, std::regex(R"(^\s*\*(?!/))"), "");
    std::smatch part;
    if (std::regex_match(line, part, title)) {
      option = part[1];
    } else if (line.rfind("enum ", 0) == 0 && !option.empty()) {
      inside = true;
      group.clear();
      std::printf("\n### `%s`\n\n| value | number | meaning |\n|---|---:|---|\n", option.c_str());
    } else if (inside && std::regex_match(line, part, entry)) {
      if (part[3].matched) group = part[3];
      std::printf("| `%s` | %s | %s |\n", part[1].str().c_str(), part[2].str().c_str(), cell(group.c_str()).c_str());
    } else if (line.rfind("}", 0) == 0) {
      inside = false;
      option.clear();
    }
  }
}

}  // namespace

int main(int argc, char **argv) {
  if (argc != 2 || !std::ifstream(argv[1])) {
    std::cerr << "usage: options_doc include/tessera.h > docs/options.md\n";
    return 2;
  }

  std::puts(
      "<!-- Generated from src/tables.def and include/tessera.h by scripts/generate-options: do not edit. -->\n"
      "# Options, statistics and statuses\n\n"
      "Options are set by `tessera_set_int` and `tessera_set_real` and read by `tessera_get_int` and "
      "`tessera_get_real`; "
      "they keep\ntheir values from one run to the next. Statistics are read in the same way and describe the last "
      "run. "
      "The Fortran module\nhas the same names and numbers.");

  std::puts(
      "\n## Integer options\n\n| key | number | default | least | greatest | meaning |\n|---|---:|---:|---:|---:|---|");
#define OPTION_INT(name, initial, least, greatest, meaning)                                                  \
  std::printf("| `%s` | %d | %s | %s | %s | %s |\n", #name, static_cast<int>(name), shown(#initial).c_str(), \
              shown(#least).c_str(), shown(#greatest).c_str(), cell(meaning).c_str());
#include "tables.def"
#undef OPTION_INT

  std::puts(
      "\n## Real options\n\n| key | number | default | least | greatest | meaning |\n|---|---:|---:|---:|---:|---|");
#define OPTION_REAL(name, initial, least, greatest, meaning)                                                 \
  std::printf("| `%s` | %d | %s | %s | %s | %s |\n", #name, static_cast<int>(name), shown(#initial).c_str(), \
              shown(#least).c_str(), shown(#greatest).c_str(), cell(meaning).c_str());
#include "tables.def"
#undef OPTION_REAL

  std::puts("\n## Values of options");
  values_of_options(argv[1]);

  std::puts("\n## Integer statistics\n\n| key | number | meaning |\n|---|---:|---|");
#define STATISTIC_INT(name, meaning) \
  std::printf("| `%s` | %d | %s |\n", #name, static_cast<int>(name), cell(meaning).c_str());
#include "tables.def"
#undef STATISTIC_INT

  std::puts("\n## Real statistics\n\n| key | number | meaning |\n|---|---:|---|");
#define STATISTIC_REAL(name, meaning) \
  std::printf("| `%s` | %d | %s |\n", #name, static_cast<int>(name), cell(meaning).c_str());
#include "tables.def"
#undef STATISTIC_REAL

  std::puts(
      "\n## Statuses\n\n"
      "0: the tolerance is met. Positive: value and error are set, and the status says why the run ended. Negative: no "
      "result, the\noutputs are as they were.\n\n| status | number | `tessera_status_string` says |\n|---|---:|---|");
#define STATUS(name, meaning) std::printf("| `%s` | %d | %s |\n", #name, static_cast<int>(name), cell(meaning).c_str());
#include "tables.def"
#undef STATUS
  return 0;
}
