// The lines of a map file, and tables of symbols that are damaged.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstring>
#include <random>
#include <string>
#include <vector>

extern "C" {
#include "close.h"
#include "files.h"
}
#include "jit/process.hpp"
#include "solver/twins.hpp"

using tessera::read_twin_map;

namespace {

std::string error_of(const std::string &text) {
  try {
    read_twin_map(text, "dir/a.map");
  } catch (const tessera::no_twin &e) {
    return e.what();
  }
  return "no error";
}

void assert_error(const std::string &text, const char *expected) {
  const std::string is = error_of(text);
  if (is.find(expected) == std::string::npos) {
    print_error("\"%s\" is not in \"%s\"\n", expected, is.c_str());
    fail();
  }
}

void test_lines(void **) {
  const auto lines = read_twin_map(
      "# comment\n\n  f_   cuda  a.cu   f\n"
      "__model_MOD_g\tc\t\"/home/my files/g.c\"\tg params=model_:24 params=other_ # why\r\n"
      "_ZN2ns1hEv cuba sub/h.c ns::h params=userdata userdata:16 params=v",
      "dir/a.map");
  assert_int_equal(lines.size(), 3);
  assert_string_equal(lines[0].symbol.c_str(), "f_");
  assert_true(lines[0].language == tessera::source_language::cuda_cxx);
  assert_string_equal(lines[0].file.c_str(), "dir/a.cu");
  assert_string_equal(lines[0].function.c_str(), "f");
  assert_int_equal(lines[0].params.size(), 0);
  assert_true(lines[1].language == tessera::source_language::c_point);
  assert_string_equal(lines[1].file.c_str(), "/home/my files/g.c");
  assert_int_equal(lines[1].params.size(), 2);
  assert_string_equal(lines[1].params[0].symbol.c_str(), "model_");
  assert_int_equal(lines[1].params[0].bytes, 24);
  assert_string_equal(lines[1].params[1].symbol.c_str(), "other_");
  assert_int_equal(lines[1].params[1].bytes, 0);
  assert_true(lines[2].language == tessera::source_language::c_cuba);
  assert_string_equal(lines[2].file.c_str(), "dir/sub/h.c");
  assert_string_equal(lines[2].function.c_str(), "ns::h");
  assert_int_equal(lines[2].params.size(), 3);
  assert_string_equal(lines[2].params[0].symbol.c_str(), "userdata");
  assert_string_equal(lines[2].params[1].symbol.c_str(), "");
  assert_int_equal(lines[2].params[1].bytes, 16);
  assert_string_equal(lines[2].params[2].symbol.c_str(), "v");
  assert_int_equal(read_twin_map("", "a.map").size(), 0);
  assert_string_equal(read_twin_map("f c f.c f", "a.map")[0].file.c_str(), "f.c");
}

void test_errors(void **) {
  assert_error("f_ cuda a.cu", "dir/a.map(1): error: a line has the form");
  assert_error("\n\nf_ pascal a.p f", "dir/a.map(3): error: there is no language 'pascal'; there are cuda, c, cuba");
  assert_error("f_ c \"a.c f", "quotation mark");
  assert_error("f_ c \"\" f", "a word is empty");
  assert_error("f_ c a.c f device=1", "'device=1' is not params=");
  for (const char *flag :
       {"params=", "params=:8", "params=b:", "params=b:0", "params=b:-8", "params=b:8x", "params=b:9999999999999",
        "userdata", "userdata:", "userdata:0", "userdata=8", "userdat:8", ":8"})
    assert_error(std::string("f_ c a.c f ") + flag, "is not params=");
  assert_error("f_ c a.c f\ng_ c a.c g\nf_ cuda a.cu f", "a.map(3): error: 'f_' has a line already");
}

// Whatever the bytes: symbols or a sentence.
void test_damage(void **) {
  const std::string whole = tessera::read_file(TWINS_OBJECT);
  open_test_directory();
  const tessera::object_symbols all(put_bytes("whole", whole.data(), whole.size()), 0);
  assert_false(all.functions_at(nullptr).size() > 0);
  std::mt19937_64 random(1);
  int refused = 0;
  const auto attempt = [&](const std::string &bytes) {
    try {
      const tessera::object_symbols s(put_bytes("damaged", bytes.data(), bytes.size()), 0);
      s.functions_at(reinterpret_cast<const void *>(&test_damage));
    } catch (const tessera::symbol_error &e) {
      ++refused;
      assert_true(std::strlen(e.what()) > 10);
    }
  };
  for (std::size_t n : {1, 4, 16, 63, 64, 1000}) attempt(whole.substr(0, n));
  attempt("");
  attempt(std::string(200, 'x'));
  for (int i = 0; i < 60; ++i) attempt(whole.substr(0, random() % whole.size()));
  assert_true(refused > 40);
  // The header and the table of sections, where all offsets and lengths stand.
  std::uint64_t sections;
  std::memcpy(&sections, whole.data() + 40, sizeof sections);
  for (int i = 0; i < 300; ++i) {
    std::string bytes = whole;
    for (int k = 0; k < 4; ++k) {
      const std::size_t at = i % 2 ? random() % 64 : sections + random() % (bytes.size() - sections);
      bytes[at] = static_cast<char>(random());
    }
    attempt(bytes);
  }
  close_test_directory();
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {cmocka_unit_test(test_lines), cmocka_unit_test(test_errors),
                              cmocka_unit_test(test_damage)};
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
