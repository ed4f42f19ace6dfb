// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <span>
#include <string_view>

namespace clothlab {

/// Description of a parameter, shared by the command line, scene files, sliders and docs, so that names,
/// ranges and defaults agree.
struct ParameterSpec {
  enum class Kind { real, integer, boolean, choice };

  std::string_view id;         ///< option name without dashes, and key in scene files: "stretch-stiffness"
  std::string_view title;      ///< label in the window: "Stretch stiffness"
  std::string_view unit = {};  ///< SI unit, empty when dimensionless: "N/m"
  Kind kind = Kind::real;
  double min = 0;                              ///< smallest allowed value, inclusive (choice: 0)
  double max = kind == Kind::boolean ? 1 : 0;  ///< largest, inclusive (choice: number of choices − 1)
  double fallback = 0;
  bool logarithmic = false;                        ///< slider scale; with min = 0, zero is the left end
  std::string_view help;                           ///< one or two sentences: tooltip and --help
  std::span<const std::string_view> choices = {};  ///< names of a choice, by index
  std::string_view zero = {};  ///< word that the window shows for 0: "auto"; empty: the number
  double most_negative = 0;    ///< values from it to −min are allowed too; 0: none
};

/// True for a finite value within the row's range and whole if the kind requires it.
inline bool is_valid(const ParameterSpec& spec, double value) {
  const bool negative = spec.most_negative < 0 && value >= spec.most_negative && value <= -spec.min;
  if (!std::isfinite(value) || !(negative || (value >= spec.min && value <= spec.max))) return false;
  return spec.kind == ParameterSpec::Kind::real || value == std::floor(value);
}

}  // namespace clothlab
