// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "core/image.h"
#include "io/output_file.h"

namespace clothlab {

/// The bytes of a PNG file. Throws SystemError if memory is insufficient.
std::string png_bytes(const Image& image);

/// Writes a picture as a PNG file, which appears completely or not at all (io/output_file.h). Throws
/// InputError when `path` cannot be written, SystemError when writing fails.
void write_png(const std::filesystem::path& path, const Image& image);

/// An animated PNG (PNG specification, third edition: acTL, fcTL, fdAT), which repeats and which programs
/// without animation show as its first picture. Each picture is written at once, so that memory does not
/// grow. The file appears completely in commit(), or not at all.
class AnimatedPng {
 public:
  /// Throws InputError if `path` cannot be written or is no regular file. A rate above 65 535 is not exact.
  AnimatedPng(const std::filesystem::path& path, double pictures_per_second);
  /// Adds a picture; all have the size of the first. Throws SystemError.
  void add(const Image& picture);
  /// Call once, after at least one picture. Throws SystemError.
  void commit();

 private:
  /// A chunk: its length, name, data and checksum.
  void write_chunk(std::string_view name, std::string_view data);

  OutputFile file_;
  std::uint16_t numerator_ = 1, denominator_ = 1;  // of the seconds that a picture lasts
  std::uint32_t pictures_ = 0, sequence_ = 0;
};

}  // namespace clothlab
