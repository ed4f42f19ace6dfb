// SPDX-License-Identifier: MIT
#pragma once

#include <complex>
#include <cstddef>
#include <optional>
#include <vector>

#include "core/stop_probe.h"
#include "integrate/registry.h"

namespace clothlab {

/// The mode of a cloth that the oscillator represents, for methods that treat slow modes separately
/// (IntegratorInfo::growth_of_slow_modes).
enum class ModeKind { slow, rest };

/// Number of slow modes that the method treats separately.
std::size_t slow_modes(const IntegratorInfo& info, const IntegratorParameters& values);

/// The eigenvalues of one step of a method on the oscillator x'' + d x' + ω²x = 0, by falling modulus; the
/// first modulus is the amplitude factor per step. The state is u = (x, v) and the method's memory. Measured
/// by stepping unit states through the Integrator itself: starts in u₋₁ and in u0, and two steps from each.
/// z_k = (u_k, u_{k+1}) identifies the state of the method with its memory, so the map from all z_0 to all
/// z_1 is the step.
///
/// `h_omega` = hω > 0, `h_damping` = hd >= 0. Empty on cancellation, if a value is not finite or no
/// eigenvalues are found, or if the step is no linear map, as where it depends on the energy.
std::vector<std::complex<double>> measure_amplification(const IntegratorInfo& info,
                                                        const IntegratorParameters& values, double h_omega,
                                                        ModeKind kind, const StopProbe& stop = {},
                                                        double h_damping = 0);

/// Response of a method to a force F on the oscillator.
struct ForceResponse {
  /// Steady motion x under F = cos Ωt, in units of F/(mω²), as its complex amplitude. NaN if there is none
  /// because the method's own oscillations grow.
  std::complex<double> steady;
  /// Velocity that one step under a constant F gives to an oscillator at rest, over h F/m, the one by
  /// explicit Euler. By semi-implicit Euler 1/(1 + hd + (hω)²): a low-pass filter of that change [Joubert
  /// 2009, §4.2.2].
  double low_pass = 0;
};

/// The response at Ω = `ratio` · ω, 0 < hΩ < π. As by a driver, the force is constant in a step
/// (IntegratorInfo::force_time). The displacements g_1, g_2, … after a unit force in the first step, and the
/// characteristic polynomial of measure_amplification(), give the transfer function Σ g_k ζ^−k, ζ = e^{ihΩ},
/// as a fraction of two polynomials. None where the eigenvalues are empty.
std::optional<ForceResponse> measure_response(const IntegratorInfo& info, const IntegratorParameters& values,
                                              double h_omega, ModeKind kind, double ratio,
                                              const StopProbe& stop = {}, double h_damping = 0);

/// `steady` of the exact motion, 1/(1 − r² + i r d/ω), r = Ω/ω.
inline std::complex<double> exact_response(double ratio, double damping_over_omega) {
  return 1.0 / std::complex<double>(1 - ratio * ratio, ratio * damping_over_omega);
}

/// The angle by which the method's step leads the exact one, e^{ihω}, within ±π: the closer eigenvalue of a
/// pair. Ambiguous by full turns beyond hω = π.
double phase_error(std::complex<double> eigenvalue, double h_omega);

/// Numerical damping as d/ω of the equation x'' + d x' + ω²x = 0 whose solutions decay as fast per step, −2
/// ln|R| / (hω) [Ascher 2022, §3.2, (12)]. Negative if the method gains energy.
double equivalent_damping(double amplitude_factor, double h_omega);

}  // namespace clothlab
