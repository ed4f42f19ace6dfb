// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "ui/overlays.h"

namespace clothlab {

/// Height of the line that is kept free for notices below the view [interface units].
inline constexpr float kNoticeHeight = 28;

/// What the window has to say for a while: how far a load or a recording is, a message, and to a newcomer
/// what can be done. It has a line of its own below the cloth; what needs more covers what stands below that,
/// and never the cloth. `room` is from the view's lower edge to the status bar; `second_row` is the height of
/// what stands there below the line, which is covered as a whole. Returns false when the message was clicked
/// away.
bool notices(const PanelContext& context, const Area& room, float second_row, const std::string& message,
             bool is_error);

}  // namespace clothlab
