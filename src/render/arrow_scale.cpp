// SPDX-License-Identifier: MIT
#include "render/arrow_scale.h"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <vector>

#include "core/quantile.h"

namespace clothlab {
namespace {

constexpr std::size_t kMostArrows = 2500;
// Of the diagonal: largest length of nearly all arrows, and its hysteresis.
constexpr double kWanted = 0.1;
constexpr double kTooShort = 0.03;
constexpr double kTooLong = 0.2;

// The largest of 1, 2, 5, 10 … at most `x`, up to rounding.
double round_number(double x) {
  const double decade = std::pow(10, std::floor(std::log10(x) + 1e-9));
  for (const double step : {5.0, 2.0}) {
    if (x >= step * decade * (1 - 1e-9)) return step * decade;
  }
  return decade;
}

}  // namespace

void ArrowScale::update(std::span<const vec3> values, double diagonal, double least) {
  if (!(diagonal > 0) || !std::isfinite(diagonal)) return;
  length_ = std::pow(10, std::round(std::log10(0.07 * diagonal)));
  const std::size_t stride = arrow_stride(values.size());
  std::vector<double> sizes;
  for (std::size_t i = 0; i < values.size(); i += stride) {
    const double size = glm::length(values[i]);
    if (std::isfinite(size)) sizes.push_back(size);
  }
  const double most = std::max(quantile(std::move(sizes), 0.95), least);
  const double share = most * metres_per_unit() / diagonal;
  if (share >= kTooShort && share <= kTooLong) return;
  value_ = round_number(most * length_ / (kWanted * diagonal));
}

std::size_t arrow_stride(std::size_t particles) {
  return std::max<std::size_t>(1, (particles + kMostArrows - 1) / kMostArrows);
}

}  // namespace clothlab
