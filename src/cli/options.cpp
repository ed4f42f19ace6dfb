// SPDX-License-Identifier: MIT
#include "cli/options.h"

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>

#include "core/error.h"
#include "core/nearest_name.h"
#include "core/quantity.h"
#include "core/text.h"
#include "sim/parameters.h"

namespace clothlab {
namespace {

std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

[[noreturn]] void refuse(std::string_view option, std::string_view text, std::string_view allowed) {
  throw InputError("--" + std::string(option) + ": " + quoted(text) + " is not " + std::string(allowed) +
                   ".");
}

// A number in `unit`; none if the text is not one. Throws for a wrong unit.
std::optional<double> number_in(std::string_view option, std::string_view text, std::string_view unit,
                                const std::string& allowed) {
  Quantity read = parse_quantity(text, unit);
  if (!read.refusal.empty())
    throw InputError("--" + std::string(option) + ": " + quoted(text) + " " + read.refusal + "; it must be " +
                     allowed + ".");
  return read.value;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0;;) {
    const std::size_t end = text.find(separator, begin);
    parts.push_back(text.substr(begin, end - begin));
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}

double parse_choice(const ParameterSpec& spec, std::string_view text) {
  for (std::size_t c = 0; c < spec.choices.size(); ++c)
    if (spec.choices[c] == text) return static_cast<double>(c);
  throw InputError("--" + std::string(spec.id) + ": unknown value " + quoted(text) +
                   suggestion(text, spec.choices) + " Allowed are " + joined(spec.choices) + ".");
}

double parse_switch(const ParameterSpec& spec, std::string_view text) {
  if (text == "on" || text == "true" || text == "1") return 1;
  if (text == "off" || text == "false" || text == "0") return 0;
  refuse(spec.id, text, allowed_values(spec));
}

/// "Stretch spring stiffness. 1e-06 to 1e+09 N/m, default 1000."
std::string help_text(const ParameterSpec& spec) {
  std::string text(spec.help);
  switch (spec.kind) {
    case ParameterSpec::Kind::choice:
      text += " One of " + joined(spec.choices) + ";";
      break;
    case ParameterSpec::Kind::boolean:
      return text + " Default " + parameter_text(spec, spec.fallback) + ".";
    case ParameterSpec::Kind::real:
    case ParameterSpec::Kind::integer: {
      const std::string unit = spec.unit.empty() ? "" : " " + std::string(spec.unit);
      if (std::isinf(spec.max))
        text += " At least " + format_number(spec.min) + unit + ", or off;";
      else
        text += " " + format_number(spec.min) + " to " + format_number(spec.max) + unit + ";";
      break;
    }
  }
  return text + " default " + parameter_text(spec, spec.fallback) + ".";
}

std::string type_name(const ParameterSpec& spec) {
  switch (spec.kind) {
    case ParameterSpec::Kind::choice:
      return "NAME";
    case ParameterSpec::Kind::boolean:
      return "[on|off]";
    case ParameterSpec::Kind::integer:
      return "N";
    case ParameterSpec::Kind::real:
      break;
  }
  return spec.unit.empty() ? "X" : std::string(spec.unit);
}

}  // namespace

CLI::Option* add_text(CLI::App& app, const char* group, const char* name, std::optional<std::string>& target,
                      const char* type, const std::string& help) {
  return app.add_option(name, target, help)->type_name(type)->take_last()->group(group);
}

CLI::Option* add_parameter_option(CLI::App& app, const ParameterSpec& spec,
                                  std::optional<std::string>& value) {
  const std::string name = "--" + std::string(spec.id);
  // A switch that is off by default has no value, which could be mistaken for the file to open.
  if (spec.kind == ParameterSpec::Kind::boolean && spec.fallback == 0)
    return app.add_flag_function(
        name, [&value](std::int64_t set) { value = set > 0 ? "on" : "off"; }, help_text(spec));
  return app.add_option(name, value, help_text(spec))->type_name(type_name(spec))->take_last();
}

double parse_parameter(const ParameterSpec& spec, std::string_view text) {
  switch (spec.kind) {
    case ParameterSpec::Kind::choice:
      return parse_choice(spec, text);
    case ParameterSpec::Kind::boolean:
      return parse_switch(spec, text);
    case ParameterSpec::Kind::real:
    case ParameterSpec::Kind::integer:
      break;
  }
  const bool may_be_off = std::isinf(spec.max);
  if (may_be_off && text == "off") return spec.max;
  const std::string allowed =
      may_be_off ? "a number of at least " + format_number(spec.min) + ", or off" : allowed_values(spec);
  const std::optional<double> value = number_in(spec.id, text, spec.unit, allowed);
  if (!value || !is_valid(spec, *value)) refuse(spec.id, text, allowed);
  return *value;
}

double parse_positive(std::string_view option, std::string_view text, std::string_view unit) {
  const std::string allowed = "a finite number greater than 0";
  const std::optional<double> value = number_in(option, text, unit, allowed);
  if (!value || *value <= 0) refuse(option, text, allowed);
  return *value;
}

std::int64_t parse_whole(std::string_view option, std::string_view text, std::int64_t min, std::int64_t max) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < min || value > max)
    refuse(option, text, "a whole number from " + std::to_string(min) + " to " + std::to_string(max));
  return value;
}

vec3 parse_gravity(std::string_view text) {
  const auto parts = split(text, ',');
  const std::string most = format_number(kMaxGravity);
  const std::string allowed = "three numbers X,Y,Z within -" + most + " to " + most;
  vec3 gravity{0};
  bool good = parts.size() == 3;
  for (int axis = 0; good && axis < 3; ++axis) {
    const std::optional<double> value =
        number_in("gravity", parts[static_cast<std::size_t>(axis)], "m/s²", allowed);
    good = value && std::abs(*value) <= kMaxGravity;
    if (good) gravity[axis] = *value;
  }
  if (!good) refuse("gravity", text, allowed);
  return gravity;
}

std::array<int, 2> parse_grid(std::string_view text) {
  const auto parts = split(text, 'x');
  if (parts.size() != 2) refuse("grid", text, "of the form RxC, such as 32x32");
  constexpr std::int64_t kMost = 5'000'000;
  return {static_cast<int>(parse_whole("grid", parts[0], 2, kMost)),
          static_cast<int>(parse_whole("grid", parts[1], 2, kMost))};
}

std::array<double, 2> parse_size(std::string_view text) {
  const auto parts = split(text, 'x');
  if (parts.size() != 2) refuse("size", text, "of the form WxD in metres, such as 1x1.5");
  return {parse_positive("size", parts[0], "m"), parse_positive("size", parts[1], "m")};
}

std::vector<int> parse_sizes(std::string_view option, std::string_view text) {
  std::vector<int> sizes;
  if (text == "none") return sizes;
  for (const std::string_view size : split(text, ','))
    sizes.push_back(static_cast<int>(parse_whole(option, size, 2, 2048)));
  return sizes;
}

std::vector<const IntegratorInfo*> parse_integrators(std::string_view text) {
  std::vector<const IntegratorInfo*> out;
  for (const std::string_view id : split(text, ',')) out.push_back(&integrator_info(id));
  return out;
}

PinSelection parse_pins(std::string_view text) {
  for (std::size_t p = 0; p < kPinPresetNames.size(); ++p)
    if (kPinPresetNames[p] == text) return static_cast<PinPreset>(p);
  if (text.empty() || text.find_first_not_of("0123456789,") != std::string_view::npos)
    refuse("pin", text, joined(kPinPresetNames) + " or a list of vertex indices such as 0,31");
  std::vector<std::uint32_t> vertices;
  for (const std::string_view part : split(text, ','))
    vertices.push_back(
        static_cast<std::uint32_t>(parse_whole("pin", part, 0, std::numeric_limits<std::uint32_t>::max())));
  return vertices;
}

}  // namespace clothlab
