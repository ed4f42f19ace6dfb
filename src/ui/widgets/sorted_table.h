// SPDX-License-Identifier: MIT
#pragma once

#include <imgui.h>

#include <algorithm>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "ui/theme.h"
#include "ui/widgets/widgets.h"

namespace clothlab {

/// A value by which a row comes last, however the table is sorted.
inline constexpr double kNoFigure = std::numeric_limits<double>::infinity();

/// A column of a table that a click on its title sorts.
template <class Row>
struct SortedColumn {
  const char* title;
  const char* help;
  float width;  ///< [interface units]; 0: the rest
  double (*value)(const Row&);
  std::string (*text)(const Row&);
};

/// Sorts the rows of the current table by the column that the user chose.
template <class Row>
void sort_rows(std::span<const SortedColumn<Row>> columns, std::vector<Row>& rows) {
  const ImGuiTableSortSpecs* specs = ImGui::TableGetSortSpecs();
  if (specs == nullptr || specs->SpecsCount == 0) return;
  const auto value = columns[static_cast<std::size_t>(specs->Specs[0].ColumnIndex)].value;
  const bool up = specs->Specs[0].SortDirection == ImGuiSortDirection_Ascending;
  std::ranges::stable_sort(rows, [&](const Row& a, const Row& b) {
    const double x = value(a), y = value(b);
    if (x == kNoFigure || y == kNoFigure) return x != kNoFigure && y == kNoFigure;
    return up ? x < y : y < x;
  });
}

/// A table whose titles stay visible, with its rows sorted; draws its cells by draw(row, column, text).
/// Titles are noted as "name:title". The last columns are left out if they would leave too little for the
/// first.
template <class Row, class Draw>
void sorted_table(const std::string& name, std::span<const SortedColumn<Row>> columns, ImVec2 size,
                  std::vector<Row>& rows, const Draw& draw) {
  constexpr float kLeastRest = 75;  // of the column without a width [interface units]
  const ImVec2 padding(units(4), units(1));
  float room = size.x - ImGui::GetStyle().ScrollbarSize - units(kLeastRest);
  std::size_t fitting = 0;
  for (; fitting < columns.size(); ++fitting)
    if ((room -= units(columns[fitting].width) + 2 * padding.x) < 0 && fitting > 1) break;
  columns = columns.first(fitting);
  ImGui::PushStyleVar(ImGuiStyleVar_CellPadding, padding);
  if (ImGui::BeginTable(name.c_str(), static_cast<int>(columns.size()),
                        ImGuiTableFlags_Sortable | ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_ScrollY |
                            ImGuiTableFlags_NoSavedSettings | ImGuiTableFlags_BordersInnerH,
                        size)) {
    ImGui::TableSetupScrollFreeze(0, 1);
    for (const SortedColumn<Row>& column : columns)
      ImGui::TableSetupColumn(
          column.title,
          column.width > 0 ? ImGuiTableColumnFlags_WidthFixed : ImGuiTableColumnFlags_WidthStretch,
          units(column.width));
    ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
    for (const SortedColumn<Row>& column : columns) {
      ImGui::TableNextColumn();
      ImGui::TableHeader(displayable(column.title).c_str());
      explain_item(name + ":" + column.title, column.help);
    }
    sort_rows(columns, rows);
    for (const Row& row : rows)
      for (std::size_t c = 0; c < columns.size(); ++c) {
        ImGui::TableNextColumn();
        draw(row, c, columns[c].text(row));
      }
    ImGui::EndTable();
  }
  ImGui::PopStyleVar();
}

}  // namespace clothlab
