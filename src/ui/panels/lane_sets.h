// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "ui/panels/panel_context.h"

namespace clothlab {

/// Lanes that show something together, all from the start.
struct LaneChoices {
  struct Choice {
    std::size_t row = 0;  ///< in integrators()
    int substeps = 1;
  };
  std::vector<Choice> lanes;
  std::optional<double> dt = {};              ///< for all [s]; none: as it is
  std::optional<std::size_t> reference = {};  ///< of `lanes`
};

/// RK4 at a fifth of the explicit limit: far more exact than what it is compared with.
LaneChoices::Choice reference_lane(const PanelContext& context);

struct LaneSet {
  const char* title;
  const char* help;
  LaneChoices (*choose)(const PanelContext& context);
};

std::span<const LaneSet> lane_sets();

/// All lanes give way to these, which play from the start.
void use_lanes(const PanelContext& context, const LaneChoices& wanted);

}  // namespace clothlab
