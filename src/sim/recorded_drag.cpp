// SPDX-License-Identifier: MIT
#include "sim/recorded_drag.h"

#include <algorithm>
#include <string>

#include "collide/obstacle.h"
#include "sim/pin_set.h"

namespace clothlab {

void RecordedDrag::add(double t, const vec3& position) {
  if (!keys.empty() && t < keys.front().time) keys.clear();
  while (!keys.empty() && t <= keys.back().time) keys.pop_back();
  if (keys.size() == kMostKeyframes) {
    std::vector<GroupKey> half;
    for (std::size_t k = 0; k < keys.size(); k += 2) half.push_back(keys[k]);
    keys = std::move(half);
  }
  keys.push_back({t, position, true});
}

Scene with_drag_as_path(const Scene& scene, const ClothMesh& mesh, const RecordedDrag& drag) {
  const std::uint32_t vertex = mesh.vertex_of_particle[drag.particle];
  ParticleGroup group;
  group.vertices = {vertex};
  const auto is_used = [&] {
    return std::ranges::find(scene.groups, group.name, &ParticleGroup::name) != scene.groups.end();
  };
  group.name = "pin " + std::to_string(vertex);
  for (int number = 2; is_used(); ++number)
    group.name = "pin " + std::to_string(vertex) + " (" + std::to_string(number) + ")";
  std::vector<std::uint32_t> pins = with_pinned(selected_particles(mesh, scene), {drag.particle}, false);
  for (std::uint32_t& pin : pins) pin = mesh.vertex_of_particle[pin];
  Scene next = scene;
  next.pins = std::move(pins);
  next.drivers.push_back({group.name, GroupPath{drag.keys}});
  next.groups.push_back(std::move(group));
  return next;
}

}  // namespace clothlab
