// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <string>

#include "core/text.h"
#include "mesh/obj_groups.h"
#include "sim/group_material.h"
#include "sim/pin_set.h"
#include "sim/presets.h"
#include "sim/seam.h"
#include "ui/panels/panels.h"

namespace clothlab {
namespace {

void preset_choice(const PanelContext& context) {
  choice_list("preset", "Presets: denim, soft, stiff ...",
              "Sets several values at once, which its tooltip lists. One undo reverts them all.", [&] {
                for (const Preset& preset : presets())
                  if (list_item("preset:" + std::string(preset.id), preset.title,
                                std::string(preset.about) + "\n\n" + preset_text(preset)))
                    context.set_scene(with_preset(context.edits.scene(), preset));
              });
}

constexpr std::array kPinChoices{
    PinChoice{PinPreset::none, "Clear", "pin-none", "Free every particle."},
    PinChoice{PinPreset::top_corners, "Top corners", "pin-top-corners",
              "Pin the two top corners where they are now, and free all others."},
    PinChoice{PinPreset::top_edge, "Top edge", "pin-top-edge",
              "Pin the whole top edge where it is now, and free all others."},
    PinChoice{PinPreset::corners, "Corners", "pin-corners",
              "Pin the four corners where they are now, and free all others."},
};
static_assert(kPinChoices.size() == kPinPresetNames.size());

/// The groups of the scene, then those of the mesh file, each name once.
std::vector<std::string> group_names(const PanelContext& context) {
  std::vector<std::string> names;
  for (const ParticleGroup& group : context.edits.scene().groups) names.push_back(group.name);
  for (const std::string& name : groups_of(*context.snapshot.loaded->mesh->source))
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  return names;
}

void pin_groups(const PanelContext& context, const std::vector<std::string>& names) {
  if (names.empty()) return;
  const auto* groups = std::get_if<PinnedGroups>(&context.edits.scene().pins);
  const PinnedGroups pinned = groups != nullptr ? *groups : PinnedGroups();
  std::string now;
  for (const std::string& name : pinned) now += (now.empty() ? "Pinned: " : ", ") + name;
  ImGui::SetNextItemWidth(-1);
  choice_list(
      "pin-group", now.empty() ? "Pin a group" : now,
      "Pin all particles of a group of the scene or the mesh file where they are now, and free all others. "
      "Choose more to pin several, one again to free it.",
      [&] {
        for (const std::string& name : names) {
          PinnedGroups next = pinned;
          const auto found = std::ranges::find(next, name);
          const bool is_pinned = found != next.end();
          if (!list_item("pin-group:" + name, name, "", is_pinned)) continue;
          if (is_pinned)
            next.erase(found);
          else
            next.push_back(name);
          Scene scene = context.edits.scene();
          if (next.empty())
            scene.pins = PinPreset::none;
          else
            scene.pins = std::move(next);
          context.set_scene(std::move(scene));
        }
      });
}

bool is_soft_pin(const Driver& driver) {
  const auto* force = std::get_if<DriverForce>(&driver.action);
  return force != nullptr && force->kind == DriverForce::Kind::spring;
}

void soft_pins(const PanelContext& context, const std::vector<std::string>& names) {
  constexpr double kStiffness = 10, kMostStiffness = 1e6;  // [N/m]
  if (names.empty()) return;
  const Scene scene = context.edits.scene();  // a choice below replaces it
  const auto is_of = [](const std::string& name) {
    return [&name](const Driver& driver) { return is_soft_pin(driver) && driver.group == name; };
  };
  ImGui::SetNextItemWidth(-1);
  choice_list(
      "soft-pin", "Pin a group softly",
      "A spring pulls each particle of the group to its position at the start. Choose the group again to "
      "remove its springs; the World tab switches them.",
      [&] {
        for (const std::string& name : names) {
          const bool is_soft = std::ranges::any_of(scene.drivers, is_of(name));
          if (!list_item("soft-pin:" + name, name, "", is_soft)) continue;
          Scene next = scene;
          if (is_soft)
            std::erase_if(next.drivers, is_of(name));
          else
            next = with_soft_pins(std::move(next), name, kStiffness);
          context.set_scene(std::move(next));
        }
      });
  for (std::size_t k = 0; k < scene.drivers.size(); ++k) {
    const Driver& driver = scene.drivers[k];
    if (!is_soft_pin(driver)) continue;
    const std::string id = "soft-pin-stiffness" + std::to_string(k);
    if (const auto changed = number_row(
            id.c_str(), "Springs of " + driver.group,
            "Stiffness of the spring of each particle. Stiff springs need a small h with explicit methods, "
            "XPBD, projective dynamics and VBD.",
            std::get<DriverForce>(driver.action).stiffness, 0, kMostStiffness, kStiffness, "N/m")) {
      Scene next = scene;
      std::get<DriverForce>(next.drivers[k].action).stiffness = *changed;
      context.set_scene(std::move(next));
    }
  }
}

void pin_buttons(const PanelContext& context) {
  const auto* preset = std::get_if<PinPreset>(&context.scene().pins);
  const float gap = units(5);
  float widths = 0;
  for (const PinChoice& row : kPinChoices) widths += text_width(row.label);
  const float padding = (ImGui::GetContentRegionAvail().x - widths - 3 * gap) / 4;
  for (const PinChoice& row : kPinChoices) {
    if (row.preset != PinPreset::none) ImGui::SameLine(0, gap);
    const bool active = preset != nullptr && *preset == row.preset;
    if (text_button(row.name, row.label, row.help,
                    {.width = text_width(row.label) + padding, .active = active}))
      context.send(Command(SetPinPreset{row.preset}));
  }
  const Scene& own = context.snapshot.loaded->scene;
  if (text_button(
          "pin-scene", "Pins of the scene",
          "Pin the particles that the scene pins, where they are now, and free all others.",
          {.width = ImGui::GetContentRegionAvail().x, .enabled = context.edits.scene().pins != own.pins})) {
    Scene scene = context.edits.scene();
    scene.pins = own.pins;
    context.set_scene(std::move(scene));
  }
  const std::vector<std::string> names = group_names(context);
  pin_groups(context, names);
  soft_pins(context, names);
  std::size_t count = 0;
  for (const auto pinned : context.snapshot.frame.pinned) count += pinned == 1 ? 1U : 0U;
  small_text(format_count(count) + " pinned. Ctrl-click pins or frees, Ctrl-drag pins all in a rectangle.");
}

void group_materials(const PanelContext& context) {
  const std::vector<std::string> names = groups_of(*context.snapshot.loaded->mesh->source);
  const Scene scene = context.edits.scene();  // a choice below replaces it
  for (const std::string& name : names) {
    const auto own = std::ranges::find(scene.material.groups, name, &GroupMaterial::group);
    const bool has_own = own != scene.material.groups.end();
    const std::string_view now = has_own ? preset_of(*own) : std::string_view();
    std::string title = has_own ? "own values" : "as the cloth";
    for (const Preset* preset : material_presets())
      if (preset->id == now) title = preset->title;
    const std::string id = "group-material:" + name;
    ImGui::SetNextItemWidth(-1);
    choice_list(id, "Material of " + name + ": " + title,
                "The material of the faces of this group. An edge between two materials has a share of each.",
                [&] {
                  if (list_item(id + ":", "As the cloth", "", !has_own))
                    context.set_scene(without_group_material(scene, name));
                  for (const Preset* preset : material_presets()) {
                    const GroupMaterial material = group_material(name, preset->id);
                    if (material.is_fabric() != scene.material.is_fabric()) continue;
                    if (list_item(id + ":" + std::string(preset->id), preset->title, preset->about,
                                  preset->id == now))
                      context.set_scene(with_group_material(scene, material));
                  }
                });
  }
}

void strain_limit_rows(const PanelContext& context) {
  const auto row = [&](const char* id) {
    const ParameterSpec& spec = parameter_spec(id);
    scene_parameter_row(context, spec, parameter_value(context.scene(), spec));
  };
  row("strain-limit");
  if (context.scene().material.strain_limit > 0) row("limit-stiffness");
}

// Seams of the scene and line elements of its mesh; nothing for other cloth.
void seam_rows(const PanelContext& context) {
  const Frame& frame = context.snapshot.frame;
  if (frame.seams.empty() && frame.mesh->source->lines.empty()) return;
  section("Seams");
  if (!frame.mesh->source->lines.empty()) parameter_section(context, "Seams");
  const SeamGaps gaps = seam_gaps(frame.seams, frame.positions);
  if (gaps.pairs == 0) return;
  const double t = frame.record.time;
  std::string text = format_count(gaps.pairs) + " pairs, ";
  text += t < gaps.closed_at
              ? "closing until " + format_quantity(gaps.closed_at, "s") + ": " +
                    format_plain(std::floor(100 * std::max(t, 0.0) / gaps.closed_at)) + " % of the time."
              : "closed since " + format_quantity(gaps.closed_at, "s") + ".";
  text += " Largest gap: " + format_digits(1000 * gaps.largest, 3) + " mm.";
  small_text(text);
  note_text("seams", text);
  tooltip(
      "A seam is a spring between two particles. Its length shrinks to zero within its time, so a small gap "
      "is left where cloth pulls at it. Lines in the picture mark pairs that are more than 1 mm apart.");
}

}  // namespace

std::span<const PinChoice> pin_choices() { return kPinChoices; }

void scene_parameter_row(const PanelContext& context, const ParameterSpec& spec, double value) {
  const std::string why = context.why_without_effect(spec.id);
  ImGui::BeginDisabled(spec.id == "inflate" && !why.empty());  // it would be refused
  if (const auto changed = parameter_row(spec, value, {}, {}, why)) context.set_parameter(spec.id, *changed);
  ImGui::EndDisabled();
}

void parameter_section(const PanelContext& context, std::string_view section_name) {
  for (const SceneParameter& row : scene_parameters()) {
    // h is shown above, next to the integrator.
    if (row.section != section_name || row.spec.id == "dt") continue;
    if (is_of_other_material(context.scene(), row.spec.id)) continue;
    scene_parameter_row(context, row.spec, row.get(context.scene()));
  }
}

void cloth_panel(const PanelContext& context) {
  ImGui::SetNextItemWidth(-1);
  preset_choice(context);  // the first row below it is the material: no heading
  parameter_section(context, "Material");
  group_materials(context);
  parameter_section(context, "Damping");  // no heading: the tab has to fit the smallest window
  strain_limit_rows(context);
  section("Pins");
  pin_buttons(context);
  seam_rows(context);
}

}  // namespace clothlab
