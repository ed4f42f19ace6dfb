// SPDX-License-Identifier: MIT
#include "integrate/implicit_stage.h"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <limits>

#include "integrate/solve_outcome.h"

namespace clothlab {

namespace {

constexpr std::size_t kNormGrain = 4096;
constexpr double kSufficientDecrease = 1e-4;  // Armijo's constant
constexpr double kSteepestRise = 0.9;         // of the slope that a step without potential may end at
constexpr int kMaxHalvings = 20;
constexpr int kMaxDoublings = 12;
constexpr double kFirstCompression = 0.05;
constexpr double kNoiseFactor = 8;  // ‖r‖ below this many times its rounding noise cannot be improved

}  // namespace

struct ImplicitStage::Problem {
  const DynamicSystem& system;
  const StageEquation& equation;
  const StepContext& context;
  std::span<vec3> x1;
  std::span<vec3> v1;

  bool has_potential() const { return equation.gamma_v > 0 && system.has_dissipation_potential(); }
};

bool ImplicitStage::solve(const DynamicSystem& system, const StageEquation& equation,
                          std::initializer_list<std::span<const vec3>> guesses, const StepContext& context,
                          std::span<vec3> x1, std::span<vec3> v1, StepReport& report) {
  const Problem p{system, equation, context, x1, v1};
  for (auto* scratch : {&residual_, &direction_, &x_trial_, &v_trial_, &residual_trial_}) {
    scratch->resize(system.size());
  }

  // The start: the guess with the smallest residual.
  double residual_norm = std::numeric_limits<double>::infinity();
  for (const std::span<const vec3> guess : guesses) {
    std::ranges::copy(guess, v_trial_.begin());
    const double trial_norm = evaluate_trial(p);
    if (gives_up(context, report)) return false;
    const bool first = guess.data() == guesses.begin()->data();
    if (!first && !(trial_norm < residual_norm)) continue;
    accept(p);
    residual_norm = trial_norm;
  }
  if (!std::isfinite(residual_norm)) {
    report.converged = false;
    report.newton_residual = residual_norm;
    report.reason = "the forces at the start of Newton's method are not finite";
    return true;
  }

  // Newton steps, with the largest share of compression that gives a descent direction.
  const double scale = std::max(equation.scale, residual_norm);
  const double target = context.solver.newton_tolerance * scale;
  double compression = context.solver.jacobian == JacobianMode::exact ? 1 : 0;
  linear_failure_ = {};
  smallest_norm_ = residual_norm;
  const int last = report.newton_iterations + context.solver.newton_max_iterations;
  const char* failure = residual_norm <= target ? nullptr : "Newton's method used up its iterations";
  while (failure && report.newton_iterations < last) {
    if (gives_up(context, report)) return false;
    const double before = residual_norm;
    Outcome outcome = improve(p, compression, target, residual_norm, report);
    while (outcome == Outcome::stuck && compression > 0 && report.newton_iterations < last) {
      compression = compression > kFirstCompression ? compression / 2 : 0;
      outcome = improve(p, compression, target, residual_norm, report);
    }
    compression = std::clamp(2 * compression, kFirstCompression, 1.0);
    if (outcome == Outcome::stopped) return false;

    // Done, or as close as rounding allows.
    if (residual_norm <= target ||
        (residual_norm > before / 2 && residual_norm <= kNoiseFactor * rounding_noise(p))) {
      failure = nullptr;
    } else if (outcome == Outcome::stuck) {
      failure = "Newton's method found no step that comes closer";
      break;
    }
  }
  report.newton_residual = scale > 0 ? residual_norm / scale : 0;
  if (failure) {
    report.converged = false;
    report.reason = linear_failure_.empty() ? failure : linear_failure_;
  }
  return true;
}

ImplicitStage::Outcome ImplicitStage::improve(const Problem& p, double compression, double target,
                                              double& residual_norm, StepReport& report) {
  const auto& [gamma_f, gamma_v, x_hat, v_hat, scale] = p.equation;
  if (!have_matrix(p.system, p.context, a_, report)) return Outcome::stopped;
  SpringMatrix& A = *a_;
  p.system.assemble(p.context.pool, p.x1, p.v1, {1, gamma_f, gamma_f * gamma_v, compression},
                    JacobianMode::exact, A);
  if (gives_up(p.context, report)) return Outcome::stopped;

  // A d = −r, solved as A (−d) = r.
  const SolveReport solve = solver_.solve(p.context.solving(), {A, residual_, p.system.projection()},
                                          direction_, p.context.solver.linear);
  ++report.newton_iterations;
  add_linear_solve(solve, p.context.solver.linear, report);
  if (solve.stopped) return Outcome::stopped;
  // No failure of the step: it is repeated with a smaller share of compression.
  if (solve.indefinite && compression > 0) return Outcome::stuck;
  if (const std::string_view failure = linear_failure(solve); !failure.empty()) linear_failure_ = failure;

  Trial start;
  start.norm = residual_norm;
  for (std::size_t i = 0; i < direction_.size(); ++i) start.slope -= glm::dot(residual_[i], direction_[i]);
  if (!(start.slope < 0) || !std::isfinite(start.slope)) return Outcome::stuck;
  const bool has_potential = p.has_potential();
  if (has_potential) start.potential = potential(p, p.x1, p.v1);
  if (gives_up(p.context, report)) return Outcome::stopped;

  const auto is_enough = [&](const Trial& t, double alpha) {
    if (!std::isfinite(t.norm)) return false;
    if (t.norm <= std::max(target, smallest_norm_ / 2)) return true;
    if (has_potential) return t.potential <= start.potential + kSufficientDecrease * alpha * start.slope;
    return t.norm <= (1 - kSufficientDecrease * alpha) * smallest_norm_ ||
           t.slope <= -kSteepestRise * start.slope;
  };
  double alpha = 1;
  Trial trial;
  if (!try_step(p, alpha, trial, report)) return Outcome::stopped;
  for (int k = 0; k < kMaxHalvings && !is_enough(trial, alpha); ++k) {
    if (!try_step(p, alpha /= 2, trial, report)) return Outcome::stopped;
  }
  if (!is_enough(trial, alpha)) return Outcome::stuck;

  // Only where A is not exact and the step is not close to a root.
  if (compression < 1 && alpha == 1 && trial.norm > start.norm / 2 &&
      !lengthen(p, start.slope, trial, report)) {
    return Outcome::stopped;
  }
  accept(p);
  residual_norm = trial.norm;
  smallest_norm_ = std::min(smallest_norm_, residual_norm);
  return Outcome::improved;
}

bool ImplicitStage::lengthen(const Problem& p, double first_slope, Trial& trial, StepReport& report) {
  double alpha = 1;
  for (int k = 0; k < kMaxDoublings && trial.slope < first_slope / 2; ++k, alpha *= 2) {
    Trial longer;
    if (!try_step(p, 2 * alpha, longer, report)) return false;
    const bool better = std::isfinite(longer.norm) &&
                        (p.has_potential() ? longer.potential < trial.potential : longer.slope < 0);
    if (!better) return try_step(p, alpha, trial, report);
    trial = longer;
  }
  return true;
}

bool ImplicitStage::try_step(const Problem& p, double alpha, Trial& trial, StepReport& report) {
  for (std::size_t i = 0; i < direction_.size(); ++i) v_trial_[i] = p.v1[i] - alpha * direction_[i];
  trial = {};
  trial.norm = evaluate_trial(p);
  if (gives_up(p.context, report)) return false;
  for (std::size_t i = 0; i < direction_.size(); ++i) {
    trial.slope -= glm::dot(residual_trial_[i], direction_[i]);
  }
  if (p.has_potential()) trial.potential = potential(p, x_trial_, v_trial_);
  return !gives_up(p.context, report);
}

double ImplicitStage::evaluate_trial(const Problem& p) {
  const auto& [gamma_f, gamma_v, x_hat, v_hat, scale] = p.equation;
  for (std::size_t i = 0; i < x_trial_.size(); ++i) x_trial_[i] = x_hat[i] + gamma_v * v_trial_[i];
  p.system.force(p.context.pool, x_trial_, v_trial_, residual_trial_);
  const std::span<const double> m = p.system.masses();
  for (std::size_t i = 0; i < x_trial_.size(); ++i) {
    residual_trial_[i] = m[i] * (v_trial_[i] - v_hat[i]) - gamma_f * residual_trial_[i];
  }
  p.system.projection().filter(residual_trial_);
  return norm(p, residual_trial_);
}

double ImplicitStage::norm(const Problem& p, std::span<const vec3> a) const {
  return std::sqrt(p.context.pool.sum(a.size(), kNormGrain, [&](std::size_t begin, std::size_t end) {
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum += glm::dot(a[i], a[i]);
    return sum;
  }));
}

double ImplicitStage::potential(const Problem& p, std::span<const vec3> x, std::span<const vec3> v) const {
  const auto& [gamma_f, gamma_v, x_hat, v_hat, scale] = p.equation;
  const std::span<const double> m = p.system.masses();
  double inertia = 0;
  for (std::size_t i = 0; i < v.size(); ++i) {
    const vec3 change = v[i] - v_hat[i];
    inertia += m[i] / 2 * glm::dot(change, change);
  }
  return inertia + gamma_f / gamma_v * p.system.potential_energy(p.context.pool, x) +
         gamma_f * p.system.dissipation_potential(p.context.pool, v);
}

void ImplicitStage::accept(const Problem& p) {
  std::ranges::copy(x_trial_, p.x1.begin());
  std::ranges::copy(v_trial_, p.v1.begin());
  std::swap(residual_, residual_trial_);
}

double ImplicitStage::rounding_noise(const Problem& p) {
  constexpr double kUnit = std::numeric_limits<double>::epsilon();
  const auto& [gamma_f, gamma_v, x_hat, v_hat, scale] = p.equation;
  for (std::size_t i = 0; i < x_trial_.size(); ++i) {
    const double sign = i % 2 == 0 ? 1 : -1;
    x_trial_[i] = p.x1[i] * (1 + sign * kUnit);
    v_trial_[i] = p.v1[i] * (1 + sign * kUnit);
  }
  p.system.force(p.context.pool, x_trial_, v_trial_, residual_trial_);
  const std::span<const double> m = p.system.masses();
  for (std::size_t i = 0; i < x_trial_.size(); ++i) {
    residual_trial_[i] = m[i] * (v_trial_[i] - v_hat[i]) - gamma_f * residual_trial_[i] - residual_[i];
  }
  p.system.projection().filter(residual_trial_);
  return norm(p, residual_trial_);
}

}  // namespace clothlab
