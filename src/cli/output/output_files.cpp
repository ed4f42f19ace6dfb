// SPDX-License-Identifier: MIT
#include "cli/output/output_files.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <system_error>
#include <utility>

#include "cli/options.h"
#include "core/error.h"
#include "core/text.h"
#include "core/text_file.h"
#include "documents/scene_file.h"
#include "io/output_file.h"

namespace clothlab {
namespace {

namespace fs = std::filesystem;

// Of formats that this program or others write.
constexpr auto kKnownExtensions = std::to_array<std::string_view>(
    {".abc", ".apng", ".avi", ".bmp",  ".checkpoint", ".clothlab", ".csv",     ".fbx",  ".gif",
     ".glb", ".gltf", ".htm", ".html", ".jpeg",       ".jpg",      ".journal", ".json", ".md",
     ".mdd", ".mkv",  ".mov", ".mp4",  ".obj",        ".pc2",      ".pdf",     ".ply",  ".png",
     ".stl", ".svg",  ".usd", ".usda", ".usdc",       ".webm",     ".webp"});

fs::path whole_path(const fs::path& path) {
  std::error_code error;
  fs::path found = fs::weakly_canonical(fs::absolute(path, error), error);
  return error ? path : found;
}

/// By any path or link; also of files that do not exist yet.
bool same_file(const fs::path& a, const fs::path& b) {
  std::error_code error;
  return fs::equivalent(a, b, error) || whole_path(a) == whole_path(b);
}

}  // namespace

bool try_write(const std::function<void()>& write) {
  const auto report = [](const std::exception& error) {
    std::fprintf(stderr, "clothlab: %s\n", error.what());
    return false;
  };
  std::fflush(stdout);  // an output that is stdout follows what was printed
  try {
    write();
  } catch (const SystemError& error) {
    return report(error);
  } catch (const InputError& error) {  // found by the checks that precede a write
    return report(error);
  }
  return true;
}

std::string sequence_number(std::uint64_t number) {
  constexpr std::size_t kLeastDigits = 6;
  const std::string digits = std::to_string(number);
  return std::string(kLeastDigits - std::min(kLeastDigits, digits.size()), '0') + digits;
}

bool has_folder(const fs::path& folder) {
  std::error_code error;
  if (fs::is_directory(folder, error)) return true;
  if (fs::exists(folder, error)) throw InputError("'" + shown_path(folder) + "' is not a folder.");
  check_writable(folder);  // its parent folder must exist
  return false;
}

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directory(folder, error);
  if (error)
    throw SystemError("The folder '" + shown_path(folder) + "' cannot be created: " + error.message() + ".");
}

void check_extension(const fs::path& file, std::string_view extension) {
  const std::string named = lower_case(utf8_of(file.extension()));
  if (extension.find(named) != extension.npos ||
      std::ranges::find(kKnownExtensions, named) == kKnownExtensions.end())
    return;
  throw InputError("'" + shown_path(file) + "' has the extension of another format; this output is " +
                   std::string(extension) + ".");
}

CLI::Option* OutputFiles::add_option(CLI::App& app, const char* group, const char* name,
                                     const char* extension, std::optional<std::string>& target,
                                     const char* type, const char* help) {
  named_.push_back({&target, extension});
  return add_text(app, group, name, target, type, help);
}

void OutputFiles::check() {
  for (const auto& [target, extension] : named_) {
    if (!*target) continue;
    if (*target == "-") *target = "/dev/stdout";
    add(path_of(**target), extension);
  }
}

bool OutputFiles::any_named() const {
  return std::ranges::any_of(named_, [](const Named& named) { return named.target->has_value(); });
}

void OutputFiles::add(const fs::path& file, std::string_view extension) {
  check_extension(file, extension);
  const fs::path replaced = replaced_file(file);
  if (replaced.empty()) return;
  if (replaces(replaced))
    throw InputError("Two outputs go to the same file '" + shown_path(file) + "': give each its own.");
  files_.push_back(replaced);
}

void OutputFiles::add_numbered(const fs::path& folder, std::string prefix, std::string suffix) {
  if (has_folder(folder)) check_writable(folder / (prefix + sequence_number(0) + suffix));
  numbered_.push_back({folder, std::move(prefix), std::move(suffix)});
  const Numbered& sequence = numbered_.back();
  for (const fs::path& file : files_)
    if (sequence.replaces(file))
      throw InputError("Two outputs go to the same file '" + shown_path(file) + "': give each its own.");
}

void OutputFiles::spare(const fs::path& input) const {
  std::error_code error;
  if (!fs::is_regular_file(input, error) || !replaces(input)) return;
  throw InputError("An output would replace '" + shown_path(input) +
                   "', which is an input: give the output another name.");
}

void OutputFiles::spare(const Scene& scene) const {
  for (const fs::path& file : files_of(scene)) spare(file);
}

bool OutputFiles::replaces(const fs::path& file) const {
  return std::ranges::any_of(files_, [&](const fs::path& output) { return same_file(output, file); }) ||
         std::ranges::any_of(numbered_, [&](const Numbered& sequence) { return sequence.replaces(file); });
}

bool OutputFiles::Numbered::names(const std::string& name) const {
  constexpr std::size_t kLeastDigits = 6;
  if (!name.starts_with(prefix) || !name.ends_with(suffix)) return false;
  if (name.size() < prefix.size() + kLeastDigits + suffix.size()) return false;
  return name.find_first_not_of("0123456789", prefix.size()) >= name.size() - suffix.size();
}

bool OutputFiles::Numbered::replaces(const fs::path& file) const {
  const fs::path whole = whole_path(file);
  if (names(utf8_of(whole.filename())) && same_file(whole.parent_path(), folder)) return true;
  // An existing name of the sequence may be a link to the file.
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    std::error_code gone;
    if (names(utf8_of(at->path().filename())) && fs::equivalent(at->path(), file, gone)) return true;
  }
  return false;
}

}  // namespace clothlab
