// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <vector>

#include "cli/bench/bench.h"

namespace clothlab {

// The sections of the program, as BenchSection (cli/bench/bench.h) says.

/// The hanging sheet in these sizes: memory, our solver beside others on the systems of `samples` of the
/// steps, phases of a step.
void bench_solvers(const BenchSettings& settings, int samples, const std::vector<int>& sizes,
                   std::vector<BenchTable>& tables);
/// The streaming limit, and the matrix product beside it on sheets of these sizes.
void bench_products(const BenchSettings& settings, const std::vector<int>& sizes,
                    std::vector<BenchTable>& tables);
/// Meshes from files: multigrid beside block Jacobi.
void bench_meshes(const BenchSettings& settings, const std::vector<std::filesystem::path>& files,
                  std::vector<BenchTable>& tables);

/// Of a sheet that is loaded and stepped three times.
struct FirstSteps {
  std::array<double, 3> fall_mm{};   ///< of its centre, after each
  std::optional<double> peak, kept;  ///< [byte] above the process before: the most; at the end
};
FirstSteps first_steps(int n, WorkerPool& pool);

}  // namespace clothlab
