// SPDX-License-Identifier: MIT
#include "documents/video_writer.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>

#include "core/error.h"
#include "temporary_folder.h"

namespace clothlab {
namespace {

namespace fs = std::filesystem;

/// PATH until the end of a test.
class SearchPath {
 public:
  explicit SearchPath(const std::string& value) : before_(std::getenv("PATH")) {
    ::setenv("PATH", value.c_str(), 1);
  }
  ~SearchPath() { ::setenv("PATH", before_.c_str(), 1); }

 private:
  std::string before_;
};

/// Puts a program "ffmpeg" that runs these commands of the shell into the folder.
void put_ffmpeg(const fs::path& folder, const std::string& commands) {
  std::ofstream(folder / "ffmpeg") << "#!/bin/sh\n" << commands << "\n";
  ::chmod((folder / "ffmpeg").c_str(), 0755);
}

std::string sentence_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return {};
}

Image grey(std::uint8_t value, int width = 64, int height = 48) {
  return {width, height, std::vector<std::uint8_t>(static_cast<std::size_t>(width * height * 4), value)};
}

std::size_t files_in(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), {}));
}

TEST(FrameClock, FramesAreEvenInTimeForAnyStep) {
  for (const double dt : {0.001, 1.0 / 60, 0.01, 0.1, 0.25}) {
    FrameClock clock(1.0 / 30);
    std::uint64_t frames = 0;
    double time = 5;
    for (int step = 0; step <= std::lround(2 / dt); ++step, time += dt) {
      const std::uint64_t due = clock.due(time);
      // Frame k is at 5 + k/30 s, and shows the first step at or after it.
      for (std::uint64_t k = 0; k < due; ++k, ++frames) {
        const double at = 5 + static_cast<double>(frames) / 30;
        EXPECT_LE(at, time + 1e-6);
        EXPECT_GT(at, time - dt - 1e-6);
      }
    }
    EXPECT_EQ(frames, 61U) << dt;
  }
}

TEST(FrameClock, GoesOnFromAnEarlierTime) {
  FrameClock clock(0.5);
  EXPECT_EQ(clock.due(0), 1U);
  EXPECT_EQ(clock.due(0.4), 0U);
  EXPECT_EQ(clock.due(1), 2U);
  EXPECT_EQ(clock.due(0.25), 1U);
  EXPECT_EQ(clock.due(0.7), 0U);
  EXPECT_EQ(clock.due(0.75), 1U);
}

TEST(VideoFile, IsAnAnimatedPngWithoutFfmpeg) {
  const TemporaryFolder folder;
  const SearchPath path(folder.path().string());
  const VideoFile without = choose_video_file(folder / "a.MP4");
  EXPECT_EQ(without.path, folder / "a.apng");
  EXPECT_NE(without.notice.find("no program ffmpeg in PATH"), std::string::npos);
  EXPECT_EQ(choose_video_file(folder / "a.png").path, folder / "a.png");
  fs::create_directory(folder / "ffmpeg");  // a folder is no program
  EXPECT_FALSE(choose_video_file(folder / "a.mp4").notice.empty());
  fs::remove(folder / "ffmpeg");
  std::ofstream(folder / "ffmpeg") << "not executable";
  EXPECT_FALSE(choose_video_file(folder / "a.mp4").notice.empty());
  put_ffmpeg(folder.path(), "exit 0");
  EXPECT_EQ(choose_video_file(folder / "a.mp4").path, folder / "a.mp4");
  EXPECT_TRUE(choose_video_file(folder / "a.mp4").notice.empty());
}

/// A folder of programs, the only one of PATH, and one for videos.
class VideoWriterWithFfmpeg : public ::testing::Test {
 protected:
  VideoWriterWithFfmpeg() {
    fs::create_directory(programs);
    fs::create_directory(out);
  }

  const TemporaryFolder folder;
  const fs::path programs = folder / "bin", out = folder / "out";
  const SearchPath path{programs.string()};
};

TEST(VideoWriter, RefusesOddSizesAndFilesThatCannotBeWritten) {
  const TemporaryFolder folder;
  EXPECT_THROW(VideoWriter(folder / "a.mp4", 63, 48, 30), InputError);
  EXPECT_THROW(VideoWriter(folder / "a.mp4", 64, 49, 30), InputError);
  EXPECT_THROW(VideoWriter(folder / "no" / "a.apng", 64, 48, 30), InputError);
  EXPECT_THROW(VideoWriter("/dev/null", 64, 48, 30), InputError);
  const SearchPath path((folder / "no").string());
  const std::string told = sentence_of([&] { VideoWriter(folder / "a.mp4", 64, 48, 30); });
  EXPECT_NE(told.find("ffmpeg cannot be started: No such file"), std::string::npos) << told;
  EXPECT_EQ(files_in(folder.path()), 0U);
}

TEST_F(VideoWriterWithFfmpeg, ReportsTheLastLineOfAFailedFfmpegAndLeavesNoFile) {
  put_ffmpeg(programs, "echo first >&2; echo the encoder is missing >&2; exit 1");
  {
    VideoWriter writer(out / "a.mp4", 64, 48, 30);
    std::this_thread::sleep_for(std::chrono::milliseconds(300));  // once it has ended, a write is EPIPE
    const std::string told = sentence_of([&] {
      for (int k = 0; k < 1000; ++k) writer.add(grey(9));  // SIGPIPE would end the test
    });
    EXPECT_NE(told.find("ffmpeg could not write"), std::string::npos) << told;
    EXPECT_TRUE(told.ends_with(": the encoder is missing.")) << told;
  }
  EXPECT_EQ(files_in(out), 0U);

  put_ffmpeg(programs, "PATH=/usr/bin:/bin; cat > /dev/null; printf 'disk full' >&2; exit 3");
  {
    VideoWriter writer(out / "a.mp4", 64, 48, 30);
    writer.add(grey(9));
    const std::string told = sentence_of([&] { writer.finish(); });
    EXPECT_TRUE(told.ends_with("a.mp4: disk full.")) << told;
  }
  EXPECT_EQ(files_in(out), 0U);
}

TEST_F(VideoWriterWithFfmpeg, LeavesNoFileOfAnFfmpegWhoseEndIsUnknownOrThatWroteNothing) {
  const auto told = [&] {
    VideoWriter writer(out / "a.mp4", 64, 48, 30);
    writer.add(grey(9));
    return sentence_of([&] { writer.finish(); });
  };
  put_ffmpeg(programs, "PATH=/usr/bin:/bin; cat > /dev/null; exit 0");
  EXPECT_TRUE(told().ends_with("a.mp4: it printed no reason."));
  EXPECT_EQ(files_in(out), 0U);
  const auto before = std::signal(SIGCHLD, SIG_IGN);
  put_ffmpeg(programs, "PATH=/usr/bin:/bin; cat > /dev/null; exit 3");
  EXPECT_TRUE(told().starts_with("The end of ffmpeg was not reported: No child processes."));
  std::signal(SIGCHLD, before);
  EXPECT_EQ(files_in(out), 0U);
}

TEST_F(VideoWriterWithFfmpeg, GivesUpAnFfmpegThatDoesNotEnd) {
  const std::string shell = "PATH=/usr/bin:/bin; ";
  {
    put_ffmpeg(programs, shell + "echo $$ > " + (folder / "id").string() + "; cat > /dev/null; sleep 100");
    VideoWriter writer(out / "a.mp4", 64, 48, 30, 1);
    writer.add(grey(9));
    const std::string told = sentence_of([&] { writer.finish(); });
    EXPECT_TRUE(told.starts_with("ffmpeg has written nothing for 1 s, so the video ")) << told;
    EXPECT_NE(::kill(std::stoi(bytes_of(folder / "id")), 0), 0) << "it still runs";
  }
  {
    put_ffmpeg(programs, shell + "sleep 100");
    VideoWriter writer(out / "a.mp4", 64, 48, 30, 1);
    const std::string told = sentence_of([&] {
      for (int k = 0; k < 1000; ++k) writer.add(grey(9));
    });
    EXPECT_TRUE(told.starts_with("ffmpeg has read no picture for 1 s, so the video ")) << told;
  }
  {
    put_ffmpeg(programs, shell + "exec < /dev/null; sleep 100");  // it reads no more, and does not end
    VideoWriter writer(out / "a.mp4", 64, 48, 30, 1);
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    const std::string told = sentence_of([&] {
      for (int k = 0; k < 1000; ++k) writer.add(grey(9));
    });
    EXPECT_TRUE(told.starts_with("ffmpeg has written nothing for 1 s, so the video ")) << told;
  }
  EXPECT_EQ(files_in(out), 0U);
  // One that writes for longer than the patience is not given up.
  put_ffmpeg(programs, shell +
                           "for a in \"$@\"; do f=${a#file:}; done; cat > /dev/null\n"
                           "for k in 1 2 3 4 5 6; do sleep 0.4; echo $k >> \"$f\"; done");
  VideoWriter writer(out / "a.mp4", 64, 48, 30, 1);
  writer.add(grey(9));
  EXPECT_EQ(sentence_of([&] { writer.finish(); }), "");
  EXPECT_EQ(bytes_of(out / "a.mp4"), "1\n2\n3\n4\n5\n6\n");
}

TEST(VideoWriter, LeavesThePreviousFileWhenItIsCancelled) {
  const TemporaryFolder folder;
  for (const char* name : {"a.apng", "a.mp4"}) {
    if (choose_video_file(folder / name).path != folder / name)
      continue;  // the command-line test skips loudly
    std::ofstream(folder / name) << "previous";
    {
      VideoWriter writer(folder / name, 64, 48, 30);
      for (int k = 0; k < 30; ++k) writer.add(grey(9));
    }
    EXPECT_EQ(bytes_of(folder / name), "previous");
    fs::remove(folder / name);
    EXPECT_EQ(files_in(folder.path()), 0U);
  }
}

}  // namespace
}  // namespace clothlab
