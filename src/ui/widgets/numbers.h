// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "collide/obstacle.h"
#include "core/parameter.h"

namespace clothlab {

/// Whole numbers in groups of three, with spaces that do not break a line: "16 384".
std::string format_count(unsigned long long value);

/// "1 particle", "16 384 particles"; without `many` the plural is that of `one` with an s.
std::string counted(unsigned long long count, std::string_view one, std::string_view many = {});

/// With a fixed number of significant digits, trailing zeros included ("12.0", "0.300"), so that the text
/// after a changing number does not move; very large and very small ones as format_plain writes them.
std::string format_steady(double value, int digits = 3);

/// A file's time in local time: "2026-11-22 10:04".
std::string format_time(std::filesystem::file_time_type time);

/// How the window shows a parameter: choices by name, times in ms, everything else in its own unit.
std::string shown_value(const ParameterSpec& spec, double value);

/// What a user typed for a parameter.
struct TypedNumber {
  std::optional<double> value;  ///< within the parameter's range; none if the text is refused
  std::string note;  ///< why the text is refused, or what was changed; empty if the text is accepted
};

/// Reads a parameter's field, see parse_quantity(): a number alone is in the unit shown, an expression
/// without units in the parameter's own. A value outside the range is clamped to it.
TypedNumber typed_number(const ParameterSpec& spec, std::string_view text);

/// What may be typed for a parameter: "from 0.001 ms to 1000 ms, also as 1/60 s, 20 us or 2*0.01".
std::string typing_help(const ParameterSpec& spec);

/// "5 856 triangles, closed, 30 frames.": of a mesh obstacle that has been read.
std::string triangles_text(const MeshFile& mesh);

}  // namespace clothlab
