#include "runtime/history.h"

#include <algorithm>
#include <utility>

namespace clothlab {

void History::add(const State& state, const StepRecord& record) {
  const std::size_t bytes = std::max<std::size_t>(1, (state.x.size() + state.v.size()) * sizeof(vec3));
  const std::size_t most = std::clamp<std::size_t>(limits_.bytes / bytes, 1, limits_.states);
  const std::size_t most_fine = std::clamp<std::size_t>(limits_.step_by_step, 1, most);

  // The oldest of the step-by-step states leaves them: kept only where the spacing asks for it.
  if (states_.size() - coarse_ >= most_fine) {
    const auto leaving = states_.begin() + static_cast<std::ptrdiff_t>(coarse_);
    const bool keep =
        coarse_ == 0 || leaving->state->t - states_[coarse_ - 1].state->t >= limits_.spacing * (1 - 1e-9);
    if (keep) {
      ++coarse_;
    } else {
      recycle(std::move(leaving->state));
      states_.erase(leaving);
    }
  }
  while (states_.size() >= most) {
    recycle(std::move(states_.front().state));
    states_.pop_front();
    if (coarse_ > 0) --coarse_;
  }

  std::shared_ptr<State> copy = std::exchange(spare_, nullptr);
  if (!copy || copy->x.size() != state.x.size()) copy = std::make_shared<State>();
  copy->x = state.x;
  copy->v = state.v;
  copy->t = state.t;
  states_.push_back({std::move(copy), record});
}

void History::recycle(std::shared_ptr<State> dropped) {
  if (dropped.use_count() == 1) spare_ = std::move(dropped);
}

void History::clear() {
  if (!states_.empty()) recycle(std::move(states_.back().state));
  states_.clear();
  coarse_ = 0;
}

void History::forget_after(double time) {
  while (states_.size() > 1 && states_.back().state->t > time) states_.pop_back();
  coarse_ = std::min(coarse_, states_.size() - (states_.empty() ? 0 : 1));
}

}  // namespace clothlab
