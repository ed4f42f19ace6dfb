// SPDX-License-Identifier: MIT
#pragma once

#include <Eigen/Core>
#include <array>
#include <functional>
#include <string_view>
#include <vector>

#include "cloth/sample_cloth.h"
#include "integrate/registry.h"

namespace clothlab::test {

/// A small cloth written again from the formulas of model.md, with dense matrices and with exact blocks
/// throughout: forces, Jacobians, and u' = F(u) on u = (x, v), both of size 3n. Nothing is shared with src/
/// but the numbers of the springs, masses and material.
///
/// Fixed particles belong to the equation: x' = v, v' = 0 with v = (p1 − p0)/h at the start of every step.
class DenseCloth {
 public:
  using Vector = Eigen::VectorXd;
  using Matrix = Eigen::MatrixXd;

  explicit DenseCloth(const Rig& rig);

  Eigen::Index dofs() const { return dofs_; }  ///< 3n
  bool is_fixed(Eigen::Index dof) const { return fixed_[static_cast<std::size_t>(dof)]; }
  const Vector& masses() const { return masses_; }  ///< by dof

  Vector force(const Vector& x, const Vector& v) const;
  double potential(const Vector& x) const;
  Matrix stiffness(const Vector& x) const;                      ///< K = ∂f/∂x, without that of damping
  Matrix damping(const Vector& x) const;                        ///< D = ∂f/∂v
  Vector acceleration(const Vector& x, const Vector& v) const;  ///< M⁻¹ f, 0 where fixed

  Vector slope(const Vector& u) const;     ///< F(u)
  Matrix jacobian(const Vector& u) const;  ///< J = ∂F/∂u with K and D as above
  /// Solves u = rhs + c F(u), from u; with StageSolve::linear by a single Newton iteration.
  Vector implicit(double c, const Vector& rhs, Vector u) const;

  StageSolve stages = StageSolve::newton;

 private:
  struct Spring {
    std::array<Eigen::Index, 2> ends;  // their first dof
    double length, stiffness;
    double limit;  // length beyond which it is stiffer
  };
  double tension(const Spring& s, double l) const;
  Matrix stiffness(const Vector& x, bool of_damping) const;

  Eigen::Index dofs_ = 0;
  std::vector<Spring> springs_;
  std::vector<bool> fixed_;
  Vector masses_;
  Material material_;
};

/// u1 from u0 and h; keeps the history of its method. In u0 the fixed particles have the velocity at which
/// they move within the step.
using DenseMethod = std::function<DenseCloth::Vector(const DenseCloth::Vector& u0, double h)>;

/// The method of that name, word for word from the table in model.md; empty where there is none.
DenseMethod dense_method(std::string_view id, const DenseCloth& cloth, const IntegratorParameters& values);

DenseCloth::Vector dense_state(const State& state);

}  // namespace clothlab::test
