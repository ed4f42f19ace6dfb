// SPDX-License-Identifier: MIT
// The parts of all charts: axes, ticks and dashes.

#include "chart/axis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "chart/chart.h"

namespace clothlab {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
// A few roundings of the value.
double rounding(double value) { return 8 * std::numeric_limits<double>::epsilon() * std::abs(value); }

std::vector<double> values(const std::vector<AxisTick>& ticks) {
  std::vector<double> all;
  for (const AxisTick& tick : ticks) all.push_back(tick.value);
  return all;
}

TEST(Axis, PutsValuesInTheirPlaces) {
  const Axis linear({-2, 6}, false);
  EXPECT_EQ(linear.position(-2), 0);
  EXPECT_EQ(linear.position(0), 0.25);
  EXPECT_EQ(linear.value(1), 6);
  const Axis logarithmic({1e-4, 1}, true);
  EXPECT_NEAR(logarithmic.position(1e-3), 0.25, rounding(1));
  EXPECT_NEAR(logarithmic.value(0.5), 1e-2, 10 * rounding(1e-2));
  EXPECT_FALSE(Axis::has(0, true));
  EXPECT_FALSE(Axis::has(-1, true));
  EXPECT_FALSE(Axis::has(kNan, false));
  EXPECT_FALSE(Axis::has(kInfinity, false));
  EXPECT_TRUE(Axis::has(-1, false));
}

TEST(Axis, HasRoundTicks) {
  EXPECT_THAT(values(Axis({0, 10}, false).ticks(5)), ElementsAre(0, 2, 4, 6, 8, 10));
  EXPECT_THAT(values(Axis({-1.2, 1.1}, false).ticks(5)), ElementsAre(-1, -0.5, 0, 0.5, 1));
  EXPECT_THAT(values(Axis({1e-6, 1}, true).ticks(3)), ElementsAre(1e-6, 1e-4, 1e-2, 1));
  // Less than a decade is divided like a linear axis.
  EXPECT_THAT(values(Axis({2, 9}, true).ticks(4)), ElementsAre(2, 4, 6, 8));
  EXPECT_THAT(values(Axis({0.2, 4}, true).ticks(4)), ElementsAre(0.2, 0.5, 1, 2)) << "1 alone is no scale";
  EXPECT_EQ(Axis({0, 10}, false).ticks(5, "J")[1].label, "2 J");
  EXPECT_THAT(values(Axis({0, 3}, false).ticks(9, {}, 1)), ElementsAre(0, 1, 2, 3)) << "of a count";
  EXPECT_THAT(values(Axis({-0.3, 48}, false).ticks(2)), ElementsAre(0, 20, 40)) << "0 alone is no scale";
  // On any range, however narrow, the labels differ, and there are some but not too many.
  for (double span = 1; span > 1e-9; span /= 3) {
    const auto ticks = Axis({12.34, 12.34 + span}, false).ticks(4);
    std::set<std::string> labels;
    for (const AxisTick& tick : ticks) labels.insert(tick.label);
    EXPECT_EQ(labels.size(), ticks.size()) << span;
    EXPECT_GE(ticks.size(), 1u) << span;
    EXPECT_LE(ticks.size(), 5u) << span;
  }
}

TEST(Axis, ZoomsAboutAPointAndPans) {
  const Axis axis({10, 20}, false);
  const AxisRange closer = axis.zoomed(0.3, 0.5);
  EXPECT_NEAR(Axis(closer, false).position(13), 0.3, rounding(10));
  EXPECT_NEAR(closer.high - closer.low, 5, rounding(20));
  EXPECT_EQ(axis.panned(0.5), (AxisRange{15, 25}));
  EXPECT_EQ(axis.stretch(0.8, 0.2), (AxisRange{12, 18})) << "in any order";
  const Axis decades({1, 100}, true);
  const AxisRange wider = decades.zoomed(0.5, 2);
  EXPECT_NEAR(wider.low, 0.1, 10 * rounding(0.1));
  EXPECT_NEAR(wider.high, 1000, 10 * rounding(1000));
}

TEST(Axis, StaysARangeHoweverFarItIsZoomed) {
  for (const bool logarithmic : {false, true}) {
    for (const double factor : {0.01, 100.0}) {
      AxisRange range{1, 10};
      for (int i = 0; i < 500; ++i) range = Axis(range, logarithmic).zoomed(0.4, factor);
      EXPECT_TRUE(std::isfinite(range.low) && std::isfinite(range.high));
      EXPECT_LT(range.low, range.high);
      if (logarithmic) {
        EXPECT_GT(range.low, 0);
      }
      EXPECT_FALSE(Axis(range, logarithmic).ticks(5).empty());
    }
  }
}

AxisRange fitted(std::initializer_list<double> data, bool logarithmic, bool from_zero = false) {
  AxisFit fit(logarithmic);
  for (const double y : data) fit.include(y);
  return fit.range(from_zero);
}

TEST(AxisFit, HoldsWhatCanBeDrawnAndIsNeverEmpty) {
  const AxisRange some = fitted({1, kNan, 3, -kInfinity}, false);
  EXPECT_LT(some.low, 1);
  EXPECT_GT(some.low, 0.5);
  EXPECT_GT(some.high, 3);
  EXPECT_EQ(fitted({2, 8}, false, true).low, 0);
  EXPECT_EQ(fitted({}, false), (AxisRange{0, 1}));
  EXPECT_EQ(fitted({0, -3, kNan}, true), (AxisRange{0.1, 10})) << "nothing has a logarithm";
  EXPECT_EQ(fitted({0, 3e-5, 0.2}, true), (AxisRange{1e-5, 1})) << "whole decades";
  for (const double constant : {0.0, 1e-12, 5.0, -7.0, 1e200}) {
    for (const bool from_zero : {false, true}) {
      const AxisRange range = fitted({constant, constant}, false, from_zero);
      EXPECT_LT(range.low, range.high) << constant;
      EXPECT_LE(range.low, constant);
      EXPECT_GE(range.high, constant);
    }
  }
}

TEST(Axis, MarksTheDigitsOfARoomyDecade) {
  EXPECT_THAT(Axis({1, 100}, true).minor_ticks(300).size(), 19);  // 1 2 … 9 10 20 … 90 100
  EXPECT_THAT(Axis({1, 1000}, true).minor_ticks(60), ElementsAre(1, 10, 100, 1000));
  EXPECT_TRUE(Axis({0, 10}, false).minor_ticks(300).empty());
}

TEST(Dash, GoesOnAroundCornersAndOverWhatIsOutOfSight) {
  // A line of 8 along x and 4 down: dashes of 3 with gaps of 2 begin at 0, 5 and 10.
  const std::vector<ChartPoint> way{{0, 0}, {8, 0}, {8, 4}};
  const auto dashes = [&](const ChartBox& box) {
    std::vector<double> ends;
    for_dashes(way, {3, 2}, box, [&](ChartPoint a, ChartPoint b) {
      ends.push_back(a.x + a.y);
      ends.push_back(b.x + b.y);
    });
    return ends;
  };
  EXPECT_THAT(dashes({-1, -1, 20, 20}), ElementsAre(0, 3, 5, 8, 10, 12));
  EXPECT_THAT(dashes({6, -1, 20, 1}), ElementsAre(6, 8)) << "the part in sight of the same dashes";
}

TEST(Chart, DrawsItsLegendInsteadOfTheCurvesLabels) {
  Chart chart{.title = "t", .panels = {{.x = {.title = "x"}, .y = {.title = "y"}}}};
  const Rgb red{255, 0, 0}, green{0, 255, 0};
  chart.panels[0].curves = {{.label = "a", .colour = red, .x = {0, 1, 2}, .y = {0, kNan, 2}}};
  const auto counts = [&](const Rgb& colour) {
    const Image image = draw_chart(chart);
    int count = 0;
    for (std::size_t i = 0; i < image.rgba.size(); i += 4)
      count += image.rgba[i] == colour[0] && image.rgba[i + 1] == colour[1] && image.rgba[i + 2] == colour[2];
    return count;
  };
  EXPECT_GT(counts(red), 20) << "the sample in the legend; no two points of the curve are joined";
  chart.legend = {{"b", green}};
  EXPECT_EQ(counts(red), 0);
  EXPECT_GT(counts(green), 20);
}

TEST(Chart, FillsBandsWithinThePanel) {
  Chart chart{.title = "t", .panels = {{.x = {.title = "x"}, .y = {.title = "y"}}}};
  const Rgb red{255, 0, 0};
  chart.panels[0].x.range = chart.panels[0].y.range = AxisRange{0, 4};
  const auto filled = [&](std::vector<double> low, std::vector<double> high) {
    chart.panels[0].bands = {{red, {0, 2, 4}, std::move(low), std::move(high)}};
    const Image image = draw_chart(chart);
    int count = 0;
    for (std::size_t i = 0; i < image.rgba.size(); i += 4)
      count += image.rgba[i] == 255 && image.rgba[i + 1] == 0 && image.rgba[i + 2] == 0;
    return count;
  };
  const int all = filled({0, 0, 0}, {4, 4, 4});
  EXPECT_NEAR(filled({0, 0, 0}, {2, 2, 2}), all / 2, all / 100);
  EXPECT_NEAR(filled({0, kNan, 0}, {2, 2, 2}), all / 4, all / 100);
  EXPECT_EQ(filled({-9, -9, -9}, {9, 9, 9}), all) << "nothing beyond the frame";
}

TEST(Chart, DrawsDotsInRowsWithNames) {
  Chart chart{.title = "t", .panels = {{.x = {.title = "x"}, .y = {.title = "y", .names = {"a", "b", "c"}}}}};
  const Rgb red{255, 0, 0};
  chart.panels[0].curves = {{.colour = red, .markers = true, .line = false, .x = {0, 1}, .y = {0, 2}}};
  const Image image = draw_chart(chart);
  std::set<int> rows;
  for (std::size_t i = 0; i < image.rgba.size() / 4; ++i)
    if (image.rgba[4 * i] == 255 && image.rgba[4 * i + 1] == 0)
      rows.insert(static_cast<int>(i) / image.width);
  ASSERT_FALSE(rows.empty());
  EXPECT_LT(rows.size(), 16u) << "two dots of six pixels, nothing between them";
  EXPECT_GT(*rows.rbegin() - *rows.begin(), 40) << "two rows apart";
}

/// How often a text occurs.
int count_of(const std::string& text, const std::string& part) {
  int count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(Chart, WritesTheSamePictureAsSvg) {
  Chart chart{.title = "a < b & c", .panels = {{.x = {.title = "x"}, .y = {.title = "y"}}}};
  chart.panels[0].x.range = chart.panels[0].y.range = AxisRange{0, 4};
  chart.panels[0].curves = {
      {.label = "whole", .colour = {1, 2, 255}, .x = {0, 1, 2, 3}, .y = {0, 1, kNan, 2}},
      {.label = "dashed", .colour = {0, 255, 0}, .dash = kChartDash, .x = {0, 4}, .y = {0, 4}},
      {.label = "dots", .colour = {255, 0, 0}, .markers = true, .line = false, .x = {1, 9}, .y = {1, 1}}};
  const std::string svg = svg_of(chart);
  const Image image = draw_chart(chart);
  EXPECT_THAT(svg, HasSubstr("width=\"" + std::to_string(image.width) + "\" height=\"" +
                             std::to_string(image.height) + "\""));
  EXPECT_THAT(svg, HasSubstr(">a &lt; b &amp; c</text>"));
  // The curve up to its gap, which leaves one point, and its sample in the legend.
  EXPECT_EQ(count_of(svg, "stroke=\"#0102ff\""), 2);
  // From corner to corner of the field, which is 734 pixels wide.
  EXPECT_THAT(svg, HasSubstr("<path d=\"M76 420L810 90\" fill=\"none\" stroke=\"#00ff00\""));
  EXPECT_EQ(count_of(svg, "stroke-dasharray=\"9 6\""), 2);
  EXPECT_EQ(count_of(svg, "stroke=\"#ff0000\""), 2) << "the dot outside is not drawn";
}

}  // namespace
}  // namespace clothlab
