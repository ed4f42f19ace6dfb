// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "core/stop_probe.h"
#include "core/vec.h"

namespace clothlab {

/// Positions and velocities, one per `v` line of a mesh, in the file's units.
struct StateRows {
  std::vector<vec3> positions;
  std::vector<vec3> velocities;
};

/// The file of `--state` and `--initial-state`: header `x,y,z,vx,vy,vz`, a row per vertex, 17 significant
/// digits, LF. Throws SystemError for a value that is not finite.
std::string state_csv(std::span<const vec3> positions, std::span<const vec3> velocities);

/// Reads such a file. The columns must come in that order; CRLF, blanks around values, a byte order mark and
/// blank lines at the end are accepted. Throws InputError naming file and line for another header, a row with
/// another number of values, a value that is no finite number, or other than `expected_rows` rows.
StateRows read_state_csv(const std::filesystem::path& path, std::size_t expected_rows,
                         const StopProbe& stop = {});
StateRows parse_state_csv(std::string_view text, std::string_view name, std::size_t expected_rows,
                          const StopProbe& stop = {});

/// One line of a table: values joined by commas, reals with 17 significant digits, whole numbers as they
/// are, LF at the end. A real that is not finite is written as nan (no value). A text contains no comma.
using CsvValue = std::variant<double, long long, std::string_view>;
std::string csv_line(std::span<const CsvValue> values);
/// The same for values of any whole, real and text types.
template <class... Values>
std::string csv_row(const Values&... values) {
  const auto value = []<class Value>(const Value& of) -> CsvValue {
    if constexpr (std::is_integral_v<Value>)
      return static_cast<long long>(of);
    else
      return of;
  };
  return csv_line(std::array{value(values)...});
}

}  // namespace clothlab
