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

/// The order of convergence that a method has with these parameters and blocks; 0 if none is defined.
inline int order_with(const IntegratorInfo& info, const IntegratorParameters& values, JacobianMode mode) {
  const bool no_modes = info.order_without_modes > 0 && values.at(0) == 0;
  if ((no_modes || info.order_needs_exact_jacobian) && mode == JacobianMode::clamped) return 1;
  return no_modes ? info.order_without_modes : info.order;
}

/// The row with this id, or nullptr.
const IntegratorInfo* find_integrator(std::string_view id);

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
std::vector<CardLine> card_lines(const IntegratorInfo& info, const IntegratorParameters& values);

/// The row's default parameter values.
IntegratorParameters default_parameters(const IntegratorInfo& info);

}  // namespace clothlab
