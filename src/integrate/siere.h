// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "integrate/bdf2_history.h"
#include "integrate/integrator.h"
#include "integrate/modal_split.h"
#include "integrate/step_ends.h"

namespace clothlab {

/// u1 = u0 + (I − hJ_H)⁻¹ (h H(u0) + h E(u0, h)) [Ascher 2022, §3.5.2, (21); Chen 2020]: the lowest modes by
/// exponential Rosenbrock–Euler, the rest by semi-implicit Euler. Or the rest by BDF2,
/// u1 = u0 + ⅓ (I − ⅔hJ_H)⁻¹ (u0 − u₋₁ + 2h H(u0) + 2h E(u0, h)), first step as above [Ascher 2022, §3.5.2,
/// (23)].
class Siere final : public Integrator {
 public:
  Siere(const IntegratorParameters& values, bool is_bdf2) : split_(values), is_bdf2_(is_bdf2) {}

  bool has_history() const override { return !history_.empty(); }
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
    split_.solve_contacts(system, context, {.h = h, .gamma = gamma, .moves = gamma, .damping = gamma}, h / 2,
                          state.x, start_.v, dx_, dv_, report);
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

}  // namespace clothlab
