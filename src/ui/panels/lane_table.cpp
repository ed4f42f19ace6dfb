// SPDX-License-Identifier: MIT
#include <array>
#include <vector>

#include "ui/instruments/instruments.h"
#include "ui/widgets/sorted_table.h"

namespace clothlab {
namespace {

struct LaneRow {
  const LaneSnapshot* lane;
  LaneReading figures;
};

using Column = SortedColumn<LaneRow>;

double time_of(const LaneRow& row) {
  return row.lane->catching_up ? row.lane->catching_up->time : row.lane->frame.record.time;
}

constexpr std::array kColumns{
    Column{"lane", "Letter and method; ÷16 means 16 substeps. Click to edit the lane in the panels.", 0,
           [](const LaneRow& r) { return static_cast<double>(r.lane->lane); },
           [](const LaneRow& r) { return lane_name(*r.lane); }},
    Column{"h/limit",
           "h over the largest stable h at this shape, by linear theory. any, none: every or no h is stable; "
           "–: unknown, or the lane blew up anyway. The colour shows the verdict below the lane's picture, "
           "which includes the run.",
           44, [](const LaneRow& r) { return r.figures.limit_share.value_or(kNoFigure); },
           [](const LaneRow& r) { return r.figures.limit; }},
    Column{"ΔE", "Change of the total energy since the common origin, which the line above names.", 56,
           [](const LaneRow& r) { return r.figures.energy_change; },
           [](const LaneRow& r) { return r.figures.energy; }},
    Column{"method",
           "Energy that the method gained or dissipated (see the ledger), since the common origin or a later "
           "change of its method or h.",
           56, [](const LaneRow& r) { return r.figures.method_energy; },
           [](const LaneRow& r) { return r.figures.method; }},
    Column{"power",
           "Energy of the column before over the simulated time since then: how much the method gained or "
           "dissipated per second, on average.",
           56, [](const LaneRow& r) { return r.figures.method_power; },
           [](const LaneRow& r) { return r.figures.power; }},
    Column{"strain", "Largest strain of any stretch spring.", 42,
           [](const LaneRow& r) { return r.lane->frame.record.max_strain; },
           [](const LaneRow& r) { return format_steady(100 * r.lane->frame.record.max_strain, 2) + " %"; }},
    Column{"ms", "Cost: median processor time of the last steps.", 42,
           [](const LaneRow& r) { return r.lane->step_ms.median; },
           [](const LaneRow& r) {
             return r.lane->step_ms.median > 0 ? format_steady(r.lane->step_ms.median) : std::string("–");
           }},
    Column{"real time",
           "Simulated time over wall-clock time of the lane's own steps: 8.3× is faster than real time, 0.4× "
           "slower. Otherwise the state of the lane.",
           64, [](const LaneRow& r) { return r.lane->frozen ? kNoFigure : r.figures.real_time.value_or(0); },
           [](const LaneRow& r) { return r.figures.short_state; }},
    Column{"time",
           "Simulated time of the lane's figures. A lane that is frozen or catching up is behind the others.",
           44, time_of, [](const LaneRow& r) { return format_plain(time_of(r), 3) + " s"; }},
};

constexpr std::size_t kLimitColumn = 1, kStateColumn = 7;

ImU32 colour_of_cell(const LaneReading& figures, std::size_t column) {
  if (column == kLimitColumn) return figures.level_colour;
  return column == kStateColumn ? figures.colour : palette().text;
}

// From when the energies count, and the lanes whose method's share counts from a later time.
std::string origin_text(const Snapshot& now, const std::vector<LaneRow>& rows) {
  std::string text =
      "Energies since " + format_plain(now.common_origin.time, 3) + " s, " + now.common_origin.why;
  for (const LaneRow& row : rows)
    if (!row.figures.method_since.empty())
      text += std::string("; method of ") + lane_letter(row.lane->lane) + ' ' + row.figures.method_since;
  return text + ".";
}

}  // namespace

void lanes_instrument(const PanelContext& context, const std::string& name, ImVec2 at, ImVec2 size) {
  constexpr const char* kRestart = "All from the start";
  if (has_room_for(kRestart, at, size) &&
      text_button(name + ":restart", kRestart,
                  "Resets every lane to the start, where all energies begin at zero (R)."))
    context.send(Command(Reset{}));
  std::vector<LaneRow> rows;
  for (const LaneSnapshot* lane : context.snapshot.lanes()) rows.push_back({lane, read_lane(*lane)});
  const std::string origin = origin_text(context.snapshot, rows);
  ImGui::SetCursorScreenPos(at);
  coloured_text(palette().muted, first_line(origin, size.x));
  explain_item("lane-origin", origin + " All lanes are compared from then on.", origin);
  const float line = ImGui::GetTextLineHeight() + units(2);
  ImGui::SetCursorScreenPos(ImVec2(at.x, at.y + line));
  size.y -= line;
  const auto draw = [&](const LaneRow& row, std::size_t column, const std::string& text) {
    const LaneId lane = row.lane->lane;
    const std::string item = std::string("lane-row:") + lane_letter(lane);
    note_text(item + ':' + kColumns[column].title, displayable(text));
    if (column > 0) return coloured_text(colour_of_cell(row.figures, column), text);
    const bool shown = lane == context.snapshot.lane;
    if (ImGui::Selectable(("##" + item).c_str(), shown, ImGuiSelectableFlags_SpanAllColumns))
      context.select_lane(lane);
    explain_item(item, row.figures.help);
    ImGui::SameLine(0, 0);
    // On the bar of the selected lane, its own colour is hard to read.
    coloured_text(shown ? palette().text : lane_colour(lane),
                  first_line(text, ImGui::GetContentRegionAvail().x));
  };
  sorted_table<LaneRow>("lane-table", kColumns, size, rows, draw);
}

}  // namespace clothlab
