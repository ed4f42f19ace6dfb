// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "cli/interrupt.h"
#include "cli/lane_play.h"
#include "cli/options.h"
#include "cli/output/results.h"
#include "cli/subcommand.h"
#include "contact/surfaces.h"
#include "io/csv.h"
#include "io/output_file.h"
#include "sim/cloth_intersections.h"

namespace clothlab {
namespace {

struct Intersections final : Subcommand {
  explicit Intersections(const SubcommandContext& /*context*/) {}

  SceneOptions scene;
  std::optional<std::string> resume, csv_file;
  OutputFiles outputs;

  void add_to(CLI::App& app) override {
    outputs.add_option(app, "Analysis", "--csv", ".csv", csv_file, "FILE",
                       "A row per interior vertex and per pair.");
    add_text(app, "Analysis", "--resume", resume, "FILE",
             "The state of a checkpoint or a bundle instead; --steps counts from there.");
    scene.add_length_to(app, 0);
    scene.add_to(app);
  }

  static std::string table(const Simulation& simulation, const IntersectionList& found) {
    const ClothMesh& mesh = simulation.mesh();
    const std::vector<vec3>& x = simulation.state().x;
    std::string text = "kind,body,vertex,triangle,other_triangle,depth,x,y,z\n";
    for (const auto& [surface, particle, depth] : found.particles) {
      const vec3& at = x[particle];
      text += csv_row("vertex", surface_id(surface, simulation.scene().obstacles.bodies),
                      mesh.vertex_of_particle[particle], NAN, NAN, depth, at.x, at.y, at.z);
    }
    for (const auto& [surface, triangle, other] : found.pairs) {
      const auto& [a, b, c] = mesh.triangles[triangle];
      const vec3 at = (x[a] + x[b] + x[c]) / 3.0;
      text += csv_row("pair", surface_id(surface, simulation.scene().obstacles.bodies), NAN, triangle, other,
                      NAN, at.x, at.y, at.z);
    }
    return text;
  }

  int run() override {
    outputs.check();
    const LaneSource source = read_scene_source(scene, outputs, resume);
    warn_of_no_effect(scene.given_parameters(), runs_of(source, {}));
    WorkerPool pool(scene.threads());
    LanePlay play(source, std::nullopt);
    play.begin(pool);
    const StepStatus status = play.play(pool, [] {});
    const Simulation& simulation = play.simulation();
    const IntersectionList found =
        list_intersections(pool, simulation.mesh(), simulation.state().x, simulation.scene().floor,
                           simulation.obstacles(), simulation.joined());
    std::ranges::for_each(*simulation.notices().list(), print_notice);
    std::printf("After step %llu: %zu intersecting pairs of triangles, %zu vertices inside a body.\n",
                static_cast<unsigned long long>(simulation.steps()), found.pairs.size(),
                found.particles.size());
    outputs.attempt(csv_file, [&](const std::string& path) { write_file(path, table(simulation, found)); });
    if (outputs.lost()) return kExitFault;
    if (Interrupt::requested()) return Interrupt::exit_status();
    if (status == StepStatus::done) return kExitDone;
    std::fprintf(stderr, "clothlab: %s\n", blow_up_text(simulation, pool).c_str());
    return kExitBlownUp;
  }
};

}  // namespace

const SubcommandRow kIntersectionsAnalysis{
    "intersections",
    "Pairs of triangles that intersect, of the cloth and of mesh bodies, and vertices inside a body or below "
    "the\nfloor: at the start, or after --steps.",
    make_subcommand<Intersections>};

}  // namespace clothlab
