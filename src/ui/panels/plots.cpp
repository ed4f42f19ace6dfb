// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>

#include "ui/instruments/instruments.h"
#include "ui/panels/panels.h"
#include "ui/plots/plot.h"
#include "ui/plots/plot_kinds.h"

namespace clothlab {
namespace {

constexpr float kLeastWidth = 400;  // of plots side by side [interface units]
constexpr float kButtonGap = 4;     // [interface units]

float plot_button_width(const char* label) { return text_width(label) + units(14); }

void chooser(PlotsLayout& layout, std::size_t slot, PlotKind shown, const std::string& name, float width) {
  const auto entries = [&] {
    for (std::size_t k = 0; k < kPlotKinds; ++k) {
      const auto kind = static_cast<PlotKind>(k);
      if (instrument(kind) && !instrument(static_cast<PlotKind>(k - 1))) section("Instruments");
      const bool is_shown = kind == (shown == PlotKind::lanes ? shown : layout.chosen[slot]);
      if (list_item(name + ":kind:" + plot_title(kind), plot_title(kind), plot_help(kind), is_shown))
        layout.choose(slot, kind);
    }
  };
  ImGui::SetNextItemWidth(width);
  choice_list(name + ":kind", plot_title(shown), std::string(plot_help(shown)) + " Click for another plot.",
              entries, ImGuiComboFlags_HeightLargest);
}

constexpr float kRoomForInstruments = 300;  // of a plot next to their list [interface units]

// The list of instruments, visible without opening the list of plots. Returns its width.
float instruments_list(PlotsLayout& layout, std::size_t slot, const std::string& name, float room) {
  if (room < units(kRoomForInstruments)) return 0;
  const char* label = "Instruments";
  const float width = button_width(label);
  ImGui::SameLine(0, units(kButtonGap));
  ImGui::SetNextItemWidth(width);
  const auto entries = [&] {
    for (std::size_t k = 0; k < kPlotKinds; ++k)
      if (const auto kind = static_cast<PlotKind>(k);
          instrument(kind) &&
          list_item(name + ":instruments:" + plot_title(kind), plot_title(kind), plot_help(kind)))
        layout.choose(slot, kind);
  };
  choice_list(name + ":instruments", label,
              "Pictures that explain the behaviour of a method: stability, phase, error and cost, solver, "
              "limits of h. Click to replace this plot with one.",
              entries, ImGuiComboFlags_HeightLargest | ImGuiComboFlags_NoArrowButton);
  return width + units(kButtonGap);
}

// The buttons of one plot, or of an instrument where there is none, right to left in its first row, as many
// as fit.
void buttons(const PanelContext& context, std::size_t slot, PlotKind kind, const Plot* plot, float left,
             float right) {
  PlotsLayout& layout = context.view.plots_layout;
  PlotView& view = layout.view(kind);
  const std::string name = "plot" + std::to_string(slot);
  const float gap = units(kButtonGap);
  const bool alone = layout.enlarged == slot;
  struct Button {
    const char* label;
    const char* help;
    bool active;
    std::function<void()> act;
    bool shown = true;
  };
  const Button all[] = {
      {alone ? "Less" : "More",
       alone ? "Back to plots of the usual size (Esc)." : "Enlarge this plot to most of the window.", alone,
       [&] { layout.enlarged = alone ? std::nullopt : std::optional(slot); }},
      {"Log", "Logarithmic y axis (positive values only).", view.logarithmic,
       [&] {
         view.logarithmic = !view.logarithmic;
         view.y.reset();
       }},
      {"Fit",
       "Show all again (double click). The wheel zooms, a left-drag pans, a right-drag zooms into a box.",
       false, [&] { view.fit(); }},
      {"Gravity", "Include the energy of gravity in the plot and in the sum.", layout.with_gravity(),
       [&] {
         layout.set_with_gravity(!layout.with_gravity());
         view.y.reset();
       },
       kind == PlotKind::energy},
      {"CSV", "Save the shown curves as a table.", false,
       [&] {
         context.request(SaveTable{plot->title, plot_csv(shown_plot(*plot, view))});
       }},
      {"PNG", "Save the plot as a picture.", false,
       [&] { context.request(SavePlot{std::make_shared<const ShownPlot>(shown_plot(*plot, view))}); }},
      {"SVG", "Save the plot as a vector picture.", false,
       [&] {
         context.request(SavePlot{std::make_shared<const ShownPlot>(shown_plot(*plot, view)), true});
       }},
  };
  float x = right;
  for (const Button& button : all) {
    if (!button.shown) continue;
    if (!plot && &button != all) break;
    const float width = plot_button_width(button.label);
    if (x - width < left) break;
    x -= width;
    ImGui::SameLine();
    ImGui::SetCursorPosX(x);
    if (text_button(name + ":" + button.label, button.label, button.help,
                    {.width = width, .active = button.active}))
      button.act();
    x -= gap;
  }
}

void plot_with_controls(const PanelContext& context, std::size_t slot, PlotKind kind, ImVec2 size) {
  PlotsLayout& layout = context.view.plots_layout;
  ImGui::PushID(static_cast<int>(slot));
  ImGui::BeginGroup();
  const DrawInstrument draw = instrument(kind);
  const std::optional<Plot> plot =
      draw ? std::nullopt : std::optional(make_plot(kind, context.snapshot, layout.with_gravity()));
  const std::string name = "plot" + std::to_string(slot);
  const float left = ImGui::GetCursorPosX();
  const float top = ImGui::GetCursorPosY();
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  ImGui::PushFont(fonts().small);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(units(7), units(2)));
  float list = units(120);
  // As narrow as its title, so that the list of instruments has room next to it.
  if (!draw)
    list = text_width(plot_title(kind)) + ImGui::GetFrameHeight() + 2 * ImGui::GetStyle().FramePadding.x;
  list = std::min(list, size.x * 0.45F);
  chooser(layout, slot, kind, name, list);
  if (!draw) list += instruments_list(layout, slot, name, size.x);
  buttons(context, slot, kind, plot ? &*plot : nullptr, left + list + units(4), left + size.x);
  const float row = ImGui::GetFontSize() + units(4) + units(5);
  const ImVec2 room(size.x, size.y - row);
  if (draw) {
    ImGui::SetCursorPos(ImVec2(left + list + units(4), top));
    draw(context, name, ImVec2(corner.x, corner.y + row), room);
  }
  ImGui::PopStyleVar();
  ImGui::PopFont();
  ImGui::SetCursorPos(ImVec2(left, top + row));
  if (plot) {
    if (const auto time = draw_plot(name, *plot, layout.view(kind), room))
      context.send(Control(ShowPast{*time}));
  } else {
    ImGui::Dummy(room);
  }
  ImGui::EndGroup();
  ImGui::PopID();
}

}  // namespace

bool has_room_for(const char* label, ImVec2 at, ImVec2 size) {
  const float gap = units(kButtonGap);
  return ImGui::GetCursorScreenPos().x + plot_button_width(label) + gap + plot_button_width("More") <=
         at.x + size.x;
}

void plots_panel(const PanelContext& context, float width, float height) {
  const TooltipsThere there(TooltipSide::above);
  PlotsLayout& layout = context.view.plots_layout;
  const float gap = units(10);
  const auto fitting = static_cast<std::size_t>(std::max(1.0F, (width + gap) / (units(kLeastWidth) + gap)));
  const std::size_t columns = layout.columns_shown = std::min(layout.chosen.size(), fitting);
  const auto kind = [&](std::size_t slot) { return layout.shown(slot, columns, context.snapshot); };
  if (const auto slot = layout.enlarged)
    return plot_with_controls(context, *slot, kind(*slot), ImVec2(width, height));
  const auto count = static_cast<float>(columns);
  // A table of lanes is wider than a plot.
  const float table = columns > 1 && kind(columns - 1) == PlotKind::lanes ? units(80) : 0;
  const float each = std::floor((width - table - (count - 1) * gap) / count);
  for (std::size_t slot = 0; slot < columns; ++slot) {
    if (slot > 0) ImGui::SameLine(0, gap);
    plot_with_controls(context, slot, kind(slot), ImVec2(each + (slot + 1 == columns ? table : 0), height));
  }
}

}  // namespace clothlab
