// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include "documents/picture_request.h"
#include "session/window_request.h"

namespace clothlab {

/// Opens the window and runs it until it is closed, or until `request.stop` requests cancellation. `program`
/// is the path of the executable, next to which the assets lie. Throws SystemError without a display.
void open_window(const WindowRequest& request, const std::filesystem::path& program);

/// Pictures without a display, for `clothlab render`. Throws SystemError if drawing is impossible.
Painter make_painter(const PictureRequest& request);

}  // namespace clothlab
