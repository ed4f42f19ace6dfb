// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "core/cancel_point.h"
#include "core/memory.h"
#include "core/worker_pool.h"
#include "dynamics/dynamic_system.h"
#include "dynamics/state.h"
#include "integrate/step_ledger.h"
#include "linalg/coulomb.h"
#include "linalg/linear_solver.h"
#include "linalg/pair_contact.h"

namespace clothlab {

/// How implicit methods solve the equation of a stage: by Newton's method to its tolerance, or by
/// one linear solve about the start of the stage.
enum class StageSolve { newton, linear };

/// Settings of the solvers inside a step (model.md, "Steps").
struct SolverSettings {
  LinearSolverSettings linear;
  double newton_tolerance = 1e-3;  ///< relative, see model.md
  int newton_max_iterations = 200;
  StageSolve stage_solve = StageSolve::newton;
  JacobianMode jacobian = JacobianMode::clamped;

  bool operator==(const SolverSettings&) const = default;
};

/// The context of a step, in addition to system and state.
struct StepContext {
  const SolverSettings& solver;
  WorkerPool& pool;
  const StopProbe& stop;
  StepLedger* ledger = nullptr;  ///< null: no ledger; it changes no bit of a step
  /// Positions that the cloth can reach without passing through anything, if contact limits displacements;
  /// else empty. A method that accepts positions along free displacements from there writes them back.
  std::span<vec3> reached = {};
  /// Contacts of particles with surfaces, ascending by particle. The method satisfies Coulomb's law there at
  /// the end of the step, after NodalContact::refer_to. It stores states, and h times the forces as impulses.
  std::span<NodalContact> contacts = {};
  /// Contacts of pairs of features, with the same law, for methods that solve them
  /// (IntegratorInfo::solves_pairs).
  std::span<PairContact> pairs = {};

  bool has_contacts() const { return !contacts.empty() || !pairs.empty(); }
  /// Calls body(contact, Σ w) for all contacts and pairs, in order: Σ w(a) of a function a of particles.
  template <class Body>
  void for_contacts(const Body& body) const {
    for (NodalContact& contact : contacts)
      body(contact, [&](const auto& of) -> vec3 { return of(contact.particle); });
    for (PairContact& pair : pairs) body(pair, [&](const auto& of) { return pair.blend(of); });
  }
  /// Calls body(particle, impulse) for all contacts and the particles of all pairs, in order.
  template <class Body>
  void for_impulses_on_particles(const Body& body) const {
    for (const NodalContact& contact : contacts) body(contact.particle, contact.impulse);
    for (const PairContact& pair : pairs)
      for (std::uint32_t k = 0; k < pair.count; ++k) body(pair.particle[k], pair.weight[k] * pair.impulse);
  }

  ComputeContext solving() const { return {pool, stop}; }
  /// Throws Cancelled on request. Called between two stages that each pass over the whole cloth.
  void poll() const { CancelPoint(stop).poll(); }

  /// Calls body(i) for every i below n, concurrently; each i writes its own data.
  template <class Body>
  void for_particles(std::size_t n, const Body& body) const {
    constexpr std::size_t kGrain = 1024;
    for_each(pool, n, kGrain, body);
  }
};

/// The solves of a step with contacts (linalg/contact_solver.h).
struct ContactSolves {
  int rounds = 0;       ///< sum over the solves
  int changes = 0;      ///< of the states open, slip and stick, sum over the solves
  double residual = 0;  ///< at the end: the natural residual, relative to the forces
  bool operator==(const ContactSolves&) const = default;
};

/// Of two steps in succession.
inline std::optional<ContactSolves> sum_of(const std::optional<ContactSolves>& first,
                                           const std::optional<ContactSolves>& second) {
  if (!first || !second) return first ? first : second;
  return ContactSolves{first->rounds + second->rounds, first->changes + second->changes, second->residual};
}

/// How a step went. Non-convergence is a value that the caller must check, not an error.
struct StepReport {
  int newton_iterations = 0;       ///< sum over the stages; 0 for methods without Newton
  int most_newton_iterations = 0;  ///< in one stage
  int linear_iterations = 0;       ///< CG iterations, sum over all solves of the step (0 for a direct solve)
  int products = 0;                ///< with hJ, of a method that computes an exponential by them
  double linear_residual = 0;      ///< relative residual at the end of the last linear solve
  /// Relative residual of the step's equations (model.md): ‖r‖ of Newton's method and projective dynamics,
  /// the springs' errors of XPBD, the largest |l − L| of rods; 0 for methods that solve no equations.
  double newton_residual = 0;
  std::optional<double> distance;  ///< of XPBD: from backward Euler (xpbd.cpp)
  std::optional<ContactSolves> contact_solves;
  double length_violation = 0;  ///< of methods with rods: largest |l − L| at the end of the step [m]
  /// Of methods with rods: the force λ that the positions of the step need in each stretch spring, in their
  /// order, positive in tension [N]; 0 between two prescribed particles. Valid until the next step.
  std::span<const double> rod_forces;
  /// Number of modes that a split method integrated by exponentials; empty for other methods.
  std::optional<std::size_t> modes;
  bool factorised = false;  ///< projective dynamics: the matrix was factorised in this step
  bool converged = true;
  bool stopped = false;     ///< the stop probe ended it: the state is as it was before the step
  std::string_view reason;  ///< why not converged, and what helps, a static sentence; empty when converged
  /// Not converged, for this reason.
  void fail(std::string_view why) {
    converged = false;
    reason = why;
  }
  std::optional<CgSolve> last_cg;  ///< the last linear solve, if by CG
  SolveCounts solves;              ///< by CG; in Newton's method one per iteration
  /// Relative residual of every iteration of the last linear solve; valid until the next step.
  std::span<const double> residual_history;
};

/// A time stepper. It owns its scratch memory and its history (u₋₁ of a multistep method, a of
/// generalized-α), and knows no springs, no user interface and no clock.
class Integrator {
 public:
  virtual ~Integrator() = default;

  /// Advances `state` from t to t + h, h != 0; h > 0 for methods whose row has `only_forward`, and with
  /// contacts.
  ///
  /// On entry x and v are u0; on exit they are u1 and t is t + h. Prescribed particles end exactly at
  /// their target with velocity (p1 − p0)/h. If the report is `stopped`, x, v and t are unchanged.
  /// Values may become non-finite (a blow-up), which the caller detects; it causes no error and no endless
  /// loop. No allocation after the first step of a size, or the second one of a method with history, whose
  /// first step is of another kind.
  StepReport advance(const DynamicSystem& system, State& state, double h, const StepContext& context) {
    StepReport report;
    try {
      take_step(system, state, h, context, report);
    } catch (const Cancelled&) {
      report.stopped = true;
    }
    return report;
  }

  /// Prepares a state of another method, or one set from outside, for this method; moving x does not change
  /// v. Returns the largest displacement [m]. Methods with rods project x to the lengths and v to their
  /// tangent space; others do nothing. The projection and h are those of the next step. If `report` is
  /// stopped, the state may be partly changed.
  double enter(const DynamicSystem& system, State& state, double h, const StepContext& context,
               StepReport& report) {
    try {
      return project(system, state, h, context, report);
    } catch (const Cancelled&) {
      report.stopped = true;
      return 0;
    }
  }

  /// True if the next step uses earlier steps.
  virtual bool has_history() const { return false; }
  /// True if it moves out particles that it finds inside a surface, and nothing corrects the end of its
  /// steps for contact.
  virtual bool has_positional_contact() const { return false; }
  /// Why its contact adds energy, and what helps, for a notice: "Contact ...: use ..."; empty: no known
  /// cause.
  virtual std::string_view contact_gain() const { return {}; }
  /// Appends the history to `memory`. With the state, it determines the next step to the last bit. Methods
  /// without a history do nothing.
  virtual void save(Memory& /*memory*/) const {}
  /// Restores a history saved by the same method with the same parameters, of n particles; at the end of
  /// `memory` the history is empty. Throws InputError if the numbers do not fit.
  virtual void load(MemoryReader& /*memory*/, std::size_t /*n*/) {}

  /// Forgets the history. The caller must call this after any jump: another h, another system, other
  /// pins or parameters, a state that was set from outside.
  void reset() {
    const Memory nothing;
    MemoryReader memory(nothing);
    load(memory, 0);
  }

 private:
  /// `advance` and `enter`. Throw Cancelled, with the state as it was in take_step.
  virtual void take_step(const DynamicSystem& system, State& state, double h, const StepContext& context,
                         StepReport& report) = 0;
  virtual double project(const DynamicSystem& /*system*/, State& /*state*/, double /*h*/,
                         const StepContext& /*context*/, StepReport& /*report*/) {
    return 0;
  }
};

}  // namespace clothlab
