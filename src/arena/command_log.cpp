// SPDX-License-Identifier: MIT
#include "arena/command_log.h"

#include <algorithm>
#include <utility>

#include "sim/command_rules.h"

namespace clothlab {
namespace {

bool is_reset(const LogEntry& entry) {
  const auto* command = std::get_if<Command>(&entry.what);
  return command != nullptr && std::holds_alternative<Reset>(*command);
}

/// True if scene values before the first step say the same.
bool is_value_of_start(const Command& command) {
  const auto* move = std::get_if<MoveObstacle>(&command);
  return rule_of(command).changes_scene && (move == nullptr || move->duration == 0);
}

}  // namespace

bool CommandLog::is_repeated(const LogEntry& entry) {
  const auto* command = std::get_if<Command>(&entry.what);
  return entry.back || (command != nullptr && !is_of_method(*command));
}

void CommandLog::reserve() {
  if (entries_.size() == entries_.capacity()) entries_.reserve(2 * entries_.size() + 1);
  if (returns_.size() == returns_.capacity()) returns_.reserve(2 * returns_.size() + 1);
}

void CommandLog::add(LogEntry entry) noexcept {
  entry.position = position_;
  if (std::holds_alternative<StateHash>(entry.what)) {
    entries_.push_back(std::move(entry));
    return;
  }
  ++position_.commands;
  has_commands_ = true;
  const auto* command = std::get_if<Command>(&entry.what);
  if (is_reset(entry)) {
    first_step_ = position_.step;
    needs_replay_ = false;
  } else if (command == nullptr || position_.step > first_step_ || !is_value_of_start(*command)) {
    needs_replay_ = true;
  }
  if (entry.back || is_reset(entry)) returns_.push_back(entries_.size());
  entries_.push_back(std::move(entry));
}

std::size_t CommandLog::count_before(const LogPosition& position) const {
  const auto first = std::ranges::lower_bound(entries_, position, {}, &LogEntry::position);
  return static_cast<std::size_t>(first - entries_.begin());
}

bool CommandLog::has_passed(const LogPosition& position) const {
  LogPosition end = position_;
  // clang 14 has no reversed views.
  for (auto index = returns_.rbegin(); index != returns_.rend(); ++index) {  // NOLINT(modernize-loop-convert)
    const LogEntry& entry = entries_[*index];
    if (entry.position >= end) continue;  // on a branch that was left
    if (position > entry.position) break;
    if (!entry.back) return false;
    end = entry.back->to;
  }
  return position <= end;
}

LogPosition CommandLog::last_at(std::uint64_t step, const LogPosition& end) const {
  LogPosition last = end;
  for (std::size_t i = count_before(end); i > 0;) {
    const LogEntry& entry = entries_[--i];
    if (is_reset(entry)) break;
    if (!is_repeated(entry)) continue;
    if (entry.step <= step) break;
    last = entry.back ? entry.back->to : entry.position;
    i = count_before(last);
  }
  return last;
}

std::optional<std::size_t> CommandLog::last_reset() const {
  for (std::size_t i = entries_.size(); i > 0;) {
    const LogEntry& entry = entries_[--i];
    if (is_reset(entry)) return i;
    if (entry.back) i = count_before(entry.back->to);
  }
  return std::nullopt;
}

std::vector<std::size_t> CommandLog::changes_since(const LogPosition& position) const {
  std::vector<std::size_t> changes;
  for (std::size_t i = entries_.size(); i > 0;) {
    const LogEntry& entry = entries_[--i];
    if (entry.position < position || is_reset(entry)) break;
    if (is_repeated(entry)) changes.push_back(i);
    if (entry.back) i = count_before(entry.back->to);
  }
  std::ranges::reverse(changes);
  return changes;
}

}  // namespace clothlab
