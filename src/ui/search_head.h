// SPDX-License-Identifier: MIT
#pragma once

#include <imgui.h>

#include <string>
#include <string_view>

#include "runtime/moment_search.h"

namespace clothlab {

// What the instruments that search in the background have in common.

/// The button that begins a search, or cancels it while it runs. True when clicked.
bool search_button(const std::string& name, bool running, std::string_view help);

/// The ground of the instrument.
void draw_ground(ImVec2 at, ImVec2 size);
/// The same with a sentence: there is no search yet.
void draw_before_search(std::string_view words, ImVec2 at, ImVec2 size);
/// On the ground, the words of the search in one line of `text_width`, and below a bar while it runs. Answers
/// with the height that they take.
float draw_search_head(const std::string& name, const SearchProgress& found, bool running,
                       const std::string& words, ImVec2 at, float width, float text_width);

}  // namespace clothlab
