// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "analysis/stability.h"

namespace clothlab {

/// One or two sentences on h against the method's linear limit at this shape, or on the growth per step of a
/// method that is never stable, with the numbers. For methods that take stretch springs as rods the estimate
/// is that without these (StabilityMeter), and the text says so. `values` are the method's own parameters;
/// `h` [s].
std::string describe_stability(const IntegratorInfo& integrator, const IntegratorParameters& values, double h,
                               const StabilityEstimate& estimate);

/// What there is to say about a blow-up (sim/simulation.h, BlowUp), as plain values.
struct BlowUpFacts {
  bool finite = true;      ///< false: a value is not a finite number
  std::uint64_t step = 0;  ///< the step that failed
  double time = 0;         ///< at its end [s]
  double h = 0;            ///< its length [s]
  double energy = 0;       ///< what the cloth held after it [J]
  double allowed = 0;      ///< the limit that this passed: factor × what it could have come by [J]
  double factor = 1;       ///< the scene's --energy-limit
  /// Of the last sound state [s], strained by less than 10 %; none: that is the start.
  std::optional<double> sound_time;
};

/// Some sentences: what happened at which step, why it had to (describe_stability, of the estimate at the
/// last sound state, where that is known), and what would help.
std::string explain_blow_up(const BlowUpFacts& facts, const IntegratorInfo& integrator,
                            const IntegratorParameters& values,
                            const std::optional<StabilityEstimate>& estimate);

}  // namespace clothlab
