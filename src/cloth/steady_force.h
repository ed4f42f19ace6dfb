// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
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

  double energy(WorkerPool& pool, std::span<const vec3> x) const override;
  void add_force(WorkerPool& pool, std::span<const vec3> x, std::span<const vec3> v,
                 std::span<vec3> f) const override;
  void add_impulse(WorkerPool& pool, const ImpulseStage& stage, Impulses& to) const override;
  /// Adds nothing: contacts at another time are not known.
  void add_part_at(WorkerPool&, double, SpringForces, std::span<const vec3>, std::span<const vec3>,
                   std::span<vec3>) const override {}
  void add_jacobians(WorkerPool&, std::span<const vec3>, std::span<const vec3>, const SystemCoefficients&,
                     JacobianMode, SpringMatrix&) const override {}

 private:
  std::vector<Push> pushes_;
};

}  // namespace clothlab
