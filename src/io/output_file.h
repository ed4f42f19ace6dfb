// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string_view>

namespace clothlab {

/// Throws InputError, one sentence, when `path` could not be written: it is a directory, its folder is
/// missing, or there is no permission. Creates and changes nothing.
void check_writable(const std::filesystem::path& path);

/// The file that writing to `path` would replace, links resolved; empty if it is written to directly (see
/// OutputFile). Throws InputError as check_writable does.
std::filesystem::path replaced_file(const std::filesystem::path& path);

/// As check_writable, and throws for a path that exists and is no regular file: a pipe could block the window
/// indefinitely.
void check_replaceable(const std::filesystem::path& path);

/// A file that appears completely or not at all: bytes go to a new file next to `path`, which replaces it
/// in commit(). Without a commit the new file is removed and `path` is as it was. A path that exists and
/// is no regular file (/dev/stdout, a named pipe) is written to directly and never replaced; a symbolic
/// link stays, and the file it points to is replaced. A process that is killed while it writes leaves
/// ".clothlab-*.part", which the first write into that folder after an hour removes.
class OutputFile {
 public:
  /// Throws InputError as check_writable does, SystemError for other failures of the system, Cancelled when a
  /// signal (cli/interrupt.h) ends the wait for the reader of a named pipe.
  explicit OutputFile(const std::filesystem::path& path);
  ~OutputFile();
  OutputFile(OutputFile&&) noexcept;
  OutputFile& operator=(OutputFile&&) noexcept;

  /// Throws SystemError, naming the file and the reason (disk full).
  void write(std::string_view bytes);
  /// Replaces bytes that were written at this position; only before commit(). Throws SystemError.
  void overwrite(std::uint64_t position, std::string_view bytes);
  /// The new file, for another program that writes it; empty if the path is written to directly.
  const std::filesystem::path& part() const;
  /// Call once, after the last write. Throws SystemError.
  void commit();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Opens, writes, commits.
void write_file(const std::filesystem::path& path, std::string_view bytes);

}  // namespace clothlab
