// SPDX-License-Identifier: MIT
#include <algorithm>
#include <string>
#include <vector>

#include "cli/bench/bench.h"
#include "core/error.h"
#include "core/quantile.h"
#include "core/text_file.h"

namespace clothlab {
namespace {

constexpr double kMostSecondsOfRun = 20;
constexpr int kMostIterations = 100'000;  // the most that a scene may ask for

}  // namespace

void bench_meshes(const BenchSettings& settings, const std::vector<std::filesystem::path>& files,
                  std::vector<BenchTable>& tables) {
  const std::size_t first = tables.size();
  tables.push_back(
      {.id = "meshes",
       .title = "Meshes, " + threads_text(settings.pool.threads()) +
                ": whole steps with the default preconditioner and with block Jacobi",
       .columns = {{"mesh", "mesh", ""},
                   {"particles", "particles", ""},
                   {"springs", "springs", ""},
                   {"steps", "steps", ""},
                   {"step_ms_mean", "default", "ms/step", 3},
                   {"step_ms_p95", "p95", "ms", 3},
                   {"iterations_median", "it.", "median", 3},
                   {"block_jacobi_ms_mean", "block Jacobi", "ms/step", 3},
                   {"block_jacobi_iterations", "it.", "median", 4},
                   {"ratio", "faster", "×", 3},
                   {"max_strain_percent", "max strain", "%", 3}},
       .notes = {
           "Each mesh by the command line's defaults; the same steps of both runs count, as many as block "
           "Jacobi makes in 20 s. Faster: block Jacobi's mean over the default's."}});
  for (const std::filesystem::path& file : files) {
    const std::string name = shown_path(file.stem());
    settings.begin("mesh " + name);
    Scene scene;
    scene.mesh = FileSource{file.string()};
    try {
      LoadedScene loaded = load_for_bench(scene);
      const RunPlan plan{.steps = settings.steps, .seconds = kMostSecondsOfRun};
      RunFigures ours = run_scene(loaded, settings.pool, plan);
      CgOptions& cg = loaded.scene.solver.linear.cg;
      cg.preconditioner = PreconditionerKind::block_jacobi;
      cg.max_iterations = kMostIterations;
      RunFigures plain = run_scene(loaded, settings.pool, plan);
      const std::size_t steps = std::min(ours.step_ms.size(), plain.step_ms.size());
      for (auto* values : {&ours.step_ms, &ours.iterations, &plain.step_ms, &plain.iterations})
        values->resize(steps);
      const ClothMesh& mesh = *loaded.mesh;
      tables[first].rows.push_back(
          {name, static_cast<long long>(mesh.positions.size()),
           static_cast<long long>(mesh.stretch_springs.size() + mesh.bend_springs.size()),
           static_cast<long long>(steps), mean(ours.step_ms), quantile(ours.step_ms, 0.95),
           median(ours.iterations), mean(plain.step_ms), median(plain.iterations),
           mean(plain.step_ms) / mean(ours.step_ms), 100 * ours.max_strain});
      if (!ours.blow_up.empty()) tables[first].notes.push_back(name + ": " + ours.blow_up);
      if (!ours.converged) tables[first].notes.push_back(name + ": not every step converged.");
    } catch (const InputError& error) {
      tables[first].notes.push_back(name + " is left out: " + error.what());
    }
  }
}

}  // namespace clothlab
