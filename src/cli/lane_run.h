// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "cli/lane_play.h"
#include "render/picture_request.h"
#include "sim/simulation.h"

namespace clothlab {

/// Figures of a lane of a comparison. Lists by step begin with the start, at index 0.
struct LaneFigures : StepFigures {
  const IntegratorInfo* info = nullptr;
  std::string scene;            ///< mesh, particles, springs and mass, in words
  double h = 0;                 ///< [s]
  std::vector<double> time;     ///< [s]
  std::vector<double> energy;   ///< change of the total since the start [J]
  std::vector<double> kinetic;  ///< [J]
  std::vector<double> made;     ///< by the method, its solvers and rods since the start [J]
  EnergyBooks books;            ///< at the end
  std::vector<double> strain;   ///< largest |l/L − 1|
  std::string diagnostics;      ///< the table of `--diagnostics`
  std::vector<Notice> notices;
  std::map<std::string, std::size_t> skipped;  ///< commands of a journal for other methods
  std::string stability;           ///< h and the method's limit at the start, in a sentence or two
  std::string blow_up;             ///< what happened and why; empty: it did not blow up
  std::uint64_t blow_up_step = 0;  ///< the step that failed
  bool interrupted = false;
  struct Picture {
    double time = 0;  ///< [s]
    Image image;
  };
  std::vector<Picture> pictures;
};

/// Where a lane's pictures come from, and how many are wanted, spread evenly over the run, its start and end
/// included.
struct LaneCamera {
  std::function<Painter()> make_painter;  ///< null: no pictures
  std::size_t pictures = 0;
};

/// Runs one lane, with the same bits as `simulate --integrator` or `replay --integrator` alone, until its
/// end, its blow-up or Ctrl-C. `progress` is called after every step with its number and its time [s]. Throws
/// InputError, SystemError, Cancelled.
LaneFigures run_lane(const LaneSource& source, const IntegratorInfo& info, const LaneCamera& camera,
                     WorkerPool& pool, const std::function<void(std::uint64_t, double)>& progress);

}  // namespace clothlab
