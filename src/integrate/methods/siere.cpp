// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <complex>
#include <vector>

#include "integrate/bdf2_history.h"
#include "integrate/growth.h"
#include "integrate/integrator_info.h"
#include "integrate/modal_split.h"
#include "integrate/step_ends.h"

namespace clothlab {
namespace {

/// u1 = u0 + (I − hJ_H)⁻¹ (h H(u0) + h E(u0, h)) [Ascher 2022, §3.5.2, (21); Chen 2020]: the lowest modes by
/// exponential Rosenbrock–Euler, the rest by semi-implicit Euler. Or the rest by BDF2,
/// u1 = u0 + ⅓ (I − ⅔hJ_H)⁻¹ (u0 − u₋₁ + 2h H(u0) + 2h E(u0, h)), first step as above [Ascher 2022, §3.5.2,
/// (23)].
class Siere final : public Integrator {
 public:
  Siere(const IntegratorParameters& values, bool is_bdf2) : split_(values), is_bdf2_(is_bdf2) {}

  void save(Memory& memory) const override {
    if (is_bdf2_) history_.save(memory);
    split_.save(memory);
  }
  void load(MemoryReader& memory, std::size_t n) override {
    if (is_bdf2_) history_.load(memory, n);
    split_.load(memory, n);
  }

 private:
  void take_step(const DynamicSystem& system, State& state, double h, const StepContext& context,
                 StepReport& report) override {
    const std::size_t n = system.size();
    for (auto* scratch : {&r_, &s_, &dx_, &dv_}) scratch->resize(n);

    start_.compute(system, state, h, context, 0);
    split_.compute(system, state.x, start_.v, start_.a, h, context, report);
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
    split_.solve(system, gamma, r_, s_, context, dx_, dv_, report);
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
  }

  ModalSplit split_;
  bool is_bdf2_;
  Bdf2History history_;  // of BDF2; else it stays empty
  StepStart start_;
  std::vector<vec3> r_, s_;    // right-hand side
  std::vector<vec3> dx_, dv_;  // u1 − u0, then u1
};

double siere_mode_growth(double y, const IntegratorParameters& values) {
  return values.at(0) > 0 ? 1 : implicit_euler_growth(y, 0, values);
}

// The exponential modes gain energy: ζ² − ⅔ (1 + e^z) ζ + ⅓ = 0 at z = iy, so |ζ| ≈ 1 + y²/2.
double bdf2_ere_mode_growth(double y, const IntegratorParameters& values) {
  if (!(values.at(0) > 0)) return bdf2_growth(y, 0, values);
  const std::complex<double> half_sum = (1.0 + std::polar(1.0, y)) / 3.0;
  const std::complex<double> root = std::sqrt(half_sum * half_sum - 1.0 / 3);
  return std::max(std::abs(half_sum + root), std::abs(half_sum - root));
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

extern constinit const IntegratorInfo kSemiImplicitBdf2Ere{
    .id = "semi-implicit-bdf2-ere",
    .title = "Semi-implicit BDF2 + ERE",
    .letters = "BX",
    .family = IntegratorFamily::exponential,
    .order = 1,
    .order_without_modes = 2,
    .order_condition = "2 with the exact Jacobian and without modes (--modes 0)",
    .uses_linear_solver = true,
    .formula = "u1 = u0 + ⅓ (I − ⅔hJ_H)⁻¹ (u0 − u₋₁ + 2h (H(u0) + E(u0, h)))",
    .summary =
        "SIERE with BDF2, which damps less, for the other modes. The slow modes gain energy: their "
        "amplitude grows by (hω)²/2 per step. Implemented as published.",
    .cost = "As SIERE.",
    .use = "Comparison with the publication; its slow modes gain energy.",
    .reference =
        "Ascher, Larionov, Sheen, Pai: Simulating deformable objects, a numerical perspective, section "
        "3.5.2, (23)",
    .parameters = kModeParameters,
    .stability_limit = 0,
    .growth = bdf2_growth,
    .growth_of_slow_modes = bdf2_ere_mode_growth,
    .make = [](const IntegratorParameters& values) -> std::unique_ptr<Integrator> {
      return std::make_unique<Siere>(values, true);
    },
};

}  // namespace clothlab
