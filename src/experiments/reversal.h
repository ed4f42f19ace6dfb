// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "core/stop_probe.h"
#include "core/worker_pool.h"
#include "sim/simulation.h"

namespace clothlab {

/// Distance of a state after the reversal from the reversed state of the forward run at the mirrored time:
/// root mean square over the particles.
struct ReversalPoint {
  std::uint64_t step = 0;  ///< since the reversal
  double error_x = 0;      ///< [m]
  double error_v = 0;      ///< [m/s]
};

struct Reversal {
  StepStatus status{};                ///< of the last step
  std::vector<ReversalPoint> points;  ///< at most 256; the last one belongs to the start if `status` is done
  double energy_gain = 0;             ///< total energy at the end less that at the start [J]
};

/// Takes so many steps, reverses all velocities, and takes as many steps back. Motion without damping,
/// friction, moving pins and changing forces runs backwards then [Hairer 2006, §V.1], and so does a method
/// that is symmetric in time, up to rounding and the tolerance of its solvers.
Reversal measure_reversal(Simulation& simulation, std::uint64_t steps, WorkerPool& pool,
                          const StopProbe& stop);

}  // namespace clothlab
