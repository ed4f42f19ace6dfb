// SPDX-License-Identifier: MIT
#include <vector>

#include "integrate/contact_correction.h"
#include "integrate/growth.h"
#include "integrate/step_ends.h"

namespace clothlab {
namespace {

/// x1 = x0 + h v0 + h²/2 a0, v1 = v0 + h/2 (a0 + a(x1, v0 + h a0)) (model.md). Without damping the symmetric
/// and symplectic method of Störmer and Verlet [Hairer 2006, I.1.4].
class VelocityVerlet final : public Integrator {
  void take_step(const DynamicSystem& system, State& state, double h, const StepContext& context,
                 StepReport& report) override {
    const std::size_t n = system.size();
    for (auto* scratch : {&x1_, &v1_, &a1_}) scratch->resize(n);

    start_.compute(system, state, h, context, h / 2);
    const std::vector<vec3>&v0 = start_.v, &a0 = start_.a;
    context.for_particles(n, [&](std::size_t i) {
      x1_[i] = state.x[i] + h * v0[i] + h * h / 2 * a0[i];
      v1_[i] = v0[i] + h * a0[i];
    });
    free_acceleration(system, x1_, v1_, context, h / 2, a1_);
    context.poll();

    context.for_particles(n, [&](std::size_t i) { v1_[i] = v0[i] + h / 2 * (a0[i] + a1_[i]); });
    contacts_.act(system, context, h, ContactTiming::throughout, {state.x, v0, x1_, v1_}, report);
    finish_step(system, context, h, x1_, v1_, state);
  }

  ContactCorrection contacts_;
  StepStart start_;
  std::vector<vec3> x1_;
  std::vector<vec3> v1_;  // first v0 + h a0
  std::vector<vec3> a1_;
};

}  // namespace

extern constinit const IntegratorInfo kVelocityVerlet{
    .id = "velocity-verlet",
    .title = "Velocity Verlet",
    .letters = "VV",
    .family = IntegratorFamily::explicit_method,
    .order = 2,
    .formula = "x1 = x0 + h v0 + h²/2 a0; v1 = v0 + h/2 (a0 + a(x1, v0 + h a0))",
    .summary =
        "Symplectic Euler with positions and velocities at the same times: second order, two evaluations "
        "of the forces per step, the same stability limit. The standard method of molecular dynamics.",
    .cost = "Two evaluations of the forces per step.",
    .use = "As symplectic Euler, at second order.",
    .reference = "Hairer, Lubich, Wanner: Geometric Numerical Integration, section I.1.4",
    .stability_limit = 2,
    .coupling = StepCoupling::velocity_verlet,
    .growth = velocity_verlet_growth,
    .make = make_method<VelocityVerlet>,
};

}  // namespace clothlab
