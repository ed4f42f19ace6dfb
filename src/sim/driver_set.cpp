// SPDX-License-Identifier: MIT
#include "sim/driver_set.h"

#include <algorithm>
#include <cmath>
#include <glm/common.hpp>
#include <glm/geometric.hpp>
#include <glm/matrix.hpp>
#include <numbers>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "core/text.h"
#include "mesh/boundary_loops.h"
#include "mesh/obj_groups.h"
#include "sim/pin_set.h"

namespace clothlab {
namespace {

[[noreturn]] void refuse_group(const ParticleGroup& group, const std::string& what) {
  throw InputError("Group \"" + printable(group.name) + "\": " + what);
}

std::vector<std::uint32_t> indexed_particles(const ParticleGroup& group, const ClothMesh& mesh) {
  std::vector<std::uint32_t> particles;
  for (const std::uint32_t v : group.vertices) {
    if (v >= mesh.particle_of_vertex.size())
      refuse_group(group, "there is no vertex " + std::to_string(v) + "; the mesh has vertices 0 to " +
                              std::to_string(mesh.particle_of_vertex.size() - 1) + ".");
    if (mesh.particle_of_vertex[v] < 0) refuse_group(group, "no face uses vertex " + std::to_string(v) + ".");
    particles.push_back(static_cast<std::uint32_t>(mesh.particle_of_vertex[v]));
  }
  return particles;
}

std::vector<std::uint32_t> particles_in_box(const ParticleGroup& group, const ClothMesh& mesh) {
  std::vector<std::uint32_t> particles;
  const vec3 low = glm::min(group.low, group.high), high = glm::max(group.low, group.high);
  for (std::uint32_t i = 0; i < mesh.positions.size(); ++i) {
    const vec3& x = mesh.positions[i];
    if (x == glm::clamp(x, low, high)) particles.push_back(i);
  }
  return particles;
}

std::vector<std::uint32_t> particles_on_loop(const ParticleGroup& group, const ClothMesh& mesh) {
  std::vector<BoundaryLoop> loops = boundary_loops(mesh);
  if (group.loop >= loops.size())
    refuse_group(group, "there is no loop " + std::to_string(group.loop) + "; the mesh has " +
                            std::to_string(loops.size()) + " boundary loops, numbered from 0.");
  return std::move(loops[group.loop].particles);
}

std::vector<std::uint32_t> particles_in_obj_group(const ParticleGroup& group, const ClothMesh& mesh) {
  const ObjMesh& obj = *mesh.source;
  const std::vector<std::string> existing = groups_of(obj);
  if (std::ranges::find(existing, group.obj_group) == existing.end()) {
    const std::vector<std::string_view> all(existing.begin(), existing.end());
    refuse_group(group, "the mesh file has no group \"" + printable(group.obj_group) + "\"" +
                            suggestion(group.obj_group, all, "\"") +
                            (all.empty() ? "" : " Its groups are " + printable(joined(all)) + "."));
  }
  std::vector<std::uint32_t> particles;
  for (const std::uint32_t f : faces_of_group(obj, group.obj_group))
    for (const ObjMesh::Corner& corner : obj.face(f)) {
      const std::int32_t i = mesh.particle_of_vertex[static_cast<std::size_t>(corner.vertex)];
      if (i >= 0) particles.push_back(static_cast<std::uint32_t>(i));
    }
  return particles;
}

constexpr double kTurn = 2 * std::numbers::pi;

/// The velocity of a smooth path at keyframe k [m/s].
vec3 velocity_at(const ObstaclePath& path, std::size_t k) {
  const std::vector<Keyframe>& keys = path.keys;
  const bool is_end = k == 0 || k + 1 == keys.size();
  if (!is_end) return (keys[k + 1].move - keys[k - 1].move) / (keys[k + 1].time - keys[k - 1].time);
  if (!path.loops) return vec3(0);
  // Both ends are the same keyframe.
  const Keyframe &before = keys[keys.size() - 2], &after = keys[1];
  return (after.move - before.move) / (keys.back().time - before.time + after.time - keys.front().time);
}

vec3 smooth_shift(const ObstaclePath& path, double t) {
  const std::vector<Keyframe>& keys = path.keys;
  const double first = keys.front().time, last = keys.back().time;
  if (path.loops && t > first) t = first + std::fmod(t - first, last - first);
  const auto next = std::ranges::upper_bound(keys, t, {}, &Keyframe::time);
  if (next == keys.begin()) return keys.front().move;
  if (next == keys.end()) return keys.back().move;
  const auto k = static_cast<std::size_t>(next - keys.begin());
  const Keyframe &from = keys[k - 1], &to = keys[k];
  const double duration = to.time - from.time, s = (t - from.time) / duration;
  return from.move + s * s * (3 - 2 * s) * (to.move - from.move) +
         duration * s * (1 - s) * ((1 - s) * velocity_at(path, k - 1) - s * velocity_at(path, k));
}

}  // namespace

std::vector<std::uint32_t> particles_of(const ParticleGroup& group, const ClothMesh& mesh) {
  const auto choose = [&] {
    switch (group.by) {
      case ParticleGroup::By::indices:
        return indexed_particles(group, mesh);
      case ParticleGroup::By::box:
        return particles_in_box(group, mesh);
      case ParticleGroup::By::obj_group:
        return particles_in_obj_group(group, mesh);
      case ParticleGroup::By::loop:
        break;
    }
    return particles_on_loop(group, mesh);
  };
  std::vector<std::uint32_t> particles = choose();
  std::ranges::sort(particles);
  particles.erase(std::unique(particles.begin(), particles.end()), particles.end());
  if (particles.empty()) refuse_group(group, "it contains no particle of the cloth.");
  return particles;
}

DriverSet::DriverSet(const Scene& scene, const ClothMesh& mesh, std::span<const vec3> start) {
  check_drivers(scene.groups, scene.drivers);
  if (scene.groups.empty()) return;
  std::vector<std::vector<std::uint32_t>> members;  // an empty group is an error, used or not
  for (const ParticleGroup& group : scene.groups) members.push_back(particles_of(group, mesh));
  const std::vector<std::uint32_t> pinned = selected_particles(mesh, scene);
  std::vector<std::pair<std::uint32_t, Driven>> all;
  const auto marks = std::make_shared<DriverMarks>();
  for (const Driver& driver : scene.drivers) {
    const auto found = std::ranges::find(scene.groups, driver.group, &ParticleGroup::name);
    const ParticleGroup& group = *found;
    DriverMark& mark = marks->emplace_back();
    mark.particles = members[static_cast<std::size_t>(found - scene.groups.begin())];
    if (const auto* force = std::get_if<DriverForce>(&driver.action)) {
      if (!driver.on) continue;
      DrivenGroup& driven = forces_.emplace_back(DrivenGroup{mark.particles, *force});
      if (force->kind == DriverForce::Kind::spring)
        for (const std::uint32_t i : mark.particles) driven.starts.push_back(start[i]);
      continue;
    }
    if (const auto* distance = std::get_if<GroupDistance>(&driver.action)) {
      add_distance(group, *distance, start, driver.on, mark);
      continue;
    }
    vec3 centre(0);
    for (const std::uint32_t i : mark.particles)
      centre += start[i] / static_cast<double>(mark.particles.size());
    const auto* line = std::get_if<GroupLine>(&driver.action);
    const Path path = line != nullptr ? Path{{{{}}, false}, false, {}}
                                      : path_of(std::get<GroupPath>(driver.action), centre);
    const vec3 along = line != nullptr ? glm::normalize(line->along) : vec3(0);
    if (line == nullptr)
      add_line(path, centre, mark);
    else
      for (const std::uint32_t i : mark.particles)
        for (const double side : {-0.5, 0.5}) mark.line.push_back(start[i] + side * mesh.diagonal * along);
    if (!driver.on) continue;
    for (const std::uint32_t i : mark.particles) {
      all.push_back({i, {paths_.size(), start[i], glm::outerProduct(along, along)}});
      if (std::ranges::binary_search(pinned, i))
        refuse_group(group, "vertex " + std::to_string(mesh.vertex_of_particle[i]) + " is pinned, and a " +
                                kind_text(driver) + " moves it. Unpin it, or switch the " +
                                kind_text(driver) + " off.");
    }
    paths_.push_back(path);
  }
  if (!marks->empty()) marks_ = marks;
  std::ranges::stable_sort(all, {}, [](const auto& each) { return each.first; });
  for (const auto& [i, driven] : all) {
    if (!entries_.empty() && entries_.back().particle == i)
      throw InputError("Two paths or lines move vertex " + std::to_string(mesh.vertex_of_particle[i]) +
                       ". Switch one of them off.");
    entries_.push_back({i, driven.S, driven.start});
    driven_.push_back(driven);
  }
  shifts_.resize(paths_.size());
  const auto is_prescribed = [&](std::uint32_t i) {
    const auto entry = std::ranges::lower_bound(entries_, i, {}, &Projection::Entry::particle);
    return std::ranges::binary_search(pinned, i) ||
           (entry != entries_.end() && entry->particle == i && entry->S == mat3(0.0));
  };
  for (const auto& [i, j, length] : distances_)
    if (is_prescribed(i) && is_prescribed(j))
      throw InputError("Pins or paths prescribe the vertices " + std::to_string(mesh.vertex_of_particle[i]) +
                       " and " + std::to_string(mesh.vertex_of_particle[j]) +
                       ", so their distance cannot be kept. Free one of them, or switch the distance off.");
}

void DriverSet::add_distance(const ParticleGroup& group, const GroupDistance& distance,
                             std::span<const vec3> start, bool on, DriverMark& mark) {
  if (mark.particles.size() != 2)
    refuse_group(group, "a distance needs two particles; the group has " +
                            std::to_string(mark.particles.size()) + ".");
  const std::uint32_t i = mark.particles[0], j = mark.particles[1];
  const double length = distance.length != 0 ? distance.length : glm::distance(start[i], start[j]);
  if (length == 0) refuse_group(group, "its particles are at one point; give the length of their distance.");
  mark.length = length;
  if (on) distances_.push_back({i, j, length});
}

DriverSet::Path DriverSet::path_of(const GroupPath& path, const vec3& centre) {
  Path own{{{}, path.loops}, path.smooth, path.sine};
  for (const GroupKey& key : path.keys)
    own.path.keys.push_back({key.time, key.absolute ? key.position - centre : key.position});
  return own;
}

void DriverSet::add_line(const Path& path, const vec3& centre, DriverMark& mark) {
  constexpr int kPieces = 16;  // of a curve between two keyframes
  const int pieces = path.smooth ? kPieces : 1;
  const std::vector<Keyframe>& keys = path.path.keys;
  for (std::size_t k = 0; k < keys.size(); ++k) {
    mark.keys.push_back(centre + keys[k].move);
    mark.line.push_back(mark.keys.back());
    // The extent of the sine at each keyframe.
    for (const double side : {1.0, -1.0, 0.0})
      if (path.sine.amplitude != vec3(0)) mark.line.push_back(mark.keys.back() + side * path.sine.amplitude);
    for (int p = 1; p < pieces && k + 1 < keys.size(); ++p)
      mark.line.push_back(centre +
                          path.without_sine(keys[k].time + (keys[k + 1].time - keys[k].time) * p / pieces));
  }
}

vec3 DriverSet::Path::without_sine(double t) const {
  return smooth ? smooth_shift(path, t) : pose_on(path, t).shift;
}

vec3 DriverSet::Path::shift(double t) const {
  if (sine.amplitude == vec3(0)) return without_sine(t);
  return without_sine(t) + sine.amplitude * std::sin(kTurn * sine.frequency * t + sine.phase);
}

std::span<const Projection::Entry> DriverSet::targets(double t) {
  for (std::size_t k = 0; k < paths_.size(); ++k) shifts_[k] = paths_[k].shift(t);
  for (std::size_t k = 0; k < entries_.size(); ++k)
    entries_[k].target = driven_[k].start + shifts_[driven_[k].path];
  return entries_;
}

double DriverSet::reach() const {
  double farthest = 0;
  for (const Path& each : paths_)
    for (const Keyframe& key : each.path.keys)
      farthest = std::max(farthest, glm::length(key.move) + glm::length(each.sine.amplitude));
  return farthest;
}

double DriverSet::fastest() const {
  double fastest = 0;
  for (const Path& each : paths_) {
    double speed = fastest_on(each.path, 0);
    // The cubic is at most half as fast again as the line, and its ends add their velocities.
    double at_keys = 0;
    for (std::size_t k = 0; each.smooth && k < each.path.keys.size(); ++k)
      at_keys = std::max(at_keys, glm::length(velocity_at(each.path, k)));
    if (each.smooth) speed = 1.5 * speed + 2 * at_keys;
    fastest = std::max(fastest, speed + kTurn * each.sine.frequency * glm::length(each.sine.amplitude));
  }
  return fastest;
}

bool DriverSet::has_paths() const {
  const auto is_spring = [](const DrivenGroup& each) { return each.force.kind == DriverForce::Kind::spring; };
  return !paths_.empty() || !distances_.empty() || std::ranges::any_of(forces_, is_spring);
}

double DriverSet::spring_energy(std::span<const vec3> x) const {
  double energy = 0;
  for (const auto& [particles, force, starts] : forces_)
    for (std::size_t k = 0; k < starts.size(); ++k) {
      const vec3 d = x[particles[k]] - starts[k];
      energy += force.stiffness / 2 * glm::dot(d, d);
    }
  return energy;
}

double DriverSet::escape_speed(std::span<const vec3> x) const {
  double squared = 0;
  for (const auto& [particles, force, starts] : forces_) {
    if (force.kind != DriverForce::Kind::central) continue;
    for (const std::uint32_t i : particles)
      if (const double r = glm::distance(x[i], force.centre); r > 0)
        squared = std::max(squared, 2 * force.strength / r);
  }
  return std::sqrt(squared);
}

}  // namespace clothlab
