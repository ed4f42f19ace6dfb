// SPDX-License-Identifier: MIT
#include "documents/program_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#ifndef _WIN32
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

#include <array>
#include <csignal>
#include <cstdlib>
#include <fstream>

#include "core/text_file.h"
#include "io/file_lock.h"
#include "temporary_folder.h"

namespace clothlab {
namespace {

namespace fs = std::filesystem;
using ::testing::ContainsRegex;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

TEST(ProgramLog, AppendsLinesWithTheirTime) {
  const TemporaryFolder folder;
  const fs::path state = folder.path() / "state" / "clothlab";
  ProgramLog(state).write("first");
  {
    ProgramLog log(state);
    log.write("two\nlines");
    EXPECT_EQ(log.last_lines().size(), 1U);
  }
  EXPECT_THAT(read_text_file(state / "log.txt", 1000),
              MatchesRegex("[0-9-]+ [0-9:]+ \\[[0-9]+\\] first\n[0-9-]+ [0-9:]+ \\[[0-9]+\\] two lines\n"));
}

TEST(ProgramLog, IsBoundedAndRotatedOnce) {
  const TemporaryFolder folder;
  {
    ProgramLog log(folder.path());
    for (int i = 0; i < 1000; ++i) log.write(std::to_string(i) + std::string(1000, 'x'));
    EXPECT_EQ(log.last_lines().size(), ProgramLog::kKeptLines);
  }
  EXPECT_LE(fs::file_size(folder.path() / "log.txt"), ProgramLog::kLargest);
  EXPECT_LE(fs::file_size(folder.path() / "log.1.txt"), ProgramLog::kLargest);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 3);  // and log.lock
  EXPECT_THAT(read_text_file(folder.path() / "log.txt", ProgramLog::kLargest), HasSubstr(" 999x"));
}

// The process that renames it writes the next line.
TEST(ProgramLog, IsNotRotatedWhileAnotherWindowDoes) {
  const TemporaryFolder folder;
  {
    const auto lock = FileLock::try_lock(folder.path() / "log.lock");
    ASSERT_TRUE(lock);
    ProgramLog log(folder.path());
    for (int i = 0; i < 300; ++i) log.write(std::string(1000, 'x'));
  }
  EXPECT_FALSE(fs::exists(folder.path() / "log.1.txt"));
  ProgramLog(folder.path()).write("after");
  EXPECT_THAT(read_text_file(folder.path() / "log.txt", 100), EndsWith("] after\n"));
  EXPECT_TRUE(fs::exists(folder.path() / "log.1.txt"));
}

#ifdef F_SETLEASE
// A lease of another process on the file stops whoever opens it, as a slow disk does.
TEST(ProgramLog, LetsNoCallerWaitForTheDisk) {
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "log.txt").string();
  std::ofstream(file) << "";
  std::array<int, 2> leased{}, ends{};
  ASSERT_EQ(pipe(leased.data()) + pipe(ends.data()), 0);
  const pid_t other = fork();
  if (other == 0) {
    close(ends[1]);
    std::signal(SIGIO, SIG_IGN);
    const char has_lease = fcntl(open(file.c_str(), O_RDWR), F_SETLEASE, F_WRLCK) == 0 ? 1 : 0;
    char any = 0;
    if (write(leased[1], &has_lease, 1) == 1) any = read(ends[0], &any, 1) == 0 ? 0 : 1;
    _exit(0);
  }
  char has_lease = 0;
  ASSERT_EQ(read(leased[0], &has_lease, 1), 1);
  {
    ProgramLog log(folder.path());
    for (int i = 0; i < 3; ++i) log.write("line");  // would wait for the lease
    EXPECT_EQ(log.last_lines().size(), 3U);
    if (has_lease == 1) {
      EXPECT_EQ(fs::file_size(file), 0U) << "it is not stopped";
    }
    close(ends[1]);  // ends the other process and its lease
  }
  waitpid(other, nullptr, 0);
  EXPECT_THAT(read_text_file(file, 1000), ContainsRegex("line\n.*line\n.*line\n"));
  for (const int each : {leased[0], leased[1], ends[0]}) close(each);
}
#endif

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
