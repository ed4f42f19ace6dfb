#include "cli/bench.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/exit_status.h"
#include "cli/interrupt.h"
#include "cli/parse_value.h"
#include "core/error.h"
#include "core/quantile.h"
#include "core/worker_pool.h"
#include "io/output_file.h"
#include "linalg/conjugate_gradient.h"
#include "linalg/eigen_baseline.h"
#include "runtime/scene_loader.h"
#include "sim/simulation.h"

namespace clothlab {
namespace {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

double median(const std::vector<double>& values) { return quantile(values, 0.5); }

/// One size of the hanging sheet. Times in ms.
struct Row {
  int n = 0;
  double step_median = 0, step_p95 = 0;
  double iterations = 0;        ///< CG iterations per step, median
  double solve = 0;             ///< our solve of the sampled systems, median
  double solve_iterations = 0;  ///< on those systems
  double eigen_build = 0;       ///< of Eigen's matrix and preconditioner, median
  double eigen_solve = 0;       ///< to the same true residual
  double eigen_iterations = 0;
  double ratio = 0;                   ///< Eigen's solve over ours, system by system, median
  double iteration_per_particle = 0;  ///< of our solve [ns]
};

/// The linear system of the next semi-implicit Euler step, solved by our CG and by Eigen's in turn.
class Contest {
 public:
  Contest(const Simulation& simulation, WorkerPool& pool)
      : simulation_(simulation),
        pool_(pool),
        A_(simulation.system().pattern()),
        K_(simulation.system().pattern()),
        b_(A_.size()),
        x_(A_.size()) {}

  void sample() {
    const ClothSystem& system = simulation_.system();
    const State& state = simulation_.state();
    const double h = simulation_.scene().stepping.dt;
    const SolverSettings& solver = simulation_.scene().stepping.solver;
    // (M − hD − h²K) Δv = h (f + hKv)
    system.assemble(state.x, state.v, {1, h, h * h}, solver.jacobian, A_);
    system.assemble(state.x, state.v, {0, 0, 1}, solver.jacobian, K_);
    K_.multiply(pool_, state.v, x_);
    system.force(state.x, state.v, b_);
    for (std::size_t i = 0; i < b_.size(); ++i) b_[i] = h * (b_[i] - h * x_[i]);

    const Projection& projection = system.projection();
    Clock::time_point begin = Clock::now();
    const SolveReport ours = ours_.solve(pool_, A_, b_, {}, projection, x_, solver.linear.cg);
    ours_ms.push_back(milliseconds_since(begin));
    ours_iterations.push_back(ours.iterations);

    begin = Clock::now();
    eigen_.build(A_, projection);
    eigen_build_ms.push_back(milliseconds_since(begin));
    begin = Clock::now();
    const SolveReport theirs =
        eigen_.solve(A_, b_, {}, projection, x_, solver.linear.cg.tolerance, solver.linear.cg.max_iterations);
    eigen_ms.push_back(milliseconds_since(begin));
    eigen_iterations.push_back(theirs.iterations);
    ratios.push_back(eigen_ms.back() / ours_ms.back());
    if (!ours.converged || !theirs.converged)
      std::fprintf(stderr, "clothlab: bench: not converged at %zu particles (ours %.2g, Eigen's %.2g).\n",
                   A_.size(), ours.residual, theirs.residual);
  }

  std::vector<double> ours_ms, ours_iterations, eigen_build_ms, eigen_ms, eigen_iterations, ratios;

 private:
  const Simulation& simulation_;
  WorkerPool& pool_;
  SpringMatrix A_, K_;
  std::vector<vec3> b_, x_;
  ConjugateGradient ours_;
  EigenBaseline eigen_;
};

struct Bench {
  std::optional<std::string> sizes_text, steps_text, threads_text, json;

  void add_to(CLI::App& app) {
    const auto text = [&](const char* name, std::optional<std::string>& target, const char* type,
                          const char* help) {
      app.add_option(name, target, help)->type_name(type)->take_last();
    };
    text("--sizes", sizes_text, "N,N,...", "Particles along an edge of the sheets; default 32,64,128.");
    text("--steps", steps_text, "N", "Measured steps of each, after 20 that warm up; default 40.");
    text("--threads", threads_text, "N", "Threads of our solver, default all cores; Eigen's uses one.");
    text("--json", json, "FILE", "The figures as JSON as well.");
  }

  static Row measure(int n, int steps, WorkerPool& pool) {
    constexpr int kWarmUp = 20;
    Scene scene;
    scene.mesh = GridSource{n, n, 1, 1};
    scene.stepping.solver.linear.cg.max_iterations = 100'000;  // what a step needs is what is measured
    const LoadedScene loaded = load_scene(scene, {UnitChoice::as_is, Interrupt::probe(), {}});
    Simulation simulation(loaded.scene, loaded.mesh, pool);
    Contest contest(simulation, pool);
    std::vector<double> step_ms, iterations;
    for (int step = 0; step < kWarmUp + steps; ++step) {
      if (Interrupt::requested()) throw Cancelled();
      if (step >= kWarmUp && (step - kWarmUp) % 8 == 0) contest.sample();
      const Clock::time_point begin = Clock::now();
      simulation.step();
      if (step < kWarmUp) continue;
      step_ms.push_back(milliseconds_since(begin));
      iterations.push_back(simulation.record().cg_iterations);
    }
    Row row;
    row.n = n;
    row.step_median = median(step_ms);
    row.step_p95 = quantile(step_ms, 0.95);
    row.iterations = median(iterations);
    row.solve = median(contest.ours_ms);
    row.solve_iterations = median(contest.ours_iterations);
    row.eigen_build = median(contest.eigen_build_ms);
    row.eigen_solve = median(contest.eigen_ms);
    row.eigen_iterations = median(contest.eigen_iterations);
    row.ratio = median(contest.ratios);
    row.iteration_per_particle = row.solve * 1e6 / (std::max(row.solve_iterations, 1.0) * n * n);
    return row;
  }

  static nlohmann::json to_json(const Row& row) {
    return {{"sheet", row.n},
            {"particles", row.n * row.n},
            {"step_ms_median", row.step_median},
            {"step_ms_p95", row.step_p95},
            {"cg_iterations", row.iterations},
            {"solve_ms", row.solve},
            {"solve_iterations", row.solve_iterations},
            {"eigen_build_ms", row.eigen_build},
            {"eigen_solve_ms", row.eigen_solve},
            {"eigen_iterations", row.eigen_iterations},
            {"eigen_over_ours", row.ratio},
            {"ns_per_iteration_and_particle", row.iteration_per_particle}};
  }

  int run() {
    const Interrupt interrupt;
    std::vector<int> sizes;
    std::string_view left = sizes_text ? std::string_view(*sizes_text) : std::string_view("32,64,128");
    for (;;) {
      const std::size_t comma = left.find(',');
      sizes.push_back(static_cast<int>(parse_whole("sizes", left.substr(0, comma), 2, 1024)));
      if (comma == std::string_view::npos) break;
      left.remove_prefix(comma + 1);
    }
    const int steps = steps_text ? static_cast<int>(parse_whole("steps", *steps_text, 1, 100'000)) : 40;
    const int threads =
        threads_text ? static_cast<int>(parse_whole("threads", *threads_text, 1, 256)) : hardware_threads();
    if (json) check_writable(*json);

    WorkerPool pool(threads);
    std::printf(
        "Hanging sheet, defaults of the command line (semi-implicit Euler, h = 1/60 s, CG to 1e-3), %d "
        "thread%s.\n"
        "Both solvers get the same systems and go to the same true residual.\n\n",
        threads, threads == 1 ? "" : "s");
    std::printf("%7s %9s %8s %8s %7s | %9s %9s %9s %7s | %7s %9s\n", "sheet", "particles", "ms/step", "p95",
                "CG it.", "ours ms", "Eigen ms", "its", "build", "Eigen/", "ns per it.");
    std::printf("%7s %9s %8s %8s %7s | %9s %9s %9s %7s | %7s %9s\n", "", "", "median", "", "median",
                "per solve", "per solve", "", "ms", "ours", "& particle");
    nlohmann::json rows = nlohmann::json::array();
    for (const int n : sizes) {
      const Row row = measure(n, steps, pool);
      std::printf("%4dx%-3d %8d %8.2f %8.2f %7.0f | %9.2f %9.2f %9.0f %7.2f | %6.2fx %9.2f\n", n, n, n * n,
                  row.step_median, row.step_p95, row.iterations, row.solve, row.eigen_solve,
                  row.eigen_iterations, row.eigen_build, row.ratio, row.iteration_per_particle);
      std::fflush(stdout);
      rows.push_back(to_json(row));
    }
    if (json) write_file(*json, nlohmann::json{{"threads", threads}, {"sheets", rows}}.dump(2) + "\n");
    return kExitDone;
  }
};

}  // namespace

std::function<int()> add_bench(CLI::App& app) {
  auto command = std::make_shared<Bench>();
  command->add_to(*app.add_subcommand("bench", "The standard benchmark scenes, beside Eigen's solver."));
  return [command] { return command->run(); };
}

}  // namespace clothlab
