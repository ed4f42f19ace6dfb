#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace clothlab {

// Numbers to text and back, independent of the locale.

/// The shortest text that reads back as the same double: "0.1", "1e-06", "inf".
std::string format_number(double value);

/// Appends `value` with 17 significant digits, as "%.17g" writes it in the C locale: files and exports.
void append_number(std::string& text, double value);

/// The whole text as a decimal number ("1", "-2.5", "+1e-3"; also "inf", "nan"), with the bits that strtod
/// gives in the C locale: correctly rounded, infinity above the largest double, 0 with its sign below the
/// smallest. Nothing when the text is anything else.
std::optional<double> parse_number(std::string_view text);

}  // namespace clothlab
