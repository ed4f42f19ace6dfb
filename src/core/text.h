#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace clothlab {

// Numbers to text and back, independent of the locale.

/// The shortest text that reads back as the same double: "0.1", "1e-06", "inf".
std::string format_number(double value);

/// The whole text as a double ("1", "-2.5", "1e-3"; also "inf", "nan"); nothing when it is anything else.
/// A value too large for a double gives infinity.
std::optional<double> parse_number(std::string_view text);

}  // namespace clothlab
