// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>

#include "core/image.h"

namespace clothlab {

/// The bytes of a PNG file. Throws SystemError if memory is insufficient.
std::string png_bytes(const Image& image);

/// Writes a picture as a PNG file, which appears completely or not at all (io/output_file.h). Throws
/// InputError when `path` cannot be written, SystemError when writing fails.
void write_png(const std::filesystem::path& path, const Image& image);

}  // namespace clothlab
