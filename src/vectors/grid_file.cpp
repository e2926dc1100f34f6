// A grid file: "tessera-grid 1", "ndim N", "bins B", then for each axis its B+1 edges, one a line. '#' begins a comment.
// SPDX-License-Identifier: BSD-3-Clause
#include "grid_file.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <sstream>

#include "../engine/montecarlo/importance_grid.hpp"
#include "../failure.hpp"
#include "../text_file.hpp"
#include "tessera.h"

namespace tessera {
namespace {

constexpr int most_ndim = 1024;

[[noreturn]] void bad(const std::string &why) { throw failure(TESSERA_ERR_FILE, why); }

class words {
 public:
  explicit words(const char *path) : path_(path) {
    std::string text;
    const std::string why = read_text_file(path_, text);
    if (!why.empty()) bad(path_ + ": " + why);
    in_.str(text);
  }
  std::string next(const std::string &wanted) {
    std::string word;
    while (in_ >> word) {
      if (word[0] != '#') return word;
      std::getline(in_, word);
    }
    bad(path_ + ": the file ends where " + wanted + " is expected");
  }
  void expect(const std::string &word) {
    const std::string found = next("\"" + word + "\"");
    if (found != word) bad(path_ + ": \"" + word + "\" is expected, not \"" + found + "\"");
  }
  double number(const std::string &what) {
    const std::string word = next(what);
    double v = 0.0;
    if (!read_number(word, v)) bad(path_ + ": " + what + " is expected, not \"" + word + "\"");
    return v;
  }
  int whole(const std::string &what, int least, int most) {
    const double v = number(what);
    if (!(v >= least && v <= most) || v != static_cast<int>(v))
      bad(path_ + ": " + what + " is not a whole number from " + std::to_string(least) + " to " + std::to_string(most));
    return static_cast<int>(v);
  }
  bool done() {
    std::string word;
    while (in_ >> word) {
      if (word[0] != '#') return false;
      std::getline(in_, word);
    }
    return true;
  }

 private:
  const std::string path_;
  std::istringstream in_;
};

}  // namespace

void write_grid(const char *path, int ndim, const std::vector<double> &edges) {
  std::unique_ptr<std::FILE, int (*)(std::FILE *)> file(std::fopen(path, "w"), &std::fclose);
  if (!file) bad(std::string(path) + ": cannot be written: " + std::strerror(errno));
  std::fprintf(file.get(), "tessera-grid 1\nndim %d\nbins %d\n", ndim, grid_bins);
  for (const double e : edges) std::fprintf(file.get(), "%s\n", digits_of(e).c_str());
  const bool failed = std::ferror(file.get()) != 0;
  if (std::fclose(file.release()) != 0 || failed) bad(std::string(path) + ": cannot be written");
}

std::vector<double> read_grid(const char *path, int &ndim) {
  words in(path);
  in.expect("tessera-grid");
  in.whole("version 1", 1, 1);
  in.expect("ndim");
  ndim = in.whole("the number of variables", 1, most_ndim);
  in.expect("bins");
  in.whole("the number of bins", grid_bins, grid_bins);
  std::vector<double> edges(static_cast<std::size_t>(ndim) * grid_edges);
  for (double &e : edges) e = in.number("an edge");
  if (!in.done()) bad(std::string(path) + ": there is more after the last edge");
  if (!is_grid(ndim, edges)) bad(std::string(path) + ": the edges of an axis do not rise from 0 to 1");
  return edges;
}

}  // namespace tessera
