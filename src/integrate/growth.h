// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>

#include "integrate/integrator_info.h"

namespace clothlab {

// Amplitude factors per step (spectral radii) on the damped oscillator x'' + d x' + ω²x = 0, as functions of
// y = hω and s = hd, both >= 0. A method with a stability function R has the larger |R(μ)| of the two
// eigenvalues μ = (−s ± √(s² − 4y²))/2.

/// The larger of size(μ) for both eigenvalues, of a size with size(z̄) = size(z).
template <class Size>
double largest_at_eigenvalues(double y, double s, const Size& size) {
  using Complex = std::complex<double>;
  const double discriminant = s * s - 4 * y * y;
  if (discriminant < 0) return size(Complex(-s / 2, std::sqrt(-discriminant) / 2));
  const double fast = -(s + std::sqrt(discriminant)) / 2;
  return std::max(size(Complex(fast)), size(Complex(fast < 0 ? y * y / fast : 0.0)));
}

/// The larger |λ| of λ² − 2 (1 − q) λ + e = 0; q² − g = (1 − q)² − e is known without cancellation.
double quadratic_radius(double q, double g, double e);

// Used by several methods:

/// Backward and semi-implicit Euler.
double implicit_euler_growth(double y, double s, const IntegratorParameters& values);
/// Implicit midpoint and the trapezoidal rule.
double trapezoidal_growth(double y, double s, const IntegratorParameters& values);
double bdf2_growth(double y, double s, const IntegratorParameters& values);
/// Of the modes of SIERE and BEERE, if there are any.
double siere_mode_growth(double y, const IntegratorParameters& values);
/// The same of the BDF2 methods with exponential modes.
double bdf2_ere_mode_growth(double y, const IntegratorParameters& values);
/// λ² − (2 − y² − s) λ + (1 − s) = 0: on a circle of radius √(1 − s) while y² + 2s < 4.
double symplectic_euler_growth(double y, double s, const IntegratorParameters& values);
/// With the force of the end at the velocity v0 + h a0: stable while s < 2 and y² + 2s − s² < 4.
double velocity_verlet_growth(double y, double s, const IntegratorParameters& values);

}  // namespace clothlab
