// SPDX-License-Identifier: MIT
#include "ui/instruments/instruments.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "sim/parameters.h"

namespace clothlab {

AxisRange whole_decades(double low, double high) {
  return {std::pow(10, std::floor(std::log10(low) - 0.1)), std::pow(10, std::ceil(std::log10(high) + 0.1))};
}

void search_button(const PanelContext& context, const std::string& name, Search::Of of, bool running,
                   std::string_view help, const ChoiceRuns& runs) {
  if (text_button(name + ":find", running ? "Cancel" : "Find",
                  running ? "Stops the search; its results stay." : help, {.active = running}))
    context.request(Search{of, running, runs});
}

std::string origin_of(const PanelContext& context, const SearchProgress& found) {
  const std::string lane =
      context.snapshot.others.empty() ? "" : std::string("lane ") + lane_letter(found.lane) + " at ";
  return lane + "t = " + format_plain(found.time) + " s" + (found.is_shown ? "" : ", the last good state");
}

std::string why_outdated(const PanelContext& context, const SearchProgress& found,
                         void (*same)(Scene& then, const Scene& now)) {
  if (!found.values) return {};
  const Snapshot& snapshot = context.snapshot;
  const auto later = [&](double time) { return time < found.time; };
  const std::vector<double>& returns = *snapshot.returns;
  if (std::any_of(returns.begin() + static_cast<std::ptrdiff_t>(std::min(found.returns, returns.size())),
                  returns.end(), later))
    return "Outdated: the run went back to before that state.";
  // The values of its lane; if the lane was removed, those of the world.
  const LaneSnapshot* lane = find_lane(snapshot, found.lane);
  const bool is_active = found.lane == snapshot.lane || lane == nullptr;
  const Scene& now = is_active ? context.scene() : *lane->frame.scene;
  Scene then = lane == nullptr ? with_method(*found.values, now) : *found.values;
  then.integrator = now.integrator;
  then.dt = now.dt;
  then.substeps = now.substeps;
  if (same != nullptr) same(then, now);
  const std::string changes = describe_differences(then, now, *snapshot.loaded->mesh);
  return changes.empty() ? changes : "Outdated by a later change: " + changes + ".";
}

float draw_search_head(const std::string& name, const SearchProgress& found, bool running,
                       const std::string& words, const std::string& outdated, ImVec2 at, float width,
                       float text_width, int lines) {
  ImGui::SetCursorScreenPos(ImVec2(at.x + units(8), at.y + units(3)));
  std::string text = found.error.empty() ? words : found.error;
  if (!outdated.empty()) text = "Outdated. " + text;
  coloured_text(running || !outdated.empty() ? palette().careful : palette().muted,
                first_line(text, text_width - units(16), lines));
  const std::string noted = name + (running ? ":search" : ":found");
  note_item(noted);
  note_text(noted, text);
  const float height = static_cast<float>(lines) * ImGui::GetTextLineHeight() + units(8),
              below = at.y + height - units(1);
  if (running)
    ImGui::GetWindowDrawList()->AddRectFilled(
        ImVec2(at.x, below - units(2)), ImVec2(at.x + width * static_cast<float>(found.fraction), below),
        palette().accent);
  return height;
}

}  // namespace clothlab
