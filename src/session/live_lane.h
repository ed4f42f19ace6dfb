// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arena/arena.h"
#include "session/plot_history.h"
#include "session/real_time.h"
#include "session/revival.h"
#include "session/snapshot.h"
#include "session/stability_monitor.h"

namespace clothlab {

/// What the simulation thread keeps of a lane in addition to its run: curves, times, stability and blow-up.
struct LiveLane {
  using Clock = std::chrono::steady_clock;

  LiveLane(LaneId lane, std::function<void()> answered) : id(lane), monitor(std::move(answered)) {}

  const LaneId id;
  PlotHistory plot;
  std::shared_ptr<const std::vector<PlotSample>> plot_of_other_branch;
  /// Start of the method's share of the energies: the lane has this integrator and this h [s].
  struct MethodOrigin {
    LaneOrigin since;
    std::uint16_t integrator = 0;
    double h = 0;
  };
  /// The origin of its energies.
  struct Origins {
    LaneOrigin common;
    MethodOrigin method;
    std::optional<MethodOrigin> before;  // the one with which steps were taken before `method`
  };
  Origins origins, origins_of_other_branch;
  std::vector<StepTimer> timers{integrators().size()};  // of each method's steps on this scene
  std::vector<double> method_ms = std::vector<double>(integrators().size());

  std::optional<StabilityEstimate> stability;
  std::shared_ptr<const MeasuredSpectrum> spectrum;
  std::optional<StabilityEstimate> free_stability;  // the last that was measured without a grab
  std::shared_ptr<const StabilityMonitor::Answer> taken;
  Clock::time_point asked{};
  double requested_at = 0;      // simulated [s]
  std::uint64_t question = 0;   // tag of the last question to the monitor
  std::uint64_t forgotten = 0;  // answers up to this one are ignored

  bool steps = false;  // takes part in the present step
  std::optional<BlownUpRun> blown;
  /// The last blow-up, from before which the run may have gone back.
  struct LastBlowUp {
    double time = 0;                     // [s]
    std::shared_ptr<const Scene> scene;  // with which it came
  };
  std::optional<LastBlowUp> last_blow_up;
  std::string_view warning;
  bool warned_of_solve = false;  // it reports why one did not converge
  Clock::time_point warned{};
  NewNotices new_notices;

  /// What a new lane becomes when it has caught up.
  enum class Arrival { stays, active, reference };
  /// It catches up from the past, or for the first time.
  struct Return {
    CatchUp run;
    double from = 0;  // [s]
    Arrival arrival = Arrival::stays;
    Origins origins_before = {};
    int substeps = 1;  // after catching up; more before that, where h was larger for a while
    /// The scene that is shown, of its own run or of the other lanes at present.
    std::shared_ptr<const Scene> shown = {}, of_run = {}, present = {};
  };
  std::optional<Return> catching_up;

  StabilityMonitor monitor;
};

}  // namespace clothlab
