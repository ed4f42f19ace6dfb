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

template <class Change>
void CommandQueue::change(const Change& change) {
  {
    const std::lock_guard lock(mutex_);
    change();
  }
  changed_.notify_one();
}

std::uint64_t CommandQueue::push(std::variant<Command, Control> what) {
  std::uint64_t stamp = 0;
  change([&] {
    stamp = ++last_stamp_;
    requests_.push_back({stamp, std::move(what)});
    count(requests_.back(), 1);
  });
  return stamp;
}

void CommandQueue::close() {
  change([this] { closed_.store(true, std::memory_order_release); });
}

void CommandQueue::wake() {
  change([this] { woken_ = true; });
}

std::optional<Request> CommandQueue::pop() {
  const std::lock_guard lock(mutex_);
  if (requests_.empty()) return std::nullopt;
  Request oldest = std::move(requests_.front());
  requests_.pop_front();
  count(oldest, -1);
  return oldest;
}

void CommandQueue::wait(Clock::time_point until) {
  std::unique_lock lock(mutex_);
  changed_.wait_until(lock, until, [this] { return ready(); });
  woken_ = false;
}

}  // namespace clothlab
