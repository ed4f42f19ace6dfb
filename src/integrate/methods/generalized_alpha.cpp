// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "integrate/growth.h"
#include "integrate/implicit_stage.h"
#include "integrate/integrator_info.h"
#include "integrate/step_ends.h"

namespace clothlab {
namespace {

/// The step of [Chung 1993], of Newmark's family (α_m = α_f = 0):
///   x1 = x0 + h v0 + h² ((½ − β) a0 + β a1),   v1 = v0 + h ((1 − γ) a0 + γ a1),
///   (1 − α_m) M a1 + α_m M a0 = f((1 − α_f) x1 + α_f x0, (1 − α_f) v1 + α_f v0)     (their (15)–(20)).
/// The acceleration a is the method's history; after a reset it is M⁻¹f(x0, v0).
///
/// The unknown is the velocity v_f at which f is evaluated: a1 and x_f are linear in it, which gives a
/// StageEquation.
class GeneralizedAlpha final : public Integrator {
 public:
  struct Constants {
    double alpha_m = 0;
    double alpha_f = 0;
    double gamma = 0;
    double beta = 0;
  };

  explicit GeneralizedAlpha(const Constants& constants) : constants_(constants) {}

  void save(Memory& memory) const override {
    memory.put(has_a_ ? 1 : 0);
    if (!has_a_) return;
    memory.put(a_);
    impulses_.save(memory);
  }
  void load(MemoryReader& memory, std::size_t n) override {
    has_a_ = !memory.at_end() && memory.count(1) == 1;
    if (!has_a_) return;
    a_.resize(n);
    memory.vectors(a_);
    impulses_.load(memory, n);
  }

 private:
  void take_step(const DynamicSystem& system, State& state, double h, const StepContext& context,
                 StepReport& report) override {
    const std::size_t n = system.size();
    for (auto* scratch : {&x_hat_, &v_hat_, &guess_, &x1_, &v1_, &a_}) scratch->resize(n);
    const auto& [alpha_m, alpha_f, gamma, beta] = constants_;

    start_.compute(system, state, h, context, 0);
    const auto& v0 = start_.v;
    if (!has_a_) impulses_.start(context, system, state.x, v0);
    const std::vector<vec3>& a0 = has_a_ ? a_ : start_.a;

    // With s = (1 − α_f) h:   v_f = v0 + s ((1 − γ) a0 + γ a1)   gives a1, hence
    //   x_f = x0 + s v0 + s h ((½ − β) a0 + β a1) = x̂ + (hβ/γ) v_f,   M (v_f − v̂) = γs/(1 − α_m) f.
    const double s = (1 - alpha_f) * h;
    const double gamma_v = h * beta / gamma, gamma_f = s * gamma / (1 - alpha_m);
    for (std::size_t i = 0; i < n; ++i) {
      const vec3 without_a1 = v0[i] + s * (1 - gamma) * a0[i];
      x_hat_[i] = state.x[i] + s * v0[i] + s * h * (0.5 - beta) * a0[i] - gamma_v * without_a1;
      v_hat_[i] = without_a1 - alpha_m * gamma_f * a0[i];
      guess_[i] = v0[i] + s * start_.a[i];
    }
    const StageEquation equation{gamma_f, gamma_v, x_hat_, v_hat_, h * start_.force_norm(system.masses())};
    stage_.solve(system, equation, {v0, guess_}, context, x1_, v1_, report);

    // M (v1 − v0) = h ((1 − γ) A0 + γ A1),   A1 = (f − α_m A0)/(1 − α_m) + r/(γs)
    impulses_.recall(context, h * (1 - gamma - gamma * alpha_m / (1 - alpha_m)));
    stage_.report(system, context, h / s, gamma_f, x1_, v1_);
    impulses_.keep(context, 1 / (h * gamma), -(1 - gamma) / gamma);
    for (std::size_t i = 0; i < n; ++i) {
      const vec3 a1 = (v1_[i] - v0[i] - s * (1 - gamma) * a0[i]) / (s * gamma);
      x1_[i] = state.x[i] + h * v0[i] + h * h * ((0.5 - beta) * a0[i] + beta * a1);
      v1_[i] = v0[i] + h * ((1 - gamma) * a0[i] + gamma * a1);
      a_[i] = a1;
    }
    has_a_ = true;
    finish_step(system, context, h, x1_, v1_, state);
  }

  Constants constants_;
  bool has_a_ = false;
  std::vector<vec3> a_;     // a0, then a1
  ImpulseMemory impulses_;  // M a by kind
  ImplicitStage stage_;
  StepStart start_;
  std::vector<vec3> x_hat_;
  std::vector<vec3> v_hat_;
  std::vector<vec3> guess_;
  std::vector<vec3> x1_;  // first x_f
  std::vector<vec3> v1_;  // first v_f
};

constexpr std::array kGeneralizedAlphaParameters{
    ParameterSpec{
        .id = "rho-inf",
        .title = "Spectral radius ρ∞",
        .unit = "",
        .min = 0,
        .max = 1,
        .fallback = 0.5,
        .help = "Factor by which generalized-α multiplies the fastest oscillations per step: 0 removes them "
                "at once, 1 keeps them.",
    },
};

/// Constants for the spectral radius at infinity ρ∞ in [0, 1].
GeneralizedAlpha::Constants constants_of(double rho_inf) {
  GeneralizedAlpha::Constants c;
  c.alpha_m = (2 * rho_inf - 1) / (rho_inf + 1);
  c.alpha_f = rho_inf / (rho_inf + 1);
  c.gamma = 0.5 - c.alpha_m + c.alpha_f;
  c.beta = (1 - c.alpha_m + c.alpha_f) * (1 - c.alpha_m + c.alpha_f) / 4;
  return c;
}

// Largest |ζ| of ((1 − α_m) ζ + α_m) (ζ − 1)² + ((1 − α_f) ζ + α_f) (y² (βζ² + (½ + γ − 2β) ζ + ½ − γ + β)
// + s (ζ − 1) (γζ + 1 − γ)), which is at most 1 for every ρ∞. One root is real and found by bisection; the
// others are roots of a quadratic.
double generalized_alpha_growth(double y, double s, const IntegratorParameters& values) {
  const auto [alpha_m, alpha_f, gamma, beta] = constants_of(values.at(0));
  const double m1 = 1 - alpha_m, m0 = alpha_m, f1 = 1 - alpha_f, f0 = alpha_f;
  const double n2 = y * y * beta + s * gamma;
  const double n1 = y * y * (0.5 + gamma - 2 * beta) + s * (1 - 2 * gamma);
  const double n0 = y * y * (0.5 - gamma + beta) - s * (1 - gamma);
  const double p3 = m1 + f1 * n2, p2 = m0 - 2 * m1 + f0 * n2 + f1 * n1;
  const double p1 = m1 - 2 * m0 + f0 * n1 + f1 * n0, p0 = m0 + f0 * n0;

  double below = -2, above = 2;  // the polynomial is negative at `below`, positive at `above`
  for (double middle = 0; below < middle && middle < above; middle = (below + above) / 2) {
    (((p3 * middle + p2) * middle + p1) * middle + p0 < 0 ? below : above) = middle;
  }
  const double real = above;
  const double q1 = p2 + p3 * real, q0 = p1 + q1 * real;  // p3 ζ² + q1 ζ + q0
  const double discriminant = q1 * q1 - 4 * p3 * q0;
  const double other =
      discriminant < 0 ? std::sqrt(q0 / p3) : (std::abs(q1) + std::sqrt(discriminant)) / (2 * p3);
  return std::min(1.0, std::max(std::abs(real), other));
}

constexpr std::array kNewmarkParameters{
    ParameterSpec{
        .id = "newmark-beta",
        .title = "Newmark's β",
        .unit = "",
        .min = 0,
        .max = 1,
        .fallback = 0.25,
        .help =
            "Weight of the new acceleration in the positions. 1/4: mean of old and new; 1/6: linear in time; "
            "0: old only. Stable at every h for 2β ≥ γ.",
    },
    ParameterSpec{
        .id = "newmark-gamma",
        .title = "Newmark's γ",
        .unit = "",
        .min = 0.5,
        .max = 1,
        .fallback = 0.5,
        .help = "Weight of the new acceleration in the velocities. 1/2: no damping, order 2. More: fast "
                "oscillations are damped, order 1.",
    },
};

// (ζ − 1)² + s (ζ − 1) (γζ + 1 − γ) + y² (βζ² + (½ + γ − 2β) ζ + ½ − γ + β) = 0
double newmark_growth(double y, double s, const IntegratorParameters& values) {
  const double beta = values.at(0), gamma = values.at(1);
  const double lead = 1 + s * gamma + y * y * beta;
  return quadratic_radius((s + y * y * (gamma + 0.5)) / (2 * lead), y * y / lead,
                          1 - (s + y * y * (gamma - 0.5)) / lead);
}

// The root ζ = −1 of the above without damping. On a cloth, with σ = (ζ − 1)/(ζ + 1), it is
// (1 + (γ − ½) hC̃ − (γ/2 − β) h²K̃) σ² + ½ (hC̃ + (γ − ½) h²K̃) σ + ¼ h²K̃ = 0, which has a root with a positive
// real part only if the coefficient of σ² is not positive definite; damping does not change that.
double newmark_limit(const IntegratorParameters& values) {
  const double beta = values.at(0), gamma = values.at(1);
  return 2 * beta >= gamma ? kNoStabilityLimit : 1 / std::sqrt(gamma / 2 - beta);
}

}  // namespace

extern constinit const IntegratorInfo kGeneralizedAlpha{
    .id = "generalized-alpha",
    .title = "Generalized-α",
    .letters = "GA",
    .family = IntegratorFamily::implicit,
    .order = 2,
    .uses_newton = true,
    .uses_linear_solver = true,
    .formula =
        "x1 = x0 + h v0 + h²((½ − β)a0 + βa1); v1 = v0 + h((1 − γ)a0 + γa1); "
        "(1 − α_m) M a1 + α_m M a0 = f((1 − α_f) u1 + α_f u0)",
    .summary =
        "ρ∞ is the amplitude factor of the fastest oscillations per step, from 1 (kept) to 0 (removed). "
        "Slow motion is hardly damped.",
    .cost = "One nonlinear solve per step, as backward Euler's.",
    .use = "Adjustable damping of oscillations that h does not resolve; slow motion is kept.",
    .reference =
        "Chung, Hulbert: A time integration algorithm for structural dynamics with improved "
        "numerical dissipation, Journal of Applied Mechanics 60, 1993",
    .longest_contact_step = 0.004,
    .contact_warning =
        "often blows up where cloth lands on the floor or an obstacle with steps above 4 ms. Use h = 4 ms "
        "or less (--substeps), or a method that damps more: BDF2 or Backward Euler",
    .parameters = kGeneralizedAlphaParameters,
    .stability_limit = kNoStabilityLimit,
    .growth = generalized_alpha_growth,
    .make = [](const IntegratorParameters& values) -> std::unique_ptr<Integrator> {
      return std::make_unique<GeneralizedAlpha>(constants_of(values.at(0)));
    },
};

extern constinit const IntegratorInfo kNewmark{
    .id = "newmark",
    .title = "Newmark",
    .letters = "NM",
    .family = IntegratorFamily::implicit,
    .order = 2,
    .order_condition = "with γ = 1/2, otherwise 1",
    .uses_newton = true,
    .uses_linear_solver = true,
    .formula = "x1 = x0 + h v0 + h²((½ − β)a0 + βa1); v1 = v0 + h((1 − γ)a0 + γa1); M a1 = f(x1, v1)",
    .summary =
        "The method of structural mechanics. With β = 1/4 and γ = 1/2 it is the trapezoidal rule and "
        "keeps an oscillator's amplitude. β below γ/2 limits h. A larger γ damps oscillations that are "
        "fast for the step and lowers the order to 1.",
    .cost = "One nonlinear solve per step, as backward Euler's.",
    .use = "Comparison with structural mechanics; experiments with β and γ.",
    .reference =
        "Newmark: A method of computation for structural dynamics, Journal of the Engineering Mechanics "
        "Division 85(3), 1959; Hughes: The Finite Element Method, section 9.1",
    .parameters = kNewmarkParameters,
    .stability_limit = kNoStabilityLimit,
    .stability_limit_with = newmark_limit,
    .coupling = StepCoupling::undamped,
    .growth = newmark_growth,
    .make = [](const IntegratorParameters& values) -> std::unique_ptr<Integrator> {
      return std::make_unique<GeneralizedAlpha>(
          GeneralizedAlpha::Constants{.gamma = values.at(1), .beta = values.at(0)});
    },
};

}  // namespace clothlab
