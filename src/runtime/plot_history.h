#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "runtime/snapshot.h"

namespace clothlab {

/// The samples behind the plots over time: the last kPlotSamples of them, never closer together than a
/// given spacing, and the newest always that of the present.
class PlotHistory {
 public:
  /// A sample later than all others. It takes the place of the newest one where that one is less than
  /// `spacing` [s] after its forerunner and of the same integrator.
  void add(const PlotSample& sample, double spacing);
  /// Forgets what is later than `time`.
  void forget_after(double time);
  void clear();

  std::shared_ptr<const std::vector<PlotSample>> share();

 private:
  std::deque<PlotSample> samples_;
  std::shared_ptr<const std::vector<PlotSample>> shared_;  // a copy; null when out of date
};

}  // namespace clothlab
