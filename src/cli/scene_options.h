// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "core/parameter.h"
#include "documents/scene_file.h"
#include "sim/scene.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace clothlab {

/// --threads and --quiet, which change no result.
class MachineOptions {
 public:
  void add_to(CLI::App& app);
  /// At least 1. Throws InputError.
  int threads() const;
  bool quiet() const { return quiet_; }

 private:
  std::optional<std::string> threads_;
  bool quiet_ = false;
};

/// The folder that --mesh-folder names; empty if it is not given. Throws InputError if it does not exist.
std::filesystem::path mesh_folder_of(const std::optional<std::string>& option);

/// The options of the scene and of stepping, the same for every subcommand and the window.
/// Must outlive the CLI::App it was added to.
class SceneOptions {
 public:
  void add_to(CLI::App& app);

  /// True if a mesh, a grid or a scene was named.
  bool names_a_scene() const;
  bool names_a_scale() const { return scale_.has_value(); }
  const std::optional<std::string>& mesh_file() const { return mesh_; }
  std::filesystem::path mesh_folder() const { return mesh_folder_of(mesh_folder_); }
  /// True if an option changes the scene, apart from the paths of its meshes.
  bool changes_a_scene() const;
  int threads() const { return machine_.threads(); }
  bool quiet() const { return machine_.quiet(); }
  const std::optional<std::string>& scene_file() const { return scene_file_; }
  /// The summary that --scene names, after scene().
  const std::optional<SummarizedRun>& summary() const { return summary_; }
  /// The lanes of the scene file (LoadedScene::lanes), after scene().
  const std::vector<LaneMethod>& lanes() const { return lanes_; }
  /// True if an option replaces the scene's mesh or changes how it is loaded; the same for obstacles.
  bool changes_mesh() const { return mesh_ || grid_ || size_ || scale_ || no_weld_ || z_up_; }
  bool changes_obstacles() const { return !obstacles_.empty(); }
  const std::optional<std::string>& initial_state_file() const { return initial_state_; }

  /// The scene file, if given, with the other options on top. `positional`: SCENE.json or MESH.obj of the
  /// window. Throws InputError.
  Scene scene(const std::optional<std::string>& positional = {});

  /// A scene with all options but the mesh's name on top. Throws InputError.
  Scene applied_to(Scene scene);

 private:
  std::vector<std::string> obstacles_;
  std::optional<std::string> scene_file_, mesh_, mesh_folder_, grid_, size_, scale_, pin_, gravity_,
      integrator_, initial_state_;
  std::map<std::string, std::optional<std::string>, std::less<>> values_;  ///< raw text by parameter id
  std::optional<SummarizedRun> summary_;
  std::vector<LaneMethod> lanes_;
  bool no_weld_ = false;
  bool z_up_ = false;
  MachineOptions machine_;
};

}  // namespace clothlab
