// SPDX-License-Identifier: MIT
#include "ui/widgets/numbers.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <ctime>

#include "core/quantity.h"
#include "core/text.h"

namespace clothlab {
namespace {

// What the window shows a quantity in; `size` is in SI units.
struct ShownUnit {
  std::string_view name;
  double size = 1;
};
ShownUnit shown_unit(const ParameterSpec& spec) {
  if (spec.id == "dt" || spec.id == "rayleigh-stiffness") return {"ms", 1e-3};  // other times are long
  if (spec.unit == "m/m") return {"%", 1e-2};
  return {spec.unit};
}

constexpr double kLongestBare = 1;  // [s]: longer expressions without a unit probably mean ms

// What else can be typed; the sum is a number without a unit.
std::string examples(const ParameterSpec& spec) {
  if (spec.unit == "s")
    return shown_unit(spec).name == "ms" ? "1/60 s, 20 us or 2*0.01 (in s)" : "200 ms or 1/4";
  if (spec.kind == ParameterSpec::Kind::integer) return "2*3 or 1e2";
  if (spec.unit == "m/m") return "20/2 (in %)";
  if (spec.unit == "m") return "5 mm, 20 cm or 2*0.01";
  if (spec.unit == "kg") return "200 g or 2*0.1";
  if (spec.unit == "N/m") return "1.5 kN/m, 2 N/mm or 2*500";
  if (spec.unit == "°") return "0.5 rad or 360/8";
  return "1/4 or 2*0.01";
}

/// The singular of a unit: "step" for "steps".
std::string_view singular(std::string_view unit) {
  return unit.ends_with('s') ? unit.substr(0, unit.size() - 1) : unit;
}

}  // namespace

std::string format_count(unsigned long long value) {
  std::string digits = std::to_string(value);
  for (std::size_t at = digits.size(); at > 3; at -= 3)
    digits.insert(at - 3, "\u00A0");  // no line breaks there
  return digits;
}

std::string counted(unsigned long long count, std::string_view one, std::string_view many) {
  const std::string text = format_count(count) + " ";
  if (count == 1) return text + std::string(one);
  return text + (many.empty() ? std::string(one) + "s" : std::string(many));
}

std::string format_steady(double value, int digits) {
  std::string text = format_plain(value, digits);
  if (text.find_first_not_of("0123456789.-") != std::string::npos) return text;  // inf, or with an exponent
  const std::size_t first = text.find_first_of("123456789");
  const auto known =
      std::count_if(text.begin() + static_cast<std::ptrdiff_t>(std::min(first, text.size() - 1)), text.end(),
                    [](char c) { return c >= '0' && c <= '9'; });
  if (known >= digits) return text;
  if (text.find('.') == std::string::npos) text += '.';
  return text.append(static_cast<std::size_t>(digits - known), '0');
}

std::string format_time(std::filesystem::file_time_type time) {
  // Not all standard libraries convert between the clocks; whole seconds hide the time between the two
  // readings.
  using std::chrono::system_clock;
  using FileClock = std::filesystem::file_time_type::clock;
  static const auto between = system_clock::now().time_since_epoch() - FileClock::now().time_since_epoch();
  const auto since = std::chrono::round<std::chrono::seconds>(time.time_since_epoch() + between);
  const std::time_t at = system_clock::to_time_t(system_clock::time_point(since));
  std::array<char, 32> text{};
  const std::tm* const local = std::localtime(&at);  // called by one thread only
  if (local == nullptr || std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M", local) == 0) return {};
  return text.data();
}

std::string shown_value(const ParameterSpec& spec, double value) {
  if (spec.kind == ParameterSpec::Kind::choice)
    return std::string(spec.choices[static_cast<std::size_t>(value)]);
  if (spec.kind == ParameterSpec::Kind::boolean) return value != 0 ? "on" : "off";
  const auto with_unit = [](std::string number, std::string_view unit) {
    if (!unit.empty()) number.append(" ").append(unit);
    return number;
  };
  if (spec.kind == ParameterSpec::Kind::integer && std::isfinite(value))
    return with_unit(format_number(value), value == 1 ? singular(spec.unit) : spec.unit);
  if (std::isinf(value)) return "off";
  if (value == 0 && !spec.zero.empty()) return std::string(spec.zero);
  constexpr double kLong = 100;  // [s]
  const ShownUnit unit = spec.unit == "s" && std::abs(value) >= kLong ? ShownUnit{"s"} : shown_unit(spec);
  return with_unit(format_plain(value / unit.size, 4), unit.name);
}

TypedNumber typed_number(const ParameterSpec& spec, std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  if (!spec.zero.empty() && text == spec.zero) return {0, {}};
  if (text == "off" && std::isinf(spec.max)) return {spec.max, {}};
  const ShownUnit shown = shown_unit(spec);
  Quantity read = parse_quantity(text, spec.unit, shown.name);
  const std::string quoted = "'" + printable(text, 40) + "'";
  if (!read.value)
    return {std::nullopt, quoted + " " + (read.refusal.empty() ? "is not a number" : read.refusal) +
                              ". Examples: " + examples(spec) + "."};
  // An expression without a unit is in s, as "1/60", but in per cent where the field is.
  const bool is_bare = !read.has_unit && !parse_number(text);
  if (is_bare && spec.unit == "m/m") *read.value *= shown.size;
  if (is_bare && shown.name == "ms" && *read.value > std::min(spec.max, kLongestBare))
    return {std::nullopt, quoted + " is " + format_plain(*read.value) + " s. For ms, type '(" +
                              printable(text, 40) + ") ms'; for s, add the unit."};
  const auto set_to = [&](double value, const std::string& why) {
    return TypedNumber{value, quoted + " " + why + "; set to " + shown_value(spec, value) + "."};
  };
  const bool negative = spec.most_negative < 0 && *read.value < 0;
  if (*read.value > spec.max) return set_to(spec.max, "is above the largest value");
  if (!negative && *read.value < spec.min) return set_to(spec.min, "is below the smallest value");
  if (negative && !is_valid(spec, *read.value))
    return set_to(std::clamp(*read.value, spec.most_negative, -spec.min), "is out of range");
  if (spec.kind == ParameterSpec::Kind::integer && *read.value != std::round(*read.value))
    return set_to(std::round(*read.value), "is not a whole number");
  return {read.value, {}};
}

std::string typing_help(const ParameterSpec& spec) {
  return "from " + shown_value(spec, spec.min) + " to " + shown_value(spec, spec.max) +
         (spec.most_negative < 0 ? " or down to " + shown_value(spec, spec.most_negative) : "") +
         ", also as " + examples(spec);
}

std::string triangles_text(const MeshFile& mesh) {
  const std::size_t parts = mesh.surface->parts(), closed = mesh.surface->closed_parts();
  std::string text = format_count(mesh.surface->triangles().size()) + " triangles, ";
  if (closed == parts)
    text += "closed";
  else if (closed == 0)
    text += "open: a thin sheet";
  else
    text += format_count(closed) + " of " + format_count(parts) + " parts closed, the others thin sheets";
  return text + (mesh.frames ? ", " + format_count(mesh.frames->count()) + " frames." : ".");
}

}  // namespace clothlab
