// SPDX-License-Identifier: MIT
#include "ui/theme.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "integrate/registry.h"
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
