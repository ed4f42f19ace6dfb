// SPDX-License-Identifier: MIT
#pragma once

#include <complex>
#include <vector>

#include "core/stop_probe.h"
#include "integrate/registry.h"

namespace clothlab {

/// The mode of a cloth that the oscillator represents, for methods that treat slow modes separately
/// (IntegratorInfo::growth_of_slow_modes).
enum class ModeKind { slow, rest };

/// The eigenvalues of one step of a method on the oscillator x'' + d x' + ω²x = 0, by falling modulus; the
/// first modulus is the amplitude factor per step. The state is u = (x, v) and the method's memory. Measured
/// by stepping unit states through the Integrator itself: starts in u₋₁ and in u0, and two steps from each.
/// z_k = (u_k, u_{k+1}) identifies the state of the method with its memory, so the map from all z_0 to all
/// z_1 is the step.
///
/// `h_omega` = hω > 0, `h_damping` = hd >= 0. Empty on cancellation, if a value is not finite, or if the step
/// is no linear map, as where it depends on the energy.
std::vector<std::complex<double>> measure_amplification(const IntegratorInfo& info,
                                                        const IntegratorParameters& values, double h_omega,
                                                        ModeKind kind, const StopProbe& stop = {},
                                                        double h_damping = 0);

/// The angle by which the method's step leads the exact one, e^{ihω}, within ±π: the closer eigenvalue of a
/// pair. Ambiguous by full turns beyond hω = π.
double phase_error(std::complex<double> eigenvalue, double h_omega);

/// Numerical damping as d/ω of the equation x'' + d x' + ω²x = 0 whose solutions decay as fast per step, −2
/// ln|R| / (hω) [Ascher 2022, §3.2, (12)]. Negative if the method gains energy.
double equivalent_damping(double amplitude_factor, double h_omega);

}  // namespace clothlab
