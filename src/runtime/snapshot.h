#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/vec.h"
#include "runtime/scene_loader.h"
#include "sim/command.h"
#include "sim/frame.h"

namespace clothlab {

/// One point of the plots over time.
struct PlotSample {
  double time = 0;     ///< simulated [s]
  double kinetic = 0;  ///< [J]
  double elastic = 0;  ///< stretch + bend [J]
  double gravity = 0;  ///< [J]
  double total = 0;    ///< [J]
  int cg_iterations = 0;
  int newton_iterations = 0;
  bool converged = true;
  std::uint16_t integrator = 0;  ///< index in integrators(): a change is a switch, to be marked
};

/// At most this many samples are kept; the newest is always the present.
inline constexpr std::size_t kPlotSamples = 600;

/// Wall-clock time of recent steps [ms]; zero before the first.
struct StepTimes {
  double last = 0;
  double median = 0;
  double p95 = 0;
};

/// Where "watch it again" is.
struct ReplayPosition {
  std::size_t state = 0;  ///< 0 … count − 1, oldest first
  std::size_t count = 0;
};

/// All that the window shows of a run: the immutable picture that SimulationThread::latest() gives.
struct Snapshot {
  std::uint64_t applied = 0;  ///< stamp of the last request that was carried out
  std::shared_ptr<const LoadedScene> loaded;
  /// While `replay` is set, positions and record are of the past; frame.blow_up stays.
  Frame frame;
  std::uint16_t integrator = 0;  ///< index in integrators() of the one in force
  bool playing = false;          ///< false by itself after a blow-up
  double speed = 1;              ///< wanted simulated seconds per wall-clock second
  double actual_speed = 0;       ///< reached over the last second of playing; 0 when paused
  StepTimes step_ms;
  std::shared_ptr<const std::vector<double>> masses;  ///< per particle [kg]
  std::optional<double> omega_max;  ///< [1/s], √λ_max(M⁻¹K_s), drag included; empty while not known
  std::string blow_up_text;         ///< what happened and why; empty while all is well
  std::string warning;       ///< of the last second: why a solve did not converge, or StepRecord::warning
  bool converged = true;     ///< false: `warning` is of a solve that did not converge
  std::string error;         ///< last refused request, one sentence
  std::uint64_t errors = 0;  ///< number of refused requests so far: growth means `error` is new
  std::optional<ReplayPosition> replay;
  bool can_rewind = false;
  std::shared_ptr<const std::vector<PlotSample>> plot;
};

/// Takes hold of a point of a triangle with a mouse spring as strong as model.md allows (cloth/drag_force.h),
/// from the snapshot's ω_max and masses; while ω_max is not known, that of the start is used.
Command grab_command(const Snapshot& snapshot, const std::array<std::uint32_t, 3>& particles,
                     const vec3& weights, const vec3& cursor);

}  // namespace clothlab
