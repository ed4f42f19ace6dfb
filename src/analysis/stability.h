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

/// The quantities on which stability depends in linear theory at one shape: M v' = −K_s x + D v on the free
/// directions, with grab, wind and contacts. StabilityMeter measures them; every statement on stability is a
/// function of them, the method and h.
struct StabilityEstimate {
  /// ω_max and the modal damping d = φᵀ(−D)φ / φᵀMφ of its mode φ.
  DampedOscillation stiffest;
  double damping_max = 0;  ///< largest eigenvalue of M⁻¹(−D) [1/s]
  double wind_rate = 0;    ///< the same of the wind's D alone [1/s]
  /// The oscillations on which these two methods have the same limit as on the cloth (StabilityMeter).
  /// Verlet's second limit is h · damping_max < 2.
  DampedOscillation symplectic_euler;
  DampedOscillation velocity_verlet;
  /// Those that limit methods of StepCoupling::eigenvalues.
  std::vector<DampedOscillation> others;
  /// They are eigenvalues of J; otherwise Rayleigh quotients and real eigenvalues, which are on the safe
  /// side.
  bool others_are_exact = false;
  std::size_t free_directions = 0;
  /// Shares of contact forces in the stiffness of the stiffest oscillation and in the damping of the most
  /// damped one.
  double contact_in_stiffness = 0, contact_in_damping = 0;
  bool without_distances = false;  ///< the cloth has distances, which the estimate leaves out

  double omega_max() const { return stiffest.omega; }
};

/// Follows modes and limits that are `without_distances`.
inline constexpr const char* kWithoutDistances =
    "Distances are left out: this is for the cloth without them.";

/// Up to this number of free directions limits are exact; above they are shown with a ≈.
inline constexpr std::size_t kExactDirections = 600;

/// Largest stable step of the method [s] at the shape of the estimate: infinity without a limit, 0 if no step
/// is stable. None if unknown: for explicit Euler, which depends on all modes, without `others_are_exact`.
/// For methods with explicit wind, the limit of the wind. For a composition with damping, the smallest limit
/// of all oscillations with ω <= ω_max and d <= damping_max.
std::optional<double> largest_stable_step(const IntegratorInfo& integrator,
                                          const IntegratorParameters& values,
                                          const StabilityEstimate& estimate);

/// True if contact forces set the limit of a method: they contribute most of the stiffness or damping that
/// decides it.
bool is_limited_by_contact(const IntegratorInfo& integrator, const IntegratorParameters& values,
                           const StabilityEstimate& estimate);

/// The limit of symplectic Euler, the smallest of the practical explicit methods.
double explicit_limit(const StabilityEstimate& estimate);

/// True if `largest_stable_step` is an estimate, to be shown with a ≈.
bool is_approximate(const IntegratorInfo& integrator, const IntegratorParameters& values,
                    const StabilityEstimate& estimate);

/// The limit of one oscillation; 0 if no step is stable.
double largest_stable_step(const IntegratorInfo& integrator, const IntegratorParameters& values,
                           const DampedOscillation& oscillation);

/// Amplitude factor per step: of the oscillation that grows most for methods with a limit, of the stiffest
/// one for the others.
double deciding_growth(const IntegratorInfo& integrator, const IntegratorParameters& values, double h,
                       const StabilityEstimate& estimate);

/// True if a method without a limit damps the stiffest oscillation; otherwise it may gain energy on nonlinear
/// cloth.
bool damps_stiff_motion(const IntegratorInfo& integrator, const IntegratorParameters& values, double h,
                        const StabilityEstimate& estimate);

/// The estimate with a grab that adds `stiffness` and `damping` to one point of the cloth at most [1/s²,
/// 1/s]: both divided by the effective mass m = 1/Σ(wᵢ²/mᵢ). On the safe side, by Weyl's inequality.
StabilityEstimate with_grab(StabilityEstimate estimate, double stiffness, double damping);

/// The estimate with every ω² and every damping larger by a share of `strain`, for springs strained by that:
/// they have transverse stiffness and rotate against each other.
StabilityEstimate with_strain(StabilityEstimate estimate, double strain);

/// The estimate with every deciding oscillation at least `omega` [rad/s] fast: a pull makes compressed
/// springs taut, and so stiffer.
StabilityEstimate at_least(StabilityEstimate estimate, double omega);

}  // namespace clothlab
