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

/// The features of a cloth that are near each other, or near those of mesh obstacles. Vertices of meshes are
/// particles after those of the cloth.
class NearPairs {
 public:
  using Triangle = PairFinder::Triangle;

  /// Triangles and positions at rest [m] must outlive this. `with_itself`: pairs of the cloth with itself.
  void set_cloth(std::span<const Triangle> triangles, std::span<const vec3> rest, bool with_itself);
  /// The meshes among the surfaces of a step; null: none.
  void place_meshes(const Surfaces* surfaces);

  bool empty() const { return rest_.empty() || (!with_itself_ && meshes_.empty()); }
  /// Of the cloth.
  std::size_t particles() const { return rest_.size(); }

  struct Near {
    FeaturePair pair;
    Separation apart;
    double reach = 0;  ///< the pair counts as near below this distance [m]
  };
  /// The pairs that are nearer than `reach` at positions x of the cloth's particles [m]; features of the
  /// cloth that are near at rest, nearer than half as far as there. In an order that depends on neither the
  /// pool nor earlier calls. Valid until the next call of any member.
  /// `before`: with meshes where they were before.
  std::span<const Near> find(WorkerPool& pool, std::span<const vec3> x, double reach, bool before);
  /// Whether the last search found more than could be listed, and listed none.
  bool crowded() const { return crowded_; }

  /// Once, more than once in a step on ways of about that length, or with meshes that move.
  enum class Looks { once, again, meshes_move };
  /// Among others all pairs that come nearer than `reach` on ways of the cloth's particles from x [m], meshes
  /// at rest, or on their ways from where they were before. Nothing where there are too many.
  std::optional<std::span<const FeaturePair>> may_meet(WorkerPool& pool, std::span<const vec3> x,
                                                       std::span<const vec3> way, double reach, Looks looks);
  /// Positions and ways of a pair of the last call of may_meet.
  std::array<vec3, 4> positions_of(const FeaturePair& pair) const { return pair.of(x_); }
  std::array<vec3, 4> ways_of(const FeaturePair& pair) const { return pair.of(way_); }
  /// The surface that a mesh vertex belongs to.
  std::uint32_t surface_of(std::uint32_t vertex) const { return surface_of_vertex_[vertex - rest_.size()]; }
  bool is_cloth(std::uint32_t particle) const { return particle < rest_.size(); }
  /// Of a mesh vertex, where it was looked for last [m].
  const vec3& position_of(std::uint32_t vertex) const { return x_[vertex]; }
  /// How near a pair may be before it counts: see `find`.
  double reach_of(const FeaturePair& pair, double reach) const;

 private:
  struct Listed {
    FeaturePair pair;
    double distance;  // of the places of its particles [m]
    double reach;     // see reach_of [m]
  };
  bool is_at(std::span<const vec3> x, double reach, bool before) const;
  void take(std::span<const vec3> x, std::span<const vec3> corners);
  bool covers(WorkerPool& pool, std::span<const vec3> way, double reach);
  bool make_cover(WorkerPool& pool, std::span<const vec3> way, double reach);
  bool list_strays(WorkerPool& pool, double reach);
  bool list_all(WorkerPool& pool, double reach);
  void add_listed(WorkerPool& pool, std::span<const FeaturePair> found, double reach, bool of_strays);
  bool has_stray(const FeaturePair& pair) const;
  template <class Item, class Each>
  void collect(WorkerPool& pool, std::vector<std::vector<Item>>& by_chunk, std::vector<Item>& all,
               const Each& each) const;
  bool is_far(const Listed& listed, double reach, bool on_ways) const;

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
  bool found_before_ = false;                   // near_
  std::vector<vec3> corners_, corners_before_;  // of meshes, where they are and were
  std::vector<std::uint32_t> surface_of_vertex_;
  PairFinder finder_;

  std::vector<vec3> x_, way_;  // of all particles
  // Listed are all pairs that come near while each particle stays within its room of its place, but for what
  // all have in common.
  std::vector<Listed> listed_;
  double listed_reach_ = 0;  // 0: nothing is listed
  std::vector<vec3> places_;
  std::vector<double> rooms_;
  // Of the last `covers`: how far particles are from their places, on their ways as well where there are any,
  // the part of that which all have in common, the ways without it, and the particles that have no room.
  std::vector<double> gone_, going_;
  vec3 common_{0};
  std::vector<std::uint32_t> strays_;
  std::vector<char> is_stray_;
  double near_reach_ = 0;  // of near_, found at x_; 0: of nothing
  bool crowded_ = false;
  std::vector<std::vector<Near>> by_chunk_;
  std::vector<Near> near_;
  std::vector<std::vector<FeaturePair>> meeting_by_chunk_;
  std::vector<FeaturePair> meeting_;
};

}  // namespace clothlab
