// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "integrate/contact_correction.h"
#include "integrate/growth.h"
#include "integrate/implicit_stage.h"
#include "integrate/step_ends.h"

namespace clothlab {

/// A trapezoidal stage over a part of the step, then a stage to its end:
///   uc = u0 + node h/2 (F(u0) + F(uc));   u1 = u0 + weight (uc − u0) + end h F(u1),
/// both by Newton's method.
struct DirkStages {
  double node = 0;
  double weight = 0;
  double end = 0;  ///< 0: the first stage is the whole step
};

/// u½ = u0 + h/4 (F(u½) + F(u0)); u1 = u0 + 4/3 (u½ − u0) + h/3 F(u1) [Bank 1985; Ascher 2022, §3.1].
inline constexpr DirkStages kTrBdf2Stages{0.5, 4.0 / 3, 1.0 / 3};

class Dirk final : public Integrator {
 public:
  /// If the first value is not 0, the second stage, of the same γ, uses the matrix of the first
  /// (StageSolve::linear).
  Dirk(const IntegratorParameters& values, const DirkStages* stages)
      : stages_(*stages), share_matrix_(!values.empty() && values[0] != 0) {}

 private:
  void take_step(const DynamicSystem& system, State& state, double h, const StepContext& context,
                 StepReport& report) override {
    const std::size_t n = system.size();
    for (auto* scratch : {&x_hat_, &v_hat_, &guess_, &xc_, &vc_, &x1_, &v1_}) scratch->resize(n);
    const auto& [node, weight, end] = stages_;

    const double gamma = node * h / 2;
    start_.compute(system, state, h, context, weight * gamma);
    const auto& [v0, a0] = start_;
    const double scale = h * start_.force_norm(system.masses());
    for (std::size_t i = 0; i < n; ++i) {
      x_hat_[i] = state.x[i] + gamma * v0[i];
      v_hat_[i] = v0[i] + gamma * a0[i];
      guess_[i] = v0[i] + node * h * a0[i];
    }
    // Contact acts during all of a stage, other forces also at its start.
    begin_contacts(context, h, gamma, state.x, x_hat_, node);
    scale_impulses(context, 2);
    const auto first = StageEquation::of(gamma, x_hat_, v_hat_, scale);
    first_stage_.solve(system, first, state.x, {v0, guess_}, context, xc_, vc_, report);
    first_stage_.report(system, context, weight, gamma, xc_, vc_);
    contacts_.stop(system, context, h, v0, vc_, report, node);
    if (end == 0) {
      report_contacts(context, n);
      return finish_step(system, context, h, xc_, vc_, state);
    }
    first_impulses_.clear();
    context.for_contacts(
        [&](const auto& contact, const auto& /*blend*/) { first_impulses_.push_back(contact.impulse); });

    // a(xc, vc) follows from the solved stage.
    for (std::size_t i = 0; i < n; ++i) {
      guess_[i] = vc_[i] + (1 - node) * h / gamma * (vc_[i] - v_hat_[i]);
      x_hat_[i] = state.x[i] + weight * (xc_[i] - state.x[i]);
      v_hat_[i] = v0[i] + weight * (vc_[i] - v0[i]);
    }
    prescribe_velocity(system.projection(), state.x, h, guess_);
    // Contact impulses of the first stage are no forces to extrapolate.
    context.for_impulses_on_particles([&, factor = weight - 1](std::uint32_t i, const vec3& impulse) {
      v_hat_[i] -= factor / system.masses()[i] * impulse;
    });
    refer_contacts(context, h, end * h, state.x, x_hat_);
    scale_impulses(context, end / node);
    const auto second = StageEquation::of(end * h, x_hat_, v_hat_, scale);
    second_stage_.solve(system, second, xc_, {vc_, guess_}, context, x1_, v1_, report,
                        share_matrix_ ? &first_stage_ : nullptr);
    second_stage_.report(system, context, 1, end * h, x1_, v1_);
    contacts_.stop(system, context, h, v0, v1_, report);
    std::size_t k = 0;
    context.for_contacts(
        [&](auto& contact, const auto& /*blend*/) { contact.impulse += first_impulses_[k++]; });
    report_contacts(context, n);
    finish_step(system, context, h, x1_, v1_, state);
  }

  DirkStages stages_;
  bool share_matrix_;
  // One per stage, since a preconditioner depends on γ.
  ImplicitStage first_stage_, second_stage_;
  ContactCorrection contacts_;
  StepStart start_;
  std::vector<vec3> x_hat_, v_hat_;
  std::vector<vec3> guess_;
  std::vector<vec3> xc_, vc_;
  std::vector<vec3> x1_, v1_;
  std::vector<vec3> first_impulses_;  // of contacts in the first stage
};

/// R = (1 + weight (Rc − 1)) / (1 − end z), Rc = (1 + node z/2) / (1 − node z/2).
template <const DirkStages& stages>
double dirk_growth(double y, double s, const IntegratorParameters& /*values*/) {
  return largest_at_eigenvalues(y, s, [](auto z) {
    const auto half = stages.node * z / 2.0;
    return std::abs((1.0 + stages.weight * 2.0 * half / (1.0 - half)) / (1.0 - stages.end * z));
  });
}

}  // namespace clothlab
