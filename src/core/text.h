// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace clothlab {

// Numbers to text and back, independent of the locale.

/// The shortest text that reads back as the same double: "0.1", "1e-06", "inf".
std::string format_number(double value);

/// `digits` significant digits, as "%.*g" writes them, but "1e-6" for "1e-06" and "2e9" for "2e+09".
std::string format_digits(double value, int digits);

/// For reading: `digits` significant digits, without an exponent between 0.001 and 100000, "2.5e9" and
/// "1e-6" outside. Infinite: "infinity", not a number: "not a number".
std::string format_plain(double value, int digits = 3);

/// The same with its unit, and with an SI prefix for s, J, N, m, m/s and W: "16.7 ms", "1.2 kJ", "3e12 J".
/// An empty unit gives format_plain.
std::string format_quantity(double value, std::string_view unit, int digits = 3);

/// Appends `value` with 17 significant digits, as "%.17g" writes it in the C locale: files and exports.
/// Throws SystemError for a value that is not finite.
void append_number(std::string& text, double value);

/// The whole text as a decimal number ("1", "-2.5", "+1e-3"; also "inf", "nan"), with the bits that strtod
/// gives in the C locale: correctly rounded, infinity above the largest double, 0 with its sign below the
/// smallest. Empty for any other text.
std::optional<double> parse_number(std::string_view text);

/// The most characters of a file's text or name that a sentence quotes.
inline constexpr std::size_t kLongestQuote = 500;

/// Text from outside (a file, its name, an option) in a form that is safe to show: at most `longest`
/// characters, the last of them "…" if it was cut, and '?' for control and direction characters other than
/// those in `kept` (which control a terminal) and for each byte that is not UTF-8.
std::string printable(std::string_view text, std::size_t longest = kLongestQuote, std::string_view kept = {});

/// Returns the text without the spaces and tabs at both ends.
std::string_view trimmed(std::string_view text);

/// ASCII letters in lower case; the bytes of others stay as they are.
std::string lower_case(std::string_view text);

/// The first character of a non-empty text. Rejects overlong forms, surrogates and values above U+10FFFF, as
/// the Unicode standard does.
struct Character {
  char32_t code = 0;
  std::size_t bytes = 0;  ///< 0: not UTF-8
};
Character first_character(std::string_view text);

/// Whether the bytes are well-formed UTF-8.
bool is_utf8(std::string_view text);

/// "a, b, c".
std::string joined(std::span<const std::string_view> names);
/// "a", "a or b", "a, b or c".
std::string any_of_text(std::span<const std::string_view> names);

/// The candidate nearest to a misspelt name, by the number of inserted, deleted, replaced and swapped
/// neighbouring letters (optimal string alignment, ignoring case); the first of several. It must be close: at
/// most a third of the longer name's letters differ (one letter always may), or one name, of three letters or
/// more, is a part of the other. Otherwise empty.
std::string_view nearest_name(std::string_view name, std::span<const std::string_view> candidates);

/// The end of a sentence about a name that does not exist: "; did you mean 'mass'?", or "." if no
/// candidate is close.
std::string suggestion(std::string_view name, std::span<const std::string_view> candidates,
                       std::string_view quote = "'");

}  // namespace clothlab
