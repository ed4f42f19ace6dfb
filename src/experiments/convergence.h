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
  double h = 0;        ///< [s]
  double error_x = 0;  ///< ‖x − x_reference‖ over all particles at the end [m]
  double error_v = 0;  ///< the same of the velocities [m/s]
  /// The part of the error of the positions along the error of explicit Euler with the shortest steps [m]:
  /// < 0 where the two point in opposite directions. NaN for methods with rods.
  double signed_x = 0;
  double error_energy = 0;  ///< total energy at the end less that of the reference [J]
  bool same_pairs = true;   ///< the contact set of the start did not change
};

/// Errors after kConvergenceTime on a small bumpy sheet, undamped, pinned at two corners, stretched and in
/// motion at the start, with 10, 20, 40, ... steps (`levels` rows). The reference is the method of the
/// highest order with thousands of steps. Methods with rods solve another problem: they start unstretched and
/// at rest, and their reference is the same method with steps 8 times shorter than the shortest. Solvers have
/// a tolerance of 1e-12. Ends early on cancellation or at a step that blows up.
///
/// With a contact model the sheet lies on a sphere without friction, pressed on it by 10 times its weight so
/// that it stays there; by penalty it begins near the gap that carries it, by filter on the surface. Contact
/// by filter is of another order than its method, so its reference has 32 times the largest number of steps.
/// Not for methods with rods, whose edges leave no freedom to cloth on a sphere.
std::vector<ConvergencePoint> measure_convergence(const IntegratorInfo& info,
                                                  const IntegratorParameters& values,
                                                  const SolverSettings& solver, int levels,
                                                  std::optional<ContactModel> contact = {},
                                                  const StopProbe& stop = {});
inline constexpr double kConvergenceTime = 0.1;  ///< [s]

/// The order of convergence between the two shortest steps whose errors are above those of solvers and
/// rounding; NaN without two such steps.
struct MeasuredOrder {
  double x = 0, v = 0;
};
MeasuredOrder measured_order(const std::vector<ConvergencePoint>& points);

}  // namespace clothlab
