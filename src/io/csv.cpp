// SPDX-License-Identifier: MIT
#include "io/csv.h"

#include <array>
#include <cmath>
#include <optional>

#include "core/error.h"
#include "core/text.h"
#include "core/text_file.h"

namespace clothlab {
namespace {

constexpr std::string_view kStateHeader = "x,y,z,vx,vy,vz";
constexpr std::size_t kColumns = 6;
constexpr std::size_t kMaxCsvBytes = std::size_t{1} << 30;  // 5 M rows of 6 full-length numbers
constexpr std::size_t kPollEvery = 4096;

/// Removes the next line from `text`; without its LF or CRLF.
std::string_view pop_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

/// Removes the next value from `line`, up to a comma; none at the end of the line.
std::optional<std::string_view> pop_value(std::optional<std::string_view>& line) {
  if (!line) return std::nullopt;
  const std::size_t comma = line->find(',');
  const std::string_view value = trimmed(line->substr(0, comma));
  line = comma == std::string_view::npos ? std::nullopt : std::optional(line->substr(comma + 1));
  return value;
}

std::array<double, kColumns> parse_row(std::string_view line, const std::string& where) {
  std::array<double, kColumns> row{};
  std::optional<std::string_view> rest = line;
  for (double& value : row) {
    const std::optional<std::string_view> text = pop_value(rest);
    if (!text) throw InputError(where + "a row needs 6 values, " + std::string(kStateHeader));
    const std::optional<double> number = parse_number(*text);
    if (!number || !std::isfinite(*number))
      throw InputError(where + "'" + printable(*text, 40) + "' is not a finite number");
    value = *number;
  }
  if (rest) throw InputError(where + "this row has more than 6 values, " + std::string(kStateHeader));
  return row;
}

bool is_state_header(std::string_view line) {
  std::optional<std::string_view> names = line, expected = kStateHeader;
  while (expected)
    if (pop_value(names) != pop_value(expected)) return false;
  return !names;
}

}  // namespace

std::string state_csv(std::span<const vec3> positions, std::span<const vec3> velocities) {
  std::string text(kStateHeader);
  text += '\n';
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const vec3 &x = positions[i], &v = velocities[i];
    const double row[] = {x.x, x.y, x.z, v.x, v.y, v.z};
    for (const double& value : row) {
      append_number(text, value);
      text += &value == &row[kColumns - 1] ? '\n' : ',';
    }
  }
  return text;
}

StateRows parse_state_csv(std::string_view text, std::string_view name, std::size_t expected_rows,
                          const StopProbe& stop) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  // Blank lines are allowed at the end only.
  text = text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
  const auto where = [&](std::size_t line) { return std::string(name) + ":" + std::to_string(line) + ": "; };
  if (!is_state_header(pop_line(text)))
    throw InputError(where(1) + "the first line must be the header " + std::string(kStateHeader));

  StateRows rows;
  std::size_t line = 1;
  while (!text.empty()) {
    if (line % kPollEvery == 0 && stop_requested(stop)) throw Cancelled();
    const std::string_view row_text = pop_line(text);
    ++line;
    if (rows.positions.size() == expected_rows)
      throw InputError(where(line) + "there are more rows than the mesh has vertices, which is " +
                       std::to_string(expected_rows));
    const auto row = parse_row(row_text, where(line));
    rows.positions.emplace_back(row[0], row[1], row[2]);
    rows.velocities.emplace_back(row[3], row[4], row[5]);
  }
  if (rows.positions.size() != expected_rows)
    throw InputError(where(line) + "the file ends after " + std::to_string(rows.positions.size()) +
                     " rows, and the mesh has " + std::to_string(expected_rows) + " vertices");
  return rows;
}

StateRows read_state_csv(const std::filesystem::path& path, std::size_t expected_rows,
                         const StopProbe& stop) {
  return parse_state_csv(read_text_file(path, kMaxCsvBytes, {stop, {}}), shown_path(path), expected_rows,
                         stop);
}

std::string csv_line(std::span<const CsvValue> values) {
  std::string line;
  for (const CsvValue& value : values) {
    const double* real = std::get_if<double>(&value);
    if (const auto* text = std::get_if<std::string_view>(&value)) {
      line += *text;
    } else if (real == nullptr) {
      line += std::to_string(std::get<long long>(value));
    } else if (std::isfinite(*real)) {
      append_number(line, *real);
    } else {
      line += "nan";
    }
    line += &value == &values.back() ? '\n' : ',';
  }
  return line;
}

}  // namespace clothlab
