// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "experiments/limit_search.h"
#include "io/csv.h"
#include "ui/instruments/instruments.h"
#include "ui/widgets/sorted_table.h"

namespace clothlab {
namespace {

using LimitRow = const MethodLimit*;

constexpr std::size_t kLanesOfTable = 4;

using LimitColumn = SortedColumn<LimitRow>;

std::string text_of_run(LimitRow row, double MethodLimit::Run::*value, const char* unit) {
  return row->run ? format_quantity((*row->run).*value, unit) : "–";
}

std::string largest_text(const LimitRow& row) {
  if (!row->done) return "";
  if (row->largest == 0) return "none";
  return (row->limited ? "" : "≥ ") + format_quantity(row->largest, "s");
}

constexpr std::array kLimitColumns{
    LimitColumn{"method", "Click + to add it as a lane, with enough substeps for this h.", 0,
                [](const LimitRow& r) { return static_cast<double>(method_row(r->info->id)); },
                [](const LimitRow& r) { return std::string(r->info->title); }},
    LimitColumn{
        "largest h",
        "Largest h at which 400 steps from here stay bounded, to 0.5 %; ≥: the largest h that was tried.", 66,
        [](const LimitRow& r) { return r->done ? r->largest : kNoFigure; }, largest_text},
    LimitColumn{"cost",
                "Processor seconds per simulated second, in a run of half a second at 5 % below the limit. "
                "–: the run was not stable.",
                50, [](const LimitRow& r) { return r->run ? r->run->cost : kNoFigure; },
                [](const LimitRow& r) { return text_of_run(r, &MethodLimit::Run::cost, "s"); }},
    LimitColumn{"gained", "Energy that the method gained or dissipated in that half second (see the ledger).",
                56, [](const LimitRow& r) { return r->run ? r->run->spurious : kNoFigure; },
                [](const LimitRow& r) { return text_of_run(r, &MethodLimit::Run::spurious, "J"); }},
    LimitColumn{"error",
                "RMS distance of the particles from the reference after half a second: RK4 at a quarter of "
                "its limit. Methods with rods simulate different cloth.",
                50, [](const LimitRow& r) { return r->run ? r->run->error.value_or(kNoFigure) : kNoFigure; },
                [](const LimitRow& r) {
                  return r->run && r->run->error ? format_quantity(*r->run->error, "m") : std::string("–");
                }},
};

// The titles of a file, in the order of the columns.
constexpr std::array kFileTitles{"integrator", "largest_h_s", "seconds_per_second", "energy_made_J",
                                 "rms_error_m"};
static_assert(kFileTitles.size() == kLimitColumns.size());

// At the h of the table's run, into which the scene's step is divided.
NewLane lane_at_limit(const PanelContext& context, LimitRow row) {
  const double parts = std::ceil(std::abs(context.scene().dt) / row->run->h - 1e-9);
  return {.integrator = std::string(row->info->id),
          .substeps = static_cast<int>(std::clamp(parts, 1.0, 1000.0))};
}

std::string csv_of_limits(const std::vector<LimitRow>& rows) {
  std::string text;
  for (const char* title : kFileTitles) (text += text.empty() ? "" : ",") += title;
  text += "\n";
  for (const LimitRow row : rows) {
    text += std::string(row->info->id) + ',';
    std::vector<CsvValue> values;
    for (std::size_t c = 1; c < kLimitColumns.size(); ++c) {
      const double value = kLimitColumns[c].value(row);
      values.emplace_back(value == kNoFigure ? std::numeric_limits<double>::quiet_NaN() : value);
    }
    text += csv_line(values);
  }
  return text;
}

void lanes_button(const PanelContext& context, const std::string& name, const std::vector<LimitRow>& rows) {
  LaneChoices lanes;
  for (const LimitRow row : rows)
    if (row->run && lanes.lanes.size() < kLanesOfTable) lanes.lanes.push_back(lane_at_limit(context, row));
  if (text_button(name + ":lanes", "As lanes",
                  "Runs the first four of the sorted table as lanes from the start, each with the substeps "
                  "that its limit needs. Removes all other lanes.",
                  {.enabled = !lanes.lanes.empty()}))
    use_lanes(context, lanes);
}

void draw_cell(const PanelContext& context, const std::string& name, LimitRow row, std::size_t column,
               const std::string& text) {
  const std::string id(row->info->id);
  if (column == 0) {
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(units(4), 0));
    ImGui::PushID(id.c_str());
    if (text_button(name + ":add:" + id, "+",
                    "Adds a lane with this method at this h, from the current state.",
                    {.enabled = row->run.has_value()}))
      context.send(Control(lane_at_limit(context, row)));
    ImGui::PopID();
    ImGui::PopStyleVar();
    ImGui::SameLine(0, units(5));
  }
  coloured_text(column == 0 && !row->done ? palette().muted : palette().text,
                column == 0 ? first_line(text, ImGui::GetContentRegionAvail().x) : text);
  note_text(name + ":" + id + ":" + kLimitColumns[column].title, text);
}

std::string words_of_limits(const PanelContext& context, const LimitSearch::Progress& found) {
  if (found.under_way.empty())
    return "From " + origin_of(context, found) + ", ω_max " + format_plain(found.omega_max, 4) + " rad/s";
  const auto done = std::ranges::count(found.methods, true, &MethodLimit::done);
  return format_plain(static_cast<double>(done)) + " of " +
         format_plain(static_cast<double>(found.methods.size())) + ": " + found.under_way;
}

}  // namespace

void limits_instrument(const PanelContext& context, const std::string& name, ImVec2 at, ImVec2 size) {
  const bool running = context.limits != nullptr && !context.limits->done();
  search_button(context, name, Search::Of::limits, running,
                "Bisects the largest stable h of every method from the current state, or from the last good "
                "state if a strain exceeds 10 %. It uses copies and one processor, while the lanes run on.");
  ImGui::SameLine(0, units(4));
  const ImVec2 after_find = ImGui::GetCursorScreenPos();
  if (context.limits == nullptr)
    return draw_empty(
        "Largest stable h of each method, from the current state. A search takes seconds to minutes and runs "
        "on copies.",
        at, size);
  const std::shared_ptr<const LimitSearch::Progress> found = context.limits->progress();
  draw_ground(at, size);
  const std::string words = words_of_limits(context, *found), outdated = why_outdated(context, *found);
  const float head = draw_search_head(name, *found, running, words, outdated, at, size.x, size.x);
  tooltip(outdated.empty() ? words : outdated + " " + words + ".");
  ImGui::SetCursorScreenPos(ImVec2(at.x + units(2), at.y + head));
  std::vector<LimitRow> rows;
  for (const MethodLimit& method : found->methods) rows.push_back(&method);
  sorted_table<LimitRow>(name + ":column", kLimitColumns, ImVec2(size.x - units(4), size.y - head - units(2)),
                         rows, [&](LimitRow row, std::size_t column, const std::string& text) {
                           draw_cell(context, name, row, column, text);
                         });
  ImGui::SetCursorScreenPos(after_find);
  if (!has_room_for("As lanes", at, size)) return;
  lanes_button(context, name, rows);
  ImGui::SameLine(0, units(4));
  if (has_room_for("CSV", at, size) && text_button(name + ":csv", "CSV", "Save the table."))
    context.request(SaveTable{"limits", csv_of_limits(rows)});
}

}  // namespace clothlab
