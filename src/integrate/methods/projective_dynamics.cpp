// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cmath>
#include <glm/geometric.hpp>
#include <limits>
#include <optional>
#include <vector>

#include "dynamics/smooth_friction.h"
#include "integrate/growth.h"
#include "integrate/integrator_info.h"
#include "integrate/solve_outcome.h"
#include "integrate/spring_colouring.h"
#include "integrate/stage_contacts.h"
#include "integrate/step_ends.h"
#include "linalg/cholesky_factor.h"
#include "linalg/contact_solver.h"
#include "linalg/loops.h"
#include "linalg/vector_basis.h"

namespace clothlab {
namespace {

constexpr std::string_view kStepsNotConverged =
    "the local and global steps did not reach their tolerance; use more of them, a smaller h or a looser "
    "Newton tolerance";

// Tolerance of a global step with contacts; the next one continues it.
constexpr double kContactTolerance = 0.1;

constexpr std::string_view kNoFactor = "the matrix of the global steps was not positive definite";

// Assigns; returns true if the value changed.
template <class Value>
bool replace(Value& old, const Value& value) {
  if (old == value) return false;
  old = value;
  return true;
}

/// Projective dynamics [Bouaziz 2014, (3), (8), (10); for springs Liu 2013]. With G x = x_i − x_j of a
/// spring, a step minimises ½ ‖x − y‖²_M/h² + Σ k/2 ‖G x − p‖² over x and all p of length L, alternately:
///
///   local    p = L d/‖d‖, d = G x
///   global   (M/h² + Σ k GᵀG) x = M/h² y + Σ k Gᵀp,   y = x0 + h v0 + h² M⁻¹ f_ext;
///
/// v1 = (x1 − x0)/h. The matrix does not depend on x: one Cholesky factor serves while h, k, masses, damping,
/// pins and the grabbed point stay the same. At convergence a step is a step of backward Euler.
///
/// Damping is isotropic for every damping model: k_d adds (k_d/h) GᵀG to the matrix and (k_d/h) GᵀG x0 to
/// the right-hand side, damping by mass β adds (β/h) M and (β/h) M x0; the stiffness part of Rayleigh's
/// damping is omitted. The grab is implicit: its point q = Σ wᵢ xᵢ gets a term with its largest stiffness k
/// + c/h in the matrix, and the difference to its saturating force on the right.
///
/// With contacts of particles a global step also satisfies Coulomb's law, for the velocity dx/h. It is solved
/// by ContactSolver, because the matrix of friction changes in every solve [Ly 2020].
///
/// A contact by penalty adds ½ k max(0, d̂ − g)², and if it was active at the start also damping along n and
/// friction with the load at the start. All are implicit, with n and the surface of the start. These terms
/// have directions and change often, so a factor of their matrix would not last: steps with contacts use
/// conjugate gradients.
///
/// The global step is solved for the change of x. Its right-hand side is −r, r the gradient of the objective,
/// and rounding and tolerances are relative to the remaining change. No solve needs refinement, because the
/// next one continues from its residual. The matrix has one number per pair of particles, and so has its
/// factor if every constrained particle is constrained in all directions.
class ProjectiveDynamics final : public Integrator {
 public:
  /// `values` are those of kProjectiveDynamicsParameters: the number of iterations, fewer if ‖r‖ reaches
  /// the tolerance · max(‖h f0‖, ‖r at the start‖) (r in N·s, as for Newton's method) or the level of
  /// rounding. With tolerance 0 their number is fixed. In both cases the step has converged if this is true
  /// for `newton_tolerance`.
  explicit ProjectiveDynamics(const IntegratorParameters& values)
      : iterations_(static_cast<int>(values.at(0))), tolerance_(values.at(1)) {}

 private:
  // Members with a context throw Cancelled.
  void take_step(const DynamicSystem& system, State& state, double h, const StepContext& context,
                 StepReport& report) override;
  /// Prepares scratch memory, the colouring and the matrix.
  void prepare(const DynamicSystem& system, double h, const StepContext& context);
  /// Updates a_ and held_; true if they have changed since the last step.
  bool update_matrix(const DynamicSystem& system, double h, WorkerPool& pool);
  /// Computes row_sum_ of a_.
  void sum_rows(const ElasticElements& springs);
  bool update_springs(const ElasticElements& springs, double h, WorkerPool& pool);
  bool update_inertia(const DynamicSystem& system, double h);
  bool update_grab(const std::optional<GrabSpring>& grab, double h);
  bool update_held(const Projection& projection);

  /// Factorises a_ if it has changed.
  void factorise(const DynamicSystem& system, const StepContext& context, StepReport& report);

  /// x_ := x0 + dx_, residual_ := −S r h² [kg·m]
  void evaluate(const DynamicSystem& system, std::span<const vec3> x0, double h, const StepContext& context);
  /// The force of a contact after the change dx_, times h² [kg·m]: the part with a potential, the remainder,
  /// and the negative derivative of the remainder [kg].
  struct Pressed {
    vec3 push, lost;
    mat3 drag;
  };
  Pressed press(const ContactElement& contact, double h) const;
  /// dx_ += the solution of the global step with contacts by penalty.
  void solve_with_contacts(const DynamicSystem& system, double h, const StepContext& context,
                           StepReport& report);
  /// The same with Coulomb's law at the contacts of particles. `residual`: the current one [kg·m].
  void solve_with_coulomb(const DynamicSystem& system, double h, double residual, const StepContext& context,
                          StepReport& report);
  /// ‖residual_‖ [kg·m]; with contacts of particles the part that no impulse of theirs balances.
  double size_of_residual(double h, const StepContext& context);
  /// Uses the unfiltered residual, which `evaluate` left in the ledger's scratch memory.
  void report_impulses(const DynamicSystem& system, const State& state, double h, const StepContext& context);
  /// True if the norm is within the target or the rounding.
  bool is_small(double residual, double target, double h) const;
  /// Bound of the residual's norm from the rounding of x_.
  double rounding_noise(double h) const;

  int iterations_;
  double tolerance_;
  SpringColouring colouring_;
  /// One spring of a local step.
  struct LocalSpring {
    std::uint32_t i = 0, j = 0;
    double rest_length = 0;
    double stiffness = 0, damping = 0;  // h² k, h k_d [kg]

    bool operator==(const LocalSpring&) const = default;
  };
  std::vector<LocalSpring> locals_;  // in the order of the colouring
  CholeskyFactor factor_;            // of a_ and held_
  std::optional<SpringMatrix> a_;    // h² times the matrix: its diagonal is m (1 + hβ), the springs' b is
                                     // h² k + h k_d
  std::vector<double> row_sum_;      // of the absolute values in a row of a_
  ContactElements contacts_;
  std::vector<bool> active_;  // contacts that were active in this step
  LinearSolver solver_;       // of the matrix with contacts
  ContactSolver contact_solver_;
  StageContacts touching_;
  std::vector<vec3> change_, impulse_;
  std::vector<SpringMatrix::Stencil> stencils_;  // of the grab, then of the contacts
  bool grabbed_ = false;
  std::vector<Projection::Entry> held_;  // of the factor
  std::vector<vec3> push_;               // M h v0 + h² f_ext
  std::vector<vec3> dx_;                 // x − x0
  std::vector<vec3> x_;
  std::vector<vec3> v_;
  std::vector<vec3> residual_;
};

void ProjectiveDynamics::prepare(const DynamicSystem& system, double h, const StepContext& context) {
  for (auto* scratch : {&push_, &dx_, &x_, &residual_}) scratch->resize(system.size());
  colouring_.update(system, context.stop);
  context.poll();
  have_matrix(system, context, a_);
  if (update_matrix(system, h, context.pool)) {
    factor_.forget();
    row_sum_.clear();
  }
  context.poll();
  if (row_sum_.empty()) sum_rows(system.elements());
  context.poll();
}

void ProjectiveDynamics::take_step(const DynamicSystem& system, State& state, double h,
                                   const StepContext& context, StepReport& report) {
  const std::size_t n = system.size();
  prepare(system, h, context);

  // The scale of the residual, then h (M v0 + h f) with the forces other than springs.
  const std::span<const double> m = system.masses();
  system.force(context.pool, state.x, prescribed_velocity(system.projection(), state.x, h, state.v, v_),
               push_);
  context.poll();
  system.projection().filter(push_);
  double scale = h * h * norm(context.pool, push_);  // of the residual
  system.force(context.pool, state.x, state.v, push_, SpringForces::rest);
  v_.resize(n);
  for (std::size_t i = 0; i < n; ++i) v_[i] = state.v[i] + h / m[i] * push_[i];
  const StepContact* contact = system.contact();
  contacts_ = contact != nullptr ? contact->elements(context.pool, state.x, v_, h, 0) : ContactElements{};
  active_.assign(contacts_.all.size(), false);
  // On constrained particles, report_impulses includes these.
  if (context.ledger != nullptr)
    system.add_impulses(
        context.pool,
        {.weight = h, .x = state.x, .v = state.v, .v_end = state.v, .springs = SpringForces::rest},
        context.ledger->impulses());
  for (std::size_t i = 0; i < n; ++i) push_[i] = h * (m[i] * state.v[i] + h * push_[i]);

  // The guess x0 + h v0 is the solution of a cloth at rest or in free flight.
  v_ = state.v;
  prescribe_velocity(system.projection(), state.x, h, v_);
  for (std::size_t i = 0; i < n; ++i) dx_[i] = h * v_[i];

  touching_.begin(context.contacts);
  begin_contacts(context, h, h, state.x, state.x);

  // Alternate local steps and global solves.
  double residual = 0;
  for (int k = 0;; ++k) {
    evaluate(system, state.x, h, context);
    const bool last = k == iterations_;
    if (k == 0 || last || tolerance_ > 0 || !touching_.empty()) residual = size_of_residual(h, context);
    if (k == 0) scale = std::max(scale, residual);
    if (last || (tolerance_ > 0 && is_small(residual, tolerance_ * scale, h))) break;
    context.poll();
    if (!contacts_.all.empty()) {
      solve_with_contacts(system, h, context, report);
      continue;
    }
    if (!touching_.empty()) {
      solve_with_coulomb(system, h, residual, context, report);
      continue;
    }
    factorise(system, context, report);
    if (!report.reason.empty()) break;
    factor_.add_solution(residual_, dx_, context.stop);
  }
  report.newton_residual = scale > 0 ? residual / scale : 0;
  if (report.reason.empty() && !is_small(residual, context.solver.newton_tolerance * scale, h))
    report.reason = kStepsNotConverged;
  report.converged = report.reason.empty();
  report_impulses(system, state, h, context);

  for (std::size_t i = 0; i < n; ++i) {
    x_[i] = state.x[i] + dx_[i];
    v_[i] = dx_[i] / h;
  }
  finish_step(system, context, h, x_, v_, state);
}

void ProjectiveDynamics::factorise(const DynamicSystem& system, const StepContext& context,
                                   StepReport& report) {
  if (factor_.holds(*a_)) return;
  factor_.analyse(*a_, context.stop);
  if (!factor_.compute(context.solving(), {*a_, residual_, system.projection()})) report.reason = kNoFactor;
  report.factorised = true;
}

// The term of a contact that was active once in a step stays in the matrix; otherwise contacts that switch on
// and off would prevent convergence.
void ProjectiveDynamics::solve_with_contacts(const DynamicSystem& system, double h,
                                             const StepContext& context, StepReport& report) {
  stencils_.resize(grabbed_ ? 1 : 0);
  for (std::size_t c = 0; c < contacts_.all.size(); ++c) {
    const ContactElement& contact = contacts_.all[c];
    const Pressed pressed = press(contact, h);
    active_[c] = active_[c] || pressed.push != vec3(0.0);
    mat3 block = pressed.drag;
    if (active_[c]) block += h * h * contacts_.stiffness * glm::outerProduct(contact.normal, contact.normal);
    if (block != mat3(0.0)) stencils_.push_back({contact.particle, contact.weight, contact.count, block});
  }
  a_->clear_stencils();
  a_->add_stencils(stencils_);
  LinearSolverSettings settings;
  settings.cg.tolerance = kContactTolerance;
  change_.resize(system.size());
  const SolveReport solve =
      solver_.solve(context.solving(), {*a_, residual_, system.projection()}, change_, settings);
  add_linear_solve(solve, settings, report);
  context.poll();
  context.for_particles(system.size(), [&](std::size_t i) { dx_[i] += change_[i]; });
}

double ProjectiveDynamics::size_of_residual(double h, const StepContext& context) {
  if (touching_.empty()) return norm(context.pool, residual_);
  impulse_.resize(residual_.size());
  context.for_particles(residual_.size(), [&](std::size_t i) {
    v_[i] = dx_[i] / h;
    impulse_[i] = -residual_[i] / h;
  });
  return h * touching_.natural_residual(v_, impulse_);
}

// In velocities: A Δv = residual/h + ρ.
void ProjectiveDynamics::solve_with_coulomb(const DynamicSystem& system, double h, double residual,
                                            const StepContext& context, StepReport& report) {
  context.for_particles(impulse_.size(), [&](std::size_t i) { impulse_[i] = residual_[i] / h; });
  change_.assign(system.size(), vec3(0));
  const ContactSolver::Problem problem{*a_, impulse_,         system.projection(),
                                       v_,  context.contacts, kContactTolerance * residual / h};
  const LinearSolverSettings settings;
  const ContactSolveReport solve =
      contact_solver_.solve(context.solving(), solver_, problem, change_, settings);
  add_contact_solve(solve, settings, report);
  context.poll();
  context.for_particles(system.size(), [&](std::size_t i) { dx_[i] += h * change_[i]; });
}

ProjectiveDynamics::Pressed ProjectiveDynamics::press(const ContactElement& contact, double h) const {
  const vec3& n = contact.normal;
  const vec3 moved = contact.blend(dx_), past = moved - h * contact.velocity;
  const double along = glm::dot(n, moved), away = glm::dot(n, past);
  const vec3 slip = past - away * n;
  const double load = std::max(contact.push, 0.0), damping = load > 0 ? h * contacts_.damping : 0;
  const double grip =
      h * contact.friction * load * SmoothFriction{contacts_.friction_speed}.secant(glm::length(slip) / h);
  const mat3 normal = glm::outerProduct(n, n);
  return {std::max(h * h * (contact.push - contacts_.stiffness * along), 0.0) * n,
          -damping * away * n - grip * slip, damping * normal + grip * (mat3(1.0) - normal)};
}

bool ProjectiveDynamics::update_matrix(const DynamicSystem& system, double h, WorkerPool& pool) {
  bool changed = update_inertia(system, h);  // also for a new matrix, which is 0
  changed |= update_springs(system.elements(), h, pool);
  changed |= update_grab(system.grab(), h);
  changed |= update_held(system.projection());
  return changed;
}

void ProjectiveDynamics::sum_rows(const ElasticElements& springs) {
  const SpringMatrix& a = *a_;
  row_sum_.resize(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) row_sum_[i] = a.diagonal(i);
  for (std::size_t s = 0; s < springs.size(); ++s) {
    row_sum_[springs[s].i] += a.spring(s).b;
    row_sum_[springs[s].j] += a.spring(s).b;
  }
}

bool ProjectiveDynamics::update_inertia(const DynamicSystem& system, double h) {
  const double factor = 1 + h * system.mass_damping();
  const std::span<const double> m = system.masses();
  bool changed = false;
  for (std::size_t i = 0; i < m.size(); ++i) changed |= replace(a_->diagonal(i), factor * m[i]);
  return changed;
}

bool ProjectiveDynamics::update_springs(const ElasticElements& springs, double h, WorkerPool& pool) {
  locals_.resize(springs.size());
  const double changes = sum_over(pool, springs.size(), 2048, [&](std::size_t k) {
    const std::uint32_t s = colouring_.order()[k];
    const ElasticElement e = springs[s];
    const LocalSpring local{e.i, e.j, e.rest_length, h * h * e.stiffness, h * e.damping};
    bool changed = replace(locals_[k], local);
    changed |= replace(a_->spring(s).b, local.stiffness + local.damping);
    return changed ? 1 : 0;
  });
  return changes > 0;
}

bool ProjectiveDynamics::update_grab(const std::optional<GrabSpring>& grab, double h) {
  SpringMatrix::Stencil stencil;
  if (grab) {
    std::ranges::copy(grab->particles, stencil.particle.begin());
    stencil.weight = {grab->weights[0], grab->weights[1], grab->weights[2]};
    stencil.count = 3;
    stencil.C = mat3(h * (h * grab->stiffness + grab->damping));
  }
  const SpringMatrix::Stencil old = grabbed_ ? stencils_.front() : SpringMatrix::Stencil{};
  const bool changed = grab.has_value() != grabbed_ || old.particle != stencil.particle ||
                       old.weight != stencil.weight || old.C != stencil.C;
  grabbed_ = grab.has_value();
  stencils_.assign(grabbed_ ? 1 : 0, stencil);
  if (changed || a_->stencils().size() != stencils_.size()) {  // also the stencils of contacts
    a_->clear_stencils();
    a_->add_stencils(stencils_);
  }
  return changed;
}

bool ProjectiveDynamics::update_held(const Projection& projection) {
  const auto same = [](const Projection::Entry& a, const Projection::Entry& b) {
    return a.particle == b.particle && a.S == b.S;
  };
  if (std::ranges::equal(held_, projection.entries(), same)) return false;
  held_.assign(projection.entries().begin(), projection.entries().end());
  return true;
}

void ProjectiveDynamics::evaluate(const DynamicSystem& system, std::span<const vec3> x0, double h,
                                  const StepContext& context) {
  for (std::size_t i = 0; i < dx_.size(); ++i) {
    x_[i] = x0[i] + dx_[i];
    residual_[i] = push_[i] - a_->diagonal(i) * dx_[i];
  }
  colouring_.sweep(context.pool, context.stop, [&](std::size_t first, std::size_t last) {
    for (const LocalSpring& e : std::span(locals_).subspan(first, last - first)) {
      const vec3 d = x_[e.i] - x_[e.j];
      const double length = glm::length(d);
      const double ratio = length > 0 ? e.rest_length / length : 0.0;  // p = ratio · d, 0 without a direction
      const vec3 pull = e.stiffness * (1 - ratio) * d + e.damping * (dx_[e.i] - dx_[e.j]);
      residual_[e.i] -= pull;
      residual_[e.j] += pull;
    }
  });
  if (const auto& grab = system.grab()) {
    const vec3 d = grab->blend(x_) - grab->cursor, moved = grab->blend(dx_);
    const vec3 pull = h * (h * grab->secant_stiffness(d) * d + grab->secant_damping(moved / h) * moved);
    for (std::size_t c = 0; c < 3; ++c) {
      residual_[grab->particles[c]] -= grab->weights[static_cast<int>(c)] * pull;
    }
  }
  for (const ContactElement& contact : contacts_.all) {
    const Pressed pressed = press(contact, h);
    contact.spread(pressed.push + pressed.lost, residual_);
  }
  if (context.ledger != nullptr) std::ranges::copy(residual_, context.ledger->scratch(x_.size()).begin());
  system.projection().filter(residual_);
}

void ProjectiveDynamics::report_impulses(const DynamicSystem& system, const State& state, double h,
                                         const StepContext& context) {
  if (context.ledger == nullptr) return;
  const std::size_t n = x_.size();
  const std::span<vec3> r = context.ledger->scratch(n, 0), dv = context.ledger->scratch(n, 1);
  for (std::size_t i = 0; i < n; ++i) {
    r[i] = -r[i] / h;
    dv[i] = dx_[i] / h - state.v[i];
  }
  touching_.subtract_impulses(r);
  report_solution(context, system, 1, r, dv);
  report_contacts(context, n);
  Impulses& impulses = context.ledger->impulses();
  const std::span<vec3> damping = impulses.add_to(ImpulseKind::damping, n);
  for (std::size_t i = 0; i < n; ++i) damping[i] -= system.mass_damping() * system.masses()[i] * dx_[i];
  for (const LocalSpring& e : locals_) {
    const vec3 impulse = -e.damping / h * (dx_[e.i] - dx_[e.j]);
    damping[e.i] += impulse;
    damping[e.j] -= impulse;
  }
  if (!contacts_.all.empty()) {
    const std::span<vec3> lost = impulses.add_to(ImpulseKind::friction, n);
    for (const ContactElement& contact : contacts_.all) contact.spread(press(contact, h).lost / h, lost);
  }
  if (const auto& grab = system.grab()) {
    const vec3 moved = grab->blend(dx_);
    const std::span<vec3> hand = impulses.add_to(ImpulseKind::hand, n);
    for (std::size_t c = 0; c < 3; ++c)
      hand[grab->particles[c]] -=
          grab->weights[static_cast<int>(c)] * grab->secant_damping(moved / h) * moved;
  }
}

bool ProjectiveDynamics::is_small(double residual, double target, double h) const {
  return residual <= target || residual <= rounding_noise(h);
}

double ProjectiveDynamics::rounding_noise(double h) const {
  double squared = 0;
  for (std::size_t i = 0; i < x_.size(); ++i) squared += row_sum_[i] * row_sum_[i] * glm::dot(x_[i], x_[i]);
  for (const ContactElement& contact : contacts_.all) {
    const double pull = h * h * contacts_.stiffness * glm::dot(contact.normal, contact.blend(x_));
    squared += pull * pull;
  }
  return std::numeric_limits<double>::epsilon() * std::sqrt(squared);
}

constexpr std::array kProjectiveDynamicsParameters{
    ParameterSpec{
        .id = "pd-iterations",
        .title = "PD iterations",
        .unit = "",
        .kind = ParameterSpec::Kind::integer,
        .min = 1,
        .max = 10000,
        .fallback = 10,
        .logarithmic = true,
        .help = "Largest number of local and global iterations of projective dynamics per step.",
    },
    ParameterSpec{
        .id = "pd-tolerance",
        .title = "PD tolerance",
        .unit = "",
        .min = 0,
        .max = 0.1,
        .fallback = 0,
        .logarithmic = true,
        .help =
            "Projective dynamics ends early at this residual, relative as in Newton's method. 0: it does all "
            "iterations. The Newton tolerance decides whether the step has converged.",
    },
};

}  // namespace

extern constinit const IntegratorInfo kProjectiveDynamics{
    .id = "projective-dynamics",
    .title = "Projective dynamics",
    .letters = "PD",
    .family = IntegratorFamily::position_based,
    .order = 0,
    .stiff_forces = StiffForces::contacts,
    .only_forward = kProjectsPositions,
    .formula = "(M/h² + Σ k GᵀG) x = M/h² (x0 + h v0 + h² M⁻¹f_ext) + Σ k Gᵀp, p = L·d/‖d‖, in turn",
    .summary =
        "Solves the step of backward Euler alternately: every spring finds its rest length, then one "
        "linear system joins all springs. The matrix is factorised once and reused until h, stiffness, "
        "mass or pins change. A few iterations look plausible; convergence is slow. Damping is always "
        "isotropic, without Rayleigh's α.",
    .cost =
        "Per iteration one sweep over all springs and one solve with a stored factor, or by conjugate "
        "gradients near contacts. One factorisation after each change of h, stiffness, mass or "
        "pins.",
    .use = "Plausible results fast, with fixed parameters.",
    .reference =
        "Bouaziz, Martin, Liu, Kavan, Pauly: Projective Dynamics, ACM Transactions on Graphics 33(4), "
        "2014; Liu, Bargteil, O'Brien, Kavan: Fast Simulation of Mass-Spring Systems, 32(6), 2013",
    .parameters = kProjectiveDynamicsParameters,
    .stability_limit = kNoStabilityLimit,
    .stability_condition = "when iterated to convergence",
    .growth = implicit_euler_growth,
    // Only the wind is explicit: v1 = (1 − h d) v0 for a free particle without springs.
    .wind_limit = [](const IntegratorParameters& /*values*/) { return 2.0; },
    .make = make_method<ProjectiveDynamics>,
};

}  // namespace clothlab
