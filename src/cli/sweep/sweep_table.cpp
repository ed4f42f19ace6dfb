// SPDX-License-Identifier: MIT
#include "cli/sweep/sweep_table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "cli/output/table.h"
#include "core/error.h"
#include "core/text.h"
#include "sim/scene_json.h"

namespace clothlab {
namespace {

using Json = nlohmann::ordered_json;

/// Columns before those of the varied options, and keys of a scene that are no columns.
constexpr std::array<std::string_view, 4> kFirstColumns{"run", "key", "reference", "integrator"};
constexpr std::array<std::string_view, 8> kNoColumns{"clothlab-scene", "initial-state", "lanes",   "title",
                                                     "description",    "groups",        "drivers", "tableau"};

std::string cell_of(const Json& value) {
  if (value.is_null()) return "nan";
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return format_number(value.get<double>());
  std::string text = value.dump();
  const bool numbers =
      value.is_array() && std::ranges::all_of(value, [](const Json& v) { return v.is_number(); });
  return numbers ? text.substr(1, text.size() - 2) : text;  // "0,-9.8,0", as the option has it
}

/// The settings of a run by column.
Json settings_of(const Json& record) {
  Json settings = record["scene"];
  const Json mesh = settings.value("mesh", Json::object());
  settings["mesh"] = mesh.contains("file") ? mesh["file"] : mesh.value("generated", Json(""));
  if (mesh.contains("grid")) {
    for (const char* pair : {"grid", "size"})
      settings[pair] = mesh[pair][0].dump() + "x" + mesh[pair][1].dump();
  }
  settings["integrator"] = record["integrator"];
  settings["reference"] = record["reference"];
  settings["steps"] = record["steps"];
  if (settings.contains("dt"))  // otherwise the files of the run were gone
    settings["duration"] = record["steps"].get<double>() * settings["dt"].get<double>();
  return settings;
}

/// True for positive values over more than a decade.
bool spans_decades(const std::vector<double>& values) {
  const auto [least, most] = std::ranges::minmax(values);
  return least > 0 && most > 10 * least;
}

/// True if values of an axis are spaced more evenly in the logarithm.
bool is_logarithmic(const std::set<double>& values) {
  const double least = *values.begin(), most = *values.rbegin();
  const double median = *std::next(values.begin(), static_cast<std::ptrdiff_t>(values.size() / 2));
  return least > 0 && most > 3 * least && (values.size() == 2 || median < 0.45 * (least + most));
}

/// Borders of cells around ascending values, in the middle between them.
std::vector<double> borders_of(const std::set<double>& values, bool logarithmic) {
  std::vector<double> images;
  for (const double value : values) images.push_back(logarithmic ? std::log(value) : value);
  const std::size_t n = images.size();
  std::vector<double> borders(n + 1);
  for (std::size_t k = 1; k < n; ++k) borders[k] = (images[k - 1] + images[k]) / 2;
  const double alone = logarithmic || images[0] == 0 ? 0.5 : std::abs(images[0]) / 2;
  borders[0] = n > 1 ? 2 * images[0] - borders[1] : images[0] - alone;
  borders[n] = n > 1 ? 2 * images[n - 1] - borders[n - 1] : images[0] + alone;
  if (logarithmic)
    for (double& border : borders) border = std::exp(border);
  return borders;
}

/// From dark blue to yellow, as bright as the share from 0 to 1 [Matplotlib: viridis].
Rgb colour_of(double share) {
  constexpr std::array<Rgb, 5> kColours{
      {{68, 1, 84}, {59, 82, 139}, {33, 145, 140}, {94, 201, 98}, {253, 231, 37}}};
  const double at = std::clamp(share, 0.0, 1.0) * (kColours.size() - 1);
  const std::size_t k = std::min(static_cast<std::size_t>(at), kColours.size() - 2);
  Rgb out{};
  for (std::size_t c = 0; c < out.size(); ++c)
    out[c] = static_cast<std::uint8_t>(
        std::lround(std::lerp(double(kColours[k][c]), double(kColours[k + 1][c]), at - double(k))));
  return out;
}

}  // namespace

SweepTable::SweepTable(const std::vector<SweepVariation>& variations) {
  const auto add = [&](std::string_view name) {
    if (std::ranges::find(columns_, name) == columns_.end()) columns_.emplace_back(name);
  };
  std::ranges::for_each(kFirstColumns, add);
  for (const SweepVariation& variation : variations) {
    varied_.push_back(variation.name);
    add(variation.name);
  }
  for (const char* name : {"mesh", "grid", "size"}) add(name);
  for (const std::string_view key : scene_keys())
    if (std::ranges::find(kNoColumns, key) == kNoColumns.end()) add(key);
  for (const char* name : {"steps", "duration"}) add(name);
  std::ranges::for_each(sweep_result_columns(), add);
}

void SweepTable::add(const std::string& run, const std::string& key, const std::vector<std::string>& values,
                     const Json& record) {
  Json settings = settings_of(record);
  settings["run"] = run;
  settings["key"] = key;
  for (std::size_t k = 0; k < values.size(); ++k)
    if (Json& setting = settings[varied_[k]]; setting.is_null()) setting = values[k];
  settings.update(record["result"]);
  std::vector<std::string>& row = rows_.emplace_back();
  for (const std::string& column : columns_)
    row.push_back(settings.contains(column) ? cell_of(settings[column]) : std::string());
}

std::string SweepTable::csv() const {
  std::string csv;
  const auto add = [&](const std::vector<std::string>& cells) {
    for (const std::string& cell : cells)
      csv.append(&cell == &cells.front() ? "" : ",").append(csv_quoted(cell));
    csv += '\n';
  };
  add(columns_);
  std::ranges::for_each(rows_, add);
  return csv;
}

void SweepTable::check_column(const std::string& option, const std::string& name) const {
  if (std::ranges::find(columns_, name) != columns_.end()) return;
  const std::vector<std::string_view> known(columns_.begin(), columns_.end());
  throw InputError(option + ": runs.csv has no column '" + printable(name) + "'" + suggestion(name, known));
}

std::size_t SweepTable::column(std::string_view name) const {
  return static_cast<std::size_t>(std::ranges::find(columns_, name) - columns_.begin());
}

double SweepTable::number(std::size_t row, std::size_t column) const {
  return parse_number(rows_[row][column]).value_or(NAN);
}

std::vector<SweepTable::Group> SweepTable::groups(const std::vector<std::string>& axes,
                                                  const std::string& value) const {
  const std::size_t x_column = column(axes.front()), value_column = column(value);
  std::vector<Group> groups;
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    std::string label;
    for (const std::string& name : varied_) {
      if (std::ranges::find(axes, name) != axes.end()) continue;
      if (!label.empty()) label += ", ";
      if (name != "integrator") label += name + " ";
      label += rows_[row][column(name)];
    }
    const Point point{row, number(row, x_column), number(row, value_column)};
    if (std::isnan(point.x))
      throw InputError("A chart over " + axes.front() + " needs numbers, and '" +
                       printable(rows_[row][x_column]) + "' is none: exchange the axes.");
    auto group = std::ranges::find(groups, label, &Group::label);
    if (group == groups.end()) group = groups.insert(groups.end(), {label, {}});
    if (std::isfinite(point.value)) group->points.push_back(point);
  }
  return groups;
}

Chart SweepTable::lines(const std::string& x, const std::string& value,
                        const std::function<Rgb(std::size_t)>& colour) const {
  std::vector<Group> groups = this->groups({x}, value);
  Chart chart{.title = value + " over " + x, .panels = {{.x = {.title = x}, .y = {.title = value}}}};
  ChartPanel& panel = chart.panels[0];
  std::set<double> all_x;
  std::vector<double> all_values;
  for (Group& group : groups) {
    if (group.points.empty()) continue;
    std::ranges::sort(group.points, {}, &Point::x);
    ChartCurve& curve = panel.curves.emplace_back(
        ChartCurve{.label = group.label, .colour = colour(panel.curves.size()), .markers = true});
    for (const Point& point : group.points) {
      curve.x.push_back(point.x);
      curve.y.push_back(point.value);
    }
    all_x.insert(curve.x.begin(), curve.x.end());
    all_values.insert(all_values.end(), curve.y.begin(), curve.y.end());
  }
  panel.x.logarithmic = !all_x.empty() && is_logarithmic(all_x);
  panel.y.logarithmic = !all_values.empty() && spans_decades(all_values);
  return chart;
}

Chart SweepTable::heat_map(const std::string& x, const std::string& y, const std::string& value) const {
  const std::vector<Group> groups = this->groups({x, y}, value);
  std::set<double> xs, ys;
  std::vector<std::string> names;  // of y, if it has values that are not numbers
  std::vector<double> values;
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    xs.insert(number(row, column(x)));
    const std::string& name = rows_[row][column(y)];
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  if (std::ranges::all_of(names, [](const std::string& name) { return parse_number(name).has_value(); }))
    names.clear();
  const auto y_of = [&](std::size_t row) {
    if (names.empty()) return number(row, column(y));
    return static_cast<double>(std::ranges::find(names, rows_[row][column(y)]) - names.begin());
  };
  for (std::size_t row = 0; row < rows_.size(); ++row) ys.insert(y_of(row));
  for (const Group& group : groups)
    for (const Point& point : group.points) values.push_back(point.value);
  Chart chart{.title = value, .panels = {}};
  if (values.empty()) throw InputError("No run has a value of " + value + " to draw.");

  const bool log_x = is_logarithmic(xs), log_y = names.empty() && is_logarithmic(ys),
             log_value = spans_decades(values);
  const std::vector<double> x_borders = borders_of(xs, log_x), y_borders = borders_of(ys, log_y);
  const auto [least, most] = std::ranges::minmax(values);
  const auto image = [&](double of) { return log_value ? std::log(of) : of; };
  const double low = image(least), span = image(most) - low;
  const auto cell = [](const std::set<double>& of, double at) {
    return static_cast<std::size_t>(std::distance(of.begin(), of.find(at)));
  };
  for (const Group& group : groups) {
    ChartPanel& panel = chart.panels.emplace_back();
    panel.x = {.title = x, .logarithmic = log_x, .range = AxisRange{x_borders.front(), x_borders.back()}};
    panel.y = {.title = y + (group.label.empty() ? "" : "; " + group.label),
               .logarithmic = log_y,
               .range = AxisRange{y_borders.front(), y_borders.back()},
               .names = names};
    for (const Point& point : group.points) {
      const std::size_t i = cell(xs, point.x), j = cell(ys, y_of(point.row));
      panel.bands.push_back({.colour = colour_of(span > 0 ? (image(point.value) - low) / span : 0.5),
                             .x = {x_borders[i], x_borders[i + 1]},
                             .low = {y_borders[j], y_borders[j]},
                             .high = {y_borders[j + 1], y_borders[j + 1]}});
    }
  }
  constexpr int kSamples = 7;
  for (int k = kSamples - 1; k >= 0; --k) {
    const double share = k / (kSamples - 1.0), sample = low + share * span;
    chart.legend.push_back(
        {.label = format_plain(log_value ? std::exp(sample) : sample), .colour = colour_of(share)});
    if (!(span > 0)) break;
  }
  return chart;
}

}  // namespace clothlab
