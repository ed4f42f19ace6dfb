// SPDX-License-Identifier: MIT
#include "app/scene_library.h"

#include <algorithm>
#include <array>
#include <iostream>
#include <utility>

#include "core/error.h"
#include "documents/scene_file.h"
#include "io/asset_path.h"

namespace clothlab {
namespace {

namespace fs = std::filesystem;

struct Group {
  std::string_view title;
  std::string_view numbers;  // with which the names of its files begin
};
constexpr std::array kGroups{
    Group{"Basics", "01 02 03 04 05 06 07 08 33 37"},
    Group{"Methods", "10 11 12 13 14 15 16 17 18 19 20 21 32 34 35"},
    Group{"Contact", "09 22 23 25 26 30 36 38"},
    Group{"Garments and linen", "24 27 28 29 31 39"},
    Group{"More", ""},
};

const Group& group_of(std::string_view file) {
  return *std::ranges::find_if(kGroups, [&](const Group& group) {
    return group.numbers.empty() || group.numbers.find(file.substr(0, 2)) != std::string_view::npos;
  });
}

Scene plain_sheet() {
  Scene scene;
  scene.title = "Sheet";
  scene.mesh = GridSource{20, 20, 1, 1};
  return scene;
}

}  // namespace

std::string_view scene_group(std::string_view file) { return group_of(file).title; }

std::vector<SceneEntry> load_scene_library(const fs::path& program) {
  std::vector<SceneEntry> library;
  try {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(asset_directory(program) / "scenes"))
      if (kind_of(entry.path()) == FileKind::scene) files.push_back(entry.path());
    std::ranges::sort(files);
    for (const fs::path& file : files) {
      try {
        const std::string name = file.filename().string();
        SceneExtras extras;
        Scene scene = read_scene_file(file, {}, &extras);
        library.push_back({std::move(scene), std::move(extras.lanes), name, file, scene_group(name)});
      } catch (const InputError& error) {
        std::cerr << "clothlab: " << error.what() << '\n';
      }
    }
  } catch (const std::exception& error) {
    std::cerr << "clothlab: " << error.what() << '\n';
  }
  std::ranges::stable_sort(library, {}, [](const SceneEntry& entry) { return &group_of(entry.file); });
  if (library.empty()) library.push_back({plain_sheet(), {}, "", {}});
  return library;
}

}  // namespace clothlab
