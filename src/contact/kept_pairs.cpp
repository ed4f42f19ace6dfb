// SPDX-License-Identifier: MIT
#include "contact/kept_pairs.h"

#include <algorithm>
#include <glm/geometric.hpp>

namespace clothlab {
namespace {

constexpr std::size_t kListedGrain = 512, kPlaceGrain = 4096;
// How far a particle may go before all is listed anew: so many times as far as it is going, but within these
// shares of the reach. Twice the most and the reach itself are less than two features of a flat cloth are
// apart that share no particle, where the reach is a fifth of an edge.
constexpr double kTimesWay = 64, kShortestRoom = 0.25, kLongestRoom = 1;
// A list takes a search with a longer reach: it is to serve so many, or the next ones make none.
constexpr int kLeastServed = 4, kWait = 8;

}  // namespace

std::optional<KeptPairs::Found> KeptPairs::find(WorkerPool& pool, std::span<const vec3> x,
                                                std::span<const vec3> way, double reach, bool with_itself) {
  if (covers(pool, x, way, reach, with_itself)) {
    ++served_;
    return listed_near(pool, reach);
  }
  if (is_worth_it(reach) && list(pool, x, reach, with_itself)) return listed_near(pool, reach);
  waits_ = std::max(waits_ - 1, 0);
  ++searches_;
  const auto found = finder_.find(pool, x, way, reach, with_itself);
  if (!found) return std::nullopt;
  least_.assign(found->size(), 0);
  return Found{*found, least_};
}

/// Whether what is listed holds all that comes near on the ways from x. What all particles have in common
/// brings nothing together; it is left out of their ways where there are no meshes, which mostly rest.
bool KeptPairs::covers(WorkerPool& pool, std::span<const vec3> x, std::span<const vec3> way, double reach,
                       bool with_itself) {
  const std::size_t n = x.size();
  const bool is_listed =
      listed_reach_ == reach && listed_itself_ == with_itself && places_.size() == n && n > 0;
  vec3 common(0), common_way(0);
  if (meshes() == 1 && n > 0) {
    for (std::size_t i = 0; i < n; ++i) common_way += way[i];
    common_way /= static_cast<double>(n);
    for (std::size_t i = 0; i < n && is_listed; ++i) common += x[i] - places_[i];
    common /= static_cast<double>(n);
  }
  for (std::vector<double>* each : {&going_, &moved_, &gone_}) each->resize(n);
  longest_ = pool.max(n, kPlaceGrain, [&](std::size_t begin, std::size_t end) {
    double longest = 0;
    for (std::size_t i = begin; i < end; ++i) {
      going_[i] = glm::length(way[i] - common_way);
      longest = !(going_[i] <= longest) ? going_[i] : longest;  // also what is no number
    }
    return longest;
  });
  if (!is_listed) return false;
  return pool.sum(n, kPlaceGrain, [&](std::size_t begin, std::size_t end) {
    double outside = 0;
    for (std::size_t i = begin; i < end; ++i) {
      moved_[i] = glm::length(x[i] - places_[i] - common);
      gone_[i] = moved_[i] + going_[i];
      outside += gone_[i] <= rooms_[i] ? 0 : 1;
    }
    return outside;
  }) == 0;
}

bool KeptPairs::is_worth_it(double reach) const {
  return waits_ == 0 && kLeastServed * longest_ <= kLongestRoom * reach;
}

/// False where too much is near for that.
bool KeptPairs::list(WorkerPool& pool, std::span<const vec3> x, double reach, bool with_itself) {
  const std::size_t n = x.size();
  const bool was_short = listed_reach_ > 0 && served_ < kLeastServed;
  listed_reach_ = 0;
  served_ = 0;
  waits_ = kWait;
  if (was_short) return false;
  rooms_.resize(n);
  for (std::size_t i = 0; i < n; ++i)
    rooms_[i] = std::clamp(kTimesWay * going_[i], kShortestRoom * reach, kLongestRoom * reach);
  ++searches_;
  const auto found = finder_.find_within(pool, x, rooms_, reach, with_itself, {});
  if (!found) return false;
  places_.assign(x.begin(), x.end());
  moved_.assign(n, 0);
  gone_ = going_;
  listed_.resize(found->size());
  pool.for_chunks(found->size(), kListedGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      const FeaturePair& pair = (*found)[k];
      listed_[k] = {pair, separation(pair.kind, pair.of(x)).distance};
    }
  });
  std::erase_if(listed_, [&](const Listed& listed) {
    return listed.distance - listed.pair.approach_within(rooms_) >= reach;
  });
  waits_ = 0;
  listed_reach_ = reach;
  listed_itself_ = with_itself;
  return true;
}

KeptPairs::Found KeptPairs::listed_near(WorkerPool& pool, double reach) {
  const std::size_t chunks = (listed_.size() + kListedGrain - 1) / kListedGrain;
  by_chunk_.resize(std::max(by_chunk_.size(), chunks));
  pool.for_chunks(listed_.size(), kListedGrain, [&](std::size_t begin, std::size_t end) {
    std::vector<Near>& found = by_chunk_[begin / kListedGrain];
    found.clear();
    for (std::size_t k = begin; k < end; ++k) {
      const auto& [pair, distance] = listed_[k];
      if (distance - pair.approach_within(gone_) >= reach) continue;
      found.push_back({pair, distance - pair.approach_within(moved_)});
    }
  });
  near_.clear();
  least_.clear();
  for (std::size_t c = 0; c < chunks; ++c)
    for (const auto& [pair, least] : by_chunk_[c]) {
      near_.push_back(pair);
      least_.push_back(least);
    }
  return {near_, least_};
}

}  // namespace clothlab
