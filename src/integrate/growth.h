#pragma once

#include <vector>

#include "integrate/dirk2.h"

namespace clothlab {

/// Values of one integrator's own parameters, in the order of its row's `parameters`.
using IntegratorParameters = std::vector<double>;

// Amplitude factors per step (spectral radii) on the damped oscillator x'' + d x' + ω²x = 0, as functions of
// y = hω and s = hd, both >= 0. A method with a stability function R has the larger |R(μ)| of the two
// eigenvalues μ = (−s ± √(s² − 4y²))/2.

double explicit_euler_growth(double y, double s, const IntegratorParameters& values);
double rk4_growth(double y, double s, const IntegratorParameters& values);
/// Backward and semi-implicit Euler.
double implicit_euler_growth(double y, double s, const IntegratorParameters& values);
/// Implicit midpoint and the trapezoidal rule.
double trapezoidal_growth(double y, double s, const IntegratorParameters& values);
double exponential_growth(double y, double s, const IntegratorParameters& values);
double bdf2_growth(double y, double s, const IntegratorParameters& values);
double generalized_alpha_growth(double y, double s, const IntegratorParameters& values);
double xpbd_growth(double y, double s, const IntegratorParameters& values);
double dirk2_growth(const Dirk2::Constants& constants, double y, double s);
/// λ² − (2 − y² − s) λ + (1 − s) = 0: on a circle of radius √(1 − s) while y² + 2s < 4.
double symplectic_euler_growth(double y, double s, const IntegratorParameters& values);
/// With the force of the end taken at the velocity v0 + h a0: stable while s < 2 and y² + 2s − s² < 4.
double velocity_verlet_growth(double y, double s, const IntegratorParameters& values);

// Of the modes that a split method takes by exponentials, without damping; of any other one where it has
// none.

double siere_mode_growth(double y, const IntegratorParameters& values);
double bdf2_ere_mode_growth(double y, const IntegratorParameters& values);
double tr_bdf2_ere_mode_growth(double y, const IntegratorParameters& values);

}  // namespace clothlab
