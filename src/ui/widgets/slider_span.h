// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <optional>
#include <string>

#include "core/parameter.h"

namespace clothlab {

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
