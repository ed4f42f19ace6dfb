// SPDX-License-Identifier: MIT
#pragma once

#include <imgui.h>

#include <string>
#include <string_view>

#include "ui/palette.h"

namespace clothlab {

/// The fonts of the window. The two pointers are the same when no TrueType font was found.
struct Fonts {
  ImFont* body = nullptr;
  ImFont* small = nullptr;
  ImFont* heading = nullptr;
};
const Fonts& fonts();

/// Sets colours and metrics and loads the fonts. `scale` is the size of one interface unit in window
/// coordinates (2 on a display of twice the usual density), `density` the pixels of the framebuffer per
/// window coordinate (2 on macOS' dense displays). Call between frames; whoever draws the fonts must
/// upload the atlas again.
void apply_theme(Theme theme, float scale, float density);

/// Window coordinates of `units` interface units under the current scale.
float units(float value);

/// Text as the loaded font can show it: where it lacks Greek letters or mathematical signs, they are written
/// out in ASCII ("ω" becomes "w"); a box stands for any other character that it lacks and for a control
/// character, the replacement character for a byte that is no UTF-8. `spelled_out`: as if it lacked them all.
std::string displayable(std::string_view utf8, bool spelled_out = false);

}  // namespace clothlab
