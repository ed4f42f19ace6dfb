// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "analysis/stability.h"
#include "cloth/cloth_model.h"
#include "cloth/material.h"
#include "cloth/wind.h"
#include "dynamics/dynamic_system.h"
#include "dynamics/grab_spring.h"
#include "dynamics/state.h"
#include "linalg/projection.h"

namespace clothlab {

/// Measures stability on a thread of its own, on copies of all that it depends on, so that no step ever waits
/// for it. Of several questions only the newest is answered; measurements are warm-started. It rests after
/// each for as long as to leave most of its core to the simulation, unless a question is urgent.
///
/// Eigenvalues of J follow where the method needs them: in the same answer up to kSoon free directions;
/// above, up to kExactDirections, in a second answer once no new question has come for a while, as they take
/// seconds.
class StabilityMonitor {
 public:
  struct Question {
    std::shared_ptr<const ClothModel> model;
    Material material;
    Wind wind;
    std::optional<GrabSpring> grab;
    Projection held;  ///< the pins and what the floor holds
    State state;
    const IntegratorInfo* integrator = nullptr;
    JacobianMode mode = JacobianMode::clamped;
    std::uint64_t tag = 0;  ///< comes back with the answer
    bool urgent = false;    ///< the first of something new
  };
  struct Answer {
    std::uint64_t tag = 0;  ///< the question's
    StabilityEstimate estimate;
    bool held = false;  ///< the question had a grab
  };
  static constexpr std::size_t kSoon = 150;

  /// `answered` is called on the monitor's thread after every new answer.
  explicit StabilityMonitor(std::function<void()> answered);
  ~StabilityMonitor();
  StabilityMonitor(const StabilityMonitor&) = delete;
  StabilityMonitor& operator=(const StabilityMonitor&) = delete;

  /// Gives up what it is at, and answers no more; does not wait for that.
  void close();
  void ask(Question question);
  /// The newest answer; null before the first.
  std::shared_ptr<const Answer> answer() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace clothlab
