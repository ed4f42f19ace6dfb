// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cloth/fabric.h"
#include "cloth/material.h"
#include "core/compressed_rows.h"
#include "core/stop_probe.h"
#include "core/vec.h"
#include "linalg/spring_matrix.h"

namespace clothlab {

class CancelPoint;

/// Topology and rest shape of a cloth: particles and the springs between them, without current positions.
/// Immutable and shared.
class ClothModel {
 public:
  using Ends = std::array<std::uint32_t, 2>;
  using Triangle = std::array<std::uint32_t, 3>;

  /// Keeps the mesh, whose positions and triangles it shares. Throws Cancelled on cancellation.
  explicit ClothModel(const std::shared_ptr<const ClothMesh>& mesh, const StopProbe& stop = {});

  /// A system of any shape, for tests and chains. Springs join two different particles; several may join
  /// the same two. Triangles are used by `MassModel::area`, the connected parts and the wind.
  ClothModel(std::span<const vec3> rest_positions, std::span<const Ends> stretch,
             std::span<const Ends> bend = {}, std::span<const Triangle> triangles = {},
             const StopProbe& stop = {});

  std::size_t particles() const { return areas_.size(); }

  /// Number of springs: stretch springs come first, then bending springs.
  std::size_t springs() const { return rest_lengths_.size(); }
  std::size_t stretch_springs() const { return stretch_springs_; }

  // By slot, the order of the loops over springs (see SpringPattern).
  /// L [m]; 0 is allowed.
  std::span<const double> rest_lengths() const { return rest_lengths_; }
  bool is_stretch(std::size_t slot) const { return is_stretch_[slot] != 0; }
  /// The same as 1 or 0.
  std::span<const char> stretch_flags() const { return is_stretch_; }

  std::span<const Triangle> triangles() const { return *triangles_; }
  /// For each particle, the indices of the triangles that contain it, ascending: a force that each particle
  /// sums for itself needs no locks and has the same bits for any number of threads.
  CompressedRows<std::uint32_t> by_particle(std::span<const Triangle> triangles) const;
  /// Area of all triangles at rest [m²].
  double area() const;
  /// The triangles of the parts that enclose a volume (ClothMesh::closed), with their corners
  /// counter-clockwise as seen from outside at rest. None for a cloth without a mesh.
  std::span<const Triangle> enclosing() const { return enclosing_; }

  /// Sparsity pattern of the matrices of this cloth.
  const std::shared_ptr<const SpringPattern>& pattern() const { return pattern_; }

  /// Connected part of every particle, numbered from 0 in the order of their first particles.
  std::span<const std::uint32_t> part_of_particle() const { return part_of_particle_; }
  std::size_t parts() const { return parts_; }

  /// Mass of every particle [kg]. Throws InputError if the area model leaves one without mass, and as
  /// material_of_triangle does.
  std::vector<double> masses(const Material& material) const;
  /// The springs of a fabric, or of springs with materials of groups. O(n log n). Throws InputError as
  /// material_of_triangle does.
  FabricSprings springs_of(const Material& material) const;

 private:
  FabricSprings springs_by_group(const Material& material, std::span<const std::uint32_t> of_triangle) const;
  using Positions = std::shared_ptr<const std::vector<vec3>>;
  using Triangles = std::shared_ptr<const std::vector<Triangle>>;
  ClothModel(Positions rest_positions, std::span<const Ends> stretch, std::span<const Ends> bend,
             Triangles triangles, const StopProbe& stop);
  void find_parts(CancelPoint& cancel);
  void enclose(const ClothMesh& mesh, CancelPoint& cancel);

  Positions rest_positions_;
  Triangles triangles_;
  std::shared_ptr<const ClothMesh> mesh_;  // may be null
  std::size_t stretch_springs_ = 0;
  std::shared_ptr<const SpringPattern> pattern_;
  std::vector<double> rest_lengths_;
  std::vector<char> is_stretch_;
  std::vector<double> areas_;  // per particle: a third of every adjacent triangle [m²]
  std::vector<std::uint32_t> part_of_particle_;
  std::size_t parts_ = 0;
  std::vector<Triangle> enclosing_;
};

/// Throws InputError for an overpressure without a closed part to fill: `closed` counts closed parts, or
/// their triangles.
void check_inflate(const Material& material, std::size_t closed);

/// Per triangle 0, or one more than the index of its group in `material.groups`; empty without such groups.
/// `mesh` may be null. Throws InputError for a group of another kind than the material, a group that the mesh
/// file does not have, and for faces of two groups.
std::vector<std::uint32_t> material_of_triangle(const Material& material, const ClothMesh* mesh);

/// Throws InputError as ClothModel::masses does for a cloth of this shape without groups, without building
/// it.
void check_masses(const Material& material, std::span<const vec3> rest_positions,
                  std::span<const ClothModel::Triangle> triangles);

}  // namespace clothlab
