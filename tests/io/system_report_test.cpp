// SPDX-License-Identifier: MIT
#include "io/system_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/about.h"

namespace clothlab {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

TEST(SystemReport, NamesVersionLibrariesSystemAndProcessor) {
  const std::string report = system_report();
  EXPECT_TRUE(report.starts_with("ClothLab " + std::string(program_version()))) << report;
  EXPECT_THAT(report, HasSubstr(program_commit()));
  EXPECT_THAT(report, HasSubstr(used_libraries().front().name));
  EXPECT_THAT(report, HasSubstr("\nSystem: "));
  EXPECT_THAT(report, MatchesRegex("(.|\n)*\nProcessor: [^\n]+, [0-9]+ threads\n"));
}

#ifndef _WIN32
TEST(WithoutHome, ReplacesTheFolderAndNoLongerName) {
  const auto hidden = [](const std::string& text, const std::string& home) {
    return without_home(text, [&](const char* name) { return name == std::string("HOME") ? home : ""; });
  };
  EXPECT_EQ(hidden("'/home/me/a.obj' and /home/me", "/home/me"), "'~/a.obj' and ~");
  EXPECT_EQ(hidden("/home/me/a.obj", "/home/me/"), "~/a.obj");
  EXPECT_EQ(hidden("/home/meadow/a.obj, /home/me-too", "/home/me"), "/home/meadow/a.obj, /home/me-too");
  EXPECT_EQ(hidden("/home/me/a.obj", ""), "/home/me/a.obj");
  EXPECT_EQ(hidden("/home/me/a.obj", "/"), "/home/me/a.obj");
}
#endif

}  // namespace
}  // namespace clothlab
