// SPDX-License-Identifier: MIT
#pragma once

#include <future>
#include <optional>
#include <vector>

#include "experiments/moment_search.h"
#include "integrate/registry.h"

namespace clothlab {

/// Results of a method on a scene from a state.
struct MethodLimit {
  const IntegratorInfo* info = nullptr;
  bool done = false;
  /// Largest h at which trials stay bounded [s]; 0: none. `limited`: a larger one did not.
  double largest = 0;
  bool limited = false;
  // Of a run of LimitSearch::kRunSeconds at that h, or a little below if it is a limit. None if it failed.
  struct Run {
    double h = 0;                 ///< [s]
    double cost = 0;              ///< processor seconds for a simulated one, on one thread
    double spurious = 0;          ///< energy of the method: spurious energy less numerical damping [J]
    std::optional<double> error;  ///< RMS distance from the reference at the end [m]
  };
  std::optional<Run> run;
};

struct LimitProgress : SearchProgress {
  std::vector<MethodLimit> methods;  ///< in the order of integrators(), those that can run the scene
  double tick = 0;                   ///< h of the scene [s]
  double omega_max = 0;              ///< [rad/s]
};

/// The largest stable h of every method, with cost and result, from one state of a run. The
/// reference of the errors is the classical Runge–Kutta method at a quarter of its own largest h. Methods
/// with rods simulate other cloth and have no error.
class LimitSearch : public MomentSearch<LimitProgress> {
 public:
  static constexpr double kRunSeconds = 0.5;

  explicit LimitSearch(std::shared_future<KeepMoment::Kept> from);
};

}  // namespace clothlab
