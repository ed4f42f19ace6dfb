#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/parameter.h"
#include "integrate/integrator.h"

namespace clothlab {

enum class IntegratorFamily { explicit_method, linearly_implicit, implicit, exponential, position_based };

/// Values of one integrator's own parameters, in the order of its row's `parameters`.
using IntegratorParameters = std::vector<double>;

/// One row per integrator: the menu, the command line, scene files, the generic tests, the benchmark
/// and the docs table all iterate these rows. See registry.cpp for how to add one.
struct IntegratorInfo {
  std::string_view id;       ///< command line, scene files: "backward-euler"
  std::string_view title;    ///< in the window: "Backward Euler"
  std::string_view letters;  ///< two that stand for it where its title has no room, no two methods' the same
  IntegratorFamily family{};
  int order = 0;  ///< of convergence; 0 where none is defined
  bool order_needs_exact_jacobian = false;
  bool uses_newton = false;
  bool uses_linear_solver = false;
  /// Stretch springs keep their lengths and exert no elastic force, whatever their stiffness: what vibrates
  /// are bending springs and the hand, and `growth`, `stability_limit` and `order` are about them.
  bool inextensible = false;
  std::string_view formula;  ///< the update, in the letters of model.md
  std::string_view summary;  ///< two or three sentences: what it is, what it damps
  std::string_view cost;     ///< of a step, in one sentence
  std::string_view use;      ///< when to use it, in one sentence
  std::string_view reference;
  std::span<const ParameterSpec> parameters = {};  ///< its own, beyond those of every run
  /// Largest stable h·ω of one undamped oscillator; infinity: no limit; 0: no h is stable.
  double stability_limit = 0;
  /// What that and `growth` take for granted: "when swept to convergence". Mostly empty.
  std::string_view stability_condition = {};
  /// Amplitude factor per step of one undamped oscillator at a given h·ω (spectral radius). Never null.
  double (*growth)(double h_omega, const IntegratorParameters& values) = nullptr;
  /// Where a few slow modes are treated otherwise than the rest, and `growth` and `stability_limit` are those
  /// of a slow one: the same factor for the rest, which the stiffest oscillation of a cloth belongs to. Null
  /// for all other methods.
  double (*growth_of_the_rest)(double h_omega) = nullptr;
  std::unique_ptr<Integrator> (*make)(const IntegratorParameters& values) = nullptr;
};

/// All integrators, in the order of the table in model.md.
std::span<const IntegratorInfo> integrators();

/// Heading of a family in lists: "Explicit".
std::string_view family_title(IntegratorFamily family);

/// The order of convergence that a method has with these blocks; 0 where none is defined.
inline int order_with(const IntegratorInfo& info, JacobianMode mode) {
  return info.order_needs_exact_jacobian && mode == JacobianMode::clamped ? 1 : info.order;
}

/// The row with this id; nullptr when there is none.
const IntegratorInfo* find_integrator(std::string_view id);

/// Amplitude factor per step of the stiffest oscillation of a cloth, at its h·ω_max.
double stiffest_growth(const IntegratorInfo& info, double h_omega_max, const IntegratorParameters& values);

/// What there is to say of a method whatever the scene: the window's card and docs/integrators.md show the
/// same lines.
struct CardLine {
  std::string_view title;  ///< "Order"
  std::string text;
};
/// Step (its formula), order, stability, cost, use and source.
std::vector<CardLine> card_lines(const IntegratorInfo& info);

/// The row's default parameter values.
IntegratorParameters default_parameters(const IntegratorInfo& info);

}  // namespace clothlab
