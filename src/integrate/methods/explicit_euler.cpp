// SPDX-License-Identifier: MIT
#include <vector>

#include "integrate/growth.h"
#include "integrate/integrator_info.h"
#include "integrate/step_ends.h"

namespace clothlab {
namespace {

/// x1 = x0 + h v0, v1 = v0 + h M⁻¹ f(x0, v0). Gains energy at every step size [Ascher 2022, §3.1].
class ExplicitEuler final : public Integrator {
 public:
  StepReport advance(const DynamicSystem& system, State& state, double h,
                     const StepContext& context) override;

 private:
  std::vector<vec3> v0_;  // copy, if the prescribed velocities differ
  std::vector<vec3> x1_;
  std::vector<vec3> v1_;  // first f(x0, v0)
};

StepReport ExplicitEuler::advance(const DynamicSystem& system, State& state, double h,
                                  const StepContext& context) {
  StepReport report;
  for (auto* scratch : {&x1_, &v1_}) scratch->resize(system.size());
  const std::span<const vec3> v0 = prescribed_velocity(system.projection(), state.x, h, state.v, v0_);
  take_forces(context, system, h, state.x, v0, v1_);
  if (gives_up(context, report)) return report;

  const std::span<const double> m = system.masses();
  context.for_particles(x1_.size(), [&](std::size_t i) {
    x1_[i] = state.x[i] + h * v0[i];
    v1_[i] = v0[i] + h / m[i] * v1_[i];
  });
  finish_step(system, context, h, x1_, v1_, state);
  return report;
}

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
    .make = make_method<ExplicitEuler>,
};

}  // namespace clothlab
