// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>

#include "ui/panels/panel_context.h"

namespace clothlab {

/// Writes a table as CSV into the folder, under its title, as write_plot.
std::filesystem::path write_table(const std::string& title, const std::string& csv,
                                  const std::filesystem::path& folder);

/// Writes the visible part of a plot into the folder, under the plot's title ("energy.csv", or "energy-2.csv"
/// when that exists). Returns the path. Throws InputError or SystemError, one sentence.
std::filesystem::path write_plot(const ShownPlot& shown, SavePlot::Format format,
                                 const std::filesystem::path& folder);

}  // namespace clothlab
