// SPDX-License-Identifier: MIT
#include "documents/folder_listing.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <system_error>
#include <tuple>
#include <utility>

#include "core/archive.h"
#include "core/text.h"
#include "core/text_file.h"

namespace clothlab {
namespace {

namespace fs = std::filesystem;

using Entry = FolderListing::Entry;

bool comes_before(const Entry& a, const Entry& b) {
  return a.is_folder != b.is_folder ? a.is_folder : std::tie(a.key, a.name) < std::tie(b.key, b.name);
}

std::optional<Entry> listed(const fs::directory_entry& found, const std::vector<std::string>& extensions) {
  Entry entry;
  entry.path = found.path();
  entry.name = utf8_of(entry.path.filename());
  if (entry.name.starts_with('.')) return std::nullopt;
  entry.key = lower_case(entry.name);
  std::error_code ignored;
  const fs::file_status status = found.status(ignored);
  entry.is_folder = fs::is_directory(status);
  if (!entry.is_folder) {
    const auto has = [&](const std::string& extension) { return entry.key.ends_with(extension); };
    if (!fs::is_regular_file(status) || std::ranges::none_of(extensions, has)) return std::nullopt;
    entry.bytes = found.file_size(ignored);
  }
  entry.modified = found.last_write_time(ignored);
  return entry;
}

/// The files of a folder in a bundle, without further folders.
void list_in_bundle(const PathInBundle& folder, const std::vector<std::string>& extensions,
                    FolderListing& out, const StopProbe& stop) {
  const std::string before = folder.name + "/";
  const std::shared_ptr<const Archive> bundle = open_bundle(folder.bundle, stop);
  for (const Archive::Entry& found : bundle->entries()) {
    if (!found.name.starts_with(before) || found.name.find('/', before.size()) != std::string::npos) continue;
    Entry entry;
    entry.path = folder.bundle / path_of(found.name);
    entry.bytes = found.bytes;
    entry.name = utf8_of(entry.path.filename());
    entry.key = lower_case(entry.name);
    const auto has = [&](const std::string& extension) { return entry.key.ends_with(extension); };
    if (std::ranges::any_of(extensions, has)) out.entries.push_back(std::move(entry));
  }
  std::ranges::sort(out.entries, comes_before);
}

}  // namespace

FolderListing list_folder(const fs::path& folder, const std::vector<std::string>& extensions,
                          const StopProbe& stop) {
  FolderListing out;
  if (const auto inside = path_in_bundle(folder)) {
    list_in_bundle(*inside, extensions, out, stop);
    return out;
  }
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (stop_requested(stop)) return out;
    if (std::optional<Entry> entry = listed(*at, extensions)) out.entries.push_back(std::move(*entry));
  }
  if (error) out.problem = shown_path(folder) + " cannot be read: " + error.message() + ".";
  std::ranges::sort(out.entries, comes_before);
  return out;
}

}  // namespace clothlab
