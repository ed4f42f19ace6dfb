#include "runtime/plot_history.h"

namespace clothlab {

void PlotHistory::add(const PlotSample& sample, double spacing) {
  shared_ = nullptr;
  if (samples_.size() >= 2) {
    const PlotSample& before = samples_[samples_.size() - 2];
    PlotSample& newest = samples_.back();
    const bool same = before.integrator == newest.integrator && newest.integrator == sample.integrator;
    // The small factor keeps rounding from turning "every step" into "every second step".
    if (same && newest.time - before.time < spacing * (1 - 1e-6)) {
      newest = sample;
      return;
    }
  }
  samples_.push_back(sample);
  if (samples_.size() > kPlotSamples) samples_.pop_front();
}

void PlotHistory::forget_after(double time) {
  shared_ = nullptr;
  while (!samples_.empty() && samples_.back().time > time) samples_.pop_back();
}

void PlotHistory::clear() {
  shared_ = nullptr;
  samples_.clear();
}

std::shared_ptr<const std::vector<PlotSample>> PlotHistory::share() {
  if (!shared_) shared_ = std::make_shared<const std::vector<PlotSample>>(samples_.begin(), samples_.end());
  return shared_;
}

}  // namespace clothlab
