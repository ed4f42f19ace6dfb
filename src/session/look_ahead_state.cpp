// SPDX-License-Identifier: MIT
#include "session/look_ahead_state.h"

#include <algorithm>

namespace clothlab {

std::string text_of(const LookAheadState& state) {
  if (!state.failure.empty()) return "off: " + state.failure;
  std::string text = state.on() ? "on" : "off";
  if (state.choice == LookAheadChoice::automatic)
    text += ": " + std::to_string(state.threads) + " hardware threads, " + std::to_string(state.needed) +
            " needed";
  return text;
}

bool warns(const Prediction& found, double time) {
  return found.reached - time >= kLeastLookAhead ||
         std::ranges::any_of(found.failures,
                             [&](const auto& failure) { return failure && failure->time > time; });
}

bool CopyPace::gains(double lead) {
  const bool loses = last_ && lead < 0 && lead <= *last_;
  last_ = lead;
  return !loses;
}

}  // namespace clothlab
