// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "integrate/tableau.h"

namespace clothlab {

/// The coefficients of a two-step method, scaled to α2 = 1:
///   α2 u1 + α1 u0 + α0 u₋₁ = h (β2 F(u1) + β1 F(u0) + β0 F(u₋₁))     [Hairer 1993, III.2].
class TwoStepTable {
 public:
  /// Throws InputError: what is wrong, and what is allowed.
  explicit TwoStepTable(const Tableau& tableau);
  /// Of the values of a method (IntegratorInfo::table): α0, α1, β0, β1, β2.
  explicit TwoStepTable(std::span<const double> values);

  double alpha(std::size_t k) const { return alpha_[k]; }
  double beta(std::size_t k) const { return beta_[k]; }
  bool is_implicit() const { return beta_[2] != 0; }
  /// True if forces at earlier states than u1 act in a step.
  bool uses_old_forces() const { return beta_[0] != 0 || beta_[1] != 0; }

  TableauFacts facts() const;
  std::vector<double> values() const;

 private:
  int order() const;
  double limit_on_axis() const;

  std::array<double, 3> alpha_{}, beta_{};
};

/// The larger root |ζ| of (α2 − zβ2) ζ² + (α1 − zβ1) ζ + α0 − zβ0 = 0 at the eigenvalues of an oscillator.
double two_step_growth(double h_omega, double h_damping, const IntegratorParameters& values);
/// IntegratorInfo::force_time.
double two_step_force_time(const IntegratorParameters& values);

}  // namespace clothlab
