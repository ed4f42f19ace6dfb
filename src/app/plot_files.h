// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include "ui/panel_context.h"

namespace clothlab {

/// Writes the visible part of a plot into the folder, under the plot's title ("energy.csv", or "energy-2.csv"
/// when that exists). Returns the path. Throws InputError or SystemError, one sentence.
std::filesystem::path write_plot(const ShownPlot& shown, SavePlot::Format format,
                                 const std::filesystem::path& folder);

}  // namespace clothlab
