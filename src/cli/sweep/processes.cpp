// SPDX-License-Identifier: MIT
#include "cli/sweep/processes.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <map>
#include <system_error>

#include "cli/interrupt.h"
#include "core/error.h"

#ifndef _WIN32
#include <sys/wait.h>
#include <unistd.h>
#endif
#ifdef __linux__
#include <sys/prctl.h>
#endif

namespace clothlab {

std::string failure_text(int status) {
  if (status <= 128) return "the process ended with status " + std::to_string(status) + ".";
#ifdef _WIN32
  return "killed.";
#else
  return "killed by signal " + std::to_string(status - 128) + " (" + strsignal(status - 128) + ").";
#endif
}

#ifdef _WIN32

void run_processes(std::size_t tasks, int, const std::function<int(std::size_t)>& work,
                   const std::function<void(std::size_t, int)>& ended) {
  for (std::size_t task = 0; task < tasks && !Interrupt::requested(); ++task) ended(task, work(task));
}

#else

namespace {

/// The processes that are running; they end with this object.
class Children {
 public:
  Children() = default;
  Children(const Children&) = delete;
  Children& operator=(const Children&) = delete;
  ~Children() {
    signal(SIGKILL);
    try {
      while (!running_.empty()) wait([](std::size_t, int) {});
    } catch (const SystemError&) {  // then none is left
    }
  }

  std::size_t size() const { return running_.size(); }

  void start(std::size_t task, const std::function<int(std::size_t)>& work) {
    std::fflush(nullptr);  // the child must not write the same text again
    const pid_t parent = getpid(), child = fork();
    if (child < 0)
      throw SystemError("A process cannot be started: " + std::generic_category().message(errno) + ".");
    if (child > 0) {
      running_.emplace(child, task);
      return;
    }
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    if (getppid() != parent) _exit(kExitFault);  // it ended before that
    int status = kExitFault;
    try {
      status = work(task);
    } catch (...) {  // it must not reach the objects of the parent, such as this one
    }
    _exit(status);
  }

  void signal(int number) const {
    for (const auto& [process, task] : running_) kill(process, number);
  }

  /// Waits for the end of one, or for a signal to this process. Throws SystemError.
  void wait(const std::function<void(std::size_t, int)>& ended) {
    int status = 0;
    const pid_t process = waitpid(-1, &status, 0);
    if (process < 0 && errno != EINTR) {
      running_.clear();
      throw SystemError("The end of a process was not reported: " + std::generic_category().message(errno) +
                        ".");
    }
    const auto found = running_.find(process);
    if (found == running_.end()) return;
    const std::size_t task = found->second;
    running_.erase(found);
    ended(task, WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
  }

 private:
  std::map<pid_t, std::size_t> running_;
};

}  // namespace

void run_processes(std::size_t tasks, int at_once, const std::function<int(std::size_t)>& work,
                   const std::function<void(std::size_t, int)>& ended) {
  Children children;
  bool is_told = false;
  for (std::size_t next = 0; next < tasks || children.size() > 0;) {
    if (Interrupt::requested()) next = tasks;
    if (Interrupt::requested() && !is_told) {
      children.signal(SIGTERM);
      is_told = true;
    }
    while (next < tasks && children.size() < static_cast<std::size_t>(at_once)) children.start(next++, work);
    if (children.size() > 0) children.wait(ended);
  }
}

#endif

}  // namespace clothlab
