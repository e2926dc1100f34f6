// The file: eight letters, a version, a number that shows the order of bytes, the header, the numbers, and a checksum (FNV-1a over
// 64-bit words) of all before it. Everything is 8 bytes wide.
// SPDX-License-Identifier: BSD-3-Clause
#include "state_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

namespace cuba {
namespace {

constexpr std::int64_t version = 1, byte_order = 0x0102030405060708;
constexpr std::size_t header_words = 8;   // letters, version, byte order, ndim, ncomp, rule, evaluations, count
constexpr double share_for_state = 0.05;  // of the time may go into writing it in the middle of a run

std::atomic<double> state_seconds{10.0};

class checksum {
 public:
  void add(const void *data, std::size_t words) {
    const auto *bytes = static_cast<const unsigned char *>(data);
    for (std::size_t i = 0; i < words; ++i) {
      std::uint64_t w;
      std::memcpy(&w, bytes + 8 * i, 8);
      sum_ = (sum_ ^ w) * 0x100000001b3ull;
      sum_ ^= sum_ >> 29;
    }
  }
  std::uint64_t value() const { return sum_; }

 private:
  std::uint64_t sum_ = 0xcbf29ce484222325ull;
};

void fill_header(const state &s, std::int64_t *header) {
  std::string letters = std::string("TSR") + s.routine;
  letters.resize(8, ' ');
  std::transform(letters.begin(), letters.end(), letters.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  std::memcpy(header, letters.data(), 8);
  const std::int64_t rest[] = {version, byte_order, s.ndim, s.ncomp, s.rule, s.evaluations, s.count};
  std::memcpy(header + 1, rest, sizeof rest);
}

std::string system_reason(const char *what) { return std::string(what) + ": " + std::strerror(errno); }

}  // namespace

bool write_state(const std::string &path, const state &s, std::string &reason) {
  std::string temporary = path + "-XXXXXX";
  const int fd = mkstemp(temporary.data());  // readable by its owner alone
  if (fd < 0) return reason = system_reason("it cannot be created"), false;
  std::FILE *f = fdopen(fd, "wb");
  bool good = f != nullptr;
  if (!good) close(fd);
  checksum sum;
  const auto put = [&](const void *data, std::size_t words) {
    if (good && words > 0) good = std::fwrite(data, 8, words, f) == words;
    sum.add(data, words);
  };
  std::int64_t header[header_words];
  fill_header(s, header);
  put(header, header_words);
  put(s.iterations.data(), 4 * s.iterations.size());
  put(s.records.data(), s.records.size());
  const std::uint64_t last = sum.value();
  put(&last, 1);
  if (f) {
    good = good && std::fflush(f) == 0 && fsync(fd) == 0;
    if (!good) reason = system_reason("it cannot be written");
    good = std::fclose(f) == 0 && good;
  }
  if (good && std::rename(temporary.c_str(), path.c_str()) != 0) {
    reason = system_reason("it cannot be put in its place");
    good = false;
  }
  if (!good) unlink(temporary.c_str());
  return good;
}

read_result read_state(const std::string &path, state &s, std::string &reason) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // no waiting for the writer of a pipe
  std::FILE *f = fd < 0 ? nullptr : fdopen(fd, "rb");
  if (!f) {
    if (errno == ENOENT) return read_result::no_file;
    reason = system_reason("it cannot be opened");
    return read_result::bad;
  }
  const auto finish = [&](const char *why) {
    std::fclose(f);
    if (!why) return read_result::good;
    reason = why;
    return read_result::bad;
  };
  struct stat info;
  if (fstat(fileno(f), &info) != 0 || !S_ISREG(info.st_mode)) return finish("it is not a file");
  std::int64_t header[header_words], expected[header_words];
  if (std::fread(header, 8, header_words, f) != header_words) return finish("it is too short");
  fill_header(s, expected);
  if (std::memcmp(header, expected, 8) != 0) return finish("it is not a state of this routine and library");
  if (header[1] != version || header[2] != byte_order) return finish("it was written by another version or machine");
  if (header[3] != s.ndim || header[4] != s.ncomp || header[5] != s.rule)
    return finish("it is the state of another integral");
  s.evaluations = header[6];
  s.count = header[7];
  const std::int64_t words = info.st_size / 8, sums = 4 * static_cast<std::int64_t>(s.iterations.size());
  if (s.evaluations < 1 || s.count < 1 || info.st_size % 8 != 0 || s.count > words / s.fields ||
      words != static_cast<std::int64_t>(header_words) + sums + s.count * s.fields + 1)
    return finish("it has the wrong length");
  s.records.resize(static_cast<std::size_t>(s.count * s.fields));
  std::uint64_t last;
  if (std::fread(s.iterations.data(), 8, 4 * s.iterations.size(), f) != 4 * s.iterations.size() ||
      std::fread(s.records.data(), 8, s.records.size(), f) != s.records.size() || std::fread(&last, 8, 1, f) != 1)
    return finish("it cannot be read");
  checksum sum;
  sum.add(header, header_words);
  sum.add(s.iterations.data(), 4 * s.iterations.size());
  sum.add(s.records.data(), s.records.size());
  return finish(sum.value() == last ? nullptr : "it is damaged");
}

state_keeper::state_keeper(const char *path, state empty)
    : s(std::move(empty)), path_(path ? path : ""), wait_(state_seconds.load()) {}

bool state_keeper::resume(const transfer &use) {
  if (!has_file()) return false;
  std::string reason;
  const state empty = s;
  const read_result r = read_state(path_, s, reason);
  if (r == read_result::good) reason = use();
  const bool good = r == read_result::good && reason.empty();
  if (!good && r != read_result::no_file) {
    std::printf("Error restoring state from %s: %s; starting afresh\n", path_.c_str(), reason.c_str());
    std::fflush(stdout);
  }
  if (!good) s = empty;
  s.records = {};
  return good;
}

void state_keeper::save_now_and_then(const transfer &fill) {
  if (!has_file()) return;
  const auto now = clock::now();
  if (std::chrono::duration<double>(now - saved_).count() < wait_) return;
  save(fill);
  saved_ = clock::now();
  wait_ = std::max(state_seconds.load(), std::chrono::duration<double>(saved_ - now).count() / share_for_state);
}

void state_keeper::finish(bool remove_it, const transfer &fill) {
  if (!has_file()) return;
  if (remove_it)
    std::remove(path_.c_str());
  else
    save(fill);
}

void state_keeper::save(const transfer &fill) {
  std::string reason;
  try {
    reason = fill();
    if (reason.empty()) write_state(path_, s, reason);
  } catch (const std::bad_alloc &) {
    reason = "no memory for it";
  }
  s.records = {};
  if (reason.empty()) return;
  if (!complained_) std::fprintf(stderr, "tessera: %s: state file %s: %s\n", s.routine, path_.c_str(), reason.c_str());
  complained_ = true;
}

void set_state_seconds(double seconds) { state_seconds.store(seconds >= 0.0 ? seconds : 10.0); }

}  // namespace cuba
