// The cache of compiled code, and what it hashes with.
// SPDX-License-Identifier: BSD-3-Clause
#include "jit/cache.hpp"

#include <cstring>

#include <dirent.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "checks.hpp"
#include "jit/process.hpp"
#include "jit/sha256.hpp"

using namespace tessera;
using checks::check;

namespace {

std::string hash(const std::string &text) { return sha256().add(text).hex(); }

// Known answers of FIPS 180-4 and of the NIST example for a million times 'a'.
void known_answers() {
  check(hash("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", "SHA-256 of nothing");
  check(hash("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", "SHA-256 of abc");
  check(hash("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
        "SHA-256 of two blocks");
  check(hash(std::string(1000000, 'a')) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0",
        "SHA-256 of a million a");
  check(sha256().field("ab").field("c").hex() != sha256().field("a").field("bc").hex(), "fields do not run together");
}

int files(const std::string &path) {
  int n = 0;
  if (DIR *d = opendir(path.c_str())) {
    while (const dirent *e = readdir(d)) n += e->d_name[0] != '.';
    closedir(d);
  }
  return n;
}

void set_age(const std::string &path, int seconds) {
  struct timeval t[2];
  gettimeofday(&t[0], nullptr);
  t[0].tv_sec -= seconds;
  t[1] = t[0];
  utimes(path.c_str(), t);
}

}  // namespace

int main() {
  known_answers();
  const temporary_directory work;
  cache_settings settings;
  settings.directory = work.path();
  std::string value;
  const std::string binary("a\0b\nc", 5);
  {
    code_cache c(settings);
    check(c.find("11", value) == cache_hit::none, "empty at first");
    c.store("11", binary);
    check(c.find("11", value) == cache_hit::memory && value == binary, "found in memory");
  }
  code_cache again(settings);
  check(again.find("11", value) == cache_hit::disk && value == binary, "found on disk by another process");
  check(again.find("11", value) == cache_hit::memory, "then in memory");

  settings.memory = false;
  code_cache disk(settings);
  check(disk.find("11", value) == cache_hit::disk && disk.find("11", value) == cache_hit::disk, "memory turned off");
  const std::string file = work.file("11.bin");
  const std::string good = read_file(file);
  write_file(file, good.substr(0, good.size() - 1));
  check(disk.find("11", value) == cache_hit::none, "a file cut short is no hit");
  std::string changed = good;
  changed[changed.size() - 2] ^= 1;
  write_file(file, changed);
  check(disk.find("11", value) == cache_hit::none, "a file with a wrong bit is no hit");
  write_file(file, "");
  check(disk.find("11", value) == cache_hit::none, "an empty file is no hit");
  write_file(file, good);
  check(disk.find("11", value) == cache_hit::disk, "the right file is one");
  chmod(file.c_str(), 0666);
  check(disk.find("11", value) == cache_hit::none, "a file that others may write is no hit");
  chmod(file.c_str(), 0600);
  chmod(work.path().c_str(), 0777);
  check(disk.find("11", value) == cache_hit::none, "nor is one in a directory that others may write");
  chmod(work.path().c_str(), 0700);

  settings.disk_limit = 2500;
  code_cache small(settings);
  for (const char *key : {"21", "22", "23"}) small.store(key, std::string(1000, 'x'));
  unlink(file.c_str());
  small.store("22", std::string(1000, 'y'));
  check(files(work.path()) == 2, "the size limit holds");
  set_age(work.file("22.bin"), 100);
  set_age(work.file("23.bin"), 50);
  check(small.find("22", value) == cache_hit::disk && value == std::string(1000, 'y'), "the newer value");
  small.store("24", std::string(1000, 'z'));
  check(small.find("22", value) == cache_hit::disk && small.find("23", value) == cache_hit::none,
        "the one that was unused for longest has gone");

  cache_settings off;
  off.disk = false;
  code_cache memory(off);
  memory.store("1", "one");
  check(memory.directory().empty() && memory.find("1", value) == cache_hit::memory, "disk turned off");
  setenv("XDG_CACHE_HOME", "relative", 1);
  unsetenv("HOME");
  code_cache homeless;
  homeless.store("1", "one");
  check(homeless.directory().empty() && homeless.find("1", value) == cache_hit::memory, "no home is fine");
  setenv("XDG_CACHE_HOME", work.path().c_str(), 1);
  code_cache xdg;
  xdg.store("1", "one");
  check(read_file(work.file("tessera/1.bin")).size() > 60, "XDG_CACHE_HOME");
  unlink(work.file("tessera/1.bin").c_str());
  rmdir(work.file("tessera").c_str());
  cache_settings nowhere;
  nowhere.directory = "/proc/tessera/no";
  nowhere.memory = false;
  code_cache lost(nowhere);
  lost.store("1", "one");
  check(lost.find("1", value) == cache_hit::none, "a directory that cannot be made is fine");
  return checks::summary();
}
