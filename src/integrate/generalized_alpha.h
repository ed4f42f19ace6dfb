// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <limits>
#include <vector>

#include "integrate/contact_correction.h"
#include "integrate/history.h"
#include "integrate/implicit_stage.h"
#include "integrate/integrator_info.h"
#include "integrate/step_ends.h"

namespace clothlab {

/// The step of [Chung 1993], of Newmark's family (α_m = σ = 0) and of HHT-α (α_m = 0):
///   x1 = x0 + h v0 + h² ((½ − β) a0 + β a1),   v1 = v0 + h ((1 − γ) a0 + γ a1),
///   (1 − α_m) M a1 + α_m M a0 = (1 − σ) f(u1) + σ f(u0).
/// The acceleration a is the method's history; after a reset it is M⁻¹f(x0, v0).
///
/// On linear forces these are (15)–(20) of the source, whose α_f is σ. They could as well be f at the mean
/// state (1 − σ) u1 + σ u0, but that gains energy where springs turn: a spring that turns by θ in the step is
/// shorter in the mean state than in both others. It gets its rest length there, hence too large a length at
/// u1: by 41 % for ρ∞ = ½ and θ = 90°. [Erlicher 2002] and [Chen 2013] weight forces, too.
///
/// Contact is not part of a: its impulses act on v1 at once [Chen 2013]. An impact has no effect on later
/// accelerations, and a continues where contacts change. A restart would replace the a of fast oscillations
/// by M⁻¹f(x0): their amplitude factor per step is then 0.9 instead of ρ∞ = ½.
///
/// The unknown is v1: a1 and x1 are linear in it, which gives a StageEquation.
class GeneralizedAlpha final : public MethodWithHistory<History<1, 1>> {
 public:
  struct Constants {
    double alpha_m = 0;
    double gamma = 0;
    double beta = 0;
    double sigma = 0;

    /// Amplitude factor per step on the oscillator, as IntegratorInfo::growth. At most 1.
    double growth(double y, double s) const;
  };

  /// The constants for the values of a method's parameters.
  using ConstantsOf = Constants (*)(const IntegratorParameters& values);
  GeneralizedAlpha(const IntegratorParameters& values, ConstantsOf constants)
      : constants_(constants(values)) {}

  /// IntegratorInfo::growth.
  template <ConstantsOf constants>
  static double growth(double y, double s, const IntegratorParameters& values) {
    return constants(values).growth(y, s);
  }

  /// False, because contact is not part of a.
  bool has_history() const override { return false; }

 private:
  void take_step(const DynamicSystem& system, State& state, double h, const StepContext& context,
                 StepReport& report) override {
    const std::size_t n = system.size();
    for (auto* scratch : {&x_hat_, &v_hat_, &guess_, &x1_, &v1_, &a_}) scratch->resize(n);
    const auto [alpha_m, gamma, beta, sigma] = constants_;

    start_.compute(system, state, h, context, 0);
    const auto& v0 = start_.v;
    if (history_.empty())
      impulses_.start(context, system, state.x, v0);
    else
      system.projection().couplings().renew(start_.a, a_);  // their directions have turned
    const std::vector<vec3>& a0 = history_.empty() ? start_.a : a_;

    // v1 = v0 + h ((1 − γ) a0 + γ a1)   gives a1, hence
    //   x1 = x0 + h v0 + h² ((½ − β) a0 + β a1) = x̂ + (hβ/γ) v1,   M (v1 − v̂) = hγ (1 − σ)/(1 − α_m) f1.
    const double gamma_v = h * beta / gamma, gamma_a = h * gamma / (1 - alpha_m);
    const double gamma_f = (1 - sigma) * gamma_a;
    for (std::size_t i = 0; i < n; ++i) {
      const vec3 without_a1 = v0[i] + h * (1 - gamma) * a0[i];
      x_hat_[i] = state.x[i] + h * v0[i] + h * h * (0.5 - beta) * a0[i] - gamma_v * without_a1;
      v_hat_[i] = without_a1 - alpha_m * gamma_a * a0[i] + sigma * gamma_a * start_.a[i];
      guess_[i] = v0[i] + h * start_.a[i];
    }
    const StageEquation equation{gamma_f, gamma_v, x_hat_, v_hat_, h * start_.force_norm(system.masses())};
    refer_contacts(context, h, gamma_v, state.x, x_hat_);
    stage_.solve(system, equation, state.x, {v0, guess_}, context, x1_, v1_, report);

    // M (v1 − v0) = h ((1 − γ) A0 + γ A1),   A1 = ((1 − σ) f1 + σ f0 − α_m A0)/(1 − α_m) + r/(hγ)
    impulses_.recall(context, h * (1 - gamma - gamma * alpha_m / (1 - alpha_m)));
    stage_.report(system, context, 1, gamma_f, x1_, v1_);
    if (sigma != 0) report_forces(context, system, sigma * gamma_a, state.x, v0);
    impulses_.keep(context, 1 / (h * gamma), -(1 - gamma) / gamma);
    double moved = 0, term = 0, size = 0;  // squares [m²]
    for (std::size_t i = 0; i < n; ++i) {
      const vec3 a1 = (v1_[i] - v0[i] - h * (1 - gamma) * a0[i]) / (h * gamma);
      x1_[i] = state.x[i] + h * v0[i] + h * h * ((0.5 - beta) * a0[i] + beta * a1);
      v1_[i] = v0[i] + h * ((1 - gamma) * a0[i] + gamma * a1);
      a_[i] = a1;
      const vec3 displacement = x1_[i] - state.x[i], of_a1 = h * h * beta * a1;
      moved += glm::dot(displacement, displacement);
      term += glm::dot(of_a1, of_a1);
      size += glm::dot(x1_[i], x1_[i]);
    }
    // The motion has the rounding error of terms that cancel. At rest they are rounding themselves.
    constexpr double kLost = 0.05, kAtRest = 1e-9, kRounding = std::numeric_limits<double>::epsilon();
    if (kRounding * std::sqrt(term) > std::max(kLost * std::sqrt(moved), kAtRest * std::sqrt(size)))
      report.fail("the motion is lost in the rounding of h² a; use a smaller h or backward Euler");
    context.for_impulses_on_particles([&, scale = h * gamma](std::uint32_t i, const vec3& impulse) {
      a_[i] -= impulse / (scale * system.masses()[i]);
    });
    history_.full = true;
    contacts_.stop(system, context, h, v0, v1_, report);
    report_contacts(context, n);
    finish_step(system, context, h, x1_, v1_, state);
  }

  Constants constants_;
  std::vector<vec3>& a_ = history_.vectors[0];      // a0, then a1
  ImpulseMemory& impulses_ = history_.impulses[0];  // M a by kind
  ContactCorrection contacts_;
  ImplicitStage stage_;
  StepStart start_;
  std::vector<vec3> x_hat_;
  std::vector<vec3> v_hat_;
  std::vector<vec3> guess_;
  std::vector<vec3> x1_;
  std::vector<vec3> v1_;
};

}  // namespace clothlab
