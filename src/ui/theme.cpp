// SPDX-License-Identifier: MIT
#include "ui/theme.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <utility>

#include "chart/font.h"
#include "core/text.h"

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
    if (!file.empty()) {
      if (ImFont* font = io.Fonts->AddFontFromFileTTF(file.c_str(), pixels, nullptr, kGlyphs.data()))
        return font;
    }
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
  if (theme == Theme::light) {
    ImGui::StyleColorsLight(&style);
  } else {
    ImGui::StyleColorsDark(&style);
  }
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
  c[ImGuiCol_SliderGrab] = rgba(p.accent);
  c[ImGuiCol_SliderGrabActive] = rgba(p.accent_strong);
  c[ImGuiCol_PlotHistogram] = rgba(p.accent);
  c[ImGuiCol_Tab] = rgba(p.tab);
  c[ImGuiCol_TabHovered] = rgba(p.chosen_hovered);
  c[ImGuiCol_TabActive] = rgba(p.chosen);
  c[ImGuiCol_TitleBg] = c[ImGuiCol_TitleBgActive] = rgba(p.popup);
  c[ImGuiCol_Separator] = rgba(p.line);
  c[ImGuiCol_TextSelectedBg] = rgba(with_alpha(p.accent, 0.35F));
  c[ImGuiCol_NavHighlight] = rgba(p.accent);
  c[ImGuiCol_ModalWindowDimBg] = ImVec4(0, 0, 0, 0.35F);
  c[ImGuiCol_ScrollbarBg] = ImVec4(0, 0, 0, 0);
  c[ImGuiCol_ScrollbarGrab] = rgba(p.field_active);
  c[ImGuiCol_ScrollbarGrabHovered] = rgba(p.button_hovered);
  c[ImGuiCol_ScrollbarGrabActive] = rgba(p.button_active);
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
  style.GrabMinSize = 10;
  style.WindowRounding = 6;
  style.ChildRounding = 5;
  style.FrameRounding = 4;
  style.PopupRounding = 5;
  style.TabRounding = 4;
  style.GrabRounding = 3;
  style.WindowBorderSize = 1;
  style.WindowTitleAlign = ImVec2(0.0F, 0.5F);
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
    const auto known =
        std::find_if(kSpelling.begin(), kSpelling.end(),
                     [&, code = code](const auto& spelling) { return spelling.first == code; });
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

}  // namespace clothlab
