// SPDX-License-Identifier: MIT
#include "io/config_folder.h"

#include <gtest/gtest.h>

#include <map>

namespace clothlab {
namespace {

Environment environment(std::map<std::string, std::string> values) {
  return [values = std::move(values)](const char* name) {
    const auto found = values.find(name);
    return found == values.end() ? std::string() : found->second;
  };
}

#if !defined(_WIN32) && !defined(__APPLE__)
TEST(ConfigFolder, IsThePlatforms) {
  EXPECT_EQ(config_folder(environment({{"XDG_CONFIG_HOME", "/etc/me"}, {"HOME", "/home/me"}})),
            "/etc/me/clothlab");
  EXPECT_EQ(config_folder(environment({{"HOME", "/home/me"}})), "/home/me/.config/clothlab");
}

TEST(ConfigFolder, IsNeverBelowTheWorkingFolder) {
  EXPECT_EQ(config_folder(environment({})), "");
  EXPECT_EQ(config_folder(environment({{"HOME", "here"}, {"XDG_CONFIG_HOME", "."}})), "");
  EXPECT_EQ(config_folder(environment({{"HOME", "/home/me"}, {"XDG_CONFIG_HOME", "settings"}})),
            "/home/me/.config/clothlab");
}

TEST(StateFolder, IsThePlatforms) {
  EXPECT_EQ(state_folder(environment({{"XDG_STATE_HOME", "/var/me"}, {"HOME", "/home/me"}})),
            "/var/me/clothlab");
  EXPECT_EQ(state_folder(environment({{"HOME", "/home/me"}, {"XDG_STATE_HOME", "here"}})),
            "/home/me/.local/state/clothlab");
  EXPECT_EQ(state_folder(environment({})), "");
}
#endif

TEST(PicturesFolder, IsAFolderThatExists) {
  EXPECT_TRUE(std::filesystem::is_directory(pictures_folder(environment({}))));
  EXPECT_TRUE(std::filesystem::is_directory(pictures_folder(environment({{"HOME", "/no/such/folder"}}))));
}

}  // namespace
}  // namespace clothlab
