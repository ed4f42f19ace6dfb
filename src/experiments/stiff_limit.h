// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/stop_probe.h"
#include "core/worker_pool.h"
#include "documents/scene_loader.h"
#include "integrate/registry.h"
#include "sim/simulation.h"

namespace clothlab {

/// The end of a run: the force of every stretch spring, in their order, positive in tension [N]: k (l − L),
/// or λ of methods with rods. NaN between two pins, where a rod has no force.
struct SpringForcesAtEnd {
  StepStatus status{};      ///< of the last step
  std::string_view reason;  ///< why the last step did not converge; empty when converged
  std::vector<double> forces;
  std::vector<vec3> positions;  ///< of the particles [m]
};

/// Runs the scene with this method and stretch stiffness [N/m].
SpringForcesAtEnd run_to_forces(const LoadedScene& loaded, const IntegratorInfo& info, double stiffness,
                                std::uint64_t steps, WorkerPool& pool, const StopProbe& stop);

/// How far springs are from rods. In equilibrium both differences fall as 1/k: the extension vanishes, and k
/// times it does not.
struct StiffLimit {
  double largest = 0;   ///< force of a rod [N]
  double force = 0;     ///< largest |k (l − L) − λ|, relative to `largest`
  double distance = 0;  ///< of the positions, root mean square [m]
};
StiffLimit compare_with_rods(const SpringForcesAtEnd& springs, const SpringForcesAtEnd& rods);

}  // namespace clothlab
