#pragma once

#include <imgui.h>

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace clothlab {

/// One deliberate palette: a dark slate ground that leaves the colour to the cloth and the curves, one
/// blue accent for what can be touched, amber for "careful" and vermilion for "failed".
namespace palette {
constexpr ImU32 kPanel = IM_COL32(27, 31, 37, 255);
constexpr ImU32 kOverlay = IM_COL32(22, 25, 30, 225);
constexpr ImU32 kField = IM_COL32(43, 49, 58, 255);
constexpr ImU32 kLine = IM_COL32(60, 68, 80, 255);
constexpr ImU32 kText = IM_COL32(226, 230, 236, 255);
constexpr ImU32 kMuted = IM_COL32(150, 159, 172, 255);
constexpr ImU32 kAccent = IM_COL32(86, 156, 214, 255);
constexpr ImU32 kGood = IM_COL32(64, 190, 150, 255);
constexpr ImU32 kCareful = IM_COL32(240, 180, 60, 255);
constexpr ImU32 kFailed = IM_COL32(235, 100, 60, 255);
// Curves, from the Okabe-Ito set, which stays apart for every common colour blindness.
constexpr ImU32 kTotal = IM_COL32(236, 239, 244, 255);
constexpr ImU32 kKinetic = IM_COL32(86, 180, 233, 255);
constexpr ImU32 kElastic = IM_COL32(230, 159, 0, 255);
constexpr ImU32 kGravity = IM_COL32(0, 178, 135, 255);
}  // namespace palette

/// The same colour with another opacity, 0 to 1.
ImU32 with_alpha(ImU32 colour, float alpha);

/// Colour of the integrator in the given row of the registry (Okabe-Ito set, then lighter rounds of it).
ImU32 integrator_colour(std::size_t row);

/// The TrueType font that the window is written in; empty when none was found.
std::filesystem::path find_font_file();

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
void apply_theme(float scale, float density);

/// Window coordinates of `units` interface units under the current scale.
float units(float value);

/// Text as the loaded font can show it: where it lacks Greek letters or mathematical signs, they are
/// written out in ASCII ("ω" becomes "w").
std::string displayable(std::string_view utf8);

}  // namespace clothlab
