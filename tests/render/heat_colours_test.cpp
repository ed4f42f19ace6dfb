// SPDX-License-Identifier: MIT
#include "render/scales.h"

#include <gtest/gtest.h>

#include <cmath>
#include <glm/geometric.hpp>
#include <limits>

namespace clothlab {
namespace {

double linear(float srgb) {
  const double c = static_cast<double>(srgb);
  return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
}

// CIE 1976 L*, from the luminance: another measure of lightness than the one the colours were made by.
double lightness(const glm::vec3& c) {
  const double y = 0.2126 * linear(c.x) + 0.7152 * linear(c.y) + 0.0722 * linear(c.z);
  return y > 0.008856 ? 116 * std::cbrt(y) - 16 : 903.3 * y;
}

TEST(HeatColours, AreOnScreenAndGrowLighterEvenly) {
  const auto& colours = heat_colours();
  const double step = (lightness(colours.back()) - lightness(colours.front())) / (kHeatColours - 1);
  EXPECT_GT(lightness(colours.back()) - lightness(colours.front()), 50);
  for (std::size_t i = 0; i < kHeatColours; ++i) {
    for (int k = 0; k < 3; ++k) {
      EXPECT_GE(colours[i][k], -1e-6f);
      EXPECT_LE(colours[i][k], 1 + 1e-6f);
    }
    if (i == 0) continue;
    // Monotone, and even to a factor of two by a measure that is independent of Oklab.
    EXPECT_GT(lightness(colours[i]) - lightness(colours[i - 1]), 0.3 * step) << i;
    EXPECT_LT(lightness(colours[i]) - lightness(colours[i - 1]), 2 * step) << i;
  }
}

TEST(HeatColours, AreInterpolatedAndClamped) {
  EXPECT_EQ(heat_colour(0), heat_colours().front());
  EXPECT_EQ(heat_colour(-3), heat_colours().front());
  EXPECT_EQ(heat_colour(std::numeric_limits<double>::quiet_NaN()), heat_colours().front());
  EXPECT_EQ(heat_colour(1), heat_colours().back());
  EXPECT_EQ(heat_colour(std::numeric_limits<double>::infinity()), heat_colours().back());
  const glm::vec3 middle = 0.5f * (heat_colours()[10] + heat_colours()[11]);
  EXPECT_LT(glm::length(heat_colour(10.5 / 255) - middle), 1e-5f);
}

}  // namespace
}  // namespace clothlab
