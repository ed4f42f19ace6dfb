// SPDX-License-Identifier: MIT
#pragma once

#include <imgui.h>

#include <optional>
#include <string>

#include "analysis/stability.h"
#include "integrate/registry.h"
#include "session/snapshot.h"
#include "sim/simulation.h"

namespace clothlab {

enum class StabilityLevel { unknown, safe, near_limit, unstable };

/// The stability of a method at one step size, short enough for the status bar.
struct StabilityReading {
  StabilityLevel level = StabilityLevel::unknown;
  std::string number;                  ///< "h·ω_max 0.71"
  std::string verdict;                 ///< "stable below 1.4 ms", "grows 1.7× per step"
  std::string help;                    ///< the same in sentences
  std::optional<double> largest_step;  ///< [s], where the method has a limit above zero
};

/// `values` are the method's own parameters; `estimate` is empty while it is not known yet; `h` [s].
StabilityReading read_stability(const IntegratorInfo& integrator, const IntegratorParameters& values,
                                double h, const std::optional<StabilityEstimate>& estimate);

/// The same after a step that did not converge: theory assumes converged steps, so nothing is called stable.
/// `why` is the reason, a sentence without its full stop.
StabilityReading not_converged(StabilityReading reading, const std::string& why);

/// The figure of the last step that is particular to a method: the length error of rods, the distance of XPBD
/// from backward Euler, the number of modes of a split method.
struct StepFigure {
  std::string text;   ///< "rods off by 1.2 mm"
  std::string usual;  ///< of usual width, so that the items after it stay in place
  std::string help;   ///< in sentences
};

/// `values` are the method's own parameters. None for other methods and before the first step.
std::optional<StepFigure> step_figure(const IntegratorInfo& info, const IntegratorParameters& values,
                                      const StepRecord& record);

/// The figures of a lane, as its tile and the table show them.
struct LaneReading {
  std::string name;                   ///< of the method, with its values that differ from the defaults
  std::string state;                  ///< "8.3× real time", "blew up at 0.046 s", "catches up: 0.8 s"
  std::string short_state;            ///< "8.3×", "blew up", "catches up"
  ImU32 colour = 0;                   ///< of the state
  std::optional<double> limit_share;  ///< h over its limit
  std::string limit;                  ///< that share, "any", "none", or "–" if that is unknown or was wrong
  std::string verdict;                ///< "stable below 1.4 ms"
  ImU32 level_colour = 0;             ///< of the verdict
  std::string energy;                 ///< change since the common origin: "−1.2 mJ"; "–" before it
  double energy_change = 0;           ///< the same [J]
  double method_energy = 0;           ///< that the method gained or, negative, dissipated since then [J]
  std::string method;                 ///< the same: "-500 mJ"
  double method_power = 0;            ///< the same per second of simulated time [W]
  std::string power;                  ///< the same: "-120 mW"; "–" at the origin and before it
  std::string method_since;           ///< "since 1.2 s", where the lane got its method after the origin
  double method_share = 0;            ///< of all energy exchanged since then, -1 to 1
  std::optional<double> real_time;    ///< simulated time over wall-clock time; none before the first step
  std::string help;                   ///< all figures in sentences
};

LaneReading read_lane(const LaneSnapshot& lane);

/// Of the method and the h of the shown state, by theory and by the run.
StabilityReading read_stability(const LaneSnapshot& lane);

/// The lane of that letter; null: none.
const LaneSnapshot* find_lane(const Snapshot& now, LaneId lane);

/// The method that computed the shown state.
const IntegratorInfo& shown_method(const LaneSnapshot& lane);
/// The method in force, also while a moment of the past is shown.
const IntegratorInfo& running_method(const LaneSnapshot& lane);

/// Why a lane's last step by this method was not accepted without a warning; empty if it was.
struct StepTrouble {
  std::string why;        ///< a sentence without its full stop
  bool converged = true;  ///< or it was accepted with a warning
};
StepTrouble trouble_of(const LaneSnapshot& lane, const IntegratorInfo& info);

/// Energy [J] that the lane's method gained, if it contradicts its stability: the run reported it, or it
/// exceeds the kinetic and elastic energy.
std::optional<double> spurious_energy(const LaneSnapshot& lane);

/// The lane with the smallest stability limit among the other running lanes, and that limit [s]; none if no
/// limit is known. Lanes that are stable at no step do not count.
std::optional<RealTimeLag::Limit> limit_of_others(const Snapshot& now);

/// The reading of theory, overruled where the run contradicts it: its method gains energy, its last step did
/// not converge, or a spring is strained by more than half.
StabilityReading judged_by_run(StabilityReading theory, const LaneSnapshot& lane);

ImU32 level_colour(StabilityLevel level);

}  // namespace clothlab
