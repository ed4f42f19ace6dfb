// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/parameter.h"

namespace clothlab {

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
