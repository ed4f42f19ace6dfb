// SPDX-License-Identifier: MIT
// Settings that the window keeps from one start to the next.

#include "app/preferences.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <string>
#include <string_view>
#include <vector>

#include "temporary_folder.h"

namespace clothlab {
namespace {

/// Every variable that names a folder names this one.
Environment home(const TemporaryFolder& folder) {
  return [path = folder.path().string()](const char*) { return path; };
}

TEST(Preferences, ComeBackAsTheyWere) {
  const TemporaryFolder folder;
  const std::filesystem::path mesh = folder.write("my cloth.obj", "v 0 0 0\n");
  Preferences before;
  before.add_recent(mesh);
  before.save_folder = folder.path();
  before.window = WindowGeometry{10, 20, 1300, 800};
  before.tab = "View";
  before.view.plots = false;
  before.view.plots_layout.height = 250;
  before.view.panel_width = 512;
  before.view.plots_layout.choose({"Energy", "Strain"});
  before.view.plots_layout.set_with_gravity(false);
  before.view.history_megabytes = 64;
  before.view.grab_strength = 0.25;
  before.view.write_session = false;
  before.view.look_ahead = LookAheadChoice::off;
  before.view.trackpad = true;
  before.view.recording = {.pictures = false,
                           .meshes = true,
                           .frames_per_second = 25,
                           .video = true,
                           .comparison = true,
                           .plot = LanePlot::strain};
  before.view.interface_scale = 1.25;
  before.view.theme = Theme::light;
  before.view.hints_done = {true, false, true, false};
  before.save(home(folder));

  const Preferences after = Preferences::load(home(folder));
  EXPECT_EQ(after.recent_files, before.recent_files);
  EXPECT_EQ(after.save_folder, before.save_folder);
  ASSERT_TRUE(after.window);
  EXPECT_EQ(after.window->x, 10);
  EXPECT_EQ(after.window->height, 800);
  EXPECT_EQ(after.tab, "View");
  EXPECT_FALSE(after.view.plots);
  EXPECT_EQ(after.view.plots_layout.height, 250);
  EXPECT_EQ(after.view.panel_width, 512);
  EXPECT_EQ(after.view.plots_layout.titles(), before.view.plots_layout.titles());
  EXPECT_FALSE(after.view.plots_layout.with_gravity());
  EXPECT_EQ(after.view.history_megabytes, 64);
  EXPECT_EQ(after.view.grab_strength, 0.25);
  EXPECT_FALSE(after.view.write_session);
  EXPECT_EQ(after.view.look_ahead, LookAheadChoice::off);
  EXPECT_TRUE(after.view.trackpad);
  EXPECT_FALSE(after.view.recording.pictures);
  EXPECT_TRUE(after.view.recording.meshes);
  EXPECT_EQ(after.view.recording.frames_per_second, 25);
  EXPECT_TRUE(after.view.recording.video);
  EXPECT_TRUE(after.view.recording.comparison);
  EXPECT_EQ(after.view.recording.plot, LanePlot::strain);
  EXPECT_EQ(after.view.interface_scale, 1.25);
  EXPECT_EQ(after.view.theme, Theme::light);
  EXPECT_EQ(after.view.hints_done, before.view.hints_done);
}

// JSON cannot hold a name that is not UTF-8: that one is not remembered, all else is.
TEST(Preferences, ANameThatIsNotUtf8LosesNothingElse) {
  const TemporaryFolder folder;
  const std::filesystem::path plain = folder.write("plain.obj", "v 0 0 0\n");
  Preferences before;
  before.add_recent(plain);
  before.add_recent(folder.write("caf\xe9.obj", "v 0 0 0\n"));
  before.save_folder = folder / "caf\xe9";
  before.view.theme = Theme::light;
  before.save(home(folder));
  const Preferences after = Preferences::load(home(folder));
  EXPECT_EQ(after.recent_files, std::vector<std::filesystem::path>{plain});
  EXPECT_EQ(after.view.theme, Theme::light);
}

#ifndef _WIN32
// Opening one without a reader would never end.
TEST(Preferences, APipeIsNotWrittenTo) {
  const TemporaryFolder folder;
  Preferences{}.save(home(folder));
  const auto file = config_folder(home(folder)) / "settings.json";
  std::filesystem::remove(file);
  ASSERT_EQ(mkfifo(file.c_str(), 0600), 0);
  Preferences{}.save(home(folder));
  EXPECT_TRUE(std::filesystem::is_fifo(file));
}
#endif

TEST(Preferences, WhatMakesNoSenseHasItsDefault) {
  const TemporaryFolder folder;
  Preferences{}.save(home(folder));
  const auto file = config_folder(home(folder)) / "settings.json";
  ASSERT_TRUE(std::filesystem::exists(file));
  const auto load = [&](std::string_view text) {
    std::ofstream(file, std::ios::binary) << text;
    return Preferences::load(home(folder)).view.recording;
  };
  for (const std::string_view text :
       {"", "[1]", R"({"recording": {"meshes": true}, "recording": {"meshes": true}})", R"({"recording": 5})",
        R"({"recording": {"meshes": "no", "frames_per_second": []}})"}) {
    EXPECT_TRUE(load(text).pictures) << text;
    EXPECT_FALSE(load(text).meshes) << text;
    EXPECT_EQ(load(text).frames_per_second, 60) << text;
  }
  EXPECT_EQ(load(R"({"recording": {"frames_per_second": 1e9}})").frames_per_second, 1000);
  EXPECT_EQ(load(R"({"recording": {"frames_per_second": -1}})").frames_per_second, 1);
}

}  // namespace
}  // namespace clothlab
