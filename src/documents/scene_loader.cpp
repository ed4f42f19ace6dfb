// SPDX-License-Identifier: MIT
#include "documents/scene_loader.h"

#include <algorithm>
#include <cmath>
#include <glm/common.hpp>
#include <glm/gtc/quaternion.hpp>
#include <limits>
#include <string>
#include <utility>
#include <variant>

#include "analysis/stability_meter.h"
#include "core/error.h"
#include "core/text_file.h"
#include "core/worker_pool.h"
#include "documents/body_file.h"
#include "documents/obstacle_meshes.h"
#include "io/csv.h"
#include "mesh/cloth_mesh.h"
#include "mesh/generators.h"
#include "mesh/join.h"
#include "mesh/obj_groups.h"
#include "mesh/obj_reader.h"
#include "sim/dressing.h"
#include "sim/mesh_notices.h"

namespace clothlab {
namespace {

// Shares of the load, as measured for a large file.
constexpr double kReadShare = 0.6;
constexpr double kBuildShare = 0.9;

/// Of the box around the vertices that some face uses, in the file's units.
double diagonal_of(const ObjMesh& obj) {
  vec3 low(std::numeric_limits<double>::infinity());
  vec3 high(-std::numeric_limits<double>::infinity());
  for (const ObjMesh::Corner& corner : obj.corners) {
    const vec3& p = obj.vertices[static_cast<std::size_t>(corner.vertex)];
    low = glm::min(low, p);
    high = glm::max(high, p);
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
  // A point has no size; build_cloth_mesh refuses sizes beyond every scale.
  return comfortable || fitted < kMinScale || fitted > kMaxScale ? scale : fitted;
}

/// Throws Cancelled.
void report(const SceneLoadOptions& options, double fraction, std::string_view stage) {
  if (stop_requested(options.stop)) throw Cancelled();
  if (options.progress) options.progress(fraction, stage);
}

/// A file of the cloth: file number `k` of `count`, for the progress.
ObjMesh read_file(const std::string& name, std::size_t k, std::size_t count,
                  const SceneLoadOptions& options) {
  const BodyFile path(path_of(name));
  const std::string stage = "Reading " + shown_path(path.file.filename());
  const auto progress = [&](double fraction) {
    report(options, kReadShare * (static_cast<double>(k) + fraction) / static_cast<double>(count), stage);
  };
  progress(0);
  ObjMesh obj = read_obj_file(path.file, {options.stop, progress});
  keep_groups(obj, path.groups);
  return obj;
}

ObjMesh read_or_make(const Scene& scene, const SceneLoadOptions& options) {
  const MeshSource& source = scene.mesh;
  if (const auto* grid = std::get_if<GridSource>(&source)) {
    report(options, 0, "Making the grid");
    return make_grid_obj(grid->rows, grid->cols, grid->width, grid->depth);
  }
  if (const auto* generated = std::get_if<GeneratedSource>(&source)) {
    report(options, 0, "Making the mesh");
    return find_generated_mesh(generated->name).make();
  }
  if (const auto* file = std::get_if<FileSource>(&source))
    return read_file(file->path, 0, 1 + scene.added_meshes.size(), options);
  throw InputError("The scene has no mesh: name an OBJ file or a grid.");
}

std::string stem_of(const std::string& path) { return utf8_of(BodyFile(path_of(path)).file.stem()); }

/// The mesh with the added ones, in the units and axes of its file. Scales those of the scene that have to
/// fit.
ObjMesh with_added_meshes(ObjMesh first, Scene& scene, double scale, const SceneLoadOptions& options) {
  if (scene.added_meshes.empty()) return first;
  const auto* file = std::get_if<FileSource>(&scene.mesh);
  const std::string group = file != nullptr ? stem_of(file->path)
                            : first.grid    ? "grid"
                                            : std::get<GeneratedSource>(scene.mesh).name;
  std::vector<MeshToJoin> meshes;
  meshes.push_back({std::move(first), group});
  for (AddedMesh& added : scene.added_meshes) {
    ObjMesh next = read_file(added.path, meshes.size(), 1 + scene.added_meshes.size(), options);
    const std::size_t from_last = scene.added_meshes.size() - meshes.size();
    if (from_last < options.fit_last_meshes)
      added.scale = chosen_scale(UnitChoice::fit, scale * added.scale, diagonal_of(next)) / scale;
    const mat3 turn = glm::mat3_cast(turn_of(added.turn));
    for (vec3& v : next.vertices) {
      const vec3 upright = scene.z_up ? vec3(v.x, v.z, -v.y) : v;
      const vec3 p = added.position / scale + turn * (added.scale * upright);
      if (!is_finite(p)) throw InputError(next.name + ": its coordinates are too large for its scale");
      v = scene.z_up ? vec3(p.x, -p.z, p.y) : p;
    }
    meshes.push_back({std::move(next), stem_of(added.path)});
  }
  return joined(std::move(meshes));
}

void dress(Scene& scene, const ClothMesh& mesh, const SceneLoadOptions& options) {
  WorkerPool pool(1);
  const auto progress = [&](double fraction) {
    report(options, std::lerp(kReadShare, kBuildShare, fraction), "Placing the bodies in the cloth");
  };
  scene.obstacles.bodies = dress_bodies(pool, scene, mesh, progress).bodies;
  if (scene.obstacles.grow == 0) scene.obstacles.grow = kDressingGrowth;
}

/// The same moment with other objects for the world that all lanes share.
Moment on_scene(Moment moment, const Scene& scene) {
  for (Moment::Part& part : moment.lanes) {
    auto checkpoint = std::make_shared<Checkpoint>(*part.checkpoint);
    checkpoint->scene = std::make_shared<const Scene>(with_method(scene, part.checkpoint->scene->method()));
    part.checkpoint = std::move(checkpoint);
  }
  return moment;
}

}  // namespace

std::vector<Lane> lanes_of(const LoadedScene& loaded, WorkerPool& pool, const StopProbe& stop,
                           std::size_t most) {
  const std::size_t count = std::min(most, std::max<std::size_t>(loaded.lanes.size(), 1));
  std::shared_ptr<const ClothModel> model = loaded.model;
  std::vector<Lane> lanes;
  for (std::size_t i = 0; i < count; ++i) {
    Lane& lane = lanes.emplace_back();
    if (!loaded.lanes.empty()) lane.id = loaded.lanes[i].lane;
    try {
      if (loaded.moment) {
        const Moment::Part& part = loaded.moment->lanes[i];
        lane.frozen = part.frozen;
        lane.held = part.held;
        lane.simulation = std::make_unique<Simulation>(*part.checkpoint, loaded.mesh, pool, stop, model);
      } else {
        const Scene scene = i == 0 ? loaded.scene : with_method(loaded.scene, loaded.lanes[i].method);
        lane.simulation = std::make_unique<Simulation>(scene, loaded.mesh, pool, stop, model);
      }
    } catch (const InputError& error) {
      if (count == 1) throw;
      throw InputError(std::string("Lane ") + lane_letter(lane.id) + ": " + error.what());
    }
    model = lane.simulation->system().shared_model();
  }
  return lanes;
}

LoadedScene load_scene(Scene scene, const SceneLoadOptions& options) {
  LoadedScene loaded;
  ObjMesh obj = read_or_make(scene, options);
  loaded.file_diagonal = diagonal_of(obj);
  const double scale = chosen_scale(options.units, scene.scale, loaded.file_diagonal);
  loaded.fitted = options.units == UnitChoice::fit && scale != scene.scale;
  scene.scale = scale;
  obj = with_added_meshes(std::move(obj), scene, scale, options);
  report(options, kReadShare, "Finding the springs");
  loaded.mesh = std::make_shared<const ClothMesh>(build_cloth_mesh(
      std::move(obj), {.scale = scale, .weld = scene.weld, .z_up = scene.z_up, .stop = options.stop}));
  if (std::holds_alternative<FileSource>(scene.mesh) || !scene.added_meshes.empty())
    loaded.open_edges = boundary_loops(*loaded.mesh, options.stop);
  if (!options.initial_state.empty()) {
    report(options, kBuildShare, "Reading " + shown_path(options.initial_state.filename()));
    StateRows rows =
        read_state_csv(options.initial_state, loaded.mesh->particle_of_vertex.size(), options.stop);
    scene.initial_state = InitialState{std::move(rows.positions), std::move(rows.velocities)};
  }
  read_obstacle_meshes(scene.obstacles.bodies, options.stop);
  if (options.dress) dress(scene, *loaded.mesh, options);
  loaded.scene = std::move(scene);
  loaded.lanes = options.lanes;
  if (options.checkpoint)
    loaded.moment =
        std::make_shared<const Moment>(moment_of(*options.checkpoint, *loaded.mesh, loaded.scene));
  else if (options.moment)
    loaded.moment = std::make_shared<const Moment>(on_scene(*options.moment, loaded.scene));
  loaded.past = options.past;
  if (loaded.moment) {
    loaded.lanes.clear();
    for (const Moment::Part& part : loaded.moment->lanes)
      loaded.lanes.push_back({part.lane, part.checkpoint->scene->method()});
  }

  if (options.rehearse) {
    report(options, kBuildShare, "Estimating the stability");
    WorkerPool pool(1);
    const std::vector<Lane> lanes = lanes_of(loaded, pool, options.stop);
    const Simulation& simulation = *lanes.front().simulation;
    loaded.model = simulation.system().shared_model();
    loaded.omega_max = StabilityMeter()
                           .omega_max(simulation.system(), simulation.state().x, loaded.scene.solver.jacobian,
                                      pool, options.stop)
                           .value_or(0);
  }
  report(options, 1, "Done");
  return loaded;
}

std::unique_ptr<Simulation> simulation_of(const LoadedScene& loaded, WorkerPool& pool,
                                          const StopProbe& stop) {
  return std::move(lanes_of(loaded, pool, stop, 1).front().simulation);
}

}  // namespace clothlab
