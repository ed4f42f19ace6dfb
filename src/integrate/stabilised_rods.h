// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cmath>
#include <string_view>

#include "integrate/rod_method.h"

namespace clothlab {

/// How rods that constrain velocities only return to their lengths.
enum class Stabilisation { none, baumgarte, cfm, projection };

/// The names on the command line, by Stabilisation.
inline constexpr std::array<std::string_view, 4> kStabilisationNames{"none", "baumgarte", "cfm",
                                                                     "projection"};

struct StabilisationSettings {
  Stabilisation kind = Stabilisation::none;
  double baumgarte = 20;  ///< α [1/s], of baumgarte and cfm
  double cfm = 0.1;       ///< c [s/kg], of cfm
};

/// Symplectic Euler with rods at the level of velocities, for comparison with methods that project positions.
/// It is not in the registry. J and C = l − L are those of x0; f is without the elastic force of stretch
/// springs:
///   v* = v0 + h M⁻¹ f(x0, v0),   v1 = v* − h M⁻¹Jᵀλ,   x1 = x0 + h v1;
///   none:        J v1 = 0. Each step leaves the lengths by a part of order h².
///   baumgarte:   J v1 = −(E/h) C with E = 1 − e^{−αh}, so that C decays as e^{−αt} [Baumgarte 1972].
///   cfm:         J v1 = −(E/h) C + c λ, constraint force mixing: C tends to h c λ/E, about c λ/α.
///   projection:  J v1 = 0, then x1 moves to C(x1) = 0 along M⁻¹J(x1)ᵀ, without a change of v1 [Cline 2003].
/// Contact is ignored.
class StabilisedRods final : public RodMethod {
 public:
  explicit StabilisedRods(const StabilisationSettings& settings) : settings_(settings) {}

 private:
  void take_step(const DynamicSystem& system, State& state, double h, const StepContext& context,
                 StepReport& report) override {
    predict(system, state, h, h, context);
    constraints_.linearise(context, state.x);
    const bool pulls = settings_.kind == Stabilisation::baumgarte || settings_.kind == Stabilisation::cfm;
    const double removed = pulls ? -std::expm1(-settings_.baumgarte * h) : 0;
    const double mixing = settings_.kind == Stabilisation::cfm ? settings_.cfm / h : 0;
    constraints_.stabilise_velocities(context, state.x, v1_, removed / h, mixing, report);
    report.rod_forces = constraints_.forces(1 / h);
    for (std::size_t i = 0; i < v1_.size(); ++i) x1_[i] = state.x[i] + h * v1_[i];
    prescribe(system.projection(), state.x, h, x1_, v1_);
    if (settings_.kind == Stabilisation::projection) {
      constraints_.linearise(context, x1_);
      constraints_.project_positions(context, LengthConstraints::Linearisation::as_linearised, x1_, push_,
                                     report);
    }
    end_step(system, state, h, context, report);
  }

  StabilisationSettings settings_;
};

}  // namespace clothlab
