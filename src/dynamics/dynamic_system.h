// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "core/vec.h"
#include "core/worker_pool.h"
#include "dynamics/elastic_elements.h"
#include "dynamics/grab_spring.h"
#include "dynamics/impulses.h"
#include "dynamics/step_contact.h"
#include "linalg/projection.h"
#include "linalg/spring_matrix.h"

namespace clothlab {

/// Blocks of a compressed spring (l < L) and of a saturated mouse spring. `clamped` replaces (1 − L/l) by
/// max(0, 1 − L/l), which is positive semidefinite, and uses the secant stiffness of the mouse spring
/// (GrabForce); `exact` is the true derivative, which may be indefinite.
enum class JacobianMode { clamped, exact };

/// Factors of A = mass·M − damping·D − stiffness·K, with K = ∂f/∂x and D = ∂f/∂v.
/// (M − hD − h²K) is {1, h, h²}; K_s = −K is {0, 0, 1}.
struct SystemCoefficients {
  double mass = 0;
  double damping = 0;
  double stiffness = 0;
  /// True: `exact` blocks add the tension of damping along n to the tension of a spring, up to half of the
  /// block along n: (k_d + α k min(1, L/l)) v·n, a symmetric part of the dependence of that force on x.
  bool damper_tension = false;
};

/// Which forces `force` includes. Gravity and wind always; contacts, the mouse spring and mass damping except
/// in `rest`.
enum class SpringForces {
  all,
  inextensible,  ///< without the elastic force of stretch springs, whose damping stays
  rest,          ///< without those of elements(), contact(), grab() and mass_damping(): gravity, wind, pushes
};

/// Where a step has evaluated forces, for their impulse weight · (f(x, v) + D (v_end − v)).
struct ImpulseStage {
  double weight = 0;  ///< [s]
  std::span<const vec3> x;
  std::span<const vec3> v;
  std::span<const vec3> v_end;  ///< v for forces that are not linearised
  SpringForces springs = SpringForces::all;
  JacobianMode mode = JacobianMode::clamped;  ///< of D
  const ContactSet* contacts = nullptr;       ///< of the linearised step, if it solved with one
};

/// The system as a time integrator sees it: M v' = f(x, v), x' = v, with some particles prescribed. Calls are
/// const and free of side effects; arrays have `size()` entries. `force` and `assemble` never allocate once
/// their output has its size.
class DynamicSystem {
 public:
  virtual ~DynamicSystem() = default;

  virtual std::size_t size() const = 0;                ///< number of particles
  virtual std::span<const double> masses() const = 0;  ///< [kg], all > 0, prescribed particles included

  /// Constraints of the step being taken. An entry's target is the position at the end of the step
  /// [m]; within the step the particle moves towards it linearly in time (model.md).
  virtual const Projection& projection() const = 0;

  /// f(x, v) [N], prescribed particles included.
  void force(WorkerPool& pool, std::span<const vec3> x, std::span<const vec3> v, std::span<vec3> f) const {
    force(pool, x, v, f, SpringForces::all);
  }
  /// The same without some forces of springs, for methods that treat springs separately.
  virtual void force(WorkerPool& pool, std::span<const vec3> x, std::span<const vec3> v, std::span<vec3> f,
                     SpringForces springs) const = 0;

  /// Adds the impulses of the forces that are not conservative, by kind.
  virtual void add_impulses(WorkerPool& pool, const ImpulseStage& stage, Impulses& to) const = 0;
  /// `force` and add_impulses at a stage without linearisation, in fewer passes.
  virtual void force_and_impulses(WorkerPool& pool, const ImpulseStage& stage, std::span<vec3> f,
                                  Impulses& to) const = 0;

  /// Potential energy [J] of all position-dependent forces: −∂E/∂x is `force` without damping.
  virtual double potential_energy(WorkerPool& pool, std::span<const vec3> x) const = 0;

  /// A = c.mass·M − c.damping·D − c.stiffness·K at (x, v). The dependence of a damping force on x is
  /// left out of K (model.md).
  virtual void assemble(WorkerPool& pool, std::span<const vec3> x, std::span<const vec3> v,
                        const SystemCoefficients& c, JacobianMode mode, SpringMatrix& a) const = 0;
  /// Only the diagonal and the stencils of A; the blocks of elements() in `a` are not changed.
  virtual void assemble_others(WorkerPool& pool, std::span<const vec3> x, std::span<const vec3> v,
                               const SystemCoefficients& c, JacobianMode mode, SpringMatrix& a) const = 0;
  /// `assemble` and, with the same K, f := f(x, v) + factor K u: for methods with one Newton step. One pass
  /// over the springs instead of three. Uses the contact set if it is known; else predicts it.
  virtual void linearize(WorkerPool& pool, std::span<const vec3> x, std::span<const vec3> v, double factor,
                         std::span<const vec3> u, const SystemCoefficients& c, JacobianMode mode,
                         ContactSet& contacts, std::span<vec3> f, SpringMatrix& a) const = 0;
  /// The pattern of matrices for `assemble`.
  virtual std::shared_ptr<const SpringPattern> pattern() const = 0;

  /// Contact by forces; null if there is none.
  virtual const StepContact* contact() const = 0;

  // For methods that treat forces one by one; `force` and `assemble` include them.
  /// In the order of the springs of a matrix.
  virtual ElasticElements elements() const = 0;
  virtual const std::optional<GrabSpring>& grab() const = 0;
  virtual double mass_damping() const = 0;  ///< β of Rayleigh's damping f = −β M v [1/s]
};

}  // namespace clothlab
