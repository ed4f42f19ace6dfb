// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace clothlab {

/// A file in `folder` that does not exist yet: stem-001.extension, or with the first free number after it.
std::filesystem::path free_file(const std::filesystem::path& folder, std::string_view stem,
                                std::string_view extension);

/// Creates the folder stem-001 in `folder`, or with the first free number after it, and returns its path.
/// Throws InputError, one sentence, if it cannot be created.
std::filesystem::path make_free_folder(const std::filesystem::path& folder, std::string_view stem);

/// A scene's title as the stem of a file name: "clothlab-sheet-on-two-corners"; only `prefix` if that is too
/// long.
std::string file_stem(std::string_view title, std::string_view prefix = "clothlab");

}  // namespace clothlab
