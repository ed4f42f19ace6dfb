// SPDX-License-Identifier: MIT
#include "ui/theme.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

#include "chart/font.h"
#include "core/text.h"
#include "integrate/registry.h"

namespace clothlab {
namespace {

constexpr float kBodySize = 14;
constexpr float kSmallSize = 12;
constexpr float kHeadingSize = 17;

float g_scale = 1;
Fonts g_fonts;

// Characters of the program's texts (Latin, Greek, punctuation, super- and subscripts, arrows, mathematical
// operators, signs of buttons) and of names of files, folders and scenes (accented Latin, Cyrillic), and the
// replacement character.
constexpr std::array<ImWchar, 25> kGlyphs = {
    0x0020, 0x024F, 0x0370, 0x052F, 0x1D40, 0x1D40, 0x1E00, 0x1EFF, 0x2010, 0x2040, 0x2070, 0x209C, 0x2150,
    0x215F, 0x2190, 0x21FF, 0x2200, 0x22FF, 0x2500, 0x25FF, 0x2713, 0x2717, 0xFFFD, 0xFFFD, 0};

bool has_glyph(ImWchar code) {
#if IMGUI_VERSION_NUM >= 19200
  return g_fonts.body->IsGlyphInFont(code);
#else
  return g_fonts.body->FindGlyphNoFallback(code) != nullptr;
#endif
}

constexpr char32_t kBox = 0x25A1;  // for characters that the font lacks

bool is_control(char32_t code) {
  return (code < 0x20 && code != '\n' && code != '\t') || (code >= 0x7F && code < 0xA0);
}

void load_fonts(float scale, float density) {
  ImGuiIO& io = ImGui::GetIO();
  io.Fonts->Clear();
  const std::string file = find_font_file().string();
  const auto load = [&](float size) {
    // Rasterised for the framebuffer's pixels, shown at the window's size.
    const float pixels = size * scale * density;
    if (!file.empty())
      if (ImFont* font = io.Fonts->AddFontFromFileTTF(file.c_str(), pixels, nullptr, kGlyphs.data()))
        return font;
    ImFontConfig built_in;
    built_in.SizePixels = pixels;
    return io.Fonts->AddFontDefault(&built_in);
  };
  g_fonts.body = load(kBodySize);
  g_fonts.small = load(kSmallSize);
  g_fonts.heading = load(kHeadingSize);
  io.FontGlobalScale = 1 / density;
  io.Fonts->Build();
}

struct ThemeColour {
  ImU32 Palette::*of;
  ImU32 dark, light;                           // 0xRRGGBB
  std::initializer_list<ImGuiCol> parts = {};  // of Dear ImGui's controls that have it
};
constexpr std::array<ThemeColour, 26> kThemeColours{{
    {&Palette::panel, 0x1B1F25, 0xF4F5F7, {ImGuiCol_WindowBg}},
    {&Palette::overlay, 0x16191E, 0xFFFFFF},
    {&Palette::popup, 0x21262D, 0xFFFFFF, {ImGuiCol_PopupBg}},
    {&Palette::field, 0x2B313A, 0xE2E6EB, {ImGuiCol_FrameBg}},
    {&Palette::field_hovered, 0x363E49, 0xD7DDE4, {ImGuiCol_FrameBgHovered}},
    {&Palette::field_active, 0x3C4653, 0xCED6DF, {ImGuiCol_FrameBgActive, ImGuiCol_ScrollbarGrab}},
    {&Palette::button, 0x343C47, 0xDBE0E7, {ImGuiCol_Button}},
    {&Palette::button_hovered, 0x424E5E, 0xCCD4DE, {ImGuiCol_ButtonHovered, ImGuiCol_ScrollbarGrabHovered}},
    {&Palette::button_active, 0x38668F, 0xA4C5E2, {ImGuiCol_ButtonActive, ImGuiCol_ScrollbarGrabActive}},
    {&Palette::tab, 0x242931, 0xE7EAEF, {ImGuiCol_Tab}},
    {&Palette::chosen, 0x304A62, 0xBFD6EB, {ImGuiCol_Header, ImGuiCol_TabActive}},
    {&Palette::chosen_hovered, 0x385672, 0xB0CCE6, {ImGuiCol_HeaderHovered, ImGuiCol_TabHovered}},
    {&Palette::chosen_active, 0x3E6488, 0xA0C2E0, {ImGuiCol_HeaderActive}},
    {&Palette::line, 0x3C4450, 0xC8CED6, {ImGuiCol_Border, ImGuiCol_Separator}},
    {&Palette::text, 0xE2E6EC, 0x1C2128, {ImGuiCol_Text}},
    {&Palette::muted, 0x969FAC, 0x545D69, {ImGuiCol_TextDisabled}},
    {&Palette::accent,
     0x569CD6,
     0x1464AA,
     {ImGuiCol_CheckMark, ImGuiCol_PlotHistogram, ImGuiCol_NavHighlight}},
    {&Palette::accent_strong, 0x8CC6F4, 0x0A4882},
    {&Palette::good, 0x40BE96, 0x006C4E},
    {&Palette::careful, 0xF0B43C, 0x905C00},
    {&Palette::failed, 0xF07048, 0x94100C},
    {&Palette::total, 0xECEFF4, 0x1E2228},
    {&Palette::kinetic, 0x56B4E9, 0x0066A6},
    {&Palette::stretch, 0xE69F00, 0xA05C00},
    {&Palette::bend, 0xD68AB4, 0x9C3A74},
    {&Palette::gravity, 0x00B287, 0x007658},
}};

constexpr Palette in_theme(ImU32 ThemeColour::*theme, ImU32 alpha_of_overlay) {
  Palette palette;
  for (const ThemeColour& colour : kThemeColours) {
    const ImU32 value = colour.*theme;
    palette.*colour.of = IM_COL32(value >> 16, (value >> 8) & 0xFF, value & 0xFF, 255);
  }
  palette.overlay = (palette.overlay & ~IM_COL32_A_MASK) | (alpha_of_overlay << IM_COL32_A_SHIFT);
  return palette;
}

constexpr Palette kDark = in_theme(&ThemeColour::dark, 236), kLight = in_theme(&ThemeColour::light, 235);

const Palette* g_palette = &kDark;

void set_colours(Theme theme, ImGuiStyle& style) {
  use_palette(theme);
  if (theme == Theme::light)
    ImGui::StyleColorsLight(&style);
  else
    ImGui::StyleColorsDark(&style);
  const auto set = [&](ImGuiCol part, ImU32 colour) {
    style.Colors[part] = ImGui::ColorConvertU32ToFloat4(colour);
  };
  for (const ThemeColour& colour : kThemeColours)
    for (const ImGuiCol part : colour.parts) set(part, palette().*colour.of);
  set(ImGuiCol_ChildBg, 0);
  set(ImGuiCol_ScrollbarBg, 0);
  set(ImGuiCol_TextSelectedBg, with_alpha(palette().accent, 0.35F));
}

double luminance(ImU32 colour) {
  const auto linear = [&](int shift) {
    const double c = static_cast<double>((colour >> shift) & 0xFF) / 255;
    return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * linear(IM_COL32_R_SHIFT) + 0.7152 * linear(IM_COL32_G_SHIFT) +
         0.0722 * linear(IM_COL32_B_SHIFT);
}

}  // namespace

const Fonts& fonts() { return g_fonts; }

void apply_theme(Theme theme, float scale, float density) {
  g_scale = scale;
  ImGuiStyle style;
  set_colours(theme, style);
  style.WindowPadding = ImVec2(12, 10);
  style.FramePadding = ImVec2(7, 3);
  style.ItemSpacing = ImVec2(8, 6);
  style.ItemInnerSpacing = ImVec2(6, 4);
  style.ScrollbarSize = 12;
  style.WindowRounding = 6;
  style.ChildRounding = 5;
  style.FrameRounding = 4;
  style.PopupRounding = 5;
  style.TabRounding = 4;
  style.GrabRounding = 3;
  style.WindowBorderSize = 1;
  style.ScaleAllSizes(scale);
  ImGui::GetStyle() = style;
  load_fonts(scale, density);
}

float units(float value) { return value * g_scale; }

std::string displayable(std::string_view utf8, bool spelled_out) {
  const auto can_draw = [&](char32_t code) {
    return code < 0x100 || (!spelled_out && code <= 0xFFFF && has_glyph(static_cast<ImWchar>(code)));
  };
  std::string out;
  out.reserve(utf8.size());
  while (!utf8.empty()) {
    const auto [code, length] = first_character(utf8);
    const std::string_view bytes = utf8.substr(0, std::max<std::size_t>(length, 1));
    utf8.remove_prefix(bytes.size());
    const char* const spelling = ascii_spelling(code);
    if (length == 0)
      out += can_draw(0xFFFD) ? "\uFFFD" : "?";
    else if (can_draw(code) && !is_control(code))
      out += bytes;
    else if (spelling != nullptr)
      out += spelling;
    else
      out += can_draw(kBox) ? "\u25A1" : "?";
  }
  return out;
}

const Palette& palette_of(Theme theme) { return theme == Theme::light ? kLight : kDark; }

const Palette& palette() { return *g_palette; }

void use_palette(Theme theme) { g_palette = &palette_of(theme); }

ImU32 with_alpha(ImU32 colour, float alpha) {
  const auto a = static_cast<ImU32>(std::lround(alpha * 255.0F));
  return (colour & ~IM_COL32_A_MASK) | (a << IM_COL32_A_SHIFT);
}

ImU32 mixed(ImU32 a, ImU32 b, float share_of_b) {
  const ImVec4 x = ImGui::ColorConvertU32ToFloat4(a), y = ImGui::ColorConvertU32ToFloat4(b);
  const auto mix = [&](float from, float to) { return from + (to - from) * share_of_b; };
  return ImGui::ColorConvertFloat4ToU32({mix(x.x, y.x), mix(x.y, y.y), mix(x.z, y.z), 1});
}

ImU32 rgb(const Rgb& colour) { return IM_COL32(colour[0], colour[1], colour[2], 255); }

Rgb rgb_of(ImU32 colour) {
  const auto channel = [&](int shift) { return static_cast<std::uint8_t>((colour >> shift) & 0xFF); };
  return {channel(IM_COL32_R_SHIFT), channel(IM_COL32_G_SHIFT), channel(IM_COL32_B_SHIFT)};
}

ImU32 rgb(const glm::vec3& colour) {
  return ImGui::ColorConvertFloat4ToU32(ImVec4(colour.r, colour.g, colour.b, 1));
}

ChartColours chart_colours() {
  return {rgb_of(palette().panel), rgb_of(palette().overlay), rgb_of(palette().line),
          rgb_of(palette().muted), rgb_of(palette().text),    rgb_of(palette().muted)};
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
  constexpr std::array kTowardsText{0.0F, 0.45F, 0.7F, 0.25F, 0.58F, 0.82F};
  // Each family has its own part of the first 28, so that a new method changes no other colour. Methods
  // beyond their family's part share the rest.
  constexpr std::array<std::size_t, 6> kFirst{0, 6, 10, 20, 24, 28};
  std::array<std::size_t, 5> used{};
  std::size_t index = 0, beyond = kFirst.back();
  for (const IntegratorInfo& info : integrators().first(row + 1)) {
    const auto family = static_cast<std::size_t>(info.family);
    index = kFirst.at(family) + used.at(family)++;
    if (index >= kFirst.at(family + 1)) index = beyond++;
  }
  const std::size_t round = index / kColours.size() % kTowardsText.size();
  const ImU32 base = kColours[index % kColours.size()];
  float share = 0;
  while (share < 1 && contrast(mixed(base, palette().text, share), palette().panel) < 3) share += 0.05F;
  return mixed(mixed(base, palette().text, share), palette().text, kTowardsText[round]);
}

}  // namespace clothlab
