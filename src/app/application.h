#pragma once

#include <filesystem>

#include "cli/cli.h"

namespace clothlab {

/// Opens the window and runs it until it is closed; returns the exit status. `program` is the path of
/// the executable, beside which the assets lie. Throws SystemError where there is no display.
int open_window(const WindowRequest& request, const std::filesystem::path& program);

}  // namespace clothlab
