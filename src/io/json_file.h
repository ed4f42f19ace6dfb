#pragma once

#include <cstddef>

#include "core/text_file.h"

namespace clothlab {

/// The largest JSON text that is read, for read_text_file(path, kMaxJsonBytes).
inline constexpr std::size_t kMaxJsonBytes = std::size_t{64} << 20;

}  // namespace clothlab
