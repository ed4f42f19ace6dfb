// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "bench/eigen_baseline.h"
#include "cli/bench/bench.h"

namespace clothlab {

/// How long solving a linear system took, over the systems of the sampled steps.
struct SolveFigures {
  std::vector<double> ms, iterations;  ///< by system
  double worst_residual = 0;
};

/// Where the time of a step goes, measured outside of it on the sampled states [ms]. The median of all.
struct PhaseFigures {
  double forces = 0;    ///< f
  double assembly = 0;  ///< what M − hD − h²K and the K v of the right-hand side add to that
  double setup = 0;     ///< the preconditioner's numbers; not a number where it is no multigrid
  double solve = 0;     ///< the rest of the solve
  double energies = 0;  ///< for the diagnostics and the blow-up test
};

/// Our solver and those of others on the linear systems of semi-implicit Euler steps from `samples`, states
/// that a run of the scene went through: the same matrices, the same right-hand sides, from the same start 0
/// to the same relative residual, the scene's CG tolerance.
class SystemContest {
 public:
  SystemContest(const LoadedScene& loaded, const std::vector<State>& samples, WorkerPool& pool);
  ~SystemContest();

  PhaseFigures phases();
  /// The scene's own solver.
  SolveFigures ours();
  /// By the baselines that there are. After the first system, who took more than twice as long as the best
  /// rests; `ldlt` says whether SimplicialLDLT takes part. Throws Cancelled on Ctrl-C, between two solves.
  std::map<BaselineMethod, SolveFigures> baselines(bool ldlt);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace clothlab
