// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/text_file.h"

struct zip;

namespace clothlab {

/// The ending of a bundle's name. A bundle is a ZIP file; a path of a file in it continues the path of the
/// bundle: "run.clothlab/meshes/shirt.obj". Nothing of it is ever written to the disk.
inline constexpr std::string_view kBundleEnding = ".clothlab";

/// A ZIP file that is read. Its contents are untrusted: at most 20 000 files with unique relative names
/// without "..", no links, no encryption, and at most 100 times its own size (or 256 MiB if that is more).
class Archive {
 public:
  struct Entry {
    std::string name;  ///< "meshes/shirt.obj"
    std::size_t bytes = 0;
  };

  /// Throws InputError for a file that is no ZIP file, or breaks these rules; Cancelled.
  explicit Archive(const std::filesystem::path& path, const StopProbe& stop = {});
  /// The same of a file in memory, which must outlive it; messages have `name`.
  Archive(std::string_view bytes, std::string name);

  /// Without folders, in the order of the file.
  const std::vector<Entry>& entries() const& { return entries_; }
  std::vector<Entry> entries() && { return std::move(entries_); }
  bool has(std::string_view name) const { return positions_.contains(name); }
  /// Throws InputError for a missing, damaged or too large entry; Cancelled.
  std::string read(std::string_view name, std::size_t max_bytes, const LoadOptions& options = {}) const;
  /// The same in parts of 1 MiB; the last one has the rest.
  void read_parts(std::string_view name, std::size_t max_bytes, const LoadOptions& options,
                  const std::function<void(std::string_view part)>& use) const;

 private:
  struct Close {
    void operator()(zip* archive) const;
  };
  void list(std::uintmax_t file_bytes, const StopProbe& stop);
  [[noreturn]] void refuse(const std::string& reason) const;

  std::string shown_;  // name for messages
  std::unique_ptr<zip, Close> zip_;
  std::vector<Entry> entries_;
  std::vector<std::uint64_t> indices_;                         // of each entry in the file
  std::map<std::string, std::size_t, std::less<>> positions_;  // in entries_, by name
};

/// While one exists, its thread keeps the bundle open that open_bundle() opened last: opening lists all
/// files.
class KeepBundleOpen {
 public:
  KeepBundleOpen();
  ~KeepBundleOpen();
  KeepBundleOpen(const KeepBundleOpen&) = delete;
  KeepBundleOpen& operator=(const KeepBundleOpen&) = delete;
};
/// A bundle on the disk, which is opened unless this thread keeps it open and it has not changed. Throws as
/// Archive.
std::shared_ptr<const Archive> open_bundle(const std::filesystem::path& path, const StopProbe& stop = {});

/// A file to put into an archive.
struct ArchivedFile {
  std::string name;
  std::string bytes;
};
/// A ZIP file with these files. Throws InputError if Archive would refuse it, SystemError.
std::string archive_bytes(std::span<const ArchivedFile> files);

/// The part of a path that is a bundle on the disk, and the name in it.
struct PathInBundle {
  std::filesystem::path bundle;
  std::string name;
};
/// None if `path` does not continue the path of a bundle.
std::optional<PathInBundle> path_in_bundle(const std::filesystem::path& path);

/// The type of a file or folder on the disk or in a bundle; not_found for all others.
std::filesystem::file_type type_of(const std::filesystem::path& path);

}  // namespace clothlab
