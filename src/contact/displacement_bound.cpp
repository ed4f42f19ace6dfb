// SPDX-License-Identifier: MIT
#include "contact/displacement_bound.h"

#include <algorithm>
#include <glm/geometric.hpp>

#include "core/collect.h"

namespace clothlab {
namespace {

constexpr double kKept = 0.2;  // of a distance
// Rounds that shorten single displacements; then all are shortened by the same fraction.
constexpr int kLimitRounds = 24;
constexpr std::size_t kFreeGrain = 256;

// The fraction of a displacement up to which a point stays higher above a surface at its end than the
// distance, or a fifth of its height.
double fraction_above(const Surfaces& surfaces, std::uint32_t surface, std::uint32_t particle, const vec3& x,
                      const vec3& displacement, double distance) {
  constexpr int kMostSteps = 200;
  const auto gap_at = [&](const vec3& at) { return surfaces.at_end(surface, particle, at).gap(); };
  double gap = gap_at(x), t = 0;
  const double kept = kKept * std::min(gap, distance), length = glm::length(displacement);
  if (!(gap > 0) || gap - length >= kept) return 1;
  if (gap < DisplacementBound::kLeast * distance) return gap_at(x + displacement) >= gap ? 1 : 0;
  for (int step = 0; step < kMostSteps; ++step) {
    const double further = (gap - kept) / length;
    if (!(t + further < 1)) return 1;
    t += further;
    gap = gap_at(x + t * displacement);
    if (gap < 2 * kept) return t;
  }
  return t;
}

// True if a particle gets nearer than `least` to a surface that moves, between the beginning and the end.
bool passes_near(const Surfaces& surfaces, std::uint32_t surface, std::uint32_t particle, const vec3& x,
                 const vec3& displacement, double least) {
  const vec3 end = x + displacement;
  return surfaces.first_touch(surface, particle, x, end, least) ||
         surfaces.at_end(surface, particle, end).gap() < least;
}

}  // namespace

bool DisplacementBound::find_blocked(WorkerPool& pool, const Obstruction& obstruction,
                                     std::span<const vec3> x, std::span<const vec3> displacement,
                                     CandidateList::Search search) {
  const Surfaces& surfaces = obstruction.surfaces;
  const double distance = obstruction.distance;
  const bool moves = obstruction.moves;
  blocked_.clear();
  on_surfaces_.assign(x.size(), 1);
  surface_of_.resize(x.size());
  if (!surfaces.empty())
    pool.for_chunks(x.size(), kFreeGrain, [&](std::size_t begin, std::size_t end) {
      for (auto i = static_cast<std::uint32_t>(begin); i < end; ++i) {
        if (!moves && displacement[i] == vec3(0)) continue;
        for (std::uint32_t k = surfaces.first(); k < surfaces.size(); ++k) {
          if (surfaces.is_mesh(k)) continue;
          double fraction = 1;
          if (!moves || !surfaces.moves(k))
            fraction = fraction_above(surfaces, k, i, x[i], displacement[i], distance);
          else if (const double gap = surfaces.at_begin(k, i, x[i]).gap();
                   gap > 0 &&
                   passes_near(surfaces, k, i, x[i], displacement[i], kKept * std::min(gap, distance)))
            fraction = 0;
          if (!(fraction < on_surfaces_[i])) continue;
          on_surfaces_[i] = fraction;
          surface_of_[i] = k;
        }
      }
    });
  const auto listed = obstruction.features.along(pool, x, displacement, obstruction.distance, search);
  if (!listed) return false;
  const std::span<const FeaturePair> pairs = *listed;
  const auto find = [&](std::size_t k, std::vector<Blocked>& found) {
    const std::array<vec3, 4> at = obstruction.features.positions_of(pairs[k]),
                              displacements = obstruction.features.displacements_of(pairs[k]);
    const double apart = separation(pairs[k].kind, at).distance;
    if (!(apart > 0)) return;  // crossed already
    // At least half of `least` is kept.
    const double least = 2 * kKept * std::min(apart, distance);
    const bool touches = apart < kLeast * distance;
    double fraction = free_share(pairs[k].kind, at, displacements, touches ? apart : least);
    if (touches && fraction < 1) fraction = 0;
    if (fraction < 1) found.push_back({pairs[k], fraction});
  };
  collect(pool, pairs.size(), kFreeGrain, by_chunk_, blocked_, find);
  return true;
}

double DisplacementBound::fraction(WorkerPool& pool, const Obstruction& obstruction, std::span<const vec3> x,
                                   std::span<const vec3> displacement) {
  using Search = CandidateList::Search;
  if (!find_blocked(pool, obstruction, x, displacement,
                    obstruction.moves ? Search::meshes_move : Search::again))
    return 0;
  double least = 1;
  for (std::uint32_t i = 0; i < on_surfaces_.size(); ++i) {
    if (!(on_surfaces_[i] < least)) continue;
    least = on_surfaces_[i];
    limiting_contact_ = {i, surface_of_[i]};
  }
  for (const auto& [pair, fraction] : blocked_) {
    if (!(fraction < least)) continue;
    least = fraction;
    limiting_contact_ = {};
    for (const std::uint32_t i : pair.particle) {
      if (obstruction.features.is_cloth(i))
        limiting_contact_.particle = i;
      else
        limiting_contact_.surface = obstruction.features.surface_of(i);
    }
  }
  return least;
}

double DisplacementBound::limit(WorkerPool& pool, const Obstruction& obstruction, const Couplings& couplings,
                                std::span<const vec3> x, std::span<vec3> displacement) {
  fractions_.assign(x.size(), 1);
  double least = 1;
  for (int round = 0; round < kLimitRounds; ++round) {
    if (!find_blocked(pool, obstruction, x, displacement, CandidateList::Search::once)) break;
    next_.assign(on_surfaces_.begin(), on_surfaces_.end());
    for (const auto& [pair, fraction] : blocked_)
      for (const std::uint32_t i : pair.particle)
        if (obstruction.features.is_cloth(i)) next_[i] = std::min(next_[i], fraction);
    couplings.for_groups([&](std::span<const std::uint32_t> particles) {
      double common = 1;
      for (const std::uint32_t i : particles) common = std::min(common, next_[i]);
      for (const std::uint32_t i : particles) next_[i] = common;
    });
    bool free = true;
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (!(next_[i] < 1) || displacement[i] == vec3(0)) continue;
      free = false;
      displacement[i] *= next_[i];
      fractions_[i] *= next_[i];
      least = std::min(least, fractions_[i]);
    }
    if (free) return least;
  }
  const double rest = fraction(pool, obstruction, x, displacement);
  for (std::size_t i = 0; i < x.size(); ++i) {
    displacement[i] *= rest;
    fractions_[i] *= rest;
  }
  return least * rest;
}

}  // namespace clothlab
