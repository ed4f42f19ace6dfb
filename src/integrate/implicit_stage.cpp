#include "integrate/implicit_stage.h"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <limits>

#include "integrate/solve_outcome.h"

namespace clothlab {

namespace {

constexpr std::size_t kGrain = 4096;
constexpr double kSufficientDecrease = 1e-4;  // Armijo's constant
constexpr int kMaxHalvings = 20;
constexpr double kNoiseFactor = 8;  // ‖r‖ below this many times its rounding noise cannot be improved

}  // namespace

struct ImplicitStage::Problem {
  const DynamicSystem& system;
  const StageEquation& equation;
  const StepContext& context;
  std::span<vec3> x1;
  std::span<vec3> v1;
};

bool ImplicitStage::solve(const DynamicSystem& system, const StageEquation& equation,
                          std::initializer_list<std::span<const vec3>> guesses, const StepContext& context,
                          std::span<vec3> x1, std::span<vec3> v1, StepReport& report) {
  const Problem p{system, equation, context, x1, v1};
  for (auto* scratch : {&residual_, &direction_, &x_trial_, &v_trial_, &residual_trial_}) {
    scratch->resize(system.size());
  }

  double residual_norm = std::numeric_limits<double>::infinity();
  for (const std::span<const vec3> guess : guesses) {
    std::ranges::copy(guess, v_trial_.begin());
    const double trial_norm = evaluate_trial(p);
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

  const double scale = std::max(equation.scale, residual_norm);
  const double target = context.solver.newton_tolerance * scale;
  const char* failure = residual_norm <= target ? nullptr : "Newton's method used up its iterations";
  for (int k = 0; failure && k < context.solver.newton_max_iterations; ++k) {
    if (stop_requested(context.stop)) {
      report.stopped = true;
      return false;
    }
    const double before = residual_norm;
    Outcome outcome = improve(p, context.solver.jacobian, target, residual_norm, report);
    if (outcome == Outcome::stuck && context.solver.jacobian == JacobianMode::exact) {
      outcome = improve(p, JacobianMode::clamped, target, residual_norm, report);
    }
    if (outcome == Outcome::stopped) return false;

    if (residual_norm <= target) {
      failure = nullptr;
    } else if (residual_norm > before / 2 && residual_norm <= kNoiseFactor * rounding_noise(p)) {
      failure = nullptr;
    } else if (outcome == Outcome::stuck) {
      failure = "Newton's method found no step that comes closer";
      break;
    }
  }
  report.newton_residual = scale > 0 ? residual_norm / scale : 0;
  if (failure) {
    report.converged = false;
    report.reason = failure;
  }
  return true;
}

ImplicitStage::Outcome ImplicitStage::improve(const Problem& p, JacobianMode mode, double target,
                                              double& residual_norm, StepReport& report) {
  const auto& [gamma, x_hat, v_hat, scale] = p.equation;
  SpringMatrix& A = matrix_for(p.system, a_);
  p.system.assemble(p.x1, p.v1, {1, gamma, gamma * gamma}, mode, A);

  // A d = −r, solved as A (−d) = r.
  const SolveReport solve = solver_.solve(p.context.pool, A, residual_, {}, p.system.projection(), direction_,
                                          p.context.solver.linear, p.context.stop);
  ++report.newton_iterations;
  add_linear_solve(solve, p.context.solver.linear, report);
  // An indefinite matrix is no failure here: the line search judges the direction that came of it.
  if (!solve.indefinite) add_linear_failure(solve, report);
  if (solve.stopped) return Outcome::stopped;

  double slope = 0;  // rᵀd, the slope of φ along d
  for (std::size_t i = 0; i < direction_.size(); ++i) slope -= glm::dot(residual_[i], direction_[i]);
  if (!(slope < 0) || !std::isfinite(slope)) return Outcome::stuck;

  const bool has_potential = p.system.has_dissipation_potential();
  const double phi = has_potential ? potential(p, p.x1, p.v1) : 0;
  double alpha = 1;
  for (int halvings = 0; halvings <= kMaxHalvings; ++halvings, alpha /= 2) {
    for (std::size_t i = 0; i < direction_.size(); ++i) v_trial_[i] = p.v1[i] - alpha * direction_[i];
    const double trial_norm = evaluate_trial(p);
    if (!std::isfinite(trial_norm)) continue;
    const bool enough =
        trial_norm <= target ||
        (has_potential ? trial_norm <= residual_norm / 2 ||
                             potential(p, x_trial_, v_trial_) <= phi + kSufficientDecrease * alpha * slope
                       : trial_norm <= (1 - kSufficientDecrease * alpha) * residual_norm);
    if (!enough) continue;
    accept(p);
    residual_norm = trial_norm;
    return Outcome::improved;
  }
  return Outcome::stuck;
}

double ImplicitStage::evaluate_trial(const Problem& p) {
  const auto& [gamma, x_hat, v_hat, scale] = p.equation;
  for (std::size_t i = 0; i < x_trial_.size(); ++i) x_trial_[i] = x_hat[i] + gamma * v_trial_[i];
  p.system.force(x_trial_, v_trial_, residual_trial_);
  const std::span<const double> m = p.system.masses();
  for (std::size_t i = 0; i < x_trial_.size(); ++i) {
    residual_trial_[i] = m[i] * (v_trial_[i] - v_hat[i]) - gamma * residual_trial_[i];
  }
  p.system.projection().filter(residual_trial_);
  return norm(p, residual_trial_);
}

double ImplicitStage::norm(const Problem& p, std::span<const vec3> a) const {
  return std::sqrt(p.context.pool.sum(a.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum += glm::dot(a[i], a[i]);
    return sum;
  }));
}

double ImplicitStage::potential(const Problem& p, std::span<const vec3> x, std::span<const vec3> v) const {
  const auto& [gamma, x_hat, v_hat, scale] = p.equation;
  const std::span<const double> m = p.system.masses();
  double inertia = 0;
  for (std::size_t i = 0; i < v.size(); ++i) {
    const vec3 change = v[i] - v_hat[i];
    inertia += m[i] / 2 * glm::dot(change, change);
  }
  return inertia + p.system.potential_energy(x) + gamma * p.system.dissipation_potential(v);
}

void ImplicitStage::accept(const Problem& p) {
  std::ranges::copy(x_trial_, p.x1.begin());
  std::ranges::copy(v_trial_, p.v1.begin());
  std::swap(residual_, residual_trial_);
}

double ImplicitStage::rounding_noise(const Problem& p) {
  constexpr double kUnit = std::numeric_limits<double>::epsilon();
  const auto& [gamma, x_hat, v_hat, scale] = p.equation;
  for (std::size_t i = 0; i < x_trial_.size(); ++i) {
    const double sign = i % 2 == 0 ? 1 : -1;
    x_trial_[i] = p.x1[i] * (1 + sign * kUnit);
    v_trial_[i] = p.v1[i] * (1 + sign * kUnit);
  }
  p.system.force(x_trial_, v_trial_, residual_trial_);
  const std::span<const double> m = p.system.masses();
  for (std::size_t i = 0; i < x_trial_.size(); ++i) {
    residual_trial_[i] = m[i] * (v_trial_[i] - v_hat[i]) - gamma * residual_trial_[i] - residual_[i];
  }
  p.system.projection().filter(residual_trial_);
  return norm(p, residual_trial_);
}

}  // namespace clothlab
