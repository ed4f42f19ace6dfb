// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "collide/feature_pair.h"
#include "contact/pair_finder.h"
#include "contact/surfaces.h"
#include "core/vec.h"
#include "core/worker_pool.h"

namespace clothlab {

/// Candidates for contact: pairs of features of a cloth, and of the cloth and mesh obstacles, that are or
/// come near each other. Vertices of meshes are particles after those of the cloth.
///
/// A search lists more than is near. The list is valid while no particle moves farther than its room from its
/// position at the search, so most calls need no search.
class CandidateList {
 public:
  using Triangle = PairFinder::Triangle;

  /// By particle, the lowest of all that are sewn together (PairFinder::Search::joined); null: none are.
  using Joined = std::shared_ptr<const std::vector<std::uint32_t>>;

  /// Triangles and positions at rest [m] must outlive this. `with_itself`: pairs of the cloth with itself.
  void set_cloth(std::span<const Triangle> triangles, std::span<const vec3> rest, bool with_itself,
                 const Joined& joined = {});
  /// Adopts the meshes among the surfaces of a step; null: none.
  void place_meshes(const Surfaces* surfaces);

  bool empty() const { return rest_.empty() || (!with_itself_ && meshes_.empty()); }
  bool is_cloth(std::uint32_t particle) const { return particle < rest_.size(); }
  /// The surface that a mesh vertex belongs to.
  std::uint32_t surface_of(std::uint32_t vertex) const { return vertices_[vertex - rest_.size()].surface; }
  /// Its number in that mesh.
  std::uint32_t corner_of(std::uint32_t vertex) const { return vertices_[vertex - rest_.size()].corner; }
  /// The distance below which a pair counts as near: at most half the distance at rest of features of the
  /// cloth.
  double reach_of(const FeaturePair& pair, double reach) const;

  struct Near {
    FeaturePair pair;
    Separation apart;
    double reach = 0;  ///< see reach_of
  };
  /// The pairs that are nearer than their reach at positions x of the cloth's particles [m], with meshes as
  /// at the end of the step, or at its beginning. Their order depends on neither the pool nor earlier calls.
  /// Valid until the next call of any member.
  std::span<const Near> near(WorkerPool& pool, std::span<const vec3> x, double reach, bool at_begin);
  /// True if the last search of `near` found too many pairs, and listed none.
  bool crowded() const { return crowded_; }

  /// How a step searches: once, several times along displacements of similar length, or with moving meshes.
  enum class Search { once, again, meshes_move };
  /// Returns at least all pairs that come nearer than `reach` on displacements of the cloth's particles from
  /// x [m], with meshes at rest or moving. Nothing if there are too many.
  std::optional<std::span<const FeaturePair>> along(WorkerPool& pool, std::span<const vec3> x,
                                                    std::span<const vec3> displacement, double reach,
                                                    Search search);
  /// Positions and displacements of a pair of the last call of `along`.
  std::array<vec3, 4> positions_of(const FeaturePair& pair) const { return pair.of(x_); }
  std::array<vec3, 4> displacements_of(const FeaturePair& pair) const { return pair.of(displacement_); }
  /// Position of a mesh vertex in the last search [m].
  const vec3& position_of(std::uint32_t vertex) const { return x_[vertex]; }

  struct Bounded {
    FeaturePair pair;
    double least = 0;  ///< lower bound of the distance at x [m]
  };
  /// As `along` for short steps, with positions and displacements of all particles, also of meshes. In the
  /// order of PairFinder::find. Which further pairs are listed depends on earlier calls.
  std::optional<std::span<const Bounded>> bounded_along(WorkerPool& pool, std::span<const vec3> x,
                                                        std::span<const vec3> displacement, double reach);
  /// Number of searches so far.
  std::size_t searches() const { return searches_; }

 private:
  struct Listed {
    FeaturePair pair;
    double distance;  // at listed_x_ [m]
    double reach;     // see reach_of [m]
  };
  std::span<const std::uint32_t> joined() const {
    return joined_ ? std::span<const std::uint32_t>(*joined_) : std::span<const std::uint32_t>();
  }
  void add_next_meshes();
  bool is_at(std::span<const vec3> x, double reach, bool at_begin) const;
  void set_positions(std::span<const vec3> x, std::span<const vec3> corners);
  bool covers(WorkerPool& pool, std::span<const vec3> displacement, double reach);
  bool moves_slowly(double reach) const;
  bool update_list(WorkerPool& pool, std::span<const vec3> displacement, double reach);
  std::optional<std::span<const FeaturePair>> search_within(WorkerPool& pool, double reach,
                                                            std::span<const char> of);
  bool list_strays(WorkerPool& pool, double reach);
  bool list_all(WorkerPool& pool, double reach);
  bool list_for_short_steps(WorkerPool& pool, double reach);
  void add_listed(WorkerPool& pool, std::span<const FeaturePair> found, double reach, bool of_strays);
  bool has_stray(const FeaturePair& pair) const {
    return std::ranges::any_of(pair.particle, [&](std::uint32_t i) { return is_stray_[i] != 0; });
  }
  bool is_far(const Listed& listed, double reach, bool along_displacements) const;

  std::span<const Triangle> triangles_;
  std::span<const vec3> rest_;
  bool with_itself_ = false;
  Joined joined_;
  // A mesh of the finder, after the cloth.
  struct PlacedMesh {
    std::shared_ptr<const TriangleSurface> mesh;
    std::uint32_t surface;
    vec3 from, from_before;
    mat3 axes, axes_before;
    double scale, phase, phase_before;
    bool operator==(const PlacedMesh&) const = default;
  };
  std::vector<PlacedMesh> meshes_, next_meshes_;
  std::vector<vec3> corners_, corners_before_;  // of meshes, at the end and at the beginning
  struct MeshVertex {
    std::uint32_t surface, corner;
  };
  std::vector<MeshVertex> vertices_;
  PairFinder finder_;
  std::size_t searches_ = 0;

  std::vector<vec3> x_, displacement_;  // of all particles
  std::vector<vec3> last_x_;            // of the call before
  // All pairs that come near while no particle moves farther than its room from listed_x_, apart from a
  // common translation.
  std::vector<Listed> listed_;
  double listed_reach_ = 0;  // 0: the list is invalid
  std::vector<vec3> listed_x_;
  std::vector<double> rooms_;
  // Of the last `covers`: distances of particles from listed_x_, lengths of displacements, their sums, the
  // common translation, and the particles that leave their room.
  std::vector<double> moved_, lengths_, travel_;
  vec3 common_{0};
  std::vector<std::uint32_t> strays_;
  std::vector<char> is_stray_;
  int served_ = 0, waits_ = 0;  // short steps that used the list; that pass before the next list
  double near_reach_ = 0;       // of near_, found at x_; 0: near_ is invalid
  bool near_at_begin_ = false;  // also of near_
  bool crowded_ = false;
  std::vector<std::vector<Near>> near_by_chunk_;
  std::vector<Near> near_;
  std::vector<std::vector<FeaturePair>> pairs_by_chunk_;
  std::vector<FeaturePair> pairs_;
  std::vector<std::vector<Bounded>> bounded_by_chunk_;
  std::vector<Bounded> bounded_;
};

}  // namespace clothlab
