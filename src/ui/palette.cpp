// SPDX-License-Identifier: MIT
#include "ui/palette.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "integrate/registry.h"

namespace clothlab {
namespace {

constexpr Palette kDark{
    .panel = IM_COL32(27, 31, 37, 255),
    .overlay = IM_COL32(22, 25, 30, 236),
    .popup = IM_COL32(33, 38, 45, 255),
    .field = IM_COL32(43, 49, 58, 255),
    .field_hovered = IM_COL32(54, 62, 73, 255),
    .field_active = IM_COL32(60, 70, 83, 255),
    .button = IM_COL32(52, 60, 71, 255),
    .button_hovered = IM_COL32(66, 78, 94, 255),
    .button_active = IM_COL32(56, 102, 143, 255),
    .tab = IM_COL32(36, 41, 49, 255),
    .chosen = IM_COL32(48, 74, 98, 255),
    .chosen_hovered = IM_COL32(56, 86, 114, 255),
    .chosen_active = IM_COL32(62, 100, 136, 255),
    .line = IM_COL32(60, 68, 80, 255),
    .text = IM_COL32(226, 230, 236, 255),
    .muted = IM_COL32(150, 159, 172, 255),
    .accent = IM_COL32(86, 156, 214, 255),
    .accent_strong = IM_COL32(140, 198, 244, 255),
    .good = IM_COL32(64, 190, 150, 255),
    .careful = IM_COL32(240, 180, 60, 255),
    .failed = IM_COL32(240, 112, 72, 255),
    .total = IM_COL32(236, 239, 244, 255),
    .kinetic = IM_COL32(86, 180, 233, 255),
    .stretch = IM_COL32(230, 159, 0, 255),
    .bend = IM_COL32(214, 138, 180, 255),
    .gravity = IM_COL32(0, 178, 135, 255),
};

constexpr Palette kLight{
    .panel = IM_COL32(244, 245, 247, 255),
    .overlay = IM_COL32(255, 255, 255, 235),
    .popup = IM_COL32(255, 255, 255, 255),
    .field = IM_COL32(226, 230, 235, 255),
    .field_hovered = IM_COL32(215, 221, 228, 255),
    .field_active = IM_COL32(206, 214, 223, 255),
    .button = IM_COL32(219, 224, 231, 255),
    .button_hovered = IM_COL32(204, 212, 222, 255),
    .button_active = IM_COL32(164, 197, 226, 255),
    .tab = IM_COL32(231, 234, 239, 255),
    .chosen = IM_COL32(191, 214, 235, 255),
    .chosen_hovered = IM_COL32(176, 204, 230, 255),
    .chosen_active = IM_COL32(160, 194, 224, 255),
    .line = IM_COL32(200, 206, 214, 255),
    .text = IM_COL32(28, 33, 40, 255),
    .muted = IM_COL32(84, 93, 105, 255),
    .accent = IM_COL32(20, 100, 170, 255),
    .accent_strong = IM_COL32(10, 72, 130, 255),
    .good = IM_COL32(0, 108, 78, 255),
    .careful = IM_COL32(138, 84, 0, 255),
    .failed = IM_COL32(184, 48, 16, 255),
    .total = IM_COL32(30, 34, 40, 255),
    .kinetic = IM_COL32(0, 102, 166, 255),
    .stretch = IM_COL32(160, 92, 0, 255),
    .bend = IM_COL32(156, 58, 116, 255),
    .gravity = IM_COL32(0, 118, 88, 255),
};

const Palette* g_palette = &kDark;

double luminance(ImU32 colour) {
  const auto linear = [&](int shift) {
    const double c = static_cast<double>((colour >> shift) & 0xFF) / 255;
    return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * linear(IM_COL32_R_SHIFT) + 0.7152 * linear(IM_COL32_G_SHIFT) +
         0.0722 * linear(IM_COL32_B_SHIFT);
}

ImU32 mixed(ImU32 a, ImU32 b, float share_of_b) {
  const ImVec4 x = ImGui::ColorConvertU32ToFloat4(a), y = ImGui::ColorConvertU32ToFloat4(b);
  const auto mix = [&](float from, float to) { return from + (to - from) * share_of_b; };
  return ImGui::ColorConvertFloat4ToU32({mix(x.x, y.x), mix(x.y, y.y), mix(x.z, y.z), 1});
}

}  // namespace

const Palette& palette_of(Theme theme) { return theme == Theme::light ? kLight : kDark; }

const Palette& palette() { return *g_palette; }

void use_palette(Theme theme) { g_palette = &palette_of(theme); }

ImU32 with_alpha(ImU32 colour, float alpha) {
  const auto a = static_cast<ImU32>(std::lround(alpha * 255.0F));
  return (colour & ~IM_COL32_A_MASK) | (a << IM_COL32_A_SHIFT);
}

ImU32 rgb(const Rgb& colour) { return IM_COL32(colour[0], colour[1], colour[2], 255); }

Rgb rgb_of(ImU32 colour) {
  const auto channel = [&](int shift) { return static_cast<std::uint8_t>((colour >> shift) & 0xFF); };
  return {channel(IM_COL32_R_SHIFT), channel(IM_COL32_G_SHIFT), channel(IM_COL32_B_SHIFT)};
}

ImU32 rgb(const glm::vec3& colour) {
  return ImGui::ColorConvertFloat4ToU32(ImVec4(colour.r, colour.g, colour.b, 1));
}

double contrast(ImU32 a, ImU32 b) {
  const auto [dark, bright] = std::minmax({luminance(a), luminance(b)});
  return (bright + 0.05) / (dark + 0.05);
}

ImU32 readable_on(ImU32 background) {
  return contrast(IM_COL32_BLACK, background) > contrast(IM_COL32_WHITE, background) ? IM_COL32_BLACK
                                                                                     : IM_COL32_WHITE;
}

ImU32 integrator_colour(std::size_t row) {
  // The set of [Okabe 2008] without black, which is invisible on the dark background.
  constexpr std::array<ImU32, 7> kColours = {IM_COL32(213, 94, 0, 255),  IM_COL32(240, 228, 66, 255),
                                             IM_COL32(0, 158, 115, 255), IM_COL32(86, 180, 233, 255),
                                             IM_COL32(230, 159, 0, 255), IM_COL32(204, 121, 167, 255),
                                             IM_COL32(0, 114, 178, 255)};
  constexpr std::array kTowardsText{0.0F, 0.45F, 0.7F, 0.25F};
  // Each family has its own part of the 28, so that a new method changes no other colour. A family that needs
  // more goes on in the next one's, whose marks have another shape.
  constexpr std::array<std::size_t, 5> kFirst{0, 6, 10, 20, 24};
  const IntegratorFamily family = integrators()[row].family;
  const auto before =
      static_cast<std::size_t>(std::ranges::count(integrators().first(row), family, &IntegratorInfo::family));
  const std::size_t place = kFirst.at(static_cast<std::size_t>(family)) + before;
  const std::size_t round = place / kColours.size() % kTowardsText.size();
  const ImU32 base = kColours[place % kColours.size()];
  float share = 0;
  while (share < 1 && contrast(mixed(base, palette().text, share), palette().panel) < 3) share += 0.05F;
  return mixed(mixed(base, palette().text, share), palette().text, kTowardsText[round]);
}

}  // namespace clothlab
