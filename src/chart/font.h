// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string_view>
#include <vector>

namespace clothlab {

/// A TrueType font of the system; empty where none is found.
std::filesystem::path find_font_file();

/// ASCII spelling of a character that a font may lack ("w" for ω), or null.
const char* ascii_spelling(char32_t code);

/// How much of each pixel a text covers: rows from the top, 0 (none) to 255 (all).
struct TextMask {
  int width = 0;
  int height = 0;
  int baseline = 0;  ///< row below which descenders reach
  std::vector<std::uint8_t> coverage;

  std::uint8_t& at(int x, int y) { return coverage[index(x, y)]; }
  std::uint8_t at(int x, int y) const { return coverage[index(x, y)]; }
  std::size_t index(int x, int y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x);
  }
};

/// Text to pixels: in a TrueType font, or else in stb's built-in font, which writes in ASCII: "w" for "ω".
class Font {
 public:
  /// An empty path, or a file that is no font, selects the built-in one.
  explicit Font(const std::filesystem::path& file);

  /// One line of UTF-8 text; `size` is the height of a line [pixel].
  TextMask draw(std::string_view utf8, double size) const;

 private:
  struct TrueType;
  std::shared_ptr<const TrueType> true_type_;
};

}  // namespace clothlab
