#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "cloth/cloth_model.h"
#include "cloth/drag_force.h"
#include "cloth/material.h"
#include "core/vec.h"
#include "dynamics/dynamic_system.h"

namespace clothlab {

/// Estimates ω_max on a thread of its own, on copies of all that it depends on, so that no step ever
/// waits for it. Of several questions only the newest is answered; the estimate is warm-started.
class StabilityMonitor {
 public:
  struct Question {
    std::shared_ptr<const ClothModel> model;
    Material material;
    JacobianMode mode = JacobianMode::clamped;
    std::optional<Drag> drag;
    std::vector<std::uint32_t> pinned;  ///< particles that do not move freely, ascending
    std::vector<vec3> x;                ///< [m]
    bool inextensible = false;          ///< the integrator's row says so
    std::uint64_t tag = 0;              ///< comes back with the answer
  };
  struct Answer {
    std::uint64_t tag = 0;  ///< the question's
    double omega_max = 0;   ///< [1/s]; 0 when nothing is free to move
  };

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
