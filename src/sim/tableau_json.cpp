// SPDX-License-Identifier: MIT

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/error.h"
#include "core/text.h"
#include "sim/scene_json.h"

namespace clothlab {
namespace {

using nlohmann::json;
using Cells = std::vector<std::string>;

constexpr const char* kCells = "must be a list of numbers or of texts such as \"1/6\"";

Cells read_cells(std::string_view key, const json& list) {
  if (!list.is_array()) refuse_value(key, kCells);
  if (list.size() > kMostStages)
    refuse_value(key, "has more than the " + std::to_string(kMostStages) + " stages that are allowed");
  Cells cells;
  for (const json& cell : list) {
    if (cell.is_string())
      cells.push_back(cell.get<std::string>());
    else if (cell.is_number())
      cells.push_back(json_number(cell.get<double>()));
    else
      refuse_value(key, kCells);
  }
  return cells;
}

std::string text_of_cells(const Cells& cells) {
  std::string text;
  for (const std::string& cell : cells) text += (text.empty() ? "" : ", ") + json_text(cell);
  return "[" + text + "]";
}

/// c must be the row sums of a: forces do not depend on time in another way.
void check_nodes(const RungeKuttaTable& table, const Cells& c) {
  constexpr double kTolerance = 1e-9;
  if (c.size() != table.stages()) refuse_value("c", "must have a number for each stage");
  for (std::size_t i = 0; i < c.size(); ++i)
    if (!(std::abs(read_cell(c[i], "c, row " + std::to_string(i + 1)) - table.c(i)) <= kTolerance))
      refuse_value("c", "must be the sum of each row of \"a\", which is " + format_number(table.c(i)) +
                            " in row " + std::to_string(i + 1) + "; it may be left out");
}

}  // namespace

const TableauMethod& read_tableau(const json& object) {
  constexpr std::array<std::string_view, 6> kKeys{"name", "a", "b", "c", "alpha", "beta"};
  if (!object.is_object())
    throw InputError("a tableau must be a JSON object with \"a\" and \"b\", or with \"alpha\" and \"beta\"");
  for (const auto& [key, value] : object.items()) check_key(key, kKeys);
  const bool is_two_step = object.contains("alpha") || object.contains("beta");
  for (const char* key : {is_two_step ? "alpha" : "a", is_two_step ? "beta" : "b"})
    if (!object.contains(key)) throw InputError("a tableau must have the key \"" + std::string(key) + "\"");
  for (const char* key : {"a", "b", "c"})
    if (is_two_step && object.contains(key))
      refuse_value(key,
                   "belongs to a Runge–Kutta method, \"alpha\" and \"beta\" to a two-step method; one "
                   "of the two is allowed");
  Tableau tableau;
  if (const auto name = object.find("name"); name != object.end()) {
    read_json("name", *name, tableau.name);
    tableau.name = printable(tableau.name, kLongestTableauName);
  }
  if (is_two_step) {
    tableau.alpha = read_cells("alpha", object["alpha"]);
    tableau.beta = read_cells("beta", object["beta"]);
    if (tableau.alpha.size() != 3) refuse_value("alpha", "must have 3 cells, for u₋₁, u0 and u1");
    return tableau_method(tableau);
  }
  const json& a = object["a"];
  if (!a.is_array() || a.size() > kMostStages)
    refuse_value("a", "must be a list of 1 to " + std::to_string(kMostStages) + " rows");
  for (const json& row : a) tableau.a.push_back(read_cells("a", row));
  tableau.b = read_cells("b", object["b"]);
  const TableauMethod& method = tableau_method(tableau);
  if (const auto c = object.find("c"); c != object.end())
    check_nodes(RungeKuttaTable(tableau), read_cells("c", *c));
  return method;
}

const TableauMethod& parse_tableau(std::string_view text, std::string_view name) {
  try {
    return read_tableau(json::parse(text));
  } catch (const json::exception&) {
    throw InputError(std::string(name) + " is not valid JSON.");
  } catch (const InputError& error) {
    const std::string what = error.what();
    throw InputError(std::string(name) + ": " + what + (what.back() == '.' || what.back() == '?' ? "" : "."));
  }
}

std::string write_tableau(const Tableau& tableau) {
  const std::string name = "{\"name\": " + json_text(tableau.name);
  if (tableau.is_two_step())
    return name + ", \"alpha\": " + text_of_cells(tableau.alpha) +
           ", \"beta\": " + text_of_cells(tableau.beta) + "}";
  std::string rows;
  for (const Cells& row : tableau.a) rows += (rows.empty() ? "" : ", ") + text_of_cells(row);
  return name + ", \"a\": [" + rows + "], \"b\": " + text_of_cells(tableau.b) + "}";
}

std::string tableau_text(const Tableau& tableau) {
  const std::string_view preset = preset_id(tableau);
  return preset.empty() ? write_tableau(tableau) : std::string(preset);
}

}  // namespace clothlab
