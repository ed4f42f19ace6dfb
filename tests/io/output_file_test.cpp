// SPDX-License-Identifier: MIT
#include "io/output_file.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "core/error.h"
#include "temporary_folder.h"

#ifndef _WIN32
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#endif

namespace clothlab {
namespace {

namespace fs = std::filesystem;

std::size_t entries(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST(OutputFile, AppearsOnCommitAndLeavesNothingElse) {
  const TemporaryFolder folder;
  {
    OutputFile file(folder / "a.csv");
    file.write("one\n");
    file.write(std::string(200000, 'x'));
    EXPECT_FALSE(fs::exists(folder / "a.csv"));
    file.commit();
    EXPECT_EQ(bytes_of(folder / "a.csv"), "one\n" + std::string(200000, 'x'));
  }
  EXPECT_EQ(entries(folder.path()), 1u);
}

TEST(OutputFile, WithoutCommitTheOldFileStays) {
  const TemporaryFolder folder;
  const fs::path path = folder.write("a.csv", "old");
  {
    OutputFile file(path);
    file.write(std::string(200000, 'x'));
    EXPECT_EQ(bytes_of(path), "old");
  }
  EXPECT_EQ(bytes_of(path), "old");
  EXPECT_EQ(entries(folder.path()), 1u);
  write_file(path, "new");
  EXPECT_EQ(bytes_of(path), "new");
}

TEST(OutputFile, RemovesWhatAKilledProcessLeft) {
  const TemporaryFolder folder;
  const auto aged = [&](const char* name, int hours) {
    const fs::path path = folder.write(name, "half");
    fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::hours(hours));
    return path;
  };
  const fs::path stale = aged(".clothlab-1-0.part", 2), young = aged(".clothlab-1-1.part", 0);
  const fs::path others = aged(".clothlab-notes", 2), no_part = aged("a.part", 2);
  OutputFile in_progress(folder / "b.csv");
  fs::path written;  // by this process, for hours
  for (const auto& entry : fs::directory_iterator(folder.path()))
    if (entry.path() != young && entry.path().extension() == ".part" && entry.path() != no_part)
      written = entry.path();
  ASSERT_FALSE(written.empty());
  EXPECT_FALSE(fs::exists(stale));
  for (const fs::path& kept : {young, others, no_part, written}) EXPECT_TRUE(fs::exists(kept)) << kept;
}

#ifndef _WIN32
TEST(OutputFile, LeavesWhatAnotherProcessIsWriting) {
  const TemporaryFolder folder;
  const fs::path part = folder.write(".clothlab-1-0.part", "half");
  fs::last_write_time(part, fs::file_time_type::clock::now() - std::chrono::hours(2));
  const int descriptor = ::open(part.c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_EQ(::flock(descriptor, LOCK_EX | LOCK_NB), 0);
  write_file(folder / "a.csv", "a");
  EXPECT_TRUE(fs::exists(part));
  ::close(descriptor);
}
#endif

TEST(OutputFile, ManyAtATimeDoNotMeet) {
  const TemporaryFolder folder;
  OutputFile a(folder / "a"), b(folder / "b"), again(folder / "a");
  a.write("a");
  b.write("b");
  again.write("A");
  a.commit();
  b.commit();
  EXPECT_EQ(bytes_of(folder / "a"), "a");
  again.commit();
  EXPECT_EQ(bytes_of(folder / "a"), "A");
  EXPECT_EQ(bytes_of(folder / "b"), "b");
}

TEST(OutputFile, IsKnownBeforehandNotToBeWritable) {
  const TemporaryFolder folder;
  const auto refusal = [](const fs::path& path) {
    const std::string message = message_of<InputError>([&] { check_writable(path); });
    EXPECT_EQ(message_of<InputError>([&] { OutputFile file(path); }), message);
    return message;
  };
  EXPECT_NE(refusal(folder.path()).find("it is a folder"), std::string::npos);
  EXPECT_NE(refusal(folder / "no" / "file").find("there is no folder"), std::string::npos);
  EXPECT_NE(refusal(folder / "no/").find("cannot write"), std::string::npos);
  EXPECT_NE(refusal(folder.write("file", "") / "x").find("cannot write"), std::string::npos);
  EXPECT_NE(refusal("").find("without a name"), std::string::npos);
  EXPECT_EQ(entries(folder.path()), 1u);
  EXPECT_NO_THROW(check_writable(folder / "new"));
  EXPECT_NO_THROW(check_writable(folder / "file"));
  EXPECT_NO_THROW(check_writable("just_a_name"));
  EXPECT_EQ(entries(folder.path()), 1u);  // checking creates nothing
}

#ifndef _WIN32

TEST(OutputFile, RespectsPermissions) {
  const TemporaryFolder folder;
  const fs::path file = folder.write("read_only", "x");
  fs::permissions(file, fs::perms::owner_read);
  fs::create_directory(folder / "locked");
  fs::permissions(folder / "locked", fs::perms::owner_read | fs::perms::owner_exec);
  {
    const Unprivileged user;
    EXPECT_NE(message_of<InputError>([&] { check_writable(file); }).find("Permission denied"),
              std::string::npos);
    EXPECT_NE(
        message_of<InputError>([&] { check_writable(folder / "locked/new"); }).find("Permission denied"),
        std::string::npos);
  }
  fs::permissions(folder / "locked", fs::perms::owner_all);
}

TEST(OutputFile, KeepsThePermissionsOfTheFileItReplaces) {
  const TemporaryFolder folder;
  const fs::path path = folder.write("a", "old");
  fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
  write_file(path, "new");
  EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST(OutputFile, FollowsSymbolicLinks) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "far");
  fs::create_symlink("far/target", folder / "link");
  write_file(folder / "link", "first");  // the link's target is yet to be made
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_EQ(bytes_of(folder / "far/target"), "first");
  write_file(folder / "link", "second");
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_EQ(bytes_of(folder / "far/target"), "second");
  EXPECT_EQ(entries(folder / "far"), 1u);
  fs::create_symlink("loop", folder / "loop");
  EXPECT_THROW(check_writable(folder / "loop"), InputError);
}

TEST(OutputFile, AFullDiskIsASystemError) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  EXPECT_NO_THROW(check_writable("/dev/full"));
  const std::string message = message_of<SystemError>([] { write_file("/dev/full", "x"); });
  EXPECT_NE(message.find("/dev/full: No space left"), std::string::npos) << message;
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

TEST(OutputFile, WritesToANamedPipeAndLeavesItThere) {
  const TemporaryFolder folder;
  const fs::path pipe = folder / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_NO_THROW(check_writable(pipe));  // and does not wait for a reader
  std::string received;
  std::thread reader([&] { received = bytes_of(pipe); });
  write_file(pipe, "through the pipe");
  reader.join();
  EXPECT_EQ(received, "through the pipe");
  EXPECT_TRUE(fs::is_fifo(pipe));
  EXPECT_EQ(entries(folder.path()), 1u);
}

/// The standard output of this process, sent to a file for a while.
class StandardOutputTo {
 public:
  explicit StandardOutputTo(const fs::path& path) : saved_(dup(1)) {
    std::fflush(stdout);
    const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(file, 1);
    close(file);
  }
  ~StandardOutputTo() {
    dup2(saved_, 1);
    close(saved_);
  }
  StandardOutputTo(const StandardOutputTo&) = delete;
  StandardOutputTo& operator=(const StandardOutputTo&) = delete;

 private:
  int saved_;
};

TEST(OutputFile, StandardOutputSentToAFileIsAppendedToNotReplaced) {
  const TemporaryFolder folder;
  {
    const StandardOutputTo redirected(folder / "out");
    ASSERT_EQ(write(1, "before ", 7), 7);
    for (const char* name : {"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"}) {
      EXPECT_NO_THROW(check_writable(name));
      write_file(name, "results ");
    }
    ASSERT_EQ(write(1, "after", 5), 5);
  }
  EXPECT_EQ(bytes_of(folder / "out"), "before results results results after");
  EXPECT_EQ(entries(folder.path()), 1u);
}

TEST(OutputFile, ADescriptorThatIsNotOpenIsRefused) {
  EXPECT_THROW(check_writable("/dev/fd/987"), InputError);
  EXPECT_THROW(OutputFile("/proc/self/fd/987"), InputError);
}

#endif

}  // namespace
}  // namespace clothlab
