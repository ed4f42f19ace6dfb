// SPDX-License-Identifier: MIT
#include "documents/video_writer.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/text.h"
#include "core/text_file.h"
#include "io/output_file.h"
#include "io/png.h"

#ifdef __linux__
#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

namespace clothlab {
namespace {

namespace fs = std::filesystem;

// Simulated time is a sum of rounded steps: a frame that is due within so much of its spacing is due now.
constexpr double kRounding = 1e-6;

#ifdef __linux__
constexpr const char* kWhyNoMp4 = "There is no program ffmpeg in PATH, which MP4 files need";
#else
constexpr const char* kWhyNoMp4 = "MP4 files are written on Linux only";
#endif

bool is_mp4(const fs::path& path) { return lower_case(utf8_of(path.extension())) == ".mp4"; }

/// The program in the folders of PATH; empty if it is in none of them, and on systems where it is not used.
fs::path find_ffmpeg() {
#ifdef __linux__
  const char* const list = std::getenv("PATH");
  std::string_view rest = list ? list : "";
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    const fs::path program = fs::path(rest.substr(0, end)) / "ffmpeg";
    std::error_code error;
    if (program.is_absolute() && fs::is_regular_file(program, error) && ::access(program.c_str(), X_OK) == 0)
      return program;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
#endif
  return {};
}

}  // namespace

std::uint64_t FrameClock::due(double time) {
  if (!start_ || time < last_) {
    start_ = time;
    shown_ = 0;
  }
  last_ = time;
  std::uint64_t count = 0;
  for (; *start_ + (static_cast<double>(shown_) - kRounding) * spacing_ <= time; ++shown_) ++count;
  return count;
}

VideoFile choose_video_file(const fs::path& path) {
  if (!is_mp4(path) || !find_ffmpeg().empty()) return {path, {}};
  fs::path instead = path;
  instead.replace_extension(".apng");
  return {instead, std::string(kWhyNoMp4) + ": the video is an animated PNG, " + shown_path(instead) + "."};
}

void check_video_size(const fs::path& path, int width, int height) {
  if (is_mp4(path) && (width % 2 != 0 || height % 2 != 0))
    throw InputError("An MP4 video needs an even width and height, not " + std::to_string(width) + "x" +
                     std::to_string(height) + ".");
}

#ifndef __linux__

struct VideoWriter::Ffmpeg {
  Ffmpeg(const fs::path&, int, int, double, int) {
    throw SystemError("MP4 files cannot be written on this system; animated PNG files can (.apng).");
  }
  void add(const Image&) {}
  void finish() {}
};

#else

/// A running ffmpeg, which reads pictures from a socket and writes an MP4 file.
struct VideoWriter::Ffmpeg {
 public:
  Ffmpeg(const fs::path& path, int width, int height, double frames_per_second, int patience)
      : given_(path), file_((check_replaceable(path), path)), patience_(patience) {
    const std::string size = std::to_string(width) + "x" + std::to_string(height);
    // Colours as players expect them of HD; the index at the start of the file, for players that read from a
    // server; "file:", since a name may look like a protocol.
    std::vector<std::string> arguments{"ffmpeg",
                                       "-hide_banner",
                                       "-loglevel",
                                       "error",
                                       "-nostdin",
                                       "-y",
                                       "-f",
                                       "rawvideo",
                                       "-pixel_format",
                                       "rgba",
                                       "-video_size",
                                       size,
                                       "-framerate",
                                       format_number(frames_per_second),
                                       "-i",
                                       "pipe:0",
                                       "-vf",
                                       "scale=out_color_matrix=bt709:out_range=tv,format=yuv420p",
                                       "-c:v",
                                       "libx264",
                                       "-preset",
                                       "veryfast",
                                       "-crf",
                                       "18",
                                       "-colorspace",
                                       "bt709",
                                       "-color_primaries",
                                       "bt709",
                                       "-color_trc",
                                       "bt709",
                                       "-movflags",
                                       "+faststart",
                                       "-f",
                                       "mp4",
                                       "file:" + file_.part().string()};
    std::vector<char*> pointers;
    for (std::string& argument : arguments) pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    start(pointers);
  }
  ~Ffmpeg() {
    close_input();
    kill();
    if (errors_ != nullptr) std::fclose(errors_);
  }
  Ffmpeg(const Ffmpeg&) = delete;
  Ffmpeg& operator=(const Ffmpeg&) = delete;

  void add(const Image& picture) {
    std::string_view rest(reinterpret_cast<const char*>(picture.rgba.data()), picture.rgba.size());
    while (!rest.empty()) {
      const ssize_t sent = ::send(input_, rest.data(), rest.size(), MSG_NOSIGNAL);
      if (sent < 0 && errno == EINTR) continue;
      if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) give_up("read no picture");
      if (sent < 0) {  // it has ended
        close_input();
        wait();
        fail();
      }
      rest.remove_prefix(static_cast<std::size_t>(sent));
    }
  }

  void finish() {
    close_input();
    std::error_code error;
    if (wait() != 0 || fs::file_size(file_.part(), error) == 0) fail();
    file_.commit();
  }

 private:
  [[noreturn]] static void fail_to_start(int error) {
    throw SystemError("The program ffmpeg cannot be started: " + std::generic_category().message(error) +
                      ".");
  }

  void start(const std::vector<char*>& arguments) {
    std::array<int, 2> ends{};
    // A socket, for MSG_NOSIGNAL: a write to a pipe without a reader would end this process.
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) fail_to_start(errno);
    input_ = ends[0];
    const timeval patience{.tv_sec = patience_, .tv_usec = 0};
    ::setsockopt(input_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    errors_ = std::tmpfile();  // not a pipe, which would have to be read meanwhile
    const fs::path program = find_ffmpeg();
    int error = errors_ == nullptr ? errno : program.empty() ? ENOENT : 0;
    if (error == 0) {
      ::fcntl(::fileno(errors_), F_SETFD, FD_CLOEXEC);
      error = spawn(program, arguments, ends[1]);
    }
    ::close(ends[1]);
    if (error != 0) {  // there is no destructor yet
      close_input();
      if (errors_ != nullptr) std::fclose(errors_);
      fail_to_start(error);
    }
  }

  int spawn(const fs::path& program, const std::vector<char*>& arguments, int input) {
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&files, ::fileno(errors_), STDERR_FILENO);
    // A group of its own: Ctrl-C in a terminal ends the run, which then ends the video.
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&attributes, 0);
    const int error =
        ::posix_spawn(&process_, program.c_str(), &files, &attributes, arguments.data(), environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    if (error != 0) process_ = -1;
    return error;
  }

  void close_input() {
    if (input_ >= 0) ::close(std::exchange(input_, -1));
  }

  /// Ends it at once, with the processes that it started.
  void kill() {
    if (process_ <= 0) return;
    ::kill(-process_, SIGKILL);
    while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
    }
    process_ = -1;
  }

  /// The status of its end; 0 is success. An ffmpeg that still writes may need longer than the patience.
  int wait() {
    using Clock = std::chrono::steady_clock;
    Clock::time_point active = Clock::now();
    fs::file_time_type written{};
    int status = 0;
    pid_t ended = 0;
    while ((ended = ::waitpid(process_, &status, WNOHANG)) == 0 || (ended < 0 && errno == EINTR)) {
      std::error_code error;
      const fs::file_time_type now = fs::last_write_time(file_.part(), error);
      if (std::exchange(written, now) != now) active = Clock::now();
      if (Clock::now() - active > std::chrono::seconds(patience_)) give_up("written nothing");
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    process_ = -1;
    if (ended < 0)  // as where SIGCHLD is ignored
      throw SystemError("The end of ffmpeg was not reported: " + std::generic_category().message(errno) +
                        ". The video " + shown_path(given_) + " was not written.");
    return status;
  }

  [[noreturn]] void give_up(const std::string& what) {
    kill();
    throw SystemError("ffmpeg has " + what + " for " + std::to_string(patience_) + " s, so the video " +
                      shown_path(given_) + " was not written.");
  }

  /// With the last line that it printed.
  [[noreturn]] void fail() {
    std::string line = "it printed no reason", text;
    std::rewind(errors_);
    for (int c = std::fgetc(errors_); c != EOF; c = std::fgetc(errors_)) {
      if (c != '\n') {
        text += static_cast<char>(c);
      } else if (!text.empty()) {
        line = std::exchange(text, {});
      }
    }
    if (!text.empty()) line = text;
    throw SystemError("ffmpeg could not write " + shown_path(given_) + ": " + printable(line) + ".");
  }

  fs::path given_;
  OutputFile file_;
  int patience_;  // [s]
  int input_ = -1;
  pid_t process_ = -1;
  std::FILE* errors_ = nullptr;
};

#endif

VideoWriter::VideoWriter(const fs::path& path, int width, int height, double frames_per_second,
                         int patience) {
  check_video_size(path, width, height);
  if (is_mp4(path))
    ffmpeg_ = std::make_unique<Ffmpeg>(path, width, height, frames_per_second, patience);
  else
    animated_.emplace(path, frames_per_second);
}

VideoWriter::~VideoWriter() = default;

void VideoWriter::add(const Image& picture) {
  if (ffmpeg_)
    ffmpeg_->add(picture);
  else
    animated_->add(picture);
}

void VideoWriter::finish() {
  if (ffmpeg_)
    ffmpeg_->finish();
  else
    animated_->commit();
}

}  // namespace clothlab
