// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "integrate/contact_correction.h"
#include "integrate/integrator.h"
#include "integrate/step_ends.h"

namespace clothlab {

/// v1 = v0 + h M⁻¹ f(x0, v0). Explicit Euler moves x with v0, and gains energy at every step size [Ascher
/// 2022, §3.1]. Symplectic Euler moves x with v1 (model.md), and keeps v² + ω²x² − hω²xv of an oscillator
/// exactly, for hω < 2.
template <bool kSymplectic>
class Euler final : public Integrator {
  void take_step(const DynamicSystem& system, State& state, double h, const StepContext& context,
                 StepReport& report) override {
    for (auto* scratch : {&x1_, &v1_}) scratch->resize(system.size());
    const std::span<const vec3> v0 = prescribed_velocity(system.projection(), state.x, h, state.v, v0_);
    take_forces(context, system, h, state.x, v0, v1_);
    context.poll();

    const std::span<const double> m = system.masses();
    context.for_particles(x1_.size(), [&](std::size_t i) {
      v1_[i] = v0[i] + h / m[i] * v1_[i];
      x1_[i] = state.x[i] + h * (kSymplectic ? v1_[i] : v0[i]);
    });
    constexpr ContactTiming kTiming =
        kSymplectic ? ContactTiming::before_positions : ContactTiming::after_positions;
    contacts_.act(system, context, h, kTiming, {state.x, v0, x1_, v1_}, report);
    finish_step(system, context, h, x1_, v1_, state);
  }

  ContactCorrection contacts_;
  std::vector<vec3> v0_;  // copy, if the prescribed velocities differ
  std::vector<vec3> x1_;
  std::vector<vec3> v1_;  // first f(x0, v0)
};

}  // namespace clothlab
