// SPDX-License-Identifier: MIT
#include <vector>

#include "integrate/growth.h"
#include "integrate/integrator_info.h"
#include "integrate/modal_split.h"
#include "integrate/step_ends.h"

namespace clothlab {
namespace {

/// Semi-implicit TR-BDF2 with the lowest modes by exponentials [Ascher 2022, §4, (27)]: half a step of the
/// linearised trapezoidal rule, u½ = u0 + ½ (I − h/4 J(u0))⁻¹ h F(u0), then, with everything evaluated at u½,
/// u1 = u½ + ⅓ (I − h/3 J_H)⁻¹ (u½ − u0 + h (H(u½) + E(u½, h/2))).
/// Its exponential modes gain energy: |R| ≈ 1 + (hω)²/12.
class StrSbdf2Ere final : public Integrator {
 public:
  explicit StrSbdf2Ere(const IntegratorParameters& values) : split_(values) {}

  void save(Memory& memory) const override { split_.save(memory); }
  void load(MemoryReader& memory, std::size_t n) override { split_.load(memory, n); }

 private:
  void take_step(const DynamicSystem& system, State& state, double h, const StepContext& context,
                 StepReport& report) override {
    const std::size_t n = system.size();
    for (auto* scratch : {&r_, &s_, &dx_, &dv_, &x_half_, &v_half_, &a_half_}) scratch->resize(n);

    start_.compute(system, state, h, context, 0);
    first_.compute(system, state.x, start_.v, start_.a, h, context, report);
    for (std::size_t i = 0; i < n; ++i) {
      r_[i] = h / 2 * start_.v[i];
      s_[i] = h / 2 * start_.a[i];
    }
    first_.solve(system, h / 4, r_, s_, context, dx_, dv_, report);
    // The second half contains a third of the impulses of the first one.
    constexpr double kShare = 4.0 / 3;
    report_forces_on_held(context, system, kShare * h / 2, state.x, start_.v);
    first_.report(system, context, kShare, h / 4, r_, s_, dx_, dv_);
    for (std::size_t i = 0; i < n; ++i) {
      x_half_[i] = state.x[i] + dx_[i];
      v_half_[i] = start_.v[i] + dv_[i] / 2.0;
    }
    report_linear_forces(context, system, kShare * h / 2, state.x, start_.v, v_half_);
    for (std::size_t i = 0; i < n; ++i) v_half_[i] = start_.v[i] + dv_[i];
    context.poll();

    free_acceleration(system, x_half_, v_half_, context, 0, a_half_);
    context.poll();
    split_.compute(system, x_half_, v_half_, a_half_, h, context, report);
    split_.slope(h / 2, context.pool, r_, s_);
    for (std::size_t i = 0; i < n; ++i) {
      r_[i] = (dx_[i] + h * r_[i]) / 3.0;
      s_[i] = (dv_[i] + h * s_[i]) / 3.0;
    }
    split_.solve(system, h / 3, r_, s_, context, dx_, dv_, report);
    report_forces_on_held(context, system, h / 3, x_half_, v_half_);
    split_.report(system, context, 1, h / 3, r_, s_, dx_, dv_);

    for (std::size_t i = 0; i < n; ++i) {
      dx_[i] += x_half_[i];
      dv_[i] += v_half_[i];
    }
    split_.solve_contacts(system, context, {.h = h, .gamma = h, .moves = h / 2, .damping = h / 3}, 5 * h / 12,
                          state.x, start_.v, dx_, dv_, report);
    report_linear_forces(context, system, h / 3, x_half_, v_half_, dv_);
    finish_step(system, context, h, dx_, dv_, state);
    split_.keep();
  }

  ModalSplit first_{{0, 1}};  // of the trapezoidal half, with no modes: J_H is J
  ModalSplit split_;
  StepStart start_;
  std::vector<vec3> r_, s_;    // right-hand side
  std::vector<vec3> dx_, dv_;  // change in one half, then u1
  std::vector<vec3> x_half_, v_half_, a_half_;
};

}  // namespace

extern constinit const IntegratorInfo kStrSbdf2Ere{
    .id = "str-sbdf2-ere",
    .title = "Semi-implicit TR-BDF2 + ERE",
    .letters = "TX",
    .family = IntegratorFamily::exponential,
    .order = 1,
    .order_without_modes = 2,
    .order_condition = "2 with the exact Jacobian and without modes (--modes 0)",
    .uses_linear_solver = true,
    .formula =
        "u½ = u0 + ½ (I − h/4 J(u0))⁻¹ h F(u0); "
        "at u½: u1 = u½ + ⅓ (I − h/3 J_H)⁻¹ (u½ − u0 + h (H + E(u½, h/2)))",
    .summary =
        "Less damped than SIERE. Its slow modes gain energy: their amplitude grows by (hω)²/12 per step.",
    .cost = "Two linear solves per step, up to s more with damping, and the search for s modes.",
    .use = "Comparison with the publication; its slow modes gain less energy than with BDF2.",
    .reference =
        "Ascher, Larionov, Sheen, Pai: Simulating deformable objects, a numerical perspective, section "
        "4, (27)",
    .parameters = kModeParameters,
    .stability_limit = 0,
    .growth = tr_bdf2_growth,
    .growth_of_slow_modes = tr_bdf2_ere_mode_growth,
    .make = make_method<StrSbdf2Ere>,
};

}  // namespace clothlab
