// SPDX-License-Identifier: MIT
#include "collide/free_way.h"

#include <algorithm>
#include <glm/geometric.hpp>

namespace clothlab {
namespace {

constexpr double kKept = 0.2;  // of a distance
constexpr int kRounds = 24;    // of shortening single ways, before all are shortened alike
constexpr std::size_t kFreeGrain = 256;

double height_above(const Obstacle& surface, const vec3& x) {
  const SurfacePlace place = place_above(surface, x);
  return place.height - place.level;
}

// The share of a way up to which a point stays higher above a surface than that, or a fifth of what it is.
double share_above(const Obstacle& surface, vec3 x, const vec3& way, double distance) {
  constexpr int kMostSteps = 200;
  double gap = height_above(surface, x), t = 0;
  const double kept = kKept * std::min(gap, distance), length = glm::length(way);
  if (!(gap > 0) || gap - length >= kept) return 1;
  if (gap < FreeWay::kLeast * distance) return height_above(surface, x + way) >= gap ? 1 : 0;
  for (int step = 0; step < kMostSteps; ++step) {
    const double further = (gap - kept) / length;
    if (!(t + further < 1)) return 1;
    t += further;
    gap = height_above(surface, x + t * way);
    if (gap < 2 * kept) return t;
  }
  return t;
}

}  // namespace

bool FreeWay::find_blocked(WorkerPool& pool, const Fence& fence, std::span<const vec3> x,
                           std::span<const vec3> way, NearPairs::Looks looks) {
  chunks_ = 0;
  on_surfaces_.assign(x.size(), 1);
  surface_of_.resize(x.size());
  if (!fence.surfaces.empty())
    pool.for_chunks(x.size(), kFreeGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        if (!fence.moves && way[i] == vec3(0)) continue;
        for (std::uint32_t k = 0; k < fence.surfaces.size(); ++k) {
          const Obstacle& surface = fence.surfaces[k];
          double share = 1;
          if (!fence.moves || fence.before[k] == surface)
            share = share_above(surface, x[i], way[i], fence.distance);
          else if (const double gap = height_above(fence.before[k], x[i]);
                   gap > 0 && height_above(surface, x[i] + way[i]) < kKept * std::min(gap, fence.distance))
            share = 0;
          if (!(share < on_surfaces_[i])) continue;
          on_surfaces_[i] = share;
          surface_of_[i] = k;
        }
      }
    });
  const auto listed = fence.features.may_meet(pool, x, way, fence.distance, looks);
  if (!listed) return false;
  const std::span<const FeaturePair> pairs = *listed;
  chunks_ = (pairs.size() + kFreeGrain - 1) / kFreeGrain;
  by_chunk_.resize(std::max(by_chunk_.size(), chunks_));
  pool.for_chunks(pairs.size(), kFreeGrain, [&](std::size_t begin, std::size_t end) {
    std::vector<Blocked>& found = by_chunk_[begin / kFreeGrain];
    found.clear();
    for (std::size_t k = begin; k < end; ++k) {
      const std::array<vec3, 4> at = fence.features.positions_of(pairs[k]),
                                ways = fence.features.ways_of(pairs[k]);
      const double apart = separation(pairs[k].kind, at).distance;
      if (!(apart > 0)) continue;  // crossed already
      // At least half of `least` is kept.
      const double least = 2 * kKept * std::min(apart, fence.distance);
      const bool touches = apart < kLeast * fence.distance;
      double share = free_share(pairs[k].kind, at, ways, touches ? apart : least);
      if (touches && share < 1) share = 0;
      if (share < 1) found.push_back({pairs[k], share});
    }
  });
  return true;
}

double FreeWay::share(WorkerPool& pool, const Fence& fence, std::span<const vec3> x,
                      std::span<const vec3> way) {
  using Looks = NearPairs::Looks;
  if (!find_blocked(pool, fence, x, way, fence.moves ? Looks::meshes_move : Looks::again)) return 0;
  double least = 1;
  for (std::uint32_t i = 0; i < on_surfaces_.size(); ++i) {
    if (!(on_surfaces_[i] < least)) continue;
    least = on_surfaces_[i];
    end_ = {i, surface_of_[i], false};
  }
  for (const std::vector<Blocked>& blocked : std::span(by_chunk_).first(chunks_))
    for (const auto& [pair, share] : blocked) {
      if (!(share < least)) continue;
      least = share;
      end_ = {.particle = 0, .on = {}, .by_feature = true};
      for (const std::uint32_t i : pair.particle) {
        if (fence.features.is_cloth(i))
          end_.particle = i;
        else
          end_.on = fence.features.body_of(i);
      }
    }
  return least;
}

double FreeWay::shorten(WorkerPool& pool, const Fence& fence, std::span<const vec3> x, std::span<vec3> way) {
  shares_.assign(x.size(), 1);
  double least = 1;
  for (int round = 0; round < kRounds; ++round) {
    if (!find_blocked(pool, fence, x, way, NearPairs::Looks::once)) break;
    next_.assign(on_surfaces_.begin(), on_surfaces_.end());
    for (const std::vector<Blocked>& blocked : std::span(by_chunk_).first(chunks_))
      for (const auto& [pair, share] : blocked)
        for (const std::uint32_t i : pair.particle)
          if (fence.features.is_cloth(i)) next_[i] = std::min(next_[i], share);
    bool free = true;
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (!(next_[i] < 1) || way[i] == vec3(0)) continue;
      free = false;
      way[i] *= next_[i];
      shares_[i] *= next_[i];
      least = std::min(least, shares_[i]);
    }
    if (free) return least;
  }
  const double rest = share(pool, fence, x, way);
  for (std::size_t i = 0; i < x.size(); ++i) {
    way[i] *= rest;
    shares_[i] *= rest;
  }
  return least * rest;
}

}  // namespace clothlab
