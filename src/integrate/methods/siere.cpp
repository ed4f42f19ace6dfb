// SPDX-License-Identifier: MIT
#include "integrate/methods/siere.h"

#include "integrate/growth.h"

namespace clothlab {

StepReport Siere::advance(const DynamicSystem& system, State& state, double h, const StepContext& context) {
  StepReport report;
  const std::size_t n = system.size();
  for (auto* scratch : {&r_, &s_, &dx_, &dv_}) scratch->resize(n);

  if (!start_.compute(system, state, h, context, 0, report)) return report;
  if (!split_.compute(system, state.x, start_.v, start_.a, h, context, report)) return report;
  split_.slope(h, context.pool, r_, s_);
  const double gamma = history_.gamma(h);
  for (std::size_t i = 0; i < n; ++i) {
    r_[i] *= gamma;
    s_[i] *= gamma;
  }
  if (!history_.empty()) {
    history_.add_increment(context, state.x, state.v, r_, s_);
    system.projection().filter(s_);
    // û does not apply to prescribed directions.
    for (const Projection::Entry& e : system.projection().entries()) {
      r_[e.particle] = e.S * r_[e.particle] + (mat3(1.0) - e.S) * (h * start_.v[e.particle]);
    }
  }
  if (!split_.solve(system, gamma, r_, s_, context, dx_, dv_, report)) return report;
  report_forces_on_held(context, system, gamma, state.x, start_.v);
  split_.report(system, context, 1, gamma, r_, s_, dx_, dv_);

  for (std::size_t i = 0; i < n; ++i) {
    dx_[i] += state.x[i];
    dv_[i] += start_.v[i];
  }
  report_linear_forces(context, system, gamma, state.x, start_.v, dv_);
  finish_step(system, context, h, dx_, dv_, state);
  if (is_bdf2_) history_.remember(context, dx_, dv_);
  split_.keep();
  return report;
}

void Siere::save(Memory& memory) const {
  if (is_bdf2_) history_.save(memory);
  split_.save(memory);
}

void Siere::load(MemoryReader& memory, std::size_t n) {
  if (is_bdf2_) history_.load(memory, n);
  split_.load(memory, n);
}

namespace {

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
        "Keeps the energy of the s slowest modes and damps the others like semi-implicit Euler. Needs one "
        "solve per step, up to s more with damping, and the search for the modes.",
    .cost = "One linear solve per step, up to s more with damping, and the search for s modes.",
    .use = "Stiff cloth whose slow swing must not be damped.",
    .reference = "Chen, Sheen, Ascher, Pai: SIERE, ACM Transactions on Graphics 40(1), 2020",
    .parameters = kModeParameters,
    .stability_limit = kNoStabilityLimit,
    .growth = implicit_euler_growth,
    .growth_of_slow_modes = siere_mode_growth,
    .make = [](const IntegratorParameters& values) -> std::unique_ptr<Integrator> {
      return std::make_unique<Siere>(values, false);
    },
};

}  // namespace clothlab
