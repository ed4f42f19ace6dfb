// SPDX-License-Identifier: MIT
#pragma once

#include <complex>
#include <vector>

#include "core/stop_probe.h"
#include "integrate/registry.h"

namespace clothlab {

/// Which oscillation of a cloth stands for the oscillator that is measured. It matters to the methods that
/// treat a few slow modes otherwise than the rest (IntegratorInfo::growth_of_slow_modes).
enum class ModeKind { slow, rest };

/// The eigenvalues of one step of a method on one oscillator x'' + d x' + ω²x = 0, u = (x, v) and what the
/// method keeps of the past, of falling modulus; the first one's modulus is the amplitude factor per step.
/// Found by stepping unit states through the Integrator itself: starts in u₋₁ and in u0 (what is kept of u₋₁,
/// an acceleration for instance, takes part as it comes), two steps on from each. With z_k = (u_k, u_{k+1}),
/// which no two different states of the method have in common, the map of all z_0 to all z_1 is the step.
///
/// `h_omega` = hω > 0, `h_damping` = hd >= 0. Empty when `stop` asked to give up, or where a value is not
/// finite.
std::vector<std::complex<double>> measure_amplification(const IntegratorInfo& info,
                                                        const IntegratorParameters& values, double h_omega,
                                                        ModeKind kind, const StopProbe& stop = {},
                                                        double h_damping = 0);

/// The angle by which the method's step leads the exact one, e^{ihω}, within ±π: an eigenvalue, of a pair
/// the one that is closer. Beyond hω = π nobody can tell how many turns were missed.
double phase_error(std::complex<double> eigenvalue, double h_omega);

/// What the method damps with: d/ω of the equation x'' + d x' + ω²x = 0 whose solutions shrink as fast per
/// step, −2 ln|R| / (hω) [Ascher 2022, §3.2, (12)]. Negative where the method gains.
double equivalent_damping(double amplitude_factor, double h_omega);

}  // namespace clothlab
