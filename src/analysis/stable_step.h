// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <optional>
#include <vector>

namespace clothlab {

/// Tells a slow growth, which a run ends before it blows up, from energy that only goes up and down: the
/// most that was there in the last quarter of the run exceeds the most of its first quarter by more than a
/// tenth of the most that shook. (Not of what shook in the first quarter, which is next to nothing where a
/// run begins at rest.)
class GrowthWatch {
 public:
  /// After every step: the total energy, and what of it is kinetic and elastic [J].
  void add(double total, double shaking);
  bool grows() const;

 private:
  std::vector<double> total_;
  double most_shaking_ = 0;
};

/// Between which steps [s] a method stops being stable.
struct StableRange {
  double stable = 0;               ///< the largest that was found stable; 0: none down to the smallest
  std::optional<double> unstable;  ///< the smallest above it that was not; none: stable up to the largest
};

/// Halves h from `largest` on until a trial is stable, at most down to `smallest`, then bisects to within
/// the relative `precision` > 0. Where stable steps lie above unstable ones, it is the first range from above
/// that counts. A trial answers whether h is stable; nothing, to give up: then so does this.
std::optional<StableRange> find_stable_range(double smallest, double largest, double precision,
                                             const std::function<std::optional<bool>(double h)>& trial);

}  // namespace clothlab
