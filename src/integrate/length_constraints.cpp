// SPDX-License-Identifier: MIT
#include "integrate/length_constraints.h"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <limits>
#include <string_view>

#include "integrate/solve_outcome.h"
#include "integrate/step_ends.h"

namespace clothlab {

namespace {

constexpr std::size_t kEdgeGrain = 2048;
constexpr std::size_t kParticleGrain = 1024;

constexpr double kTolerance = 1e-12;  // of lengths and rates, relative
// of one linear solve; the next one solves for the remainder
constexpr double kSolveTolerance = 1e-3;
// The same of fast projection: the error of a solve leaves the shortest displacement.
constexpr double kFastTolerance = 1e-6;
// Below this ratio of gradient to remainder of ‖c + By‖², the remainder is the least-squares remainder.
constexpr double kLeastSquares = 1e-9;
// The solve for velocities may use this multiple of the iterations.
constexpr int kVelocityShare = 2;
constexpr int kHalvings = 5;
// So many successive steps that leave more than this share of the error end the iteration. With three, fast
// projection leaves rods of a nonmanifold mesh four times as long.
constexpr double kSlow = 0.8;
constexpr int kSlowSteps = 3, kSlowFastSteps = 8;
constexpr double kApproachTime = 0.3;  // τ [s]
// τ [s] of compliant rods. Their error carries their tension, so it must not vanish at once. With a shorter
// τ, cloth that enters strained gains energy; with a longer one, a swinging sheet of 64×64 does.
constexpr double kSoftTime = 0.004;
// ε of the positions. With 2·10⁻⁴ one linearisation is no longer enough: a sheet of 64×64 at half the
// stability limit of its bending springs gains energy.
constexpr double kSoftness = 1e-3;

constexpr std::string_view kContradiction =
    "not all stretch springs could keep their lengths, and the best compromise found was used; use a method "
    "with springs";
constexpr std::string_view kMoving =
    "the velocities do not keep all stretch springs at their lengths; use a method with springs";
constexpr std::string_view kInContact =
    "rods are compliant in steps that may touch a surface (see the length error); use a method with springs";
constexpr std::string_view kCompliant =
    "the rods of this mesh contradict each other and are compliant (see the length error); use a method with "
    "springs";

// Beyond this, the secant update is nearly singular.
constexpr double kLargestTurn = 0.9;

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

double largest_of(std::span<const vec3> a) {
  double largest = 0;
  for (const vec3& v : a)
    for (int c = 0; c < 3; ++c) largest = std::max(largest, std::abs(v[c]));
  return largest;
}

}  // namespace

void LengthConstraints::update(const DynamicSystem& system, const StepContext& context) {
  if (std::shared_ptr<const SpringPattern> pattern = system.pattern(); pattern != pattern_) {
    pattern_.reset();  // until all is done
    CancelPoint cancel(context.stop);
    list_springs(system, cancel);
    pattern_ = std::move(pattern);
  }
  projection_ = &system.projection();
  std::ranges::transform(system.masses(), root_.begin(), [](double m) { return 1 / std::sqrt(m); });
  std::ranges::fill(entry_, 0u);
  std::uint32_t index = 0;
  for (const Projection::Entry& e : projection_->entries()) entry_[e.particle] = ++index;
  for (Edge& e : edges_) e.target = e.length;
  std::ranges::fill(multiplier_, 0.0);
  mixing_ = 0;  // of a stopped solve
  if (are_compliant() || !context.contacts.empty()) have_matrix(system, context, matrix_);
  context.poll();
}

bool LengthConstraints::are_compliant() const {
  return root_.size() >= kMultigridParticles && edges_.size() > 2 * root_.size();
}

void LengthConstraints::approach(std::span<const vec3> x0, double h) {
  const double part = are_compliant() ? (h / kSoftTime) * (h / kSoftTime) : std::abs(h) / kApproachTime;
  const double left = std::max(0.0, 1 - part), enough = rounding_of_lengths(x0);
  for (Edge& e : edges_) {
    const double error = glm::length(x0[e.i] - x0[e.j]) - e.length;
    if (std::abs(error) > enough) e.target = e.length + left * error;
  }
}

double LengthConstraints::rounding_of_lengths(std::span<const vec3> x) const {
  return kTolerance * longest_ + 8 * kEpsilon * largest_of(x);
}

void LengthConstraints::list_springs(const DynamicSystem& system, CancelPoint& cancel) {
  const std::size_t n = system.size();
  edges_.clear();
  longest_ = 0;
  for (const ElasticElement e : system.elements()) {
    cancel.pass();
    if (!e.stretch) continue;
    edges_.push_back({e.i, e.j, e.rest_length, e.rest_length, vec3(0.0), 0});
    longest_ = std::max(longest_, e.rest_length);
  }
  incident_.fill(n, [&](const auto& add) {
    for (std::uint32_t e = 0; e < edges_.size(); ++e) {
      cancel.pass();
      add(edges_[e].i, {e, 1.0});
      add(edges_[e].j, {e, -1.0});
    }
  });
  for (auto* by_edge : {&raw_, &error_, &r_, &q_, &d_, &z_, &multiplier_, &force_})
    by_edge->assign(edges_.size(), 0);
  for (auto* by_particle : {&s_, &p_, &y_, &step_, &trial_}) by_particle->assign(n, vec3(0.0));
  for (std::vector<vec3>& step : memory_) step.assign(n, vec3(0.0));
  for (std::vector<double>& z : memory_z_) z.assign(edges_.size(), 0);
  root_.assign(n, 0);
  entry_.assign(n, 0);
}

vec3 LengthConstraints::free(std::size_t particle, const vec3& a) const {
  const std::uint32_t entry = entry_[particle];
  return entry == 0 ? a : projection_->entries()[entry - 1].S * a;
}

void LengthConstraints::linearise(const StepContext& context, std::span<const vec3> x) {
  for_each(context.pool, edges_.size(), kEdgeGrain, [&](std::size_t k) {
    Edge& e = edges_[k];
    const vec3 x_ij = x[e.i] - x[e.j];
    const double l = glm::length(x_ij);
    const vec3 n = l > 0 ? x_ij / l : vec3(0.0);
    const double w =
        glm::dot(n, root_[e.i] * root_[e.i] * free(e.i, n) + root_[e.j] * root_[e.j] * free(e.j, n));
    e.scale = w > 0 && std::isfinite(w) ? 1 / std::sqrt(w) : 0;
    e.row = e.scale > 0 ? e.scale * n : vec3(0.0);
  });
  context.poll();
}

LengthConstraints::Remainder LengthConstraints::summary(WorkerPool& pool) const {
  Remainder out;
  out.norm = std::sqrt(
      sum_over(pool, edges_.size(), kEdgeGrain, [&](std::size_t e) { return error_[e] * error_[e]; }));
  out.largest = largest_error();
  return out;
}

double LengthConstraints::largest_error() const {
  double largest = 0;
  for (const double error : raw_) {
    if (!(std::abs(error) <= largest)) largest = std::abs(error);  // keeps NaN
  }
  return largest;
}

LengthConstraints::Remainder LengthConstraints::measure_lengths(WorkerPool& pool, std::span<const vec3> x) {
  for_each(pool, edges_.size(), kEdgeGrain, [&](std::size_t k) {
    const Edge& e = edges_[k];
    raw_[k] = e.scale > 0 ? glm::length(x[e.i] - x[e.j]) - e.target : 0.0;
    error_[k] = e.scale * raw_[k];
  });
  return summary(pool);
}

LengthConstraints::Remainder LengthConstraints::measure_rates(WorkerPool& pool, std::span<const vec3> v) {
  for_each(pool, edges_.size(), kEdgeGrain, [&](std::size_t k) {
    const Edge& e = edges_[k];
    error_[k] = glm::dot(e.row, v[e.i] - v[e.j]);
    raw_[k] = e.scale > 0 ? error_[k] / e.scale : 0.0;
  });
  return summary(pool);
}

double LengthConstraints::transpose(WorkerPool& pool) {
  return sum_over(pool, s_.size(), kParticleGrain, [&](std::size_t i) {
    vec3 s(0.0);
    for (const auto& [edge, sign] : incident_[i]) s += sign * r_[edge] * edges_[edge].row;
    s_[i] = root_[i] * free(i, s);
    return glm::dot(s_[i], s_[i]);
  });
}

double LengthConstraints::gradient(WorkerPool& pool) {
  const double s_dot_s = transpose(pool);
  if (!(mixing_ > 0)) return s_dot_s;
  return s_dot_s + mixing_ * sum_over(pool, edges_.size(), kEdgeGrain, [&](std::size_t k) {
                     const double r = edges_[k].scale * r_[k];
                     return r * r;
                   });
}

void LengthConstraints::solve(const StepContext& context, double tolerance, int max_iterations,
                              StepReport& report) {
  WorkerPool& pool = context.pool;
  // Letters as in the literature: minimise ‖b − B y‖ with b = −error, r = b − B y, s = Bᵀ r.
  const double b_dot_b = sum_over(pool, edges_.size(), kEdgeGrain, [&](std::size_t e) {
    r_[e] = -error_[e];
    return r_[e] * r_[e];
  });
  double r_dot_r = b_dot_b, s_dot_s = gradient(pool);
  std::ranges::fill(y_, vec3(0.0));
  p_.assign(s_.begin(), s_.end());
  for (auto* by_edge : {&d_, &z_}) std::ranges::fill(*by_edge, 0.0);

  // CGLS: conjugate gradients on BᵀB y = Bᵀb with products of B and Bᵀ only. y = Bᵀ z and p = Bᵀ d. With
  // mixing, B has a further column D √(c/h) for each spring.
  int iterations = 0;
  double beta = 0;
  while (iterations < max_iterations && r_dot_r > tolerance * tolerance * b_dot_b &&
         s_dot_s > kLeastSquares * kLeastSquares * r_dot_r) {
    context.poll();
    // q = B p, d = r + β d
    const double q_dot_q = sum_over(pool, edges_.size(), kEdgeGrain, [&](std::size_t k) {
      const Edge& e = edges_[k];
      q_[k] = glm::dot(e.row, root_[e.i] * p_[e.i] - root_[e.j] * p_[e.j]);
      d_[k] = r_[k] + beta * d_[k];
      q_[k] += mixing_ * e.scale * e.scale * d_[k];
      return q_[k] * q_[k];
    });
    if (!(q_dot_q > 0)) break;  // or not a number
    // r −= α q, z += α d, s = Bᵀ r
    const double alpha = s_dot_s / q_dot_q;
    r_dot_r = sum_over(pool, edges_.size(), kEdgeGrain, [&](std::size_t k) {
      r_[k] -= alpha * q_[k];
      z_[k] += alpha * d_[k];
      return r_[k] * r_[k];
    });
    const double next = gradient(pool);
    beta = next / s_dot_s;
    s_dot_s = next;
    // y += α p, p = s + β p
    for_each(pool, p_.size(), kParticleGrain, [&](std::size_t i) {
      y_[i] += alpha * p_[i];
      p_[i] = s_[i] + beta * p_[i];
    });
    ++iterations;
  }
  // Contradicting lengths leave the part of r that no step changes, with Bᵀ r = 0. d has summed it up in z.
  if (r_dot_r > tolerance * tolerance * b_dot_b && mixing_ == 0) {
    const double part =
        sum_over(pool, edges_.size(), kEdgeGrain, [&](std::size_t e) { return z_[e] * r_[e]; }) / r_dot_r;
    for (std::size_t e = 0; e < z_.size(); ++e) z_[e] -= part * r_[e];
  }
  // The step M^−½ y.
  for (std::size_t i = 0; i < y_.size(); ++i) step_[i] = root_[i] * y_[i];
  report.linear_iterations += iterations;
  report.linear_residual = b_dot_b > 0 ? std::sqrt(r_dot_r / b_dot_b) : 0;
}

double LengthConstraints::dot(WorkerPool& pool, std::span<const vec3> a, std::span<const vec3> b) const {
  return sum_over(pool, a.size(), kParticleGrain,
                  [&](std::size_t i) { return glm::dot(a[i], b[i]) / (root_[i] * root_[i]); });
}

void LengthConstraints::turn_step(WorkerPool& pool) {
  const auto add = [&](double factor, std::span<const vec3> to_step, std::span<const double> to_z) {
    for (std::size_t i = 0; i < step_.size(); ++i) step_[i] += factor * to_step[i];
    for (std::size_t e = 0; e < z_.size(); ++e) z_[e] += factor * to_z[e];
  };
  double last = 0;
  for (std::size_t k = 0; k < steps_; ++k) {
    last = dot(pool, step_, memory_[k]) / dot(pool, memory_[k], memory_[k]);
    if (k + 1 < steps_) add(last, memory_[k + 1], memory_z_[k + 1]);
  }
  if (steps_ == kMemory || last > kLargestTurn) {
    steps_ = 0;
  } else if (steps_ > 0) {
    add(last / (1 - last), step_, z_);
  }
  std::ranges::copy(z_, memory_z_[steps_].begin());
  std::ranges::copy(step_, memory_[steps_++].begin());
}

void LengthConstraints::project_positions(const StepContext& context, Linearisation linearisation,
                                          std::span<vec3> x, std::span<vec3> push, StepReport& report) {
  const bool at_iterates = linearisation == Linearisation::at_iterates;
  if (at_iterates) linearise(context, x);
  if (are_compliant()) return soften_positions(context, x, push, report);
  std::ranges::fill(push, vec3(0.0));
  std::ranges::fill(multiplier_, 0.0);
  const double enough = rounding_of_lengths(x);
  Remainder left = measure_lengths(context.pool, x);
  steps_ = 0;
  const int most_slow = at_iterates ? kSlowFastSteps : kSlowSteps;
  for (int slow = 0; left.largest > enough && slow < most_slow;) {
    if (report.newton_iterations == context.solver.newton_max_iterations) break;
    // Newton's method squares the error, so its solves become more accurate with it.
    const double tolerance =
        at_iterates ? std::min(kFastTolerance, left.largest / longest_) : kSolveTolerance;
    solve(context, tolerance, context.solver.linear.cg.max_iterations, report);
    ++report.newton_iterations;
    if (!at_iterates) turn_step(context.pool);
    double share = 1;
    Remainder next;
    for (int halving = 0;; ++halving, share /= 2) {
      for (std::size_t i = 0; i < x.size(); ++i) trial_[i] = x[i] + share * step_[i];
      next = measure_lengths(context.pool, trial_);
      context.poll();
      if (next.norm < left.norm || halving == kHalvings) break;
    }
    if (!(next.norm < left.norm)) break;
    if (share < 1) steps_ = 0;
    slow = next.norm > kSlow * left.norm ? slow + 1 : 0;
    left = next;
    std::ranges::copy(trial_, x.begin());
    for (std::size_t i = 0; i < x.size(); ++i) push[i] += share * step_[i];
    for (std::size_t e = 0; e < z_.size(); ++e) multiplier_[e] -= share * edges_[e].scale * z_[e];
    if (!at_iterates) continue;
    linearise(context, x);
    left = measure_lengths(context.pool, x);
  }
  context.poll();
  report_lengths(left.largest, enough, report);
}

void LengthConstraints::report_lengths(double largest, double enough, StepReport& report) const {
  report.newton_residual = longest_ > 0 ? largest / longest_ : largest;
  if (largest <= enough) return;
  report.fail(are_compliant() ? kCompliant : kContradiction);
}

void LengthConstraints::project_velocities(const StepContext& context, std::span<vec3> v, double softness,
                                           StepReport& report) {
  if (are_compliant()) return soften_velocities(context, v, softness, report);
  const double enough = kTolerance * largest_of(v);
  int iterations_left = kVelocityShare * context.solver.linear.cg.max_iterations;
  Remainder left = measure_rates(context.pool, v);
  while (left.largest > enough && iterations_left > 0) {
    const int before = report.linear_iterations;
    solve(context, kTolerance, iterations_left, report);
    iterations_left -= std::max(1, report.linear_iterations - before);
    for (std::size_t i = 0; i < v.size(); ++i) v[i] += step_[i];
    const Remainder next = measure_rates(context.pool, v);
    if (!(next.norm < kSlow * left.norm)) iterations_left = 0;
    left = next;
  }
  if (!(left.largest <= enough) && report.converged) report.fail(kMoving);
}

void LengthConstraints::stabilise_velocities(const StepContext& context, std::span<const vec3> x,
                                             std::span<vec3> v, double rate, double mixing,
                                             StepReport& report) {
  for_each(context.pool, edges_.size(), kEdgeGrain, [&](std::size_t k) {
    const Edge& e = edges_[k];
    const double error = e.scale > 0 ? glm::length(x[e.i] - x[e.j]) - e.length : 0.0;
    error_[k] = e.scale * rate * error + glm::dot(e.row, v[e.i] - v[e.j]);
  });
  mixing_ = mixing;
  solve(context, kTolerance, context.solver.linear.cg.max_iterations, report);
  mixing_ = 0;
  for (std::size_t i = 0; i < v.size(); ++i) v[i] += step_[i];
  for (std::size_t k = 0; k < edges_.size(); ++k) multiplier_[k] = -edges_[k].scale * z_[k];
  if (report.linear_residual <= kTolerance) return;
  report.fail(kMoving);
}

void LengthConstraints::assemble(const StepContext& context, double softness, std::span<const vec3> x) {
  SpringMatrix& a = *matrix_;
  a.clear_stencils();  // of a stopped solve
  context.for_particles(root_.size(),
                        [&](std::size_t i) { a.diagonal(i) = softness / (root_[i] * root_[i]); });
  for_each(context.pool, edges_.size(), kEdgeGrain, [&](std::size_t k) {
    const Edge& e = edges_[k];
    const double l = x.empty() ? 0 : glm::length(x[e.i] - x[e.j]);
    const double taut = l > e.target ? 1 - e.target / l : 0.0;
    // The stretch springs are the first of a matrix.
    a.spring(k) = {std::sqrt(1 - taut) * e.row, taut * e.scale * e.scale};
    r_[k] = -error_[k];
  });
  transpose(context.pool);
  context.for_particles(p_.size(), [&](std::size_t i) { p_[i] = s_[i] / root_[i]; });
}

void LengthConstraints::measure_soft_multipliers(const StepContext& context) {
  for_each(context.pool, edges_.size(), kEdgeGrain, [&](std::size_t k) {
    const Edge& e = edges_[k];
    multiplier_[k] = e.scale * (error_[k] + glm::dot(e.row, step_[e.i] - step_[e.j])) / kSoftness;
  });
}

std::span<const double> LengthConstraints::forces(double factor) {
  std::ranges::transform(multiplier_, force_.begin(), [&](double of_step) { return factor * of_step; });
  return force_;
}

void LengthConstraints::soften_positions(const StepContext& context, std::span<vec3> x, std::span<vec3> push,
                                         StepReport& report) {
  linearise(context, x);
  measure_lengths(context.pool, x);
  assemble(context, kSoftness, x);
  solve_linear(solver_, {*matrix_, p_, *projection_}, context, false, step_, report);
  measure_soft_multipliers(context);
  ++report.newton_iterations;
  std::ranges::copy(step_, push.begin());
  for (std::size_t i = 0; i < x.size(); ++i) x[i] += push[i];
  const double enough = rounding_of_lengths(x);
  report_lengths(measure_lengths(context.pool, x).largest, enough, report);
}

void LengthConstraints::project_onto_contacts(const StepContext& context, double h, std::span<const vec3> x0,
                                              std::span<vec3> x1, StepReport& report) {
  linearise(context, x1);
  measure_lengths(context.pool, x1);
  assemble(context, kSoftness, x1);
  for (auto* scratch : {&displacement_, &forces_}) scratch->resize(x1.size());
  context.for_particles(x1.size(), [&](std::size_t i) {
    displacement_[i] = x1[i] - x0[i];
    forces_[i] = p_[i] + matrix_->diagonal(i) * displacement_[i];
  });
  // The equation is ε M δx + … = ε h ρ.
  const double unit = kSoftness * h;
  for (NodalContact& contact : context.contacts) {
    contact.refer_to(vec3(0), 1);
    contact.impulse *= unit;
  }
  std::ranges::fill(step_, vec3(0.0));
  solve_with_contacts(contact_solver_, solver_,
                      {*matrix_, p_, *projection_, displacement_, context.contacts, 0, forces_}, context,
                      step_, report);
  for (NodalContact& contact : context.contacts) contact.impulse /= unit;
  measure_soft_multipliers(context);
  ++report.newton_iterations;
  for (std::size_t i = 0; i < x1.size(); ++i) x1[i] += step_[i];
  report.newton_residual = measure_lengths(context.pool, x1).largest / longest_;
  if (!report.converged || !(report.newton_residual > kTolerance)) return;
  report.fail(kInContact);
}

void LengthConstraints::soften_velocities(const StepContext& context, std::span<vec3> v, double softness,
                                          StepReport& report) {
  const double enough = kTolerance * largest_of(v);
  if (measure_rates(context.pool, v).largest <= enough) return;
  assemble(context, softness);
  solve_linear(solver_, {*matrix_, p_, *projection_}, context, false, step_, report);
  // An inexact solve leaves velocities along which rods are soft. Only the part of the step that lowers the
  // kinetic energy is used.
  const double slope = dot(context.pool, v, step_), square = dot(context.pool, step_, step_);
  const double share = square > 0 ? std::clamp(-slope / square, 0.0, 1.0) : 0.0;
  for (std::size_t i = 0; i < v.size(); ++i) v[i] += share * step_[i];
  if (report.converged && measure_rates(context.pool, v).largest > enough) report.fail(kCompliant);
}

double LengthConstraints::enter(const DynamicSystem& system, State& state, double h,
                                const StepContext& context, StepReport& report) {
  std::vector<vec3>& x = state.x;
  prescribe_velocity(system.projection(), x, h, state.v);
  update(system, context);
  entered_from_ = x;
  push_.resize(x.size());
  linearise(context, x);
  double left = measure_lengths(context.pool, x).norm;
  for (bool nearer = true; nearer;) {
    StepReport projection;  // only of these iterations
    project_positions(context, Linearisation::as_linearised, x, push_, projection);
    linearise(context, x);
    const double next = measure_lengths(context.pool, x).norm;
    nearer = !projection.converged && next < kSlow * left;
    left = next;
  }
  project_velocities(context, state.v, kSoftness, report);
  double squared = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const vec3 moved = x[i] - entered_from_[i];
    squared = std::max(squared, glm::dot(moved, moved));
  }
  return std::sqrt(squared);
}

double LengthConstraints::violation(WorkerPool& pool, std::span<const vec3> x) {
  for_each(pool, edges_.size(), kEdgeGrain,
           [&](std::size_t k) { raw_[k] = glm::length(x[edges_[k].i] - x[edges_[k].j]) - edges_[k].length; });
  return largest_error();
}

void LengthConstraints::sweep(std::span<vec3> x) {
  for (std::size_t k = 0; k < edges_.size(); ++k) {
    const Edge& e = edges_[k];
    const vec3 x_ij = x[e.i] - x[e.j];
    const double l = glm::length(x_ij);
    if (!(l > 0)) continue;
    const vec3 n = x_ij / l;
    const vec3 at_i = root_[e.i] * root_[e.i] * free(e.i, n), at_j = root_[e.j] * root_[e.j] * free(e.j, n);
    const double w = glm::dot(n, at_i + at_j);
    if (!(w > 0)) continue;
    const double lambda = (l - e.length) / w;
    multiplier_[k] += lambda;
    x[e.i] -= lambda * at_i;
    x[e.j] += lambda * at_j;
  }
}

}  // namespace clothlab
