// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <glm/geometric.hpp>
#include <vector>

#include "cloth/force_term.h"

namespace clothlab {

/// Forces on single particles that are constant within a step: the friction of surfaces. f_i as given,
/// energy −Σ f_i·x_i.
class SteadyForce final : public ForceTerm {
 public:
  struct Push {
    std::uint32_t particle = 0;
    vec3 force{0.0};  ///< [N]
  };

  /// Reuses the memory of the list.
  void set(std::span<const Push> pushes) { pushes_.assign(pushes.begin(), pushes.end()); }
  bool empty() const { return pushes_.empty(); }

  double energy(WorkerPool& /*pool*/, std::span<const vec3> x) const override {
    double sum = 0;
    for (const Push& push : pushes_) sum -= glm::dot(push.force, x[push.particle]);
    return sum;
  }
  void add_force(WorkerPool& /*pool*/, std::span<const vec3> /*x*/, std::span<const vec3> /*v*/,
                 std::span<vec3> f) const override {
    for (const Push& push : pushes_) f[push.particle] += push.force;
  }
  void add_impulse(WorkerPool& /*pool*/, const ImpulseStage& stage, Impulses& to) const override {
    const std::span<vec3> impulse = to.add_to(ImpulseKind::friction, stage.x.size());
    for (const Push& push : pushes_) impulse[push.particle] += stage.weight * push.force;
  }
  /// Adds nothing: contacts at another time are not known.
  void add_part_at(WorkerPool&, double, SpringForces, std::span<const vec3>, std::span<const vec3>,
                   std::span<vec3>) const override {}

 private:
  std::vector<Push> pushes_;
};

}  // namespace clothlab
