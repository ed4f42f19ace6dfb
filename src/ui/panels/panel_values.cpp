// SPDX-License-Identifier: MIT
#include "ui/panels/panel_values.h"

#include <algorithm>
#include <array>
#include <glm/geometric.hpp>

#include "sim/parameters.h"
#include "ui/widgets/parameter_row.h"

namespace clothlab {
namespace {

constexpr std::array<std::string_view, 2> kThemes{"dark", "light"}, kHeatQuantities{"strain", "distance"};

ParameterSpec choice_spec(std::string_view id, std::string_view title,
                          std::span<const std::string_view> choices, double fallback, std::string_view help) {
  return {.id = id,
          .title = title,
          .kind = ParameterSpec::Kind::choice,
          .max = static_cast<double>(choices.size()) - 1,
          .fallback = fallback,
          .help = help,
          .choices = choices};
}

// Keeps its direction; down without one. The slider ends at the length of a vector of three largest
// components.
void set_strength_of_gravity(const PanelContext& context, double strength) {
  const vec3 gravity = context.scene().material.gravity;
  const double before = glm::length(gravity);
  const vec3 direction = before > 0 ? gravity / before : vec3(0, -1, 0);
  context.set_gravity(direction * std::min(strength, kMaxGravity));
}

const auto& panel_rows() {
  static const std::array kRows{
      PanelValue{number_spec("gravity", "Gravity", "m/s²", 0, kMaxGravity, 9.8,
                             "Strength of gravity; its direction is kept. At 0 the cloth floats."),
                 [](const PanelContext& on) { return glm::length(on.scene().material.gravity); },
                 set_strength_of_gravity},
      PanelValue{number_spec("speed", "Speed", "×", kMinSpeed, kMaxSpeed, 1,
                             "Simulated seconds per second of real time. Slow motion does not change the "
                             "simulation: h stays the same. Also [ and ]."),
                 [](const PanelContext& on) { return on.speed(); },
                 [](const PanelContext& on, double value) { on.set_speed(value); }},
      PanelValue{
          number_spec("grab-strength", "Grab strength", "%", kLeastGrabStrength * 100, 100, 100,
                      "Largest force of the grab: a share of ten times the weight of the grabbed part of "
                      "the cloth. A weaker grab is also softer. Used from the next grab on."),
          [](const PanelContext& on) { return on.view.grab_strength * 100; },
          [](const PanelContext& on, double value) { on.view.grab_strength = value / 100; }},
      PanelValue{
          choice_spec("heat-of", "Heat map of", kHeatQuantities, 0,
                      "strain: of the stretch springs, up to the value below. distance: of every particle "
                      "from its position in the reference lane, up to the current largest; strain without "
                      "a reference lane."),
          [](const PanelContext& on) { return static_cast<double>(on.view.heat_of); },
          [](const PanelContext& on, double value) { on.view.heat_of = static_cast<HeatQuantity>(value); }},
      PanelValue{number_spec("heat-max-strain", "Strain up to", "%", 0.01, 1000, 10,
                             "The strain at which the heat map's colours end."),
                 [](const PanelContext& on) { return on.view.heat_max_strain * 100; },
                 [](const PanelContext& on, double value) { on.view.heat_max_strain = value / 100; }},
      PanelValue{choice_spec("theme", "Theme", kThemes, 0,
                             "dark: light text on slate. light: dark text on paper, for bright rooms and for "
                             "print."),
                 [](const PanelContext& on) { return static_cast<double>(on.view.theme); },
                 [](const PanelContext& on, double value) { on.view.theme = static_cast<Theme>(value); }},
      PanelValue{
          choice_spec("text-size", "Text size", kTextSizeNames, kUsualTextSize,
                      "Size of text and controls, relative to the display's own scale and limited to what "
                      "fits the window (Ctrl with +, - and 0)."),
          [](const PanelContext& on) { return static_cast<double>(text_size(on.view)); },
          [](const PanelContext& on, double value) {
            on.view.interface_scale = kTextSizes.at(static_cast<std::size_t>(value));
          }},
      PanelValue{choice_spec(
                     "look-ahead", "Run ahead", kLookAheadChoices, 0,
                     "A copy of every lane runs 0.4 s of simulated time ahead, on a thread of its own. "
                     "Warnings then have the exact step and time of a blow-up, a step that does not converge "
                     "or tunnelling, until something changes. Cost: 2.0 to 2.4 times the processor time, and "
                     "steps may take longer. automatic: on if there are two hardware threads for each lane "
                     "and two more. off: signs in past steps give the warnings."),
                 [](const PanelContext& on) { return static_cast<double>(on.view.look_ahead); },
                 [](const PanelContext& on, double value) {
                   on.view.look_ahead = static_cast<LookAheadChoice>(value);
                   on.send(Control(SetLookAhead{on.view.look_ahead}));
                 }},
      PanelValue{
          number_spec("history-memory", "History memory", "MB", kLeastHistoryMegabytes, kMostHistoryMegabytes,
                      256,
                      "Memory for the states of the last 30 s. With too little memory, older states are "
                      "farther apart in time."),
          [](const PanelContext& on) { return on.view.history_megabytes; },
          [](const PanelContext& on, double value) {
            on.view.history_megabytes = value;
            on.send(Control(history_memory(on.view)));
          }},
  };
  return kRows;
}

}  // namespace

std::span<const PanelValue> panel_values() { return panel_rows(); }

const PanelValue* find_panel_value(std::string_view id) {
  const auto found = std::ranges::find(panel_rows(), id, [](const PanelValue& each) { return each.spec.id; });
  return found == panel_rows().end() ? nullptr : &*found;
}

void panel_value_row(const PanelContext& context, std::string_view id, std::string_view help) {
  const PanelValue& row = *find_panel_value(id);
  ParameterSpec spec = row.spec;
  if (!help.empty()) spec.help = help;
  if (const auto changed = parameter_row(spec, row.get(context))) row.set(context, *changed);
}

}  // namespace clothlab
