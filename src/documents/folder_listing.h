// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace clothlab {

/// Reads a folder on its own thread: it may be large, or on a slow network.
class FolderListing {
 public:
  struct Entry {
    std::filesystem::path path;
    std::string name;  ///< UTF-8
    std::string key;   ///< the name in lower case (ASCII), to sort and filter by
    bool is_folder = false;
    std::uintmax_t bytes = 0;  ///< 0 for a folder
    std::filesystem::file_time_type modified;
  };
  struct Result {
    std::vector<Entry> entries;  ///< folders first, then by name
    std::string problem;         ///< one sentence; empty when the folder could be read
  };

  /// Lists folders and regular files with one of the `extensions` (".obj", lower case); without hidden names,
  /// pipes and devices.
  FolderListing(std::filesystem::path folder, std::vector<std::string> extensions);
  /// Gives up, and waits for the thread (at most one entry).
  ~FolderListing();
  FolderListing(const FolderListing&) = delete;
  FolderListing& operator=(const FolderListing&) = delete;

  const std::filesystem::path& folder() const;
  /// Waits until the folder is read, for at most this time. Returns whether it is.
  bool wait_for(std::chrono::milliseconds time) const;
  /// Waits until the folder is read. Call once.
  Result get();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace clothlab
