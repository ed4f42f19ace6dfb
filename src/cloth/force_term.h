// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "core/vec.h"
#include "dynamics/dynamic_system.h"
#include "linalg/spring_matrix.h"

namespace clothlab {

/// Potential energies by what has them [J]; `grab` is the mouse spring's.
struct PotentialEnergies {
  double stretch = 0;
  double bend = 0;
  double gravity = 0;
  double grab = 0;
};

/// What is shown of the forces at the positions of the particles.
struct ForceMeasures {
  PotentialEnergies energies;
  double max_strain = 0;  ///< see SpringForce::Measures
};

/// What a force from outside does to the cloth as a whole, at the most.
struct OuterLoad {
  double force = 0;   ///< [N]
  double energy = 0;  ///< that it carries the cloth to, however short the way [J]
};

/// One kind of force. A new one takes a pair of files, a line in ClothSystem::list_terms and a row in the
/// finite-difference test (tests/cloth/force_terms.h). All sums over forces go over that list: what a force
/// does not have, it need not override.
///
/// One sign convention for all: f = −∂E/∂x + damping, K = ∂f/∂x, D = ∂f/∂v. Calls are const and without
/// visible side effects, and no value of x and v, however large or not a number, makes them fail.
class ForceTerm {
 public:
  virtual ~ForceTerm() = default;

  /// Potential energy [J].
  virtual double energy(std::span<const vec3> x) const = 0;

  /// f += this force [N].
  virtual void add_force(std::span<const vec3> x, std::span<const vec3> v, std::span<vec3> f) const = 0;

  /// f += what `part` includes of this force [N].
  virtual void add_part(SpringForces /*part*/, std::span<const vec3> x, std::span<const vec3> v,
                        std::span<vec3> f) const {
    add_force(x, v, f);
  }
  /// The same at the time t [s], whatever the step to come was told of.
  virtual void add_part_at(double /*t*/, SpringForces part, std::span<const vec3> x, std::span<const vec3> v,
                           std::span<vec3> f) const {
    add_part(part, x, v, f);
  }

  /// Adds what is shown of this force.
  virtual void add_measures(std::span<const vec3> /*x*/, ForceMeasures& /*measures*/) const {}

  /// On cloth of that mass [kg].
  virtual OuterLoad outer_load(double /*mass*/) const { return {}; }

  /// a += −c.damping·D − c.stiffness·K. The dependence of a damping force on x is left out of K.
  virtual void add_jacobians(std::span<const vec3> x, std::span<const vec3> v, const SystemCoefficients& c,
                             JacobianMode mode, SpringMatrix& a) const = 0;

  /// f += this force + factor K u, and add_jacobians with that K. As it stands here, for a force without K.
  virtual void linearize(std::span<const vec3> x, std::span<const vec3> v, double /*factor*/,
                         std::span<const vec3> /*u*/, const SystemCoefficients& c, JacobianMode mode,
                         std::span<vec3> f, SpringMatrix& a) const {
    add_force(x, v, f);
    add_jacobians(x, v, c, mode, a);
  }

  /// Whether the damping is −∂R/∂v with an R(v) [W] that does not depend on x.
  virtual bool has_dissipation_potential() const { return true; }
  /// R(v) [W]; 0 for a force without damping.
  virtual double dissipation_potential(std::span<const vec3> /*v*/) const { return 0; }
};

}  // namespace clothlab
