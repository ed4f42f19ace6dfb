// SPDX-License-Identifier: MIT
#include "core/quantity.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numbers>
#include <utility>

#include "core/text.h"

namespace clothlab {
namespace {

constexpr std::size_t kLongestText = 200;
constexpr int kLargestPower = 99;

/// Exponents of metre, kilogram, second and degree, and of what is counted.
using Dimensions = std::array<int, 5>;
constexpr std::size_t kCounted = 4;

/// number · 10^tens, with its dimensions.
struct Term {
  double number = 1;
  int tens = 0;
  Dimensions dimensions{};
  bool has_unit = false;
  /// The decimal number that this is, apart from its power of ten; empty for the result of arithmetic.
  std::string literal = {};

  double value() const {
    if (literal.empty()) return tens < 0 ? number / std::pow(10.0, -tens) : number * std::pow(10.0, tens);
    const std::size_t e = std::min(literal.find_first_of("eE"), literal.size());
    int exponent = tens;
    if (e < literal.size()) {
      const std::size_t digits = e + (literal[e + 1] == '+' ? 2 : 1);
      int written = 0;
      const auto [end, error] =
          std::from_chars(literal.data() + digits, literal.data() + literal.size(), written);
      if (error != std::errc{}) return number * std::pow(10.0, tens);
      exponent += written;
    }
    return parse_number(literal.substr(0, e) + "e" + std::to_string(exponent)).value_or(number);
  }
};

struct Unit {
  std::string_view name;
  double number = 1;
  int tens = 0;
  Dimensions dimensions{};
  bool takes_prefix = false;
};
constexpr std::array kUnits{
    Unit{"m", 1, 0, {1}, true},
    Unit{"g", 1, -3, {0, 1}, true},
    Unit{"s", 1, 0, {0, 0, 1}, true},
    Unit{"min", 60, 0, {0, 0, 1}},
    Unit{"Hz", 1, 0, {0, 0, -1}, true},
    Unit{"N", 1, 0, {1, 1, -2}, true},
    Unit{"J", 1, 0, {2, 1, -2}, true},
    Unit{"W", 1, 0, {2, 1, -3}, true},
    Unit{"Pa", 1, 0, {-1, 1, -2}, true},
    Unit{"deg", 1, 0, {0, 0, 0, 1}},
    Unit{"rad", 180 / std::numbers::pi, 0, {0, 0, 0, 1}},
    Unit{"percent", 1, -2, {}},
    Unit{"times", 1, 0, {}},
};
constexpr std::array<std::pair<char, int>, 9> kSiPrefixes{
    {{'p', -12}, {'n', -9}, {'u', -6}, {'m', -3}, {'c', -2}, {'d', -1}, {'k', 3}, {'M', 6}, {'G', 9}}};

// Non-ASCII characters and their replacements.
constexpr std::pair<std::string_view, std::string_view> kSpellings[] = {
    {"⁻¹", "^-1"},  {"⁻²", "^-2"},   {"⁻³", "^-3"},   {"²", "^2"}, {"³", "^3"},  {"·", "*"},
    {"⋅", "*"},     {"−", "-"},      {"µ", "u"},      {"μ", "u"},  {"°", "deg"}, {"%", "percent"},
    {"×", "times"}, {"\u00A0", " "}, {"\u202F", " "}, {"\t", " "}};

std::string plain_spelling(std::string_view text) {
  std::string plain;
  while (!text.empty()) {
    const auto* const found =
        std::ranges::find_if(kSpellings, [&](const auto& entry) { return text.starts_with(entry.first); });
    plain += found != std::end(kSpellings) ? found->second : text.substr(0, 1);
    text.remove_prefix(found != std::end(kSpellings) ? found->first.size() : 1);
  }
  return plain;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// Why a text is refused; empty if it is not a number at all.
struct Refused {
  std::string why;
};

/// Reads sums of products of powers.
class Reader {
 public:
  /// `counted`: the name of the counted things if `unit` is not an SI unit.
  Reader(std::string_view text, std::string_view counted) : text_(text), counted_(counted) {}

  Term read() {
    Term sum = read_sum();
    if (next() != '\0') throw Refused{};
    return sum;
  }

 private:
  // The next character that is not a space; '\0' at the end.
  char next() {
    while (!text_.empty() && text_.front() == ' ') text_.remove_prefix(1);
    return text_.empty() ? '\0' : text_.front();
  }
  bool take(char wanted) {
    if (next() != wanted) return false;
    text_.remove_prefix(1);
    return true;
  }

  Term read_sum() {
    Term sum = read_product();
    while (next() == '+' || next() == '-') {
      const double sign = take('-') ? -1 : (take('+'), 1);
      const Term more = read_product();
      if (more.dimensions != sum.dimensions || more.has_unit != sum.has_unit)
        throw Refused{"adds numbers of different units"};
      sum = {.number = sum.value() + sign * more.value(),
             .dimensions = sum.dimensions,
             .has_unit = sum.has_unit};
    }
    return sum;
  }

  Term read_product() {
    Term product = read_power();
    for (;;) {
      const bool divides = take('/');
      const bool times = divides || take('*');
      if (!times && next() != '(' && !is_letter(next())) return product;
      Term factor = read_power();
      const int sign = divides ? -1 : 1;
      const bool scales = factor.number == 1 && factor.literal.empty();  // a unit by powers of ten
      if (!scales) {
        product.number = divides ? product.number / factor.number : product.number * factor.number;
        product.literal.clear();
      }
      product.tens += sign * factor.tens;
      for (std::size_t k = 0; k < product.dimensions.size(); ++k)
        product.dimensions[k] += sign * factor.dimensions[k];
      product.has_unit |= factor.has_unit;
    }
  }

  Term read_power() {
    bool negative = false;
    while (take('-')) negative = !negative;
    if (!negative) take('+');
    const bool is_unit = is_letter(next());
    Term base = read_base();
    // The power of a unit may follow it at once: "m2".
    const bool at_once = is_unit && base.has_unit && !text_.empty() && is_digit(text_.front());
    if (at_once || take('^')) {
      int power = 0;
      const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), power);
      if (error != std::errc{} || std::abs(power) > kLargestPower) throw Refused{};
      text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
      base.number = std::pow(base.number, power);
      base.tens *= power;
      for (int& exponent : base.dimensions) exponent *= power;
      base.literal.clear();
    }
    if (negative) {
      base.number = -base.number;
      if (base.literal.starts_with('-')) {
        base.literal.erase(0, 1);
      } else if (!base.literal.empty()) {
        base.literal.insert(0, 1, '-');
      }
    }
    return base;
  }

  Term read_base() {
    const char first = next();
    if (take('(')) {
      if (++depth_ > kDeepest) throw Refused{};
      Term inner = read_sum();
      if (!take(')')) throw Refused{};
      --depth_;
      return inner;
    }
    if (text_.starts_with("sqrt(")) return read_root();
    if (is_letter(first)) return read_unit();
    if (!is_digit(first) && first != '.') throw Refused{};
    Term number;
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), number.number);
    if (error == std::errc::invalid_argument) throw Refused{};
    number.literal = text_.substr(0, static_cast<std::size_t>(end - text_.data()));
    number.number = parse_number(number.literal).value_or(number.number);
    text_.remove_prefix(number.literal.size());
    return number;
  }

  Term read_root() {
    text_.remove_prefix(std::string_view("sqrt").size());
    const Term square = read_base();
    if (square.has_unit) throw Refused{"takes the root of a number with a unit"};
    return {.number = std::sqrt(square.value())};
  }

  Term read_unit() {
    const auto letters = static_cast<std::size_t>(std::ranges::find_if_not(text_, is_letter) - text_.begin());
    const std::string_view name = text_.substr(0, letters);
    text_.remove_prefix(letters);
    if (!counted_.empty() &&
        (name == counted_ || (counted_.ends_with('s') && name == counted_.substr(0, counted_.size() - 1)))) {
      Term one{.has_unit = true};
      one.dimensions[kCounted] = 1;
      return one;
    }
    const auto find = [](std::string_view wanted) { return std::ranges::find(kUnits, wanted, &Unit::name); };
    const Unit* unit = find(name);
    int tens = 0;
    if (unit == kUnits.end() && name.size() > 1) {
      const auto* const prefix = std::ranges::find(kSiPrefixes, name.front(), &std::pair<char, int>::first);
      unit = find(name.substr(1));
      if (prefix == kSiPrefixes.end() || (unit != kUnits.end() && !unit->takes_prefix)) unit = kUnits.end();
      if (unit != kUnits.end()) tens = prefix->second;
    }
    if (unit == kUnits.end()) throw Refused{"has an unknown unit, '" + printable(name) + "'"};
    return {
        .number = unit->number, .tens = tens + unit->tens, .dimensions = unit->dimensions, .has_unit = true};
  }

  static constexpr int kDeepest = 20;
  std::string_view text_;
  std::string_view counted_;
  int depth_ = 0;  // of parentheses
};

/// A unit as a term; a unit that is not an SI unit is the name of counted things.
Term term_of(std::string_view unit) {
  if (unit.empty()) return {};
  try {
    return Reader(plain_spelling(unit), {}).read();
  } catch (const Refused&) {
    Term one{.has_unit = true};
    one.dimensions[kCounted] = 1;
    return one;
  }
}

}  // namespace

std::optional<double> parse_expression(std::string_view text) {
  try {
    const Term read = Reader(text, {}).read();
    const double value = read.value();
    if (!read.has_unit && std::isfinite(value)) return value;
  } catch (const Refused&) {
  }
  return std::nullopt;
}

Quantity parse_quantity(std::string_view text, std::string_view unit, std::string_view alone) {
  text = trimmed(text);
  if (text.size() > kLongestText || std::ranges::none_of(text, is_digit) || text.starts_with("--")) return {};
  const Term target = term_of(unit);
  const bool is_counted = target.dimensions[kCounted] != 0;
  const std::optional<double> number = parse_number(text);
  if (number && (alone.empty() || alone == unit))
    return std::isfinite(*number) ? Quantity{number, {}} : Quantity{};
  try {
    std::string whole(text);
    if (number) whole.append(" ").append(alone);
    // "5 1/s": another number is no factor without a sign, but in a unit.
    if (!unit.empty() && is_digit(unit.front()) && text.ends_with(std::string(" ").append(unit)))
      whole = std::string(text.substr(0, text.size() - unit.size())).append("*(").append(unit).append(")");
    const std::string written = plain_spelling(whole);
    Term read = Reader(written, is_counted ? unit : std::string_view()).read();
    if (read.has_unit && read.dimensions != target.dimensions)
      throw Refused{unit.empty() ? "has a unit, but this value has none" : "is not in " + std::string(unit)};
    if (read.has_unit) read.tens -= target.tens;
    const double value = read.value();
    if (!std::isfinite(value)) throw Refused{"is not a finite number"};
    return {value, {}, read.has_unit};
  } catch (const Refused& refused) {
    return {std::nullopt, refused.why};
  }
}

}  // namespace clothlab
