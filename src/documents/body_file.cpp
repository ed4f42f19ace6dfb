// SPDX-License-Identifier: MIT
#include "documents/body_file.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "core/archive.h"
#include "core/text.h"
#include "core/text_file.h"
#include "documents/folder_listing.h"

namespace clothlab {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kDigits = "0123456789";

bool is_there(const fs::path& path) { return type_of(path) != fs::file_type::not_found; }

}  // namespace

BodyFile::BodyFile(const fs::path& path) : file(path) {
  if (is_there(path)) return;  // its name may contain '#'
  const std::string text = utf8_of(path.filename()), lower = lower_case(text);
  std::size_t end = std::string::npos;
  for (const std::string_view ending : {".obj#", ".pc2#"})
    if (const std::size_t at = lower.rfind(ending); at != std::string::npos) end = at + ending.size() - 1;
  if (end == std::string::npos) return;
  file = path.parent_path() / path_of(text.substr(0, end));
  for (std::size_t begin = end + 1; begin <= text.size(); begin = end + 1) {
    end = std::min(text.find(',', begin), text.size());
    groups.push_back(text.substr(begin, end - begin));
  }
}

bool BodyFile::is_point_cache() const { return lower_case(utf8_of(file.extension())) == ".pc2"; }

std::vector<fs::path> BodyFile::files(const StopProbe& stop) const {
  if (is_point_cache()) return {fs::path(file).replace_extension(".obj"), file};
  const fs::file_type type = type_of(file);
  const bool is_folder = type == fs::file_type::directory;
  const std::string name = utf8_of(file.filename());
  const std::size_t first = std::min(name.find('#'), name.size());
  if (!is_folder && (first == name.size() || type == fs::file_type::regular)) return {file};
  const std::string_view before = std::string_view(name).substr(0, first);
  std::string_view after = std::string_view(name).substr(first);
  after.remove_prefix(std::min(after.find_first_not_of('#'), after.size()));
  std::vector<std::tuple<std::size_t, std::string, fs::path>> found;  // the length of the number, the number
  const fs::path folder = is_folder ? file : file.has_parent_path() ? file.parent_path() : fs::path(".");
  for (const FolderListing::Entry& entry : list_folder(folder, {".obj"}, stop).entries) {
    if (entry.is_folder) continue;
    std::string_view number = entry.name;
    if (is_folder) {
      number.remove_suffix(std::string_view(".obj").size());
      number.remove_prefix(number.find_last_not_of(kDigits) + 1);  // npos + 1 is 0
    } else {
      if (!number.starts_with(before) || !number.ends_with(after)) continue;
      if (number.size() <= before.size() + after.size()) continue;
      number = number.substr(before.size(), number.size() - before.size() - after.size());
      if (number.find_first_not_of(kDigits) != std::string_view::npos) continue;
    }
    number.remove_prefix(std::min(number.find_first_not_of('0'), number.size()));
    found.emplace_back(number.size(), number, entry.path);
  }
  std::ranges::sort(found);
  std::vector<fs::path> files;
  for (auto& [length, number, path] : found) files.push_back(std::move(path));
  if (files.empty() && !is_folder) files.push_back(file);  // a message names it
  return files;
}

bool BodyFile::exists() const { return is_there(file) || is_there(files().back()); }

}  // namespace clothlab
