// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <vector>

#include "contact/contact_model.h"
#include "core/stop_probe.h"
#include "integrate/registry.h"

namespace clothlab {

/// Error of a method with steps of `h`.
struct ConvergencePoint {
  int steps = 0;
  double h = 0;            ///< [s]
  double error_x = 0;      ///< ‖x − x_reference‖ over all particles at the end [m]
  double error_v = 0;      ///< the same of the velocities [m/s]
  bool same_pairs = true;  ///< what was in contact at the start was so after every step, and nothing else
};

/// Errors after kConvergenceTime on a small bumpy sheet, undamped, pinned at two corners, stretched and in
/// motion at the start, with 10, 20, 40, ... steps (`levels` rows). The reference is the method of the
/// highest order with thousands of steps. Methods with rods solve another problem: they start unstretched and
/// at rest, and their reference is the same method with steps 8 times shorter than the shortest. Solvers have
/// a tolerance of 1e-12. Ends early when `stop` asks, or at a step that blows up.
///
/// With a contact model the sheet lies on a sphere without friction, pressed on it by 10 times its weight so
/// that it stays there; by penalty it begins near the gap that carries it, by filter on the surface. Contact
/// by filter is of another order than its method, so that its reference has 32 times the most steps. Not for
/// methods with rods, whose edges leave cloth on a sphere no freedom.
std::vector<ConvergencePoint> measure_convergence(const IntegratorInfo& info,
                                                  const IntegratorParameters& values, JacobianMode jacobian,
                                                  int levels, std::optional<ContactModel> contact = {},
                                                  const StopProbe& stop = {});
inline constexpr double kConvergenceTime = 0.1;  ///< [s]

/// The order of convergence between the two shortest steps whose errors are above those of solvers and
/// rounding; NaN where there are no two.
struct MeasuredOrder {
  double x = 0, v = 0;
};
MeasuredOrder measured_order(const std::vector<ConvergencePoint>& points);

}  // namespace clothlab
