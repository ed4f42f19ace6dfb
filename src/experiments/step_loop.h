// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
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

/// Takes the steps of a run until the last, a blow-up or a cancellation: `while (loop.next()) …`.
class StepLoop {
 public:
  /// `alone`: see Simulation::step.
  StepLoop(Simulation& simulation, std::uint64_t steps, WorkerPool& pool, StopProbe stop, bool alone = false)
      : simulation_(simulation), left_(steps), pool_(pool), stop_(std::move(stop)), alone_(alone) {}

  /// Takes a step. False if none is left or it was not taken; status() is the reason.
  bool next() {
    if (status_ == StepStatus::done && stop_requested(stop_)) status_ = StepStatus::stopped;
    if (status_ != StepStatus::done || left_ == 0) return false;
    const StepWatch watch;
    status_ = simulation_.step(pool_, stop_, alone_);
    took_ = watch.elapsed();
    --left_;
    return status_ == StepStatus::done;
  }
  /// Takes all remaining steps.
  StepStatus finish() {
    while (next()) {
    }
    return status_;
  }

  StepStatus status() const { return status_; }
  bool stopped() const { return status_ == StepStatus::stopped; }
  bool blew_up() const { return status_ == StepStatus::blown_up; }
  /// Time of the last step.
  const StepTime& took() const { return took_; }

 private:
  Simulation& simulation_;
  std::uint64_t left_;
  WorkerPool& pool_;
  StopProbe stop_;
  bool alone_;
  StepStatus status_ = StepStatus::done;
  StepTime took_;
};

/// Figures of the good steps of a run.
struct StepFigures {
  std::vector<double> step_ms, step_cpu_ms;                ///< wall-clock and processor time of each
  std::uint64_t newton_iterations = 0, cg_iterations = 0;  ///< of all
  std::uint64_t not_converged = 0;                         ///< steps
  std::uint64_t first_not_converged = 0;                   ///< the first of these
  std::string first_reason;                                ///< why that step did not converge
  double simulated = 0;                                    ///< [s]
  // The largest of a step.
  double max_strain = 0, residual = 0, distance = 0, length_violation = 0;
  double spurious_energy = 0;  ///< spurious energy since the start [J]

  void add(const StepRecord& record, const StepTime& took, double dt) {
    step_ms.push_back(took.wall);
    step_cpu_ms.push_back(took.processor);
    newton_iterations += static_cast<std::uint64_t>(record.newton_iterations);
    cg_iterations += static_cast<std::uint64_t>(record.cg_iterations);
    if (!record.converged && not_converged++ == 0) {
      first_not_converged = record.step;
      first_reason = record.reason;
    }
    simulated += dt;
    max_strain = std::max(max_strain, record.max_strain);
    residual = std::max(residual, record.residual);
    distance = std::max(distance, record.distance.value_or(0));
    length_violation = std::max(length_violation, record.length_violation);
    spurious_energy = std::max(spurious_energy, record.ledger.spurious());
  }

  std::uint64_t good_steps() const { return step_ms.size(); }
  /// Simulated time over wall-clock time; NaN without a step.
  double real_time_factor() const {
    return 1000 * simulated / std::accumulate(step_ms.begin(), step_ms.end(), 0.0);
  }
};

}  // namespace clothlab
