// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "chart/chart.h"
#include "cli/lane_run.h"

namespace clothlab {

/// A comparison as text and pictures. Lanes are A, B, … in their order.
struct Comparison {
  std::string title;
  std::string scene;      ///< what was run, without a full stop
  std::string command;    ///< that repeats it; may be empty
  std::string shortfall;  ///< why there are no pictures; empty: there are
  int threads = 1;
  std::vector<LaneFigures> lanes;
};

/// The names of a report's files in its folder, for lanes by these methods; the last one is the page.
std::vector<std::string> report_files(std::span<const IntegratorInfo* const> lanes);

/// Energy, strain and milliseconds over time, a curve for each lane.
Chart comparison_chart(const Comparison& comparison);

/// The table of all lanes for a terminal, with a line below it for each that needs one.
std::string comparison_text(const Comparison& comparison);

/// Writes A-<id>.csv (as `--diagnostics`), A-<id>.png (the lane's pictures side by side), and so on,
/// curves.png, and index.html, which has all of them but the tables by step in it and needs no other file.
/// The folder must exist. Throws InputError, SystemError.
void write_report(const Comparison& comparison, const std::filesystem::path& folder);

}  // namespace clothlab
