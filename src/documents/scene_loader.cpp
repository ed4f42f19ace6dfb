// SPDX-License-Identifier: MIT
#include "documents/scene_loader.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <variant>

#include "analysis/stability_meter.h"
#include "core/error.h"
#include "core/text_file.h"
#include "core/worker_pool.h"
#include "documents/obstacle_meshes.h"
#include "io/csv.h"
#include "mesh/cloth_mesh.h"
#include "mesh/generators.h"
#include "mesh/grid.h"
#include "mesh/obj_reader.h"
#include "sim/mesh_notices.h"

namespace clothlab {
namespace {

// Shares of the whole load, by where the time goes for a large file.
constexpr double kReadShare = 0.6;
constexpr double kBuildShare = 0.9;

/// Of the box around the vertices that some face uses, in the file's units.
double diagonal_of(const ObjMesh& obj) {
  vec3 low(std::numeric_limits<double>::infinity());
  vec3 high(-std::numeric_limits<double>::infinity());
  for (const ObjMesh::Corner& corner : obj.corners) {
    const vec3& p = obj.vertices[static_cast<std::size_t>(corner.vertex)];
    for (int a = 0; a < 3; ++a) {
      low[a] = std::min(low[a], p[a]);
      high[a] = std::max(high[a], p[a]);
    }
  }
  return obj.corners.empty() ? 0 : std::hypot(high.x - low.x, high.y - low.y, high.z - low.z);
}

double chosen_scale(UnitChoice units, double scale, double file_diagonal) {
  switch (units) {
    case UnitChoice::as_is:
      return scale;
    case UnitChoice::metres:
      return 1;
    case UnitChoice::centimetres:
      return 0.01;
    case UnitChoice::millimetres:
      return 0.001;
    case UnitChoice::fit:
      break;
  }
  const double diagonal = std::abs(scale) * file_diagonal;
  const bool comfortable = diagonal >= kSmallestCloth && diagonal <= kLargestCloth;
  const double fitted = kUsualCloth / file_diagonal;
  // A point has no size; sizes beyond every scale are left to build_cloth_mesh.
  return comfortable || fitted < kMinScale || fitted > kMaxScale ? scale : fitted;
}

class Progress {
 public:
  explicit Progress(const SceneLoadOptions& options) : options_(options) {}

  void tell(double fraction, std::string_view stage) const {
    if (stop_requested(options_.stop)) throw Cancelled();
    if (options_.progress) options_.progress(fraction, stage);
  }

 private:
  const SceneLoadOptions& options_;
};

ObjMesh read_or_make(const MeshSource& source, const SceneLoadOptions& options, const Progress& progress) {
  if (const auto* grid = std::get_if<GridSource>(&source)) {
    progress.tell(0, "Making the grid");
    return make_grid_obj(grid->rows, grid->cols, grid->width, grid->depth);
  }
  if (const auto* generated = std::get_if<GeneratedSource>(&source)) {
    progress.tell(0, "Making the mesh");
    return find_generated_mesh(generated->name).make();
  }
  if (const auto* file = std::get_if<FileSource>(&source)) {
    const std::filesystem::path path = path_of(file->path);
    const std::string stage = "Reading " + shown_path(path.filename());
    progress.tell(0, stage);
    LoadOptions reading;
    reading.stop = options.stop;
    reading.progress = [&](double fraction) { progress.tell(kReadShare * fraction, stage); };
    return read_obj_file(path, reading);
  }
  throw InputError("The scene has no mesh: name an OBJ file or a grid.");
}

}  // namespace

LoadedScene load_scene(Scene scene, const SceneLoadOptions& options) {
  const Progress progress(options);
  LoadedScene loaded;
  ObjMesh obj = read_or_make(scene.mesh, options, progress);

  progress.tell(kReadShare, "Finding the springs");
  loaded.file_diagonal = diagonal_of(obj);
  const double scale = chosen_scale(options.units, scene.scale, loaded.file_diagonal);
  loaded.fitted = options.units == UnitChoice::fit && scale != scene.scale;
  scene.scale = scale;
  MeshOptions mesh;
  mesh.scale = scene.scale;
  mesh.weld = scene.weld;
  mesh.z_up = scene.z_up;
  mesh.stop = options.stop;
  loaded.mesh = std::make_shared<const ClothMesh>(build_cloth_mesh(std::move(obj), mesh));
  if (std::holds_alternative<FileSource>(scene.mesh))
    loaded.open_edges = boundary_loops(*loaded.mesh, options.stop);
  if (!options.initial_state.empty()) {
    progress.tell(kBuildShare, "Reading " + shown_path(options.initial_state.filename()));
    StateRows rows =
        read_state_csv(options.initial_state, loaded.mesh->particle_of_vertex.size(), options.stop);
    scene.initial_state = InitialState{std::move(rows.positions), std::move(rows.velocities)};
  }
  read_obstacle_meshes(scene.obstacles.bodies, options.stop);
  loaded.scene = std::move(scene);
  if (options.checkpoint) {
    Checkpoint moment = checkpoint_on(*options.checkpoint, *loaded.mesh, loaded.scene.obstacles.bodies);
    moment.scene = std::make_shared<const Scene>(loaded.scene);
    loaded.moment = std::make_shared<const Checkpoint>(std::move(moment));
  } else if (options.moment) {
    Checkpoint moment = *options.moment;
    moment.scene = std::make_shared<const Scene>(loaded.scene);
    loaded.moment = std::make_shared<const Checkpoint>(std::move(moment));
  }

  if (options.rehearse) {
    progress.tell(kBuildShare, "Estimating the stability");
    WorkerPool pool(1);
    const std::unique_ptr<Simulation> made = simulation_of(loaded, pool, options.stop);
    const Simulation& simulation = *made;
    loaded.model = simulation.system().shared_model();
    loaded.omega_max = StabilityMeter()
                           .omega_max(simulation.system(), simulation.state().x, loaded.scene.solver.jacobian,
                                      pool, options.stop)
                           .value_or(0);
  }
  progress.tell(1, "Done");
  return loaded;
}

std::unique_ptr<Simulation> simulation_of(const LoadedScene& loaded, WorkerPool& pool,
                                          const StopProbe& stop) {
  if (loaded.moment)
    return std::make_unique<Simulation>(*loaded.moment, loaded.mesh, pool, stop, loaded.model);
  return std::make_unique<Simulation>(loaded.scene, loaded.mesh, pool, stop, loaded.model);
}

}  // namespace clothlab
