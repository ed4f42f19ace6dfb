// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <optional>
#include <vector>

namespace clothlab {

/// Distinguishes slow growth from oscillating energy: the largest energy in the last quarter of the run
/// exceeds the largest of its first quarter by more than a tenth of the largest kinetic and elastic energy of
/// the whole run (the one of the first quarter may be nearly 0).
class GrowthWatch {
 public:
  /// After every step: the total energy, and its kinetic and elastic part [J].
  void add(double total, double shaking);
  bool grows() const;

 private:
  std::vector<double> total_;
  double most_shaking_ = 0;
};

/// The step sizes [s] between which a method becomes unstable.
struct StableRange {
  double stable = 0;               ///< largest stable one; 0: none
  std::optional<double> unstable;  ///< smallest unstable one above it; none: stable up to the largest
};

/// Halves h from `largest` on until a trial is stable, at most down to `smallest`, then bisects to within
/// the relative `precision` > 0. If stable steps lie above unstable ones, the first range from above counts.
/// A trial returns whether h is stable, or none to cancel; then this returns none.
std::optional<StableRange> find_stable_range(double smallest, double largest, double precision,
                                             const std::function<std::optional<bool>(double h)>& trial);

}  // namespace clothlab
