// SPDX-License-Identifier: MIT
#include "ui/search_head.h"

#include "ui/theme.h"
#include "ui/widgets.h"

namespace clothlab {

void draw_ground(ImVec2 at, ImVec2 size) {
  ImGui::GetWindowDrawList()->AddRectFilled(at, ImVec2(at.x + size.x, at.y + size.y), palette().overlay,
                                            units(5));
}

bool search_button(const std::string& name, bool running, std::string_view help) {
  return text_button(name + ":find", running ? "Cancel" : "Find",
                     running ? "Ends the search; what was found stays." : help, 0, running);
}

void draw_before_search(std::string_view words, ImVec2 at, ImVec2 size) {
  draw_ground(at, size);
  const float pad = units(8);
  ImGui::SetCursorScreenPos(ImVec2(at.x + pad, at.y + pad));
  coloured_text(palette().muted, broken_lines(words, size.x - 2 * pad));
}

float draw_search_head(const std::string& name, const SearchProgress& found, bool running,
                       const std::string& words, ImVec2 at, float width, float text_width) {
  ImGui::SetCursorScreenPos(ImVec2(at.x + units(8), at.y + units(3)));
  coloured_text(running ? palette().careful : palette().muted,
                first_line(found.error.empty() ? words : found.error, text_width - units(16)));
  note_item(name + (running ? ":search" : ":found"));
  const float height = ImGui::GetTextLineHeight() + units(8), below = at.y + height - units(1);
  if (running)
    ImGui::GetWindowDrawList()->AddRectFilled(
        ImVec2(at.x, below - units(2)), ImVec2(at.x + width * static_cast<float>(found.fraction), below),
        palette().accent);
  return height;
}

}  // namespace clothlab
