// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "integrate/integrator_info.h"

namespace clothlab {

/// All integrators, in the order of menus, keys and tables.
std::span<const IntegratorInfo> integrators();

/// Heading of a family in lists: "Explicit".
std::string_view family_title(IntegratorFamily family);

/// The order of convergence that a method has with these parameters and settings; 0 if none is defined.
inline int order_with(const IntegratorInfo& info, const IntegratorParameters& values,
                      const SolverSettings& solver) {
  const bool no_modes = info.order_without_modes > 0 && values.at(0) == 0;
  const bool needs_exact =
      (no_modes && !info.uses_newton) || info.order_needs_exact_jacobian || solves_stages_once(info, solver);
  if (needs_exact && solver.jacobian == JacobianMode::clamped) return std::min(info.order, 1);
  return no_modes ? info.order_without_modes : info.order;
}

/// True if Newton's method would end the energy that a method gains while springs turn: its stages are now
/// solved once, and it damps the fastest oscillations.
bool newton_is_cure(const IntegratorInfo& info, const IntegratorParameters& values,
                    const SolverSettings& solver);

/// The position of its row; of a method from a tableau, that of runge-kutta.
std::size_t integrator_row(const IntegratorInfo& info);

/// The row with this id, or nullptr.
const IntegratorInfo* find_integrator(std::string_view id);

/// "BDF2", or "S-BDF2" if its stages are solved once: its semi-implicit form [Ascher 2022].
std::string title_with(const IntegratorInfo& info, const SolverSettings& solver);
/// Its formula, with how its stages are solved.
std::string formula_with(const IntegratorInfo& info, const SolverSettings& solver);
/// What it is, in two or three sentences.
std::string summary_with(const IntegratorInfo& info, const SolverSettings& solver);

/// Largest stable h·ω of one undamped oscillator, as IntegratorInfo::stability_limit.
inline double stability_limit(const IntegratorInfo& info, const IntegratorParameters& values) {
  return info.stability_limit_with ? info.stability_limit_with(values) : info.stability_limit;
}

/// Amplitude factor per step of a slow undamped oscillation, of a slow mode if the method
/// treats these separately.
double slow_growth(const IntegratorInfo& info, double h_omega, const IntegratorParameters& values);

/// Description of a method with these parameters, the same in the window's card and in docs/integrators.md.
struct CardLine {
  std::string_view title;  ///< "Order"
  std::string text;
};
/// Step (its formula), order, stability, cost, use and source.
std::vector<CardLine> card_lines(const IntegratorInfo& info, const IntegratorParameters& values,
                                 const SolverSettings& solver);

/// The row's default parameter values and its table.
IntegratorParameters default_parameters(const IntegratorInfo& info);

}  // namespace clothlab
