// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/stop_probe.h"

namespace clothlab {

/// The contents of a folder, to choose a file.
struct FolderListing {
  struct Entry {
    std::filesystem::path path;
    std::string name;  ///< UTF-8
    std::string key;   ///< the name in lower case (ASCII), to sort and filter by
    bool is_folder = false;
    std::uintmax_t bytes = 0;  ///< 0 for a folder
    std::filesystem::file_time_type modified;
  };
  std::vector<Entry> entries;  ///< folders first, then by name
  std::string problem;         ///< one sentence; empty when the folder could be read
};

/// Lists folders and regular files with one of the `extensions` (".obj", lower case); without hidden names,
/// pipes and devices. A folder may be large, or on a slow network. The list ends on cancellation.
FolderListing list_folder(const std::filesystem::path& folder, const std::vector<std::string>& extensions,
                          const StopProbe& stop);

}  // namespace clothlab
