// Numbers and places as the commands print them. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdio>
#include <string>

#include "../jit/cache.hpp"

namespace tessera {

// printf's %.*g and the like.
inline std::string number_text(const char *format, double v) {
  char text[64];
  std::snprintf(text, sizeof text, format, v);
  return text;
}

inline std::string size_text(double bytes) {
  const char *units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  int u = 0;
  for (; bytes >= 1024.0 && u < 4; ++u) bytes /= 1024.0;
  return number_text(u == 0 ? "%.0f " : "%.1f ", bytes) + units[u];
}

inline std::string cache_sentence(const code_cache &cache) {
  if (cache.directory().empty()) return "none on disk: neither $XDG_CACHE_HOME nor $HOME is a whole path";
  const code_cache::disk_contents all = cache.on_disk();
  return cache.directory() + ": " + std::to_string(all.files) + " files, " + size_text(static_cast<double>(all.bytes)) +
         " of at most " + size_text(static_cast<double>(cache.disk_limit()));
}

// "host", "any", or the number of a device. Throws command_failure.
int where_of(const std::string &text);

}  // namespace tessera
