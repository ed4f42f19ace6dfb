// SPDX-License-Identifier: MIT
#include "runtime/background.h"

#include <chrono>
#include <ctime>

#if defined(__linux__)
#include <sys/resource.h>
#include <unistd.h>
#elif defined(__APPLE__)
#include <pthread.h>
#endif

namespace clothlab {

void work_in_background() {
#if defined(__linux__)
  constexpr int kNice = 10;  // a tenth of the time of what competes
  // On Linux a thread is meant by its own number; where that is refused, all is as before.
  static_cast<void>(setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kNice));
#elif defined(__APPLE__)
  static_cast<void>(pthread_set_qos_class_self_np(QOS_CLASS_UTILITY, 0));
#endif
}

double thread_seconds() {
#if defined(__linux__) || defined(__APPLE__)
  timespec time{};
  if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0)
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
#endif
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double process_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

}  // namespace clothlab
