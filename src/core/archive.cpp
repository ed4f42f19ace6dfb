// SPDX-License-Identifier: MIT
#include "core/archive.h"

#include <zip.h>

#include <algorithm>
#include <set>
#include <system_error>
#include <utility>

#include "core/error.h"
#include "core/text.h"

namespace clothlab {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostEntries = 20'000;
constexpr std::uintmax_t kAlwaysAllowed = std::uintmax_t{256} << 20;  // unpacked [byte]
constexpr std::uintmax_t kMostRatio = 100;                            // unpacked over packed size
constexpr std::uint32_t kUnixKind = 0170000, kUnixLink = 0120000;
constexpr std::size_t kArchiveChunk = std::size_t{1} << 20;

/// True for a relative name that leads to the same file in every folder and on every system.
bool is_safe(std::string_view name) {
  if (name.empty() || name.front() == '/' || name.find('\\') != name.npos || printable(name, 4096) != name)
    return false;
  if (name.size() > 1 && name[1] == ':') return false;  // a drive
  for (const fs::path& part : path_of(name))
    if (part == ".." || part == ".") return false;
  return true;
}

bool is_link(zip* archive, std::uint64_t index) {
  zip_uint8_t system = 0;
  zip_uint32_t attributes = 0;
  return zip_file_get_external_attributes(archive, index, 0, &system, &attributes) == 0 &&
         system == ZIP_OPSYS_UNIX && (attributes >> 16 & kUnixKind) == kUnixLink;
}

zip* opened(zip_source_t* source) {
  if (source == nullptr) throw SystemError("There is not enough memory to read a bundle.");
  zip* const archive = zip_open_from_source(source, ZIP_RDONLY, nullptr);
  if (archive == nullptr) zip_source_free(source);
  return archive;
}

/// The bundle that a thread keeps open, with the size and the time that it had.
struct KeptBundle {
  int keepers = 0;
  fs::path path = {};
  std::uintmax_t bytes = 0;
  fs::file_time_type time = {};
  std::shared_ptr<const Archive> archive = nullptr;
};
thread_local KeptBundle kept_bundle;

}  // namespace

void Archive::Close::operator()(zip* archive) const { zip_discard(archive); }

Archive::Archive(const fs::path& path, const StopProbe& stop)
    : shown_(shown_path(path)), zip_(opened(zip_source_file_create(utf8_of(path).c_str(), 0, -1, nullptr))) {
  std::error_code ignored;
  list(fs::file_size(path, ignored), stop);
}

Archive::Archive(std::string_view bytes, std::string name)
    : shown_(std::move(name)),
      zip_(opened(zip_source_buffer_create(bytes.data(), bytes.size(), 0, nullptr))) {
  list(bytes.size(), {});
}

void Archive::refuse(const std::string& reason) const {
  throw InputError("cannot read " + shown_ + ": " + reason);
}

void Archive::list(std::uintmax_t file_bytes, const StopProbe& stop) {
  if (!zip_) refuse("it is not a ZIP file, or it is damaged");
  const auto count = static_cast<std::uint64_t>(zip_get_num_entries(zip_.get(), 0));
  if (count > kMostEntries) refuse("it has more than " + std::to_string(kMostEntries) + " files");
  const std::uintmax_t most = std::max(kAlwaysAllowed, file_bytes * kMostRatio);
  std::uintmax_t sum = 0;
  std::set<std::string> names;
  for (std::uint64_t k = 0; k < count; ++k) {
    if (stop_requested(stop)) throw Cancelled();
    zip_stat_t info;
    constexpr auto kNeeded = ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_ENCRYPTION_METHOD;
    if (zip_stat_index(zip_.get(), k, 0, &info) != 0 || (info.valid & kNeeded) != kNeeded)
      refuse("it is damaged");
    const std::string name = info.name;
    const std::string shown = std::string("\"").append(printable(name)).append("\"");
    if (!is_safe(name)) refuse("it has a file with the name " + shown + ", which is not allowed in a bundle");
    if (!names.insert(name).second) refuse("it has two files with the name " + shown);
    if (is_link(zip_.get(), k)) refuse(shown + " in it is a link, which is not allowed in a bundle");
    if (info.encryption_method != ZIP_EM_NONE) refuse(shown + " in it is encrypted");
    if (info.size > most || (sum += info.size) > most)
      refuse("unpacked it would have more than " + std::to_string(most >> 20) + " MiB, which is not allowed");
    if (name.back() == '/') continue;  // a folder
    positions_.emplace(name, entries_.size());
    entries_.push_back({name, static_cast<std::size_t>(info.size)});
    indices_.push_back(k);
  }
}

std::string Archive::read(std::string_view name, std::size_t max_bytes, const LoadOptions& options) const {
  std::string bytes;
  read_parts(name, max_bytes, options, [&](std::string_view part) { bytes += part; });
  return bytes;
}

void Archive::read_parts(std::string_view name, std::size_t max_bytes, const LoadOptions& options,
                         const std::function<void(std::string_view)>& use) const {
  const auto position = positions_.find(name);
  if (position == positions_.end()) refuse("it has no file \"" + printable(name) + "\"");
  const Entry* const found = &entries_[position->second];
  if (found->bytes > max_bytes)
    refuse("\"" + found->name + "\" in it has more than the " + std::to_string(max_bytes >> 20) +
           " MiB that are allowed");
  const auto damaged = [&] { refuse("\"" + found->name + "\" in it is damaged"); };
  const std::unique_ptr<zip_file_t, int (*)(zip_file_t*)> file(
      zip_fopen_index(zip_.get(), indices_[position->second], 0), zip_fclose);
  if (!file) damaged();
  // One byte more than it should have: the checksum is compared at the end.
  std::string part(std::min(kArchiveChunk, found->bytes + 1), '\0');
  std::size_t sum = 0;
  for (bool ended = false; !ended;) {
    if (stop_requested(options.stop)) throw Cancelled();
    std::size_t filled = 0;
    while (filled < part.size() && !ended) {
      const zip_int64_t got = zip_fread(file.get(), part.data() + filled, part.size() - filled);
      if (got < 0) damaged();
      filled += static_cast<std::size_t>(got);
      ended = got == 0;
    }
    sum += filled;
    if (sum > found->bytes || (ended && sum != found->bytes)) damaged();
    use(std::string_view(part).substr(0, filled));
    if (options.progress && sum > 0)
      options.progress(static_cast<double>(sum) / static_cast<double>(found->bytes));
  }
}

KeepBundleOpen::KeepBundleOpen() { ++kept_bundle.keepers; }

KeepBundleOpen::~KeepBundleOpen() {
  if (--kept_bundle.keepers == 0) kept_bundle = {};
}

std::shared_ptr<const Archive> open_bundle(const fs::path& path, const StopProbe& stop) {
  std::error_code ignored;
  const std::uintmax_t bytes = fs::file_size(path, ignored);
  const fs::file_time_type time = fs::last_write_time(path, ignored);
  if (kept_bundle.archive && kept_bundle.path == path && kept_bundle.bytes == bytes &&
      kept_bundle.time == time)
    return kept_bundle.archive;
  auto archive = std::make_shared<const Archive>(path, stop);
  if (kept_bundle.keepers > 0) kept_bundle = {kept_bundle.keepers, path, bytes, time, archive};
  return archive;
}

std::string archive_bytes(std::span<const ArchivedFile> files) {
  const auto require = [](bool done) {
    if (!done) throw SystemError("The bundle cannot be packed: there is not enough memory.");
  };
  const std::unique_ptr<zip_source_t, void (*)(zip_source_t*)> whole(
      zip_source_buffer_create(nullptr, 0, 0, nullptr), zip_source_free);
  require(whole != nullptr);
  zip_source_keep(whole.get());  // zip_close() releases it once
  zip* const archive = zip_open_from_source(whole.get(), ZIP_TRUNCATE, nullptr);
  require(archive != nullptr);
  for (const ArchivedFile& file : files) {
    zip_source_t* const source = zip_source_buffer(archive, file.bytes.data(), file.bytes.size(), 0);
    if (source != nullptr && zip_file_add(archive, file.name.c_str(), source, ZIP_FL_ENC_UTF_8) >= 0)
      continue;
    zip_source_free(source);
    zip_discard(archive);
    throw InputError("The name of \"" + printable(file.name) +
                     "\" is not allowed in a bundle: rename the file.");
  }
  require(zip_close(archive) == 0);
  zip_stat_t info;
  require(zip_source_stat(whole.get(), &info) == 0 && zip_source_open(whole.get()) == 0);
  std::string bytes(static_cast<std::size_t>(info.size), '\0');
  require(zip_source_read(whole.get(), bytes.data(), bytes.size()) == static_cast<zip_int64_t>(bytes.size()));
  zip_source_close(whole.get());
  const Archive check(bytes, "the bundle");
  return bytes;
}

std::optional<PathInBundle> path_in_bundle(const fs::path& path) {
  for (fs::path at = path.parent_path(); at.has_filename(); at = at.parent_path()) {
    std::error_code ignored;
    if (lower_case(utf8_of(at.extension())) != kBundleEnding || !fs::is_regular_file(at, ignored)) continue;
    const std::u8string name = path.lexically_relative(at).generic_u8string();
    return PathInBundle{at, std::string(name.begin(), name.end())};
  }
  return std::nullopt;
}

fs::file_type type_of(const fs::path& path) {
  std::error_code ignored;
  const fs::file_type type = fs::status(path, ignored).type();
  if (type != fs::file_type::not_found && type != fs::file_type::none) return type;
  const std::optional<PathInBundle> inside = path_in_bundle(path);
  if (!inside) return fs::file_type::not_found;
  try {
    const std::shared_ptr<const Archive> archive = open_bundle(inside->bundle);
    if (archive->has(inside->name)) return fs::file_type::regular;
    const bool is_folder = std::ranges::any_of(archive->entries(), [&](const Archive::Entry& entry) {
      return entry.name.starts_with(inside->name + "/");
    });
    return is_folder ? fs::file_type::directory : fs::file_type::not_found;
  } catch (const InputError&) {  // whoever reads it reports the reason
    return fs::file_type::not_found;
  }
}

}  // namespace clothlab
