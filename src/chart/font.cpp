// SPDX-License-Identifier: MIT
#include "chart/font.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>

#include "core/text.h"

// stb's code is compiled here; its functions stay inside this file.
#define STBTT_STATIC
#define STB_TRUETYPE_IMPLEMENTATION
#include <stb_easy_font.h>
#include <stb_truetype.h>

namespace clothlab {
namespace {

constexpr std::array kFontFiles = {
    "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf",
    "/usr/share/fonts/dejavu-sans-fonts/DejaVuSans.ttf",
    "/usr/share/fonts/TTF/DejaVuSans.ttf",
    "/usr/share/fonts/truetype/freefont/FreeSans.ttf",
    "/usr/share/fonts/truetype/noto/NotoSans-Regular.ttf",
    "/usr/share/fonts/noto/NotoSans-Regular.ttf",
    "/usr/share/fonts/google-noto/NotoSans-Regular.ttf",
    "/usr/share/fonts/truetype/liberation/LiberationSans-Regular.ttf",
    "/System/Library/Fonts/Supplemental/Arial Unicode.ttf",
    "/System/Library/Fonts/SFNS.ttf",
    "/System/Library/Fonts/Helvetica.ttc",
    "C:/Windows/Fonts/segoeui.ttf",
};

/// Code points of a well-formed UTF-8 text.
std::vector<int> decode(std::string_view utf8) {
  std::vector<int> codes;
  while (!utf8.empty()) {
    const auto [code, bytes] = first_character(utf8);
    codes.push_back(static_cast<int>(code));
    utf8.remove_prefix(std::max<std::size_t>(bytes, 1));
  }
  return codes;
}

TextMask blank(int width, int height, int baseline) {
  return {width, height, baseline,
          std::vector<std::uint8_t>(static_cast<std::size_t>(width) * static_cast<std::size_t>(height))};
}

// The ASCII spelling of what a font may lack, and of the combining tilde, which needs shaping.
constexpr std::array<std::pair<char32_t, const char*>, 49> kSpelling = {{
    {0x00B2, "2"},     {0x00B7, "*"},     {0x03B1, "alpha"}, {0x03B2, "beta"},   {0x03B3, "gamma"},
    {0x0394, "d"},     {0x03B4, "delta"}, {0x03B6, "zeta"},  {0x03BB, "lambda"}, {0x03C1, "rho"},
    {0x03C6, "phi"},   {0x03C9, "w"},     {0x03BC, "mu"},    {0x03C0, "pi"},     {0x03A3, "sum "},
    {0x2010, "-"},     {0x2011, "-"},     {0x2012, "-"},     {0x2013, "-"},      {0x2014, "-"},
    {0x2016, "||"},    {0x2018, "'"},     {0x2019, "'"},     {0x201C, "\""},     {0x201D, "\""},
    {0x2026, "..."},   {0x2070, "^0"},    {0x207B, "^-"},    {0x2080, "0"},      {0x2081, "1"},
    {0x2082, "2"},     {0x208B, "-"},     {0x2190, "<-"},    {0x2192, "->"},     {0x2202, "d"},
    {0x2207, "grad "}, {0x2211, "sum "},  {0x2212, "-"},     {0x221A, "sqrt"},   {0x221E, "inf"},
    {0x2248, "~"},     {0x2260, "!="},    {0x2264, "<="},    {0x2265, ">="},     {0x0303, "~"},
    {0x1D40, "^T"},    {0x207A, "^+"},    {0x2153, "1/3"},   {0x2154, "2/3"},
}};

TextMask draw_built_in(std::string_view utf8, double size) {
  std::string ascii;
  for (const int code : decode(utf8)) {
    const char* const spelling = ascii_spelling(static_cast<char32_t>(code));
    if (code < 128)
      ascii += static_cast<char>(code);
    else
      ascii += spelling != nullptr ? spelling : "?";
  }
  struct Corner {
    float x, y, z;
    std::array<unsigned char, 4> colour;
  };
  std::vector<Corner> corners(ascii.size() * 64 + 64);
  const int quads = stb_easy_font_print(0, 0, ascii.data(), nullptr, corners.data(),
                                        static_cast<int>(corners.size() * sizeof(Corner)));
  constexpr double kLine = 10;  // pixels per line of that font
  const int zoom = std::max(1, static_cast<int>(std::lround(size / kLine)));
  TextMask mask = blank(zoom * (stb_easy_font_width(ascii.data()) + 1), zoom * 12, zoom * 7);
  for (int q = 0; q < quads; ++q) {
    const Corner& low = corners[4 * static_cast<std::size_t>(q)];
    const Corner& high = corners[4 * static_cast<std::size_t>(q) + 2];
    const auto pixel = [&](float v, int most) { return std::clamp(static_cast<int>(v) * zoom, 0, most); };
    for (int y = pixel(low.y, mask.height); y < pixel(high.y, mask.height); ++y)
      for (int x = pixel(low.x, mask.width); x < pixel(high.x, mask.width); ++x) mask.at(x, y) = 255;
  }
  return mask;
}

}  // namespace

const char* ascii_spelling(char32_t code) {
  const auto* const found = std::ranges::find(kSpelling, code, &std::pair<char32_t, const char*>::first);
  return found != kSpelling.end() ? found->second : nullptr;
}

std::filesystem::path find_font_file() {
  for (const char* path : kFontFiles) {
    std::error_code error;
    if (std::filesystem::is_regular_file(path, error)) return path;
  }
  return {};
}

struct Font::TrueType {
  std::string bytes;
  stbtt_fontinfo info{};
};

Font::Font(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return;
  auto font = std::make_shared<TrueType>();
  font->bytes.assign(std::istreambuf_iterator<char>(stream), {});
  const auto* data = reinterpret_cast<const unsigned char*>(font->bytes.data());
  const int offset = stbtt_GetFontOffsetForIndex(data, 0);
  if (offset >= 0 && stbtt_InitFont(&font->info, data, offset) != 0) true_type_ = std::move(font);
}

TextMask Font::draw(std::string_view utf8, double size) const {
  if (!true_type_) return draw_built_in(utf8, size);
  const stbtt_fontinfo* info = &true_type_->info;
  const float scale = stbtt_ScaleForPixelHeight(info, static_cast<float>(size));
  int ascent = 0, descent = 0, gap = 0;
  stbtt_GetFontVMetrics(info, &ascent, &descent, &gap);
  const std::vector<int> codes = decode(utf8);
  const auto advance = [&](std::size_t k) {
    int width = 0, bearing = 0;
    stbtt_GetCodepointHMetrics(info, codes[k], &width, &bearing);
    if (k + 1 < codes.size()) width += stbtt_GetCodepointKernAdvance(info, codes[k], codes[k + 1]);
    return scale * static_cast<float>(width);
  };
  float length = 0;
  for (std::size_t k = 0; k < codes.size(); ++k) length += advance(k);
  const int baseline = static_cast<int>(std::ceil(scale * static_cast<float>(ascent)));
  const int below = static_cast<int>(std::ceil(-scale * static_cast<float>(descent)));
  TextMask mask = blank(static_cast<int>(std::ceil(length)) + 2, baseline + below + 1, baseline);
  float x = 0;
  for (std::size_t k = 0; k < codes.size(); x += advance(k++)) {
    const float shift = x - std::floor(x);
    int left = 0, top = 0, width = 0, height = 0;
    unsigned char* glyph = stbtt_GetCodepointBitmapSubpixel(info, scale, scale, shift, 0, codes[k], &width,
                                                            &height, &left, &top);
    for (int row = 0; row < height; ++row)
      for (int column = 0; column < width; ++column) {
        const int px = static_cast<int>(std::floor(x)) + left + column, py = baseline + top + row;
        if (px < 0 || px >= mask.width || py < 0 || py >= mask.height) continue;
        std::uint8_t& pixel = mask.at(px, py);
        pixel = std::max(pixel, glyph[row * width + column]);
      }
    stbtt_FreeBitmap(glyph, nullptr);
  }
  return mask;
}

}  // namespace clothlab
