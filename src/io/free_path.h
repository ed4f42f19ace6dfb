// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace clothlab {

/// A file in `folder` that does not exist yet: stem-001.extension, or the first number after it that is free.
std::filesystem::path free_file(const std::filesystem::path& folder, std::string_view stem,
                                std::string_view extension);

/// Makes the folder stem-001 in `folder`, or the first number after it that is free, and answers with its
/// path. Throws InputError, one sentence, when it cannot be made.
std::filesystem::path make_free_folder(const std::filesystem::path& folder, std::string_view stem);

/// A scene's title as the stem of a file's name: "clothlab-sheet-on-two-corners".
std::string file_stem(std::string_view title);

}  // namespace clothlab
