// SPDX-License-Identifier: MIT
#include "sim/pin_set.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "sim/driver_set.h"

namespace clothlab {

std::vector<std::uint32_t> selected_particles(const ClothMesh& mesh, const World& world) {
  if (const auto* preset = std::get_if<PinPreset>(&world.pins)) return pinned_particles(mesh, *preset);
  if (const auto* vertices = std::get_if<VertexList>(&world.pins)) return pins_from_vertices(mesh, *vertices);
  std::vector<std::uint32_t> all;
  for (const std::string& name : std::get<PinnedGroups>(world.pins))
    all = with_pinned(all, particles_of(group_named(world.groups, name), mesh), true);
  return all;
}

Scene with_soft_pins(Scene scene, const std::string& group, double stiffness) {
  const ParticleGroup named = group_named(scene.groups, group);
  if (std::ranges::find(scene.groups, group, &ParticleGroup::name) == scene.groups.end())
    scene.groups.push_back(named);
  DriverForce spring;
  spring.kind = DriverForce::Kind::spring;
  spring.stiffness = stiffness;
  scene.drivers.push_back({group, spring});
  return scene;
}

std::vector<std::uint32_t> with_pinned(const std::vector<std::uint32_t>& present,
                                       std::vector<std::uint32_t> particles, bool pinned) {
  std::sort(particles.begin(), particles.end());
  particles.erase(std::unique(particles.begin(), particles.end()), particles.end());
  std::vector<std::uint32_t> out;
  if (pinned)
    std::ranges::set_union(present, particles, std::back_inserter(out));
  else
    std::ranges::set_difference(present, particles, std::back_inserter(out));
  return out;
}

void PinSet::keep_or_pin(std::span<const std::uint32_t> particles, std::span<const vec3> x) {
  std::vector<Pin> next;
  for (const std::uint32_t i : particles) next.push_back(contains(i) ? *find(i) : Pin{i, x[i], x[i], 0, 0});
  pins_ = std::move(next);
}

bool PinSet::Pin::has_arrived(double t) const {
  // A ramp that ends with a step ends exactly on its target, though t is a sum of rounded steps.
  const double left = start + duration - t;
  return duration == 0 || (duration < 0 ? -left : left) <= 1e-9 * std::abs(duration);
}

std::vector<PinTarget> PinSet::moving(double t) const {
  std::vector<PinTarget> out;
  for (const Pin& pin : pins_)
    if (!pin.has_arrived(t)) out.push_back({pin.particle, pin.to});
  return out;
}

void PinSet::set_pin_targets(double t, Projection& projection) const {
  projection.clear(projection.size());
  for (const Pin& pin : pins_)
    projection.fix(pin.particle,
                   pin.has_arrived(t)
                       ? pin.to
                       : pin.from + std::max((t - pin.start) / pin.duration, 0.0) * (pin.to - pin.from));
}

}  // namespace clothlab
