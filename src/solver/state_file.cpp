// SPDX-License-Identifier: BSD-3-Clause
#include "state_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "../failure.hpp"
#include "../kept_answers.hpp"
#include "tessera.h"

namespace tessera {
namespace {

using word = std::uint64_t;

constexpr unsigned char magic[8] = {'T',  'E',  'S',  'S',
                                    '\r', '\n', 0x1a, 0xff};  // no text, and changed by what transfers texts
constexpr word order = 0x0102030405060708, format = 1;
constexpr std::size_t word_bytes = sizeof(word), least_words = 9;

[[noreturn]] void bad(const std::string &why) { throw failure(TESSERA_ERR_FILE, why); }

class descriptor {
 public:
  explicit descriptor(int file) : file_(file) {}
  ~descriptor() {
    if (file_ >= 0) ::close(file_);
  }
  descriptor(const descriptor &) = delete;
  descriptor &operator=(const descriptor &) = delete;
  int number() const { return file_; }
  bool close() {
    const int file = file_;
    file_ = -1;
    return ::close(file) == 0;
  }

 private:
  int file_;
};

// Of all that comes before it.
class checksum {
 public:
  void add(const word *words, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) all_.add(uint64{words[i]});
  }
  const answer_key &value() const { return all_.key(); }

 private:
  question all_{0x73756d};
};

void add_text(std::vector<word> &to, const std::string &text) {
  to.push_back(text.size());
  const std::size_t at = to.size();
  to.resize(at + (text.size() + word_bytes - 1) / word_bytes);
  if (!text.empty()) std::memcpy(&to[at], text.data(), text.size());
}

bool write_all(int file, const void *data, std::size_t n) {
  const char *at = static_cast<const char *>(data);
  while (n > 0) {
    const ssize_t done = ::write(file, at, std::min(n, std::size_t{1} << 30));
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    at += done;
    n -= static_cast<std::size_t>(done);
  }
  return true;
}

std::string directory_of(const std::string &path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}
std::string name_of_new(const std::string &path) { return path + ".new"; }

int open_new(const std::string &path) {
  const int file = ::open(name_of_new(path).c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NONBLOCK, 0666);
  if (file < 0) bad(name_of_new(path) + ": cannot be written: " + std::strerror(errno));
  return file;
}

// Reads words one after the other; what is missing is damage, for the checksum was right.
class state_reader {
 public:
  state_reader(const std::string &name, const std::vector<word> &words, std::size_t begin, std::size_t end)
      : name_(name), words_(words), at_(begin), end_(end) {}
  word next() {
    require(1);
    return words_[at_++];
  }
  std::string text() {
    const word n = next();
    if (n > 4096) damaged();
    const std::size_t taken = (static_cast<std::size_t>(n) + word_bytes - 1) / word_bytes;
    require(taken);
    std::string t(static_cast<std::size_t>(n), '\0');
    if (n > 0) std::memcpy(&t[0], &words_[at_], t.size());
    at_ += taken;
    return t;
  }
  std::vector<word> rest(word n) {
    if (n != end_ - at_) damaged();
    return {words_.begin() + static_cast<std::ptrdiff_t>(at_), words_.begin() + static_cast<std::ptrdiff_t>(end_)};
  }
  [[noreturn]] void damaged() const { bad(name_ + ": the file is damaged: what it holds does not fit together"); }

 private:
  void require(std::size_t n) const {
    if (n > end_ - at_) damaged();
  }
  const std::string &name_;
  const std::vector<word> &words_;
  std::size_t at_;
  const std::size_t end_;
};

}  // namespace

void require_writable(const std::string &path) {
  struct stat there;
  const bool stays = ::stat(name_of_new(path).c_str(), &there) == 0;
  descriptor file(open_new(path));
  if (!stays) ::unlink(name_of_new(path).c_str());
}

// Words: magic, order, format, words in all; method, variables, components; version; problem; answers; checksum (two).
void write_state(const std::string &path, const state_content &content, const kept_answers &answers) {
  std::vector<word> head(1);
  std::memcpy(head.data(), magic, sizeof magic);
  head.insert(head.end(), {order, format, 0, static_cast<word>(content.method), static_cast<word>(content.ndim),
                           static_cast<word>(content.ncomp)});
  add_text(head, content.version);
  head.push_back(content.about.size());
  for (const auto &[name, value] : content.about) {
    add_text(head, name);
    head.push_back(value);
  }
  const auto parts = answers.parts();
  std::size_t words = 0;
  for (const kept_answers::part &p : parts) words += p.n;
  head.push_back(words);
  head[3] = head.size() + words + 2;
  checksum sum;
  sum.add(head.data(), head.size());
  for (const kept_answers::part &p : parts) sum.add(p.words, p.n);
  const word tail[2] = {sum.value().first, sum.value().second};
  descriptor file(open_new(path));
  bool written = write_all(file.number(), head.data(), head.size() * word_bytes);
  for (const kept_answers::part &p : parts) written = written && write_all(file.number(), p.words, p.n * word_bytes);
  written = written && write_all(file.number(), tail, sizeof tail) && ::fsync(file.number()) == 0;
  const bool closed = file.close();
  if (!written || !closed || ::rename(name_of_new(path).c_str(), path.c_str()) != 0) {
    const std::string why = std::strerror(errno);
    ::unlink(name_of_new(path).c_str());
    bad(path + ": cannot be written: " + why);
  }
  descriptor directory(::open(directory_of(path).c_str(), O_RDONLY | O_CLOEXEC));
  if (directory.number() >= 0) ::fsync(directory.number());  // the name; the file is whole either way
}

std::vector<unsigned char> read_state_bytes(const std::string &path) {
  descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.number() < 0) bad(path + ": cannot be opened: " + std::strerror(errno));
  struct stat about;
  if (::fstat(file.number(), &about) != 0) bad(path + ": cannot be read: " + std::strerror(errno));
  if (!S_ISREG(about.st_mode)) bad(path + ": is not a regular file");
  std::vector<unsigned char> bytes(static_cast<std::size_t>(about.st_size));
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t n = ::read(file.number(), &bytes[done], std::min(bytes.size() - done, std::size_t{1} << 30));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) bad(path + ": cannot be read: " + std::strerror(errno));
    if (n == 0) bytes.resize(done);  // it has become shorter
    done += static_cast<std::size_t>(n);
  }
  return bytes;
}

state_content read_state(const std::string &name, const unsigned char *bytes, std::size_t n) {
  if (n < sizeof magic || std::memcmp(bytes, magic, sizeof magic) != 0)
    bad(name + ": is not a file of tessera_save_state" + (n == 0 ? ": it is empty" : ""));
  std::vector<word> words(n / word_bytes);
  std::memcpy(words.data(), bytes, words.size() * word_bytes);
  const auto cut = [&](const std::string &of) {
    bad(name + ": the file is cut off: it has " + std::to_string(n) + " bytes" + of);
  };
  if (words.size() < 4) cut("");
  if (words[1] != order)
    bad(name + (words[1] == 0x0807060504030201 ? ": was written by a machine with another order of bytes"
                                               : ": the file is damaged: its head is none"));
  if (words[2] != format) bad(name + ": is of another version of the format (" + std::to_string(words[2]) + ")");
  if (words[3] > words.size() || words[3] < least_words || words[3] > SIZE_MAX / word_bytes)
    cut(words[3] < SIZE_MAX / word_bytes ? " of " + std::to_string(words[3] * word_bytes) : "");
  if (n != static_cast<std::size_t>(words[3]) * word_bytes)
    bad(name + ": the file is damaged: there is more behind its end");
  const std::size_t end = words.size() - 2;
  checksum sum;
  sum.add(words.data(), end);
  if (words[end] != sum.value().first || words[end + 1] != sum.value().second)
    bad(name + ": the file is damaged: its checksum is not that of its bytes");
  state_reader in(name, words, 4, end);
  state_content c;
  for (int *const v : {&c.method, &c.ndim, &c.ncomp}) {
    const word number = in.next();
    if (number > 65536) in.damaged();
    *v = static_cast<int>(number);
  }
  c.version = in.text();
  const word matters = in.next();
  if (matters > 4096) in.damaged();
  for (word m = 0; m < matters; ++m) {
    std::string matter = in.text();
    const word value = in.next();
    c.about.emplace_back(std::move(matter), value);
  }
  const word answers = in.next();
  c.answers = in.rest(answers);
  return c;
}

}  // namespace tessera
