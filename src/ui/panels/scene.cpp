// SPDX-License-Identifier: MIT
#include <algorithm>

#include "ui/panels/panels.h"

namespace clothlab {

namespace {

constexpr std::size_t kLeastRows = 9;

// Heights of the last picture: of what is below the list, and of the list's content.
float g_below = 0, g_content = 0;
std::string g_shown;  // of the scenes of the list, the one that ran

// All that is left in the panel, but no more than the list needs, and no less than some rows.
float list_height(std::size_t scenes) {
  const ImGuiStyle& style = ImGui::GetStyle();
  const float rows = static_cast<float>(std::clamp<std::size_t>(scenes, 1, kLeastRows));
  const float margins = 2 * style.WindowPadding.y - style.ItemSpacing.y;
  const float least = rows * ImGui::GetTextLineHeightWithSpacing() + margins;
  return std::clamp(ImGui::GetContentRegionAvail().y - g_below, least, std::max(least, g_content + margins));
}

void scene_list(const PanelContext& context) {
  ImGui::PushStyleColor(ImGuiCol_ChildBg, palette().overlay);
  ImGui::BeginChild("scenes", ImVec2(0, list_height(context.scenes.size())), false,
                    ImGuiWindowFlags_AlwaysUseWindowPadding);
  const TooltipsThere there(TooltipSide::side);
  const float top = ImGui::GetCursorPosY();
  std::string_view group;
  for (const SceneEntry& entry : context.scenes) {
    if (entry.group != group) {
      section(group = entry.group);
      note_item("scene-group:" + std::string(group));
    }
    const bool selected = entry.scene.title == context.snapshot.loaded->scene.title;
    if (list_item("scene:" + entry.file, entry.scene.title, selected ? "" : entry.scene.description,
                  selected))
      context.request(OpenScene{entry.scene, entry.lanes, entry.path});
    if (selected && !ImGui::IsItemVisible() && g_shown != entry.scene.title) ImGui::SetScrollHereY();
    if (selected) g_shown = entry.scene.title;
  }
  g_content = ImGui::GetCursorPosY() - top;
  ImGui::EndChild();
  note_item("scene-list");
  ImGui::PopStyleColor();
}

}  // namespace

void scene_panel(const PanelContext& context) {
  const Scene& running = context.snapshot.loaded->scene;
  section("Scenes");
  scene_list(context);
  const float below = ImGui::GetCursorPosY();
  if (!running.description.empty()) wrapped_text(running.description);
  section("Mesh");
  mesh_report(context);
  g_below = ImGui::GetCursorPosY() - below + ImGui::GetStyle().ItemSpacing.y;
}

}  // namespace clothlab
