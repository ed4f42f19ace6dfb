// SPDX-License-Identifier: MIT
#pragma once

#include <limits>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/parameter.h"
#include "integrate/integrator.h"

namespace clothlab {

enum class IntegratorFamily { explicit_method, linearly_implicit, implicit, exponential, position_based };

/// On which oscillations x'' + d x' + ω²x = 0 a step's stability depends where K and D have no common
/// eigenvectors (analysis/stability.h): the step is a function of J = ∂F/∂u, and they are its eigenvalues; or
/// it mixes K and D in the way of one of these two methods; or damping never lowers the limit, which is taken
/// without.
enum class StepCoupling { eigenvalues, symplectic_euler, velocity_verlet, undamped };

/// Values of one integrator's own parameters, in the order of its row's `parameters`.
using IntegratorParameters = std::vector<double>;

/// A method's row: all that is known of it outside of its own file, which ends with this row. The menu, the
/// command line, scene files, the generic tests, the benchmark and the docs iterate the rows (registry.h).
struct IntegratorInfo {
  std::string_view id;       ///< command line, scene files: "backward-euler"
  std::string_view title;    ///< in the window: "Backward Euler"
  std::string_view letters;  ///< two that stand for it where its title has no room, no two methods' the same
  IntegratorFamily family{};
  int order = 0;  ///< of convergence; 0 where none is defined
  bool order_needs_exact_jacobian = false;
  std::string_view order_condition = {};  ///< what else it needs: "with γ = ½, otherwise 1". Mostly empty.
  bool uses_newton = false;
  bool uses_linear_solver = false;
  /// Stretch springs keep their lengths and exert no elastic force, whatever their stiffness: what vibrates
  /// are bending springs and the grab, and `growth`, `stability_limit` and `order` are about them.
  bool inextensible = false;
  std::string_view formula;  ///< the update, in the letters of model.md
  std::string_view summary;  ///< two or three sentences: what it is, what it damps
  std::string_view cost;     ///< of a step, in one sentence
  std::string_view use;      ///< when to use it, in one sentence
  std::string_view reference;
  std::span<const ParameterSpec> parameters = {};  ///< its own, beyond those of every run
  /// Largest stable h·ω of one undamped oscillator; infinity: no limit; 0: no h is stable. Of methods that
  /// treat a few slow modes otherwise than the rest, of one of these.
  double stability_limit = 0;
  /// The same where it depends on parameters; `stability_limit` is then that of their defaults. Mostly null.
  double (*stability_limit_with)(const IntegratorParameters& values) = nullptr;
  /// What that and `growth` take for granted: "when swept to convergence". Mostly empty.
  std::string_view stability_condition = {};
  StepCoupling coupling = StepCoupling::eigenvalues;
  /// Amplitude factor per step (spectral radius) of x'' + d x' + ω²x = 0 at h·ω and h·d. Never null.
  double (*growth)(double h_omega, double h_damping, const IntegratorParameters& values) = nullptr;
  /// Where a few slow modes are treated otherwise than the rest, which `growth` is about and the stiffest
  /// oscillation of a cloth belongs to: the factor of one of these, without damping. Null for all others.
  double (*growth_of_slow_modes)(double h_omega, const IntegratorParameters& values) = nullptr;
  /// For methods that take the wind explicitly and all else implicitly: the largest stable h·d of its damping
  /// d alone. Null for all others.
  double (*wind_limit)(const IntegratorParameters& values) = nullptr;
  std::unique_ptr<Integrator> (*make)(const IntegratorParameters& values) = nullptr;
};

/// The stability limit of a method that is stable at every h.
inline constexpr double kNoStabilityLimit = std::numeric_limits<double>::infinity();

/// A row's `make`, of a class that is constructed from the values of its parameters or from nothing.
template <class Method>
std::unique_ptr<Integrator> make_method(const IntegratorParameters& values) {
  if constexpr (std::is_constructible_v<Method, const IntegratorParameters&>) {
    return std::make_unique<Method>(values);
  } else {
    return std::make_unique<Method>();
  }
}

}  // namespace clothlab
