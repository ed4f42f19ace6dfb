// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <future>
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
  ~FolderListing() { cancelled_.store(true, std::memory_order_relaxed); }
  FolderListing(const FolderListing&) = delete;
  FolderListing& operator=(const FolderListing&) = delete;

  const std::filesystem::path& folder() const { return folder_; }
  /// Waits until the folder is read, for at most this time. Returns whether it is.
  bool wait_for(std::chrono::milliseconds time) const {
    return result_.wait_for(time) == std::future_status::ready;
  }
  /// Waits until the folder is read. Call once.
  Result get() { return result_.get(); }

 private:
  Result read() const;

  const std::filesystem::path folder_;
  const std::vector<std::string> extensions_;
  std::atomic<bool> cancelled_{false};
  std::future<Result> result_;  // last: its thread uses the other members
};

}  // namespace clothlab
