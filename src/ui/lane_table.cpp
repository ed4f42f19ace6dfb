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
    Column{"ΔE", "Total energy now less that at the lane's start.", 56,
           [](const LaneRow& r) { return r.figures.energy_change; },
           [](const LaneRow& r) { return r.figures.energy; }},
    Column{"method", "Energy that the method itself made, or destroyed, since the start (the ledger).", 56,
           [](const LaneRow& r) { return r.figures.method_energy; },
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

}  // namespace

void lane_table(const PanelContext& context, ImVec2 size) {
  std::vector<LaneRow> rows;
  for (const LaneSnapshot* lane : context.snapshot.lanes()) rows.push_back({lane, read_lane(*lane)});
  ImGui::PushFont(fonts().small);
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
  ImGui::PopFont();
}

}  // namespace clothlab
