// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "integrate/history.h"
#include "integrate/modal_split.h"
#include "integrate/step_ends.h"

namespace clothlab {

/// u1 = u0 + (I − hJ_H)⁻¹ (h H(u0) + h E(u0, h)) [Ascher 2022, §3.5.2, (21); Chen 2020]: the lowest modes by
/// exponential Rosenbrock–Euler, the rest by semi-implicit Euler. Or the rest by BDF2,
/// u1 = u0 + ⅓ (I − ⅔hJ_H)⁻¹ (u0 − u₋₁ + 2h H(u0) + 2h E(u0, h)), first step as above [Ascher 2022, §3.5.2,
/// (23)].
///
/// By Newton's method instead of one iteration: u1 = û + γ H(u1), with γ = h and û = u0 + h E(u0, h), or γ =
/// ⅔h and û = ⅓ (4 u0 − u₋₁ + 2h E(u0, h)) [ibid., (20), (22)]. In Lawson's form û = ⅓ (4 Φ_h(u0) −
/// Φ_2h(u₋₁)), Φ_τ the exact motion in the modes over τ: û = ⅓ (4 u0 − u₋₁ + 4h E(u0, h) − 2h E(u₋₁, 2h)).
class Siere final : public Integrator {
 public:
  /// The method of the modes other than the slow ones.
  enum class OtherModes { euler, bdf2 };
  Siere(const IntegratorParameters& values, OtherModes others, StageSolve stages, bool is_lawson = false)
      : split_(values, stages), is_bdf2_(others == OtherModes::bdf2), is_lawson_(is_lawson) {}

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
    for (auto* scratch : {&r_, &s_, &x1_, &v1_}) scratch->resize(n);

    start_.compute(system, state, h, context, 0);
    split_.compute(system, state.x, start_.v, start_.a, h, context, report);
    split_.slope(h, context.pool, r_, s_);
    if (is_lawson_ && !history_.empty())
      split_.add_lawson(h, history_.x_before(), history_.v_before(), context.pool, r_, s_);
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
    split_.end_step(system, state, start_, context,
                    {.h = h, .gamma = gamma, .moves = gamma, .damping = gamma}, h / 2, r_, s_, x1_, v1_,
                    report);
    if (is_bdf2_) history_.remember(context, x1_, v1_);
  }

  ModalSplit split_;
  bool is_bdf2_;
  bool is_lawson_;
  Bdf2History history_;  // of BDF2; else it stays empty
  StepStart start_;
  std::vector<vec3> r_, s_;  // right-hand side
  std::vector<vec3> x1_, v1_;
};

}  // namespace clothlab
