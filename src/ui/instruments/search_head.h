// SPDX-License-Identifier: MIT
#pragma once

#include <imgui.h>

#include <string>
#include <string_view>

#include "experiments/moment_search.h"
#include "ui/panels/panel_context.h"

namespace clothlab {

// What the instruments that search in the background have in common.

/// The button that begins a search, or cancels it while it runs.
void search_button(const PanelContext& context, const std::string& name, Search::Of of, bool running,
                   std::string_view help);

/// The state from which it searches: "lane B at t = 1.2 s, the last good state".
std::string origin_of(const PanelContext& context, const SearchProgress& found);
/// Why what was found no longer holds, as a sentence; empty while it does. The integrator and its h do not
/// count, and neither does what `same` sets in the first scene to what the second one has.
std::string why_outdated(const PanelContext& context, const SearchProgress& found,
                         void (*same)(Scene& then, const Scene& now) = nullptr);

/// On the ground, the words of the search in one line of `text_width`, and below a bar while it runs. What is
/// outdated is marked. Answers with the height that they take.
float draw_search_head(const std::string& name, const SearchProgress& found, bool running,
                       const std::string& words, const std::string& outdated, ImVec2 at, float width,
                       float text_width);

}  // namespace clothlab
