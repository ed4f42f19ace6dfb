// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cloth/seam_force.h"
#include "core/vec.h"

namespace clothlab {

struct ClothMesh;
struct Scene;

/// Pairs of vertices of a scene that are sewn together.
struct Seam {
  using Pair = std::array<std::uint32_t, 2>;

  std::vector<Pair> pairs;  ///< 0-based `v` indices
  double seconds = 1;       ///< in which they close, from the start [s]

  bool operator==(const Seam&) const = default;
};

inline constexpr double kMostSeamSeconds = 1000;

/// True if a scene sews pairs of its own, or the line elements of its mesh.
bool has_seams(const Scene& scene);

/// The pairs of particles of all seams and, if the scene sews them, of those line elements of its mesh that
/// join other pairs. `start` contains the positions at the start [m]. Leaves out pairs of one particle, and
/// line elements of vertices that no face uses. Throws InputError for a vertex of a seam that does not exist
/// or that no face uses.
std::vector<SewnPair> sewn_pairs(const Scene& scene, const ClothMesh& mesh, std::span<const vec3> start);

/// By particle, the lowest of all that are sewn together; null without pairs.
std::shared_ptr<const std::vector<std::uint32_t>> joined_particles(std::span<const SewnPair> pairs,
                                                                   std::size_t particles);

/// How far seams are open.
struct SeamGaps {
  std::size_t pairs = 0;
  std::size_t open = 0;  ///< of them: farther apart than kOpenSeam
  double largest = 0;    ///< [m]
  double closed_at = 0;  ///< when the last spring has no length any more [s]
};
/// Springs pull seams together without forcing them: cloth under tension leaves gaps of this size [m].
inline constexpr double kOpenSeam = 1e-3;
SeamGaps seam_gaps(std::span<const SewnPair> pairs, std::span<const vec3> x);

/// What is open at time t [s], for the end of a run; empty if nothing is.
std::string open_seams_text(const SeamGaps& gaps, double t);

}  // namespace clothlab
