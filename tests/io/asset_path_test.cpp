// SPDX-License-Identifier: MIT
#include "io/asset_path.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "core/error.h"

namespace clothlab {
namespace {
namespace fs = std::filesystem;

class AssetPath : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(prefix_ / "bin"); }
  void TearDown() override { fs::remove_all(prefix_); }

  const fs::path prefix_ =
      fs::path(testing::TempDir()) /
      (std::string("clothlab_") + testing::UnitTest::GetInstance()->current_test_info()->name());
  const fs::path executable_ = prefix_ / "bin" / "clothlab";
  const fs::path beside_ = prefix_ / "bin" / "assets";
  const fs::path installed_ = prefix_ / "share" / "clothlab" / "assets";
};

TEST_F(AssetPath, FindsTheInstalledFolder) {
  fs::create_directories(installed_);
  EXPECT_EQ(asset_directory(executable_), installed_);
}

TEST_F(AssetPath, PrefersTheFolderBesideTheProgram) {
  fs::create_directories(installed_);
  fs::create_directories(beside_);
  EXPECT_EQ(asset_directory(executable_), beside_);
}

TEST_F(AssetPath, NamesBothPlacesWhenThereIsNeither) {
  try {
    asset_directory(executable_);
    FAIL() << "nothing thrown";
  } catch (const SystemError& error) {
    const std::string sentence = error.what();
    EXPECT_NE(sentence.find(beside_.string()), std::string::npos) << sentence;
    EXPECT_NE(sentence.find(installed_.string()), std::string::npos) << sentence;
  }
}

TEST(ExecutablePath, IsAnAbsolutePathToThisProgram) {
  const fs::path path = executable_path("nonsense");
  EXPECT_TRUE(path.is_absolute()) << path;
  EXPECT_TRUE(fs::is_regular_file(path)) << path;
}

}  // namespace
}  // namespace clothlab
