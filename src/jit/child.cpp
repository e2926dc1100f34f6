// SPDX-License-Identifier: BSD-3-Clause
#include "child.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

namespace tessera {
namespace {

void sleep_ns(long nanoseconds) {
  const struct timespec t = {0, nanoseconds};
  ::nanosleep(&t, nullptr);
}

constexpr long millisecond = 1000000;

// The child, and what it has started itself: a compiler is several programs.
void kill_group(pid_t child) {
  ::kill(-child, SIGKILL);
  ::kill(child, SIGKILL);
}

bool wait_once(pid_t child, int options, child_end &end, bool &waiting) {
  int status = 0;
  pid_t ended;
  do ended = ::waitpid(child, &status, options);
  while (ended < 0 && errno == EINTR);
  waiting = ended == 0;
  if (ended == child) {
    end.known = true;
    end.status = status;
  }
  return !waiting;
}

// What parent and child both see. The values follow.
struct shared_part {
  std::atomic<int> done;  // points
  std::atomic<bool> finished, stopped, threw;
};
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free,
              "two processes share them");

class shared_memory {
 public:
  explicit shared_memory(std::size_t values) : bytes_(sizeof(shared_part) + alignof(double) + values * sizeof(double)) {
    void *const at = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (at != MAP_FAILED) part_ = new (at) shared_part{};
  }
  ~shared_memory() {
    if (part_) ::munmap(static_cast<void *>(part_), bytes_);
  }
  shared_memory(const shared_memory &) = delete;
  shared_memory &operator=(const shared_memory &) = delete;
  shared_part *part() const { return part_; }
  double *values() const {
    constexpr std::size_t offset = (sizeof(shared_part) + alignof(double) - 1) / alignof(double) * alignof(double);
    return reinterpret_cast<double *>(reinterpret_cast<char *>(part_) + offset);
  }

 private:
  const std::size_t bytes_;
  shared_part *part_ = nullptr;
};

// Nothing of the program's own may run here, and nothing may leave: no handlers, no files, no core.
void leave_the_program() {
  ::setpgid(0, 0);
#ifdef __linux__
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::prctl(PR_SET_DUMPABLE, 0);
#endif
  const struct rlimit no_core = {0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  struct sigaction standard = {};
  standard.sa_handler = SIG_DFL;
  for (int signal = 1; signal < NSIG; ++signal) ::sigaction(signal, &standard, nullptr);
  const int null = ::open("/dev/null", O_RDWR);
  for (int file = 0; file < 3; ++file) ::dup2(null, file);
#ifdef SYS_close_range
  ::syscall(SYS_close_range, 3U, ~0U, 0U);  // buffers of the program's that exit() would write a second time
#endif
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

[[noreturn]] void call_all(const child_calls &c, shared_part &shared, double *values) {
  leave_the_program();
  for (int i = 0; i < c.n && !shared.stopped && !shared.threw; ++i) {
    try {
      if (c.function(1, c.ndim, c.x + i, c.n, c.ncomp, values + i, c.n, c.userdata) != 0) shared.stopped = true;
    } catch (...) {
      shared.threw = true;
    }
    if (!shared.stopped && !shared.threw) shared.done = i + 1;
  }
  shared.finished = true;
  ::_exit(0);
}

std::string how_it_broke(const child_end &end, const shared_part &shared) {
  if (shared.threw) return "threw an exception";
  if (end.known && WIFSIGNALED(end.status)) {
    const int signal = WTERMSIG(end.status);
    const char *const name = ::strsignal(signal);
    return "was ended by signal " + std::to_string(signal) + (name ? " (" + std::string(name) + ")" : "");
  }
  return "ended the process";
}

}  // namespace

child_end wait_for_child(pid_t child, const std::function<bool()> &give_up) {
  child_end end;
  bool waiting = false;
  if (!give_up) {
    wait_once(child, 0, end, waiting);
    return end;
  }
  for (long nap = millisecond / 10; !wait_once(child, WNOHANG, end, waiting);
       nap = std::min(2 * nap, 5 * millisecond)) {
    if (give_up()) {
      end.given_up = true;
      kill_group(child);
      wait_once(child, 0, end, waiting);
      // The others of its group write no files any more once they are gone.
      for (int i = 0; i < 100 && ::kill(-child, 0) == 0; ++i) sleep_ns(millisecond);
      return end;
    }
    sleep_ns(nap);
  }
  return end;
}

calls_end call_in_child(const child_calls &calls, const deadline &until) {
  using clock = std::chrono::steady_clock;
  constexpr std::chrono::seconds patience(60);
  const std::size_t values = static_cast<std::size_t>(calls.n) * static_cast<std::size_t>(calls.ncomp);
  const shared_memory memory(values);
  calls_end result;
  const auto no_child = [&](const char *what) {
    result.end = calls_end::how::no_child;
    result.why = std::string(what) + ": " + std::strerror(errno);
    return result;
  };
  if (!memory.part()) return no_child("mmap");
  shared_part &shared = *memory.part();
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);  // none of the program's handlers runs in the child
  const pid_t child = ::fork();
  if (child == 0) call_all(calls, shared, memory.values());
  const int why = errno;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = why;
  if (child < 0) return no_child("fork");

  int last = 0;
  auto since = clock::now();
  const child_end end = wait_for_child(child, [&] {
    const int done = shared.done;
    if (done != last) last = done, since = clock::now();
    return is_over(until) || clock::now() - since > patience;
  });
  result.point = std::min<int>(shared.done, calls.n - 1);
  if (end.given_up) {
    result.end = is_over(until) ? calls_end::how::overdue : calls_end::how::stuck;
  } else if (shared.stopped) {
    result.end = calls_end::how::stopped;
  } else if (shared.done < calls.n || !shared.finished) {
    result.end = calls_end::how::broken;
    result.why = how_it_broke(end, shared);
  } else {
    std::copy_n(memory.values(), values, calls.f);
  }
  return result;
}

}  // namespace tessera
