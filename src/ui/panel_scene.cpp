// SPDX-License-Identifier: MIT
#include <algorithm>

#include "ui/overlays.h"
#include "ui/panels.h"
#include "ui/theme.h"
#include "ui/widgets.h"

namespace clothlab {

void scene_panel(const PanelContext& context) {
  const Scene& running = context.snapshot.loaded->scene;
  section("Scenes");
  const float row = ImGui::GetTextLineHeightWithSpacing();
  const float rows = static_cast<float>(std::clamp<std::size_t>(context.scenes.size(), 1, 9));
  ImGui::PushStyleColor(ImGuiCol_ChildBg, palette().overlay);
  ImGui::BeginChild(
      "scenes",
      ImVec2(0, row * rows - ImGui::GetStyle().ItemSpacing.y + 2 * ImGui::GetStyle().WindowPadding.y), false,
      ImGuiWindowFlags_AlwaysUseWindowPadding);
  const TooltipsThere there(TooltipSide::beside);
  for (const SceneEntry& entry : context.scenes) {
    const bool selected = entry.scene.title == running.title;
    if (ImGui::Selectable(displayable(entry.scene.title).c_str(), selected))
      context.request(OpenScene{entry.scene, entry.path});
    note_item("scene:" + entry.file);
    if (!selected) tooltip(entry.scene.description);
  }
  ImGui::EndChild();
  note_item("scene-list");
  ImGui::PopStyleColor();
  if (!running.description.empty()) wrapped_text(running.description);
  section("Mesh");
  mesh_report(context);
}

}  // namespace clothlab
