#pragma once

#include <span>

#include "core/vec.h"
#include "dynamics/dynamic_system.h"
#include "linalg/spring_matrix.h"

namespace clothlab {

/// One kind of force. A new one takes a pair of files, a line in ClothSystem::terms_ and a row in the
/// finite-difference test (tests/cloth/force_terms.h).
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
