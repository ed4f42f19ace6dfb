// SPDX-License-Identifier: MIT
#include "cloth/cloth_model.h"

#include <algorithm>
#include <glm/geometric.hpp>
#include <numeric>
#include <string>
#include <utility>

#include "core/cancel_point.h"
#include "core/disjoint_sets.h"
#include "core/error.h"
#include "core/text.h"
#include "mesh/edge_table.h"
#include "mesh/mesh.h"
#include "mesh/obj_groups.h"

namespace clothlab {

namespace {

/// Per particle, a third of every adjacent triangle [m²].
std::vector<double> areas_of(std::span<const vec3> rest_positions,
                             std::span<const ClothModel::Triangle> triangles, CancelPoint& cancel) {
  std::vector<double> areas(rest_positions.size());
  for (const ClothModel::Triangle& t : triangles) {
    cancel.pass();
    const vec3 normal =
        glm::cross(rest_positions[t[1]] - rest_positions[t[0]], rest_positions[t[2]] - rest_positions[t[0]]);
    const double area = glm::length(normal) / 2;
    for (const std::uint32_t i : t) areas[i] += area / 3;
  }
  return areas;
}

std::vector<double> masses_by_area(const Material& material, std::span<const double> areas) {
  const double total = std::accumulate(areas.begin(), areas.end(), 0.0);
  const double mass = material.mass_of(total);
  std::vector<double> masses(areas.size());
  for (std::size_t i = 0; i < masses.size(); ++i) {
    masses[i] = mass * (areas[i] / total);
    if (!(masses[i] > 0)) {
      throw InputError("particle " + std::to_string(i) +
                       (material.is_fabric()
                            ? " has no mass as a fabric, since its triangles have no area; use the "
                              "material 'springs' with the mass model 'uniform' for this mesh"
                            : " has no mass under the mass model 'area', since its triangles have no "
                              "area; use the mass model 'uniform' for this mesh"));
    }
  }
  return masses;
}

}  // namespace

ClothModel::ClothModel(Positions positions, std::span<const Ends> stretch, std::span<const Ends> bend,
                       Triangles triangles, const StopProbe& stop)
    : rest_positions_(std::move(positions)),
      triangles_(std::move(triangles)),
      stretch_springs_(stretch.size()),
      part_of_particle_(rest_positions_->size()) {
  const std::span<const vec3> rest_positions = *rest_positions_;
  CancelPoint cancel(stop);
  std::vector<Ends> ends(stretch.begin(), stretch.end());
  ends.insert(ends.end(), bend.begin(), bend.end());
  pattern_ = SpringPattern::build(rest_positions.size(), ends, stop);

  rest_lengths_.resize(ends.size());
  is_stretch_.resize(ends.size());
  for (std::size_t s = 0; s < ends.size(); ++s) {
    cancel.pass();
    const auto [i, j] = ends[s];
    const std::uint32_t slot = pattern_->slot[s];
    rest_lengths_[slot] = glm::length(rest_positions[i] - rest_positions[j]);
    is_stretch_[slot] = s < stretch_springs_;
  }

  areas_ = areas_of(rest_positions, *triangles_, cancel);
  find_parts(cancel);
}

ClothModel::ClothModel(std::span<const vec3> rest_positions, std::span<const Ends> stretch,
                       std::span<const Ends> bend, std::span<const Triangle> triangles, const StopProbe& stop)
    : ClothModel(std::make_shared<const std::vector<vec3>>(rest_positions.begin(), rest_positions.end()),
                 stretch, bend,
                 std::make_shared<const std::vector<Triangle>>(triangles.begin(), triangles.end()), stop) {}

ClothModel::ClothModel(const std::shared_ptr<const ClothMesh>& mesh, const StopProbe& stop)
    : ClothModel(Positions(mesh, &mesh->positions), mesh->stretch_springs, mesh->bend_springs,
                 Triangles(mesh, &mesh->triangles), stop) {
  mesh_ = mesh;
  CancelPoint cancel(stop);
  if (mesh->report.closed_parts > 0) enclose(*mesh, cancel);
}

void ClothModel::enclose(const ClothMesh& mesh, CancelPoint& cancel) {
  std::vector<double> volume(mesh.closed.size());
  std::vector<vec3> origin(mesh.closed.size());  // in or near the part, for less rounding
  for (std::size_t i = 0; i < mesh.positions.size(); ++i)
    origin[mesh.part_of_particle[i]] = mesh.positions[i];
  for (const Triangle& t : mesh.triangles) {
    cancel.pass();
    const std::uint32_t part = mesh.part_of_particle[t[0]];
    if (mesh.closed[part] == 0) continue;
    enclosing_.push_back(t);
    const auto corner = [&](std::size_t k) { return mesh.positions[t[k]] - origin[part]; };
    volume[part] += glm::dot(corner(0), glm::cross(corner(1), corner(2)));
  }
  for (Triangle& t : enclosing_)
    if (volume[mesh.part_of_particle[t[0]]] < 0) std::swap(t[1], t[2]);
}

void ClothModel::find_parts(CancelPoint& cancel) {
  DisjointSets sets(particles());
  for (std::size_t s = 0; s < springs(); ++s) {
    cancel.pass();
    const auto [i, j] = pattern_->ends(s);
    sets.join(i, j);
  }
  for (const Triangle& t : *triangles_) {
    cancel.pass();
    sets.join(t[0], t[1]);
    sets.join(t[0], t[2]);
  }
  parts_ = sets.number(part_of_particle_);
}

double ClothModel::area() const { return std::accumulate(areas_.begin(), areas_.end(), 0.0); }

std::vector<double> ClothModel::masses(const Material& material) const {
  const std::vector<std::uint32_t> of_triangle = material_of_triangle(material, mesh_.get());
  if (!material.is_fabric() && material.mass_model == MassModel::uniform)
    return std::vector<double>(particles(), material.mass / static_cast<double>(particles()));
  if (!material.is_fabric() || of_triangle.empty()) return masses_by_area(material, areas_);
  // A triangle with twice the density counts twice.
  std::vector<double> areas = areas_;
  for (std::size_t t = 0; t < of_triangle.size(); ++t) {
    if (of_triangle[t] == 0) continue;
    const double density = std::get<Fabric>(material.groups[of_triangle[t] - 1].values).density;
    const auto& [a, b, c] = (*triangles_)[t];
    const vec3 normal = glm::cross((*rest_positions_)[b] - (*rest_positions_)[a],
                                   (*rest_positions_)[c] - (*rest_positions_)[a]);
    for (const std::uint32_t i : {a, b, c})
      areas[i] += (density / material.fabric.density - 1) * glm::length(normal) / 6;
  }
  return masses_by_area(material, areas);
}

FabricSprings ClothModel::springs_of(const Material& material) const {
  const std::vector<std::uint32_t> of_triangle = material_of_triangle(material, mesh_.get());
  if (!material.is_fabric()) return springs_by_group(material, of_triangle);
  std::vector<Fabric> fabrics{material.fabric};
  for (const GroupMaterial& group : material.groups) fabrics.push_back(std::get<Fabric>(group.values));
  const std::vector<vec3> warp = warp_directions(mesh_.get(), *rest_positions_, *triangles_);
  return fabric_springs(fabrics, {*rest_positions_, *triangles_, warp, of_triangle}, *pattern_);
}

/// A spring has the mean over the triangles at its edge, or over the two that it connects.
FabricSprings ClothModel::springs_by_group(const Material& material,
                                           std::span<const std::uint32_t> of_triangle) const {
  const SpringPattern& p = *pattern_;
  FabricSprings by_slot;
  by_slot.bending.assign(springs(), 0);
  for (std::size_t slot = 0; slot < springs(); ++slot)
    by_slot.stiffness.push_back(is_stretch(slot) ? material.stretch_stiffness : material.bend_stiffness);
  if (of_triangle.empty()) return by_slot;
  const auto values_of = [&](const EdgeTable::Side& side) {
    const std::uint32_t group = of_triangle[side.corner / 3];
    return group == 0 ? SpringStiffness{material.stretch_stiffness, material.bend_stiffness}
                      : std::get<SpringStiffness>(material.groups[group - 1].values);
  };
  std::vector<double> sum(springs()), count(springs());
  const auto add = [&](std::uint32_t a, std::uint32_t b, bool stretch, double stiffness) {
    const auto [low, high] = std::minmax(p.row[a], p.row[b]);
    for (std::uint32_t slot = p.slot_begin[low]; slot < p.slot_begin[low + 1]; ++slot)
      if (p.upper[slot] == high && is_stretch(slot) == stretch) sum[slot] += stiffness, ++count[slot];
  };
  const EdgeTable edges(*triangles_, particles());
  edges.for_each([&](std::uint32_t low, std::span<const EdgeTable::Side> sides) {
    for (std::size_t i = 0; i < sides.size(); ++i) {
      const SpringStiffness own = values_of(sides[i]);
      add(low, sides[i].high, true, own.stretch);
      for (std::size_t j = i + 1; j < sides.size(); ++j)
        add(edges.opposite(sides[i]), edges.opposite(sides[j]), false,
            (own.bend + values_of(sides[j]).bend) / 2);
    }
  });
  for (std::size_t slot = 0; slot < springs(); ++slot)
    if (count[slot] > 0) by_slot.stiffness[slot] = sum[slot] / count[slot];
  return by_slot;
}

CompressedRows<std::uint32_t> ClothModel::by_particle(std::span<const Triangle> triangles) const {
  CompressedRows<std::uint32_t> at;
  at.fill(particles(), [&](const auto& add) {
    for (std::uint32_t t = 0; t < triangles.size(); ++t)
      for (const std::uint32_t i : triangles[t]) add(i, t);
  });
  return at;
}

std::vector<std::uint32_t> material_of_triangle(const Material& material, const ClothMesh* mesh) {
  if (material.groups.empty()) return {};
  const auto refuse = [](const GroupMaterial& group, const std::string& what) {
    throw InputError("The material of the group \"" + printable(group.group) + "\" " + what);
  };
  std::vector<std::uint32_t> of_face;
  for (std::uint32_t k = 0; k < material.groups.size(); ++k) {
    const GroupMaterial& group = material.groups[k];
    if (group.is_fabric() != material.is_fabric())
      refuse(group, group.is_fabric()
                        ? "is a fabric, and that of the cloth is springs; both must be of one kind."
                        : "is springs, and that of the cloth is a fabric; both must be of one kind.");
    if (mesh == nullptr) refuse(group, "needs a mesh with groups.");
    of_face.resize(mesh->source->face_count());
    for (const std::uint32_t face : faces_of_group(*mesh->source, group.group)) {
      if (of_face[face] != 0)
        refuse(group, "is not the only one of its faces: some are in the group \"" +
                          printable(material.groups[of_face[face] - 1].group) + "\" as well.");
      of_face[face] = k + 1;
    }
  }
  std::vector<std::uint32_t> of_triangle;
  for (const std::uint32_t face : mesh->face_of_triangle) of_triangle.push_back(of_face[face]);
  return of_triangle;
}

void check_inflate(const Material& material, std::size_t closed) {
  if (material.inflate == 0 || closed > 0) return;
  throw InputError(
      "inflate: an overpressure needs cloth that encloses a volume, and this mesh has no closed part: each "
      "edge "
      "must have two triangles that go along it in opposite directions; without such a part it must be 0");
}

void check_masses(const Material& material, std::span<const vec3> rest_positions,
                  std::span<const ClothModel::Triangle> triangles) {
  if (!material.is_fabric() && material.mass_model == MassModel::uniform) return;
  const StopProbe none;
  CancelPoint never(none);
  masses_by_area(material, areas_of(rest_positions, triangles, never));
}

}  // namespace clothlab
