// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

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

/// φ1(Z) = Z⁻¹(e^Z − I) as a series Σ c_n F_n(Z) in the Faber polynomials of an ellipse with centre c on the
/// real axis and half-axes a and b along the real and the imaginary one. They are Chebyshev's polynomials of
/// the first kind, shifted and scaled: with ρ = (a + b)/2 and q = (a − b)/(a + b)
///   F_0 = I,  F_1 = (Z − c)/ρ,  F_2 = F_1² − 2q I,  F_n+1 = F_1 F_n − q F_n−1.
/// If the field of values of Z lies in the ellipse, ‖F_n(Z)‖ <= 2 [Beckermann 2009], so the omitted
/// coefficients bound the error; from n = b on they vanish faster than those of a power series.
class PhiSeries {
 public:
  /// Allocates for that many coefficients, the maximum.
  void reserve(std::size_t most);
  /// False, without a series, if a + b is not a number above 0, or if more coefficients than that exceed the
  /// rounding. Does not allocate.
  bool expand(const Ellipse& ellipse);

  /// F_1 = shift I + scale Z
  double scale() const { return scale_; }
  double shift() const { return shift_; }
  double q() const { return q_; }
  double coefficient(std::size_t n) const { return c_[n]; }

  /// The least N with 2 Σ_n>N |c_n| (x + n v) <= error.
  std::size_t terms(double x, double v, double error) const;

 private:
  double scale_ = 0, shift_ = 0, q_ = 0;
  std::size_t most_ = 0;
  std::vector<double> c_, e_;
};

}  // namespace clothlab
