// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "integrate/rod_method.h"

namespace clothlab {

// ε of the velocities of compliant rods. The positions already carry the load of the rods; with ε <= 0.001
// the two disagree, and a sheet of 64×64 gains energy.
inline constexpr double kRattleSoftness = 0.1;

/// Verlet's method on the manifold where every stretch spring has its rest length, C(x) = l − L = 0,
/// J = ∂C/∂x. f is without the elastic force of stretch springs:
///   v½ = v0 + h/2 M⁻¹ (f(x0, v0) − J0ᵀλ),   x1 = x0 + h v½,   C(x1) = 0,
///   v1 = v½ + h/2 M⁻¹ (f(x1, 2v½ − v0) − J1ᵀμ).
/// 2v½ − v0 is v0 + h a0 of velocity Verlet, including the constraints' acceleration. The two methods have
/// different μ, and without damping the same positions, because v0 differs by M⁻¹J0ᵀ times something only:
///   RATTLE [Andersen 1983; Hairer 2006, VII.1.4, (1.26)]: J1 v1 = 0;
///   SHAKE [Ryckaert 1977]: μ is the λ of the next step, C(x1 + h v½ + h² M⁻¹ (f1 − J1ᵀμ)) = 0, so v1 is the
///   mean of both v½. Prescribed particles are assumed to keep their velocity in that step.
/// If C(x0) is not 0, the target of x1 comes from LengthConstraints::approach. For compliant rods
/// (length_constraints.h) λ acts along J(x0 + h v½): the method is then neither symplectic nor of second
/// order.
template <bool kShake>
class Rattle final : public RodMethod {
  void take_step(const DynamicSystem& system, State& state, double h, const StepContext& context,
                 StepReport& report) override {
    if (!context.contacts.empty()) return take_contact_step(system, state, h, context, report);
    const std::size_t n = system.size();
    predict(system, state, h, h / 2, context);
    prescribe(system.projection(), state.x, h, x1_, v1_);
    constraints_.approach(state.x, h);
    constraints_.linearise(context, state.x);
    constraints_.project_positions(context, LengthConstraints::Linearisation::as_linearised, x1_, push_,
                                   report);
    report.rod_forces = constraints_.forces(2 / (h * h));

    // push_ is reused for the velocities of the force.
    for (std::size_t i = 0; i < n; ++i) v1_[i] += push_[i] / h;
    for (std::size_t i = 0; i < n; ++i) push_[i] = 2.0 * v1_[i] - v0_[i];
    free_acceleration(system, x1_, push_, context, h / 2, a_, SpringForces::inextensible);
    for (std::size_t i = 0; i < n; ++i) v1_[i] += h / 2 * a_[i];
    prescribe(system.projection(), state.x, h, x1_, v1_);
    context.poll();
    constraints_.linearise(context, x1_);
    if constexpr (kShake)
      constrain_next_step(context, h, report);
    else
      constraints_.project_velocities(context, v1_, kRattleSoftness, report);
    end_step(system, state, h, context, report);
  }
  void constrain_next_step(const StepContext& context, double h, StepReport& report) {
    std::vector<vec3>& x2 = v0_;
    for (std::size_t i = 0; i < x2.size(); ++i) x2[i] = x1_[i] + h * (v1_[i] + h / 2 * a_[i]);
    constraints_.approach(x1_, h);
    constraints_.project_positions(context, LengthConstraints::Linearisation::as_linearised, x2, push_,
                                   report);
    for (std::size_t i = 0; i < x2.size(); ++i) v1_[i] += push_[i] / (2 * h);
  }
};

}  // namespace clothlab
