// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "chart/chart.h"
#include "cli/sweep/sweep_plan.h"

namespace clothlab {

/// The runs of a sweep as a table: number, key, settings and results of each, as texts.
class SweepTable {
 public:
  explicit SweepTable(const std::vector<SweepVariation>& variations);

  /// `values`: the texts of the options that vary, in their order.
  void add(const std::string& run, const std::string& key, const std::vector<std::string>& values,
           const nlohmann::ordered_json& record);
  /// A header and a line for each run.
  std::string csv() const;

  /// Throws InputError, which begins with `option`, for a column that does not exist.
  void check_column(const std::string& option, const std::string& name) const;
  /// A panel with a curve for each combination of the other options that vary; runs without values are left
  /// out. Throws InputError if x has values that are not numbers.
  Chart lines(const std::string& x, const std::string& value,
              const std::function<Rgb(std::size_t curve)>& colour) const;
  /// A panel with a coloured rectangle for each run and each combination of the other options. Throws as
  /// lines().
  Chart heat_map(const std::string& x, const std::string& y, const std::string& value) const;

 private:
  struct Point {
    std::size_t row = 0;
    double x = 0, value = 0;
  };
  /// The points by the combination of options that are neither of `axes`, with its text.
  struct Group {
    std::string label;
    std::vector<Point> points;
  };
  std::vector<Group> groups(const std::vector<std::string>& axes, const std::string& value) const;
  std::size_t column(std::string_view name) const;
  double number(std::size_t row, std::size_t column) const;

  std::vector<std::string> varied_, columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace clothlab
