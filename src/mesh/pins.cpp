// SPDX-License-Identifier: MIT
#include "mesh/pins.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <string>

#include "core/error.h"

namespace clothlab {
namespace {

/// Height of the top band, as a fraction of the height of the connected part.
constexpr double kBand = 0.02;
/// A y extent below this fraction of the diagonal means that the mesh lies flat.
constexpr double kFlat = 1e-3;

/// A coordinate with a sign: the direction that counts as up.
struct Up {
  int axis;
  double sign;
  double height(const vec3& p) const { return sign * p[axis]; }
};

Up up_of(const ClothMesh& mesh) {
  const bool flat = mesh.box.high.y - mesh.box.low.y < kFlat * mesh.diagonal;
  return flat ? Up{2, -1} : Up{1, 1};
}

/// Per connected part, its particles within the top band, ascending.
std::vector<std::vector<std::uint32_t>> top_bands(const ClothMesh& mesh, Up up) {
  struct Extent {
    double low = std::numeric_limits<double>::infinity();
    double high = -std::numeric_limits<double>::infinity();
  };
  const auto parts = static_cast<std::size_t>(mesh.parts);
  std::vector<Extent> extents(parts);
  for (std::size_t p = 0; p < mesh.positions.size(); ++p) {
    Extent& extent = extents[mesh.part_of_particle[p]];
    extent.low = std::min(extent.low, up.height(mesh.positions[p]));
    extent.high = std::max(extent.high, up.height(mesh.positions[p]));
  }
  std::vector<std::vector<std::uint32_t>> bands(parts);
  for (std::uint32_t p = 0; p < mesh.positions.size(); ++p) {
    const std::uint32_t part = mesh.part_of_particle[p];
    const auto& [low, high] = extents[part];
    if (up.height(mesh.positions[p]) >= high - kBand * (high - low)) bands[part].push_back(p);
  }
  return bands;
}

/// The two particles of a band farthest apart along the longer of the two horizontal axes.
void add_ends(const ClothMesh& mesh, const std::vector<std::uint32_t>& band, Up up,
              std::vector<std::uint32_t>& pins) {
  const auto by = [&](int axis) {
    return [&mesh, axis](std::uint32_t a, std::uint32_t b) {
      return mesh.positions[a][axis] < mesh.positions[b][axis];
    };
  };
  const auto extent = [&](int axis) {
    const auto [low, high] = std::minmax_element(band.begin(), band.end(), by(axis));
    return mesh.positions[*high][axis] - mesh.positions[*low][axis];
  };
  const std::array<int, 2> horizontal{0, up.axis == 1 ? 2 : 1};
  const int axis = extent(horizontal[1]) > extent(horizontal[0]) ? horizontal[1] : horizontal[0];
  // min_element and max_element return the first of equals: the lowest particle.
  const std::uint32_t low = *std::min_element(band.begin(), band.end(), by(axis));
  pins.push_back(low);
  if (band.size() == 1) return;
  std::vector<std::uint32_t> others = band;
  std::erase(others, low);
  pins.push_back(*std::max_element(others.begin(), others.end(), by(axis)));
}

std::vector<std::uint32_t> box_corners(const ClothMesh& mesh) {
  const vec3 size = mesh.box.high - mesh.box.low;
  std::array<int, 3> axes{0, 1, 2};
  std::stable_sort(axes.begin(), axes.end(), [&](int a, int b) { return size[a] > size[b]; });
  std::vector<std::uint32_t> pins;
  for (const double u : {mesh.box.low[axes[0]], mesh.box.high[axes[0]]})
    for (const double v : {mesh.box.low[axes[1]], mesh.box.high[axes[1]]}) {
      const auto nearest = std::ranges::min_element(mesh.positions, {}, [&](const vec3& p) {
        const double du = p[axes[0]] - u, dv = p[axes[1]] - v;
        return du * du + dv * dv;
      });
      pins.push_back(static_cast<std::uint32_t>(nearest - mesh.positions.begin()));
    }
  return pins;
}

std::vector<std::uint32_t> grid_pins(GridShape grid, PinPreset preset) {
  const auto cols = static_cast<std::uint32_t>(grid.cols);
  const std::uint32_t last_row = (static_cast<std::uint32_t>(grid.rows) - 1) * cols;
  if (preset == PinPreset::top_corners) return {0, cols - 1};
  if (preset == PinPreset::corners) return {0, cols - 1, last_row, last_row + cols - 1};
  std::vector<std::uint32_t> row(cols);
  std::iota(row.begin(), row.end(), 0u);
  return row;
}

std::vector<std::uint32_t> ascending(std::vector<std::uint32_t> pins) {
  std::sort(pins.begin(), pins.end());
  pins.erase(std::unique(pins.begin(), pins.end()), pins.end());
  return pins;
}

}  // namespace

std::vector<std::uint32_t> pinned_particles(const ClothMesh& mesh, PinPreset preset) {
  if (preset == PinPreset::none) return {};
  if (mesh.grid) return grid_pins(*mesh.grid, preset);
  if (preset == PinPreset::corners) return ascending(box_corners(mesh));
  const Up up = up_of(mesh);
  std::vector<std::uint32_t> pins;
  for (const auto& band : top_bands(mesh, up)) {
    if (preset == PinPreset::top_edge)
      pins.insert(pins.end(), band.begin(), band.end());
    else
      add_ends(mesh, band, up, pins);
  }
  return ascending(std::move(pins));
}

std::vector<std::uint32_t> pins_from_vertices(const ClothMesh& mesh,
                                              std::span<const std::uint32_t> vertices) {
  std::vector<std::uint32_t> pins;
  pins.reserve(vertices.size());
  for (const std::uint32_t v : vertices) {
    if (v >= mesh.particle_of_vertex.size())
      throw InputError("cannot pin vertex " + std::to_string(v) + " of " + mesh.source->name +
                       ": its vertices are 0 to " + std::to_string(mesh.particle_of_vertex.size() - 1));
    const std::int32_t p = mesh.particle_of_vertex[v];
    if (p < 0)
      throw InputError("cannot pin vertex " + std::to_string(v) + " of " + mesh.source->name +
                       ": no face uses it");
    pins.push_back(static_cast<std::uint32_t>(p));
  }
  return ascending(std::move(pins));
}

std::vector<std::uint32_t> parts_without_pin(const ClothMesh& mesh, std::span<const std::uint8_t> pinned) {
  std::vector<bool> held(static_cast<std::size_t>(mesh.parts), false);
  for (std::size_t p = 0; p < pinned.size(); ++p)
    if (pinned[p] != 0) held[mesh.part_of_particle[p]] = true;
  std::vector<std::uint32_t> parts;
  for (std::uint32_t part = 0; part < held.size(); ++part)
    if (!held[part]) parts.push_back(part);
  return parts;
}

}  // namespace clothlab
