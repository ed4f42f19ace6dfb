// SPDX-License-Identifier: MIT
#include "app/program_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "core/text_file.h"
#include "temporary_folder.h"

namespace clothlab {
namespace {

namespace fs = std::filesystem;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

TEST(ProgramLog, AppendsLinesWithTheirTime) {
  const TemporaryFolder folder;
  const fs::path state = folder.path() / "state" / "clothlab";
  ProgramLog(state).write("first");
  ProgramLog log(state);
  log.write("two\nlines");
  EXPECT_THAT(read_text_file(state / "log.txt", 1000),
              MatchesRegex("[0-9-]+ [0-9:]+ first\n[0-9-]+ [0-9:]+ two lines\n"));
  EXPECT_EQ(log.last_lines().size(), 1U);
}

TEST(ProgramLog, IsBoundedAndRotatedOnce) {
  const TemporaryFolder folder;
  ProgramLog log(folder.path());
  for (int i = 0; i < 1000; ++i) log.write(std::to_string(i) + std::string(1000, 'x'));
  EXPECT_LE(fs::file_size(folder.path() / "log.txt"), ProgramLog::kLargest);
  EXPECT_LE(fs::file_size(folder.path() / "log.1.txt"), ProgramLog::kLargest);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 2);
  EXPECT_THAT(read_text_file(folder.path() / "log.txt", ProgramLog::kLargest), HasSubstr(" 999x"));
  EXPECT_EQ(log.last_lines().size(), ProgramLog::kKeptLines);
}

TEST(ProgramLog, HidesTheHomeFolder) {
  const char* home = std::getenv("HOME");
  if (home == nullptr || std::string(home) == "/") GTEST_SKIP() << "there is no home folder";
  ProgramLog log({});
  log.write("Saved " + std::string(home) + "/scene.json");
  EXPECT_THAT(log.last_lines().back(), EndsWith("Saved ~/scene.json"));
}

TEST(ProgramLog, IgnoresAFolderThatCannotBeWrittenTo) {
  ProgramLog log("/proc/no/such/folder");
  log.write("text");
  EXPECT_EQ(log.last_lines().size(), 1U);
}

}  // namespace
}  // namespace clothlab
