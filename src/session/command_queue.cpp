// SPDX-License-Identifier: MIT
#include "session/command_queue.h"

#include "sim/command_rules.h"

namespace clothlab {

void CommandQueue::count(const Request& request, int change) {
  const auto* command = std::get_if<Command>(&request.what);
  const auto* control = std::get_if<Control>(&request.what);
  const bool scene = control != nullptr && std::holds_alternative<UseScene>(*control);
  const bool lanes = control != nullptr && std::holds_alternative<SetLanes>(*control);
  const bool urgent = scene || lanes || (command != nullptr && rule_of(*command).urgent);
  if (scene) scenes_.fetch_add(change, std::memory_order_release);
  if (urgent) urgent_.fetch_add(change, std::memory_order_release);
}

std::uint64_t CommandQueue::push(std::variant<Command, Control> what) {
  std::uint64_t stamp = 0;
  {
    const std::lock_guard lock(mutex_);
    stamp = ++last_stamp_;
    requests_.push_back({stamp, std::move(what)});
    count(requests_.back(), 1);
  }
  changed_.notify_one();
  return stamp;
}

void CommandQueue::close() {
  {
    const std::lock_guard lock(mutex_);
    closed_.store(true, std::memory_order_release);
  }
  changed_.notify_one();
}

std::optional<Request> CommandQueue::pop() {
  const std::lock_guard lock(mutex_);
  if (requests_.empty()) return std::nullopt;
  Request oldest = std::move(requests_.front());
  requests_.pop_front();
  count(oldest, -1);
  return oldest;
}

void CommandQueue::wait_until(Clock::time_point until) {
  std::unique_lock lock(mutex_);
  changed_.wait_until(lock, until, [this] { return ready(); });
  woken_ = false;
}

void CommandQueue::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return ready(); });
  woken_ = false;
}

void CommandQueue::wake() {
  {
    const std::lock_guard lock(mutex_);
    woken_ = true;
  }
  changed_.notify_one();
}

}  // namespace clothlab
