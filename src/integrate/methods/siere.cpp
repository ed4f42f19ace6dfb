// SPDX-License-Identifier: MIT
#include <vector>

#include "integrate/growth.h"
#include "integrate/integrator_info.h"
#include "integrate/modal_split.h"
#include "integrate/step_ends.h"

namespace clothlab {
namespace {

/// u1 = u0 + (I − hJ_H)⁻¹ (h H(u0) + h E(u0, h)) [Ascher 2022, §3.5.2, (21); Chen 2020]: the lowest modes by
/// exponential Rosenbrock–Euler, the rest by semi-implicit Euler.
class Siere final : public Integrator {
 public:
  explicit Siere(const IntegratorParameters& values) : split_(values) {}

  StepReport advance(const DynamicSystem& system, State& state, double h,
                     const StepContext& context) override;
  void save(Memory& memory) const override { split_.save(memory); }
  void load(MemoryReader& memory, std::size_t n) override { split_.load(memory, n); }

 private:
  ModalSplit split_;
  StepStart start_;
  std::vector<vec3> r_, s_;    // h (H + E)
  std::vector<vec3> dx_, dv_;  // u1 − u0, then u1
};

StepReport Siere::advance(const DynamicSystem& system, State& state, double h, const StepContext& context) {
  StepReport report;
  const std::size_t n = system.size();
  for (auto* scratch : {&r_, &s_, &dx_, &dv_}) scratch->resize(n);

  if (!start_.compute(system, state, h, context, 0, report)) return report;
  if (!split_.compute(system, state.x, start_.v, start_.a, h, context, report)) return report;
  split_.slope(h, context.pool, r_, s_);
  for (std::size_t i = 0; i < n; ++i) {
    r_[i] *= h;
    s_[i] *= h;
  }
  if (!split_.solve(system, h, r_, s_, context, dx_, dv_, report)) return report;
  report_forces_on_held(context, system, h, state.x, start_.v);
  split_.report(system, context, 1, h, r_, s_, dx_, dv_);

  for (std::size_t i = 0; i < n; ++i) {
    dx_[i] += state.x[i];
    dv_[i] += start_.v[i];
  }
  report_linear_forces(context, system, h, state.x, start_.v, dv_);
  finish_step(system, context, h, dx_, dv_, state);
  split_.keep();
  return report;
}

double siere_mode_growth(double y, const IntegratorParameters& values) {
  return values.at(0) > 0 ? 1 : implicit_euler_growth(y, 0, values);
}

}  // namespace

extern constinit const IntegratorInfo kSiere{
    .id = "siere",
    .title = "SIERE",
    .letters = "SX",
    .family = IntegratorFamily::exponential,
    .order = 1,
    .uses_linear_solver = true,
    .formula = "u1 = u0 + (I − hJ_H)⁻¹ h (H(u0) + E(u0, h))",
    .summary =
        "Keeps the energy of the s slowest modes and damps the rest like semi-implicit Euler. One "
        "solve per step, up to s more with damping, and the search for the modes.",
    .cost = "One linear solve per step, up to s more with damping, and the search for s modes.",
    .use = "Stiff cloth whose slow swing must not be damped.",
    .reference = "Chen, Sheen, Ascher, Pai: SIERE, ACM Transactions on Graphics 40(1), 2020",
    .parameters = kModeParameters,
    .stability_limit = kNoStabilityLimit,
    .growth = implicit_euler_growth,
    .growth_of_slow_modes = siere_mode_growth,
    .make = make_method<Siere>,
};

}  // namespace clothlab
