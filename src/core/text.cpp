#include "core/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <system_error>

namespace clothlab {
namespace {

/// Whether a decimal number that no double can hold is too large, rather than too small. `text` has no
/// sign and was accepted by from_chars.
bool too_large(std::string_view text) {
  const std::size_t exponent_at = std::min(text.find_first_of("eE"), text.size());
  const std::string_view mantissa = text.substr(0, exponent_at);
  // The decimal exponent of the first digit that is not 0, counted from the point.
  const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  const std::size_t first = mantissa.find_first_of("123456789");
  if (first == std::string_view::npos) return false;
  const auto leading =
      first < point ? static_cast<long long>(point - first) : -static_cast<long long>(first - point);
  std::string_view digits = text.substr(std::min(exponent_at + 1, text.size()));
  const bool negative = !digits.empty() && digits.front() == '-';
  if (!digits.empty() && (digits.front() == '+' || negative)) digits.remove_prefix(1);
  long long exponent = 0;
  for (const char digit : digits) exponent = std::min(exponent * 10 + (digit - '0'), 1'000'000'000'000LL);
  return leading + (negative ? -exponent : exponent) > 0;
}

}  // namespace

std::string format_number(double value) {
  std::array<char, 32> buffer{};
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return error == std::errc{} ? std::string(buffer.data(), end) : std::string("?");
}

void append_number(std::string& text, double value) {
  std::array<char, 32> buffer;
  const auto result =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::general, 17);
  text.append(buffer.data(), result.ptr);
}

std::optional<double> parse_number(std::string_view text) {
  if (text.starts_with('+') && text.size() > 1 && text[1] != '-') text.remove_prefix(1);
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || stop != end || error == std::errc::invalid_argument) return std::nullopt;
  if (error != std::errc::result_out_of_range) return value;
  // from_chars leaves the value alone when no double comes near it.
  const bool negative = text.starts_with('-');
  const double magnitude =
      too_large(text.substr(negative ? 1 : 0)) ? std::numeric_limits<double>::infinity() : 0.0;
  return negative ? -magnitude : magnitude;
}

}  // namespace clothlab
