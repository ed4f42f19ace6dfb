// SPDX-License-Identifier: MIT
#include "core/parameter.h"

#include <cmath>

namespace clothlab {

bool is_valid(const ParameterSpec& spec, double value) {
  if (!std::isfinite(value) || value < spec.min || value > spec.max) return false;
  return spec.kind == ParameterSpec::Kind::real || value == std::floor(value);
}

}  // namespace clothlab
