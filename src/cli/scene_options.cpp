// SPDX-License-Identifier: MIT
#include "cli/scene_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "cli/interrupt.h"
#include "cli/options.h"
#include "core/error.h"
#include "core/text.h"
#include "core/text_file.h"
#include "core/worker_pool.h"
#include "documents/scene_file.h"
#include "integrate/registry.h"
#include "sim/obstacle_json.h"
#include "sim/parameters.h"

namespace clothlab {

namespace fs = std::filesystem;

void SceneOptions::add_to(CLI::App& app) {
  const auto text = [&](const char* name, std::optional<std::string>& target, const char* type,
                        const std::string& help,
                        const char* group = "Scene") { add_text(app, group, name, target, type, help); };
  std::vector<std::string_view> names;
  for (const IntegratorInfo& info : integrators()) names.push_back(info.id);

  text("--scene", scene_file_, "FILE.json",
       "A scene that the program saved; other options override its values. A summary repeats its run, with "
       "the same number of steps unless --steps or --duration is given.");
  text("--mesh", mesh_, "FILE.obj", "The cloth's mesh.");
  text("--mesh-folder", mesh_folder_, "DIR",
       "Folder with moved mesh files of cloth and obstacles: a file there replaces the file of the same "
       "name.");
  text("--grid", grid_, "RxC", "A flat sheet of R x C particles instead of a mesh.");
  text("--size", size_, "WxD", "Width and depth of the grid in metres; default 1x1.");
  text("--scale", scale_, "X", "Multiplies the mesh on load; default 1.");
  app.add_flag("--no-weld", no_weld_, "Keep vertices at the same position apart.")->group("Scene");
  app.add_flag("--z-up", z_up_, "The mesh's z axis points up.")->group("Scene");
  text("--pin", pin_, "WHICH",
       "none, corners, top-corners, top-edge, or 0-based vertex indices I,J,K...; default top-corners.");
  text("--gravity", gravity_, "X,Y,Z", "Gravity in m/s^2; default 0,-9.8,0.");
  text("--initial-state", initial_state_, "FILE.csv",
       "Positions and velocities to start from, as --state writes them; rest lengths still come from the "
       "mesh.");
  app.add_option(
         "--obstacle", obstacles_,
         std::string("A body that cloth lies on, in metres: ").append(obstacle_forms()) +
             ". A plane is n·x = d; edges of boxes and cylinders are rounded. For turns and paths give an "
             "object, as in scene files. Repeat it for more bodies; none removes the obstacles of the scene.")
      ->type_name("SPEC")
      ->allow_extra_args(false)
      ->group("Obstacles");
  text("--integrator", integrator_, "NAME",
       "One of " + joined(names) + "; default " + Scene{}.integrator + ".", "Stepping");
  for (const ParameterSpec* spec : all_parameters()) {
    const SceneParameter* row = find_scene_parameter(spec->id);
    add_parameter_option(app, *spec, values_[std::string(spec->id)])
        ->group(row != nullptr ? std::string(row->section) : "Stepping");
  }
  machine_.add_to(app);
}

void MachineOptions::add_to(CLI::App& app) {
  add_text(app, "Stepping", "--threads", threads_, "N",
           "Number of threads; default all cores. Does not change results.");
  app.add_flag("--quiet", quiet_, "No progress on stderr.")->group("Results");
}

int MachineOptions::threads() const {
  constexpr int kMostThreads = 256;
  return threads_ ? static_cast<int>(parse_whole("threads", *threads_, 1, kMostThreads))
                  : std::min(hardware_threads(), kMostThreads);
}

bool SceneOptions::changes_a_scene() const {
  for (const auto* text :
       {&scene_file_, &grid_, &size_, &scale_, &pin_, &gravity_, &integrator_, &initial_state_})
    if (*text) return true;
  return no_weld_ || z_up_ || !obstacles_.empty() ||
         std::any_of(values_.begin(), values_.end(),
                     [](const auto& value) { return value.second.has_value(); });
}

bool SceneOptions::names_a_scene() const { return scene_file_ || mesh_ || grid_; }

fs::path mesh_folder_of(const std::optional<std::string>& option) {
  if (!option) return {};
  if (std::error_code error; !fs::is_directory(path_of(*option), error))
    throw InputError("--mesh-folder: " + shown_path(path_of(*option)) + " is not a folder.");
  return path_of(*option);
}

Scene SceneOptions::scene(const std::optional<std::string>& positional) {
  if (mesh_ && grid_) throw InputError("--mesh and --grid exclude each other: give one of them.");
  if (positional && (scene_file_ || mesh_ || grid_))
    throw InputError("'" + *positional +
                     "' and --scene, --mesh or --grid exclude each other: give one of them.");
  Scene scene;
  SceneExtras extras;
  if (positional) scene = scene_from_path(*positional, Interrupt::probe(), &extras);
  if (scene_file_) scene = read_scene_file(*scene_file_, Interrupt::probe(), &extras, &summary_);
  lanes_ = std::move(extras.lanes);
  if (const fs::path folder = mesh_folder(); !folder.empty())
    change_paths(scene, [&](const fs::path& mesh) { return moved_to(folder, mesh); });
  if (!extras.remark.empty()) std::fprintf(stderr, "clothlab: %s\n", extras.remark.c_str());
  if (mesh_) scene.mesh = FileSource{*mesh_};
  if (grid_) {
    const auto [rows, cols] = parse_grid(*grid_);
    scene.mesh = GridSource{rows, cols, 1, 1};
  }
  return applied_to(std::move(scene));
}

Scene SceneOptions::applied_to(Scene scene) {
  if (size_) {
    auto* grid = std::get_if<GridSource>(&scene.mesh);
    if (grid == nullptr) throw InputError("--size needs --grid.");
    const auto [width, depth] = parse_size(*size_);
    grid->width = width;
    grid->depth = depth;
  }
  if (scale_) scene.scale = parse_positive("scale", *scale_);
  check_scale(scene.scale);
  if (no_weld_) scene.weld = false;
  if (z_up_) scene.z_up = true;
  if (pin_) scene.pins = parse_pins(*pin_);
  if (gravity_) scene.material.gravity = parse_gravity(*gravity_);
  if (!obstacles_.empty()) scene.obstacles.bodies.clear();
  for (const std::string& obstacle : obstacles_)
    if (obstacle != "none") scene.obstacles.bodies.push_back(parse_obstacle_argument(obstacle));
  check_obstacles(scene.obstacles.bodies);
  if (integrator_) scene.integrator = integrator_info(*integrator_).id;
  for (const ParameterSpec* spec : all_parameters()) {
    const std::optional<std::string>& value = values_.find(spec->id)->second;
    if (!value) continue;
    set_parameter(scene, spec->id, parse_parameter(*spec, *value));
  }
  machine_.threads();  // throws for an invalid number
  return scene;
}

}  // namespace clothlab
