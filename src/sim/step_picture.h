// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/vec.h"
#include "integrate/step_ledger.h"

namespace clothlab {

class Simulation;
class WorkerPool;

/// The force on one particle during the last step (its last substep, if h was divided), as it was and as the
/// method used it [Joubert, figures 6 to 8].
struct StepPicture {
  std::uint32_t particle = 0;
  double h = 0;  ///< [s]
  /// At equal distances in time, both ends included, on the cubic curve through the states at the ends [N].
  std::vector<vec3> along;
  /// The forces that the method evaluated for this step, in its order: their impulses are weight · force.
  std::vector<UsedForce> used;
  /// The rest of the step in the same form, weight [s] 0 if there is none: forces that the method linearised,
  /// that it remembered from earlier steps, or the impulses of rods.
  UsedForce rest;
  /// What `used` and `rest` do not explain [N·s]: impulses of contacts, distances and rods, and residuals
  /// of solvers.
  vec3 constraints{0};
};

/// One for each of these particles of a simulation that watches its steps. None before a step, after a change
/// that was no step, and for particles that the cloth does not have.
std::vector<StepPicture> pictures_of_step(WorkerPool& pool, const Simulation& simulation,
                                          std::span<const std::uint32_t> particles);

}  // namespace clothlab
