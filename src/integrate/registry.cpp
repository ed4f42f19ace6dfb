// SPDX-License-Identifier: MIT
#include "integrate/registry.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/text.h"

namespace clothlab {

// The methods in the order of menus, keys and tables. Each name is a row at the end of the method's file. To
// add one: write its file, list it in CMakeLists.txt, and its row here.
#define CLOTHLAB_INTEGRATORS(NAME)  \
  NAME(kExplicitEuler)              \
  NAME(kSymplecticEuler)            \
  NAME(kVelocityVerlet)             \
  NAME(kRk4)                        \
  NAME(kSemiImplicitEuler)          \
  NAME(kBackwardEuler)              \
  NAME(kImplicitMidpoint)           \
  NAME(kTrapezoidal)                \
  NAME(kBdf2)                       \
  NAME(kSemiImplicitBdf2)           \
  NAME(kTrBdf2)                     \
  NAME(kSdirk2)                     \
  NAME(kGeneralizedAlpha)           \
  NAME(kExponentialRosenbrockEuler) \
  NAME(kSiere)                      \
  NAME(kSemiImplicitBdf2Ere)        \
  NAME(kStrSbdf2Ere)                \
  NAME(kXpbd)                       \
  NAME(kProjectiveDynamics)         \
  NAME(kRattle)                     \
  NAME(kPbdProj2)                   \
  NAME(kNewmark)                    \
  NAME(kYoshida4)                   \
  NAME(kRungeKutta)                 \
  NAME(kHhtAlpha)                   \
  NAME(kShake)                      \
  NAME(kASearch)                    \
  NAME(kEnergyTracking)             \
  NAME(kTwoStep)                    \
  NAME(kBeere)                      \
  NAME(kBdf2Ere)                    \
  NAME(kTrBdf2Ere)                  \
  NAME(kVbd)                        \
  NAME(kFastProjection)

#define CLOTHLAB_DECLARE(NAME) extern const IntegratorInfo NAME;
CLOTHLAB_INTEGRATORS(CLOTHLAB_DECLARE)

namespace {

std::string order_of(const IntegratorInfo& info, const SolverSettings& solver) {
  if (info.order == 0) return "none defined";
  std::string text = std::to_string(info.order);
  if (solves_stages_once(info, solver) && info.order > 1)
    text += "; with the exact Jacobian (--jacobian exact), otherwise 1";
  if (info.order_needs_exact_jacobian) {
    text +=
        "; with the exact Jacobian (--jacobian exact) and no damping force that depends on x, otherwise 1";
  }
  if (!info.order_condition.empty()) text += "; " + std::string(info.order_condition);
  if (info.inextensible) text += "; compared with its own inextensible motion";
  return text;
}

std::string stability_of(const IntegratorInfo& info, const IntegratorParameters& values) {
  const double limit = stability_limit(info, values);
  if (info.growth_of_slow_modes != nullptr && limit == 0) return "no h";
  if (limit == 0) return "no h without damping";
  if (std::isinf(limit))
    return info.stability_condition.empty() ? "every h" : "every h, " + std::string(info.stability_condition);
  return "h·ω < " + format_plain(limit, 4) + " without damping";
}

}  // namespace

std::span<const IntegratorInfo> integrators() {
#define CLOTHLAB_LIST(NAME) NAME,
  static const std::array kRows{CLOTHLAB_INTEGRATORS(CLOTHLAB_LIST)};
  return kRows;
}

std::string_view family_title(IntegratorFamily family) {
  switch (family) {
    case IntegratorFamily::explicit_method:
      return "Explicit";
    case IntegratorFamily::linearly_implicit:
      return "Linearly implicit";
    case IntegratorFamily::implicit:
      return "Implicit";
    case IntegratorFamily::exponential:
      return "Exponential";
    case IntegratorFamily::position_based:
      break;
  }
  return "Position-based";
}

std::string title_with(const IntegratorInfo& info, const SolverSettings& solver) {
  return (solves_stages_once(info, solver) ? "S-" : "") + std::string(info.title);
}

std::string formula_with(const IntegratorInfo& info, const SolverSettings& solver) {
  std::string text(info.formula);
  if (!solves_stages_once(info, solver)) return text;
  const auto replace = [&](std::string_view from, std::string_view to) {
    if (const std::size_t at = text.find(from); at != std::string::npos) text.replace(at, from.size(), to);
  };
  replace(", both by Newton's method", "");
  replace(", by Newton's method", "");
  replace("first step backward Euler", "first step semi-implicit Euler");
  return "By one linear solve per stage: " + text;
}

std::string summary_with(const IntegratorInfo& info, const SolverSettings& solver) {
  if (!solves_stages_once(info, solver)) return std::string(info.summary);
  return "The semi-implicit form of this method: one linear solve per stage, with the forces linearised at "
         "its start. It damps an oscillation as the full form does and costs less, but does not follow "
         "forces "
         "that turn within the step: their energy may grow.";
}

bool newton_is_cure(const IntegratorInfo& info, const IntegratorParameters& values,
                    const SolverSettings& solver) {
  constexpr double kFast = 1e6, kDamped = 0.99;
  return solves_stages_once(info, solver) && info.growth(kFast, 0, values) < kDamped;
}

std::size_t integrator_row(const IntegratorInfo& info) {
  return static_cast<std::size_t>(std::ranges::find(integrators(), info.id, &IntegratorInfo::id) -
                                  integrators().begin());
}

const IntegratorInfo* find_integrator(std::string_view id) {
  const auto row = std::ranges::find(integrators(), id, &IntegratorInfo::id);
  return row == integrators().end() ? nullptr : &*row;
}

double slow_growth(const IntegratorInfo& info, double h_omega, const IntegratorParameters& values) {
  return info.growth_of_slow_modes ? info.growth_of_slow_modes(h_omega, values)
                                   : info.growth(h_omega, 0, values);
}

IntegratorParameters default_parameters(const IntegratorInfo& info) {
  IntegratorParameters values;
  for (const ParameterSpec& spec : info.parameters) values.push_back(spec.fallback);
  values.insert(values.end(), info.table.begin(), info.table.end());
  return values;
}

std::vector<CardLine> card_lines(const IntegratorInfo& info, const IntegratorParameters& values,
                                 const SolverSettings& solver) {
  const bool once = solves_stages_once(info, solver);
  std::vector<CardLine> lines{
      {"Step", formula_with(info, solver)},
      {"Order", order_of(info, solver)},
      {"Stable for", stability_of(info, values)},
      {"Cost", once ? "One linear solve per stage." : std::string(info.cost)},
      {"Use", once ? "Where a step must cost little and h resolves how springs turn; beside the full form."
                   : std::string(info.use)},
      {"Source", std::string(info.reference)}};
  if (!info.solves_pairs)
    lines.push_back({"Layers",
                     "Contact by impulse separates features of the cloth after each step. Friction between "
                     "layers then does not obey Coulomb's law."});
  return lines;
}

}  // namespace clothlab
