// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "core/memory.h"
#include "dynamics/dynamic_system.h"
#include "dynamics/impulses.h"
#include "linalg/linear_solver.h"

namespace clothlab {

/// The work of a step's impulses, see StepLedger [J].
struct StepWork {
  double damping = 0;  ///< never positive: what a step would credit dampers with is the method's
  double wind = 0;
  double given_by_wind = 0;  ///< w·J of the wind's impulses J, w the air: less `wind`, it is lost to the air
  double hand = 0;           ///< of the mouse spring's damper
  double friction = 0;       ///< of contacts, with their damping
  double solver = 0;         ///< of what solvers left unsolved
  double rods = 0;           ///< of constraints on lengths
};

/// The momentum of a step, as its method reports it:
///
///   M (v1 − v0) = J_conservative + Σ J_k + J_constraints + r     on the free directions,
///
/// J_k the impulses by kind, r what solvers left. With v̄ = (v0 + v1)/2 the kinetic energy changes by
/// v̄·(all of them), exactly. A held direction moves at v1 all the step, whatever v0 was: there a force has
/// the work v1·J, and what holds the particle that of the rest of its kinetic energy.
///
/// A method says with take_forces at which (x, v) it takes forces and with which weight [s]; the sum of the
/// weights is h. Everything else here is for methods that solve equations or remember. finish_step ends the
/// substep.
class StepLedger {
 public:
  /// Nothing is reported yet.
  void begin();

  Impulses& impulses() { return impulses_; }
  /// Room for what is computed for this alone, two vectors per particle.
  std::span<vec3> scratch(std::size_t n, std::size_t which = 0);

  /// Adds the works of the impulses of a substep from v0 to v1.
  void end_substep(const DynamicSystem& system, WorkerPool& pool, std::span<const vec3> v0,
                   std::span<const vec3> v1);

  const StepWork& work() const { return work_; }
  /// Of what holds a particle, in the order of the projection.
  std::span<const double> held_work() const { return held_work_; }
  /// The impulse of that [N·s], along the held directions, in the same order; rods' pulls count as its own.
  std::span<const vec3> reactions() const { return reactions_; }

 private:
  Impulses impulses_;
  std::array<std::vector<vec3>, 2> scratch_;
  StepWork work_;
  std::vector<double> held_work_;
  std::vector<vec3> reactions_;
  using Works = std::array<double, 6>;  // by kind that has a work
  std::vector<Works> chunk_works_;
};

struct StepContext;

/// f := f(x, v), as DynamicSystem::force; reports that the step takes these forces for `weight` seconds. With
/// weight 0 it does not take them.
void take_forces(const StepContext& context, const DynamicSystem& system, double weight,
                 std::span<const vec3> x, std::span<const vec3> v, std::span<vec3> f,
                 SpringForces springs = SpringForces::all);

/// The same for forces that are known already.
void report_forces(const StepContext& context, const DynamicSystem& system, double weight,
                   std::span<const vec3> x, std::span<const vec3> v);

/// The part of that for held particles, of methods that report the others by report_linear_forces.
void report_forces_on_held(const StepContext& context, const DynamicSystem& system, double weight,
                           std::span<const vec3> x, std::span<const vec3> v);

/// The same for forces linearised in v at (x, v): the impulses by kind are weight · (f + D (v_end − v)).
/// Held particles are left out.
void report_linear_forces(const StepContext& context, const DynamicSystem& system, double weight,
                          std::span<const vec3> x, std::span<const vec3> v, std::span<const vec3> v_end);

/// r, times `weight`, is left of M (v1 − v0) = …; held directions do not count.
void report_residual(const StepContext& context, double weight, std::span<const vec3> r);

/// r as above on all particles, without a filter, at the change dv of the velocities: on held particles it
/// gives the impulse of the forces M dv − r.
void report_solution(const StepContext& context, const DynamicSystem& system, double weight,
                     std::span<const vec3> r, std::span<const vec3> dv);

/// A dv − b of the linear system A dv = b that `solver` has solved last, with A and b of momentum, as
/// report_solution. Of b, `m (v_hat − v)`
/// is no impulse of forces where v_hat is given.
void report_linear_solution(const StepContext& context, const DynamicSystem& system, const SpringMatrix& a,
                            const LinearSolver& solver, std::span<const vec3> dv, std::span<const vec3> b,
                            std::span<const vec3> v = {}, std::span<const vec3> v_hat = {});

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
