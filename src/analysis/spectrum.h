// SPDX-License-Identifier: MIT
#pragma once

#include <complex>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "analysis/stability.h"
#include "linalg/linear_system.h"
#include "linalg/lowest_modes.h"

namespace clothlab {

/// Modes of about the same frequency.
struct ModeGroup {
  double eigenvalue = 0;  ///< ω² of M⁻¹K_s [1/s²]; negative if cloth buckles
  double damping = 0;     ///< d = φᵀ(−D)φ / φᵀMφ [1/s], >= 0: the diagonal approximation
  double modes = 0;       ///< number of modes, fractional if it is an estimate
};

/// The eigenvalues of M⁻¹K_s on the free directions at one shape.
struct Spectrum {
  std::vector<ModeGroup> groups;  ///< ascending; their modes add up to free_directions
  std::size_t free_directions = 0;
  bool is_exact = false;  ///< every group is one mode
  double highest = 0;     ///< largest eigenvalue [1/s²]
  bool is_damped = false;
  bool without_distances = false;  ///< as in StabilityEstimate
  /// The eigenvalues of J, if requested: all of them [1/s], and as oscillations, without motions that have no
  /// force and with growing ones as undamped.
  std::vector<std::complex<double>> jacobian;
  std::optional<std::vector<DampedOscillation>> eigenvalues;
};

/// The number of modes below an eigenvalue [1/s²]. Where groups are estimates, their modes are spread evenly
/// up to the next ones, except those without stiffness.
double modes_below(const Spectrum& spectrum, double eigenvalue);

/// Measures spectra: up to `most_exact` free directions all modes, by a dense solver. Above, the lowest
/// modes by LowestModes, which starts from its last result, and the others in groups by Lanczos quadrature
/// [Ubaru 2017] from fixed pseudo-random vectors. The count of modes below any eigenvalue then has a standard
/// deviation of at most 1.3 % of all. Modes without stiffness, |ω²| < 10⁻¹⁰ ω_max², are then one group at 0,
/// unless the cloth buckles: the quadrature alone does not separate them from slow modes.
class SpectrumMeter {
 public:
  /// K, C: K_s and −D. `masses` in kg, > 0. Throws Cancelled; none if values are not finite.
  std::optional<Spectrum> measure(const ComputeContext& context, const SpringMatrix& K, const SpringMatrix& C,
                                  std::span<const double> masses, const Projection& held,
                                  std::size_t most_exact = kExactDirections);

 private:
  std::unique_ptr<LowestModes> lowest_ = std::make_unique<LowestModes>();
};

}  // namespace clothlab
