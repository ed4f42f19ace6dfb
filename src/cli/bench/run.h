// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <limits>
#include <string>
#include <vector>

#include "core/worker_pool.h"
#include "documents/scene_loader.h"
#include "dynamics/state.h"
#include "sim/simulation.h"

namespace clothlab {

/// Wall-clock time of a call [ms].
template <class Work>
double milliseconds_of(Work&& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

double mean(const std::vector<double>& values);    ///< not a number when there are none
double median(const std::vector<double>& values);  ///< not a number when there are none

std::string threads_text(int threads);  ///< "2 threads"
std::string sheet_name(int n);          ///< "64×64"

/// N×N particles; all else is that of `scene`.
Scene hanging_sheet(int n, Scene scene = {});
/// Throws InputError, SystemError, and Cancelled on Ctrl-C.
LoadedScene load_for_bench(Scene scene);

struct RunPlan {
  int warm_up = 20;  ///< steps before the first that counts
  int steps = 100;   ///< that count
  int samples = 0;   ///< states to keep, spread over the steps that count
  /// The run ends early where the steps that count took longer than this.
  double seconds = std::numeric_limits<double>::infinity();
};

/// Figures of a run.
struct RunFigures {
  double first_ms = 0;              ///< the first step, with all that is built once
  std::vector<double> step_ms;      ///< of the steps that count
  std::vector<double> step_cpu_ms;  ///< their processor time
  std::vector<double> iterations;   ///< of conjugate gradients, likewise
  std::vector<double> newton;       ///< iterations of Newton's method, likewise
  std::vector<double> contacts;     ///< pairs in contact, likewise
  std::vector<double> candidates;   ///< ContactFigures::candidates, likewise
  double residual = 0;              ///< the largest StepRecord::residual of these
  double energy_made = 0;           ///< the most that the method made from nothing [J]
  double max_strain = 0;            ///< at the end
  bool converged = true;            ///< every step
  std::string blow_up;              ///< where and why it ended; empty: it did not
  std::vector<State> samples;       ///< at the beginning of some of the steps

  /// "good", "not all converged" or "blew up".
  std::string end() const;
};

/// Steps the scene from its start. Throws Cancelled on Ctrl-C.
RunFigures run_scene(const LoadedScene& loaded, WorkerPool& pool, const RunPlan& plan);

}  // namespace clothlab
