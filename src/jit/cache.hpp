// Compiled code kept under the hash of all that went into it: in memory, and in files that outlive the process.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <ctime>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tessera {

enum class cache_hit : int { none, memory, disk };

struct cache_settings {
  bool memory = true;
  bool disk = true;
  std::string directory;                              // empty: $XDG_CACHE_HOME/tessera, else ~/.cache/tessera
  std::int64_t disk_limit = std::int64_t{256} << 20;  // bytes; the files unused for longest go first
  std::int64_t memory_limit = std::int64_t{64} << 20;
};

// May be used by several threads, and the directory by several processes. Nothing here throws but bad_alloc: a directory
// that cannot be made, read or written only means that nothing is found. A file is taken only if it and its directory belong
// to the user, nobody else may write there, and its length and checksum are right.
class code_cache {
 public:
  explicit code_cache(cache_settings settings = {});

  // key: hexadecimal digits. On a hit `value` is set.
  cache_hit find(const std::string &key, std::string &value);
  void store(const std::string &key, const std::string &value);
  void forget(const std::string &key);  // what was found there is of no use

  // Code that the process has opened, for who asks for it next: the few that were asked for last stay open. Null: it is not there.
  std::shared_ptr<void> opened(const std::string &key);
  void keep_open(const std::string &key, std::shared_ptr<void> code);

  const std::string &directory() const { return directory_; }  // empty: there is none

  // The files of the cache on disk, unfinished ones among them.
  struct disk_contents {
    std::int64_t files = 0, bytes = 0;
  };
  disk_contents on_disk() const;
  std::int64_t disk_limit() const { return settings_.disk_limit; }
  // Removes these files and tells what is gone. What is in use goes on: it is open, or in memory.
  disk_contents clear_disk() const;

 private:
  struct disk_file {
    struct timespec used;
    std::int64_t bytes;
    std::string path;
    bool finished;
  };
  std::vector<disk_file> disk_files() const;
  void remember(const std::string &key, const std::string &value);
  bool read(const std::string &key, std::string &value) const;
  void write(const std::string &key, const std::string &value) const;
  void trim() const;

  const cache_settings settings_;
  const std::string directory_;
  std::mutex mutex_;
  struct entry {
    std::string key, value;
  };
  std::list<entry> recent_;  // last used first
  std::unordered_map<std::string, std::list<entry>::iterator> by_key_;
  std::int64_t held_ = 0;
  static constexpr std::size_t most_open = 32;
  std::list<std::pair<std::string, std::shared_ptr<void>>> open_;  // last used first
};

// What this process has compiled, in memory and, if asked for, on disk.
code_cache &shared_cache(bool disk);

}  // namespace tessera
