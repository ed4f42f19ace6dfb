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

struct TableauMethod;

enum class IntegratorFamily { explicit_method, linearly_implicit, implicit, exponential, position_based };

/// The oscillations x'' + d x' + ω²x = 0 that determine stability if K and D have no common eigenvectors
/// (analysis/stability.h): the eigenvalues of J = ∂F/∂u if the step is a function of J; the modes of
/// symplectic Euler or Verlet, which mix K and D; or undamped ones if damping never lowers the limit. For a
/// composition of such steps no oscillations are known; its limit is an estimate on the safe side.
enum class StepCoupling { eigenvalues, symplectic_euler, velocity_verlet, composition, undamped };

/// The stiff forces, other than springs and the grab, that a method supports: all, as parts of f, K and D;
/// only DynamicSystem::contacts, in methods that process forces one by one; or none.
enum class StiffForces { all, contacts, none };

/// Why a method refuses steps of h < 0; follows its title.
inline constexpr std::string_view kUsesEarlierSteps = "uses earlier steps";
inline constexpr std::string_view kProjectsPositions = "projects positions, which no step can undo";

/// The stability limit of a method that is stable at every h.
inline constexpr double kNoStabilityLimit = std::numeric_limits<double>::infinity();

/// The reference of several methods, without the section.
#define CLOTHLAB_ASCHER_2022 \
  "Ascher, Larionov, Sheen, Pai: Simulating deformable objects, a numerical perspective, "

/// Values of one integrator: its own parameters, in the order of its row's `parameters`, then its `table`.
using IntegratorParameters = std::vector<double>;

/// A method's row, at the end of its file: everything that other code knows about it. The menu, the command
/// line, scene files, the generic tests, the benchmark and the docs iterate the rows (registry.h). Some
/// defaults depend on `family` and `inextensible` at initialisation; assigning those later does not change
/// them.
struct IntegratorInfo {
  std::string_view id;       ///< command line, scene files: "backward-euler"
  std::string_view title;    ///< in the window: "Backward Euler"
  std::string_view letters;  ///< two unique letters or digits for its mark
  IntegratorFamily family{};
  int order = 0;               ///< of convergence; 0: none defined
  int order_with_damping = 0;  ///< if damping lowers it; 0: the same
  bool order_needs_exact_jacobian = false;
  /// Without modes of its own (--modes 0) and with the exact Jacobian; 0: the same.
  int order_without_modes = 0;
  std::string_view order_condition = {};  ///< further conditions: "with γ = 1/2, otherwise 1"; mostly empty
  bool uses_newton = family == IntegratorFamily::implicit;
  /// Of implicit methods whose stages depend on each other: StageSolve::linear does not apply.
  bool always_newton = false;
  bool uses_linear_solver =
      family == IntegratorFamily::implicit || family == IntegratorFamily::linearly_implicit;
  /// Stretch springs are rods without an elastic force, at any stiffness: `growth`, `stability_limit` and
  /// `order` refer to bending springs and the grab.
  bool inextensible = false;
  StiffForces stiff_forces = inextensible ? StiffForces::none : StiffForces::all;
  /// Contacts of pairs of features are solved within its step (StepContext::pairs); else features are
  /// separated after it.
  bool solves_pairs = family != IntegratorFamily::position_based && stiff_forces == StiffForces::all;
  std::string_view only_forward = {};  ///< why h < 0 is refused, one of the texts above; empty: it is allowed
  std::string_view formula;            ///< the update, in the letters of model.md
  std::string_view summary;            ///< two or three sentences: what it is, what it damps
  std::string_view cost;               ///< of a step, in one sentence
  std::string_view use;                ///< when to use it, in one sentence
  std::string_view reference;
  /// Longer steps [s] get `contact_warning` where cloth lands on something: the problem and its remedy.
  double longest_contact_step = std::numeric_limits<double>::infinity();
  std::string_view contact_warning = {};
  std::span<const ParameterSpec> parameters = {};  ///< its own, in addition to the parameters of every run
  /// Largest stable h·ω of one undamped oscillator; infinity: no limit; 0: no h is stable. For methods that
  /// treat slow modes separately, of a slow mode.
  double stability_limit =
      family == IntegratorFamily::implicit || family == IntegratorFamily::linearly_implicit
          ? kNoStabilityLimit
          : 0;
  /// The same as a function of parameters, with `stability_limit` for the defaults; null if it does
  /// not depend on them.
  double (*stability_limit_with)(const IntegratorParameters& values) = nullptr;
  /// The condition for the limit and `growth`: "when swept to convergence". Empty: none.
  std::string_view stability_condition = {};
  StepCoupling coupling = StepCoupling::eigenvalues;
  /// Amplitude factor per step (spectral radius) of x'' + d x' + ω²x = 0 at h·ω and h·d. Never null.
  double (*growth)(double h_omega, double h_damping, const IntegratorParameters& values) = nullptr;
  /// For methods that treat slow modes separately: the factor of a slow mode without damping (`growth` is
  /// for the others). Null for all others.
  double (*growth_of_slow_modes)(double h_omega, const IntegratorParameters& values) = nullptr;
  /// For implicit methods with explicit wind: the largest stable h·d of its damping
  /// d alone. Null for all others.
  double (*wind_limit)(const IntegratorParameters& values) = nullptr;
  /// Harmonic forces of drivers are constant in a step. They have their value at t + s h, s this function:
  /// the mean time of the forces in the step, so that methods of order 2 keep their order. Null: s = ½.
  double (*force_time)(const IntegratorParameters& values) = nullptr;
  /// The time t + s h of the directions of couplings, ½ or, for methods whose v̂ has earlier velocities, 1.
  double coupling_time = 0.5;
  std::unique_ptr<Integrator> (*make)(const IntegratorParameters& values) = nullptr;
  std::span<const double> table = {};      ///< coefficients of a method from a tableau (integrate/tableau.h)
  const TableauMethod* tableau = nullptr;  ///< that this row belongs to; null for rows of the registry
};

/// True if each stage of an implicit method is one linear solve.
inline bool solves_stages_once(const IntegratorInfo& info, const SolverSettings& solver) {
  return info.family == IntegratorFamily::implicit && !info.always_newton &&
         solver.stage_solve == StageSolve::linear;
}
inline bool solves_by_newton(const IntegratorInfo& info, const SolverSettings& solver) {
  return info.uses_newton && !solves_stages_once(info, solver);
}

/// True if the method's solves and velocities respect Projection::couplings.
inline bool takes_couplings(const IntegratorInfo& info) {
  return info.family != IntegratorFamily::exponential && info.family != IntegratorFamily::position_based;
}

/// `force_time` of methods that evaluate the new forces of a step at its end only.
inline double force_at_end(const IntegratorParameters& /*values*/) { return 1; }

/// `make` of a row, for a class with a constructor from the values of its parameters and these arguments, or
/// from the arguments alone.
template <class Method, auto... arguments>
std::unique_ptr<Integrator> make_method([[maybe_unused]] const IntegratorParameters& values) {
  if constexpr (std::is_constructible_v<Method, const IntegratorParameters&, decltype(arguments)...>) {
    return std::make_unique<Method>(values, arguments...);
  } else {
    return std::make_unique<Method>(arguments...);
  }
}

}  // namespace clothlab
