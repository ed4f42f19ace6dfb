// SPDX-License-Identifier: MIT
#include "cli/output/table.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/output/html.h"
#include "core/text.h"

namespace clothlab {
namespace {

/// For reading.
std::string shown(const BenchCell& cell, int digits) {
  if (const auto* word = std::get_if<std::string>(&cell)) return *word;
  if (const auto* whole = std::get_if<long long>(&cell)) return std::to_string(*whole);
  const double value = std::get<double>(cell);
  return std::isnan(value) ? "–" : format_plain(value, digits);
}

/// For files; empty if nothing was measured.
std::string exact(const BenchCell& cell) {
  if (const auto* value = std::get_if<double>(&cell))
    return std::isnan(*value) ? "nan" : format_number(*value);
  return shown(cell, 0);
}

/// In characters, not bytes, of UTF-8.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

}  // namespace

std::string csv_quoted(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text) result += c == '"' ? std::string("\"\"") : std::string(1, c);
  return result + "\"";
}

std::vector<double> values_of(const BenchTable& table, std::string_view column) {
  const auto found = std::ranges::find(table.columns, column, &BenchColumn::id);
  std::vector<double> values;
  if (found == table.columns.end()) return values;
  for (const auto& row : table.rows) {
    const BenchCell& cell = row[static_cast<std::size_t>(found - table.columns.begin())];
    if (const auto* whole = std::get_if<long long>(&cell))
      values.push_back(static_cast<double>(*whole));
    else
      values.push_back(std::holds_alternative<double>(cell) ? std::get<double>(cell) : std::nan(""));
  }
  return values;
}

const BenchTable* find_table(const std::vector<BenchTable>& tables, std::string_view id) {
  const auto found = std::ranges::find(tables, id, &BenchTable::id);
  return found == tables.end() ? nullptr : &*found;
}

std::string aligned(const std::vector<std::vector<std::string>>& rows, std::string_view margin,
                    const std::function<bool(std::size_t column)>& is_text) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], width(row[c]));
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string fill(widths[c] - width(row[c]), ' ');
      line += c == 0 ? margin : "  ";
      line += is_text(c) ? row[c] + fill : fill + row[c];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string text_of(const BenchTable& table) {
  std::vector<std::vector<std::string>> rows(2);
  for (const BenchColumn& column : table.columns) {
    rows[0].push_back(column.title);
    rows[1].push_back(column.unit);
  }
  for (const auto& row : table.rows) {
    auto& cells = rows.emplace_back();
    for (std::size_t c = 0; c < row.size(); ++c) cells.push_back(shown(row[c], table.columns[c].digits));
  }
  std::string text =
      table.title + "\n" + aligned(rows, "  ", [&](std::size_t column) { return column < table.keys; });
  for (const std::string& note : table.notes) text += "  " + note + "\n";
  return text;
}

std::string markdown_of(const BenchTable& table) {
  std::string text = "**" + table.title + "**\n\n|";
  for (const BenchColumn& column : table.columns) {
    text += ' ' + column.title;
    if (!column.unit.empty()) text += " [" + column.unit + ']';
    text += " |";
  }
  text += "\n|";
  for (std::size_t c = 0; c < table.columns.size(); ++c) text += c < table.keys ? "---|" : "---:|";
  text += '\n';
  for (const auto& row : table.rows) {
    text += '|';
    for (std::size_t c = 0; c < row.size(); ++c) text += ' ' + shown(row[c], table.columns[c].digits) + " |";
    text += '\n';
  }
  for (const std::string& note : table.notes) text += '\n' + note + '\n';
  return text;
}

std::string html_of(const BenchTable& table) {
  std::string html = "<p><b>" + escaped(table.title) + "</b></p>\n<div class=\"wide\"><table><tr>";
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const BenchColumn& column = table.columns[c];
    const std::string unit = column.unit.empty() ? "" : " [" + column.unit + "]";
    html += cell("th", c < table.keys, escaped(column.title + unit));
  }
  for (const auto& row : table.rows) {
    html += "</tr>\n<tr>";
    for (std::size_t c = 0; c < row.size(); ++c)
      html += cell("td", c < table.keys, escaped(shown(row[c], table.columns[c].digits)));
  }
  html += "</tr></table></div>\n";
  for (const std::string& note : table.notes) html += "<p class=\"small\">" + escaped(note) + "</p>\n";
  return html;
}

std::string csv_of(const std::vector<BenchTable>& tables) {
  std::string csv = "table,row,column,unit,value\n";
  for (const BenchTable& table : tables)
    for (const auto& row : table.rows) {
      std::string name = exact(row[0]);
      for (std::size_t c = 1; c < table.keys; ++c) name += " " + exact(row[c]);
      for (std::size_t c = table.keys; c < row.size(); ++c)
        csv += table.id + "," + csv_quoted(name) + "," + table.columns[c].id + "," +
               csv_quoted(table.columns[c].unit) + "," + csv_quoted(exact(row[c])) + "\n";
    }
  return csv;
}

std::string json_of(const std::vector<BenchTable>& tables) {
  auto json = nlohmann::ordered_json::object();
  for (const BenchTable& table : tables) {
    auto rows = nlohmann::ordered_json::array();
    for (const auto& row : table.rows) {
      auto object = nlohmann::ordered_json::object();
      for (std::size_t c = 0; c < row.size(); ++c)
        std::visit([&](const auto& value) { object[table.columns[c].id] = value; }, row[c]);
      rows.push_back(std::move(object));
    }
    json[table.id] = std::move(rows);
  }
  return json.dump(2) + "\n";
}

}  // namespace clothlab
