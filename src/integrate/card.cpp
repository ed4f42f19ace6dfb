// SPDX-License-Identifier: MIT
#include <cmath>

#include "core/text.h"
#include "integrate/registry.h"

namespace clothlab {
namespace {

std::string order_of(const IntegratorInfo& info) {
  if (info.order == 0) return "none defined";
  std::string text = std::to_string(info.order);
  if (info.order_needs_exact_jacobian) {
    text +=
        "; with the exact Jacobian (--jacobian exact) and no damping force that depends on x, otherwise 1";
  }
  if (!info.order_condition.empty()) text += "; " + std::string(info.order_condition);
  if (info.inextensible) text += "; against its own inextensible motion";
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

std::vector<CardLine> card_lines(const IntegratorInfo& info, const IntegratorParameters& values) {
  return {{"Step", std::string(info.formula)},
          {"Order", order_of(info)},
          {"Stable for", stability_of(info, values)},
          {"Cost", std::string(info.cost)},
          {"Use", std::string(info.use)},
          {"Source", std::string(info.reference)}};
}

}  // namespace clothlab
