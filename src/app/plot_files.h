// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include "ui/panel_context.h"

namespace clothlab {

/// Writes what a plot shows into the folder, under the plot's title ("energy.csv", "energy-2.csv" when that
/// is taken), and answers with the path. Throws InputError or SystemError, one sentence, when it cannot.
std::filesystem::path write_plot(const ShownPlot& shown, SavePlot::Format format,
                                 const std::filesystem::path& folder);

}  // namespace clothlab
