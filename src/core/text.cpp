// SPDX-License-Identifier: MIT
#include "core/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <locale>
#include <sstream>
#include <system_error>
#include <utility>
#include <vector>

#include "core/error.h"

namespace clothlab {
namespace {

/// True for characters that control a terminal or the text layout.
bool is_control(char32_t code) {
  const auto within = [code](char32_t first, char32_t last) { return code >= first && code <= last; };
  return code < 0x20 || within(0x7F, 0x9F) || code == 0x61C || within(0x200E, 0x200F) ||
         within(0x2028, 0x202E) || within(0x2060, 0x206F) || code == 0xFEFF || within(0xFFF9, 0xFFFB);
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Three rows of the table: before last, last and current.
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({replace, last[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

/// Of names in lower case. Whether one may be a misspelling of the other: at most a third of the letters
/// differ, or one is a meaningful part of the other.
bool is_close(std::string_view a, std::string_view b, std::size_t distance) {
  constexpr std::size_t kTellingPart = 3;
  const auto [shortest, longest] = std::minmax({a.size(), b.size()});
  return (distance <= std::max<std::size_t>(1, longest / 3) && distance < longest) ||
         (shortest >= kTellingPart &&
          (a.find(b) != std::string_view::npos || b.find(a) != std::string_view::npos));
}

}  // namespace

std::string format_number(double value) {
  std::array<char, 32> buffer{};
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return error == std::errc{} ? std::string(buffer.data(), end) : std::string("?");
}

std::string format_digits(double value, int digits) {
  std::array<char, 48> buffer{};
  const auto [end, error] =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::general, digits);
  std::string text(buffer.data(), end);
  if (const std::size_t e = text.find('e'); e != std::string::npos) {
    const bool negative = text[e + 1] == '-';
    const std::size_t first = text.find_first_not_of("+-0", e + 1);
    text = text.substr(0, e + 1) + (negative ? "-" : "") + text.substr(first);
  }
  return text;
}

std::string format_plain(double value, int digits) {
  if (std::isnan(value)) return "not a number";
  if (std::isinf(value)) return value > 0 ? "infinity" : "-infinity";
  const double size = std::abs(value);
  if (size == 0 || (size >= 1e-3 && size < 1e5)) {
    const int whole = size >= 1 ? static_cast<int>(std::floor(std::log10(size))) + 1 : 0;
    if (whole > digits) return format_digits(std::round(value), whole);
  }
  return format_digits(value, digits);
}

std::string format_quantity(double value, std::string_view unit, int digits) {
  if (unit.empty() || !std::isfinite(value)) return format_plain(value, digits);
  constexpr std::pair<double, const char*> kPrefixes[] = {{1e6, "M"},  {1e3, "k"},  {1, ""},     {1e-3, "m"},
                                                          {1e-6, "µ"}, {1e-9, "n"}, {1e-12, "p"}};
  const double size = std::abs(value);
  const bool takes_prefix =
      unit == "s" || unit == "J" || unit == "N" || unit == "m" || unit == "W" || unit == "m/s";
  if (takes_prefix && size < 1e9)
    for (const auto& [factor, prefix] : kPrefixes)
      if (size >= factor * (1 - 1e-12) && (factor <= 1 || unit != "s"))
        return format_plain(value / factor, digits) + ' ' + prefix + std::string(unit);
  return format_plain(value, digits) + ' ' + std::string(unit);
}

void append_number(std::string& text, double value) {
  if (!std::isfinite(value)) throw SystemError("A number is not finite and cannot be written to a file.");
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
  // from_chars does not set a value outside the range of double; a stream sets 0 or the largest one.
  std::istringstream stream{std::string(text)};
  stream.imbue(std::locale::classic());
  stream >> value;
  return std::abs(value) < 1 ? value : std::copysign(std::numeric_limits<double>::infinity(), value);
}

std::string printable(std::string_view text, std::size_t longest, std::string_view kept) {
  std::string shown;
  std::size_t before_last = 0;  // bytes of `shown` without its last character
  for (std::size_t characters = 0; !text.empty(); ++characters) {
    if (characters == longest) return shown.substr(0, before_last) + "…";
    before_last = shown.size();
    const Character next = first_character(text);
    const bool obeyed = is_control(next.code) && kept.find(text.front()) == std::string_view::npos;
    if (next.bytes == 0 || obeyed)
      shown += '?';
    else
      shown += text.substr(0, next.bytes);
    text.remove_prefix(std::max<std::size_t>(next.bytes, 1));
  }
  return shown;
}

Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x80) return {byte(0), 1};
  const std::size_t bytes = byte(0) >= 0xF0 ? 4 : byte(0) >= 0xE0 ? 3 : 2;
  if (byte(0) < 0xC2 || byte(0) > 0xF4 || text.size() < bytes) return {};
  auto code = static_cast<char32_t>(byte(0) & (0x7F >> bytes));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3F);
  }
  constexpr std::array<char32_t, 5> kLeast{0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < kLeast[bytes] || surrogate || code > 0x10FFFF) return {};
  return {code, bytes};
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t bytes = first_character(text).bytes;
    if (bytes == 0) return false;
    text.remove_prefix(bytes);
  }
  return true;
}

std::string joined(std::span<const std::string_view> names) {
  std::string text;
  for (const std::string_view name : names) {
    if (!text.empty()) text += ", ";
    text += name;
  }
  return text;
}

std::string any_of_text(std::span<const std::string_view> names) {
  if (names.size() < 2) return joined(names);
  return joined(names.first(names.size() - 1)).append(" or ").append(names.back());
}

std::string_view nearest_name(std::string_view name, std::span<const std::string_view> candidates) {
  // A name far longer than any candidate is cut, to bound the time.
  const std::string lower_name = lower_case(name.substr(0, 100));
  std::string_view nearest;
  std::size_t smallest = std::numeric_limits<std::size_t>::max();
  for (const std::string_view candidate : candidates) {
    const std::string lower_candidate = lower_case(candidate);
    const std::size_t distance = edit_distance(lower_name, lower_candidate);
    if (distance < smallest && is_close(lower_name, lower_candidate, distance)) {
      smallest = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

std::string suggestion(std::string_view name, std::span<const std::string_view> candidates,
                       std::string_view quote) {
  const std::string_view nearest = nearest_name(name, candidates);
  if (nearest.empty()) return ".";
  return "; did you mean " + std::string(quote) + std::string(nearest) + std::string(quote) + "?";
}

}  // namespace clothlab
