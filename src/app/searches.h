// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "experiments/choice_search.h"
#include "experiments/limit_search.h"
#include "experiments/stability_map.h"
#include "session/simulation_thread.h"
#include "session/snapshot.h"
#include "ui/panels/panel_context.h"
#include "ui/readings.h"

namespace clothlab {

/// The background searches from moments of the running scene: the limits of all methods, error and cost of
/// all methods, and a stability map per method. One of each kind runs at a time; results are kept until
/// another scene is loaded.
class Searches {
 public:
  /// A map belongs to the active lane's method; a search for another method's map ends.
  void carry_out(const Search& wanted, SimulationThread& simulation, const Snapshot& now) {
    if (wanted.cancels) return cancel(wanted.of);
    forget_all_but(now.loaded);
    switch (wanted.of) {
      case Search::Of::limits:
        limits_.emplace(simulation.keep_moment());
        return;
      case Search::Of::choice: {
        auto moment = simulation.keep_moment();
        decltype(simulation.keep_journal()) journal;
        if (wanted.runs.from == ChoiceStart::journal) journal = simulation.keep_journal();
        choice_.emplace(std::move(moment), wanted.runs, std::move(journal));
        return;
      }
      case Search::Of::map:
        cancel(wanted.of);
        const IntegratorInfo& method = running_method(now);
        maps_.erase(&method);
        maps_.try_emplace(&method, simulation.keep_moment(), method);
    }
  }

  /// Cancels and removes the searches of another scene, without waiting for them.
  void follow(const Snapshot& now) {
    if (scene_ == now.loaded) return;
    for (const Search::Of of : {Search::Of::limits, Search::Of::map, Search::Of::choice}) cancel(of);
    if (!busy()) forget_all_but(now.loaded);
  }
  bool busy() const {
    return (limits_ && !limits_->done()) || (choice_ && !choice_->done()) ||
           std::ranges::any_of(maps_, [](const auto& entry) { return !entry.second.done(); });
  }
  /// Null before the first.
  const LimitSearch* limits(const Snapshot& now) const {
    return limits_ && scene_ == now.loaded ? &*limits_ : nullptr;
  }
  /// Null before the first.
  const ChoiceSearch* choice(const Snapshot& now) const {
    return choice_ && scene_ == now.loaded ? &*choice_ : nullptr;
  }
  /// The map of the active lane's method; null before its first.
  const StabilityMap* map(const Snapshot& now) const {
    const auto found = maps_.find(&running_method(now));
    return found == maps_.end() || scene_ != now.loaded ? nullptr : &found->second;
  }

 private:
  void cancel(Search::Of of) {
    if (of == Search::Of::limits && limits_) limits_->cancel();
    if (of == Search::Of::choice && choice_) choice_->cancel();
    if (of == Search::Of::map)
      for (auto& [method, map] : maps_) map.cancel();
  }
  void forget_all_but(const std::shared_ptr<const LoadedScene>& scene) {
    if (scene_ == scene) return;
    scene_ = scene;
    limits_.reset();
    choice_.reset();
    maps_.clear();
  }

  std::shared_ptr<const LoadedScene> scene_;
  std::optional<LimitSearch> limits_;
  std::optional<ChoiceSearch> choice_;
  std::map<const IntegratorInfo*, StabilityMap> maps_;
};

}  // namespace clothlab
