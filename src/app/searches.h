// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>

#include "experiments/limit_search.h"
#include "experiments/stability_map.h"
#include "session/simulation_thread.h"
#include "session/snapshot.h"
#include "ui/panels/panel_context.h"

namespace clothlab {

/// What is searched in the background from moments of the running scene: the limits of all methods, and a map
/// per method. One of each kind runs at a time; results are kept until another scene is loaded.
class Searches {
 public:
  /// A map is of the active lane's method; the search for another one's ends.
  void carry_out(const Search& wanted, SimulationThread& simulation, const Snapshot& now);

  /// Ends and forgets what is of another scene, without waiting for it.
  void follow(const Snapshot& now);
  bool busy() const;
  /// Null before the first.
  const LimitSearch* limits(const Snapshot& now) const;
  /// Of the active lane's method; null before its first.
  const StabilityMap* map(const Snapshot& now) const;

 private:
  void cancel_limits();
  void cancel_maps();
  void forget_all_but(const std::shared_ptr<const LoadedScene>& scene);

  std::shared_ptr<const LoadedScene> scene_;
  std::optional<LimitSearch> limits_;
  std::map<std::size_t, StabilityMap> maps_;  // by row of integrators()
};

}  // namespace clothlab
