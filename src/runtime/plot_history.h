// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "runtime/snapshot.h"

namespace clothlab {

/// At most this many samples are kept.
inline constexpr std::size_t kPlotSamples = 3000;
/// The newest ones, which are never thinned out: 30 s at speed 1.
inline constexpr std::size_t kNewestPlotSamples = 1800;

/// The samples behind the plots over time, of a whole run: never closer together than a given spacing, older
/// ones farther apart the longer the run, the first always that of the start and the newest that of the
/// present.
class PlotHistory {
 public:
  /// A sample later than all others. It takes the place of the newest one where that one is less than
  /// `spacing` [s] after its forerunner and of the same integrator.
  void add(const PlotSample& sample, double spacing);
  /// Forgets what is later than `time`.
  void forget_after(double time);
  void clear();
  /// Takes over all samples of a run that is gone on with.
  void set(const std::vector<PlotSample>& samples);

  std::shared_ptr<const std::vector<PlotSample>> share();

 private:
  void thin_out();

  std::vector<PlotSample> samples_;
  std::shared_ptr<const std::vector<PlotSample>> shared_;  // a copy; null when out of date
};

}  // namespace clothlab
