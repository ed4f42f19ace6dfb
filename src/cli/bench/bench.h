// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chart/chart.h"
#include "cli/output/output_files.h"
#include "cli/output/table.h"
#include "core/worker_pool.h"
#include "documents/scene_loader.h"
#include "dynamics/state.h"
#include "experiments/step_loop.h"

namespace clothlab {

// Runs

/// Wall-clock time of a call [ms].
template <class Work>
double milliseconds_of(Work&& work) {
  const StepWatch watch;
  work();
  return watch.elapsed().wall;
}

double mean(const std::vector<double>& values);    ///< not a number when there are none
double median(const std::vector<double>& values);  ///< NaN when there are none
double p95(const std::vector<double>& values);     ///< the 0.95 quantile; NaN when there are none

std::string threads_text(int threads);  ///< "2 threads"
std::string sheet_name(int n);          ///< "64×64"

/// N×N particles; everything else from `scene`.
Scene hanging_sheet(int n, Scene scene = {});
/// Throws InputError, SystemError, and Cancelled on Ctrl-C.
LoadedScene load_for_bench(Scene scene);

struct RunPlan {
  int warm_up = 20;  ///< steps before the first that counts
  int steps = 100;   ///< that count
  int samples = 0;   ///< states to keep, spread over the steps that count
  /// The run ends early if the counted steps took longer than this.
  double seconds = std::numeric_limits<double>::infinity();
};

/// Figures of a run; those of a step are of the steps that count.
struct RunFigures : StepFigures {
  double first_ms = 0;             ///< the first step, with one-time setup
  std::vector<double> iterations;  ///< of conjugate gradients, of each step that counts
  std::vector<double> newton;      ///< Newton iterations of each counted step
  std::vector<double> contacts;    ///< pairs in contact, of each counted step
  std::vector<double> candidates;  ///< ContactFigures::candidates of each counted step
  bool converged = true;           ///< every step
  std::string blow_up;             ///< where and why it ended; empty: it did not
  std::vector<State> samples;      ///< at the beginning of some of the steps

  /// "good", "not all converged" or "blew up".
  std::string end() const;
};

/// Steps the scene from its start. Throws Cancelled on Ctrl-C.
RunFigures run_scene(const LoadedScene& loaded, WorkerPool& pool, const RunPlan& plan);

// Tables and their files

/// A part of a benchmark. It adds its tables row by row, so that an interrupted run keeps its results. Throws
/// InputError, SystemError, and Cancelled on Ctrl-C.
using BenchSection = std::function<void(std::vector<BenchTable>&)>;

/// Outputs of a benchmark's tables: stdout as they come, and files.
class BenchResults {
 public:
  /// Adds --csv, --json and --markdown. Must outlive the CLI::App.
  void add_to(CLI::App& app);
  OutputFiles& files() { return files_; }
  /// Measures one section after the other until Ctrl-C, and writes the results. Returns the exit status.
  int run(const std::vector<BenchSection>& sections, std::vector<BenchTable>& tables);

 private:
  OutputFiles files_;
  std::optional<std::string> csv_, json_, markdown_;
};

/// The machine and the build: version, commit, processor, cores in use, compiler.
BenchTable machine_table(int threads);

// Sections

/// Context of the sections of a benchmark.
struct BenchSettings {
  WorkerPool& pool;                                  ///< all the threads
  WorkerPool& alone;                                 ///< one
  int steps = RunPlan().steps;                       ///< that count, after 20 that warm up
  std::function<void(std::string_view what)> begin;  ///< called before each row of a table
};

struct BenchScene {
  std::string name;
  std::function<LoadedScene()> load;
};

/// Measures one scene after the other. One that cannot be loaded is left out with a note; the only one is an
/// error.
void for_each_scene(const std::vector<BenchScene>& scenes, BenchTable& table,
                    const std::function<void(const BenchScene&)>& measure);

// What these throw: InputError, SystemError, and Cancelled on Ctrl-C.

/// Whole steps of each scene.
void bench_scenes(const BenchSettings& settings, const std::vector<BenchScene>& scenes,
                  std::vector<BenchTable>& tables);
/// All integrators on each scene.
void bench_integrators(const BenchSettings& settings, const std::vector<BenchScene>& scenes,
                       std::vector<BenchTable>& tables);
/// Sheets on a sphere, without it and by each contact model.
void bench_contacts(const BenchSettings& settings, std::vector<BenchTable>& tables);
inline constexpr int kBenchContactRows = 21;
/// Chart of the real-time factor of that table's rows.
Chart integrators_chart(const BenchTable& table);

}  // namespace clothlab
