// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "core/image.h"

namespace clothlab {

/// The bytes of a PNG file. Throws SystemError if memory is insufficient.
std::string png_bytes(int width, int height, std::span<const std::uint8_t> pixels);

/// Writes a picture, its top row first, `width` × `height` pixels of 3 (RGB) or 4 (RGBA) bytes: the size
/// of `pixels` determines which. The file appears completely or not at all (io/output_file.h). Throws
/// InputError when `path` cannot be written, SystemError when writing fails.
void write_png(const std::filesystem::path& path, int width, int height,
               std::span<const std::uint8_t> pixels);
inline void write_png(const std::filesystem::path& path, const Image& image) {
  write_png(path, image.width, image.height, image.rgba);
}

}  // namespace clothlab
