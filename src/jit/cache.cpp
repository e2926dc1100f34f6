// SPDX-License-Identifier: BSD-3-Clause
#include "cache.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "process.hpp"
#include "sha256.hpp"
#include "text.hpp"

namespace tessera {
namespace {

const std::string magic = "tessera cache 1\n";
constexpr std::size_t checksum_digits = 64;
const std::string suffix = ".bin";
const std::string unfinished = ".new";
constexpr int stale_seconds = 3600;  // an unfinished file older than this was left by a process that died

// An absolute path, else "".
std::string environment_path(const char *name) {
  const char *value = ::secure_getenv(name);
  return value && value[0] == '/' ? value : "";
}

std::string choose_directory(const cache_settings &settings) {
  if (!settings.disk) return {};
  if (!settings.directory.empty()) return settings.directory;
  std::string base = environment_path("XDG_CACHE_HOME");
  if (base.empty()) {
    base = environment_path("HOME");
    if (base.empty()) return {};
    base += "/.cache";
  }
  return base + "/tessera";
}

void make_directories(const std::string &path) {
  for (std::size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
    ::mkdir(path.substr(0, slash).c_str(), 0700);
    if (slash == std::string::npos) return;
  }
}

bool ours(const struct stat &s) { return s.st_uid == ::geteuid() && (s.st_mode & (S_IWGRP | S_IWOTH)) == 0; }

bool trusted_directory(const std::string &path) {
  struct stat s;
  return ::stat(path.c_str(), &s) == 0 && S_ISDIR(s.st_mode) && ours(s);
}

}  // namespace

code_cache::code_cache(cache_settings settings) : settings_(settings), directory_(choose_directory(settings)) {}

cache_hit code_cache::find(const std::string &key, std::string &value) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = by_key_.find(key);
  if (found != by_key_.end()) {
    recent_.splice(recent_.begin(), recent_, found->second);
    value = found->second->value;
    return cache_hit::memory;
  }
  if (!read(key, value)) return cache_hit::none;
  remember(key, value);
  return cache_hit::disk;
}

void code_cache::store(const std::string &key, const std::string &value) {
  const std::lock_guard<std::mutex> lock(mutex_);
  remember(key, value);
  write(key, value);
}

void code_cache::forget(const std::string &key) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = by_key_.find(key);
  if (found != by_key_.end()) {
    held_ -= static_cast<std::int64_t>(found->second->value.size());
    recent_.erase(found->second);
    by_key_.erase(found);
  }
  if (!directory_.empty() && trusted_directory(directory_)) ::unlink((directory_ + "/" + key + suffix).c_str());
}

std::shared_ptr<void> code_cache::opened(const std::string &key) {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (auto o = open_.begin(); o != open_.end(); ++o)
    if (o->first == key) {
      open_.splice(open_.begin(), open_, o);
      return o->second;
    }
  return nullptr;
}

void code_cache::keep_open(const std::string &key, std::shared_ptr<void> code) {
  if (!settings_.memory) return;
  decltype(open_) gone;  // outlives the lock
  const std::lock_guard<std::mutex> lock(mutex_);
  open_.emplace_front(key, std::move(code));
  if (open_.size() > most_open) gone.splice(gone.begin(), open_, std::prev(open_.end()));
}

void code_cache::remember(const std::string &key, const std::string &value) {
  const auto bytes = static_cast<std::int64_t>(value.size());
  if (!settings_.memory || bytes > settings_.memory_limit || by_key_.count(key)) return;
  recent_.push_front({key, value});
  by_key_[key] = recent_.begin();
  held_ += bytes;
  while (held_ > settings_.memory_limit) {
    held_ -= static_cast<std::int64_t>(recent_.back().value.size());
    by_key_.erase(recent_.back().key);
    recent_.pop_back();
  }
}

// File: magic, checksum of the rest, newline, length, newline, bytes.
bool code_cache::read(const std::string &key, std::string &value) const {
  if (directory_.empty() || !trusted_directory(directory_)) return false;
  const std::string path = directory_ + "/" + key + suffix;
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);  // a pipe would wait
  if (file < 0) return false;
  struct stat s;
  std::string bytes;
  bool good = ::fstat(file, &s) == 0 && S_ISREG(s.st_mode) && ours(s) && s.st_size <= 2 * settings_.disk_limit;
  if (good) {
    bytes.resize(static_cast<std::size_t>(s.st_size));
    for (std::size_t done = 0; good && done < bytes.size();) {
      const ssize_t n = ::read(file, &bytes[done], bytes.size() - done);
      if (n < 0 && errno == EINTR) continue;
      good = n > 0;
      done += static_cast<std::size_t>(n > 0 ? n : 0);
    }
  }
  ::close(file);
  const std::size_t head = magic.size() + checksum_digits + 1;
  good = good && bytes.size() > head && bytes.compare(0, magic.size(), magic) == 0 &&
         bytes.compare(magic.size(), checksum_digits, sha256().add(std::string_view(bytes).substr(head)).hex()) == 0;
  const std::size_t newline = good ? bytes.find('\n', head) : std::string::npos;
  if (newline == std::string::npos || bytes.substr(head, newline - head) != std::to_string(bytes.size() - newline - 1))
    return false;
  value = bytes.substr(newline + 1);
  ::utimensat(AT_FDCWD, path.c_str(), nullptr, 0);  // used now
  return true;
}

void code_cache::write(const std::string &key, const std::string &value) const {
  if (directory_.empty() || static_cast<std::int64_t>(value.size()) > settings_.disk_limit) return;
  make_directories(directory_);
  if (!trusted_directory(directory_)) return;
  std::string path = directory_ + "/" + key + ".XXXXXX" + unfinished;
  const int file = ::mkostemps(&path[0], static_cast<int>(unfinished.size()), O_CLOEXEC);
  if (file < 0) return;
  const std::string body = std::to_string(value.size()) + "\n" + value;
  const bool written = write_all(file, magic + sha256().add(body).hex() + "\n" + body);
  const bool closed = ::close(file) == 0;
  if (!written || !closed || ::rename(path.c_str(), (directory_ + "/" + key + suffix).c_str()) != 0) {
    ::unlink(path.c_str());
    return;
  }
  trim();
}

std::vector<code_cache::disk_file> code_cache::disk_files() const {
  std::vector<disk_file> files;
  DIR *directory = directory_.empty() ? nullptr : ::opendir(directory_.c_str());
  if (!directory) return files;
  while (const dirent *e = ::readdir(directory)) {
    const std::string name = e->d_name, path = directory_ + "/" + name;
    struct stat s;
    if ((ends_with(name, suffix) || ends_with(name, unfinished)) && ::lstat(path.c_str(), &s) == 0 &&
        S_ISREG(s.st_mode))
      files.push_back({s.st_mtim, s.st_size, path, ends_with(name, suffix)});
  }
  ::closedir(directory);
  return files;
}

void code_cache::trim() const {
  std::vector<disk_file> items;
  std::int64_t total = 0;
  for (const disk_file &f : disk_files()) {
    if (!f.finished) {
      if (::time(nullptr) - f.used.tv_sec > stale_seconds) ::unlink(f.path.c_str());
      continue;
    }
    items.push_back(f);
    total += f.bytes;
  }
  if (total <= settings_.disk_limit) return;
  std::sort(items.begin(), items.end(), [](const disk_file &a, const disk_file &b) {
    return a.used.tv_sec != b.used.tv_sec ? a.used.tv_sec < b.used.tv_sec : a.used.tv_nsec < b.used.tv_nsec;
  });
  for (const disk_file &i : items) {
    if (total <= settings_.disk_limit) break;
    if (::unlink(i.path.c_str()) == 0) total -= i.bytes;
  }
}

code_cache::disk_contents code_cache::on_disk() const {
  disk_contents all;
  for (const disk_file &f : disk_files()) {
    ++all.files;
    all.bytes += f.bytes;
  }
  return all;
}

code_cache::disk_contents code_cache::clear_disk() const {
  disk_contents gone;
  if (directory_.empty() || !trusted_directory(directory_)) return gone;
  for (const disk_file &f : disk_files())
    if (::unlink(f.path.c_str()) == 0) {
      ++gone.files;
      gone.bytes += f.bytes;
    }
  return gone;
}

code_cache &shared_cache(bool disk) {
  static code_cache with_disk, without_disk{[] {
    cache_settings s;
    s.disk = false;
    return s;
  }()};
  return disk ? with_disk : without_disk;
}

}  // namespace tessera
