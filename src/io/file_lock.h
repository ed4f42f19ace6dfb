// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <optional>
#include <utility>

namespace clothlab {

/// The number of this process.
int process_id();

/// An exclusive lock on a file. It ends with the object or with the process, even if that is killed.
class FileLock {
 public:
  /// Creates the file if there is none. None if another lock on it exists, in this process or another one, or
  /// if the file cannot be opened or locked. `errno` then has the reason, EWOULDBLOCK for another lock.
  static std::optional<FileLock> try_lock(const std::filesystem::path& path);
  ~FileLock();
  FileLock(FileLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  FileLock& operator=(FileLock&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }

 private:
  explicit FileLock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_ = -1;
};

}  // namespace clothlab
