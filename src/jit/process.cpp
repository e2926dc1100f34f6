// SPDX-License-Identifier: BSD-3-Clause
#include "process.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <stdexcept>

#include <dirent.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.hpp"

extern char **environ;

namespace tessera {
namespace {

constexpr char directory_prefix[] = "tessera-compile-";

[[noreturn]] void fail(const std::string &what) { throw std::runtime_error(what + ": " + std::strerror(errno)); }

// The environment with LC_ALL=C, and a PATH, without which a compiler does not find its own parts. What was loaded into an old program, a
// drop-in perhaps, is not meant for a compiler. Its own temporary files go where they are removed when it is killed.
std::vector<char *> plain_environment(std::string &temporary) {
  static char locale[] = "LC_ALL=C", path[] = "PATH=/usr/bin:/bin";
  std::vector<char *> out;
  bool has_path = false;
  for (char **e = environ; *e; ++e) {
    if (std::strncmp(*e, "LC_ALL=", 7) == 0 || std::strncmp(*e, "LD_PRELOAD=", 11) == 0 ||
        std::strncmp(*e, "TMPDIR=", 7) == 0)
      continue;
    has_path = has_path || std::strncmp(*e, "PATH=", 5) == 0;
    out.push_back(*e);
  }
  out.push_back(locale);
  out.push_back(&temporary[0]);
  if (!has_path) out.push_back(path);
  out.push_back(nullptr);
  return out;
}

}  // namespace

static void clear_directory(DIR *directory) {
  while (const dirent *e = ::readdir(directory))
    if (std::strcmp(e->d_name, ".") != 0 && std::strcmp(e->d_name, "..") != 0)
      ::unlinkat(::dirfd(directory), e->d_name, 0);  // without memory, which there may be none of
}

// Directories that processes left behind which were ended while they compiled: ours, and older than any compilation.
static void remove_stale(const std::string &base) {
  constexpr time_t stale_seconds = 24 * 3600;
  DIR *all = ::opendir(base.c_str());
  if (!all) return;
  while (const dirent *e = ::readdir(all)) {
    struct stat s;
    const std::string path = base + "/" + e->d_name;
    if (std::strncmp(e->d_name, directory_prefix, sizeof directory_prefix - 1) != 0 ||
        std::strlen(e->d_name) != sizeof directory_prefix - 1 + 6 || ::lstat(path.c_str(), &s) != 0 ||
        !S_ISDIR(s.st_mode) || s.st_uid != ::geteuid() || ::time(nullptr) - s.st_mtime < stale_seconds)
      continue;
    if (DIR *directory = ::opendir(path.c_str())) {
      clear_directory(directory);
      ::closedir(directory);
    }
    ::rmdir(path.c_str());
  }
  ::closedir(all);
}

temporary_directory::temporary_directory() {
  const char *variable = ::secure_getenv("TMPDIR");
  const std::string base = variable && variable[0] == '/' ? variable : "/tmp";
  static const bool cleaned = (remove_stale(base), true);  // once in a process
  (void)cleaned;
  path_ = base + "/" + directory_prefix + "XXXXXX";
  if (!::mkdtemp(&path_[0])) fail("no temporary directory " + path_);
}

temporary_directory::~temporary_directory() {
  if (DIR *directory = ::opendir(path_.c_str())) {
    clear_directory(directory);
    ::closedir(directory);
  }
  ::rmdir(path_.c_str());
}

process_result run_process(const std::vector<std::string> &arguments, const std::string &scratch, bool plain_messages,
                           const deadline &until) {
  std::vector<char *> argv;
  for (const std::string &a : arguments) argv.push_back(const_cast<char *>(a.c_str()));
  argv.push_back(nullptr);
  std::string temporary = "TMPDIR=" + scratch.substr(0, scratch.rfind('/'));
  std::vector<char *> plain = plain_environment(temporary);

  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, 1, scratch.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  ::posix_spawn_file_actions_adddup2(&actions, 1, 2);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  if (until) {  // a group that can be killed as a whole
    ::posix_spawnattr_setpgroup(&attributes, 0);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  }
  pid_t child = 0;
  process_result result;
  const int error =
      ::posix_spawnp(&child, argv[0], &actions, &attributes, argv.data(), plain_messages ? plain.data() : environ);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    result.output = arguments[0] + ": " + std::strerror(error);
    return result;
  }
  const child_end end = wait_for_child(child, until ? [&] { return is_over(until); } : std::function<bool()>());
  const int status = end.status;
  // Without a status (the program ignores SIGCHLD) the caller judges by the output file.
  result.started = !(end.known && WIFEXITED(status) && WEXITSTATUS(status) == 127);
  result.overdue = end.given_up;
  if (end.known && WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  result.status = end.known && WIFEXITED(status) ? WEXITSTATUS(status) : end.known ? -1 : 0;
  result.output = read_file(scratch);
  return result;
}

bool write_all(int file, const std::string &bytes) {
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t n = ::write(file, bytes.data() + done, bytes.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    done += static_cast<std::size_t>(n);
  }
  return true;
}

void write_file(const std::string &path, const std::string &bytes) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) fail(path);
  const bool written = write_all(file, bytes);
  const int why = errno;
  if (::close(file) == 0 && written) return;
  if (!written) errno = why;
  fail(path);
}

std::string read_file(const std::string &path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) fail(path);
  std::string bytes;
  char buffer[65536];
  for (;;) {
    const ssize_t n = ::read(file, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      ::close(file);
      fail(path);
    }
    if (n == 0) break;
    bytes.append(buffer, static_cast<std::size_t>(n));
  }
  ::close(file);
  return bytes;
}

}  // namespace tessera
