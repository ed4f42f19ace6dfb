// SPDX-License-Identifier: MIT
#include "render/scales.h"

#include <algorithm>
#include <cmath>
#include <glm/common.hpp>
#include <glm/geometric.hpp>
#include <glm/gtc/constants.hpp>
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
  for (const double step : {5.0, 2.0})
    if (x >= step * decade * (1 - 1e-9)) return step * decade;
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

namespace {

constexpr double kDarkest = 0.46;
constexpr double kLightest = 0.94;
constexpr double kFirstHue = 272;  // blue [degrees]
constexpr double kLastHue = 466;   // yellow, through red
constexpr double kChroma = 0.19;

// Oklab to linear sRGB: Ottosson's matrices.
vec3 linear_srgb(double lightness, double chroma, double hue) {
  const double a = chroma * std::cos(hue);
  const double b = chroma * std::sin(hue);
  const double l = std::pow(lightness + 0.3963377774 * a + 0.2158037573 * b, 3);
  const double m = std::pow(lightness - 0.1055613458 * a - 0.0638541728 * b, 3);
  const double s = std::pow(lightness - 0.0894841775 * a - 1.2914855480 * b, 3);
  return {4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
          -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
          -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s};
}

bool in_gamut(const vec3& c) { return std::min({c.x, c.y, c.z}) >= 0 && std::max({c.x, c.y, c.z}) <= 1; }

double srgb(double linear) {
  return linear <= 0.0031308 ? 12.92 * linear : 1.055 * std::pow(linear, 1 / 2.4) - 0.055;
}

glm::vec3 colour_at(double t) {
  const double lightness = kDarkest + t * (kLightest - kDarkest);
  const double hue = (kFirstHue + t * (kLastHue - kFirstHue)) * glm::pi<double>() / 180;
  // The largest chroma, up to the wanted one, within sRGB at this lightness and hue.
  double shown = 0;
  double too_much = kChroma;
  if (in_gamut(linear_srgb(lightness, too_much, hue))) shown = too_much;
  while (too_much - shown > 1e-6) {
    const double middle = (shown + too_much) / 2;
    (in_gamut(linear_srgb(lightness, middle, hue)) ? shown : too_much) = middle;
  }
  const vec3 linear = linear_srgb(lightness, shown, hue);
  return {static_cast<float>(srgb(linear.x)), static_cast<float>(srgb(linear.y)),
          static_cast<float>(srgb(linear.z))};
}

}  // namespace

const std::array<glm::vec3, kHeatColours>& heat_colours() {
  static const std::array<glm::vec3, kHeatColours> colours = [] {
    std::array<glm::vec3, kHeatColours> made;
    for (std::size_t i = 0; i < kHeatColours; ++i)
      made[i] = colour_at(static_cast<double>(i) / static_cast<double>(kHeatColours - 1));
    return made;
  }();
  return colours;
}

glm::vec3 heat_colour(double t) {
  if (!(t > 0)) return heat_colours().front();
  if (t >= 1) return heat_colours().back();
  const double at = t * static_cast<double>(kHeatColours - 1);
  const auto below = static_cast<std::size_t>(at);
  return glm::mix(heat_colours()[below], heat_colours()[below + 1],
                  static_cast<float>(at - static_cast<double>(below)));
}

}  // namespace clothlab
