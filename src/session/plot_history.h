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
  /// Adds a sample. It replaces the newest one if that is less than `spacing` [s] from its predecessor and of
  /// the same integrator. A run that turns back in time takes away the samples that it passes again; from its
  /// first sample on it adds earlier ones.
  void add(const PlotSample& sample, double spacing);
  /// The newest sample; its time must not change. Null if there is none.
  PlotSample* newest();
  /// Removes samples later than `time`, and earlier than it if they were added back in time.
  void forget_after(double time);

  /// In order of time.
  std::shared_ptr<const std::vector<PlotSample>> share();

 private:
  void thin_out();
  bool goes_back() const { return samples_.size() > 1 && samples_[1].time < samples_[0].time; }

  std::vector<PlotSample> samples_;
  std::shared_ptr<const std::vector<PlotSample>> shared_;  // a copy; null when out of date
};

}  // namespace clothlab
