// SPDX-License-Identifier: MIT
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "core/text.h"
#include "integrate/registry.h"
#include "ui/lane_reading.h"
#include "ui/lanes.h"
#include "ui/numbers.h"
#include "ui/sorted_table.h"
#include "ui/theme.h"
#include "ui/widgets.h"

namespace clothlab {
namespace {

struct LaneRow {
  const LaneSnapshot* lane;
  LaneReading figures;
};

using Column = SortedColumn<LaneRow>;

constexpr std::array kColumns{
    Column{"lane", "Letter and method. A click chooses the lane that the panels edit.", 0,
           [](const LaneRow& r) { return static_cast<double>(r.lane->lane); },
           [](const LaneRow& r) { return lane_name(*r.lane); }},
    Column{"h/limit",
           "h over the largest stable h at this shape, where the method has a limit; whether any or no h is "
           "stable.",
           44, [](const LaneRow& r) { return r.figures.limit_share.value_or(kNoFigure); },
           [](const LaneRow& r) { return r.figures.limit; }},
    Column{"ΔE", "Total energy now less that at the common origin, which the line above names.", 56,
           [](const LaneRow& r) { return r.figures.energy_change; },
           [](const LaneRow& r) { return r.figures.energy; }},
    Column{
        "method",
        "Energy that the method itself gained or dissipated (the ledger): since the common origin, or since "
        "the lane got its method, where that came later.",
        56, [](const LaneRow& r) { return r.figures.method_energy; },
        [](const LaneRow& r) { return r.figures.method; }},
    Column{"strain", "Largest strain of any stretch spring.", 42,
           [](const LaneRow& r) { return r.lane->frame.record.max_strain; },
           [](const LaneRow& r) { return format_steady(100 * r.lane->frame.record.max_strain, 2) + " %"; }},
    Column{"ms", "Median time of the last steps.", 42,
           [](const LaneRow& r) { return r.lane->step_ms.median; },
           [](const LaneRow& r) {
             return r.lane->step_ms.median > 0 ? format_steady(r.lane->step_ms.median) : std::string("–");
           }},
    Column{"real time", "How much of the time that it simulates a step takes, or why the lane stands.", 64,
           [](const LaneRow& r) { return r.lane->frozen ? kNoFigure : r.figures.real_time.value_or(0); },
           [](const LaneRow& r) { return r.figures.short_state; }},
};

// Since when the energies count, and of which lanes the method's share counts from later on.
std::string origin_text(const Snapshot& now, const std::vector<LaneRow>& rows) {
  std::string text =
      "Energies since " + format_plain(now.common_origin.time, 3) + " s, " + now.common_origin.why;
  for (const LaneRow& row : rows)
    if (!row.figures.method_since.empty())
      text += std::string("; method of ") + lane_letter(row.lane->lane) + ' ' + row.figures.method_since;
  return text + ".";
}

// The line above the table. Returns its height.
float draw_origin(const PanelContext& context, const std::vector<LaneRow>& rows, float width) {
  const char* label = "All from the start";
  const ImVec2 at = ImGui::GetCursorPos();
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(units(5), units(1)));
  const float button = ImGui::CalcTextSize(label).x + 2 * ImGui::GetStyle().FramePadding.x;
  const std::string text = origin_text(context.snapshot, rows);
  ImGui::AlignTextToFramePadding();
  coloured_text(palette().muted, first_line(text, width - button - units(8)));
  note_item("lane-origin");
  note_text("lane-origin", text);
  tooltip(text + " All lanes are compared from there on.");
  ImGui::SameLine();
  ImGui::SetCursorPosX(at.x + width - button);
  if (text_button("origin-from-start", label,
                  "Every lane goes back to the start, where all energies begin at zero (R).", button))
    context.send(Command(Reset{}));
  const float height = ImGui::GetFrameHeightWithSpacing();
  ImGui::PopStyleVar();
  ImGui::SetCursorPos(ImVec2(at.x, at.y + height));
  return height;
}

}  // namespace

void lane_table(const PanelContext& context, ImVec2 size) {
  std::vector<LaneRow> rows;
  for (const LaneSnapshot* lane : context.snapshot.lanes()) rows.push_back({lane, read_lane(*lane)});
  ImGui::PushFont(fonts().small);
  ImGui::BeginGroup();
  size.y -= draw_origin(context, rows, size.x);
  ImGui::PushStyleVar(ImGuiStyleVar_CellPadding, ImVec2(units(4), units(1.5F)));
  if (begin_sorted_table<LaneRow>("lane-table", kColumns, size, rows)) {
    for (const LaneRow& row : rows) {
      ImGui::TableNextRow();
      for (std::size_t c = 0; c < static_cast<std::size_t>(ImGui::TableGetColumnCount()); ++c) {
        ImGui::TableSetColumnIndex(static_cast<int>(c));
        const std::string text = displayable(kColumns[c].text(row));
        note_text(std::string("lane-row:") + lane_letter(row.lane->lane) + ':' + kColumns[c].title, text);
        if (c == 0) {
          const std::string id = std::string("##row") + lane_letter(row.lane->lane);
          const bool shown = row.lane->lane == context.snapshot.lane;
          if (ImGui::Selectable(id.c_str(), shown, ImGuiSelectableFlags_SpanAllColumns))
            context.select_lane(row.lane->lane);
          note_item(std::string("lane-row:") + lane_letter(row.lane->lane));
          tooltip(row.figures.help);
          ImGui::SameLine(0, 0);
          // On the bar of the one that is shown, its own colour is hard to read.
          coloured_text(shown ? palette().text : lane_colour(row.lane->lane),
                        first_line(text, ImGui::GetContentRegionAvail().x));
          continue;
        }
        coloured_text(c + 1 == kColumns.size() ? row.figures.colour : palette().text, text);
      }
    }
    ImGui::EndTable();
  }
  ImGui::PopStyleVar();
  ImGui::EndGroup();
  ImGui::PopFont();
}

}  // namespace clothlab
