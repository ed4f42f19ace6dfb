// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/parse_value.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace clothlab {

/// Adds an option whose text goes to `target`, which must outlive the app; the last of several counts.
/// `group`: its heading in --help.
CLI::Option* add_text(CLI::App& app, const char* group, const char* name, std::optional<std::string>& target,
                      const char* type, const std::string& help);

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
