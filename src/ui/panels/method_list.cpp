// SPDX-License-Identifier: MIT
#include "ui/panels/panels.h"

#include <algorithm>
#include <string_view>

#include "integrate/registry.h"

namespace clothlab {
namespace {

constexpr float kMostWidth = 800;

// Digit keys reach the first nine of the registry.
std::string key_of(std::size_t row) { return row < 9 ? std::to_string(row + 1) : std::string(); }

std::string order_of(const IntegratorInfo& info) {
  if (info.order == 0) return "–";
  return std::to_string(info.order) + (info.order_needs_exact_jacobian ? "*" : "");
}

std::string cost_here(double ms) { return ms > 0 ? format_steady(ms) : "–"; }

// Left edges of the columns.
struct Columns {
  float mark, key, title, order, cost, use, end;
};

Columns columns() {
  float title = 0;
  for (const IntegratorInfo& info : integrators()) title = std::max(title, text_width(info.title));
  const float gap = units(14);
  Columns out{};
  out.mark = ImGui::GetCursorScreenPos().x;
  out.key = out.mark + method_mark_size().x + units(8);
  out.title = out.key + text_width("0") + units(8);
  out.order = out.title + title + gap;
  out.cost = out.order + text_width("order") + gap;
  out.use = out.cost + text_width("ms here") + gap;
  out.end = out.mark + ImGui::GetContentRegionAvail().x;
  return out;
}

void write(float x, float y, ImU32 colour, std::string_view text) { draw_text(ImVec2(x, y), colour, text); }

void write_right(float right, float y, ImU32 colour, const std::string& text) {
  write(right - text_width(text), y, colour, text);
}

void family_heading(IntegratorFamily family, const Columns& at, bool with_titles) {
  ImGui::PushFont(fonts().small);
  const float y = ImGui::GetCursorScreenPos().y;
  write(at.mark, y, palette().accent, family_title(family));
  if (with_titles) {
    write(at.order, y, palette().muted, "order");
    write(at.cost, y, palette().muted, "ms here");
    write(at.use, y, palette().muted, "use");
  }
  ImGui::Dummy(ImVec2(at.end - at.mark, ImGui::GetTextLineHeight()));
  ImGui::PopFont();
}

std::string help_of(const IntegratorInfo& info, double ms) {
  std::string text(info.summary);
  if (info.order_needs_exact_jacobian)
    text += "\n\n* Order: " + std::string(card_lines(info, default_parameters(info), {}).at(1).text) + ".";
  text += ms > 0 ? "\n\nIts last steps on this scene took " + format_plain(ms) + " ms each (median)."
                 : "\n\nIt has not run on this scene yet.";
  return text;
}

bool entry(std::size_t row, bool selected, double ms, const Columns& at) {
  const IntegratorInfo& info = integrators()[row];
  const float y = ImGui::GetCursorScreenPos().y;
  const float line = ImGui::GetTextLineHeight();
  const bool chosen = ImGui::Selectable(("##" + std::string(info.id)).c_str(), selected);
  const ImVec2 mark = method_mark_size();
  draw_method_mark(ImGui::GetWindowDrawList(), ImVec2(at.mark, y + (line - mark.y) / 2), row);
  write(at.key, y, palette().muted, key_of(row));
  write(at.title, y, palette().text, info.title);
  write_right(at.cost - units(14) - units(8), y, palette().text, order_of(info));
  write_right(at.use - units(14), y, palette().text, cost_here(ms));
  ImGui::PushFont(fonts().small);
  write(at.use, y + (line - ImGui::GetTextLineHeight()) / 2, palette().muted,
        first_line(info.use, std::max(at.end - at.use, 0.0F)));
  ImGui::PopFont();
  return chosen;
}

}  // namespace

std::optional<std::size_t> method_list(const PanelContext& context, const MethodList& list) {
  const ImGuiIO& io = ImGui::GetIO();
  const float most = std::min(units(kMostWidth), io.DisplaySize.x - units(16));
  ImGui::SetNextWindowSizeConstraints(
      ImVec2(most, 0), ImVec2(most, io.DisplaySize.y - units(16)));  // over the field, where needed
  const std::string name = list.name;
  std::optional<std::size_t> chosen;
  const auto entries = [&] {
    // All methods fit a window of 720 pixels.
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(ImGui::GetStyle().ItemSpacing.x, units(3)));
    const Columns at = columns();
    const std::span<const std::size_t> rows = methods_by_family();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const IntegratorInfo& info = integrators()[rows[i]];
      if (i == 0 || integrators()[rows[i - 1]].family != info.family) family_heading(info.family, at, i == 0);
      const double ms = rows[i] < context.snapshot.method_ms.size() ? context.snapshot.method_ms[rows[i]] : 0;
      if (entry(rows[i], rows[i] == context.integrator(), ms, at)) chosen = rows[i];
      explain_item(name + ":" + std::string(info.id), help_of(info, ms));
    }
    ImGui::PopStyleVar();
  };
  choice_list(name, list.preview, list.help, entries, list.flags);
  return chosen;
}

}  // namespace clothlab
