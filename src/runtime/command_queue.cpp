#include "runtime/command_queue.h"

#include <utility>

namespace clothlab {
namespace {

bool makes_step_worthless(const std::variant<Command, Control>& what) {
  if (const auto* command = std::get_if<Command>(&what)) return std::holds_alternative<Reset>(*command);
  return std::holds_alternative<UseScene>(std::get<Control>(what));
}

}  // namespace

std::uint64_t CommandQueue::push(std::variant<Command, Control> what) {
  std::uint64_t stamp = 0;
  {
    const std::lock_guard lock(mutex_);
    if (makes_step_worthless(what)) urgent_.fetch_add(1, std::memory_order_release);
    stamp = ++last_stamp_;
    requests_.push_back({stamp, std::move(what)});
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

std::optional<Request> CommandQueue::take() {
  const std::lock_guard lock(mutex_);
  if (requests_.empty()) return std::nullopt;
  Request oldest = std::move(requests_.front());
  requests_.pop_front();
  if (makes_step_worthless(oldest.what)) urgent_.fetch_sub(1, std::memory_order_release);
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
