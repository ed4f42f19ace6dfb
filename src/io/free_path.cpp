// SPDX-License-Identifier: MIT
#include "io/free_path.h"

#include <array>
#include <cctype>
#include <cstdio>
#include <string>
#include <system_error>
#include <utility>

#include "core/error.h"
#include "core/text_file.h"

namespace clothlab {
namespace {

namespace fs = std::filesystem;

constexpr int kMostNumbers = 100'000;

std::string numbered(std::string_view stem, int number) {
  std::array<char, 16> digits{};
  std::snprintf(digits.data(), digits.size(), "-%03d", number);
  return std::string(stem) + digits.data();
}

}  // namespace

fs::path free_file(const fs::path& folder, std::string_view stem, std::string_view extension) {
  fs::path path;
  for (int number = 1; number <= kMostNumbers; ++number) {
    path = folder / path_of(numbered(stem, number) + std::string(extension));
    std::error_code error;
    if (!fs::exists(fs::symlink_status(path, error))) break;
  }
  return path;
}

fs::path make_free_folder(const fs::path& folder, std::string_view stem) {
  for (int number = 1; number <= kMostNumbers; ++number) {
    fs::path path = folder / path_of(numbered(stem, number));
    std::error_code error;
    if (fs::create_directory(path, error)) return path;
    if (error && error != std::errc::file_exists)
      throw InputError("The folder " + shown_path(path) + " cannot be created: " + error.message() + ".");
  }
  throw InputError("There are too many folders " + numbered(stem, 1) + ", ... in " + shown_path(folder) +
                   ".");
}

std::string file_stem(std::string_view title, std::string_view prefix) {
  constexpr std::size_t kLongest = 100;
  std::string name(prefix);
  bool gap = true;
  for (const char c : title) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) == 0 && byte < 0x80) {
      gap = true;
      continue;
    }
    if (std::exchange(gap, false) && !name.empty()) name += '-';
    name += static_cast<char>(std::tolower(byte));
  }
  return name.size() > kLongest ? std::string(prefix) : name;
}

}  // namespace clothlab
