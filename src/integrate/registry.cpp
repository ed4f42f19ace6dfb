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
  NAME(kYoshida4)

#define CLOTHLAB_DECLARE(NAME) extern const IntegratorInfo NAME;
CLOTHLAB_INTEGRATORS(CLOTHLAB_DECLARE)

namespace {

std::string order_of(const IntegratorInfo& info) {
  if (info.order == 0) return "none defined";
  std::string text = std::to_string(info.order);
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
  return std::string(info.title) + (solves_stages_once(info, solver) ? ", linear" : "");
}

std::string formula_with(const IntegratorInfo& info, const SolverSettings& solver) {
  std::string text(info.formula);
  if (!solves_stages_once(info, solver)) return text;
  constexpr std::string_view kNewton = "by Newton's method", kOnce = "by one linear solve per stage";
  if (const std::size_t at = text.find(kNewton); at != std::string::npos)
    return text.replace(at, kNewton.size(), kOnce);
  return text.append(", ").append(kOnce);
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
  return values;
}

std::vector<CardLine> card_lines(const IntegratorInfo& info, const IntegratorParameters& values) {
  return {{"Step", std::string(info.formula)},
          {"Order", order_of(info)},
          {"Stable for", stability_of(info, values)},
          {"Cost", std::string(info.cost)},
          {"Use", std::string(info.use)},
          {"Source", std::string(info.reference)}};
}

}  // namespace clothlab
