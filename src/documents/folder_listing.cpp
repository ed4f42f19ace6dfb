// SPDX-License-Identifier: MIT
#include "documents/folder_listing.h"

#include <algorithm>
#include <atomic>
#include <future>
#include <optional>
#include <system_error>
#include <tuple>
#include <utility>

#include "core/text.h"
#include "core/text_file.h"

namespace clothlab {
namespace {

namespace fs = std::filesystem;

using Entry = FolderListing::Entry;

bool comes_before(const Entry& a, const Entry& b) {
  return a.is_folder != b.is_folder ? a.is_folder : std::tie(a.key, a.name) < std::tie(b.key, b.name);
}

}  // namespace

struct FolderListing::Impl {
  Impl(fs::path the_folder, std::vector<std::string> the_extensions)
      : folder(std::move(the_folder)),
        extensions(std::move(the_extensions)),
        result(std::async(std::launch::async, [this] { return read(); })) {}

  ~Impl() { cancelled.store(true, std::memory_order_relaxed); }  // `result` waits for its thread

  Result read() const {
    Result out;
    std::error_code error;
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
      if (cancelled.load(std::memory_order_relaxed)) return out;
      if (std::optional<Entry> entry = wanted(*at)) out.entries.push_back(std::move(*entry));
    }
    if (error) out.problem = shown_path(folder) + " cannot be read: " + error.message() + ".";
    std::sort(out.entries.begin(), out.entries.end(), comes_before);
    return out;
  }

  std::optional<Entry> wanted(const fs::directory_entry& found) const {
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
      if (!fs::is_regular_file(status) || std::none_of(extensions.begin(), extensions.end(), has))
        return std::nullopt;
      entry.bytes = found.file_size(ignored);
    }
    entry.modified = found.last_write_time(ignored);
    return entry;
  }

  const fs::path folder;
  const std::vector<std::string> extensions;
  std::atomic<bool> cancelled{false};
  std::future<Result> result;  // last: its thread uses the other members
};

FolderListing::FolderListing(fs::path folder, std::vector<std::string> extensions)
    : impl_(std::make_unique<Impl>(std::move(folder), std::move(extensions))) {}

FolderListing::~FolderListing() = default;

const fs::path& FolderListing::folder() const { return impl_->folder; }

bool FolderListing::wait_for(std::chrono::milliseconds time) const {
  return impl_->result.wait_for(time) == std::future_status::ready;
}

FolderListing::Result FolderListing::get() { return impl_->result.get(); }

}  // namespace clothlab
