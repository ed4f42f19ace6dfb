// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "collide/triangle_surface.h"
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

/// "5 856 triangles, closed.": how many a mesh obstacle has, and whether it encloses a body.
std::string triangles_text(const TriangleSurface& surface);

// ---- Sliders

/// The part of a parameter's range that its slider covers; typing reaches all of it.
struct SliderSpan {
  double low = 0;
  double high = 0;
};

/// True if the slider can show the value: within the span, or at an end of the range that has its own
/// position (zero of a logarithmic range from zero, "off").
bool shows(const SliderSpan& span, const ParameterSpec& spec, double value);

/// A sensible span around a value. A logarithmic range of more than four decades is cut to a factor of 50
/// either way, whole numbers to a hundred of them, lengths to twice `cloth_size` [m] either way.
SliderSpan sensible_span(const ParameterSpec& spec, double value, double cloth_size);

/// The same for h [s]: from a tenth of the explicit methods' `limit` [s] to frame-length steps and beyond.
/// Empty while the limit is unknown or infinite.
std::optional<SliderSpan> step_size_span(double h, std::optional<double> limit);

/// Position in [0, 1] of a value, and back, both clamped. A logarithmic span of a range from zero has exactly
/// zero at its left end; a range without an upper end has "off", infinity, at its right one.
double slider_position(const ParameterSpec& spec, const SliderSpan& span, double value);
double slider_value(const ParameterSpec& spec, const SliderSpan& span, double position);

/// The spans of all sliders. Each stays until a value outside it is set, so that nothing jumps while a slider
/// is dragged.
class SliderSpans {
 public:
  /// Chooses all spans again, for a cloth of this size [m].
  void reset(double cloth_size);
  /// The span for `value`. If the current one does not show the value or the mark, it becomes `wanted`, or
  /// else sensible_span().
  const SliderSpan& of(const ParameterSpec& spec, double value, std::optional<double> mark = {},
                       const std::optional<SliderSpan>& wanted = {});

 private:
  std::map<std::string, SliderSpan, std::less<>> spans_;
  double cloth_size_ = 1;
};

}  // namespace clothlab
