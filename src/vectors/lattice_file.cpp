// Generating vectors as text. A line is a word and its values; '#' begins a comment. "vector" is the last word, followed by one
// component a line.
// SPDX-License-Identifier: BSD-3-Clause
#include <set>
#include <sstream>

#include "../core/number.hpp"
#include "../text_file.hpp"
#include "lattice.hpp"

namespace tessera {
namespace {

struct name_of {
  const char *name;
  int value;
};
constexpr name_of origins[] = {{"constructed", TESSERA_ORIGIN_CONSTRUCTED},
                               {"korobov", TESSERA_ORIGIN_KOROBOV},
                               {"given", TESSERA_ORIGIN_GIVEN},
                               {"builtin", TESSERA_ORIGIN_BUILTIN}};
constexpr name_of kernels[] = {
    {"b2", TESSERA_KERNEL_B2}, {"b4", TESSERA_KERNEL_B4}, {"b6", TESSERA_KERNEL_B6}, {"table", TESSERA_KERNEL_TABLE}};

template <std::size_t N>
const char *name(const name_of (&table)[N], int value) {
  for (const name_of &e : table)
    if (e.value == value) return e.name;
  return "?";
}

void write_reals(std::string &out, const char *word, const std::vector<double> &values) {
  if (values.empty()) return;
  out += word;
  for (const double v : values) out += " " + digits_of(v);
  out += "\n";
}

class reader {
 public:
  explicit reader(const std::string &text) : in_(text) {}

  lattice_data read() {
    std::istringstream words = next_line();
    std::string word;
    int version = 0;
    if (!(words >> word >> version) || word != "tessera-lattice")
      bad("the file does not begin with \"tessera-lattice 1\"");
    if (version != 1) bad("version " + std::to_string(version) + " of the format is not known");
    std::uint64_t ndim = 0;
    for (;;) {
      words = next_line();
      words >> word;
      if (!seen_.insert(word).second) bad("\"" + word + "\" stands there twice");
      if (word == "vector") break;
      if (word == "ndim")
        ndim = whole(words, 1, most_lattice_ndim);
      else if (word == "n")
        data_.points = whole(words, 1, most_lattice_points);
      else if (word == "least")
        data_.least = whole(words, 0, most_lattice_points);
      else if (word == "precision")
        data_.precision = static_cast<int>(whole(words, 32, 64)), check(wrong_precision(data_.precision));
      else if (word == "origin")
        data_.origin = named(words, origins);
      else if (word == "kernel")
        data_.kernel = named(words, kernels);
      else if (word == "merit")
        data_.merit = one_real(words);
      else if (word == "ratio")
        data_.ratio = one_real(words);
      else if (word == "product")
        data_.product = reals(words);
      else if (word == "order")
        data_.order = reals(words);
      else
        bad("\"" + word + "\" is not known");
      std::string rest;
      if (words >> rest) bad("\"" + rest + "\" is too much");
    }
    if (ndim == 0 || data_.points == 0 || data_.origin == TESSERA_ORIGIN_EMPTY)
      bad("ndim, n or origin is missing before \"vector\"");
    check(wrong_least(data_.least));
    if (data_.least != 0 && !(is_power_of_two(data_.points) && data_.least <= data_.points))
      bad("n is not a power of two from least on");
    if (data_.origin == TESSERA_ORIGIN_CONSTRUCTED && data_.product.empty()) bad("product is missing");
    if (!data_.product.empty() && data_.product.size() != ndim) bad("product has not ndim values");
    check(wrong_weights(static_cast<int>(ndim), data_.product, data_.order));
    for (std::uint64_t j = 0; j < ndim; ++j) {
      words = next_line();
      const std::uint64_t z = whole(words, 1, static_cast<std::int64_t>(data_.points));
      if ((z >= data_.points && data_.points > 1) || common_divisor(z, data_.points) != 1)
        bad("component " + std::to_string(z) + " is not below n or has a common divisor with it");
      data_.z.push_back(z);
    }
    std::string line;
    while (std::getline(in_, line)) {
      ++number_;
      line.resize(std::min(line.find('#'), line.size()));
      if (line.find_first_not_of(" \t\r") != std::string::npos) bad("there is more after the last component");
    }
    return std::move(data_);
  }

 private:
  [[noreturn]] void bad(const std::string &why) const {
    throw failure(TESSERA_ERR_FILE, "line " + std::to_string(number_) + ": " + why);
  }

  void check(const std::string &wrong) const {
    if (!wrong.empty()) bad(wrong);
  }

  // The next line that is not empty.
  std::istringstream next_line() {
    std::string line;
    while (std::getline(in_, line)) {
      ++number_;
      line.resize(std::min(line.find('#'), line.size()));
      if (line.find_first_not_of(" \t\r") != std::string::npos) return std::istringstream(line);
    }
    bad("the file ends too early");
  }
  std::uint64_t whole(std::istringstream &words, std::int64_t least, std::int64_t most) const {
    std::int64_t v = 0;
    if (!(words >> v) || v < least || v > most)
      bad("an integer within " + std::to_string(least) + " .. " + std::to_string(most) + " is expected");
    return static_cast<std::uint64_t>(v);
  }
  double one_real(std::istringstream &words) const {
    std::string word;
    double v = 0.0;
    words >> word;
    if (!read_number(word, v)) bad("a number is expected");
    return v;
  }
  std::vector<double> reals(std::istringstream &words) const {
    std::vector<double> values;
    std::string word;
    while (words >> word) {
      values.push_back(0.0);
      if (!read_number(word, values.back())) bad("\"" + word + "\" is not a number");
    }
    if (values.empty()) bad("weights are expected");
    words.clear();
    return values;
  }
  template <std::size_t N>
  int named(std::istringstream &words, const name_of (&table)[N]) const {
    std::string word;
    words >> word;
    for (const name_of &e : table)
      if (word == e.name) return e.value;
    bad("\"" + word + "\" is not known here");
  }

  std::istringstream in_;
  int number_ = 0;
  std::set<std::string> seen_;
  lattice_data data_;
};

}  // namespace

std::string write_lattice(const lattice_data &d) {
  std::string out = "tessera-lattice 1\nndim " + std::to_string(d.z.size()) + "\nn " + std::to_string(d.points) + "\n";
  if (d.least > 0) out += "least " + std::to_string(d.least) + "\n";
  out += std::string("origin ") + name(origins, d.origin) + "\n";
  if (d.origin == TESSERA_ORIGIN_CONSTRUCTED) {
    out += std::string("kernel ") + name(kernels, d.kernel) + "\nprecision " + std::to_string(d.precision) + "\n";
    out += "merit " + digits_of(d.merit) + "\nratio " + digits_of(d.ratio) + "\n";
    write_reals(out, "product", d.product);
    write_reals(out, "order", d.order);
  }
  out += "vector\n";
  for (const std::uint64_t z : d.z) out += std::to_string(z) + "\n";
  return out;
}

lattice_data read_lattice(const std::string &text) { return reader(text).read(); }

}  // namespace tessera
