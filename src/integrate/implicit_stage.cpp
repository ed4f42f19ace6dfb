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
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kFarForcing = 0.4;  // of a linear solve's right-hand side
constexpr double kNearForcing = 0.1;
constexpr double kOfForces = 0.1;                    // smallest scale with contacts
constexpr int kMostFailures = 3;                     // solves with contacts that do not converge
constexpr int kMostWithFixedStates = 3;              // Newton iterations between solves with contacts
constexpr double kOfTarget = 0.5, kOfNatural = 0.1;  // ‖r‖ to end at with fixed states
constexpr double kNear = 1e-3;                       // of the scale: descents below
constexpr int kPatience = 4;                         // leaps without a smaller ‖r‖ before descents
constexpr double kFirstRadius = 10;                  // of the length of the last leap that reduced ‖r‖
constexpr int kTrials = 12;                          // of a descent, each a quarter of the previous one
constexpr double kMuchCloser = 0.25;                 // ratio of ‖r‖ that needs no comparison of φ
constexpr double kSufficientDecrease = 1e-4;         // Armijo's constant
constexpr double kPotentialNoise = 1e-10;            // rounding of φ
constexpr double kNoiseFactor = 8;  // ‖r‖ below this many times its rounding noise cannot be improved
constexpr std::string_view kTooFewIterations =
    "Newton's method reached its largest number of iterations; use more of them or a smaller h";
constexpr std::string_view kNotFinite =
    "the forces at the start of Newton's method are not finite; use a smaller h";

// The pins also carry the impulses of pairs.
void report_pairs_on_held(const StepContext& context, const DynamicSystem& system, double weight) {
  if (context.ledger == nullptr || context.pairs.empty()) return;
  const std::span<vec3> sum = context.ledger->scratch(system.size());
  std::ranges::fill(sum, vec3(0));
  context.for_impulses_on_particles([&](std::uint32_t i, const vec3& impulse) { sum[i] += impulse; });
  add_to_held(context.ledger->impulses(), system, [&](std::uint32_t i) { return weight * sum[i]; });
}

}  // namespace

struct ImplicitStage::Problem {
  const DynamicSystem& system;
  const StageEquation& equation;
  const StepContext& context;
};

void ImplicitStage::solve(const DynamicSystem& system, const StageEquation& equation, std::span<const vec3> x,
                          std::initializer_list<std::span<const vec3>> guesses, const StepContext& context,
                          std::span<vec3> x1, std::span<vec3> v1, StepReport& report,
                          ImplicitStage* factorised) {
  const Problem p{system, equation, context};
  for (Iterate* each : {&now_, &trial_, &best_})
    for (auto* values : {&each->x, &each->v, &each->residual}) values->resize(system.size());
  for (auto* scratch : {&direction_, &trial_v_, &undamped_, &scratch_}) scratch->resize(system.size());
  if (context.solver.stage_solve == StageSolve::linear)
    solve_once(p, x, *guesses.begin(), report, factorised);
  else
    solve_by_newton(p, guesses, report);
  std::ranges::copy(now_.x, x1.begin());
  std::ranges::copy(now_.v, v1.begin());
}

void ImplicitStage::report(const DynamicSystem& system, const StepContext& context, double weight,
                           double gamma, std::span<const vec3> x1, std::span<const vec3> v1) const {
  if (context.solver.stage_solve == StageSolve::linear) {
    const auto& [x, v, v_hat] = linearised_at_;
    linear_.report(context, system, v, v_hat, weight);
    report_linear_forces(context, system, weight * gamma, x, v, v1, &linear_.contacts());
  } else {
    report_residual(context, weight, now_.residual);
    report_forces(context, system, weight * gamma, x1, v1);
    report_pairs_on_held(context, system, weight);
  }
}

// M (v1 − v̂) = γ_f (f + K (x̂ + γ_v v1 − x) + D (v1 − v)), with f at (x, v).
void ImplicitStage::solve_once(const Problem& p, std::span<const vec3> x, std::span<const vec3> v,
                               StepReport& report, ImplicitStage* factorised) {
  const StageEquation& e = p.equation;
  const std::span<const double> m = p.system.masses();
  linear_.prepare(x.size());
  std::ranges::fill(linear_.dv, vec3(0));
  p.context.for_particles(x.size(),
                          [&](std::size_t i) { scratch_[i] = e.x_hat[i] + e.gamma_v * v[i] - x[i]; });
  linear_.solve(
      p.system, x, v, {e.gamma_f, e.gamma_v}, 1, scratch_,
      [&](std::size_t i, const vec3& f) { return m[i] * (e.v_hat[i] - v[i]) + e.gamma_f * f; }, p.context,
      report, factorised != nullptr ? &factorised->linear_ : nullptr);
  linearised_at_ = {x, v, e.v_hat};
  p.context.for_particles(x.size(), [&](std::size_t i) { now_.v[i] = v[i] + linear_.dv[i]; });
  start_contacts({}, {}, {});
  evaluate(p, now_);
  subtract_impulses(p.context);
  const double scale = std::max(std::abs(e.scale), norm(p.context.pool, linear_.b));
  now_.norm = norm(p.context.pool, now_.residual);
  report.newton_residual = scale > 0 ? now_.norm / scale : 0;
}

void ImplicitStage::solve_by_newton(const Problem& p, Guesses guesses, StepReport& report) {
  const auto& [system, equation, context] = p;
  local_.update(system, context.stop);
  // Later steps may need both, and must not allocate.
  for (auto* matrix : {&exact_, &clamped_})
    if (!*matrix)
      system.assemble_others(context.pool, equation.x_hat, equation.v_hat, {1, 0, 0}, JacobianMode::clamped,
                             have_matrix(system, context, *matrix));

  start_contacts(context.contacts, context.pairs, system.masses());
  const int before = report.newton_iterations;
  begin(p, guesses);
  double scale = std::max(std::abs(equation.scale), now_.norm);
  std::string_view failure;
  if (contacts_.empty()) {
    target_ = context.solver.newton_tolerance * scale;
    last_ = report.newton_iterations + context.solver.newton_max_iterations;
    failure = iterate(p, scale, context.solver.jacobian == JacobianMode::exact, report);
  } else {
    failure = iterate_with_contacts(p, scale, report);
  }
  report.most_newton_iterations = std::max(report.most_newton_iterations, report.newton_iterations - before);
  balance_momentum(p);
  if (!context.reached.empty()) std::ranges::copy(now_.x, context.reached.begin());
  report.newton_residual = scale > 0 ? now_.norm / scale : 0;
  if (report.contact_solves) report.contact_solves->residual = report.newton_residual;
  if (!failure.empty()) report.fail(linear_failure_.empty() ? failure : linear_failure_);
}

void ImplicitStage::begin(const Problem& p, Guesses guesses) {
  const StepContext& context = p.context;
  const auto begin_from = [&](std::span<const vec3> guess, bool anyhow) {
    std::ranges::copy(guess, trial_.v.begin());
    if (const ModeFilter* modes = p.equation.modes) {
      const std::span<const vec3> v_hat = p.equation.v_hat;
      context.for_particles(guess.size(), [&](std::size_t i) { trial_.v[i] -= v_hat[i]; });
      modes->filter_motion(context.pool, trial_.v);
      context.for_particles(guess.size(), [&](std::size_t i) { trial_.v[i] += v_hat[i]; });
    }
    limit_displacement(p, trial_);
    contacts_.put_on(trial_.v);
    evaluate(p, trial_);
    if (anyhow || trial_.norm < now_.norm) accept();
    context.poll();
  };
  for (const std::span<const vec3> guess : guesses) {
    const bool first = guess.data() == guesses.begin()->data();
    if (first || contacts_.empty()) begin_from(guess, first);
  }
}

std::string_view ImplicitStage::iterate(const Problem& p, double scale, bool near, StepReport& report) {
  linear_failure_ = {};
  radius_ = kInfinity;
  best_ = now_;
  std::string_view failure;
  if (!(now_.norm <= target_)) failure = kTooFewIterations;
  if (!std::isfinite(now_.norm)) failure = kNotFinite;
  int without_progress = 0;
  bool stuck = !std::isfinite(now_.norm);
  while (!failure.empty() && !stuck && report.newton_iterations < last_) {
    p.context.poll();
    const double before = now_.norm;
    const bool descending = near;
    const bool moved = descending ? descend(p, report) : leap(p, report);
    if (!descending) {
      const bool closer = moved && now_.norm < best_.norm;
      without_progress = closer ? 0 : without_progress + 1;
      if (closer) {
        best_ = now_;
        radius_ = kFirstRadius * length_;
      }
      near = best_.norm <= kNear * scale || without_progress == kPatience || !moved;
      if (near) now_ = best_;
    }
    // Done, or as close as rounding allows.
    if (now_.norm <= target_ || (descending && now_.norm > before / 2 && is_at_rounding(p))) failure = {};
    stuck = descending && !moved;
    if (!failure.empty() && stuck && report.newton_iterations < last_)
      failure = "Newton's method found no step that reduces the residual; use a smaller h";
  }
  if (best_.norm < now_.norm && !near) now_ = best_;
  return failure;
}

std::string_view ImplicitStage::iterate_with_contacts(const Problem& p, double& scale, StepReport& report) {
  const int last = report.newton_iterations + p.context.solver.newton_max_iterations;
  if (!std::isfinite(now_.norm)) return kNotFinite;
  std::string_view failure = kTooFewIterations;
  double before = kInfinity;
  int failures = 0;
  while (report.newton_iterations < last) {
    if (!find_states(p, scale, before, failures, report)) break;
    const double target = p.context.solver.newton_tolerance * scale;
    if (now_.norm <= target || (now_.norm > before / 2 && is_at_rounding(p))) {
      failure = {};
      break;
    }
    if (failures == kMostFailures) {
      failure = kContactsUnsolved;
      break;
    }
    before = now_.norm;
    contacts_.fix(p.system.projection());
    evaluate(p, now_);
    last_ = std::min(last, report.newton_iterations + kMostWithFixedStates);
    target_ = std::max(kOfTarget * target, kOfNatural * before);
    iterate(p, scale, true, report);
    contacts_.release(p.context.pool, now_.v);
    contacts_.put_on(now_.v);
    evaluate(p, now_);
  }
  subtract_impulses(p.context);
  contacts_.fix(p.system.projection());
  return failure;
}

void ImplicitStage::start_contacts(std::span<NodalContact> contacts, std::span<PairContact> pairs,
                                   std::span<const double> masses) {
  contact_solver_.pairs().start(pairs, [&](std::uint32_t i) { return masses[i]; });
  contacts_.begin(contacts, &contact_solver_.pairs());
}

void ImplicitStage::subtract_impulses(const StepContext& context) {
  context.for_impulses_on_particles(
      [&](std::uint32_t i, const vec3& impulse) { now_.residual[i] -= impulse; });
}

bool ImplicitStage::find_states(const Problem& p, double& scale, double before, int& failures,
                                StepReport& report) {
  const StageEquation& e = p.equation;
  SpringMatrix& A = have_matrix(p.system, p.context, clamped_);
  p.system.assemble(p.context.pool, now_.x, now_.v, {1, e.gamma_f, e.gamma_f * e.gamma_v},
                    JacobianMode::clamped, A);
  p.context.poll();
  p.context.for_particles(scratch_.size(), [&](std::size_t i) { scratch_[i] = -now_.residual[i]; });
  std::ranges::fill(direction_, vec3(0));
  const double target = p.context.solver.newton_tolerance * scale;
  const ContactSolver::Problem problem{
      .A = A,
      .b = scratch_,
      .pins = p.system.projection(),
      .v0 = now_.v,
      .contacts = p.context.contacts,
      .tolerance = std::max(kNearForcing * std::min(now_.norm, before), 0.3 * target),
      .pairs = p.context.pairs};
  const LinearSolverSettings& settings = p.context.solver.linear;
  const ContactSolveReport solve =
      contact_solver_.solve(p.context.solving(), solver_, problem, direction_, settings);
  ++report.newton_iterations;
  add_contact_solve(solve, settings, report);
  if (!solve.solve.converged) ++failures;
  if (before == kInfinity) scale = std::max(solve.scale, kOfForces * e.scale);
  p.context.for_particles(direction_.size(), [&](std::size_t i) { trial_.v[i] = now_.v[i] + direction_[i]; });
  evaluate(p, trial_);
  p.context.poll();
  if (!std::isfinite(trial_.norm)) return false;
  accept();
  return true;
}

bool ImplicitStage::find_direction(const Problem& p, JacobianMode mode, double radius, StepReport& report) {
  if (report.newton_iterations == last_) return false;
  const StageEquation& e = p.equation;
  const SystemCoefficients c{1, e.gamma_f, e.gamma_f * e.gamma_v};
  const bool exact = mode == JacobianMode::exact;
  LinearSolverSettings settings = p.context.solver.linear;
  const bool direct = settings.kind == LinearSolverSettings::Kind::cholesky;
  settings.cg.tolerance =
      std::max({settings.cg.tolerance, exact ? kNearForcing : kFarForcing, 0.3 * target_ / now_.norm});
  settings.cg.radius = radius;

  if (exact) {
    SystemCoefficients with_dampers = c;
    with_dampers.damper_tension = true;
    assemble(p, with_dampers, mode, exact_);
  }
  if (!exact || !direct) assemble(p, c, JacobianMode::clamped, clamped_);
  p.context.poll();

  // A d = −r, solved as A (−d) = r.
  const LinearSystem linear{.A = exact ? *exact_ : *clamped_,
                            .b = now_.residual,
                            .projection = projection(p),
                            .preconditioner = exact && !direct ? &*clamped_ : nullptr,
                            .modes = e.modes};
  const SolveReport solve = solver_.solve(p.context.solving(), linear, direction_, settings);
  length_ = solve.length;
  ++report.newton_iterations;
  add_linear_solve(solve, settings, report);
  if (direct && solve.indefinite) return false;
  if (!solve.indefinite && !solve.at_radius)
    if (const std::string_view failure = linear_failure(solve, settings); !failure.empty())
      linear_failure_ = failure;
  return true;
}

void ImplicitStage::assemble(const Problem& p, const SystemCoefficients& c, JacobianMode mode,
                             std::optional<SpringMatrix>& slot) {
  SpringMatrix& A = have_matrix(p.system, p.context, slot);
  p.system.assemble(p.context.pool, now_.x, now_.v, c, mode, A);
  if (contacts_.are_fixed()) contacts_.add_derivatives(p.context.pool, now_.v, A);
}

bool ImplicitStage::leap(const Problem& p, StepReport& report) {
  if (!find_direction(p, JacobianMode::clamped, kInfinity, report)) return false;
  try_step(p, free_fraction_of_direction(p));
  p.context.poll();
  if (!std::isfinite(trial_.norm)) return false;
  accept();
  return true;
}

bool ImplicitStage::descend(const Problem& p, StepReport& report) {
  if (!find_direction(p, JacobianMode::exact, radius_, report) &&
      !find_direction(p, JacobianMode::clamped, radius_, report))
    return false;
  const double slope = -dot(p, now_.residual, direction_);
  if (!(slope < 0) || !std::isfinite(slope)) return false;
  std::ranges::fill(scratch_, vec3(0));
  take_forces(p.context, p.system, 0, now_.x, scratch_, undamped_);
  p.context.poll();
  const double potential_now = potential(p, now_);

  double alpha = free_fraction_of_direction(p);
  for (int k = 0; k < kTrials; ++k, alpha /= 4) {
    p.context.poll();
    try_step(p, alpha);
    p.context.poll();
    if (!falls(p, potential_now, alpha * slope)) continue;
    accept();
    radius_ = std::max(k == 0 ? radius_ : 0, 2 * alpha * length_);
    return true;
  }
  return false;
}

bool ImplicitStage::falls(const Problem& p, double potential_now, double slope) {
  if (!std::isfinite(trial_.norm)) return false;
  if (trial_.norm <= std::max(target_, kMuchCloser * now_.norm)) return true;
  const double rise = potential(p, trial_) - potential_now + damping_work(p);
  return rise <= kSufficientDecrease * slope ||
         (rise <= kPotentialNoise * std::abs(potential_now) && trial_.norm < now_.norm);
}

void ImplicitStage::try_step(const Problem& p, double alpha) {
  p.context.for_particles(direction_.size(),
                          [&](std::size_t i) { trial_.v[i] = now_.v[i] - alpha * direction_[i]; });
  evaluate(p, trial_);
  if (!(trial_.norm > target_) || !std::isfinite(trial_.norm)) return;
  const double norm = trial_.norm;
  p.context.for_particles(trial_.v.size(), [&](std::size_t i) { trial_v_[i] = trial_.v[i]; });
  const StageEquation& e = p.equation;
  SpringMatrix& A = clamped_ ? *clamped_ : *exact_;  // free until the next direction
  if (!local_.relax(p.system, projection(p), p.context.solving(), e.gamma_f, e.gamma_v, A, trial_.x, trial_.v,
                    trial_.residual))
    return;
  if (e.modes != nullptr) {
    p.context.for_particles(trial_.v.size(), [&](std::size_t i) { trial_.v[i] -= trial_v_[i]; });
    e.modes->filter_motion(p.context.pool, trial_.v);
    p.context.for_particles(trial_.v.size(), [&](std::size_t i) { trial_.v[i] += trial_v_[i]; });
  }
  p.context.for_particles(trial_.v.size(),
                          [&](std::size_t i) { scratch_[i] = e.gamma_v * (trial_.v[i] - now_.v[i]); });
  const bool free = free_fraction(p, now_.x) == 1;
  if (free) evaluate(p, trial_);
  if (free && trial_.norm < norm) return;
  trial_.v.swap(trial_v_);
  evaluate(p, trial_);
}

void ImplicitStage::limit_displacement(const Problem& p, Iterate& guess) {
  constexpr double kMargin = 0.9;  // the first iterate is not at the bound
  const StageEquation& e = p.equation;
  const std::span<const vec3> from = p.context.reached;
  if (!(e.gamma_v > 0) || from.empty()) return;
  p.context.for_particles(guess.x.size(), [&](std::size_t i) {
    guess.x[i] = e.x_hat[i] + e.gamma_v * guess.v[i];
    scratch_[i] = guess.x[i] - from[i];
  });
  const double free = free_fraction(p, from);
  if (!(free < 1)) return;
  p.context.for_particles(guess.x.size(), [&](std::size_t i) {
    guess.x[i] = from[i] + kMargin * free * scratch_[i];
    scratch_[i] = (guess.x[i] - e.x_hat[i]) / e.gamma_v - guess.v[i];
  });
  p.system.projection().filter_motion(scratch_);
  p.context.for_particles(guess.v.size(), [&](std::size_t i) { guess.v[i] += scratch_[i]; });
}

double ImplicitStage::free_fraction(const Problem& p, std::span<const vec3> x) const {
  const StepContact* contact = p.system.contact();
  return contact != nullptr ? contact->free_fraction(p.context.pool, x, scratch_) : 1;
}

double ImplicitStage::free_fraction_of_direction(const Problem& p) {
  p.context.for_particles(direction_.size(),
                          [&](std::size_t i) { scratch_[i] = -p.equation.gamma_v * direction_[i]; });
  return free_fraction(p, now_.x);
}

void ImplicitStage::evaluate(const Problem& p, Iterate& at) {
  const StageEquation& e = p.equation;
  p.context.for_particles(at.x.size(), [&](std::size_t i) { at.x[i] = e.x_hat[i] + e.gamma_v * at.v[i]; });
  residual_at(p, at.x, at.v, at.residual);
  at.norm = contacts_.are_fixed() || contacts_.empty()
                ? std::sqrt(dot(p, at.residual, at.residual))
                : contacts_.natural_residual(p.context.pool, p.system.projection(), at.v, at.residual);
}

void ImplicitStage::residual_at(const Problem& p, std::span<const vec3> x, std::span<const vec3> v,
                                std::span<vec3> r) {
  const StageEquation& e = p.equation;
  const std::span<const double> m = p.system.masses();
  take_forces(p.context, p.system, 0, x, v, r);
  p.context.for_particles(r.size(),
                          [&](std::size_t i) { r[i] = m[i] * (v[i] - e.v_hat[i]) - e.gamma_f * r[i]; });
  if (contacts_.are_fixed()) contacts_.subtract_forces(p.context.pool, v, r);
  projection(p).filter(r);
  if (e.modes != nullptr) e.modes->filter_force(p.context.pool, r);
}

const Projection& ImplicitStage::projection(const Problem& p) const {
  return contacts_.are_fixed() ? contacts_.projection() : p.system.projection();
}

double ImplicitStage::potential(const Problem& p, const Iterate& at) {
  const StageEquation& e = p.equation;
  const std::span<const double> m = p.system.masses();
  const double inertia = sum_over(p.context.pool, at.v.size(), kNormGrain, [&](std::size_t i) {
    const vec3 change = at.v[i] - e.v_hat[i];
    return m[i] / 2 * glm::dot(change, change);
  });
  const double own = inertia + contacts_.potential(p.context.pool, at.v);
  if (e.gamma_v == 0) return own;  // x is fixed
  return own + e.gamma_f / e.gamma_v * p.system.potential_energy(p.context.pool, at.x);
}

// −γ ∫ F·dv from v to v_t, the velocities of now_ and trial_, with the damping force F(u) = f(x, u) − f(x,
// 0), linear in u except for friction.
double ImplicitStage::damping_work(const Problem& p) {
  const StageEquation& e = p.equation;
  const std::span<const double> m = p.system.masses();
  take_forces(p.context, p.system, 0, now_.x, trial_.v, scratch_);
  const double trapezoid = sum_over(p.context.pool, now_.v.size(), kNormGrain, [&](std::size_t i) {
    // γ f(x, v) and the forces of fixed states
    const vec3 at_now = m[i] * (now_.v[i] - e.v_hat[i]) - now_.residual[i];
    const vec3 twice = at_now + e.gamma_f * (scratch_[i] - 2.0 * undamped_[i]);
    return -glm::dot(twice, trial_.v[i] - now_.v[i]) / 2;
  });
  const double damping = trapezoid + contacts_.work(p.context.pool, now_.v, trial_.v) / 2;
  const StepContact* contact = p.system.contact();
  return damping + (contact != nullptr ? e.gamma_f * contact->beyond_trapezoid(now_.v, trial_.v) : 0);
}

double ImplicitStage::dot(const Problem& p, std::span<const vec3> a, std::span<const vec3> b) const {
  return sum_over(p.context.pool, a.size(), kNormGrain, [&](std::size_t i) { return glm::dot(a[i], b[i]); });
}

void ImplicitStage::balance_momentum(const Problem& p) {
  const StageEquation& e = p.equation;
  if (!std::isfinite(now_.norm)) return;
  free_parts_.find(*p.system.pattern(), projection(p));
  if (free_parts_.empty()) return;
  // The stencils and the diagonal at now_; springs do not count.
  SpringMatrix& A = have_matrix(p.system, p.context, clamped_);
  p.system.assemble_others(p.context.pool, now_.x, now_.v, {1, e.gamma_f, e.gamma_f * e.gamma_v},
                           JacobianMode::clamped, A);
  free_parts_.exclude_stencils(A);
  if (free_parts_.empty()) return;
  const SpringPattern& pattern = A.pattern();
  free_parts_.compute_means([&](std::size_t row) { return A.diagonal_by_row()[row]; },
                            [&](std::size_t row) { return -now_.residual[pattern.particle[row]]; });
  const auto translation = [&](std::size_t i) {
    const std::uint32_t row = pattern.row[i];
    return free_parts_.contains_row(row) ? free_parts_.mean(row) : vec3(0.0);
  };
  p.context.for_particles(scratch_.size(), [&](std::size_t i) { scratch_[i] = e.gamma_v * translation(i); });
  if (free_fraction(p, now_.x) < 1) return;
  p.context.for_particles(now_.v.size(), [&](std::size_t i) {
    if (!free_parts_.contains_row(pattern.row[i])) return;
    now_.v[i] += translation(i);
    now_.x[i] = e.x_hat[i] + e.gamma_v * now_.v[i];
    now_.residual[i] += A.diagonal(i) * translation(i);
  });
  now_.norm = std::sqrt(dot(p, now_.residual, now_.residual));
}

bool ImplicitStage::is_at_rounding(const Problem& p) {
  // The change of r if every component of x and v changes by one relative rounding unit.
  constexpr double kUnit = std::numeric_limits<double>::epsilon();
  for (std::size_t i = 0; i < now_.x.size(); ++i) {
    const double sign = i % 2 == 0 ? 1 : -1;
    trial_.x[i] = now_.x[i] * (1 + sign * kUnit);
    trial_.v[i] = now_.v[i] * (1 + sign * kUnit);
  }
  residual_at(p, trial_.x, trial_.v, scratch_);
  for (std::size_t i = 0; i < scratch_.size(); ++i) scratch_[i] -= now_.residual[i];
  return now_.norm <= kNoiseFactor * std::sqrt(dot(p, scratch_, scratch_));
}

}  // namespace clothlab
