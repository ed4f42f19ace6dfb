// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace clothlab {

/// A figure, a whole number or a word of a table. NaN: not measured, "–".
using BenchCell = std::variant<double, long long, std::string>;
inline constexpr double kNotMeasured = std::numeric_limits<double>::quiet_NaN();

struct BenchColumn {
  std::string id;     ///< in files
  std::string title;  ///< above the column
  std::string unit;   ///< below the title; empty: none
  int digits = 3;     ///< significant ones, for reading; files have all
};

/// A table of figures, the same on the terminal, in files and in the documentation.
struct BenchTable {
  std::string id, title;
  std::vector<BenchColumn> columns = {};
  std::vector<std::vector<BenchCell>> rows = {};
  std::vector<std::string> notes = {};  ///< sentences below it
  std::size_t keys = 1;                 ///< the first columns, which name the row
};

/// The figures of a column, NaN for other cells; empty if there is no such column.
std::vector<double> values_of(const BenchTable& table, std::string_view column);
/// The table with this id; nullptr when there is none.
const BenchTable* find_table(const std::vector<BenchTable>& tables, std::string_view id);

/// A cell of a CSV file, in quotes if it needs them.
std::string csv_quoted(const std::string& text);

/// Lines that begin with `margin`, with columns of equal width, two spaces apart; texts are left-aligned.
std::string aligned(const std::vector<std::vector<std::string>>& rows, std::string_view margin,
                    const std::function<bool(std::size_t column)>& is_text);
/// For the terminal.
std::string text_of(const BenchTable& table);
/// For documents.
std::string markdown_of(const BenchTable& table);
/// For pages.
std::string html_of(const BenchTable& table);
/// All tables as one: a line for each figure, `table,row,column,unit,value`, so that tables of any shape fit.
std::string csv_of(const std::vector<BenchTable>& tables);
/// An object with an array of rows for each table, by its id; a figure that was not measured is null.
std::string json_of(const std::vector<BenchTable>& tables);

}  // namespace clothlab
