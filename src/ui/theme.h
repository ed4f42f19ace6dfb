// SPDX-License-Identifier: MIT
#pragma once

#include <imgui.h>

#include <cstddef>
#include <glm/vec3.hpp>
#include <string>
#include <string_view>

#include "chart/chart.h"
#include "core/image.h"

namespace clothlab {

enum class Theme { dark, light };

/// The colours of the interface, all opaque but for `overlay`. Neutral slate or paper, one blue accent for
/// controls, amber for warnings, vermilion for failures. Text has a contrast of at least 4.5 (WCAG 2.1) with
/// its background.
struct Palette {
  ImU32 panel = 0;
  ImU32 overlay = 0;  ///< of the cards over the view; slightly transparent
  ImU32 popup = 0;
  ImU32 field = 0;
  ImU32 field_hovered = 0;
  ImU32 field_active = 0;
  ImU32 button = 0;
  ImU32 button_hovered = 0;
  ImU32 button_active = 0;
  ImU32 tab = 0;
  ImU32 chosen = 0;  ///< the open tab, the selected row
  ImU32 chosen_hovered = 0;
  ImU32 chosen_active = 0;
  ImU32 line = 0;
  ImU32 text = 0;
  ImU32 muted = 0;
  ImU32 accent = 0;
  ImU32 accent_strong = 0;  ///< of active controls
  ImU32 good = 0;
  ImU32 careful = 0;
  ImU32 failed = 0;
  // Curves, from the Okabe-Ito set, distinct with every common colour blindness.
  ImU32 total = 0;
  ImU32 kinetic = 0;
  ImU32 stretch = 0;
  ImU32 bend = 0;
  ImU32 gravity = 0;
};

const Palette& palette_of(Theme theme);

/// The palette of the current theme (apply_theme).
const Palette& palette();
void use_palette(Theme theme);

/// The same colour with another opacity, 0 to 1.
ImU32 with_alpha(ImU32 colour, float alpha);
/// A mixture of two colours, opaque.
ImU32 mixed(ImU32 a, ImU32 b, float share_of_b);

/// Opaque, of sRGB in [0, 1].
ImU32 rgb(const glm::vec3& colour);
ImU32 rgb(const Rgb& colour);
/// Without its opacity.
Rgb rgb_of(ImU32 colour);

/// Colours of charts in files, as in the window.
ChartColours chart_colours();

/// Contrast of two opaque colours as WCAG 2.1 defines it, 1 to 21.
double contrast(ImU32 a, ImU32 b);

/// Black or white, whichever contrasts more with an opaque background: always by more than 4.5.
ImU32 readable_on(ImU32 background);

/// Colour of the integrator in the given row of the registry, in the current palette (Okabe-Ito set, then
/// lighter rounds of it, each with a contrast of at least 3 with the panel).
ImU32 integrator_colour(std::size_t row);

/// The fonts of the window. The two pointers are the same when no TrueType font was found.
struct Fonts {
  ImFont* body = nullptr;
  ImFont* small = nullptr;
  ImFont* heading = nullptr;
};
const Fonts& fonts();

/// Sets colours and metrics and loads the fonts. `scale` is the size of one interface unit in window
/// coordinates (2 on a display of twice the usual density), `density` the pixels of the framebuffer per
/// window coordinate (2 on macOS' dense displays). Call between frames; the renderer must then upload the
/// font atlas again.
void apply_theme(Theme theme, float scale, float density);

/// Window coordinates of `units` interface units under the current scale.
float units(float value);

/// Text that the loaded font can show: Greek letters and mathematical signs that it lacks are written out in
/// ASCII ("ω" becomes "w"); a box replaces any other missing character and control characters, the
/// replacement character a byte that is no UTF-8. `spelled_out`: as if the font lacked all of them.
std::string displayable(std::string_view utf8, bool spelled_out = false);

}  // namespace clothlab
