// SPDX-License-Identifier: MIT
#include <vector>

#include "integrate/growth.h"
#include "integrate/integrator_info.h"
#include "integrate/step_ends.h"

namespace clothlab {
namespace {

/// v1 = v0 + h M⁻¹ f(x0, v0). Explicit Euler moves x with v0, and gains energy at every step size [Ascher
/// 2022, §3.1]. Symplectic Euler moves x with v1 (model.md), and keeps v² + ω²x² − hω²xv of an oscillator
/// exactly, for hω < 2.
template <bool kSymplectic>
class Euler final : public Integrator {
  void take_step(const DynamicSystem& system, State& state, double h, const StepContext& context,
                 StepReport& /*report*/) override {
    for (auto* scratch : {&x1_, &v1_}) scratch->resize(system.size());
    const std::span<const vec3> v0 = prescribed_velocity(system.projection(), state.x, h, state.v, v0_);
    take_forces(context, system, h, state.x, v0, v1_);
    context.poll();

    const std::span<const double> m = system.masses();
    context.for_particles(x1_.size(), [&](std::size_t i) {
      v1_[i] = v0[i] + h / m[i] * v1_[i];
      x1_[i] = state.x[i] + h * (kSymplectic ? v1_[i] : v0[i]);
    });
    finish_step(system, context, h, x1_, v1_, state);
  }

  std::vector<vec3> v0_;  // copy, if the prescribed velocities differ
  std::vector<vec3> x1_;
  std::vector<vec3> v1_;  // first f(x0, v0)
};

double explicit_euler_growth(double y, double s, const IntegratorParameters& /*values*/) {
  return largest_at_eigenvalues(y, s, [](auto z) { return std::abs(1.0 + z); });
}

}  // namespace

extern constinit const IntegratorInfo kExplicitEuler{
    .id = "explicit-euler",
    .title = "Explicit Euler",
    .letters = "EE",
    .family = IntegratorFamily::explicit_method,
    .order = 1,
    .formula = "x1 = x0 + h v0; v1 = v0 + h M⁻¹ f(x0, v0)",
    .summary =
        "The simplest method. It gains energy at every step size, so undamped cloth always blows up "
        "eventually. Damped cloth is stable at very small steps.",
    .cost = "One evaluation of the forces per step.",
    .use = "Teaching only: it shows numerical instability.",
    .reference =
        "Ascher, Larionov, Sheen, Pai: Simulating deformable objects, a numerical perspective, section 3",
    .stability_limit = 0,
    .growth = explicit_euler_growth,
    .make = make_method<Euler<false>>,
};

extern constinit const IntegratorInfo kSymplecticEuler{
    .id = "symplectic-euler",
    .title = "Symplectic Euler",
    .letters = "SE",
    .family = IntegratorFamily::explicit_method,
    .order = 1,
    .formula = "v1 = v0 + h M⁻¹ f(x0, v0); x1 = x0 + h v1",
    .summary =
        "Costs the same as explicit Euler, but its energy stays bounded for h·ω_max < 2, less with "
        "damping. Above the limit it blows up at once. The method of choice for soft cloth and small "
        "steps.",
    .cost = "One evaluation of the forces per step.",
    .use = "Soft cloth at small steps; long runs without energy drift.",
    .reference = "Hairer, Lubich, Wanner: Geometric Numerical Integration, section I.1",
    .stability_limit = 2,
    .coupling = StepCoupling::symplectic_euler,
    .growth = symplectic_euler_growth,
    .make = make_method<Euler<true>>,
};

}  // namespace clothlab
