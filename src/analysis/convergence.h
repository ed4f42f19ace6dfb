// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "core/stop_probe.h"
#include "integrate/registry.h"

namespace clothlab {

/// How far a method is from the motion itself with steps of `h`.
struct ConvergencePoint {
  int steps = 0;
  double h = 0;        ///< [s]
  double error_x = 0;  ///< ‖x − x_reference‖ over all particles at the end [m]
  double error_v = 0;  ///< the same of the velocities [m/s]
};

/// Errors on a small bumpy sheet, undamped, hung by two corners, stretched and on the move to begin with,
/// after kConvergenceTime, with 10, 20, 40, ... steps, `levels` of them. The reference is the method of
/// the highest order with thousands of steps. Methods that take springs as rods move another cloth, one whose
/// springs are rods: they start unstretched and at rest, and their reference is the same method with steps 8
/// times shorter than the shortest. Solvers work to 1e-12. Ends early when `stop` asks, or with a value that
/// is not finite.
std::vector<ConvergencePoint> measure_convergence(const IntegratorInfo& info,
                                                  const IntegratorParameters& values, JacobianMode jacobian,
                                                  int levels, const StopProbe& stop = {});
inline constexpr double kConvergenceTime = 0.1;  ///< [s]

/// The order that the errors fall with from one halving of h to the next, at the two shortest steps whose
/// errors are above what solvers and rounding leave; NaN where there are no two.
struct MeasuredOrder {
  double x = 0, v = 0;
};
MeasuredOrder measured_order(const std::vector<ConvergencePoint>& points);

}  // namespace clothlab
