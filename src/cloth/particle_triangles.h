// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>

#include "cloth/cloth_model.h"
#include "core/compressed_rows.h"

namespace clothlab {

/// The triangles at every particle, ascending, for forces on triangles that each particle sums up for itself:
/// no locks, and the same bits for any number of threads.
inline CompressedRows<std::uint32_t> triangles_at(std::size_t particles,
                                                  std::span<const ClothModel::Triangle> triangles) {
  CompressedRows<std::uint32_t> at;
  at.fill(particles, [&](const auto& add) {
    for (std::uint32_t t = 0; t < triangles.size(); ++t)
      for (const std::uint32_t i : triangles[t]) add(i, t);
  });
  return at;
}

}  // namespace clothlab
