#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cloth/material.h"
#include "core/stop_probe.h"
#include "core/vec.h"
#include "core/worker_pool.h"
#include "dynamics/elastic_elements.h"
#include "linalg/spring_matrix.h"

namespace clothlab {

class CancelPoint;
struct ClothMesh;

/// Particles and the springs between them: the topology and rest shape of a cloth, never its current
/// positions. Immutable; systems share it.
class ClothModel {
 public:
  using Ends = std::array<std::uint32_t, 2>;
  using Triangle = std::array<std::uint32_t, 3>;

  /// Throws Cancelled when `stop` asks.
  explicit ClothModel(const ClothMesh& mesh, const StopProbe& stop = {});

  /// A system of any shape, for tests and chains. Springs join two different particles; several may join
  /// the same two. Triangles matter to `MassModel::area`, to the connected parts and to wind.
  ClothModel(std::span<const vec3> rest_positions, std::span<const Ends> stretch,
             std::span<const Ends> bend = {}, std::span<const Triangle> triangles = {},
             const StopProbe& stop = {});

  std::size_t particles() const { return areas_.size(); }

  /// Stretch springs first, then bending springs.
  std::span<const RestSpring> springs() const { return springs_; }
  std::size_t stretch_springs() const { return stretch_springs_; }

  std::span<const Triangle> triangles() const { return triangles_; }
  /// Of all triangles at rest [m²].
  double area() const;

  /// Pattern of the matrices of this cloth, its springs in the order of `springs()`.
  const std::shared_ptr<const SpringPattern>& pattern() const { return pattern_; }

  /// Connected part of every particle, numbered from 0 in the order of their first particles.
  std::span<const std::uint32_t> part_of_particle() const { return part_of_particle_; }
  std::size_t parts() const { return parts_; }

  /// Mass of every particle [kg]. Throws InputError where the area model leaves one without mass.
  std::vector<double> masses(const Material& material) const;

  /// Largest |l/L − 1| over the stretch springs with L > 0 at positions x [m]; not a number where
  /// one of them is not.
  double max_strain(WorkerPool& pool, std::span<const vec3> x) const;

 private:
  void find_parts(CancelPoint& cancel);

  std::vector<RestSpring> springs_;
  std::vector<Triangle> triangles_;
  std::size_t stretch_springs_ = 0;
  std::shared_ptr<const SpringPattern> pattern_;
  std::vector<double> areas_;  // per particle: a third of every adjacent triangle [m²]
  std::vector<std::uint32_t> part_of_particle_;
  std::size_t parts_ = 0;
};

}  // namespace clothlab
