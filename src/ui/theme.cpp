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

// The ASCII spelling of what a font may lack, and of the combining tilde, which needs shaping.
constexpr std::array<std::pair<ImWchar, const char*>, 47> kSpelling = {{
    {0x03B1, "alpha"}, {0x03B2, "beta"},   {0x03B3, "gamma"}, {0x0394, "d"},     {0x03B4, "delta"},
    {0x03B6, "zeta"},  {0x03BB, "lambda"}, {0x03C1, "rho"},   {0x03C6, "phi"},   {0x03C9, "w"},
    {0x03BC, "mu"},    {0x03C0, "pi"},     {0x03A3, "sum "},  {0x2010, "-"},     {0x2011, "-"},
    {0x2012, "-"},     {0x2013, "-"},      {0x2014, "-"},     {0x2016, "||"},    {0x2018, "'"},
    {0x2019, "'"},     {0x201C, "\""},     {0x201D, "\""},    {0x2026, "..."},   {0x2070, "^0"},
    {0x207B, "^-"},    {0x2080, "0"},      {0x2081, "1"},     {0x2082, "2"},     {0x208B, "-"},
    {0x2190, "<-"},    {0x2192, "->"},     {0x2202, "d"},     {0x2207, "grad "}, {0x2211, "sum "},
    {0x2212, "-"},     {0x221A, "sqrt"},   {0x221E, "inf"},   {0x2248, "~"},     {0x2260, "!="},
    {0x2264, "<="},    {0x2265, ">="},     {0x0303, "~"},     {0x1D40, "^T"},    {0x207A, "^+"},
    {0x2153, "1/3"},   {0x2154, "2/3"},
}};

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

ImVec4 rgba(ImU32 colour) { return ImGui::ColorConvertU32ToFloat4(colour); }

void set_colours(Theme theme, ImGuiStyle& style) {
  use_palette(theme);
  const Palette& p = palette();
  if (theme == Theme::light)
    ImGui::StyleColorsLight(&style);
  else
    ImGui::StyleColorsDark(&style);
  ImVec4* c = style.Colors;
  c[ImGuiCol_Text] = rgba(p.text);
  c[ImGuiCol_TextDisabled] = rgba(p.muted);
  c[ImGuiCol_WindowBg] = rgba(p.panel);
  c[ImGuiCol_ChildBg] = ImVec4(0, 0, 0, 0);
  c[ImGuiCol_PopupBg] = rgba(p.popup);
  c[ImGuiCol_Border] = rgba(p.line);
  c[ImGuiCol_FrameBg] = rgba(p.field);
  c[ImGuiCol_FrameBgHovered] = rgba(p.field_hovered);
  c[ImGuiCol_FrameBgActive] = rgba(p.field_active);
  c[ImGuiCol_Button] = rgba(p.button);
  c[ImGuiCol_ButtonHovered] = rgba(p.button_hovered);
  c[ImGuiCol_ButtonActive] = rgba(p.button_active);
  c[ImGuiCol_Header] = rgba(p.chosen);
  c[ImGuiCol_HeaderHovered] = rgba(p.chosen_hovered);
  c[ImGuiCol_HeaderActive] = rgba(p.chosen_active);
  c[ImGuiCol_CheckMark] = rgba(p.accent);
  c[ImGuiCol_PlotHistogram] = rgba(p.accent);
  c[ImGuiCol_Tab] = rgba(p.tab);
  c[ImGuiCol_TabHovered] = rgba(p.chosen_hovered);
  c[ImGuiCol_TabActive] = rgba(p.chosen);
  c[ImGuiCol_Separator] = rgba(p.line);
  c[ImGuiCol_TextSelectedBg] = rgba(with_alpha(p.accent, 0.35F));
  c[ImGuiCol_NavHighlight] = rgba(p.accent);
  c[ImGuiCol_ScrollbarBg] = ImVec4(0, 0, 0, 0);
  c[ImGuiCol_ScrollbarGrab] = rgba(p.field_active);
  c[ImGuiCol_ScrollbarGrabHovered] = rgba(p.button_hovered);
  c[ImGuiCol_ScrollbarGrabActive] = rgba(p.button_active);
}

struct ThemeColour {
  ImU32 Palette::*of;
  ImU32 dark, light;
};
constexpr std::array<ThemeColour, 26> kThemeColours{{
    {&Palette::panel, IM_COL32(27, 31, 37, 255), IM_COL32(244, 245, 247, 255)},
    {&Palette::overlay, IM_COL32(22, 25, 30, 236), IM_COL32(255, 255, 255, 235)},
    {&Palette::popup, IM_COL32(33, 38, 45, 255), IM_COL32(255, 255, 255, 255)},
    {&Palette::field, IM_COL32(43, 49, 58, 255), IM_COL32(226, 230, 235, 255)},
    {&Palette::field_hovered, IM_COL32(54, 62, 73, 255), IM_COL32(215, 221, 228, 255)},
    {&Palette::field_active, IM_COL32(60, 70, 83, 255), IM_COL32(206, 214, 223, 255)},
    {&Palette::button, IM_COL32(52, 60, 71, 255), IM_COL32(219, 224, 231, 255)},
    {&Palette::button_hovered, IM_COL32(66, 78, 94, 255), IM_COL32(204, 212, 222, 255)},
    {&Palette::button_active, IM_COL32(56, 102, 143, 255), IM_COL32(164, 197, 226, 255)},
    {&Palette::tab, IM_COL32(36, 41, 49, 255), IM_COL32(231, 234, 239, 255)},
    {&Palette::chosen, IM_COL32(48, 74, 98, 255), IM_COL32(191, 214, 235, 255)},
    {&Palette::chosen_hovered, IM_COL32(56, 86, 114, 255), IM_COL32(176, 204, 230, 255)},
    {&Palette::chosen_active, IM_COL32(62, 100, 136, 255), IM_COL32(160, 194, 224, 255)},
    {&Palette::line, IM_COL32(60, 68, 80, 255), IM_COL32(200, 206, 214, 255)},
    {&Palette::text, IM_COL32(226, 230, 236, 255), IM_COL32(28, 33, 40, 255)},
    {&Palette::muted, IM_COL32(150, 159, 172, 255), IM_COL32(84, 93, 105, 255)},
    {&Palette::accent, IM_COL32(86, 156, 214, 255), IM_COL32(20, 100, 170, 255)},
    {&Palette::accent_strong, IM_COL32(140, 198, 244, 255), IM_COL32(10, 72, 130, 255)},
    {&Palette::good, IM_COL32(64, 190, 150, 255), IM_COL32(0, 108, 78, 255)},
    {&Palette::careful, IM_COL32(240, 180, 60, 255), IM_COL32(138, 84, 0, 255)},
    {&Palette::failed, IM_COL32(240, 112, 72, 255), IM_COL32(184, 48, 16, 255)},
    {&Palette::total, IM_COL32(236, 239, 244, 255), IM_COL32(30, 34, 40, 255)},
    {&Palette::kinetic, IM_COL32(86, 180, 233, 255), IM_COL32(0, 102, 166, 255)},
    {&Palette::stretch, IM_COL32(230, 159, 0, 255), IM_COL32(160, 92, 0, 255)},
    {&Palette::bend, IM_COL32(214, 138, 180, 255), IM_COL32(156, 58, 116, 255)},
    {&Palette::gravity, IM_COL32(0, 178, 135, 255), IM_COL32(0, 118, 88, 255)},
}};

constexpr Palette in_theme(ImU32 ThemeColour::*theme) {
  Palette palette;
  for (const ThemeColour& colour : kThemeColours) palette.*colour.of = colour.*theme;
  return palette;
}

constexpr Palette kDark = in_theme(&ThemeColour::dark), kLight = in_theme(&ThemeColour::light);

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
    const auto* const known =
        std::ranges::find(kSpelling, code, [](const auto& spelling) { return char32_t{spelling.first}; });
    if (length == 0)
      out += can_draw(0xFFFD) ? "\uFFFD" : "?";
    else if (can_draw(code) && !is_control(code))
      out += bytes;
    else if (known != kSpelling.end())
      out += known->second;
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
