// SPDX-License-Identifier: MIT
#include "core/text_file.h"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <system_error>

#include "core/error.h"
#include "core/text.h"

#ifndef _WIN32
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace clothlab {
namespace {

constexpr std::size_t kChunk = std::size_t{1} << 20;

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& reason) {
  if (path.empty()) throw InputError("cannot read a file without a name");
  throw InputError("cannot read " + shown_path(path) + ": " + reason);
}

std::string in_mebibytes(std::size_t bytes) { return std::to_string(bytes >> 20) + " MiB"; }

void check_size(const std::filesystem::path& path, std::uintmax_t bytes, std::size_t max_bytes) {
  if (bytes > max_bytes)
    refuse(path, "it has more than the " + in_mebibytes(max_bytes) + " that are allowed");
}

void check_kind(const std::filesystem::path& path) {
  using std::filesystem::file_type;
  std::error_code error;
  const file_type kind = std::filesystem::status(path, error).type();
  if (kind == file_type::not_found) refuse(path, "no such file");
  if (error) refuse(path, error.message());
  if (kind == file_type::directory) refuse(path, "it is a directory, not a file");
  if (kind == file_type::fifo) refuse(path, "it is a named pipe, not a regular file");
  if (kind != file_type::regular) refuse(path, "it is not a regular file");
}

/// A file opened for reading, known to be a regular one.
class Input {
 public:
  explicit Input(const std::filesystem::path& path);
  ~Input();
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

  std::uintmax_t size() const { return size_; }
  /// Up to `count` bytes; 0 at the end.
  std::size_t read(char* buffer, std::size_t count);

 private:
  const std::filesystem::path& path_;
  std::uintmax_t size_ = 0;
#ifdef _WIN32
  std::ifstream stream_;
#else
  int descriptor_ = -1;
#endif
};

#ifdef _WIN32

Input::Input(const std::filesystem::path& path) : path_(path) {
  check_kind(path);
  std::error_code error;
  size_ = std::filesystem::file_size(path, error);
  if (error) refuse(path, error.message());
  stream_.open(path, std::ios::binary);
  if (!stream_) refuse(path, "it cannot be opened for reading");
}

Input::~Input() = default;

std::size_t Input::read(char* buffer, std::size_t count) {
  stream_.read(buffer, static_cast<std::streamsize>(count));
  if (stream_.bad()) refuse(path_, "reading failed");
  return static_cast<std::size_t>(stream_.gcount());
}

#else

std::string reason_of(int error) { return std::generic_category().message(error); }

Input::Input(const std::filesystem::path& path) : path_(path) {
  // Checked before and after opening: opening some devices has effects, and the file can be replaced in
  // between. O_NONBLOCK keeps a named pipe from waiting for its writer.
  check_kind(path);
  descriptor_ = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (descriptor_ < 0) refuse(path, reason_of(errno));
  struct stat info {};
  if (::fstat(descriptor_, &info) != 0 || !S_ISREG(info.st_mode)) {
    ::close(descriptor_);
    refuse(path, "it is not a regular file");
  }
  size_ = static_cast<std::uintmax_t>(info.st_size);
}

Input::~Input() { ::close(descriptor_); }

std::size_t Input::read(char* buffer, std::size_t count) {
  for (;;) {
    const ssize_t got = ::read(descriptor_, buffer, count);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) refuse(path_, reason_of(errno));
  }
}

#endif

}  // namespace

std::string utf8_of(const std::filesystem::path& path) {
  const std::u8string text = path.u8string();
  return std::string(text.begin(), text.end());
}

std::filesystem::path path_of(std::string_view utf8) {
  return std::filesystem::path(std::u8string(utf8.begin(), utf8.end()));
}

std::string shown_path(const std::filesystem::path& path) { return printable(utf8_of(path)); }

std::string read_text_file(const std::filesystem::path& path, std::size_t max_bytes,
                           const LoadOptions& options) {
  Input input(path);
  check_size(path, input.size(), max_bytes);
  std::string text;
  text.reserve(static_cast<std::size_t>(input.size()));
  // The size may be wrong (files in /proc, files being written): read to the end of the file.
  for (;;) {
    if (stop_requested(options.stop)) throw Cancelled();
    const std::size_t before = text.size();
    const std::size_t expected = static_cast<std::size_t>(input.size());
    const std::size_t want = expected > before ? std::min(kChunk, expected - before) : std::size_t{4096};
    text.resize(before + want);
    const std::size_t got = input.read(text.data() + before, want);
    text.resize(before + got);
    check_size(path, text.size(), max_bytes);
    if (got == 0) return text;
    if (options.progress && expected > 0)
      options.progress(std::min(1.0, static_cast<double>(text.size()) / static_cast<double>(expected)));
  }
}

}  // namespace clothlab
