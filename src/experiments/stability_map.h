// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <future>
#include <optional>
#include <vector>

#include "experiments/moment_search.h"
#include "integrate/registry.h"

namespace clothlab {

/// One node of the map: trials of so many steps with its h and k_s.
struct MapNode {
  /// `unconverged`: bounded, but the solver missed its tolerance in some steps. `unstable`: the energy grew,
  /// or the run blew up.
  enum class Verdict : std::uint8_t { unknown, bounded, unconverged, unstable };
  Verdict verdict = Verdict::unknown;
  bool tried = false;       ///< otherwise the verdict of the nearest tried node
  std::uint64_t steps = 0;  ///< good ones; fewer than StabilityMap::kSteps: then it blew up
  std::uint64_t unconverged = 0;
  // Means of the good steps.
  double step_ms = 0, newton_iterations = 0, linear_iterations = 0;
};

/// A column: one stretch stiffness.
struct MapColumn {
  double stiffness = 0;         ///< k_s [N/m]
  double omega_max = 0;         ///< at the state [rad/s]; 0: not measured yet
  std::optional<double> limit;  ///< of linear theory [s]; none: not known, or no h is too large
};

struct MapProgress : SearchProgress {
  static constexpr std::size_t kSide = 33;  ///< nodes along either axis

  const IntegratorInfo* info = nullptr;    ///< of the method
  std::array<double, kSide> h{};           ///< [s], ascending, evenly in the logarithm
  std::array<MapColumn, kSide> columns{};  ///< ascending k_s, also evenly in the logarithm
  std::vector<MapNode> nodes = std::vector<MapNode>(kSide * kSide);
  std::size_t tried = 0;    ///< trials so far
  std::size_t spacing = 0;  ///< of the nodes that are tried now; 0 before the first

  const MapNode& at(std::size_t column, std::size_t k) const { return nodes[column * kSide + k]; }
};

/// Stability of a method over h and stretch stiffness k_s, from one state of a run, on a grid with
/// logarithmic axes. Trials go from coarse to fine: all nodes 16, 8 and 4 apart, then only nodes that have a
/// neighbour with another verdict. The border is exact to a node; a region between nodes 4 apart is missed.
///
/// k_s goes from a hundredth to a hundred times the value of the scene: ω_max from about a tenth to ten times
/// its present one. h goes from a hundredth to 30 times 2/ω_max at the present k_s, and further if the
/// scene's own h lies outside. This shows limits of 0.2/ω_max (explicit Euler in such short trials) to
/// 6/ω_max at every k_s.
class StabilityMap : public MomentSearch<MapProgress> {
 public:
  static constexpr std::uint64_t kSteps = 100;  ///< of a trial

  StabilityMap(std::shared_future<KeepMoment::Kept> from, const IntegratorInfo& info);
};

}  // namespace clothlab
