// Small files as a whole, and numbers in them, which do not depend on the program's locale.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <string>
#include <system_error>

namespace tessera {

constexpr std::int64_t largest_text = std::int64_t{1} << 28;  // bytes

// Why the file cannot be read: "" when its bytes are in `text`. A regular file alone: others may have no end, or wait for a writer.
inline std::string read_text_file(const std::string &path, std::string &text) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return std::string("cannot be opened: ") + std::strerror(errno);
  struct closing {
    ~closing() { ::close(file); }
    const int file;
  } at_the_end{file};
  struct stat about;
  if (::fstat(file, &about) != 0) return std::string("cannot be read: ") + std::strerror(errno);
  if (!S_ISREG(about.st_mode)) return "is not a regular file";
  if (about.st_size > largest_text) return "is larger than " + std::to_string(largest_text) + " bytes";
  text.resize(static_cast<std::size_t>(about.st_size));
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t n = ::read(file, &text[done], text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return std::string("cannot be read: ") + std::strerror(errno);
    if (n == 0) text.resize(done);  // it has become shorter
    done += static_cast<std::size_t>(n);
  }
  return {};
}

// Seventeen digits, which give the number back.
inline std::string digits_of(double v) {
  char text[40];
  const std::to_chars_result end = std::to_chars(text, text + sizeof text, v, std::chars_format::general, 17);
  return {text, end.ptr};
}

// False unless the whole word is a number, "inf" and "nan" included.
inline bool read_number(const std::string &word, double &v) {
  const char *begin = word.c_str(), *end = begin + word.size();
  if (*begin == '+') ++begin;
  const std::from_chars_result r = std::from_chars(begin, end, v);
  return r.ec == std::errc() && r.ptr == end;
}

}  // namespace tessera
