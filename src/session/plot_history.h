// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "session/snapshot.h"

namespace clothlab {

/// At most this many samples are kept.
inline constexpr std::size_t kPlotSamples = 3000;
/// The newest ones, which are never thinned out: 30 s at speed 1.
inline constexpr std::size_t kNewestPlotSamples = 1800;

/// The samples of the plots over time of a whole run: at least a given spacing apart, older ones farther the
/// longer the run; always with the start and the present.
class PlotHistory {
 public:
  /// Adds a sample later than all others. It replaces the newest one if that is less than `spacing` [s]
  /// after its predecessor and of the same integrator.
  void add(const PlotSample& sample, double spacing);
  /// The newest sample; its time must not change. Null if there is none.
  PlotSample* newest();
  /// Removes samples later than `time`.
  void forget_after(double time);
  void clear();
  /// Adopts all samples of a run that is continued.
  void set(const std::vector<PlotSample>& samples);

  std::shared_ptr<const std::vector<PlotSample>> share();

 private:
  void thin_out();

  std::vector<PlotSample> samples_;
  std::shared_ptr<const std::vector<PlotSample>> shared_;  // a copy; null when out of date
};

}  // namespace clothlab
