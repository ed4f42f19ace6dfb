// SPDX-License-Identifier: MIT
#include "app/searches.h"

#include <algorithm>

namespace clothlab {

void Searches::carry_out(const Search& wanted, SimulationThread& simulation, const Snapshot& now) {
  const bool of_limits = wanted.of == Search::Of::limits;
  if (wanted.cancels) return of_limits ? cancel_limits() : cancel_maps();
  forget_all_but(now.loaded);
  if (of_limits) {
    limits_.emplace(simulation.keep_moment());
    return;
  }
  cancel_maps();
  maps_.erase(now.integrator);
  maps_.try_emplace(now.integrator, simulation.keep_moment(), now.integrator);
}

void Searches::cancel_limits() {
  if (limits_) limits_->cancel();
}

void Searches::cancel_maps() {
  for (auto& [row, map] : maps_) map.cancel();
}

void Searches::follow(const Snapshot& now) {
  if (scene_ == now.loaded) return;
  cancel_limits();
  cancel_maps();
  if (!busy()) forget_all_but(now.loaded);
}

void Searches::forget_all_but(const std::shared_ptr<const LoadedScene>& scene) {
  if (scene_ == scene) return;
  scene_ = scene;
  limits_.reset();
  maps_.clear();
}

bool Searches::busy() const {
  return (limits_ && !limits_->done()) ||
         std::ranges::any_of(maps_, [](const auto& entry) { return !entry.second.done(); });
}

const LimitSearch* Searches::limits(const Snapshot& now) const {
  return limits_ && scene_ == now.loaded ? &*limits_ : nullptr;
}

const StabilityMap* Searches::map(const Snapshot& now) const {
  const auto found = maps_.find(now.integrator);
  return found == maps_.end() || scene_ != now.loaded ? nullptr : &found->second;
}

}  // namespace clothlab
