// SPDX-License-Identifier: MIT
#include "app/mesh_marks.h"

#include <cstdint>
#include <span>
#include <vector>

#include "core/vec.h"
#include "ui/lanes.h"
#include "ui/palette.h"

namespace clothlab {
namespace {

constexpr double kTrailSeconds = 3;

/// Projects particles into the window.
class ParticlePlaces {
 public:
  ParticlePlaces(const LaneSnapshot& lane, const Camera& camera, const Area& view)
      : positions_(lane.frame.positions), camera_(camera), view_(view) {}

  std::optional<ImVec2> operator()(std::uint32_t particle) const { return (*this)(positions_[particle]); }
  std::optional<ImVec2> operator()(const vec3& place) const {
    const Pixels size{static_cast<double>(view_.width), static_cast<double>(view_.height)};
    const std::optional<Projected> seen = camera_.project(place, size);
    if (!seen) return std::nullopt;
    return ImVec2(view_.x + static_cast<float>(seen->pixel.x), view_.y + static_cast<float>(seen->pixel.y));
  }

 private:
  std::span<const vec3> positions_;
  const Camera& camera_;
  const Area& view_;
};

void draw_open_edges(const MeshBar& bar, const Snapshot& snapshot, const ParticlePlaces& seen,
                     const Area& view, std::optional<std::size_t> under_mouse) {
  const std::span<const BoundaryLoop> loops = bar.open_edges(snapshot);
  std::vector<ImVec2> line;
  for (std::size_t i = 0; i < loops.size(); ++i) {
    if (i != under_mouse && !bar.shows_all_open_edges()) continue;
    line.clear();
    for (const std::uint32_t particle : loops[i].particles)
      if (const auto at = seen(particle)) line.push_back(*at);
    edge_overlay(line, loops[i].closed, i == under_mouse, view);
  }
}

// Each below the lowest particle of its part, where it covers no cloth of that part.
void draw_part_numbers(const MeshBar& bar, const Snapshot& snapshot, const ParticlePlaces& seen,
                       const Area& view) {
  const std::vector<std::uint32_t>& of_particle = snapshot.frame.mesh->part_of_particle;
  for (const std::uint32_t part : bar.parts_to_mark(snapshot)) {
    std::optional<ImVec2> lowest;
    for (std::uint32_t i = 0; i < of_particle.size(); ++i) {
      if (of_particle[i] != part) continue;
      const auto at = seen(i);
      if (at && (!lowest || at->y > lowest->y)) lowest = at;
    }
    if (lowest) part_overlay(part + 1, *lowest, view);
  }
}

}  // namespace

void draw_mesh_marks(const MeshBar& bar, const Snapshot& snapshot, const Camera& camera, const Area& view,
                     std::optional<std::size_t> edge_under_mouse) {
  if (!bar.is_shown(snapshot)) return;
  const ParticlePlaces seen(snapshot, camera, view);
  draw_open_edges(bar, snapshot, seen, view, edge_under_mouse);
  draw_part_numbers(bar, snapshot, seen, view);
}

void draw_failure(const LaneSnapshot& lane, const Camera& camera, const Area& view) {
  if (!lane.failed_spring && !lane.failed_contact) return;
  const ParticlePlaces seen(lane, camera, view);
  const auto from = seen(lane.failed_contact ? lane.failed_contact->particle : lane.failed_spring->i);
  const auto to = seen(lane.failed_contact ? lane.failed_contact->particle : lane.failed_spring->j);
  if (from && to) failure_overlay(*from, *to, view);
}

void draw_trail(const LaneSnapshot& lane, std::uint32_t particle, bool alone, const Camera& camera,
                const Area& view) {
  if (particle >= lane.frame.positions.size()) return;
  const ParticlePlaces seen(lane, camera, view);
  const double now = lane.frame.record.time;
  std::vector<ImVec2> way;
  for (const PlotSample& sample : *lane.plot) {
    if (sample.time < now - kTrailSeconds || sample.time > now || !is_finite(sample.place)) continue;
    if (const auto at = seen(sample.place)) way.push_back(*at);
  }
  const auto at = seen(particle);
  if (at) trail_overlay(way, *at, alone ? palette().careful : lane_colour(lane.lane), view);
}

}  // namespace clothlab
