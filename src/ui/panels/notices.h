// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "ui/overlays.h"

namespace clothlab {

/// Height of the line reserved for notices below the view [interface units].
inline constexpr float kNoticeHeight = 28;

/// Progress of a load or a recording, a message, and hints for newcomers, on a line below the cloth. Longer
/// notices cover the row below that line, never the cloth. `room` reaches from the view's lower edge to the
/// status bar; `second_row` is the height of the row below the line, which is covered as a whole. Returns
/// false when the message was clicked away.
bool notices(const PanelContext& context, const Area& room, float second_row, const std::string& message,
             bool is_error);

}  // namespace clothlab
