// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/parameter.h"
#include "documents/scene_file.h"
#include "integrate/registry.h"
#include "integrate/tableau.h"
#include "sim/scene.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace clothlab {

/// Adds an option whose text goes to `target`, which must outlive the app; the last of several counts.
/// `group`: its heading in --help.
CLI::Option* add_text(CLI::App& app, const char* group, const char* name, std::optional<std::string>& target,
                      const char* type, const std::string& help);

/// Adds the option `--id` of a parameter: its range, unit and default are in the help, its raw text goes to
/// `value`, which must outlive the app.
CLI::Option* add_parameter_option(CLI::App& app, const ParameterSpec& spec,
                                  std::optional<std::string>& value);

/// One sentence for an argument that the parser of the chosen subcommand does not know; names the nearest
/// option.
std::string unknown_argument(const CLI::App& app);

// Typed text to values, independent of the locale. Every function throws InputError with one sentence
// that names the option, quotes the text and lists what is allowed.

/// A number (see parse_quantity()), whole number, on/off or choice by name, inside the row's range.
double parse_parameter(const ParameterSpec& spec, std::string_view text);

/// A finite number > 0, in `unit`.
double parse_positive(std::string_view option, std::string_view text, std::string_view unit = {});

/// A whole number within [min, max].
std::int64_t parse_whole(std::string_view option, std::string_view text, std::int64_t min, std::int64_t max);

/// "64,128": particles along an edge of some sheets; "none" is the empty list.
std::vector<int> parse_sizes(std::string_view option, std::string_view text);

/// The parts of a text between separators; at least one.
std::vector<std::string_view> split(std::string_view text, char separator);

/// An integrator by id, or "runge-kutta:heun" or "runge-kutta:FILE.json" for one with a tableau.
const IntegratorInfo& parse_integrator(std::string_view text);
/// A tableau by its name, as a file, or as the text of one.
const TableauMethod& parse_tableau_argument(std::string_view text);
/// "rk4,bdf2": integrators as parse_integrator reads them, in that order.
std::vector<const IntegratorInfo*> parse_integrators(std::string_view text);

/// Options whose texts are read when the command runs, so that --help comes first. Targets and this object
/// must outlive the app.
class OptionReaders {
 public:
  /// `heading`: that of the options in --help.
  explicit OptionReaders(const char* heading) : heading_(heading) {}

  /// Adds --id. If it is given, read_all() calls `read` with its text, which may throw InputError.
  CLI::Option* add(CLI::App& app, const std::string& id, const char* type, const std::string& help,
                   const std::function<void(const std::string& text)>& read);
  /// The same of a whole number within [min, max].
  CLI::Option* add_whole(CLI::App& app, const std::string& id, auto& value, std::int64_t min,
                         std::int64_t max, const std::string& help) {
    return add(app, id, "N", help, [=, &value](const std::string& text) {
      value = static_cast<std::remove_reference_t<decltype(value)>>(parse_whole(id, text, min, max));
    });
  }
  /// The same of a finite number > 0; `type` is its unit in capitals.
  CLI::Option* add_positive(CLI::App& app, const std::string& id, const char* type, const char* unit,
                            double& value, const std::string& help) {
    return add(app, id, type, help,
               [=, &value](const std::string& text) { value = parse_positive(id, text, unit); });
  }
  /// The same of a value that the row allows.
  CLI::Option* add_value(CLI::App& app, const ParameterSpec& spec, const char* type, auto& value,
                         const std::string& help) {
    return add(app, std::string(spec.id), type, help, [=, &value](const std::string& text) {
      value = static_cast<std::remove_reference_t<decltype(value)>>(parse_parameter(spec, text));
    });
  }
  /// The same with the help of the row; `set` gets its value.
  CLI::Option* add_parameter(CLI::App& app, const ParameterSpec& spec,
                             const std::function<void(double value)>& set);
  void read_all() const {
    for (const auto& read : readers_) read();
  }

 private:
  const char* heading_;
  std::map<std::string, std::optional<std::string>> texts_;  // by option
  std::vector<std::function<void()>> readers_;               // of those texts
};

/// --threads and --quiet, which change no result.
class MachineOptions {
 public:
  void add_to(CLI::App& app);
  /// At least 1. Throws InputError.
  int threads() const;
  bool names_threads() const { return threads_.has_value(); }
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
  /// Reads arguments such as "--dt=1/60" without a command line. Throws InputError with the same sentences.
  void read(std::vector<std::string> arguments);
  /// --steps and --duration, for a run without a window.
  void add_length_to(CLI::App& app, std::uint64_t default_steps = 60);
  /// The command runs several lanes; others report that they run only the first of a scene file.
  void allow_several_lanes() { chooses_lanes_ = true; }
  bool chooses_lanes() const { return chooses_lanes_; }

  /// The length in whole steps of `dt` [s]. Call after scene(). Without either option: the steps of the
  /// summary that --scene names, otherwise the default. Throws InputError.
  std::uint64_t steps(double dt) const;
  /// True if a mesh, a grid or a scene was named.
  bool names_a_scene() const { return scene_file_ || mesh_ || grid_; }
  bool names_a_scale() const { return scale_.has_value(); }
  const std::optional<std::string>& mesh_file() const { return mesh_; }
  std::filesystem::path mesh_folder() const { return mesh_folder_of(mesh_folder_); }
  /// True if an option changes the scene, apart from the paths of its meshes.
  bool changes_a_scene() const;
  /// The parameters that options set.
  std::vector<const ParameterSpec*> given_parameters() const;
  int threads() const { return machine_.threads(); }
  bool names_threads() const { return machine_.names_threads(); }
  bool quiet() const { return machine_.quiet(); }
  const std::optional<std::string>& scene_file() const { return scene_file_; }
  /// The summary that --scene names, after scene().
  const std::optional<SummarizedRun>& summary() const { return summary_; }
  /// The lanes of the scene file (LoadedScene::lanes), after scene().
  const std::vector<LaneMethod>& lanes() const { return lanes_; }
  /// A lane of the scene file: its scene as it is there, and with the other options on top.
  struct LaneOfFile {
    LaneId lane = 0;
    Scene of_file, scene;
  };
  /// Empty if the file names no lanes. Throws InputError.
  std::vector<LaneOfFile> lanes_of_file() const;
  /// True if an option replaces the scene's mesh or changes how it is loaded; the same for obstacles.
  bool changes_mesh() const {
    return mesh_ || grid_ || size_ || scale_ || no_weld_ || z_up_ || !added_meshes_.empty();
  }
  bool changes_obstacles() const { return !obstacles_.empty() || dress_; }
  bool dresses() const { return dress_; }
  /// Throws InputError with --dress, for callers that do not search.
  void refuse_dress() const;
  const std::optional<std::string>& initial_state_file() const { return initial_state_; }

  /// The scene file, if given, with the other options on top. `positional`: SCENE.json or MESH.obj of the
  /// window. Reads a file once. Throws InputError.
  Scene scene(const std::optional<std::string>& positional = {});

  /// A scene with all options but the mesh's name on top. Throws InputError.
  Scene applied_to(Scene scene) const;

 private:
  /// The same with the mesh that the options name.
  Scene with_mesh_applied_to(Scene scene) const;

  std::vector<std::string> added_meshes_, obstacles_, soft_pins_, group_materials_;
  std::optional<std::string> scene_file_, mesh_, mesh_folder_, grid_, size_, scale_, pin_, gravity_,
      integrator_, tableau_, initial_state_, fabric_, steps_, duration_;
  std::map<std::string, std::optional<std::string>, std::less<>> values_;  ///< raw text by parameter id
  std::optional<std::string> read_file_;                                   // whose scene is of_file_
  Scene of_file_;
  std::optional<SummarizedRun> summary_;
  std::vector<LaneMethod> lanes_;
  std::uint64_t default_steps_ = 0;
  bool no_weld_ = false, z_up_ = false, dress_ = false, chooses_lanes_ = false;
  MachineOptions machine_;
};

}  // namespace clothlab
