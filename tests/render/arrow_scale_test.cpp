// SPDX-License-Identifier: MIT
#include "render/scales.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace clothlab {
namespace {

std::vector<vec3> alike(double size) { return std::vector<vec3>(100, vec3(0, size, 0)); }

TEST(ArrowScale, IsRoundAndSuitsTheArrows) {
  ArrowScale scale;
  EXPECT_EQ(scale.metres_per_unit(), 0);
  for (const double size : {3e-6, 0.017, 1.0, 4.9, 5.1, 2e4}) {
    scale = ArrowScale();
    scale.update(alike(size), 1.4, 0);
    EXPECT_DOUBLE_EQ(scale.length(), 0.1);
    double digits = scale.value();
    while (digits < 0.99) digits *= 10;
    while (digits > 9.9) digits /= 10;
    EXPECT_TRUE(std::abs(digits - 1) < 1e-9 || std::abs(digits - 2) < 1e-9 || std::abs(digits - 5) < 1e-9)
        << digits;
    // A tenth of the diagonal, or up to 2.5 times as long by rounding to 1, 2, 5.
    const double share = size * scale.metres_per_unit() / 1.4;
    EXPECT_GE(share, 0.1 - 1e-9);
    EXPECT_LE(share, 0.25 + 1e-9);
  }
}

TEST(ArrowScale, StaysWhileItSuits) {
  ArrowScale scale;
  scale.update(alike(1), 1.4, 0);
  const double first = scale.value();
  scale.update(alike(1.2), 1.4, 0);
  scale.update(alike(0.5), 1.4, 0);
  EXPECT_EQ(scale.value(), first);
  scale.update(alike(10), 1.4, 0);
  EXPECT_GT(scale.value(), first);
}

TEST(ArrowScale, NoiseAndOutliersDoNotCount) {
  ArrowScale rest, noise;
  rest.update(alike(0.01), 1.4, 0.01);
  noise.update(alike(1e-9), 1.4, 0.01);
  EXPECT_EQ(noise.value(), rest.value());
  auto values = alike(0.01);
  values[0] = vec3(1e6, 0, 0);
  values[1] = vec3(std::numeric_limits<double>::quiet_NaN());
  ArrowScale outliers;
  outliers.update(values, 1.4, 0.01);
  EXPECT_EQ(outliers.value(), rest.value());
}

TEST(ArrowScale, LargeClothsGetSomeThousandArrows) {
  EXPECT_EQ(arrow_stride(1), 1u);
  EXPECT_EQ(arrow_stride(2500), 1u);
  EXPECT_EQ(arrow_stride(10000), 4u);
  EXPECT_EQ(arrow_stride(0), 1u);
}

}  // namespace
}  // namespace clothlab
