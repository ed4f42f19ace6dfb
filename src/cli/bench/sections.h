// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "chart/chart.h"
#include "cli/bench/table.h"
#include "core/worker_pool.h"
#include "documents/scene_loader.h"

namespace clothlab {

/// Context of the sections of a benchmark.
struct BenchSettings {
  WorkerPool& pool;                                  ///< all the threads
  WorkerPool& alone;                                 ///< one
  int steps = 100;                                   ///< that count, after 20 that warm up
  std::function<void(std::string_view what)> begin;  ///< told before each row of a table
};

struct BenchScene {
  std::string name;
  std::function<LoadedScene()> load;
};

// What these throw: InputError, SystemError, and Cancelled on Ctrl-C.

/// Whole steps of each scene. One that cannot be loaded is left out with a note; the only one is an error.
void bench_scenes(const BenchSettings& settings, const std::vector<BenchScene>& scenes,
                  std::vector<BenchTable>& tables);
/// All integrators on each scene; the same of one that cannot be loaded.
void bench_integrators(const BenchSettings& settings, const std::vector<BenchScene>& scenes,
                       std::vector<BenchTable>& tables);
/// Sheets on a sphere, without it and by each contact model.
void bench_contacts(const BenchSettings& settings, std::vector<BenchTable>& tables);
inline constexpr int kBenchContactRows = 15;
/// The share of real time of that table's rows.
Chart integrators_chart(const BenchTable& table);

}  // namespace clothlab
