// SPDX-License-Identifier: MIT
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/analyses/analysis.h"
#include "cli/analyses/analyze_options.h"
#include "cli/exit_status.h"
#include "cli/interrupt.h"
#include "cli/output/results.h"
#include "cli/run_options.h"
#include "cli/scene_options.h"
#include "collide/surface_name.h"
#include "core/text_file.h"
#include "io/csv.h"
#include "io/output_file.h"
#include "sim/cloth_intersections.h"

namespace clothlab {
namespace {

struct Intersections final : Analysis {
  SceneOptions scene;
  LengthOptions length{0};
  std::optional<std::string> resume, csv_file;
  OutputFiles outputs;

  void add_to(CLI::App& app) override {
    AnalyzeOptions::add_option(app, "--csv", csv_file, "FILE", "A row per interior vertex and per pair.");
    AnalyzeOptions::add_option(app, "--resume", resume, "FILE",
                               "The state of a checkpoint instead; --steps counts from there.");
    length.add_to(app);
    scene.add_to(app);
  }

  /// Takes the steps. False where they were not all taken.
  bool step_all(Simulation& simulation, WorkerPool& pool) const {
    const std::uint64_t steps = length.steps(simulation.scene().dt, scene.steps_of_summary());
    for (std::uint64_t step = 0; step < steps; ++step)
      if (simulation.step(pool, Interrupt::probe(), true) != StepStatus::done) return false;
    return true;
  }

  static std::string table(const Simulation& simulation, const IntersectionList& found) {
    const ClothMesh& mesh = simulation.mesh();
    const std::vector<vec3>& x = simulation.state().x;
    std::string text = "kind,body,vertex,triangle,other_triangle,depth,x,y,z\n";
    const auto index = [](std::uint32_t i) { return CsvValue(static_cast<long long>(i)); };
    for (const auto& [surface, particle, depth] : found.particles) {
      const vec3& at = x[particle];
      text += "vertex," + surface_id(surface, simulation.scene().obstacles.bodies) + "," +
              csv_line({index(mesh.vertex_of_particle[particle]), NAN, NAN, depth, at.x, at.y, at.z});
    }
    for (const auto& [surface, triangle, other] : found.pairs) {
      const auto& [a, b, c] = mesh.triangles[triangle];
      const vec3 at = (x[a] + x[b] + x[c]) / 3.0;
      text += "pair," + surface_id(surface, simulation.scene().obstacles.bodies) + "," +
              csv_line({NAN, index(triangle), index(other), NAN, at.x, at.y, at.z});
    }
    return text;
  }

  int run() override {
    const Interrupt interrupt;
    if (csv_file) outputs.add(path_of(*csv_file), ".csv");
    const Run run = resume ? resume_run(*resume, scene, outputs) : prepare_run(scene, outputs);
    Simulation& simulation = *run.simulation;
    const bool good = step_all(simulation, *run.pool);
    const IntersectionList found = list_intersections(*run.pool, simulation.mesh(), simulation.state().x,
                                                      simulation.scene().floor, simulation.obstacles());
    std::ranges::for_each(*simulation.notices().list(), print_notice);
    std::printf("After step %llu: %zu intersecting pairs of triangles, %zu vertices inside a body.\n",
                static_cast<unsigned long long>(simulation.steps()), found.pairs.size(),
                found.particles.size());
    if (csv_file && !try_write([&] { write_file(path_of(*csv_file), table(simulation, found)); }))
      return kExitFault;
    if (Interrupt::requested()) return Interrupt::exit_status();
    if (good) return kExitDone;
    std::fprintf(stderr, "clothlab: %s\n", blow_up_text(simulation, *run.pool).c_str());
    return kExitBlownUp;
  }
};

}  // namespace

std::unique_ptr<Analysis> make_intersections_analysis(const Services& /*services*/) {
  return std::make_unique<Intersections>();
}

}  // namespace clothlab
