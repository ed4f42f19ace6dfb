// SPDX-License-Identifier: MIT
#include "session/history.h"

#include <algorithm>
#include <utility>

namespace clothlab {
namespace {

// So that rounding does not turn "every step" into "every second step".
constexpr double kAlmost = 1 - 1e-9;

/// Without the shared scene and last good state.
std::size_t bytes_of(const Checkpoint& past) {
  return sizeof(Checkpoint) + 2 * past.state.x.size() * sizeof(vec3) +
         (past.memory.numbers().size() + past.residuals.size()) * sizeof(double) +
         past.contacts.size() * sizeof(ActiveContact) + past.pairs.size() * sizeof(ActivePair) +
         past.pins.bytes();
}

std::size_t bytes_of(const Moment& past) {
  std::size_t bytes = sizeof(Moment);
  for (const Moment::Part& part : past.lanes) bytes += bytes_of(*part.checkpoint);
  return bytes;
}

}  // namespace

History::Room History::room_for(std::size_t bytes_of_state) const {
  const std::size_t most = limits_.bytes / bytes_of_state;
  const std::size_t fine = std::clamp<std::size_t>(most / 4, 1, limits_.step_by_step);
  const std::size_t coarse = most > fine ? most - fine : 1;
  return {fine, std::max(limits_.spacing, limits_.seconds / static_cast<double>(coarse))};
}

void History::add(const std::function<void(Moment&)>& save) {
  std::shared_ptr<Moment> next = std::exchange(spare_, nullptr);
  if (!next) next = std::make_shared<Moment>();
  save(*next);
  grown_ = true;
  make_room(bytes_of(*next), next->time);
  states_.push_back(next);
  bytes_ += bytes_of(*next);
}

void History::forget_newest() {
  if (!states_.empty()) drop(states_, states_.end() - 1);
  coarse_ = std::min(coarse_, states_.size());
}

void History::replace_newest(const std::function<void(Moment&)>& save) {
  forget_newest();
  add(save);
}

void History::make_room(std::size_t bytes_of_next, double time_of_next) {
  const Room room = room_for(bytes_of_next);
  // The oldest of the step-by-step states: kept only if the spacing requires it.
  while (states_.size() - coarse_ >= room.step_by_step && states_.size() > coarse_) {
    const auto leaving = states_.begin() + static_cast<std::ptrdiff_t>(coarse_);
    if (coarse_ == 0 || (*leaving)->time - states_[coarse_ - 1]->time >= room.spacing * kAlmost)
      ++coarse_;
    else
      drop(states_, leaving);
  }
  forget_other_branch(limits_.bytes - std::min(limits_.bytes, bytes_of_next));
  const auto is_old = [&] {
    return time_of_next - states_.front()->time > limits_.seconds / kAlmost &&
           states_.size() >= std::min(limits_.least, limits_.step_by_step);
  };
  while (!states_.empty() && (is_old() || bytes_ + bytes_of_next > limits_.bytes)) forget_oldest();
}

void History::set_memory(std::size_t bytes) {
  limits_.bytes = bytes;
  if (states_.empty()) return;
  thin_out(room_for(bytes_of(*states_.back())).spacing);
  forget_other_branch(limits_.bytes);
  while (states_.size() > 1 && bytes_ > limits_.bytes) forget_oldest();
}

void History::thin_out(double spacing) {
  for (std::size_t i = 1; i < coarse_;) {
    if (states_[i]->time - states_[i - 1]->time < spacing * kAlmost) {
      drop(states_, states_.begin() + static_cast<std::ptrdiff_t>(i));
      --coarse_;
    } else {
      ++i;
    }
  }
}

void History::forget_oldest() {
  drop(states_, states_.begin());
  if (coarse_ > 0) --coarse_;
}

void History::drop(States& from, States::iterator past) {
  bytes_ -= bytes_of(**past);
  if (past->use_count() == 1) spare_ = std::move(*past);
  from.erase(past);
}

void History::forget_other_branch(std::size_t bytes) {
  while (!other_.empty() && bytes_ > bytes) drop(other_, other_.begin());
}

void History::clear() {
  forget_other_branch(0);
  grown_ = true;
  while (!states_.empty()) drop(states_, states_.end() - 1);
  coarse_ = 0;
}

std::size_t History::nearest(double time) const {
  const auto after = std::ranges::lower_bound(states_, time, {}, [](const auto& past) { return past->time; });
  if (after == states_.begin()) return 0;
  const auto i = static_cast<std::size_t>(after - states_.begin());
  if (i == states_.size()) return i - 1;
  return time - states_[i - 1]->time <= (*after)->time - time ? i - 1 : i;
}

History::Cut History::cut_after(double time, std::size_t least) const {
  std::size_t count = states_.size();
  while (count > least && states_[count - 1]->time > time) --count;
  const auto cut = states_.begin() + static_cast<std::ptrdiff_t>(count);
  return {{states_.begin(), cut}, {cut, states_.end()}};
}

// Changes nothing if memory runs out: allocations come first.
bool History::cut_at(double time, bool keeps_other) {
  Cut at = cut_after(time, 1);
  if (at.later.empty()) return false;
  const bool is_new = grown_ && !keeps_other;
  // A new branch keeps all later states. Otherwise common ones go to the other branch, and own ones are
  // dropped.
  const auto first_own =
      is_new ? at.later.end()
             : std::ranges::find_if(at.later, [&](const auto& state) { return state->time > branch_; });
  States other(at.later.begin(), first_own);
  if (is_new)
    forget_other_branch(0);
  else
    other.insert(other.end(), other_.begin(), other_.end());
  at.later.erase(at.later.begin(), first_own);
  while (!at.later.empty()) drop(at.later, at.later.end() - 1);
  coarse_ = std::min(coarse_, at.common.size() - 1);
  states_ = std::move(at.common);
  other_ = std::move(other);
  const double end = states_.back()->time;
  grown_ = keeps_other && grown_ && end > branch_;
  branch_ = is_new ? end : std::min(branch_, end);
  return is_new;
}

void History::swap_branches(const std::function<void(const Moment&)>& go_there) {
  if (other_.empty()) return;
  Cut at = cut_after(branch_, 0);
  const std::size_t common = at.common.size();
  at.common.insert(at.common.end(), other_.begin(), other_.end());
  go_there(*at.common.back());
  coarse_ = std::min(coarse_, std::max<std::size_t>(common, 1) - 1);
  states_ = std::move(at.common);
  other_ = std::move(at.later);
  grown_ = true;
}

}  // namespace clothlab
