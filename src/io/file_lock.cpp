// SPDX-License-Identifier: MIT
#include "io/file_lock.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>

#ifdef _WIN32
#include <io.h>
#include <process.h>
#include <share.h>
#else
#include <sys/file.h>
#include <unistd.h>
#endif

namespace clothlab {

#ifdef _WIN32

int process_id() { return ::_getpid(); }

std::optional<FileLock> FileLock::try_lock(const std::filesystem::path& path) {
  int descriptor = -1;  // opened for this process alone
  if (::_wsopen_s(&descriptor, path.c_str(), _O_RDWR | _O_CREAT | _O_NOINHERIT, _SH_DENYRW,
                  _S_IREAD | _S_IWRITE) != 0)
    return std::nullopt;
  return FileLock(descriptor);
}

FileLock::~FileLock() {
  if (descriptor_ >= 0) ::_close(descriptor_);
}

#else

int process_id() { return static_cast<int>(::getpid()); }

std::optional<FileLock> FileLock::try_lock(const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
  if (descriptor < 0) return std::nullopt;
  FileLock lock(descriptor);
  if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0) return lock;
  const int error = errno;
  // Where files cannot be locked, no other program has locked it either.
  if (error != EWOULDBLOCK && error != EINTR) ::unlink(path.c_str());
  errno = error;  // closing the file below leaves it
  return std::nullopt;
}

FileLock::~FileLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

#endif

}  // namespace clothlab
