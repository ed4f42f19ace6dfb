// SPDX-License-Identifier: MIT
#include "session/pacer.h"

#include <algorithm>

namespace clothlab {
namespace {

using Seconds = std::chrono::duration<double>;

constexpr std::chrono::milliseconds kMarkSpacing{50};
constexpr std::chrono::seconds kWindow{1};

}  // namespace

void Pacer::restart(Clock::time_point now) {
  due_ = now;
  simulated_ = 0;
  marks_.assign(1, {now, 0});
}

void Pacer::stepped(double simulated, double speed, Clock::time_point now) {
  // An hour is longer than any sensible step, and keeps the conversion to ticks from overflowing.
  const double wait = std::clamp(simulated / speed, 0.0, 3600.0);
  due_ += std::chrono::duration_cast<Clock::duration>(Seconds(wait));
  if (due_ < now - kSlack) due_ = now;

  simulated_ += simulated;
  if (now - marks_.back().wall >= kMarkSpacing) marks_.push_back({now, simulated_});
  while (marks_.size() > 2 && now - marks_[1].wall >= kWindow) marks_.pop_front();
}

double Pacer::actual_speed(Clock::time_point now) const {
  if (marks_.empty()) return 0;
  const double wall = Seconds(now - marks_.front().wall).count();
  return wall > 0 ? (simulated_ - marks_.front().simulated) / wall : 0;
}

}  // namespace clothlab
