// SPDX-License-Identifier: MIT
#include "contact/candidate_list.h"

#include <algorithm>
#include <glm/geometric.hpp>
#include <limits>
#include <utility>

#include "core/collect.h"

namespace clothlab {
namespace {

constexpr std::size_t kNearGrain = 512;
constexpr std::size_t kMovedGrain = 4096;
// Room of a particle: shares of the reach, and of its displacement if that is longer.
constexpr double kLeastRoom = 1, kMostRoom = 3, kRoomForDisplacement = 1.25;
// Of all particles: if more have moved too far, everything is listed again.
constexpr double kMostStrays = 0.1;
// Room for short steps: this multiple of the displacement, clamped to these shares of the reach. Twice the
// largest room plus the reach is less than the distance of two features of a flat cloth that share no
// particle if the reach is a fifth of an edge.
constexpr double kTimesDisplacement = 64, kShortestRoom = 0.25, kLongestRoom = 1;
// A list costs a search with a longer reach. If it would serve fewer calls than this, or did, there is none.
constexpr int kLeastServed = 4, kWait = 8;

}  // namespace

void CandidateList::set_cloth(std::span<const Triangle> triangles, std::span<const vec3> rest,
                              bool with_itself, const Joined& joined) {
  const bool same =
      triangles.data() == triangles_.data() && rest.data() == rest_.data() && rest.size() == rest_.size();
  if (same && with_itself == with_itself_ && joined == joined_) return;
  // Building the tree of a large cloth takes longer than a step, and a slider sends a command per step.
  if (!same) {
    PairFinder finder;
    if (!rest.empty()) finder.add(triangles, rest);
    finder_ = std::move(finder);
    triangles_ = triangles;
    rest_ = rest;
    meshes_.clear();
    corners_.clear();
    corners_before_.clear();
    vertices_.clear();
  }
  with_itself_ = with_itself;
  joined_ = joined;
  listed_reach_ = near_reach_ = 0;
  waits_ = 0;
}

void CandidateList::place_meshes(const Surfaces* surfaces) {
  next_meshes_.clear();
  for (std::uint32_t k = 1; surfaces != nullptr && k < surfaces->size(); ++k) {
    const Obstacle &end = surfaces->body_at_end(k), &begin = surfaces->body_at_begin(k);
    if (end.mesh.surface)
      next_meshes_.push_back({end.mesh.surface, k, end.from, begin.from, end.axes, begin.axes, end.scale,
                              end.mesh.phase, begin.mesh.phase});
  }
  if (next_meshes_ == meshes_) return;
  if (!std::ranges::equal(next_meshes_, meshes_, {}, &PlacedMesh::mesh, &PlacedMesh::mesh)) add_next_meshes();
  meshes_.swap(next_meshes_);
  near_reach_ = 0;
  corners_.clear();
  corners_before_.clear();
  vertices_.clear();
  for (const PlacedMesh& placed : meshes_) {
    const Obstacle &end = surfaces->body_at_end(placed.surface),
                   &begin = surfaces->body_at_begin(placed.surface);
    for (std::uint32_t k = 0; k < placed.mesh->positions().size(); ++k) {
      corners_.push_back(from_mesh(end, end.mesh.shape().positions()[k]));
      corners_before_.push_back(from_mesh(begin, begin.mesh.shape().positions()[k]));
      vertices_.push_back({placed.surface, k});
    }
  }
}

/// Makes a finder for the cloth and next_meshes_, and room for their corners. Changes nothing if it throws.
void CandidateList::add_next_meshes() {
  PairFinder finder;
  finder.add(triangles_, rest_);
  // Positions as in the files: the order of pairs does not depend on where the meshes were first.
  std::vector<vec3> positions(rest_.begin(), rest_.end());
  std::vector<Triangle> numbered;
  for (const PlacedMesh& placed : next_meshes_) {
    const auto first = static_cast<std::uint32_t>(positions.size());
    positions.insert(positions.end(), placed.mesh->positions().begin(), placed.mesh->positions().end());
    numbered.clear();
    for (const auto& [a, b, c] : placed.mesh->triangles())
      numbered.push_back({first + a, first + b, first + c});
    finder.add(numbered, positions);
  }
  const std::size_t corners = positions.size() - rest_.size();
  corners_.reserve(corners);
  corners_before_.reserve(corners);
  vertices_.reserve(corners);
  finder_ = std::move(finder);
  listed_reach_ = 0;
  waits_ = 0;
}

double CandidateList::reach_of(const FeaturePair& pair, double reach) const {
  if (!std::ranges::all_of(pair.particle, [&](std::uint32_t i) { return is_cloth(i); })) return reach;
  return std::min(reach, separation(pair.kind, pair.of(rest_)).distance / 2);
}

/// True if near_ is the result for these arguments.
bool CandidateList::is_at(std::span<const vec3> x, double reach, bool at_begin) const {
  return near_reach_ == reach && near_at_begin_ == at_begin &&
         std::ranges::equal(x, std::span(x_).first(x.size()));
}

void CandidateList::set_positions(std::span<const vec3> x, std::span<const vec3> corners) {
  near_reach_ = 0;
  x_.swap(last_x_);
  x_.assign(x.begin(), x.end());
  x_.insert(x_.end(), corners.begin(), corners.end());
}

/// True if the list contains all pairs that are near at x_ or on displacements from there. Without meshes a
/// common translation brings no pair closer; it is subtracted.
bool CandidateList::covers(WorkerPool& pool, std::span<const vec3> displacement, double reach) {
  strays_.clear();
  const std::size_t n = x_.size();
  const bool is_listed = listed_reach_ == reach && listed_x_.size() == n;
  common_ = vec3(0);
  vec3 common_displacement(0);
  if (meshes_.empty()) {
    if (is_listed)
      for (std::size_t i = 0; i < n; ++i) common_ += x_[i] - listed_x_[i];
    for (const vec3& each : displacement) common_displacement += each;
    common_ /= static_cast<double>(n);
    common_displacement /= static_cast<double>(n);
  }
  for (std::vector<double>* each : {&lengths_, &moved_, &travel_}) each->resize(n);
  for_each(pool, n, kMovedGrain, [&](std::size_t i) {
    lengths_[i] = i < displacement.size() ? glm::length(displacement[i] - common_displacement) : 0;
    moved_[i] = is_listed ? glm::length(x_[i] - listed_x_[i] - common_) : 0;
    travel_[i] = moved_[i] + lengths_[i];
  });
  if (!is_listed) return false;
  for (std::size_t i = 0; i < n; ++i)
    if (!(travel_[i] <= rooms_[i])) strays_.push_back(static_cast<std::uint32_t>(i));  // also if not a number
  return strays_.empty();
}

/// True if a listed pair cannot be nearer than `reach` on the displacements of the last `covers`. Compares
/// travelled distances first, then relative displacements.
bool CandidateList::is_far(const Listed& listed, double reach, bool along_displacements) const {
  const FeaturePair& pair = listed.pair;
  if (listed.distance - pair.approach_within(travel_) >= reach) return true;
  std::array<vec3, 4> moved;
  for (std::size_t k = 0; k < 4; ++k) moved[k] = x_[pair.particle[k]] - listed_x_[pair.particle[k]];
  double nearer = approach_bound(pair.kind, moved);
  if (along_displacements) nearer += approach_bound(pair.kind, pair.of(displacement_));
  return listed.distance - nearer >= reach;
}

/// True if the cloth moves so slowly from call to call that a list would serve several: most particles would
/// stay in their room. A common translation does not count.
bool CandidateList::moves_slowly(double reach) const {
  const std::size_t n = rest_.size();
  if (last_x_.size() < n) return false;
  vec3 common(0);
  for (std::size_t i = 0; i < n; ++i) common += x_[i] - last_x_[i];
  common /= static_cast<double>(n);
  std::size_t fast = 0;
  for (std::size_t i = 0; i < n; ++i)
    if (!(kLeastServed * glm::length(x_[i] - last_x_[i] - common) <= kLeastRoom * reach)) ++fast;
  return static_cast<double>(fast) <= kMostStrays * static_cast<double>(n);
}

/// Ensures that the list covers x_ and the displacements from there. False if these are too long, or too many
/// pairs are near.
bool CandidateList::update_list(WorkerPool& pool, std::span<const vec3> displacement, double reach) {
  if (covers(pool, displacement, reach)) return true;
  for (const double length : lengths_)
    if (!(length <= kMostRoom * reach)) return false;
  if (list_strays(pool, reach)) return true;
  for (const double more : {kRoomForDisplacement, 1.0}) {
    listed_x_ = x_;
    rooms_.resize(x_.size());
    for (std::size_t i = 0; i < x_.size(); ++i)
      rooms_[i] = std::max(std::min(more * lengths_[i], kMostRoom * reach), kLeastRoom * reach);
    if (list_all(pool, reach)) {
      travel_ = lengths_;
      return true;
    }
  }
  return false;
}

std::optional<std::span<const FeaturePair>> CandidateList::search_within(WorkerPool& pool, double reach,
                                                                         std::span<const char> of) {
  ++searches_;
  listed_reach_ = 0;
  return finder_.find(pool, {.x = listed_x_,
                             .displacement = {},
                             .reach = reach,
                             .with_itself = with_itself_,
                             .room = rooms_,
                             .of = of,
                             .joined = joined()});
}

bool CandidateList::list_all(WorkerPool& pool, double reach) {
  const auto found = search_within(pool, reach, {});
  if (!found) return false;
  crowded_ = false;
  listed_.clear();
  add_listed(pool, *found, reach, false);
  listed_reach_ = reach;
  return true;
}

/// False if a list would not save time, or too many pairs are near.
bool CandidateList::list_for_short_steps(WorkerPool& pool, double reach) {
  const auto is_short = [&](double length) { return kLeastServed * length <= kLongestRoom * reach; };
  if (waits_ > 0 || !std::ranges::all_of(lengths_, is_short)) return false;
  const bool served_little = listed_reach_ > 0 && served_ < kLeastServed;
  listed_reach_ = 0;
  served_ = 0;
  waits_ = kWait;
  if (served_little) return false;
  listed_x_ = x_;
  rooms_.resize(x_.size());
  for (std::size_t i = 0; i < x_.size(); ++i)
    rooms_[i] = std::clamp(kTimesDisplacement * lengths_[i], kShortestRoom * reach, kLongestRoom * reach);
  if (!list_all(pool, reach)) return false;
  moved_.assign(x_.size(), 0);
  travel_ = lengths_;
  waits_ = 0;
  return true;
}

/// Lists again the pairs of the particles that left their room. False if there are too many of them.
bool CandidateList::list_strays(WorkerPool& pool, double reach) {
  if (strays_.empty() || static_cast<double>(strays_.size()) > kMostStrays * static_cast<double>(x_.size()) ||
      !is_cloth(strays_.back()))
    return false;
  is_stray_.assign(x_.size(), 0);
  for (const std::uint32_t i : strays_) {
    is_stray_[i] = 1;
    listed_x_[i] = x_[i] - common_;
    rooms_[i] = std::max(std::min(kRoomForDisplacement * lengths_[i], kMostRoom * reach), kLeastRoom * reach);
    travel_[i] = lengths_[i];
  }
  const auto found = search_within(pool, reach, is_stray_);
  if (!found) return false;
  std::erase_if(listed_, [&](const Listed& listed) { return has_stray(listed.pair); });
  add_listed(pool, *found, reach, true);
  listed_reach_ = reach;
  return true;
}

/// Lists the found pairs that may come near; `of_strays`: only pairs with a particle that left its room.
void CandidateList::add_listed(WorkerPool& pool, std::span<const FeaturePair> found, double reach,
                               bool of_strays) {
  constexpr double kNotWanted = std::numeric_limits<double>::infinity();
  const std::size_t first = listed_.size();
  listed_.resize(first + found.size());
  for_each(pool, found.size(), kNearGrain, [&](std::size_t k) {
    const FeaturePair& pair = found[k];
    Listed& listed = listed_[first + k] = {pair, kNotWanted, 0};
    if (of_strays && !has_stray(pair)) return;
    const double distance = separation(pair.kind, pair.of(listed_x_)).distance;
    if (!(distance - pair.approach_within(rooms_) >= reach)) listed = {pair, distance, reach_of(pair, reach)};
  });
  std::erase_if(listed_, [](const Listed& listed) { return listed.distance == kNotWanted; });
}

std::span<const CandidateList::Near> CandidateList::near(WorkerPool& pool, std::span<const vec3> x,
                                                         double reach, bool at_begin) {
  if (empty()) return {};
  if (is_at(x, reach, at_begin)) return near_;
  set_positions(x, at_begin ? corners_before_ : corners_);
  near_at_begin_ = at_begin;
  near_.clear();
  if (covers(pool, {}, reach) || (moves_slowly(reach) && update_list(pool, {}, reach))) {
    collect(pool, listed_.size(), kNearGrain, near_by_chunk_, near_,
            [&](std::size_t k, std::vector<Near>& found) {
              const Listed& listed = listed_[k];
              if (is_far(listed, listed.reach, false)) return;
              const Separation apart = separation(listed.pair.kind, listed.pair.of(x_));
              if (apart.distance < listed.reach) found.push_back({listed.pair, apart, listed.reach});
            });
  } else {
    ++searches_;
    const auto candidates = finder_.find(
        pool, {.x = x_, .displacement = {}, .reach = reach, .with_itself = with_itself_, .joined = joined()});
    crowded_ = !candidates;
    if (crowded_) return near_;
    collect(pool, candidates->size(), kNearGrain, near_by_chunk_, near_,
            [&](std::size_t k, std::vector<Near>& found) {
              const FeaturePair& pair = (*candidates)[k];
              const Separation apart = separation(pair.kind, pair.of(x_));
              if (!(apart.distance < reach)) return;
              const double own_reach = reach_of(pair, reach);
              if (apart.distance < own_reach) found.push_back({pair, apart, own_reach});
            });
  }
  // The order of the list depends on earlier calls; sums over pairs must not.
  std::ranges::sort(near_, {},
                    [](const Near& near) { return std::pair(near.pair.kind, near.pair.particle); });
  near_reach_ = reach;
  return near_;
}

std::optional<std::span<const FeaturePair>> CandidateList::along(WorkerPool& pool, std::span<const vec3> x,
                                                                 std::span<const vec3> displacement,
                                                                 double reach, Search search) {
  if (empty()) return std::span<const FeaturePair>();
  const std::vector<vec3>& corners = search == Search::meshes_move ? corners_before_ : corners_;
  set_positions(x, corners);
  displacement_.assign(displacement.begin(), displacement.end());
  for (std::size_t k = 0; k < corners.size(); ++k) displacement_.push_back(corners_[k] - corners[k]);
  const bool covered = search == Search::again  ? update_list(pool, displacement, reach)
                       : search == Search::once ? covers(pool, displacement, reach)
                                                : false;
  if (!covered)
    return finder_.find(pool, {.x = x_,
                               .displacement = displacement_,
                               .reach = reach,
                               .with_itself = with_itself_,
                               .joined = joined()});
  collect(pool, listed_.size(), kNearGrain, pairs_by_chunk_, pairs_,
          [&](std::size_t k, std::vector<FeaturePair>& found) {
            if (!is_far(listed_[k], reach, true)) found.push_back(listed_[k].pair);
          });
  return pairs_;
}

std::optional<std::span<const CandidateList::Bounded>> CandidateList::bounded_along(
    WorkerPool& pool, std::span<const vec3> x, std::span<const vec3> displacement, double reach) {
  set_positions(x, {});
  const bool covered = covers(pool, displacement, reach);
  if (covered) ++served_;
  if (!covered && !list_for_short_steps(pool, reach)) {
    waits_ = std::max(waits_ - 1, 0);
    ++searches_;
    const auto found = finder_.find(pool, {.x = x,
                                           .displacement = displacement,
                                           .reach = reach,
                                           .with_itself = with_itself_,
                                           .joined = joined()});
    if (!found) return std::nullopt;
    bounded_.clear();
    for (const FeaturePair& pair : *found) bounded_.push_back({pair, 0});
    return bounded_;
  }
  collect(pool, listed_.size(), kNearGrain, bounded_by_chunk_, bounded_,
          [&](std::size_t k, std::vector<Bounded>& found) {
            const Listed& listed = listed_[k];
            if (!(listed.distance - listed.pair.approach_within(travel_) >= reach))
              found.push_back({listed.pair, listed.distance - listed.pair.approach_within(moved_)});
          });
  return bounded_;
}

}  // namespace clothlab
