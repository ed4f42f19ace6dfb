// SPDX-License-Identifier: MIT
#include "session/background.h"

#include <chrono>
#include <ctime>
#include <optional>
#include <thread>

#include "core/worker_pool.h"

#if defined(__linux__)
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>
#elif defined(__APPLE__)
#include <pthread.h>
#endif

namespace clothlab {
namespace {

#if defined(__linux__) || defined(__APPLE__)
std::optional<double> seconds_of(clockid_t clock) {
  timespec time{};
  if (clock_gettime(clock, &time) != 0) return std::nullopt;
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}
#endif

}  // namespace

void work_in_background() {
#if defined(__linux__)
  constexpr int kNice = 10;  // a tenth of the time of competing threads
  // Linux addresses a thread by its own number; a refusal is ignored.
  static_cast<void>(setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kNice));
#elif defined(__APPLE__)
  static_cast<void>(pthread_set_qos_class_self_np(QOS_CLASS_UTILITY, 0));
#endif
}

double thread_seconds() {
#if defined(__linux__) || defined(__APPLE__)
  if (const auto seconds = seconds_of(CLOCK_THREAD_CPUTIME_ID)) return *seconds;
#endif
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double pool_seconds(WorkerPool& pool) {
  double seconds = thread_seconds();
#if defined(__linux__)
  if (WorkerPool::in_body()) return seconds;
  for (std::thread& worker : pool.workers()) {
    clockid_t clock{};
    if (pthread_getcpuclockid(worker.native_handle(), &clock) == 0) seconds += seconds_of(clock).value_or(0);
  }
#else
  static_cast<void>(pool);
#endif
  return seconds;
}

double process_seconds() {
#if defined(__linux__) || defined(__APPLE__)
  if (const auto seconds = seconds_of(CLOCK_PROCESS_CPUTIME_ID)) return *seconds;
#endif
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

}  // namespace clothlab
