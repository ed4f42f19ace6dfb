// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "core/stop_probe.h"

namespace clothlab {

/// Options of a long load.
struct LoadOptions {
  StopProbe stop;                                 ///< polled; on cancellation the load throws Cancelled
  std::function<void(double fraction)> progress;  ///< called regularly with 0…1
};

/// The bytes of a regular file, or of a file in a bundle (core/archive.h), of at most `max_bytes`. Never
/// blocks on a FIFO and allocates nothing before the size is known. Throws InputError, naming the file, when
/// it is missing, not a regular file, not readable or too large; Cancelled on request of `stop`.
std::string read_text_file(const std::filesystem::path& path, std::size_t max_bytes,
                           const LoadOptions& options = {});

/// The path for messages, through printable().
std::string shown_path(const std::filesystem::path& path);

/// Paths as text and back, UTF-8 on every platform. Unix names may be any bytes; they are kept.
std::string utf8_of(const std::filesystem::path& path);
std::filesystem::path path_of(std::string_view utf8);

}  // namespace clothlab
