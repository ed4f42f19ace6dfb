// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "chart/axis.h"
#include "core/lane_id.h"
#include "session/snapshot.h"

namespace clothlab {

/// The contents of the solver's picture, without screen positions: the last CG solve of every lane, and the
/// solves of the active lane's last steps.
struct SolverFigure {
  struct Curve {
    LaneId lane = 0;
    std::string name;               ///< lane_name, and the preconditioner
    std::vector<double> residuals;  ///< relative; [k] after k iterations
    double tolerance = 0;           ///< of the solve
  };
  std::vector<Curve> curves;      ///< of the active lane first; none of a lane without such a solve
  std::vector<int> solves;        ///< CG iterations of each solve of the active lane's last step
  std::vector<PlotSample> steps;  ///< the active lane's last ones, newest last; empty where none iterated
  AxisRange iterations{0, 4};     ///< the axis of the curves
  AxisRange residual{1e-4, 1};    ///< the same of the residuals, logarithmic
  double most_iterations = 4;     ///< where the axis of the steps ends
  enum class Outcome { no_step, converged, warned, not_converged };
  Outcome outcome = Outcome::no_step;
  std::string verdict;  ///< the outcome of the active lane's last step, in a sentence
  std::string manner;   ///< its last solve, or why there was none
};

SolverFigure make_solver_figure(const Snapshot& now);

}  // namespace clothlab
