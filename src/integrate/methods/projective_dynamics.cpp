// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cmath>
#include <glm/geometric.hpp>
#include <limits>
#include <optional>
#include <vector>

#include "integrate/force_by_force_step.h"
#include "integrate/growth.h"
#include "integrate/solve_outcome.h"
#include "integrate/step_ends.h"
#include "linalg/cholesky_factor.h"
#include "linalg/contact_solver.h"
#include "linalg/vector_basis.h"

namespace clothlab {
namespace {

constexpr std::string_view kStepsNotConverged =
    "the local and global steps did not reach their tolerance; use more of them, a smaller h or a looser "
    "Newton tolerance";

// Tolerance of a global step with contacts; the next one continues it.
constexpr double kContactTolerance = 0.1;

constexpr std::string_view kNoFactor =
    "the matrix of the global steps was not positive definite; use a smaller h";

/// Projective dynamics [Bouaziz 2014, (3), (8), (10); for springs Liu 2013]. With G x = x_i − x_j of a
/// spring, a step minimises ½ ‖x − y‖²_M/h² + Σ k/2 ‖G x − p‖² over x and all p of length L, alternately:
///
///   local    p = L d/‖d‖, d = G x
///   global   (M/h² + Σ k GᵀG) x = M/h² y + Σ k Gᵀp,   y = x0 + h v0 + h² M⁻¹ f_ext;
///
/// v1 = (x1 − x0)/h. Hinges of a fabric are quadratic and belong to the matrix. The matrix does not depend on
/// x: one Cholesky factor serves while h, k, masses, damping, pins and the grabbed point stay the same. At
/// convergence a step is a step of backward Euler.
///
/// With a strain limit the matrix has the stiffness φ k of all stretch springs, a bound of their potential
/// from above: every iteration descends, but by less.
///
/// Damping is isotropic: k_d adds (k_d/h) GᵀG to the matrix and (k_d/h) GᵀG x0 to the right-hand side,
/// damping by mass β adds (β/h) M and (β/h) M x0. The grabbed point q = Σ wᵢ xᵢ gets a term with the largest
/// stiffness k + c/h in the matrix, and the difference to its saturating force on the right.
///
/// With contacts of particles a global step also satisfies Coulomb's law, for the velocity dx/h. It is solved
/// by ContactSolver, because the matrix of friction changes in every solve [Ly 2020].
///
/// Contacts by penalty have directions and change often, so a factor of their matrix would not last: steps
/// with contacts use conjugate gradients.
///
/// The global step is solved for the change of x. Its right-hand side is −r, r the gradient of the objective,
/// and rounding and tolerances are relative to the remaining change. No solve needs refinement, because the
/// next one continues from its residual. The matrix has one number per pair of particles, and so has its
/// factor if every constrained particle is constrained in all directions.
class ProjectiveDynamics final : public ForceByForceStep {
 public:
  /// `values` are those of kProjectiveDynamicsParameters: the number of iterations, fewer if ‖r‖ reaches
  /// the tolerance · max(‖h f0‖, ‖r at the start‖) (r in N·s, as for Newton's method) or the level of
  /// rounding. With tolerance 0 their number is fixed. In both cases the step has converged if this is true
  /// for `newton_tolerance`.
  explicit ProjectiveDynamics(const IntegratorParameters& values)
      : ForceByForceStep(false), iterations_(static_cast<int>(values.at(0))), tolerance_(values.at(1)) {}

 private:
  // Members with a context throw Cancelled.
  void take_step(const DynamicSystem& system, State& state, double h, const StepContext& context,
                 StepReport& report) override {
    prepare(system, h, context);
    double scale = begin(system, state, h, context);
    active_.assign(contacts_.all.size(), false);

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
    end(system, state, h, residual, scale, kStepsNotConverged, context, report);
  }
  /// Prepares scratch memory, the colouring and the matrix.
  void prepare(const DynamicSystem& system, double h, const StepContext& context) {
    update(system, h, context);
    have_matrix(system, context, a_);
    if (update_matrix(system, h, context.pool)) factor_.forget();
    context.poll();
  }
  /// Updates a_ and held_; true if they have changed since the last step.
  bool update_matrix(const DynamicSystem& system, double h, WorkerPool& pool) {
    bool changed = fill_matrix(pool);  // also a new one, which is 0
    changed |= update_grab(system.grab(), h);
    changed |= update_held(system.projection());
    return changed;
  }
  /// Copies inertia and springs; true if one has changed.
  bool fill_matrix(WorkerPool& pool) {
    bool changed = false;
    for (std::size_t i = 0; i < inertia_.size(); ++i) changed |= replace(a_->diagonal(i), inertia_[i]);
    const double springs = sum_over(pool, locals_.size(), 2048, [&](std::size_t k) {
      const SpringInStep& e = locals_[k];
      return replace(a_->spring(colouring_.order()[k]).b, largest_stiffness(k) + e.damping + e.bending) ? 1
                                                                                                        : 0;
    });
    return changed || springs > 0;
  }
  bool update_grab(const std::optional<GrabSpring>& grab, double h) {
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
  bool update_held(const Projection& projection) {
    const auto same = [](const Projection::Entry& a, const Projection::Entry& b) {
      return a.particle == b.particle && a.S == b.S;
    };
    if (std::ranges::equal(held_, projection.entries(), same)) return false;
    held_.assign(projection.entries().begin(), projection.entries().end());
    return true;
  }

  /// Factorises a_ if it has changed.
  void factorise(const DynamicSystem& system, const StepContext& context, StepReport& report) {
    if (factor_.holds(*a_)) return;
    factor_.analyse(*a_, context.stop);
    if (!factor_.compute(context.solving(), {*a_, residual_, system.projection()})) report.reason = kNoFactor;
    report.factorised = true;
  }

  /// dx_ += the solution of the global step with contacts by penalty.
  /// The term of a contact that was active once in a step stays in the matrix; otherwise contacts that switch
  /// on and off would prevent convergence.
  void solve_with_contacts(const DynamicSystem& system, double h, const StepContext& context,
                           StepReport& report) {
    stencils_.resize(grabbed_ ? 1 : 0);
    for (std::size_t c = 0; c < contacts_.all.size(); ++c) {
      const ContactElement& contact = contacts_.all[c];
      const Pressed pressed = press(contact, h);
      active_[c] = active_[c] || pressed.push != vec3(0.0);
      mat3 block = pressed.drag;
      if (active_[c])
        block += h * h * contacts_.stiffness * glm::outerProduct(contact.normal, contact.normal);
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
  /// The same with Coulomb's law at the contacts of particles. `residual`: the current one [kg·m].
  /// In velocities: A Δv = residual/h + ρ.
  void solve_with_coulomb(const DynamicSystem& system, double h, double residual, const StepContext& context,
                          StepReport& report) {
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

  int iterations_;
  double tolerance_;
  CholeskyFactor factor_;          // of a_ and held_
  std::optional<SpringMatrix> a_;  // h² times the matrix: its diagonal is m (1 + hβ), the springs' b is
                                   // h² (k + β) + h k_d
  std::vector<bool> active_;       // contacts that were active in this step
  LinearSolver solver_;            // of the matrix with contacts
  ContactSolver contact_solver_;
  std::vector<vec3> change_;
  std::vector<SpringMatrix::Stencil> stencils_;  // of the grab, then of the contacts
  bool grabbed_ = false;
  std::vector<Projection::Entry> held_;  // of the factor
};

constexpr std::array kProjectiveDynamicsParameters{
    ParameterSpec{
        .id = "pd-iterations",
        .title = "PD iterations",
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
