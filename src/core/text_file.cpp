// SPDX-License-Identifier: MIT
#include "core/text_file.h"

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "core/archive.h"
#include "core/error.h"
#include "core/text.h"

#include <fcntl.h>

#ifdef _WIN32
#include <io.h>
#else
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

// System calls, under one name for all platforms. The size of a file that is not a regular one is −1.
#ifdef _WIN32

int open_file(const std::filesystem::path& path) { return ::_wopen(path.c_str(), _O_RDONLY | _O_BINARY); }
long long size_of(int descriptor) { return ::_filelengthi64(descriptor); }
long long read_some(int descriptor, char* buffer, std::size_t count) {
  return ::_read(descriptor, buffer, static_cast<unsigned>(count));
}
void close_file(int descriptor) { ::_close(descriptor); }

#else

// O_NONBLOCK keeps a named pipe from waiting for its writer.
int open_file(const std::filesystem::path& path) {
  return ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
}
long long size_of(int descriptor) {
  struct stat info {};
  return ::fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode) ? info.st_size : -1;
}
long long read_some(int descriptor, char* buffer, std::size_t count) {
  return ::read(descriptor, buffer, count);
}
void close_file(int descriptor) { ::close(descriptor); }

#endif

/// A file opened for reading, known to be a regular one.
class Input {
 public:
  explicit Input(const std::filesystem::path& path) : path_(path) {
    // Checked before and after opening: opening some devices has effects, and the file can be replaced in
    // between.
    check_kind(path);
    descriptor_ = open_file(path);
    if (descriptor_ < 0) fail();
    size_ = size_of(descriptor_);
    if (size_ >= 0) return;
    close_file(descriptor_);
    refuse(path, "it is not a regular file");
  }
  ~Input() { close_file(descriptor_); }
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

  std::size_t size() const { return static_cast<std::size_t>(size_); }
  /// Up to `count` bytes; 0 at the end.
  std::size_t read(char* buffer, std::size_t count) {
    for (;;) {
      const long long got = read_some(descriptor_, buffer, count);
      if (got >= 0) return static_cast<std::size_t>(got);
      if (errno != EINTR) fail();
    }
  }

 private:
  [[noreturn]] void fail() const { refuse(path_, std::generic_category().message(errno)); }

  const std::filesystem::path& path_;
  long long size_ = 0;
  int descriptor_ = -1;
};

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
  if (const auto inside = path_in_bundle(path))
    return open_bundle(inside->bundle, options.stop)->read(inside->name, max_bytes, options);
  Input input(path);
  check_size(path, input.size(), max_bytes);
  std::string text;
  text.reserve(input.size());
  // The size may be wrong (files in /proc, files being written): read to the end of the file.
  for (;;) {
    if (stop_requested(options.stop)) throw Cancelled();
    const std::size_t before = text.size();
    const std::size_t want =
        input.size() > before ? std::min(kChunk, input.size() - before) : std::size_t{4096};
    text.resize(before + want);
    const std::size_t got = input.read(text.data() + before, want);
    text.resize(before + got);
    check_size(path, text.size(), max_bytes);
    if (got == 0) return text;
    if (options.progress && input.size() > 0)
      options.progress(std::min(1.0, static_cast<double>(text.size()) / static_cast<double>(input.size())));
  }
}

}  // namespace clothlab
