// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include "session/window_request.h"

namespace clothlab {

/// Opens the window and runs it until it is closed, or `request.stop` says so. `program` is the path of
/// the executable, beside which the assets lie. Throws SystemError where there is no display.
void open_window(const WindowRequest& request, const std::filesystem::path& program);

}  // namespace clothlab
