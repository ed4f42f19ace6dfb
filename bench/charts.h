// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "chart/chart.h"
#include "cli/output/table.h"

namespace clothlab {

/// The pictures of a benchmark, by what comes after the prefix in their files' names: what a step costs and
/// how many iterations it takes over the size, and the products below the streaming limit.
inline constexpr std::array kBenchPictures{"-cost.png", "-iterations.png", "-roofline.png"};

/// Those whose tables have rows, with the ending of the file's name.
std::vector<std::pair<std::string, Chart>> bench_charts(const std::vector<BenchTable>& tables);

}  // namespace clothlab
