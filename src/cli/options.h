// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/parameter.h"
#include "core/vec.h"
#include "integrate/registry.h"
#include "sim/scene.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace clothlab {

/// Adds an option whose text goes to `target`, which must outlive the app; the last of several counts.
/// `group`: its heading in --help.
CLI::Option* add_text(CLI::App& app, const char* group, const char* name, std::optional<std::string>& target,
                      const char* type, const std::string& help);

/// Adds the option `--id` of a parameter: its range, unit and default are in the help, its raw text goes to
/// `value`, which must outlive the app.
CLI::Option* add_parameter_option(CLI::App& app, const ParameterSpec& spec,
                                  std::optional<std::string>& value);

// Typed text to values, independent of the locale. Every function throws InputError with one sentence
// that names the option, quotes the text and lists what is allowed.

/// A number (see parse_quantity()), whole number, on/off or choice by name, inside the row's range.
double parse_parameter(const ParameterSpec& spec, std::string_view text);

/// A finite number > 0, in `unit`.
double parse_positive(std::string_view option, std::string_view text, std::string_view unit = {});

/// A whole number within [min, max].
std::int64_t parse_whole(std::string_view option, std::string_view text, std::int64_t min, std::int64_t max);

/// "X,Y,Z" [m/s²], each within ±kMaxGravity.
vec3 parse_gravity(std::string_view text);

/// "20x30": rows and columns, each >= 2.
std::array<int, 2> parse_grid(std::string_view text);

/// "1.5x2": width and depth [m], each > 0.
std::array<double, 2> parse_size(std::string_view text);

/// "64,128": particles along an edge of some sheets; "none" is the empty list.
std::vector<int> parse_sizes(std::string_view option, std::string_view text);

/// "rk4,bdf2": integrators by id, in that order.
std::vector<const IntegratorInfo*> parse_integrators(std::string_view text);

/// A preset's name, or "0,5,17": 0-based `v` indices.
PinSelection parse_pins(std::string_view text);

/// Sets `value` to the whole number of the option, within [min, max], if it is given. Throws InputError.
template <class Whole>
void read_whole(const char* option, const std::optional<std::string>& text, std::int64_t min,
                std::int64_t max, Whole& value) {
  if (text) value = static_cast<Whole>(parse_whole(option, *text, min, max));
}
/// The same of a finite number > 0 in `unit`.
inline void read_positive(const char* option, const std::optional<std::string>& text, const char* unit,
                          double& value) {
  if (text) value = parse_positive(option, *text, unit);
}

}  // namespace clothlab
