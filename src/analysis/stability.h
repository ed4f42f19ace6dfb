// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "integrate/registry.h"

namespace clothlab {

/// x'' + d x' + ω²x = 0
struct DampedOscillation {
  double omega = 0;    ///< [rad/s]
  double damping = 0;  ///< d [1/s]
};

/// What decides on the stability of a cloth at one shape, in the linear theory: M v' = −K_s x + D v on the
/// free directions, the grab, the wind and what the floor holds included. StabilityMeter measures it;
/// everything that is said of stability is a function of it, of the method and of h.
struct StabilityEstimate {
  /// ω_max and the modal damping d = φᵀ(−D)φ / φᵀMφ of its mode φ.
  DampedOscillation stiffest;
  double damping_max = 0;  ///< largest eigenvalue of M⁻¹(−D) [1/s]
  double wind_rate = 0;    ///< that of the wind's D alone [1/s]
  /// The oscillations by which these two have on one oscillator the limit that they have on the cloth
  /// (StabilityMeter). Verlet's second limit is h · damping_max < 2.
  DampedOscillation symplectic_euler;
  DampedOscillation velocity_verlet;
  /// Those that limit methods of StepCoupling::eigenvalues.
  std::vector<DampedOscillation> others;
  /// They are eigenvalues of J; otherwise Rayleigh quotients and real eigenvalues, which err on the safe
  /// side.
  bool others_are_exact = false;
  std::size_t free_directions = 0;

  double omega_max() const { return stiffest.omega; }
};

/// Up to so many free directions the limits are called exact; above they are shown with a ≈.
inline constexpr std::size_t kExactDirections = 600;

/// Largest stable step of the method [s] at the shape of the estimate: infinity where it has none, 0 where no
/// step is stable. Nothing where that is not known: explicit Euler, which depends on all modes, beyond
/// `others_are_exact`. For methods that take the wind explicitly, the wind's.
std::optional<double> largest_stable_step(const IntegratorInfo& integrator,
                                          const IntegratorParameters& values,
                                          const StabilityEstimate& estimate);

/// That of symplectic Euler, the least of those of the explicit methods that are meant for work.
double explicit_limit(const StabilityEstimate& estimate);

/// Whether `largest_stable_step` is an estimate, to be shown with a ≈.
bool is_approximate(const IntegratorInfo& integrator, const IntegratorParameters& values,
                    const StabilityEstimate& estimate);

/// That of one oscillation alone; 0 where no step is stable.
double largest_stable_step(const IntegratorInfo& integrator, const IntegratorParameters& values,
                           const DampedOscillation& oscillation);

/// Amplitude factor per step of the oscillation that decides: the one that grows most for methods with a
/// limit, the stiffest one for the others.
double deciding_growth(const IntegratorInfo& integrator, const IntegratorParameters& values, double h,
                       const StabilityEstimate& estimate);

/// Whether the method, stable at every h, damps the stiffest oscillation: those that do not may gain energy
/// on cloth all the same.
bool damps_stiff_motion(const IntegratorInfo& integrator, const IntegratorParameters& values, double h,
                        const StabilityEstimate& estimate);

/// The estimate with a grab that adds `stiffness` and `damping` to one point of the cloth at most
/// [1/s², 1/s]: both divided by the mass that it feels there, m = 1/Σ(wᵢ²/mᵢ). On the safe side, by Weyl's
/// inequality.
StabilityEstimate with_grab(StabilityEstimate estimate, double stiffness, double damping);

/// The estimate with every ω² and every damping larger by a share of `strain`, as where springs are strained
/// by so much: they are stiffer across, and turn against each other.
StabilityEstimate with_strain(StabilityEstimate estimate, double strain);

/// The estimate with no oscillation that decides slower than `omega` [rad/s]: a grab pulls taut what hangs
/// compressed, which is stiffer then.
StabilityEstimate at_least(StabilityEstimate estimate, double omega);

}  // namespace clothlab
