// SPDX-License-Identifier: MIT
#include "ui/theme.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <glm/geometric.hpp>
#include <glm/mat3x3.hpp>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "integrate/registry.h"
#include "ui/lanes.h"
#include "ui/widgets/widgets.h"

namespace clothlab {
namespace {

// Least contrasts of WCAG 2.1, level AA: of text (1.4.3), and of what is drawn (1.4.11).
constexpr double kText = 4.5;
constexpr double kDrawn = 3;

// `colour` with its opacity, over an opaque background.
ImU32 over(ImU32 colour, ImU32 background) {
  const ImVec4 c = ImGui::ColorConvertU32ToFloat4(colour), g = ImGui::ColorConvertU32ToFloat4(background);
  const auto mix = [&](float on, float below) { return on * c.w + below * (1 - c.w); };
  return ImGui::ColorConvertFloat4ToU32({mix(c.x, g.x), mix(c.y, g.y), mix(c.z, g.z), 1});
}

TEST(Palette, ContrastIsThatOfTheGuidelines) {
  EXPECT_DOUBLE_EQ(contrast(IM_COL32_WHITE, IM_COL32_BLACK), 21);
  EXPECT_DOUBLE_EQ(contrast(IM_COL32_BLACK, IM_COL32_WHITE), 21);
  // The greys that the guidelines' readers know as the first ones that pass and fail on white.
  EXPECT_GE(contrast(IM_COL32(118, 118, 118, 255), IM_COL32_WHITE), kText);
  EXPECT_LT(contrast(IM_COL32(119, 119, 119, 255), IM_COL32_WHITE), kText);
}

// Colours as people with a colour blindness see them: in linear RGB by the matrices of [Machado 2009, Table
// 1], for a severity of 1.
struct Vision {
  const char* name;
  glm::dmat3 rows;  // one per column, so v * rows
};
const std::array kVisions{
    Vision{"usual", glm::dmat3(1)},
    Vision{"protanopia",
           {0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998}},
    Vision{"deuteranopia",
           {0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.011820, 0.042940, 0.968881}},
    Vision{"tritanopia",
           {1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.303900}},
};

// CIELAB (D65) of an opaque colour in sRGB.
glm::dvec3 lab(ImU32 colour, const Vision& vision) {
  const ImVec4 srgb = ImGui::ColorConvertU32ToFloat4(colour);
  glm::dvec3 linear(srgb.x, srgb.y, srgb.z);
  for (int i = 0; i < 3; ++i)
    linear[i] = linear[i] <= 0.04045 ? linear[i] / 12.92 : std::pow((linear[i] + 0.055) / 1.055, 2.4);
  linear = glm::clamp(linear * vision.rows, 0.0, 1.0);
  const glm::dmat3 to_xyz{0.4124564, 0.3575761, 0.1804375, 0.2126729, 0.7151522,
                          0.0721750, 0.0193339, 0.1191920, 0.9503041};
  glm::dvec3 xyz = linear * to_xyz / glm::dvec3(0.95047, 1, 1.08883);
  for (int i = 0; i < 3; ++i)
    xyz[i] = xyz[i] > 216.0 / 24389 ? std::cbrt(xyz[i]) : (24389.0 / 27 * xyz[i] + 16) / 116;
  return {116 * xyz.y - 16, 500 * (xyz.x - xyz.y), 200 * (xyz.y - xyz.z)};
}

// About five times the smallest difference that is seen side by side.
constexpr double kToldApart = 12;
constexpr double kCurvesToldApart = 10;  // each is also named next to its end or in the legend

void expect_told_apart(const std::vector<std::pair<std::string, ImU32>>& colours, double least) {
  for (const Vision& vision : kVisions)
    for (std::size_t i = 0; i < colours.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        EXPECT_GE(glm::distance(lab(colours[i].second, vision), lab(colours[j].second, vision)), least)
            << colours[i].first << " and " << colours[j].first << ", " << vision.name;
}

TEST(Palette, SimulatesColourBlindness) {
  for (const Vision& vision : kVisions) {
    const glm::dvec3 white = lab(IM_COL32_WHITE, vision);
    EXPECT_NEAR(white.x, 100, 0.01) << vision.name;
    EXPECT_NEAR(glm::length(glm::dvec2(white.y, white.z)), 0, 0.05) << vision.name;
  }
  // Red and green of the same lightness: alike for those who lack a cone for either.
  const ImU32 red = IM_COL32(200, 80, 60, 255), green = IM_COL32(115, 128, 40, 255);
  const auto apart = [&](int i) {
    const Vision& vision = kVisions.at(static_cast<std::size_t>(i));
    return glm::distance(lab(red, vision), lab(green, vision));
  };
  EXPECT_GT(apart(0), 50);
  EXPECT_LT(apart(2), apart(0) / 2);
  EXPECT_GT(apart(3), apart(2));
}

class Themes : public ::testing::TestWithParam<Theme> {};

TEST_P(Themes, WhatIsWrittenCanBeRead) {
  const Palette& p = palette_of(GetParam());
  const struct {
    const char* name;
    ImU32 colour;
  } words[] = {{"text", p.text}, {"muted", p.muted},     {"accent", p.accent},
               {"good", p.good}, {"careful", p.careful}, {"failed", p.failed}};
  for (const auto& word : words) {
    EXPECT_GE(contrast(word.colour, p.panel), kText) << word.name << " on the panel";
    EXPECT_GE(contrast(word.colour, p.popup), kText) << word.name << " on a popup";
    // Whatever the view shows behind a card.
    EXPECT_GE(contrast(word.colour, over(p.overlay, IM_COL32_BLACK)), kText) << word.name << " on a card";
    EXPECT_GE(contrast(word.colour, over(p.overlay, IM_COL32_WHITE)), kText) << word.name << " on a card";
  }
  for (const ImU32 background :
       {p.field, p.field_hovered, p.field_active, p.button, p.button_hovered, p.button_active, p.tab,
        p.chosen, p.chosen_hovered, p.chosen_active, over(with_alpha(p.accent, 0.55F), p.panel)}) {
    EXPECT_GE(contrast(p.text, background), kText);
  }
}

TEST_P(Themes, WhatIsDrawnCanBeSeen) {
  const Palette& p = palette_of(GetParam());
  for (const ImU32 curve : {p.total, p.kinetic, p.stretch, p.bend, p.gravity})
    EXPECT_GE(contrast(curve, p.panel), kDrawn);
  use_palette(GetParam());
  for (std::size_t row = 0; row < integrators().size(); ++row) {
    EXPECT_GE(contrast(integrator_colour(row), p.panel), kDrawn) << integrators()[row].id;
    for (std::size_t other = 0; other < row; ++other)
      EXPECT_NE(integrator_colour(row), integrator_colour(other)) << integrators()[row].id;
  }
  use_palette(Theme::dark);
}

TEST_P(Themes, StatesLanesAndCurvesAreToldApartWithEveryColourBlindness) {
  const Palette& p = palette_of(GetParam());
  expect_told_apart({{"text", p.text},
                     {"accent", p.accent},
                     {"good", p.good},
                     {"careful", p.careful},
                     {"failed", p.failed}},
                    kToldApart);
  expect_told_apart({{"total", p.total},
                     {"kinetic", p.kinetic},
                     {"stretch", p.stretch},
                     {"bend", p.bend},
                     {"gravity", p.gravity}},
                    kCurvesToldApart);
  use_palette(GetParam());
  std::vector<std::pair<std::string, ImU32>> lanes;
  for (LaneId lane = 0; lane < kMostLanes; ++lane)
    lanes.emplace_back(std::string(1, lane_letter(lane)), lane_colour(lane));
  expect_told_apart(lanes, kToldApart);
  use_palette(Theme::dark);
}

TEST_P(Themes, MethodsAreToldApartByFamilyLettersAndColour) {
  use_palette(GetParam());
  std::set<std::string_view> letters;
  std::set<std::pair<IntegratorFamily, ImU32>> looks;
  for (std::size_t row = 0; row < integrators().size(); ++row) {
    const IntegratorInfo& info = integrators()[row];
    EXPECT_EQ(info.letters.size(), 2U) << info.id;
    EXPECT_TRUE(std::ranges::all_of(info.letters, [](char c) {
      return ('A' <= c && c <= 'Z') || ('0' <= c && c <= '9');
    })) << info.id;
    EXPECT_TRUE(letters.insert(info.letters).second) << info.id;
    EXPECT_GE(contrast(readable_on(integrator_colour(row)), integrator_colour(row)), kText) << info.id;
    EXPECT_TRUE(looks.insert({info.family, integrator_colour(row)}).second) << info.id;
  }
  use_palette(Theme::dark);
}

TEST(MethodList, GoesThroughAllMethodsFamilyByFamily) {
  std::size_t row = 0;
  std::vector<IntegratorFamily> families;
  for (std::size_t i = 0; i < integrators().size(); ++i, row = method_after(row, 1)) {
    EXPECT_EQ(row, methods_by_family()[i]);
    EXPECT_EQ(method_after(method_after(row, 1), -1), row);
    if (families.empty() || families.back() != integrators()[row].family)
      families.push_back(integrators()[row].family);
  }
  EXPECT_EQ(row, 0U);
  EXPECT_EQ(families.size(), std::set(families.begin(), families.end()).size());
}

INSTANTIATE_TEST_SUITE_P(Both, Themes, ::testing::Values(Theme::dark, Theme::light));

}  // namespace
}  // namespace clothlab
