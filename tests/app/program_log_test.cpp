// SPDX-License-Identifier: MIT
#include "app/program_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "core/text_file.h"
#include "io/file_lock.h"
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
              MatchesRegex("[0-9-]+ [0-9:]+ \\[[0-9]+\\] first\n[0-9-]+ [0-9:]+ \\[[0-9]+\\] two lines\n"));
  EXPECT_EQ(log.last_lines().size(), 1U);
}

TEST(ProgramLog, IsBoundedAndRotatedOnce) {
  const TemporaryFolder folder;
  ProgramLog log(folder.path());
  for (int i = 0; i < 1000; ++i) log.write(std::to_string(i) + std::string(1000, 'x'));
  EXPECT_LE(fs::file_size(folder.path() / "log.txt"), ProgramLog::kLargest);
  EXPECT_LE(fs::file_size(folder.path() / "log.1.txt"), ProgramLog::kLargest);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 3);  // and log.lock
  EXPECT_THAT(read_text_file(folder.path() / "log.txt", ProgramLog::kLargest), HasSubstr(" 999x"));
  EXPECT_EQ(log.last_lines().size(), ProgramLog::kKeptLines);
}

// The process that renames it writes the next line.
TEST(ProgramLog, IsNotRotatedWhileAnotherWindowDoes) {
  const TemporaryFolder folder;
  ProgramLog log(folder.path());
  {
    const auto lock = FileLock::try_lock(folder.path() / "log.lock");
    ASSERT_TRUE(lock);
    for (int i = 0; i < 300; ++i) log.write(std::string(1000, 'x'));
    EXPECT_FALSE(fs::exists(folder.path() / "log.1.txt"));
  }
  log.write("after");
  EXPECT_THAT(read_text_file(folder.path() / "log.txt", 100), EndsWith("] after\n"));
  EXPECT_TRUE(fs::exists(folder.path() / "log.1.txt"));
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
