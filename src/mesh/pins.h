// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mesh/mesh.h"

namespace clothlab {

enum class PinPreset { none, corners, top_corners, top_edge };

/// The particles of a pin preset, ascending (`--pin`).
///
/// A grid has its own rows and corners; its top is row 0. For any other mesh up is y, or −z when the y
/// extent is under 1e-3 of the diagonal:
/// - top_edge: per connected part, all within 2 % of the part's height below its highest particle;
/// - top_corners: of each such band the two particles farthest apart along the longer of its horizontal
///   axes (one, if the band has one);
/// - corners: the particle nearest to each corner of the box face that the two longest axes span, by its
///   distance within that face.
/// Ties go to the lower particle, and to the earlier axis.
std::vector<std::uint32_t> pinned_particles(const ClothMesh& mesh, PinPreset preset);

/// The particles of 0-based `v` indices, ascending and without repetition. Throws InputError, naming the
/// index, if the mesh does not have it or no face uses it.
std::vector<std::uint32_t> pins_from_vertices(const ClothMesh& mesh, std::span<const std::uint32_t> vertices);

/// The connected parts (ClothMesh::part_of_particle) without a pinned particle, ascending. `pinned` has
/// 0 or 1 per particle.
std::vector<std::uint32_t> parts_without_pin(const ClothMesh& mesh, std::span<const std::uint8_t> pinned);

}  // namespace clothlab
