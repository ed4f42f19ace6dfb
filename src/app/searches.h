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

/// The background searches from moments of the running scene: the limits of all methods, and a stability map
/// per method. One of each kind runs at a time; results are kept until another scene is loaded.
class Searches {
 public:
  /// A map belongs to the active lane's method; a search for another method's map ends.
  void carry_out(const Search& wanted, SimulationThread& simulation, const Snapshot& now);

  /// Cancels and removes the searches of another scene, without waiting for them.
  void follow(const Snapshot& now);
  bool busy() const;
  /// Null before the first.
  const LimitSearch* limits(const Snapshot& now) const;
  /// The map of the active lane's method; null before its first.
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
