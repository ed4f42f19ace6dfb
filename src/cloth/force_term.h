// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "core/vec.h"
#include "core/worker_pool.h"
#include "dynamics/dynamic_system.h"
#include "dynamics/step_contact.h"
#include "linalg/spring_matrix.h"

namespace clothlab {

/// Potential energies by force [J]; `grab` of the mouse spring.
struct PotentialEnergies {
  double stretch = 0;
  double bend = 0;
  double gravity = 0;
  double grab = 0;
  double contact = 0;
  double pressure = 0;  ///< of the gas in closed cloth
  double drivers = 0;   ///< of constant and central forces of drivers, and of seams

  /// The energy of the cloth itself and of the fields in which it is.
  double of_cloth() const { return stretch + bend + gravity + pressure + drivers; }
};

/// Energies and strain at positions x, for display and diagnostics.
struct ForceMeasures {
  PotentialEnergies energies;
  double max_strain = 0;  ///< see SpringMeasures
  double volume = 0;      ///< of the inflated parts [m³]
};

/// Upper bounds of the effect of an external force on the whole cloth.
struct OuterLoad {
  double force = 0;   ///< [N]
  double energy = 0;  ///< kinetic energy that it can give the cloth over any distance [J]
};

/// Where a step linearises forces, and the coefficients of its matrix.
struct Linearization {
  std::span<const vec3> x, v;  ///< [m], [m/s]
  SystemCoefficients c;
  JacobianMode mode = JacobianMode::clamped;
  double factor = 0;  ///< of K u, which ForceTerm::linearize adds to the force; factor · u is in m
  std::span<const vec3> u = {};  ///< vector u of K u; only `linearize` uses it
};

/// One kind of force. A new one needs a pair of files, a line in ClothSystem::list_terms and a row in the
/// finite-difference test (tests/cloth/force_terms.h). Defaults are for forces without that property.
///
/// One sign convention for all: f = −∂E/∂x + damping, K = ∂f/∂x, D = ∂f/∂v. Calls are const and without
/// visible side effects, and accept any x and v, also if not finite.
class ForceTerm {
 public:
  /// `energy`: to which its potential energy is added; null: to none, or add_measures is overridden.
  /// `in_rest`: SpringForces::rest includes this force.
  explicit ForceTerm(double PotentialEnergies::*energy = nullptr, bool in_rest = true)
      : energy_(energy), in_rest_(in_rest) {}
  virtual ~ForceTerm() = default;

  /// Potential energy [J].
  virtual double energy(WorkerPool& /*pool*/, std::span<const vec3> /*x*/) const { return 0; }

  /// f += this force [N].
  virtual void add_force(WorkerPool& pool, std::span<const vec3> x, std::span<const vec3> v,
                         std::span<vec3> f) const = 0;

  /// f += the part of this force that `part` includes [N].
  virtual void add_part(WorkerPool& pool, SpringForces part, std::span<const vec3> x, std::span<const vec3> v,
                        std::span<vec3> f) const {
    if (in_rest_ || part != SpringForces::rest) add_force(pool, x, v, f);
  }
  /// The same at the time t [s], with the air of that time.
  virtual void add_part_at(WorkerPool& pool, double /*t*/, SpringForces part, std::span<const vec3> x,
                           std::span<const vec3> v, std::span<vec3> f) const {
    add_part(pool, part, x, v, f);
  }

  /// Adds the impulse of the non-conservative part of this force.
  virtual void add_impulse(WorkerPool& /*pool*/, const ImpulseStage& /*stage*/, Impulses& /*to*/) const {}
  /// add_part and add_impulse at a stage without linearisation, for terms that compute both in one pass.
  virtual void add_part_and_impulse(WorkerPool& pool, const ImpulseStage& stage, std::span<vec3> f,
                                    Impulses& to) const {
    add_part(pool, stage.springs, stage.x, stage.v, f);
    add_impulse(pool, stage, to);
  }

  /// Adds the energies and the strain of this force. If v is not empty, the next call is `add_force` at
  /// (x, v), for terms that compute both in one pass.
  virtual void add_measures(WorkerPool& pool, std::span<const vec3> x, std::span<const vec3> /*v*/,
                            ForceMeasures& measures) const {
    if (energy_ != nullptr) measures.energies.*energy_ += energy(pool, x);
  }

  /// The load on cloth of the given mass [kg].
  virtual OuterLoad outer_load(double /*mass*/) const { return {}; }

  /// a += −c.damping·D − c.stiffness·K. The dependence of a damping force on x is left out of K. The default
  /// is for a force without either.
  virtual void add_jacobians(WorkerPool& /*pool*/, const Linearization& /*at*/, SpringMatrix& /*a*/) const {}

  /// f += this force + factor K u, and add_jacobians with the same K. A force that is not smooth may be
  /// evaluated at x + factor u. The default is for a force without K.
  virtual void linearize(WorkerPool& pool, const Linearization& at, std::span<vec3> f,
                         SpringMatrix& a) const {
    add_force(pool, at.x, at.v, f);
    add_jacobians(pool, at, a);
  }

 private:
  double PotentialEnergies::*energy_;
  bool in_rest_;
};

/// Contact as a force of a cloth system; src/contact implements it.
class ContactTerm : public ForceTerm, public StepContact {
 public:
  /// Methods that want SpringForces::rest ask for `elements`.
  ContactTerm() : ForceTerm(&PotentialEnergies::contact, /*in_rest=*/false) {}
  /// DynamicSystem::linearize for this force, with the masses of particles [kg].
  virtual void linearize_set(WorkerPool& pool, std::span<const double> masses, const Linearization& at,
                             ContactSet& contacts, std::span<vec3> f, SpringMatrix& a) const = 0;
};

}  // namespace clothlab
