// SPDX-License-Identifier: MIT
#pragma once

#include <complex>
#include <vector>

#include "integrate/dirk.h"
#include "integrate/implicit_stage.h"
#include "integrate/modal_split.h"
#include "integrate/step_ends.h"

namespace clothlab {

/// TR-BDF2 with the lowest modes by exponentials [Ascher 2022, §4]: half a step of the trapezoidal rule,
/// then, with the modes at u½, BDF2. With one linear solve per stage it is (27), everything evaluated at the
/// start of each stage:
///   u½ = u0 + ½ (I − h/4 J(u0))⁻¹ h F(u0),   u1 = u½ + ⅓ (I − h/3 J_H)⁻¹ (u½ − u0 + h (H(u½) + E(u½, h/2)));
/// by Newton's method, which the publication names without equations:
///   u½ = u0 + h/4 (F(u0) + F(u½)),   u1 = u½ + ⅓ (u½ − u0) + h/3 (H(u1) + E(u½, h/2)).
/// The exponential modes gain energy: |R| ≈ 1 + (hω)²/12.
class TrBdf2Ere final : public Integrator {
 public:
  TrBdf2Ere(const IntegratorParameters& values, StageSolve stages)
      : split_(values, stages), by_newton_(stages == StageSolve::newton) {}

  void save(Memory& memory) const override { split_.save(memory); }
  void load(MemoryReader& memory, std::size_t n) override { split_.load(memory, n); }

 private:
  // The second half contains a third of the impulses of the first one.
  static constexpr double kShare = 4.0 / 3;

  void take_step(const DynamicSystem& system, State& state, double h, const StepContext& context,
                 StepReport& report) override {
    const std::size_t n = system.size();
    for (auto* scratch : {&r_, &s_, &dx_, &dv_, &guess_, &x_half_, &v_half_, &a_half_}) scratch->resize(n);
    start_.compute(system, state, h, context, by_newton_ ? kShare * (h / 4) : 0);
    if (by_newton_)
      solve_half(system, state, h, context, report);
    else
      solve_half_once(system, state, h, context, report);

    free_acceleration(system, x_half_, v_half_, context, 0, a_half_);
    context.poll();
    split_.compute(system, x_half_, v_half_, a_half_, h, context, report);
    split_.slope(h / 2, context.pool, r_, s_);
    for (std::size_t i = 0; i < n; ++i) {
      r_[i] = (dx_[i] + h * r_[i]) / 3.0;
      s_[i] = (dv_[i] + h * s_[i]) / 3.0;
    }
    split_.end_step(system, state, start_, context, {.h = h, .gamma = h, .moves = h / 2, .damping = h / 3},
                    5 * h / 12, r_, s_, dx_, dv_, report);
  }

  /// The first half, without contacts.
  void solve_half(const DynamicSystem& system, const State& state, double h, const StepContext& context,
                  StepReport& report) {
    const double gamma = h / 4;
    const auto& [v0, a0] = start_;
    for (std::size_t i = 0; i < r_.size(); ++i) {
      r_[i] = state.x[i] + gamma * v0[i];
      s_[i] = v0[i] + gamma * a0[i];
      guess_[i] = v0[i] + h / 2 * a0[i];
    }
    SolverSettings settings = context.solver;
    settings.stage_solve = StageSolve::newton;
    const StepContext own{settings, context.pool, context.stop, context.ledger, context.reached, {}};
    const auto equation = StageEquation::of(gamma, r_, s_, h * start_.force_norm(system.masses()));
    half_.solve(system, equation, state.x, {v0, guess_}, own, x_half_, v_half_, report);
    half_.report(system, own, kShare, gamma, x_half_, v_half_);
    for (std::size_t i = 0; i < r_.size(); ++i) {
      dx_[i] = x_half_[i] - state.x[i];
      dv_[i] = v_half_[i] - v0[i];
    }
  }
  void solve_half_once(const DynamicSystem& system, const State& state, double h, const StepContext& context,
                       StepReport& report) {
    const auto& [v0, a0] = start_;
    half_once_.compute(system, state.x, v0, a0, h, context, report);
    for (std::size_t i = 0; i < r_.size(); ++i) {
      r_[i] = h / 2 * v0[i];
      s_[i] = h / 2 * a0[i];
    }
    half_once_.solve(system, h / 4, r_, s_, context, dx_, dv_, report);
    report_forces_on_held(context, system, kShare * h / 2, state.x, v0);
    half_once_.report(system, context, kShare, h / 4, r_, s_, dx_, dv_);
    for (std::size_t i = 0; i < r_.size(); ++i) {
      x_half_[i] = state.x[i] + dx_[i];
      v_half_[i] = v0[i] + dv_[i] / 2.0;
    }
    report_linear_forces(context, system, kShare * h / 2, state.x, v0, v_half_);
    for (std::size_t i = 0; i < r_.size(); ++i) v_half_[i] = v0[i] + dv_[i];
    context.poll();
  }

  ImplicitStage half_;
  ModalSplit half_once_{{0, 1}};  // with no modes: J_H is J
  ModalSplit split_;
  bool by_newton_;
  StepStart start_;
  std::vector<vec3> r_, s_;    // right-hand sides
  std::vector<vec3> dx_, dv_;  // change in the first half, then u1
  std::vector<vec3> guess_;
  std::vector<vec3> x_half_, v_half_, a_half_;
};

/// Of its modes, if there are any: R(z) = ⅔ (1 + e^{z/2}) (1 + z/4) / (1 − z/4) − ⅓ at z = iy.
inline double tr_bdf2_ere_mode_growth(double y, const IntegratorParameters& values) {
  if (!(values.at(0) > 0)) return dirk_growth<kTrBdf2Stages>(y, 0, values);
  const std::complex<double> half = std::complex(1.0, y / 4) / std::complex(1.0, -y / 4);
  return std::abs(2.0 / 3 * (1.0 + std::polar(1.0, y / 2)) * half - 1.0 / 3);
}

}  // namespace clothlab
