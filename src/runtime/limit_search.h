// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "integrate/registry.h"
#include "runtime/control.h"

namespace clothlab {

/// What a method can do on a scene from a state.
struct MethodLimit {
  const IntegratorInfo* info = nullptr;
  bool done = false;
  /// Largest h at which trials stay bounded [s]; 0: none. `limited`: a larger one did not.
  double largest = 0;
  bool limited = false;
  // Of a run of LimitSearch::kRunSeconds at that h, or a little below where it is a limit. None where it
  // failed.
  struct Run {
    double h = 0;                 ///< [s]
    double cost = 0;              ///< wall-clock seconds for a simulated one, on one thread
    double made = 0;              ///< energy that the method made, less what it destroyed [J]
    std::optional<double> error;  ///< RMS distance from the reference at the end [m]
  };
  std::optional<Run> run;
};

/// The largest stable h of every method, and what it costs and does there, from one state of a run: searched
/// on its own thread, on copies. The reference of the errors is the classical Runge–Kutta method at a quarter
/// of its own largest h. Methods with rods simulate other cloth and have no error.
class LimitSearch {
 public:
  static constexpr double kRunSeconds = 0.5;

  struct Progress {
    std::vector<MethodLimit> methods;  ///< in the order of integrators()
    double time = 0;                   ///< of the state [s]
    double tick = 0;                   ///< h of the scene [s]
    double omega_max = 0;              ///< [rad/s]
    std::string under_way;             ///< what it does now; empty at the end
    double fraction = 0;               ///< 0 to 1
    std::string error;                 ///< one sentence, where it failed
  };

  /// From the moment that SimulationThread::keep_moment() promises.
  explicit LimitSearch(std::shared_future<KeepMoment::Moment> from);
  /// Cancels, and waits for the thread: at most a part of a step.
  ~LimitSearch();
  LimitSearch(const LimitSearch&) = delete;
  LimitSearch& operator=(const LimitSearch&) = delete;

  void cancel();
  /// Ended by itself, cancelled or failed.
  bool done() const;
  std::shared_ptr<const Progress> progress() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace clothlab
