// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "linalg/linear_system.h"
#include "linalg/vectors.h"

namespace clothlab {

/// An ellipse in the complex plane with axes along the real and the imaginary axis.
struct Ellipse {
  double centre, real, imaginary;  ///< on the real axis; half-axes
};

/// Bounds of the field of values of J = [0 I; −M⁻¹K −M⁻¹D] in the energy norm √(xᵀKx + vᵀMv), K and D >= 0.
struct FieldOfValues {
  double frequency;   ///< ω: K <= ω² M
  double damping;     ///< δ: D <= δ M; 0: D = 0
  double share;       ///< β: D >= β (K − τ² M)
  double across;      ///< τ²
  bool semidefinite;  ///< false: a spring of K has b < 0, and the other members are not set

  /// Contains the field of values of hJ, and at most a little of the right half-plane.
  ///
  /// A vector of length 1 whose v has the share s of its energy, K the mean κ <= ω² s on v, and D the mean d
  /// there, gives −h d ± 2 i h √(κ (1 − s)) at most, 0, β (κ − τ² s) <= d <= δ s.
  Ellipse enclosure(double h) const;
};

/// Of K and D on one pattern, from 3x3 blocks; ω is at most a sixth above the highest frequency of a flat
/// sheet. A spring has one direction in both; stencils and diagonals are >= 0. The scratch is resized. Throws
/// Cancelled.
FieldOfValues field_of_values(const ComputeContext& context, const SpringMatrix& K, const SpringMatrix& D,
                              std::span<const double> masses, RowVector& scratch, RowVector& more_scratch);

}  // namespace clothlab
