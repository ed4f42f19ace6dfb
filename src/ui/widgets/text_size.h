// SPDX-License-Identifier: MIT
#pragma once

#include "ui/panels/panel_context.h"

namespace clothlab {

/// The sizes of text and controls, relative to that of the display.
inline constexpr std::array<std::string_view, 8> kTextSizeNames{"75 %",  "90 %",  "100 %", "110 %",
                                                                "125 %", "150 %", "175 %", "200 %"};
inline constexpr std::array kTextSizes{0.75F, 0.9F, 1.0F, 1.1F, 1.25F, 1.5F, 1.75F, 2.0F};
inline constexpr std::size_t kUsualTextSize = 2;

/// The one that is nearest to the size in force.
std::size_t text_size(const ViewSettings& view);
/// The size some places larger, or smaller, within the list.
void change_text_size(ViewSettings& view, int by);

}  // namespace clothlab
