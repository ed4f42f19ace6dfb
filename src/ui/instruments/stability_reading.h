// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "analysis/stability.h"

namespace clothlab {

enum class StabilityLevel { unknown, safe, near_limit, unstable };

/// The stability of a method at one step size, short enough for the status bar.
struct StabilityReading {
  StabilityLevel level = StabilityLevel::unknown;
  std::string number;                  ///< "h·ω_max 0.71"
  std::string verdict;                 ///< "stable below 1.4 ms", "grows 1.7× per step"
  std::string help;                    ///< the same in sentences
  std::optional<double> largest_step;  ///< [s], where the method has a limit above zero
};

/// `values` are the method's own parameters; `estimate` is empty while it is not known yet; `h` [s].
StabilityReading read_stability(const IntegratorInfo& integrator, const IntegratorParameters& values,
                                double h, const std::optional<StabilityEstimate>& estimate);

/// The same where the last step did not converge: theory assumes solved steps, so nothing is called stable.
/// `why` is the reason, a sentence without its full stop.
StabilityReading not_converged(StabilityReading reading, const std::string& why);

/// The same where the run has blown up at a later time [s] with the same values, and went back.
StabilityReading blew_up_before(StabilityReading reading, double time);

/// The same where the ledger contradicts a statement that the method is stable: it gained so much energy [J]
/// in this run.
StabilityReading contradicted(StabilityReading reading, double gained);

}  // namespace clothlab
