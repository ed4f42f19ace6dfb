// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

#include "core/stop_probe.h"
#include "session/background.h"
#include "sim/simulation.h"

namespace clothlab {

/// Time of a step [ms].
struct StepTime {
  double wall = 0;
  double processor = 0;  ///< of all threads of the program
};

/// Starts with its construction.
class StepWatch {
 public:
  StepTime elapsed() const {
    const std::chrono::duration<double, std::milli> wall = std::chrono::steady_clock::now() - wall_;
    return {wall.count(), 1e3 * (process_seconds() - processor_)};
  }

 private:
  double processor_ = process_seconds();  // [s]; outside of the wall-clock time
  std::chrono::steady_clock::time_point wall_ = std::chrono::steady_clock::now();
};

/// Takes the steps of a run until the last, a blow-up or a cancellation; returns which of these. Calls
/// `observe` with the time of each good step; the run also ends if that returns false.
template <class Observe>
StepStatus run_steps(Simulation& simulation, std::uint64_t steps, WorkerPool& pool, const StopProbe& stop,
                     const Observe& observe) {
  for (; !stop_requested(stop); --steps) {
    if (steps == 0) return StepStatus::done;
    const StepWatch watch;
    const StepStatus status = simulation.step(pool, stop);
    const StepTime took = watch.elapsed();
    if (status != StepStatus::done) return status;
    if constexpr (std::is_void_v<std::invoke_result_t<Observe, StepTime>>)
      observe(took);
    else if (!observe(took))
      return StepStatus::done;
  }
  return StepStatus::stopped;
}

/// Figures of the good steps of a run.
struct StepFigures {
  std::vector<double> step_ms, step_cpu_ms;  ///< wall-clock and processor time of each
  std::uint64_t newton_iterations = 0, cg_iterations = 0, products = 0, force_evaluations = 0;  ///< of all
  std::uint64_t not_converged = 0;                                                              ///< steps
  std::uint64_t first_not_converged = 0;  ///< the first of these
  std::string first_reason;               ///< why that step did not converge
  double simulated = 0;                   ///< [s]
  // The largest of a step.
  double max_strain = 0, residual = 0, distance = 0, length_violation = 0, rod_force = 0;
  double spurious_energy = 0;  ///< spurious energy since the start [J]

  void add(const StepRecord& record, const StepTime& took, double dt) {
    step_ms.push_back(took.wall);
    step_cpu_ms.push_back(took.processor);
    newton_iterations += static_cast<std::uint64_t>(record.newton_iterations);
    cg_iterations += static_cast<std::uint64_t>(record.cg_iterations);
    products += static_cast<std::uint64_t>(record.products);
    force_evaluations += static_cast<std::uint64_t>(record.force_evaluations);
    if (!record.converged && not_converged++ == 0) {
      first_not_converged = record.step;
      first_reason = record.reason;
    }
    simulated += std::abs(dt);
    max_strain = std::max(max_strain, record.max_strain);
    residual = std::max(residual, record.residual);
    distance = std::max(distance, record.distance.value_or(0));
    length_violation = std::max(length_violation, record.length_violation);
    rod_force = std::max(rod_force, record.rod_force);
    spurious_energy = std::max(spurious_energy, record.ledger.spurious());
  }

  std::uint64_t good_steps() const { return step_ms.size(); }
  /// Mean per good step of a total; NaN without a step.
  double per_step(std::uint64_t all) const {
    return static_cast<double>(all) / static_cast<double>(good_steps());
  }
  /// Simulated time over wall-clock time; NaN without a step.
  double real_time_factor() const {
    return 1000 * simulated / std::accumulate(step_ms.begin(), step_ms.end(), 0.0);
  }
};

}  // namespace clothlab
