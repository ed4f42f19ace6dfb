// SPDX-License-Identifier: MIT
#include "session/plot_history.h"

#include <cmath>

namespace clothlab {

void PlotHistory::add(const PlotSample& sample, double spacing) {
  shared_ = nullptr;
  const bool back = goes_back();
  const auto is_passed = [&] {
    const double newest = samples_.back().time;
    return back ? newest <= sample.time : newest >= sample.time;
  };
  while (samples_.size() > 1 && is_passed()) samples_.pop_back();
  if (samples_.size() == 1 && samples_.front().time == sample.time) samples_.clear();
  if (samples_.size() >= 2) {
    const PlotSample& before = samples_[samples_.size() - 2];
    PlotSample& newest = samples_.back();
    const bool same = before.integrator == newest.integrator && newest.integrator == sample.integrator;
    // The small factor keeps rounding from turning "every step" into "every second step".
    if (same && std::abs(newest.time - before.time) < spacing * (1 - 1e-6)) {
      newest = sample;
      return;
    }
  }
  samples_.push_back(sample);
  if (samples_.size() > kPlotSamples) thin_out();
}

// Removes every second one of the older samples, except at a switch of methods, then the oldest if that is
// not enough. The first stays: energies are relative to it.
void PlotHistory::thin_out() {
  const std::size_t older = samples_.size() - kNewestPlotSamples;
  std::size_t kept = 1;
  for (std::size_t i = 1; i < samples_.size(); ++i) {
    const bool at_switch = samples_[i].integrator != samples_[i - 1].integrator ||
                           (i + 1 < samples_.size() && samples_[i].integrator != samples_[i + 1].integrator);
    if (i >= older || i % 2 == 0 || at_switch) samples_[kept++] = samples_[i];
  }
  samples_.resize(kept);
  if (kept > kPlotSamples) samples_.erase(samples_.begin() + 1, samples_.end() - (kPlotSamples - 1));
}

PlotSample* PlotHistory::newest() {
  shared_ = nullptr;
  return samples_.empty() ? nullptr : &samples_.back();
}

void PlotHistory::forget_after(double time) {
  shared_ = nullptr;
  if (goes_back())
    while (samples_.size() > 1 && samples_.back().time < time) samples_.pop_back();
  else
    while (!samples_.empty() && samples_.back().time > time) samples_.pop_back();
}

std::shared_ptr<const std::vector<PlotSample>> PlotHistory::share() {
  if (shared_) return shared_;
  shared_ = goes_back() ? std::make_shared<const std::vector<PlotSample>>(samples_.rbegin(), samples_.rend())
                        : std::make_shared<const std::vector<PlotSample>>(samples_);
  return shared_;
}

}  // namespace clothlab
