// SPDX-License-Identifier: MIT
#include "collide/near_pairs.h"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>

namespace clothlab {
namespace {

constexpr std::size_t kNearGrain = 512;
constexpr std::size_t kMovedGrain = 4096;
// How far particles may go before pairs are listed anew, of the reach; and of the way that made it necessary.
constexpr double kLeastRoom = 0.5, kMostRoom = 3, kRoomForWay = 1.25;

}  // namespace

void NearPairs::set_cloth(std::span<const Triangle> triangles, std::span<const vec3> rest, bool with_itself) {
  wide_.reach = close_.reach = near_reach_ = 0;
  with_itself_ = with_itself;
  // The tree of a large cloth takes longer than a step, and a slider sends a command for each.
  if (triangles.data() == triangles_.data() && rest.data() == rest_.data() && rest.size() == rest_.size())
    return;
  triangles_ = triangles;
  rest_ = rest;
  meshes_.clear();
  corners_.clear();
  corners_before_.clear();
  body_of_vertex_.clear();
  finder_.clear();
  if (!rest.empty()) finder_.add(triangles, rest);
}

void NearPairs::place_meshes(std::span<const Obstacle> bodies, std::span<const Obstacle> before) {
  corners_.clear();
  corners_before_.clear();
  body_of_vertex_.clear();
  std::size_t meshes = 0;
  bool same = true;
  for (std::uint32_t k = 0; k < bodies.size(); ++k) {
    const std::shared_ptr<const TriangleSurface>& mesh = bodies[k].mesh.surface;
    if (bodies[k].shape != Obstacle::Shape::mesh || !mesh) continue;
    if (meshes == meshes_.size()) meshes_.emplace_back();
    same = same && meshes_[meshes] == mesh;
    meshes_[meshes++] = mesh;
    for (const vec3& corner : mesh->positions()) {
      corners_.push_back(from_mesh(bodies[k], corner));
      corners_before_.push_back(from_mesh(before[k], corner));
      body_of_vertex_.push_back(k);
    }
  }
  near_reach_ = 0;
  if (same && meshes == meshes_.size()) return;
  wide_.reach = close_.reach = 0;
  meshes_.resize(meshes);
  finder_.clear();
  finder_.add(triangles_, rest_);
  // As in their files: the order of pairs does not depend on where they were met first.
  std::vector<vec3> places(rest_.begin(), rest_.end());
  std::vector<Triangle> numbered;
  for (const std::shared_ptr<const TriangleSurface>& mesh : meshes_) {
    const auto first = static_cast<std::uint32_t>(places.size());
    places.insert(places.end(), mesh->positions().begin(), mesh->positions().end());
    numbered.clear();
    for (const auto& [a, b, c] : mesh->triangles()) numbered.push_back({first + a, first + b, first + c});
    finder_.add(numbered, places);
  }
}

double NearPairs::reach_of(const FeaturePair& pair, double reach) const {
  if (!std::ranges::all_of(pair.particle, [&](std::uint32_t i) { return is_cloth(i); })) return reach;
  return std::min(reach, separation(pair.kind, pair.of(rest_)).distance / 2);
}

/// Whether near_ is what is wanted.
bool NearPairs::is_at(std::span<const vec3> x, double reach, bool before) const {
  return near_reach_ == reach && found_before_ == before &&
         std::ranges::equal(x, std::span(x_).first(x.size()));
}

void NearPairs::take(std::span<const vec3> x, std::span<const vec3> corners) {
  near_reach_ = 0;
  x_.assign(x.begin(), x.end());
  x_.insert(x_.end(), corners.begin(), corners.end());
}

/// Whether a list holds all that is near at x_, and on the ways from there where there are any. What all have
/// in common brings nothing together, where there are no meshes.
bool NearPairs::covers(WorkerPool& pool, List& list, std::span<const vec3> way, double reach) {
  list.gone = 0;
  if (list.reach != reach || list.at.size() != x_.size()) return false;
  vec3 common(0), common_way(0);
  if (meshes_.empty()) {
    for (std::size_t i = 0; i < x_.size(); ++i) common += x_[i] - list.at[i];
    for (const vec3& each : way) common_way += each;
    common /= static_cast<double>(x_.size());
    common_way /= static_cast<double>(x_.size());
  }
  gone_.resize(x_.size());
  gone_by_chunk_.assign((x_.size() + kMovedGrain - 1) / kMovedGrain, 0);
  pool.for_chunks(x_.size(), kMovedGrain, [&](std::size_t begin, std::size_t end) {
    double& most = gone_by_chunk_[begin / kMovedGrain];
    for (std::size_t i = begin; i < end; ++i) {
      double gone = glm::length(x_[i] - list.at[i] - common);
      if (i < way.size()) gone += glm::length(way[i] - common_way);
      gone_[i] = gone;
      if (!(gone <= most)) most = gone;  // also what is no number
    }
  });
  for (const double gone : gone_by_chunk_)
    if (!(gone <= list.gone)) list.gone = gone;
  return list.gone <= list.room;
}

/// Whether a listed pair is surely not nearer than `reach` on the ways that `covers` has seen last: as far as
/// their particles have gone, then by what they have gone relative to each other.
bool NearPairs::is_far(const List& list, const Listed& listed, double reach, bool on_ways) const {
  const FeaturePair& pair = listed.pair;
  const auto gone = [&](std::size_t k) { return gone_[pair.particle[k]]; };
  const double most = pair.kind == FeaturePair::Kind::vertex_face
                          ? gone(0) + std::max({gone(1), gone(2), gone(3)})
                          : std::max(gone(0), gone(1)) + std::max(gone(2), gone(3));
  if (listed.distance - most >= reach) return true;
  std::array<vec3, 4> moved;
  for (std::size_t k = 0; k < 4; ++k) moved[k] = x_[pair.particle[k]] - list.at[pair.particle[k]];
  double nearer = approach_bound(pair.kind, moved);
  if (on_ways) nearer += approach_bound(pair.kind, pair.of(way_));
  return listed.distance - nearer >= reach;
}

/// Lists what is near x_ and on the ways from there; false where these are too long for that, or where too
/// much is near.
bool NearPairs::list_widely(WorkerPool& pool, std::span<const vec3> way, double reach) {
  if (covers(pool, wide_, way, reach)) return true;
  close_.reach = 0;
  wide_.at = x_;
  wide_.reach = reach;
  wide_.room = 0;
  if (!way.empty()) covers(pool, wide_, way, reach);
  const double needed = way.empty() ? 0 : wide_.gone, least = kLeastRoom * reach;
  wide_.reach = 0;
  if (!(needed <= kMostRoom * reach)) return false;
  const double room = std::clamp(kRoomForWay * needed, least, kMostRoom * reach);
  return list(pool, reach, room) || list(pool, reach, std::max(needed, least));
}

bool NearPairs::list(WorkerPool& pool, double reach, double room) {
  way_.assign(x_.size(), vec3(0));
  const auto found = finder_.find(pool, x_, way_, reach + 2 * room, with_itself_);
  crowded_ = !found;
  if (!found) return false;
  wide_.reach = reach;
  wide_.room = room;
  wide_.pairs.resize(found->size());
  pool.for_chunks(found->size(), kNearGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      const FeaturePair& pair = (*found)[k];
      wide_.pairs[k] = {pair, separation(pair.kind, pair.of(x_)).distance, -1};
    }
  });
  return true;
}

/// all := what each(listed, found) adds to `found` for every listed pair, in their order.
template <class Item, class Each>
void NearPairs::collect(WorkerPool& pool, const List& from, std::vector<std::vector<Item>>& by_chunk,
                        std::vector<Item>& all, const Each& each) const {
  const std::size_t chunks = (from.pairs.size() + kNearGrain - 1) / kNearGrain;
  by_chunk.resize(std::max(by_chunk.size(), chunks));
  pool.for_chunks(from.pairs.size(), kNearGrain, [&](std::size_t begin, std::size_t end) {
    std::vector<Item>& found = by_chunk[begin / kNearGrain];
    found.clear();
    for (std::size_t k = begin; k < end; ++k) each(from.pairs[k], found);
  });
  all.clear();
  for (std::size_t c = 0; c < chunks; ++c) all.insert(all.end(), by_chunk[c].begin(), by_chunk[c].end());
}

bool NearPairs::list_closely(WorkerPool& pool, double reach) {
  if (covers(pool, close_, {}, reach)) return true;
  if (!list_widely(pool, {}, reach)) return false;
  covers(pool, wide_, {}, reach);  // for is_far
  // What is not listed widely may come near once particles have gone farther than that.
  const double room = std::min(kLeastRoom * reach, wide_.room - wide_.gone), within = reach + 2 * room;
  collect(pool, wide_, close_by_chunk_, close_.pairs, [&](const Listed& listed, std::vector<Listed>& found) {
    if (is_far(wide_, listed, within, false)) return;
    const double distance = separation(listed.pair.kind, listed.pair.of(x_)).distance;
    if (distance < within) found.push_back({listed.pair, distance, reach_of(listed.pair, reach)});
  });
  close_.at = x_;
  close_.reach = reach;
  close_.room = room;
  return covers(pool, close_, {}, reach);
}

std::span<const NearPairs::Near> NearPairs::find(WorkerPool& pool, std::span<const vec3> x, double reach,
                                                 bool before) {
  if (empty()) return {};
  if (is_at(x, reach, before)) return near_;
  take(x, before ? corners_before_ : corners_);
  found_before_ = before;
  near_.clear();
  if (!list_closely(pool, reach)) return near_;
  collect(pool, close_, by_chunk_, near_, [&](const Listed& listed, std::vector<Near>& found) {
    if (is_far(close_, listed, listed.reach, false)) return;
    const Separation apart = separation(listed.pair.kind, listed.pair.of(x_));
    if (apart.distance < listed.reach) found.push_back({listed.pair, apart, listed.reach});
  });
  near_reach_ = reach;
  return near_;
}

std::optional<std::span<const FeaturePair>> NearPairs::may_meet(WorkerPool& pool, std::span<const vec3> x,
                                                                std::span<const vec3> way, double reach,
                                                                Looks looks) {
  if (empty()) return std::span<const FeaturePair>();
  const std::vector<vec3>& corners = looks == Looks::meshes_move ? corners_before_ : corners_;
  take(x, corners);
  const List* from = nullptr;
  if (looks != Looks::meshes_move) {
    if (covers(pool, close_, way, reach))
      from = &close_;
    else if (covers(pool, wide_, way, reach) ||
             (looks == Looks::again && list_widely(pool, way, reach) && covers(pool, wide_, way, reach)))
      from = &wide_;
  }
  way_.assign(way.begin(), way.end());
  for (std::size_t k = 0; k < corners.size(); ++k) way_.push_back(corners_[k] - corners[k]);
  if (from == nullptr) return finder_.find(pool, x_, way_, reach, with_itself_);
  collect(pool, *from, meeting_by_chunk_, meeting_,
          [&](const Listed& listed, std::vector<FeaturePair>& found) {
            if (!is_far(*from, listed, reach, true)) found.push_back(listed.pair);
          });
  return meeting_;
}

}  // namespace clothlab
