// SPDX-License-Identifier: MIT
#include "session/look_ahead_monitor.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "core/error.h"
#include "session/background.h"

namespace clothlab {

LookAheadMonitor::LookAheadMonitor(std::function<void()> found)
    : found_(std::move(found)), thread_([this] { run(); }) {}

LookAheadMonitor::~LookAheadMonitor() {
  close();
  thread_.join();
}

void LookAheadMonitor::close() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
    interrupted_.store(true);
  }
  changed_.notify_one();
}

void LookAheadMonitor::begin(Start start) {
  {
    const std::lock_guard lock(mutex_);
    if (start.from) until_ = start.from->state.t + kLookAhead;
    error_ = nullptr;
    waiting_ = std::move(start);
    interrupted_.store(true);
  }
  changed_.notify_one();
}

void LookAheadMonitor::follow(double time) {
  {
    const std::lock_guard lock(mutex_);
    until_ = time + kLookAhead;
  }
  changed_.notify_one();
}

void LookAheadMonitor::run() {
  work_in_background();
  for (;;) {
    std::optional<Start> start;
    double until = 0;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return closing_ || waiting_ || (runs_ && reached_ < until_); });
      if (closing_) return;
      start = std::exchange(waiting_, std::nullopt);
      until = until_;
      interrupted_.store(false);
    }
    try {
      advance(start, until);
    } catch (const Cancelled&) {
      // Another start waits, or the end.
    } catch (const std::exception&) {
      runs_ = false;
      {
        const std::lock_guard lock(mutex_);
        if (!waiting_) error_ = std::current_exception();
      }
      found_();
    }
  }
}

/// Begins a copy, or takes one step of it.
void LookAheadMonitor::advance(const std::optional<Start>& start, double until) {
  constexpr double kSpacing = 0.02;  // of what is passed on [s]
  const StopProbe stop = [this] { return interrupted_.load(); };
  if (start) {
    runs_ = false;
    if (!start->from) {
      copy_ = {};
      return;
    }
    copy_.begin(pool_, *start->from, start->mesh, start->model, start->alone, stop);
    tag_ = start->tag;
    runs_ = true;
    told_ = copy_.prediction().reached - kSpacing;
  }
  const auto failures = [this] {
    std::size_t count = 0;
    for (const auto& failure : copy_.prediction().failures) count += failure.has_value();
    return count;
  };
  const std::size_t before = failures();
  runs_ = copy_.advance(pool_, stop);
  if (interrupted_.load()) return;
  reached_ = copy_.prediction().reached;
  if (failures() == before && reached_ < std::min(told_ + kSpacing, until)) return;
  told_ = reached_;
  newest_.put(std::make_shared<const Found>(Found{tag_, copy_.prediction()}));
  found_();
}

}  // namespace clothlab
