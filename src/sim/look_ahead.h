// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/stop_probe.h"
#include "core/worker_pool.h"
#include "sim/checkpoint.h"
#include "sim/notice.h"
#include "sim/simulation.h"

namespace clothlab {

/// What happens to a run without an intervention.
struct Prediction {
  struct Failure {
    std::uint64_t step = 0;
    double time = 0;   ///< after that step [s]
    std::string text;  ///< of the warning
  };
  std::array<std::optional<Failure>, kWarnings.size()> failures;  ///< the first of each kind, as in kWarnings
  double begin = 0;                                               ///< time from which the copy runs ahead [s]
  double reached = 0;  ///< there are no other failures until then [s]
};

/// The failures of a run so far, as in kWarnings: of its last step, of any step, of any step.
std::array<bool, kWarnings.size()> failures_of(const Simulation& run);
/// Text of a warning of the failure that the last step of a copy has found: what, when, why, and the cure.
/// Throws Cancelled on request of `stop`.
std::string failure_text(WorkerPool& pool, const Simulation& copy, std::size_t kind, const StopProbe& stop);

/// Runs a copy ahead of a run, with its paths and moving bodies and the grab as it is now. A run is
/// deterministic, so its failures are known to the step, as long as nothing changes. Never changes the run.
class LookAhead {
 public:
  /// Starts from the present of a run of `mesh`, whose model may be shared. `alone`: see Simulation::step.
  /// Throws Cancelled on request of `stop`.
  void begin(WorkerPool& pool, const Checkpoint& from, const std::shared_ptr<const ClothMesh>& mesh,
             const std::shared_ptr<const ClothModel>& model, bool alone, const StopProbe& stop = {});
  /// One step of the copy. False if it has blown up, or was stopped: then begin() must follow.
  bool advance(WorkerPool& pool, const StopProbe& stop = {});
  const Prediction& prediction() const { return found_; }

  /// Advances the copy until it is `ahead` of the run [s], but not beyond the time `end` [s]. Starts again
  /// after a change of the run, which must be the same one in every call. With steps back in time: nothing.
  void follow(WorkerPool& pool, const Simulation& run, bool alone, double ahead, double end,
              const StopProbe& stop = {});

 private:
  std::unique_ptr<Simulation> copy_;
  bool alone_ = false;
  std::array<bool, kWarnings.size()> known_{};  // failures before the beginning
  Prediction found_;
  std::optional<std::uint64_t> changes_;  // of the run that it follows
  Checkpoint now_;
};

}  // namespace clothlab
