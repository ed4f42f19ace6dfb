// SPDX-License-Identifier: MIT
#include "app/scene_library.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "app/framing.h"
#include "documents/scene_loader.h"
#include "mesh/cloth_mesh.h"

namespace clothlab {
namespace {

std::vector<SceneEntry> library() {
  return load_scene_library(std::filesystem::path(CLOTHLAB_SOURCE_DIR) / "clothlab");
}

TEST(SceneLibrary, ListsEveryFileInAGroup) {
  std::map<std::string_view, int> sizes;
  std::vector<std::string_view> order;
  for (const SceneEntry& entry : library()) {
    EXPECT_EQ(entry.group, scene_group(entry.file));
    if (order.empty() || order.back() != entry.group) order.push_back(entry.group);
    ++sizes[entry.group];
  }
  EXPECT_EQ(order, (std::vector<std::string_view>{"Basics", "Methods", "Contact", "Garments and linen"}))
      << "each once, and none is left over";
  for (const auto& [group, size] : sizes) EXPECT_GE(size, 5) << group;
  EXPECT_EQ(library().front().file, "01-sheet.json");
  EXPECT_EQ(scene_group("99-new.json"), "More");
}

// Of all scenes only the funnel hides the cloth that falls into it.
TEST(SceneLibrary, OnlyTheFunnelIsLookedAtFromHighUp) {
  for (const SceneEntry& entry : library()) {
    const LoadedScene loaded = load_scene(entry.scene);
    Frame frame;
    frame.scene = std::make_shared<const Scene>(loaded.scene);
    frame.positions = loaded.mesh->positions;
    frame.pinned.assign(frame.positions.size(), entry.scene.pins == PinSelection(PinPreset::none) ? 0 : 1);
    EXPECT_EQ(may_fall_into_mesh(frame), entry.file == "25-funnel.json") << entry.file;
  }
}

}  // namespace
}  // namespace clothlab
