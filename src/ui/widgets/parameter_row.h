// SPDX-License-Identifier: MIT
#pragma once

#include <imgui.h>

#include <optional>
#include <string>
#include <string_view>

#include "core/vec.h"
#include "ui/widgets/numbers.h"
#include "ui/widgets/slider_span.h"

namespace clothlab {

/// A marked value on a slider, and the meaning of the part to its right.
struct SliderMark {
  double value = 0;
  ImU32 colour = 0;
  std::string help;
};

/// The spans of the window's sliders.
SliderSpans& slider_spans();

/// One parameter in one line: name, slider (or choice, or check box), value field with its unit, and a reset
/// button while the value differs from `fallback`; in a narrow panel the slider is on the line below. The
/// slider covers a sensible part of the range, `wanted` or sensible_span(); typing (or Ctrl-click on the
/// slider) covers all of it. With `why_without_effect` it is dimmed, and its tooltips begin with that; it can
/// still be set, and the value is used once it has an effect. The reason is noted as `id`#without-effect.
/// Returns the new value when the user changed it.
std::optional<double> parameter_row(const ParameterSpec& spec, double value,
                                    const std::optional<SliderMark>& mark = std::nullopt,
                                    const std::optional<SliderSpan>& wanted = std::nullopt,
                                    std::string why_without_effect = {});

/// The choice or the value field of a parameter alone, of that width [px]. Its rectangle is noted as `name`,
/// a field's as `name`#field.
std::optional<double> parameter_field(const std::string& name, const ParameterSpec& spec, double value,
                                      float width);

/// Height of a slider's row in a panel of that width, without the spacing below.
float parameter_row_height(float width);

/// A number that is no parameter of a scene, such as the speed, on a logarithmic slider.
ParameterSpec number_spec(std::string_view id, std::string_view title, std::string_view unit, double min,
                          double max, double fallback, std::string_view help);

/// A row of such a number.
std::optional<double> number_row(const char* id, std::string_view title, std::string_view help, double value,
                                 double min, double max, double fallback, std::string_view unit);

/// The three components of a vector as typed values in one line, each within ±limit.
std::optional<vec3> vector_row(const char* id, std::string_view title, std::string_view help,
                               const vec3& value, double limit, std::string_view unit);

/// A text field for a number, of that width [px]: fractions, SI prefixes, units and expressions, see
/// typed_number(). Where the text is refused or clamped, the reason is shown below the field, which keeps the
/// keyboard unless the user clicked elsewhere. Returns the value that was typed. The field's rectangle is
/// noted as `name`, its explanation as "field-note".
std::optional<double> number_field(const char* id, std::string_view name, const ParameterSpec& spec,
                                   double value, float width);

/// The next number_field() with that id takes the keyboard.
void focus_number_field(const char* id);

/// Explains below the last number_field() that returned a value why that value is refused after all.
void refuse_typed_number(std::string_view why);

}  // namespace clothlab
