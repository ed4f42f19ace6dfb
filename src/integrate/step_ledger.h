// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/memory.h"
#include "dynamics/dynamic_system.h"
#include "dynamics/impulses.h"
#include "linalg/coulomb.h"
#include "linalg/projection.h"

namespace clothlab {

/// The work of a step's impulses, see StepLedger [J].
struct StepWork {
  double damping = 0;  ///< never positive: a gain counts as energy of the method
  double wind = 0;
  double given_by_wind =
      0;               ///< w·J of the wind's impulses J, w the air; without `wind` it is the loss to the air
  double hand = 0;     ///< of the mouse spring's damper
  double drivers = 0;  ///< of harmonic forces and of drag
  double friction = 0;  ///< of contacts, with their damping
  double solver = 0;    ///< of the residuals of solvers
  double rods = 0;      ///< of constraints on lengths
};

/// The contacts of a substep of h from x0 to x1. Closed ones constrain their particles, as the projection
/// does, and these move at (x1 − x0)/h during the step.
struct ContactsOfSubstep {
  std::span<const NodalContact> all;
  std::span<const vec3> x0, x1;
  double h = 0;
};

/// A force on one particle [N] that a step used for `weight` seconds.
struct UsedForce {
  double weight = 0;
  vec3 force{0};
};

/// The momentum of a step, as its method reports it:
///
///   M (v1 − v0) = J_conservative + Σ J_k + J_constraints + r     on the free directions,
///
/// J_k the impulses by kind, r the residual of solvers. With v̄ = (v0 + v1)/2 the kinetic energy changes
/// exactly by v̄·(their sum). A constrained direction moves at v1 during the whole step, for any v0: there a
/// force has the work v1·J, and the constraint has the work of the remaining change of kinetic energy.
///
/// A method reports with take_forces the (x, v) at which it evaluates forces, with their weight [s]; the sum
/// of the weights is h. All other functions are for methods that solve equations or have a history.
/// finish_step ends the substep.
class StepLedger {
 public:
  /// Clears all reports.
  void begin();

  Impulses& impulses() { return impulses_; }
  /// Scratch memory, two vectors per particle.
  std::span<vec3> scratch(std::size_t n, std::size_t which = 0);

  /// Adds the works of the impulses of a substep from v0 to v1.
  void end_substep(const DynamicSystem& system, WorkerPool& pool, std::span<const vec3> v0,
                   std::span<const vec3> v1, const ContactsOfSubstep& contacts = {});

  /// Evaluations of the forces by the method since clear_evaluations(), those for this ledger excluded.
  int evaluations() const { return evaluations_; }
  void clear_evaluations() { evaluations_ = 0; }
  void count_evaluation() { ++evaluations_; }
  /// Adds the evaluations of a part of the step with a ledger of its own, which are cleared there.
  void take_evaluations(StepLedger& of) { evaluations_ += std::exchange(of.evaluations_, 0); }

  /// From the next step on, the forces of a step are kept in their order, for pictures of it.
  void watch(bool on) { watches_ = on; }
  bool watches() const { return watches_; }
  /// The kept forces on a particle, and the impulse of its contacts [N·s].
  std::vector<UsedForce> used(std::uint32_t particle) const;
  vec3 contact_on(std::uint32_t particle) const { return contacts_.empty() ? vec3(0) : contacts_[particle]; }
  /// The impulse of the couplings on a particle in the last substep [N·s].
  vec3 coupling_on(std::uint32_t particle) const {
    return coupling_forces_.empty() ? vec3(0) : coupling_impulses_[particle];
  }
  /// Room for n forces that the step used for `weight` seconds; empty if they are not kept, or if they would
  /// exceed kMostKept.
  std::span<vec3> keep(double weight, std::size_t n);
  static constexpr std::size_t kMostKept = 1 << 22;  ///< 100 MB
  void keep_contact(std::uint32_t particle, const vec3& impulse, std::size_t n);

  const StepWork& work() const { return work_; }
  /// Works of the constraints, in the order of the projection.
  std::span<const double> held_work() const { return held_work_; }
  /// λ of the couplings in the last substep, in the order of their constraints [N], positive in tension.
  std::span<const double> coupling_forces() const { return coupling_forces_; }

 private:
  Impulses impulses_;
  std::array<std::vector<vec3>, 2> scratch_;
  int evaluations_ = 0;
  bool watches_ = false;
  std::vector<double> weights_;
  std::vector<vec3> used_;      // n for each weight
  std::vector<vec3> contacts_;  // impulses; empty: none
  StepWork work_;
  std::vector<double> held_work_, coupling_forces_;
  std::vector<vec3> coupling_impulses_;  // by particle
  struct Closed {                        // contacts of a particle
    std::uint32_t particle;
    mat3 S;
    vec3 beyond_mean;  // the velocity of its displacement, less the mean velocity
  };
  std::vector<Closed> closed_;
  using Works = std::array<double, 7>;  // by kind that has a work
  std::vector<Works> chunk_works_;
};

struct StepContext;

/// f := f(x, v), as DynamicSystem::force; reports that the step uses these forces for `weight` seconds, and
/// counts the evaluation. With weight 0 it only counts.
void take_forces(const StepContext& context, const DynamicSystem& system, double weight,
                 std::span<const vec3> x, std::span<const vec3> v, std::span<vec3> f,
                 SpringForces springs = SpringForces::all);

/// Adds impulse(i) [N·s] to the impulse of the forces on each constrained particle i.
template <class Impulse>
void add_to_held(Impulses& impulses, const DynamicSystem& system, const Impulse& impulse) {
  const std::span<const Projection::Entry> entries = system.projection().entries();
  if (entries.empty()) return;
  const std::span<vec3> of_held = impulses.add_to(ImpulseKind::held, entries.size());
  for (std::size_t k = 0; k < entries.size(); ++k) of_held[k] += impulse(entries[k].particle);
}

/// Reports forces that are known already.
void report_forces(const StepContext& context, const DynamicSystem& system, double weight,
                   std::span<const vec3> x, std::span<const vec3> v);

/// The same for constrained particles only, for methods that report the others by report_linear_forces.
void report_forces_on_held(const StepContext& context, const DynamicSystem& system, double weight,
                           std::span<const vec3> x, std::span<const vec3> v);

/// The same for forces linearised in v at (x, v): the impulses by kind are weight · (f + D (v_end − v)).
/// Constrained particles are excluded.
void report_linear_forces(const StepContext& context, const DynamicSystem& system, double weight,
                          std::span<const vec3> x, std::span<const vec3> v, std::span<const vec3> v_end,
                          const ContactSet* contacts = nullptr);

/// Reports the residual r, times `weight`, of M (v1 − v0) = …; constrained directions are ignored.
void report_residual(const StepContext& context, double weight, std::span<const vec3> r);

/// Reports the unfiltered residual r on all particles at the change dv of the velocities. On constrained
/// particles it determines the impulse M dv − r of the forces. If v_hat is given, the part m (v_hat − v) of
/// it is no impulse of forces.
void report_solution(const StepContext& context, const DynamicSystem& system, double weight,
                     std::span<const vec3> r, std::span<const vec3> dv, std::span<const vec3> v = {},
                     std::span<const vec3> v_hat = {});

/// The same of a system with contacts, with the residual b − A dv, from which their impulses are subtracted.
void report_contact_solution(const StepContext& context, const DynamicSystem& system,
                             std::span<const vec3> residual, std::span<const vec3> dv,
                             std::span<const vec3> v = {}, std::span<const vec3> v_hat = {},
                             double weight = 1);

/// Reports the impulses of the contacts of n particles.
void report_contacts(const StepContext& context, std::size_t n);

/// The impulses that a method with a history remembers.
class ImpulseMemory {
 public:
  /// Adds `weight` times the remembered impulses.
  void recall(const StepContext& context, double weight) const;
  /// this := a · (the impulses of the step so far) + b · this
  void keep(const StepContext& context, double a, double b);
  /// Remembers the forces at (x, v) [N].
  void start(const StepContext& context, const DynamicSystem& system, std::span<const vec3> x,
             std::span<const vec3> v);

  void clear() { kept_.clear(); }
  void save(Memory& memory) const { kept_.save(memory); }
  void load(MemoryReader& memory, std::size_t n) { kept_.load(memory, n); }

 private:
  Impulses kept_;
};

}  // namespace clothlab
