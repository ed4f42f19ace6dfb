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

/// The candidates of a cloth for contact: pairs of its features, and of its features with those of mesh
/// obstacles, that are or come near each other. Vertices of meshes are particles after those of the cloth.
///
/// A search lists more than is near, and the list serves while each particle stays within its room of where
/// it was at the search: most calls need none.
class CandidateList {
 public:
  using Triangle = PairFinder::Triangle;

  /// Triangles and positions at rest [m] must outlive this. `with_itself`: pairs of the cloth with itself.
  void set_cloth(std::span<const Triangle> triangles, std::span<const vec3> rest, bool with_itself);
  /// The meshes among the surfaces of a step; null: none.
  void place_meshes(const Surfaces* surfaces);

  bool empty() const { return rest_.empty() || (!with_itself_ && meshes_.empty()); }
  bool is_cloth(std::uint32_t particle) const { return particle < rest_.size(); }
  /// The surface that a mesh vertex belongs to.
  std::uint32_t surface_of(std::uint32_t vertex) const { return surface_of_vertex_[vertex - rest_.size()]; }
  /// The distance below which a pair counts as near: at most half as far as features of the cloth are apart
  /// at rest.
  double reach_of(const FeaturePair& pair, double reach) const;

  struct Near {
    FeaturePair pair;
    Separation apart;
    double reach = 0;  ///< see reach_of
  };
  /// The pairs that are nearer than their reach at positions x of the cloth's particles [m], with meshes
  /// where they are at the end of the step, or at its beginning. In an order that depends on neither the pool
  /// nor earlier calls. Valid until the next call of any member.
  std::span<const Near> near(WorkerPool& pool, std::span<const vec3> x, double reach, bool at_begin);
  /// True if the last search for that found more than could be listed, and listed none.
  bool crowded() const { return crowded_; }

  /// Once, more than once in a step on displacements of about that length, or with meshes that move.
  enum class Search { once, again, meshes_move };
  /// Among others all pairs that come nearer than `reach` on displacements of the cloth's particles from x
  /// [m], with meshes at rest, or moving from where they were. Nothing where there are too many.
  std::optional<std::span<const FeaturePair>> along(WorkerPool& pool, std::span<const vec3> x,
                                                    std::span<const vec3> displacement, double reach,
                                                    Search search);
  /// Positions and displacements of a pair of the last call of `along`.
  std::array<vec3, 4> positions_of(const FeaturePair& pair) const { return pair.of(x_); }
  std::array<vec3, 4> displacements_of(const FeaturePair& pair) const { return pair.of(displacement_); }
  /// Of a mesh vertex, where it was searched for last [m].
  const vec3& position_of(std::uint32_t vertex) const { return x_[vertex]; }

  struct Bounded {
    std::span<const FeaturePair> pairs;
    std::span<const double> least;  ///< that each is surely apart at x [m]
  };
  /// As `along` for short steps, with positions and displacements of all particles, those of meshes included.
  /// In the order of PairFinder::find. Which pairs are listed that come no nearer than `reach` depends on
  /// earlier calls.
  std::optional<Bounded> bounded_along(WorkerPool& pool, std::span<const vec3> x,
                                       std::span<const vec3> displacement, double reach);
  /// Searches so far.
  std::size_t searches() const { return searches_; }

 private:
  struct Listed {
    FeaturePair pair;
    double distance;  // of the places of its particles [m]
    double reach;     // see reach_of [m]
  };
  struct Least {
    FeaturePair pair;
    double least;
  };
  void add_next_meshes();
  bool is_at(std::span<const vec3> x, double reach, bool at_begin) const;
  void take(std::span<const vec3> x, std::span<const vec3> corners);
  bool covers(WorkerPool& pool, std::span<const vec3> displacement, double reach);
  bool make_cover(WorkerPool& pool, std::span<const vec3> displacement, double reach);
  std::optional<std::span<const FeaturePair>> search_within(WorkerPool& pool, double reach,
                                                            std::span<const char> of);
  bool list_strays(WorkerPool& pool, double reach);
  bool list_all(WorkerPool& pool, double reach);
  bool list_for_short_steps(WorkerPool& pool, double reach);
  void add_listed(WorkerPool& pool, std::span<const FeaturePair> found, double reach, bool of_strays);
  bool has_stray(const FeaturePair& pair) const;
  template <class Item, class Each>
  void collect(WorkerPool& pool, std::vector<std::vector<Item>>& by_chunk, std::vector<Item>& all,
               const Each& each) const;
  bool is_far(const Listed& listed, double reach, bool along_displacements) const;

  std::span<const Triangle> triangles_;
  std::span<const vec3> rest_;
  bool with_itself_ = false;
  // Of the finder, after the cloth.
  struct PlacedMesh {
    std::shared_ptr<const TriangleSurface> mesh;
    std::uint32_t surface;
    vec3 from, from_before;
    mat3 axes, axes_before;
    double scale;
    bool operator==(const PlacedMesh&) const = default;
  };
  std::vector<PlacedMesh> meshes_, next_meshes_;
  std::vector<vec3> corners_, corners_before_;  // of meshes, at the end and at the beginning
  std::vector<std::uint32_t> surface_of_vertex_;
  PairFinder finder_;
  std::size_t searches_ = 0;

  std::vector<vec3> x_, displacement_;  // of all particles
  // Listed are all pairs that come near while each particle stays within its room of its place, but for what
  // all have in common.
  std::vector<Listed> listed_;
  double listed_reach_ = 0;  // 0: nothing is listed
  std::vector<vec3> places_;
  std::vector<double> rooms_;
  // Of the last `covers`: how far particles are from their places, how far their displacements lead, both
  // together, the part of that which all have in common, and the particles that have no room.
  std::vector<double> moved_, going_, gone_;
  vec3 common_{0};
  std::vector<std::uint32_t> strays_;
  std::vector<char> is_stray_;
  int served_ = 0, waits_ = 0;  // short steps that the list was good for; that go by before the next one
  double near_reach_ = 0;       // of near_, found at x_; 0: of nothing
  bool near_at_begin_ = false;  // likewise
  bool crowded_ = false;
  std::vector<std::vector<Near>> near_by_chunk_;
  std::vector<Near> near_;
  std::vector<std::vector<FeaturePair>> pairs_by_chunk_;
  std::vector<FeaturePair> pairs_;
  std::vector<std::vector<Least>> least_by_chunk_;
  std::vector<Least> bounded_;
  std::vector<double> least_;
};

}  // namespace clothlab
