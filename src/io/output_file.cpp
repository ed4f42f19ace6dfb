// SPDX-License-Identifier: MIT
#include "io/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <utility>

#include "core/error.h"
#include "core/text_file.h"
#include "io/file_lock.h"

#ifdef _WIN32
#include <io.h>
#else
#include <sys/file.h>
#include <unistd.h>
#endif

namespace clothlab {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBuffer = std::size_t{1} << 16;

std::string sentence(const fs::path& path, const std::string& reason) {
  return "cannot write " + shown_path(path) + ": " + reason;
}

[[noreturn]] void refuse(const fs::path& path, const std::string& reason) {
  throw InputError(sentence(path, reason));
}

[[noreturn]] void fail(const fs::path& path, int error) {
  throw SystemError(sentence(path, std::generic_category().message(error)));
}

// System calls, under one name for all platforms.
#ifdef _WIN32

int open_new(const fs::path& path) {
  return ::_wopen(path.c_str(), _O_WRONLY | _O_CREAT | _O_EXCL | _O_BINARY, _S_IREAD | _S_IWRITE);
}
int open_existing(const fs::path& path) { return ::_wopen(path.c_str(), _O_WRONLY | _O_BINARY); }
long long write_some(int descriptor, std::string_view bytes) {
  return ::_write(descriptor, bytes.data(), static_cast<unsigned>(std::min(bytes.size(), kBuffer)));
}
bool seek(int descriptor, std::uint64_t position) {
  return ::_lseeki64(descriptor, static_cast<long long>(position), SEEK_SET) >= 0;
}
int close_descriptor(int descriptor) { return ::_close(descriptor); }
bool may_write(const fs::path& path) { return ::_waccess(path.c_str(), 2) == 0; }
bool may_write_in(const fs::path&) { return true; }
void copy_permissions(const fs::path&, int) {}
int duplicate(int descriptor) { return ::_dup(descriptor); }
void lock(int) {}  // a file that is open cannot be removed
bool is_abandoned(const fs::path&) { return true; }
bool is_open_for_writing(int) { return true; }

#else

int open_new(const fs::path& path) {
  return ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}
int open_existing(const fs::path& path) { return ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY); }
long long write_some(int descriptor, std::string_view bytes) {
  return ::write(descriptor, bytes.data(), bytes.size());
}
bool seek(int descriptor, std::uint64_t position) {
  return ::lseek(descriptor, static_cast<off_t>(position), SEEK_SET) >= 0;
}
int close_descriptor(int descriptor) { return ::close(descriptor); }
bool may_write(const fs::path& path) { return ::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) == 0; }
bool may_write_in(const fs::path& folder) {
  return ::faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) == 0;
}
void copy_permissions(const fs::path& from, int to) {
  struct stat info {};
  // If that is not allowed, the file gets the usual permissions.
  if (::stat(from.c_str(), &info) == 0 && ::fchmod(to, info.st_mode & 0777) != 0) errno = 0;
}
void lock(int descriptor) {
  // On a file system without locks an abandoned file cannot be recognised.
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) errno = 0;
}
/// True if no process has the lock, which ends with the process that wrote the file.
bool is_abandoned(const fs::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (descriptor < 0) return false;
  const bool unheld = ::flock(descriptor, LOCK_EX | LOCK_NB) == 0;
  ::close(descriptor);
  return unheld;
}
int duplicate(int descriptor) { return ::fcntl(descriptor, F_DUPFD_CLOEXEC, 0); }
bool is_open_for_writing(int descriptor) {
  const int flags = ::fcntl(descriptor, F_GETFL);
  return flags != -1 && (flags & O_ACCMODE) != O_RDONLY;
}

#endif

/// N for /dev/fd/N and /proc/self/fd/N: open descriptors.
std::optional<int> open_descriptor(const fs::path& path) {
  const std::string text = utf8_of(path);
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!text.starts_with(folder)) continue;
    int number = -1;
    const char* const end = text.data() + text.size();
    const auto result = std::from_chars(text.data() + folder.size(), end, number);
    if (result.ec == std::errc{} && result.ptr == end) return number;
  }
  return std::nullopt;
}

/// The final destination.
struct Target {
  fs::path path;                  ///< links resolved
  std::optional<int> descriptor;  ///< already open: /dev/stdout
  bool exists = false;
  bool direct = false;  ///< written to directly, not replaced
};

/// Follows links, of which the last may point to a file that does not exist yet, and makes all checks that
/// are possible before writing. Throws InputError.
Target find_target(const fs::path& given) {
  if (given.empty()) throw InputError("cannot write a file without a name");
  Target target{given, {}, false, false};
  std::error_code error;
  for (int links = 0;; ++links) {
    target.descriptor = open_descriptor(target.path);
    if (target.descriptor || !fs::is_symlink(target.path, error)) break;
    const fs::path next = fs::read_symlink(target.path, error);
    if (error || links == 40) refuse(given, "its symbolic links lead nowhere");
    target.path = target.path.parent_path() / next;
  }
  if (target.descriptor) {
    target.direct = true;
    if (!is_open_for_writing(*target.descriptor)) refuse(given, "it is not open for writing");
    return target;
  }
  const fs::file_status status = fs::status(target.path, error);
  if (status.type() == fs::file_type::none) refuse(given, error.message());
  target.exists = fs::exists(status);
  target.direct = target.exists && !fs::is_regular_file(status);
  if (fs::is_directory(status)) refuse(given, "it is a folder, not a file");
  if (target.exists && !may_write(target.path)) refuse(given, std::generic_category().message(errno));
  if (target.direct) return target;
  if (!target.path.has_filename()) refuse(given, "it names no file");
  const fs::path folder = target.path.has_parent_path() ? target.path.parent_path() : fs::path(".");
  if (!fs::is_directory(folder, error)) refuse(given, "there is no folder " + shown_path(folder));
  if (!may_write_in(folder))
    refuse(given, "folder " + shown_path(folder) + ": " + std::generic_category().message(errno));
  return target;
}

constexpr std::string_view kPartPrefix = ".clothlab-";
constexpr std::string_view kPartSuffix = ".part";

/// A name next to `path` that no other file of this or another run has.
fs::path part_name(const fs::path& path) {
  static std::atomic<std::uint64_t> counter{0};
  return path.parent_path() / (std::string(kPartPrefix) + std::to_string(process_id()) + "-" +
                               std::to_string(counter++) + std::string(kPartSuffix));
}

/// Removes part files that killed processes left next to the new file `part`: files without a lock that are
/// an hour older. Errors are ignored.
void remove_abandoned_parts(const fs::path& part) {
  const fs::path folder = part.has_parent_path() ? part.parent_path() : fs::path(".");
  thread_local std::set<fs::path> seen;  // once per folder: a sequence writes many files
  if (!seen.insert(folder).second) return;
  std::error_code error;
  const fs::file_time_type now = fs::last_write_time(part, error);
  if (error) return;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = utf8_of(at->path().filename());
    if (!name.starts_with(kPartPrefix) || !name.ends_with(kPartSuffix)) continue;
    std::error_code skip;
    if (!fs::is_regular_file(at->symlink_status(skip)) || skip) continue;
    const fs::file_time_type written = at->last_write_time(skip);
    if (skip || now - written < std::chrono::hours(1)) continue;
    if (is_abandoned(at->path())) fs::remove(at->path(), skip);
  }
}

}  // namespace

struct OutputFile::Impl {
  explicit Impl(const fs::path& path) : given(path), target(find_target(path)) {
    if (target.direct) {
      descriptor = target.descriptor ? duplicate(*target.descriptor) : open_existing(target.path);
      // A named pipe waits for its reader, or for a signal that the program handles.
      if (descriptor < 0 && errno == EINTR) throw Cancelled();
      if (descriptor < 0) fail(given, errno);
      return;
    }
    do {  // an earlier process with the same number may have used the name
      part = part_name(target.path);
      descriptor = open_new(part);
    } while (descriptor < 0 && errno == EEXIST);
    if (descriptor < 0) fail(given, errno);
    lock(descriptor);
    remove_abandoned_parts(part);
    if (target.exists) copy_permissions(target.path, descriptor);
  }

  ~Impl() {
    if (descriptor >= 0) close_descriptor(descriptor);
    std::error_code gone;
    if (!part.empty()) fs::remove(part, gone);
  }

  void flush() {
    std::string_view rest = buffer;
    while (!rest.empty()) {
      const long long written = write_some(descriptor, rest);
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) {
        buffer.clear();
        fail(given, errno);
      }
      rest.remove_prefix(static_cast<std::size_t>(written));
    }
    buffer.clear();
  }

  fs::path given;  // as the user wrote it, for messages
  Target target;
  fs::path part;
  int descriptor = -1;
  std::string buffer;
};

void check_writable(const fs::path& path) { find_target(path); }

fs::path replaced_file(const fs::path& path) {
  const Target target = find_target(path);
  return target.direct ? fs::path() : target.path;
}

void check_replaceable(const fs::path& path) {
  if (replaced_file(path).empty()) refuse(path, "it is not a regular file");
}

OutputFile::OutputFile(const fs::path& path) : impl_(std::make_unique<Impl>(path)) {}
OutputFile::~OutputFile() = default;
OutputFile::OutputFile(OutputFile&&) noexcept = default;
OutputFile& OutputFile::operator=(OutputFile&&) noexcept = default;

void OutputFile::write(std::string_view bytes) {
  impl_->buffer += bytes;
  // Readers of a pipe or a terminal see each piece immediately.
  if (impl_->target.direct || impl_->buffer.size() >= kBuffer) impl_->flush();
}

void OutputFile::overwrite(std::uint64_t position, std::string_view bytes) {
  impl_->flush();
  if (!seek(impl_->descriptor, position)) fail(impl_->given, errno);
  impl_->buffer = bytes;
  impl_->flush();
}

const fs::path& OutputFile::part() const { return impl_->part; }

void OutputFile::commit() {
  impl_->flush();
  if (close_descriptor(std::exchange(impl_->descriptor, -1)) != 0) fail(impl_->given, errno);
  if (impl_->target.direct) return;
  std::error_code error;
  fs::rename(impl_->part, impl_->target.path, error);
  if (error) throw SystemError(sentence(impl_->given, error.message()));
  impl_->part.clear();
}

void write_file(const fs::path& path, std::string_view bytes) {
  OutputFile file(path);
  file.write(bytes);
  file.commit();
}

}  // namespace clothlab
