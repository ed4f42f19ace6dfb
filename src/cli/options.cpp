// SPDX-License-Identifier: MIT
#include "cli/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <limits>
#include <utility>

#include "cli/interrupt.h"
#include "core/error.h"
#include "core/quantity.h"
#include "core/text.h"
#include "core/text_file.h"
#include "core/vec.h"
#include "core/worker_pool.h"
#include "sim/group_material.h"
#include "sim/parameters.h"
#include "sim/pin_set.h"
#include "sim/presets.h"
#include "sim/scene_json.h"

namespace clothlab {
namespace {

std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

[[noreturn]] void refuse(std::string_view option, std::string_view text, std::string_view allowed) {
  throw InputError("--" + std::string(option) + ": " + quoted(text) + " is not " + std::string(allowed) +
                   ".");
}

// A number in `unit`; none if the text is not one. Throws for a wrong unit.
std::optional<double> number_in(std::string_view option, std::string_view text, std::string_view unit,
                                const std::string& allowed) {
  Quantity read = parse_quantity(text, unit);
  if (!read.refusal.empty())
    throw InputError("--" + std::string(option) + ": " + quoted(text) + " " + read.refusal + "; it must be " +
                     allowed + ".");
  return read.value;
}

double parse_choice(const ParameterSpec& spec, std::string_view text) {
  for (std::size_t c = 0; c < spec.choices.size(); ++c)
    if (spec.choices[c] == text) return static_cast<double>(c);
  throw InputError("--" + std::string(spec.id) + ": unknown value " + quoted(text) +
                   suggestion(text, spec.choices) + " Allowed are " + joined(spec.choices) + ".");
}

double parse_switch(const ParameterSpec& spec, std::string_view text) {
  if (text == "on" || text == "true" || text == "1") return 1;
  if (text == "off" || text == "false" || text == "0") return 0;
  refuse(spec.id, text, allowed_values(spec));
}

/// "Stretch spring stiffness. 1e-06 to 1e+09 N/m, default 1000."
std::string help_text(const ParameterSpec& spec) {
  std::string text(spec.help);
  const std::string fallback = parameter_text(spec, spec.fallback) + ".";
  if (spec.kind == ParameterSpec::Kind::boolean) return text + " Default " + fallback;
  const std::string unit = spec.unit.empty() ? "" : " " + std::string(spec.unit);
  if (spec.kind == ParameterSpec::Kind::choice)
    text += " One of " + joined(spec.choices);
  else if (std::isinf(spec.max))
    text += " At least " + format_number(spec.min) + unit + ", or off";
  else
    text += " " + format_number(spec.min) + " to " + format_number(spec.max) + unit;
  if (spec.most_negative < 0)
    text += ", or " + format_number(spec.most_negative) + " to " + format_number(-spec.min) + unit;
  return text + "; default " + fallback;
}

std::string type_name(const ParameterSpec& spec) {
  switch (spec.kind) {
    case ParameterSpec::Kind::choice:
      return "NAME";
    case ParameterSpec::Kind::boolean:
      return "[on|off]";
    case ParameterSpec::Kind::integer:
      return "N";
    case ParameterSpec::Kind::real:
      break;
  }
  return spec.unit.empty() ? "X" : std::string(spec.unit);
}

/// "X,Y,Z" [m/s²], each within ±kMaxGravity.
vec3 parse_gravity(std::string_view text) {
  const std::string most = format_number(kMaxGravity);
  const std::string allowed = "three numbers X,Y,Z within -" + most + " to " + most;
  std::vector<double> gravity;
  for (const std::string_view part : split(text, ','))
    gravity.push_back(number_in("gravity", part, "m/s²", allowed).value_or(NAN));
  const auto is_allowed = [](double value) { return std::abs(value) <= kMaxGravity; };
  if (gravity.size() != 3 || !std::ranges::all_of(gravity, is_allowed)) refuse("gravity", text, allowed);
  return {gravity[0], gravity[1], gravity[2]};
}

/// "20x30": rows and columns, each >= 2.
GridSource parse_grid(std::string_view text) {
  const auto parts = split(text, 'x');
  if (parts.size() != 2) refuse("grid", text, "of the form RxC, such as 32x32");
  constexpr std::int64_t kMost = 5'000'000;
  return {.rows = static_cast<int>(parse_whole("grid", parts[0], 2, kMost)),
          .cols = static_cast<int>(parse_whole("grid", parts[1], 2, kMost))};
}

/// "1.5x2": sets width and depth [m], each > 0.
void parse_size(std::string_view text, GridSource& grid) {
  const auto parts = split(text, 'x');
  if (parts.size() != 2) refuse("size", text, "of the form WxD in metres, such as 1x1.5");
  grid.width = parse_positive("size", parts[0], "m");
  grid.depth = parse_positive("size", parts[1], "m");
}

/// A preset's name, "0,5,17" (0-based `v` indices) or "group:collar,hem".
PinSelection parse_pins(std::string_view text) {
  for (std::size_t p = 0; p < kPinPresetNames.size(); ++p)
    if (kPinPresetNames[p] == text) return static_cast<PinPreset>(p);
  constexpr std::string_view kGroup = "group:";
  if (text.starts_with(kGroup) && text.size() > kGroup.size()) {
    PinnedGroups groups;
    for (const std::string_view name : split(text.substr(kGroup.size()), ',')) groups.emplace_back(name);
    return groups;
  }
  if (text.empty() || text.find_first_not_of("0123456789,") != std::string_view::npos)
    refuse("pin", text, joined(kPinPresetNames) + ", group:NAME or a list of vertex indices such as 0,31");
  std::vector<std::uint32_t> vertices;
  for (const std::string_view part : split(text, ','))
    vertices.push_back(
        static_cast<std::uint32_t>(parse_whole("pin", part, 0, std::numeric_limits<std::uint32_t>::max())));
  return vertices;
}

/// The parts of "GROUP=VALUE"; the name of a group may contain "=".
std::pair<std::string, std::string> parse_pair(std::string_view option, const std::string& text,
                                               std::string_view allowed) {
  const std::size_t end = std::min(text.rfind('='), text.size());
  if (end == 0 || end == text.size()) refuse(option, text, allowed);
  return {text.substr(0, end), text.substr(end + 1)};
}

/// The subcommand that was named, or the program itself.
const CLI::App& chosen(const CLI::App& app) {
  const auto subcommands = app.get_subcommands();
  return subcommands.empty() ? app : chosen(*subcommands.front());
}

/// "clothlab analyze damping".
std::string full_name(const CLI::App& app) {
  return app.get_parent() == nullptr ? app.get_name() : full_name(*app.get_parent()) + " " + app.get_name();
}

}  // namespace

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0;;) {
    const std::size_t end = text.find(separator, begin);
    parts.push_back(text.substr(begin, end - begin));
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}

std::string unknown_argument(const CLI::App& app) {
  const CLI::App& sub = chosen(app);
  std::vector<std::string> left = sub.remaining();
  if (left.empty()) left = app.remaining(true);
  const std::string argument = left.empty() ? std::string("?") : left.front();
  const std::string name = argument.substr(0, argument.find('='));
  const std::string where = full_name(sub);
  if (!name.starts_with("-"))
    return "unexpected argument '" + argument + "'; `" + where + " --help` shows what is allowed.";
  std::vector<std::string_view> candidates;
  for (const CLI::Option* option : sub.get_options())
    for (const std::string& known : option->get_lnames()) candidates.push_back(known);
  const std::string_view bare =
      std::string_view(name).substr(std::min(name.find_first_not_of('-'), name.size()));
  const std::string_view nearest = nearest_name(bare, candidates);
  return "unknown option " + name +
         (nearest.empty() ? "." : "; did you mean --" + std::string(nearest) + "?") + " `" + where +
         " --help` lists them all.";
}

CLI::Option* add_text(CLI::App& app, const char* group, const char* name, std::optional<std::string>& target,
                      const char* type, const std::string& help) {
  return app.add_option(name, target, help)->type_name(type)->take_last()->group(group);
}

CLI::Option* add_parameter_option(CLI::App& app, const ParameterSpec& spec,
                                  std::optional<std::string>& value) {
  const std::string name = "--" + std::string(spec.id);
  // A switch that is off by default has no value, which could be mistaken for the file to open.
  if (spec.kind == ParameterSpec::Kind::boolean && spec.fallback == 0)
    return app.add_flag_function(
        name, [&value](std::int64_t set) { value = set > 0 ? "on" : "off"; }, help_text(spec));
  return app.add_option(name, value, help_text(spec))->type_name(type_name(spec))->take_last();
}

double parse_parameter(const ParameterSpec& spec, std::string_view text) {
  switch (spec.kind) {
    case ParameterSpec::Kind::choice:
      return parse_choice(spec, text);
    case ParameterSpec::Kind::boolean:
      return parse_switch(spec, text);
    case ParameterSpec::Kind::real:
    case ParameterSpec::Kind::integer:
      break;
  }
  const bool may_be_off = std::isinf(spec.max);
  if (may_be_off && text == "off") return spec.max;
  const std::string allowed =
      may_be_off ? "a number of at least " + format_number(spec.min) + ", or off" : allowed_values(spec);
  const std::optional<double> value = number_in(spec.id, text, spec.unit, allowed);
  if (!value || !is_valid(spec, *value)) refuse(spec.id, text, allowed);
  return *value;
}

double parse_positive(std::string_view option, std::string_view text, std::string_view unit) {
  const std::string allowed = "a finite number greater than 0";
  const std::optional<double> value = number_in(option, text, unit, allowed);
  if (!value || *value <= 0) refuse(option, text, allowed);
  return *value;
}

std::int64_t parse_whole(std::string_view option, std::string_view text, std::int64_t min, std::int64_t max) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < min || value > max)
    refuse(option, text, "a whole number from " + std::to_string(min) + " to " + std::to_string(max));
  return value;
}

std::vector<int> parse_sizes(std::string_view option, std::string_view text) {
  std::vector<int> sizes;
  if (text == "none") return sizes;
  for (const std::string_view size : split(text, ','))
    sizes.push_back(static_cast<int>(parse_whole(option, size, 2, 2048)));
  return sizes;
}

const TableauMethod& parse_tableau_argument(std::string_view text) {
  constexpr std::size_t kMostBytes = 100'000;
  if (text.starts_with('{')) return parse_tableau(text, "--tableau");
  if (!text.ends_with(".json")) return tableau_method(tableau_preset(text));
  const std::filesystem::path file = path_of(text);
  return parse_tableau(read_text_file(file, kMostBytes), shown_path(file));
}

const IntegratorInfo& parse_integrator(std::string_view text) {
  for (const std::string_view id : {kRungeKuttaIntegrator, kTwoStepIntegrator})
    if (text.starts_with(std::string(id) + ":"))
      return parse_tableau_argument(text.substr(id.size() + 1)).info;
  return integrator_info(text);
}

std::vector<const IntegratorInfo*> parse_integrators(std::string_view text) {
  std::vector<const IntegratorInfo*> out;
  for (const std::string_view id : split(text, ',')) out.push_back(&parse_integrator(id));
  return out;
}

CLI::Option* OptionReaders::add(CLI::App& app, const std::string& id, const char* type,
                                const std::string& help,
                                const std::function<void(const std::string& text)>& read) {
  const std::optional<std::string>& text = texts_[id];
  readers_.emplace_back([=, &text] {
    if (text) read(*text);
  });
  return add_text(app, heading_, ("--" + id).c_str(), texts_[id], type, help);
}

CLI::Option* OptionReaders::add_parameter(CLI::App& app, const ParameterSpec& spec,
                                          const std::function<void(double value)>& set) {
  const std::optional<std::string>& text = texts_[std::string(spec.id)];
  readers_.emplace_back([=, &text] {
    if (text) set(parse_parameter(spec, *text));
  });
  return add_parameter_option(app, spec, texts_[std::string(spec.id)])->group(heading_);
}

void SceneOptions::add_to(CLI::App& app) {
  const auto text = [&](const char* name, std::optional<std::string>& target, const char* type,
                        const std::string& help,
                        const char* group = "Scene") { add_text(app, group, name, target, type, help); };
  std::vector<std::string_view> names;
  for (const IntegratorInfo& info : integrators()) names.push_back(info.id);

  text("--scene", scene_file_, "FILE.json",
       "A scene that the program saved, or the scene of a bundle; other options override its values. A "
       "summary repeats its run, with "
       "the same number of steps unless --steps or --duration is given.");
  text("--mesh", mesh_, "FILE.obj", "The cloth's mesh; FILE.obj#NAME limits it to a group of its faces.");
  app.add_option(
         "--add-mesh", added_meshes_,
         "Another OBJ file of the same cloth, with its origin at x,y,z in metres; scale multiplies it. For a "
         "turn give an object, as in scene files. FILE#NAME limits it to a group. Repeat it for more meshes; "
         "none removes those of the scene.")
      ->type_name("x,y,z,scale,FILE")
      ->allow_extra_args(false)
      ->group("Scene");
  text("--mesh-folder", mesh_folder_, "DIR",
       "Folder with moved mesh files of cloth and obstacles: a file there replaces the file of the same "
       "name.");
  text("--grid", grid_, "RxC", "A flat sheet of R x C particles instead of a mesh.");
  text("--size", size_, "WxD", "Width and depth of the grid in metres; default 1x1.");
  text("--scale", scale_, "X", "Multiplies the mesh on load; default 1.");
  app.add_flag("--no-weld", no_weld_, "Keep vertices at the same position apart.")->group("Scene");
  app.add_flag("--z-up", z_up_, "The mesh's z axis points up.")->group("Scene");
  text("--pin", pin_, "WHICH",
       "none, corners, top-corners, top-edge, 0-based vertex indices I,J,K..., or group:NAME,NAME... of "
       "the mesh file or the scene; default top-corners.");
  app.add_option(
         "--soft-pin", soft_pins_,
         "A spring of K N/m from each particle of a group of the mesh file or the scene to its position at "
         "the start. Repeat it for more groups.")
      ->type_name("NAME=K")
      ->allow_extra_args(false)
      ->group("Scene");
  text("--gravity", gravity_, "X,Y,Z", "Gravity in m/s^2; default 0,-9.8,0.");
  text("--initial-state", initial_state_, "FILE.csv",
       "Positions and velocities to start from, as --state writes them; rest lengths still come from the "
       "mesh.");
  app.add_option(
         "--obstacle", obstacles_,
         std::string("A body that cloth lies on, in metres: ").append(obstacle_forms()) +
             ". A plane is n·x = d; edges of boxes and cylinders are rounded. For turns and paths give an "
             "object, as in scene files. FILE#NAME limits an OBJ file to a group; a folder of OBJ files, "
             "walk_####.obj and walk.pc2 (with walk.obj) are meshes that deform. Repeat it for more bodies; "
             "none removes the obstacles of the scene.")
      ->type_name("SPEC")
      ->allow_extra_args(false)
      ->group("Obstacles");
  app.add_flag("--dress", dress_,
               "Moves the bodies that are meshes into the cloth, a garment, until their limbs are inside; "
               "without turns, and by at most a third of its diagonal along each axis. They grow within "
               "--grow-bodies, or 0.1 s. Without --pin nothing is pinned.")
      ->group("Obstacles");
  std::vector<std::string_view> of_fabrics;
  for (const Preset& preset : fabrics()) of_fabrics.push_back(preset.id);
  text("--fabric", fabric_, "NAME",
       "--material fabric with the measured values of one of " + joined(of_fabrics) +
           "; other options override them.",
       "Material");
  std::vector<std::string_view> of_materials;
  for (const Preset* preset : material_presets()) of_materials.push_back(preset->id);
  app.add_option("--group-material", group_materials_,
                 "The material of a group of the mesh file, one of " + joined(of_materials) +
                     ": a fabric with --material fabric, else springs. Repeat it for more groups.")
      ->type_name("GROUP=NAME")
      ->allow_extra_args(false)
      ->group("Material");
  text("--integrator", integrator_, "NAME",
       "One of " + joined(names) + "; default " + Scene{}.integrator + ".", "Stepping");
  std::vector<std::string_view> tableaux;
  for (const TableauPreset& preset : tableau_presets()) tableaux.push_back(preset.id);
  text("--tableau", tableau_, "FILE.json|NAME",
       "Coefficients of --integrator runge-kutta or two-step: a JSON file, JSON text such as {\"name\": "
       "\"Heun\", \"a\": [[0, 0], [1, 0]], \"b\": [\"1/2\", \"1/2\"]} or {\"alpha\": [-1, 0, 1], \"beta\": "
       "[0, 2, 0]}, or one of " +
           joined(tableaux) + ". Lists of integrators have runge-kutta:NAME and two-step:NAME.",
       "Stepping");
  for (const ParameterSpec* spec : all_parameters()) {
    const SceneParameter* row = find_scene_parameter(spec->id);
    add_parameter_option(app, *spec, values_[std::string(spec->id)])
        ->group(row != nullptr ? std::string(row->section) : "Stepping");
  }
  machine_.add_to(app);
}

void SceneOptions::read(std::vector<std::string> arguments) {
  CLI::App app("", "clothlab simulate");
  app.set_help_flag();
  add_to(app);
  try {
    std::ranges::reverse(arguments);  // as App::parse expects them
    app.parse(std::move(arguments));
  } catch (const CLI::ExtrasError&) {
    throw InputError(unknown_argument(app));
  } catch (const CLI::ParseError& error) {
    throw InputError(error.what());
  }
}

void SceneOptions::add_length_to(CLI::App& app, std::uint64_t default_steps) {
  default_steps_ = default_steps;
  CLI::Option* steps = add_text(app, "Stepping", "--steps", steps_, "N",
                                "Number of steps of --dt; default " + std::to_string(default_steps) + ".");
  add_text(app, "Stepping", "--duration", duration_, "S",
           "Simulated time instead of --steps, rounded to whole steps.")
      ->excludes(steps);
}

std::uint64_t SceneOptions::steps(double dt) const {
  constexpr std::int64_t kMostSteps = 1'000'000'000'000;
  if (steps_) return static_cast<std::uint64_t>(parse_whole("steps", *steps_, 0, kMostSteps));
  if (!duration_) return summary_ ? summary_->steps : default_steps_;
  const double count = std::round(parse_positive("duration", *duration_, "s") / std::abs(dt));
  if (!(count <= static_cast<double>(kMostSteps)))
    throw InputError("--duration: '" + *duration_ + "' is more than 1e12 steps of " + format_number(dt) +
                     " s.");
  if (count < 1)
    throw InputError("--duration: '" + *duration_ + "' is less than half a step of " + format_number(dt) +
                     " s.");
  return static_cast<std::uint64_t>(count);
}

void MachineOptions::add_to(CLI::App& app) {
  add_text(app, "Stepping", "--threads", threads_, "N",
           "Number of threads; default all cores. Does not change results.");
  app.add_flag("--quiet", quiet_, "No progress on stderr, and no summary on stdout.")->group("Results");
}

int MachineOptions::threads() const {
  constexpr int kMostThreads = 256;
  return threads_ ? static_cast<int>(parse_whole("threads", *threads_, 1, kMostThreads))
                  : std::min(hardware_threads(), kMostThreads);
}

bool SceneOptions::changes_a_scene() const {
  for (const auto* text : {&scene_file_, &grid_, &size_, &scale_, &pin_, &gravity_, &integrator_, &tableau_,
                           &initial_state_, &fabric_})
    if (*text) return true;
  return no_weld_ || z_up_ || dress_ || !added_meshes_.empty() || !obstacles_.empty() ||
         !soft_pins_.empty() || !group_materials_.empty() || !given_parameters().empty();
}

std::vector<const ParameterSpec*> SceneOptions::given_parameters() const {
  std::vector<const ParameterSpec*> given;
  for (const ParameterSpec* spec : all_parameters())
    if (values_.find(spec->id)->second) given.push_back(spec);
  return given;
}

void SceneOptions::refuse_dress() const {
  if (dress_)
    throw InputError(
        "--dress is a search of simulate, render and the window: use the scene file that it leads to.");
}

std::filesystem::path mesh_folder_of(const std::optional<std::string>& option) {
  if (!option) return {};
  if (std::error_code error; !std::filesystem::is_directory(path_of(*option), error))
    throw InputError("--mesh-folder: " + shown_path(path_of(*option)) + " is not a folder.");
  return path_of(*option);
}

Scene SceneOptions::scene(const std::optional<std::string>& positional) {
  if (mesh_ && grid_) throw InputError("--mesh and --grid exclude each other: give one of them.");
  if (positional && (scene_file_ || mesh_ || grid_))
    throw InputError("'" + *positional +
                     "' and --scene, --mesh or --grid exclude each other: give one of them.");
  const std::optional<std::string>& file = positional ? positional : scene_file_;
  if (file && read_file_ != file) {
    SceneExtras extras;
    of_file_ = positional ? scene_from_path(*file, Interrupt::probe(), &extras)
                          : read_scene_file(*file, Interrupt::probe(), &extras, &summary_);
    lanes_ = std::move(extras.lanes);
    if (!extras.remark.empty()) std::fprintf(stderr, "clothlab: %s\n", extras.remark.c_str());
    read_file_ = file;
  }
  return with_mesh_applied_to(of_file_);
}

Scene SceneOptions::with_mesh_applied_to(Scene scene) const {
  if (const std::filesystem::path folder = mesh_folder(); !folder.empty())
    change_paths(scene, [&](const std::filesystem::path& mesh) { return moved_to(folder, mesh); });
  if (mesh_) scene.mesh = FileSource{*mesh_};
  if (grid_) scene.mesh = parse_grid(*grid_);
  return applied_to(std::move(scene));
}

std::vector<SceneOptions::LaneOfFile> SceneOptions::lanes_of_file() const {
  std::vector<LaneOfFile> out;
  if (!scene_file_) return out;
  SceneExtras extras;
  const Scene scene = read_scene_file(*scene_file_, Interrupt::probe(), &extras);
  for (const auto& [lane, method] : extras.lanes) {
    const Scene of_file = with_method(scene, method);
    out.push_back({lane, of_file, with_mesh_applied_to(of_file)});
  }
  return out;
}

Scene SceneOptions::applied_to(Scene scene) const {
  if (size_) {
    auto* grid = std::get_if<GridSource>(&scene.mesh);
    if (grid == nullptr) throw InputError("--size needs --grid.");
    parse_size(*size_, *grid);
  }
  if (!added_meshes_.empty()) scene.added_meshes.clear();
  for (const std::string& mesh : added_meshes_)
    if (mesh != "none") scene.added_meshes.push_back(parse_added_mesh(mesh));
  check_added_meshes(scene.added_meshes);
  if (scale_) scene.scale = parse_positive("scale", *scale_);
  check_scale(scene.scale);
  if (no_weld_) scene.weld = false;
  if (z_up_) scene.z_up = true;
  if (dress_) scene.pins = PinPreset::none;
  if (pin_) scene.pins = parse_pins(*pin_);
  for (const std::string& argument : soft_pins_) {
    const auto [group, stiffness] =
        parse_pair("soft-pin", argument, "a group and a stiffness in N/m, such as collar=20");
    scene = with_soft_pins(std::move(scene), group, parse_positive("soft-pin", stiffness, "N/m"));
  }
  if (gravity_) scene.material.gravity = parse_gravity(*gravity_);
  if (!obstacles_.empty()) scene.obstacles.bodies.clear();
  for (const std::string& obstacle : obstacles_)
    if (obstacle != "none") scene.obstacles.bodies.push_back(parse_obstacle_argument(obstacle));
  check_obstacles(scene.obstacles.bodies);
  if (integrator_ == kRungeKuttaIntegrator || integrator_ == kTwoStepIntegrator)
    set_integrator(scene, std::string_view(*integrator_));  // with the tableau of the scene
  else if (integrator_)
    set_integrator(scene, parse_integrator(*integrator_));
  if (tableau_) {
    if (integrator_info(scene.integrator).table.empty())
      throw InputError("--tableau needs --integrator " + std::string(kRungeKuttaIntegrator) + " or " +
                       std::string(kTwoStepIntegrator) + ".");
    set_integrator(scene, parse_tableau_argument(*tableau_).info);
  }
  if (fabric_) scene = with_preset(std::move(scene), fabric(*fabric_));
  for (const std::string& argument : group_materials_) {
    const auto [group, material] =
        parse_pair("group-material", argument, "a group and a material, such as collar=denim");
    scene = with_group_material(std::move(scene), group_material(group, material));
  }
  for (const ParameterSpec* spec : given_parameters())
    set_parameter(scene, spec->id, parse_parameter(*spec, *values_.find(spec->id)->second));
  machine_.threads();  // throws for an invalid number
  return scene;
}

}  // namespace clothlab
