// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/spectrum.h"
#include "analysis/stability.h"
#include "core/lane_id.h"
#include "core/vec.h"
#include "documents/scene_loader.h"
#include "session/look_ahead_state.h"
#include "sim/command.h"
#include "sim/frame.h"
#include "sim/notice.h"

namespace clothlab {

/// One point of the plots over time.
struct PlotSample {
  double time = 0;  ///< simulated [s]
  EnergyReport energy;
  EnergyLedger ledger;    ///< StepRecord::ledger
  double max_strain = 0;  ///< largest |l/L − 1| over stretch springs
  /// Distance of the particles from those of the reference at the same time, root mean square and largest
  /// [m]; NaN if no reference runs.
  double distance = NAN;
  double largest_distance = NAN;
  /// Of the particle that is followed [m, m/s]; NaN without one.
  vec3 position{NAN};
  vec3 velocity{NAN};
  double milliseconds = 0;  ///< processor time of the step; NaN without a step
  int cg_iterations = 0;
  int newton_iterations = 0;
  bool converged = true;
  const IntegratorInfo* integrator = nullptr;  ///< a change is a switch, to be marked
};

/// The kept states.
struct KeptPast {
  double from = 0;  ///< simulated [s]
  double to = 0;    ///< the present
  std::size_t states = 0;
  std::size_t bytes = 0;
};

/// Cost of recent steps [ms]; zero before the first. Processor time of the thread that takes the lane's
/// steps; `wall`: median of wall-clock time.
struct StepTimes {
  double last = 0;
  double median = 0;
  double p95 = 0;
  double wall = 0;

  /// Simulated time over wall-clock time for steps of dt [s]; 0 before the first.
  double real_time_factor(double dt) const { return wall > 0 ? 1e3 * std::abs(dt) / wall : 0; }
};

/// The spectrum of a lane at some moment of its run.
struct MeasuredSpectrum {
  Spectrum spectrum;
  double time = 0;  ///< simulated [s]
};

/// Steps that take longer than the time they simulate, at the wanted speed.
struct RealTimeLag {
  /// The h [s] from which they would keep up (session/real_time.h), stable for all lanes that run. 0: no such
  /// h; none: stability is not known yet.
  std::optional<double> step;
  /// The lane whose limit forbids the h that would keep up, or a rounder one, and that limit [s].
  struct Limit {
    LaneId lane = 0;
    double step = 0;
  };
  std::optional<Limit> limit = {};
};

/// The shown state of the past.
struct ReplayPosition {
  std::size_t state = 0;  ///< 0 … count − 1, oldest first
  std::size_t count = 0;
  double time = 0;  ///< simulated [s], of the lanes that ran then
};

inline constexpr std::size_t kMostRefused = 1024;

/// A lane that catches up in the background (CatchUp).
struct CatchingUp {
  double from = 0;  ///< where it began [s]
  double time = 0;  ///< reached so far [s]
};

/// The figures of a lane from which its changes of energy count.
struct LaneOrigin {
  double time = 0;          ///< simulated [s]
  std::size_t notices = 0;  ///< that the run had reported by then
  EnergyReport energy;
  EnergyLedger ledger;
};

/// What the window shows of a lane. While Snapshot::replay is set, it is frozen or blown up only if it was so
/// at the shown moment; positions, record, residuals, notices and scene() are of that moment, pins are
/// current.
struct LaneSnapshot {
  LaneId lane = 0;
  bool frozen = false;  ///< it is frozen while others run
  std::optional<CatchingUp> catching_up;
  Frame frame;
  /// The common origin of all lanes (Snapshot::common_origin), or its own while it catches up from before
  /// that.
  LaneOrigin origin;
  LaneOrigin method_origin;  ///< when it got its integrator and its h: not before `origin`
  /// Scene of the shown moment of the past; null: frame.scene, the present one.
  std::shared_ptr<const Scene> scene_then;
  std::size_t integrator = 0;                  ///< index in integrators() of the one in force
  StepTimes step_ms;                           ///< of the integrator in force
  std::optional<StabilityEstimate> stability;  ///< empty while not known; after a blow-up, before it
  /// The last one measured; null: not wanted (ShowSpectrum), or not yet.
  std::shared_ptr<const MeasuredSpectrum> spectrum;
  std::string blow_up_sentence;  ///< what happened; empty without a blow-up
  std::string blow_up_text;      ///< what happened and why, in full; also empty then
  double blow_up_h = 0;          ///< of the failed step [s]; 0 then
  double blow_up_time = 0;       ///< at the end of the failed step [s]; 0 then
  /// Time of a blow-up with these values, if the run went back to before it [s].
  std::optional<double> blew_up_at;
  std::optional<FailedSpring> failed_spring;    ///< the failed spring; empty then
  std::optional<FailedContact> failed_contact;  ///< the failed contact instead, if there is one
  std::string warning;          ///< of the last second: the reason of non-convergence, or StepRecord::warning
  bool converged = true;        ///< false: `warning` is of a solve that did not converge
  std::optional<double> ahead;  ///< so far ahead is a copy [s]; empty: none runs
  bool ahead_ends = false;      ///< the copy has found a blow-up there
  std::shared_ptr<const NoticeLog::List> notices;       ///< of the run up to the shown state
  std::shared_ptr<const std::vector<PlotSample>> plot;  ///< newest last, which is the present

  /// The scene with which the shown state was computed.
  const Scene& scene() const { return scene_then ? *scene_then : *frame.scene; }
};

/// What a run is and does, whatever lane and moment are shown.
struct RunState {
  std::optional<LaneId> reference;        ///< SetReference
  std::optional<std::uint32_t> followed;  ///< FollowParticle
  std::uint64_t applied = 0;              ///< stamp of the last request that was carried out or refused
  std::shared_ptr<const LoadedScene> loaded;
  bool playing = false;      ///< becomes false if no lane runs any more
  double speed = 1;          ///< wanted simulated seconds per wall-clock second
  std::string error;         ///< last refused request, one sentence
  std::uint64_t errors = 0;  ///< number of refused requests so far: growth means `error` is new
  LookAheadState look_ahead;
  std::string message;         ///< the last one of the run, to be shown once
  std::uint64_t messages = 0;  ///< number of messages so far: growth means `message` is new
  /// Origin of the energies of all lanes.
  struct CommonOrigin {
    double time = 0;                ///< [s]
    std::string why = "the start";  ///< or "lane B was added", "lane B joined lane A", "the run went back"
  } common_origin;
  /// Times [s] to which the run went back since the program began: by a reset, a rewind, or by going on from
  /// the past or from the last good state. In their order; never null.
  std::shared_ptr<const std::vector<double>> returns = std::make_shared<std::vector<double>>();
};

/// Everything that the window shows of a run; immutable. Its own members are of the active lane, which the
/// panels edit.
struct Snapshot : LaneSnapshot, RunState {
  std::vector<LaneSnapshot> others;  ///< ascending
  /// Stamps of the last refused requests, ascending, at most kMostRefused: they had no effect. Another scene
  /// that is superseded by the next one counts as refused.
  std::shared_ptr<const std::vector<std::uint64_t>> refused;
  double actual_speed = 0;         ///< reached over the last second of playing; 0 when paused
  std::vector<double> method_ms;   ///< by row of integrators(): median of its last steps here; 0: none yet
  std::optional<RealTimeLag> lag;  ///< empty if steps keep up, and when paused
  std::optional<ReplayPosition> replay;
  bool can_rewind = false;
  bool needs_replay = false;   ///< see Journal
  std::optional<double> left;  ///< time of the abandoned present after a return to the past (SwapBranches)
  KeptPast kept;

  /// All lanes, ascending.
  std::vector<const LaneSnapshot*> lanes() const;
};

}  // namespace clothlab
