// SPDX-License-Identifier: MIT
#include "documents/command_line.h"

#include <algorithm>
#include <string_view>

#include "core/text.h"
#include "sim/parameters.h"
#include "sim/scene_json.h"

namespace clothlab {
std::string shell_quoted(const std::string& text) {
#ifdef _WIN32
  return text.find_first_of(" &()^") == std::string::npos ? text : '"' + text + '"';
#else
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=,:+";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) return text;
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
#endif
}

namespace {

/// The options for the values in which scenes, the lanes of one run, differ from others.
class Options {
 public:
  Options(std::span<const Scene> lanes, std::span<const Scene> bases)
      : lanes_(lanes), bases_(bases), scene_(lanes.front()), base_(bases.front()) {}

  std::string values() {
    if (scene_.pins != base_.pins) add("pin", pins());
    const vec3& g = scene_.material.gravity;
    if (g != base_.material.gravity)
      add("gravity", format_number(g.x) + "," + format_number(g.y) + "," + format_number(g.z));
    if (scene_.obstacles.bodies != base_.obstacles.bodies) {
      if (scene_.obstacles.bodies.empty()) add("obstacle", "none");
      for (const Obstacle& body : scene_.obstacles.bodies) add("obstacle", obstacle_argument(body));
    }
    if (scene_.integrator != base_.integrator) add("integrator", scene_.integrator);
    if (scene_.tableau != nullptr && scene_.tableau != base_.tableau &&
        scene_.integrator == scene_.tableau->info.id)
      add("tableau", tableau_text(scene_.tableau->tableau));
    for (const ParameterSpec* spec : all_parameters()) add_parameter(*spec);
    return text_;
  }

  /// The mesh by --grid or --mesh, and --add-mesh.
  std::string mesh() {
    if (const auto* grid = std::get_if<GridSource>(&scene_.mesh)) {
      add("grid", std::to_string(grid->rows) + "x" + std::to_string(grid->cols));
      if (grid->width != 1 || grid->depth != 1)
        add("size", format_number(grid->width) + "x" + format_number(grid->depth));
    } else if (const auto* file = std::get_if<FileSource>(&scene_.mesh)) {
      add("mesh", file->path);
    }
    if (scene_.added_meshes.empty() && !base_.added_meshes.empty()) add("add-mesh", "none");
    for (const AddedMesh& mesh : scene_.added_meshes) add("add-mesh", added_mesh_argument(mesh));
    if (scene_.scale != 1) add("scale", format_number(scene_.scale));
    if (!scene_.weld) text_ += " --no-weld";
    if (scene_.z_up) text_ += " --z-up";
    return text_;
  }

 private:
  void add(std::string_view name, const std::string& value) {
    // A value may begin with a minus sign, which would be an option's.
    text_ += " --" + std::string(name) + (value.starts_with('-') ? "=" : " ") + shell_quoted(value);
  }

  void add_parameter(const ParameterSpec& spec) {
    const auto value = [&](const Scene& scene) { return parameter_value(scene, spec); };
    if (std::ranges::equal(lanes_, bases_, {}, value, value)) return;
    const double now = value(scene_);
    if (spec.kind == ParameterSpec::Kind::boolean && spec.fallback == 0)
      text_ += " --" + std::string(spec.id) + (now != 0 ? "" : "=false");
    else
      add(spec.id, parameter_text(spec, now));
  }

  std::string pins() const {
    if (const auto* preset = std::get_if<PinPreset>(&scene_.pins))
      return std::string(kPinPresetNames[static_cast<std::size_t>(*preset)]);
    std::string text;
    if (const auto* groups = std::get_if<PinnedGroups>(&scene_.pins)) {
      for (const std::string& name : *groups) text += (text.empty() ? "group:" : ",") + name;
      return text;
    }
    for (const std::uint32_t vertex : std::get<VertexList>(scene_.pins))
      text += (text.empty() ? "" : ",") + std::to_string(vertex);
    return text.empty() ? "none" : text;
  }

  std::span<const Scene> lanes_, bases_;
  const Scene& scene_;
  const Scene& base_;
  std::string text_;
};

/// Of one scene.
Options options_of(const Scene& scene, const Scene& base) { return {{&scene, 1}, {&base, 1}}; }

}  // namespace

std::string command_line(const Scene& scene, const Scene* of_file, const std::string& file,
                         std::uint64_t steps) {
  const bool named =
      (std::holds_alternative<GridSource>(scene.mesh) || std::holds_alternative<FileSource>(scene.mesh)) &&
      !scene.initial_state && scene.groups.empty() && scene.drivers.empty() && scene.material.groups.empty();
  if (!named && (of_file == nullptr || file.empty())) return {};
  std::string text = "clothlab simulate";
  if (named) {
    const Scene defaults;
    text += options_of(scene, defaults).mesh() + options_of(scene, defaults).values();
  } else {
    text += " --scene " + shell_quoted(file) + options_of(scene, *of_file).values();
  }
  return text + " --steps " + std::to_string(steps);
}

std::string compare_command_line(std::span<const Scene> scenes, std::span<const Scene> of_file,
                                 const std::string& file, std::uint64_t steps) {
  const MeshPart &now = scenes.front(), &then = of_file.front();
  return "clothlab compare --scene " + shell_quoted(file) +
         (now == then ? "" : options_of(scenes.front(), of_file.front()).mesh()) +
         Options(scenes, of_file).values() + " --steps " + std::to_string(steps);
}

std::string method_options(const Scene& scene) {
  const std::string text = options_of(scene, with_method(scene, {})).values();
  return text.empty() ? "--integrator " + scene.integrator : text.substr(1);
}

std::string replay_command_line(const std::string& journal) {
  return std::string("clothlab replay ").append(shell_quoted(journal));
}

}  // namespace clothlab
