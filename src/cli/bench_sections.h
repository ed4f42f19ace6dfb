#pragma once

#include <filesystem>
#include <functional>
#include <string_view>
#include <vector>

#include "cli/bench_table.h"
#include "core/worker_pool.h"

namespace clothlab {

/// What all sections of the benchmark have in common.
struct BenchSettings {
  WorkerPool& pool;                                  ///< all the threads
  WorkerPool& alone;                                 ///< one
  int steps = 100;                                   ///< that count, after 20 that warm up
  int samples = 5;                                   ///< of the steps whose systems the baselines solve
  std::function<void(std::string_view what)> begin;  ///< told before each row of a table
};

// Each section adds its tables to those that there are, row by row, so that an interrupted run keeps what was
// measured. They throw InputError, SystemError, and Cancelled on Ctrl-C.

/// The hanging sheet in these sizes: steps, solvers, phases.
void bench_sheets(const BenchSettings& settings, const std::vector<int>& sizes,
                  std::vector<BenchTable>& tables);
/// The streaming limit, and the matrix product beside it on sheets of these sizes.
void bench_products(const BenchSettings& settings, const std::vector<int>& sizes,
                    std::vector<BenchTable>& tables);
/// The meshes of a folder: multigrid beside block Jacobi.
void bench_meshes(const BenchSettings& settings, const std::vector<std::filesystem::path>& files,
                  std::vector<BenchTable>& tables);
/// All integrators on a sheet.
void bench_integrators(const BenchSettings& settings, std::vector<BenchTable>& tables);

}  // namespace clothlab
