#include "integrate/generalized_alpha.h"

#include "integrate/prescribe.h"

namespace clothlab {

GeneralizedAlpha::Constants GeneralizedAlpha::Constants::of(double rho_inf) {
  Constants c;
  c.alpha_m = (2 * rho_inf - 1) / (rho_inf + 1);
  c.alpha_f = rho_inf / (rho_inf + 1);
  c.gamma = 0.5 - c.alpha_m + c.alpha_f;
  c.beta = (1 - c.alpha_m + c.alpha_f) * (1 - c.alpha_m + c.alpha_f) / 4;
  return c;
}

StepReport GeneralizedAlpha::advance(const DynamicSystem& system, State& state, double h,
                                     const StepContext& context) {
  StepReport report;
  report.h = h;
  const std::size_t n = system.size();
  for (auto* scratch : {&x_hat_, &v_hat_, &guess_, &x1_, &v1_, &a_}) scratch->resize(n);
  const auto& [alpha_m, alpha_f, gamma, beta] = constants_;

  if (!start_.take(system, state, h, context, report)) return report;
  const auto& v0 = start_.v;
  const std::vector<vec3>& a0 = has_a_ ? a_ : start_.a;

  // With s = (1 − α_f) h:   v_f = v0 + s ((1 − γ) a0 + γ a1)   gives a1, and that
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
  if (!stage_.solve(system, equation, {v0, guess_}, context, x1_, v1_, report)) return report;

  for (std::size_t i = 0; i < n; ++i) {
    const vec3 a1 = (v1_[i] - v0[i] - s * (1 - gamma) * a0[i]) / (s * gamma);
    x1_[i] = state.x[i] + h * v0[i] + h * h * ((0.5 - beta) * a0[i] + beta * a1);
    v1_[i] = v0[i] + h * ((1 - gamma) * a0[i] + gamma * a1);
    a_[i] = a1;
  }
  has_a_ = true;
  finish_step(system.projection(), h, x1_, v1_, state);
  return report;
}

void GeneralizedAlpha::save(Memory& memory) const {
  memory.put(has_a_ ? 1 : 0);
  if (has_a_) memory.put(a_);
}

void GeneralizedAlpha::load(MemoryReader& memory, std::size_t n) {
  has_a_ = !memory.at_end() && memory.count(1) == 1;
  if (!has_a_) return;
  a_.resize(n);
  memory.vectors(a_);
}

}  // namespace clothlab
