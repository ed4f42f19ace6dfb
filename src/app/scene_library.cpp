// SPDX-License-Identifier: MIT
#include "app/scene_library.h"

#include <algorithm>
#include <iostream>

#include "core/error.h"
#include "io/asset_path.h"
#include "runtime/scene_file.h"

namespace clothlab {
namespace {

namespace fs = std::filesystem;

Scene plain_sheet() {
  Scene scene;
  scene.title = "Sheet";
  scene.mesh = GridSource{20, 20, 1, 1};
  return scene;
}

}  // namespace

std::vector<SceneEntry> load_scene_library(const fs::path& program) {
  std::vector<SceneEntry> library;
  try {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(asset_directory(program) / "scenes")) {
      if (is_scene_file(entry.path())) files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    for (const fs::path& file : files) {
      try {
        library.push_back({read_scene_file(file), file.filename().string(), file});
      } catch (const InputError& error) {
        std::cerr << "clothlab: " << error.what() << '\n';
      }
    }
  } catch (const std::exception& error) {
    std::cerr << "clothlab: " << error.what() << '\n';
  }
  if (library.empty()) library.push_back({plain_sheet(), "", {}});
  return library;
}

}  // namespace clothlab
