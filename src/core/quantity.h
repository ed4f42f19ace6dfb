// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace clothlab {

/// A number that a user typed, or why there is none.
struct Quantity {
  std::optional<double> value;
  /// Completes the sentence "'TEXT' …" if units or arithmetic are wrong: "is not in s". Empty with a
  /// value, and if the text is not a number at all.
  std::string refusal;
  bool has_unit = false;  ///< its own, or that of a number alone
};

/// Reads a number with an SI unit, or an expression of such numbers: "20 us", "1/60 s", "0.5 mm", "2*0.01",
/// "(1 + 2)*5 kN/m". A space multiplies as "*" does: "1/60 s" is a sixtieth of a second.
///
/// The value is in `unit`: an SI unit such as "N·s/m", "%", "°", the name of what is counted ("steps"), or
/// empty. A number alone has the unit `alone` if given (what a window shows); an expression without
/// units always has `unit`. A number without a unit has the bits that parse_number() gives; "20 us" has the
/// bits of 2e-5.
Quantity parse_quantity(std::string_view text, std::string_view unit, std::string_view alone = {});

/// A number, or an expression of + − * / ( ) and sqrt( ), without units: "1/4 - sqrt(3)/6". Empty for another
/// text, and if the value is not finite.
std::optional<double> parse_expression(std::string_view text);

}  // namespace clothlab
