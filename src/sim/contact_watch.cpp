// SPDX-License-Identifier: MIT
#include "sim/contact_watch.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <glm/geometric.hpp>
#include <glm/matrix.hpp>
#include <iterator>
#include <utility>

#include "cloth/cloth_system.h"
#include "contact/contact_model.h"
#include "core/collect.h"
#include "core/text.h"
#include "core/worker_pool.h"
#include "mesh/cloth_mesh.h"
#include "sim/contact.h"
#include "sim/parameters.h"

namespace clothlab {
namespace {

constexpr std::size_t kWatchGrain = 1024;

/// True if a particle ended on the opposite side of a body, rather than around an edge.
bool is_opposite(const SurfacePoint& from, const SurfacePoint& to) {
  constexpr double kMostCosine = -0.1;
  return glm::dot(from.normal, to.normal) < kMostCosine;
}

/// True if a straight line leads through a body, not only along its surface.
bool leads_through(const Obstacle& body, double depth, const vec3& from, const vec3& to) {
  constexpr double kInside = 0.2, kFinest = 1.0 / 8;  // of the depth
  constexpr double kMostPoints = 256;
  const double length = glm::distance(from, to);
  const double least = std::max(kFinest * depth, length / kMostPoints);
  for (double at = 0; at < length;) {
    const double gap = closest_point(body, from + at / length * (to - from)).gap();
    if (gap < -kInside * depth) return true;
    at += std::max(gap + kInside / 2 * depth, least);  // no point nearer is that deep
  }
  return false;
}

bool is_closed(const Obstacle& body) {
  return body.shape != Obstacle::Shape::mesh ||
         body.mesh.surface->closed_parts() == body.mesh.surface->parts();
}

/// Contact models that prevent passages through this obstacle; empty if the scene uses one.
std::string preventing_contact(const Obstacle& body, const Scene& scene) {
  const IntegratorInfo& method = method_info(scene);
  if (scene.contact.model == ContactModel::barrier) return {};
  if (body.shape != Obstacle::Shape::mesh) return contact_by({ContactModel::barrier}, method);
  if (info_of(scene.contact.model).sees_within_steps) return {};
  return contact_by({ContactModel::impulse, ContactModel::barrier}, method);
}

/// The middle line of a body; its surface is half of `thickness` away.
struct Spine {
  vec3 from{0}, to{0};
  double thickness = 0;  // [m]
};

Spine spine_of(const Obstacle& body) {
  const vec3 centre = centre_of(body);
  if (has_axis(body.shape)) return {body.from, body.to, 2 * body.radius};
  if (body.shape != Obstacle::Shape::box) return {centre, centre, 2 * bound_of(body)};
  int longest = 0;
  for (int k = 1; k < 3; ++k)
    if (body.size[k] > body.size[longest]) longest = k;
  const vec3 half = 0.5 * body.size[longest] * body.axes[longest];
  const double thickness = std::max(body.size[(longest + 1) % 3], body.size[(longest + 2) % 3]);
  return {centre - half, centre + half, thickness};
}

/// True if a triangle passes the origin. Its corners, in the columns, move from `from` to `to`. Tests on
/// which side of the plane of the triangle the origin is.
bool passes_point(const mat3& from, const mat3& to) {
  const double volume = glm::determinant(from), volume_after = glm::determinant(to);
  if (!(volume * volume_after < 0)) return false;
  const double share = volume / (volume - volume_after);
  const mat3 x = from + share * (to - from);
  const vec3 across = glm::cross(x[1] - x[0], x[2] - x[0]);
  for (int k = 0; k < 3; ++k)
    if (!(glm::dot(across, glm::cross(x[k], x[(k + 1) % 3])) >= 0)) return false;
  return true;
}

bool can_use_triangles(const Obstacle& body, const Scene& scene) {
  return supports_contact(ContactModel::penalty, method_info(scene)) && has_convex_gap(body);
}

}  // namespace

std::string triangle_contact(const Obstacle& body, const Scene& scene) {
  const bool helps = scene.contact.points != ContactPoints::triangles && can_use_triangles(body, scene);
  return helps ? "contact of its triangles (--contact-points triangles)" : "";
}

std::string cures_text(std::vector<std::string> cures) {
  std::erase(cures, std::string());
  std::string text;
  for (const std::string& cure : cures) {
    if (!text.empty()) text += &cure == &cures.back() ? ", or " : ", ";
    text += cure;
  }
  return text;
}

Overlap find_overlap(WorkerPool& pool, const Floor& floor, std::span<const Obstacle> bodies,
                     std::span<const vec3> x, const PinSet& pins, double least) {
  std::vector<std::vector<Overlap>> by_chunk;
  std::vector<Overlap> inside;
  collect(pool, x.size(), kWatchGrain, by_chunk, inside, [&](std::size_t i, std::vector<Overlap>& found) {
    double deepest = floor.on ? floor.height - x[i].y : 0;
    std::uint32_t surface = 0;
    for (std::uint32_t k = 0; k < bodies.size(); ++k) {
      const vec3 apart = x[i] - centre_of(bodies[k]);
      const double bound = bound_of(bodies[k]);
      if (glm::dot(apart, apart) > bound * bound) continue;
      const double depth = visible_depth(bodies[k], closest_point(bodies[k], x[i]));
      if (!(depth > deepest)) continue;
      deepest = depth;
      surface = k + 1;
    }
    if (deepest > least && !pins.contains(static_cast<std::uint32_t>(i)))
      found.push_back({1, deepest, surface});
  });
  Overlap all;
  if (!inside.empty()) all = *std::ranges::max_element(inside, {}, &Overlap::depth);
  all.particles = inside.size();
  return all;
}

std::string text_of(const Overlap& overlap, std::size_t particles, std::span<const Obstacle> bodies) {
  const bool is_mesh = overlap.surface > 0 && bodies[overlap.surface - 1].shape == Obstacle::Shape::mesh;
  return std::to_string(overlap.particles) + " of " + std::to_string(particles) +
         " particles are inside surfaces, up to " + format_quantity(overlap.depth, "m") + " deep in " +
         surface_text(overlap.surface, bodies) + ". Contact moves them out, which may strain the cloth. " +
         cures_text({"Move the cloth or the surface",
                     overlap.surface > 0 ? "let the body grow to its size (--grow-bodies)" : "",
                     is_mesh ? "put it into a garment (--dress, Dress in the Contact tab)" : ""}) +
         ".";
}

std::string open_mesh_text(const Scene& scene) {
  if (info_of(scene.contact.model).sees_within_steps) return {};
  const std::vector<Obstacle>& bodies = scene.obstacles.bodies;
  const auto open = std::ranges::find_if_not(bodies, is_closed);
  if (open == bodies.end()) return {};
  const TriangleSurface& surface = *open->mesh.surface;
  const std::string models = contact_by({ContactModel::impulse, ContactModel::barrier}, method_info(scene));
  const auto number = static_cast<std::uint32_t>(open - bodies.begin() + 1);
  return "The mesh of " + surface_text(number, bodies) + " is not closed: " +
         (surface.open_edges() > 0
              ? std::to_string(surface.open_edges()) + " edges do not join two triangles of one orientation"
              : std::string("it encloses nothing")) +
         ". Its open parts are sheets of " + format_quantity(2 * rounding_of(*open), "m") +
         " without an inside: particles that move farther in a step pass through them. Use " +
         cures_text({"a closed mesh", models}) + ".";
}

ContactWatch::ContactWatch(const ClothSystem& system) : particles_(system.size()) {
  const ClothModel& model = system.model();
  for (std::size_t slot = 0; slot < model.springs(); ++slot)
    if (model.is_stretch(slot)) longest_edge_ = std::max(longest_edge_, model.rest_lengths()[slot]);
  candidates_.reserve(kMostObstacles);
  by_chunk_.resize((particles_ + kWatchGrain - 1) / kWatchGrain);
}

void ContactWatch::watch(WorkerPool& pool, const ClothMesh& mesh, const ClothSystem& system,
                         const Surfaces& surfaces, double h, const State& before, const State& after,
                         double kinetic, double strain) {
  constexpr double kMargin = 2;  // of displacements over h v
  if (!(system.material() == material_)) {
    material_ = system.material();
    least_mass_ = std::ranges::min(system.masses());
  }
  const bool can_pass = system.contact() == nullptr ||
                        !system.contact()->limits_displacements();  // a barrier lets no particle pass
  const double fastest = std::sqrt(2 * kinetic / least_mass_);
  edge_ = longest_edge_ * (1 + strain);
  candidates_.clear();
  for (std::uint32_t surface = 1; surface < surfaces.size(); ++surface) {
    const Obstacle& body = surfaces.body_at_begin(surface);
    if (body.shape == Obstacle::Shape::plane) continue;  // has no far side
    const double reach = kMargin * h * fastest + surfaces.largest_displacement(surface);
    const double depth = least_passage_of(body);
    if (can_pass && !(reach <= depth))
      candidates_.push_back({surface, &body, centre_of(body), depth, bound_of(body)});
    if (is_closed(body) && goes_between(pool, mesh, surfaces, surface, before, after, reach))
      of_step_.at(surface - 1).between = true;
  }
  if (can_pass) find_sunk(surfaces, h, before, after);
  deep_.clear();
  if (candidates_.empty()) return;
  collect(pool, particles_, kWatchGrain, by_chunk_, hits_, [&](std::size_t i, std::vector<Hit>& hits) {
    for (const Candidate& candidate : candidates_) {
      const auto particle = static_cast<std::uint32_t>(i);
      const vec3 &from = before.x[i], to = surfaces.carried_back(candidate.surface, particle, after.x[i]);
      const vec3 displacement = to - from;
      const double square = glm::dot(displacement, displacement);
      if (square > candidate.depth * candidate.depth && passes(candidate, from, to))
        hits.push_back({particle, candidate.surface, std::sqrt(square), false});
    }
  });
  for (const Hit& hit : hits_) add_passage(hit, h);
}

void ContactWatch::add_passage(const Hit& hit, double h) {
  Passage& passage = of_step_.at(hit.surface - 1);
  passage.sank = passage.sank && hit.sank;
  if (hit.displacement > passage.displacement) {
    passage.displacement = hit.displacement;
    passage.h = h;
  }
  passed_.push_back(hit);
}

/// Finds particles that were deep in an obstacle and ended on its other side, or closer to that side.
void ContactWatch::find_sunk(const Surfaces& surfaces, double h, const State& before, const State& after) {
  for (const DeepContact& deep : deep_) {
    const Obstacle& body = surfaces.body_at_begin(deep.surface);
    const vec3 &from = before.x[deep.particle],
               to = surfaces.carried_back(deep.surface, deep.particle, after.x[deep.particle]);
    const double displacement = glm::distance(from, to), depth = least_passage_of(body);
    const bool crosses = body.shape != Obstacle::Shape::mesh || crosses_mesh(body, from, to);
    if (displacement > depth && crosses) continue;  // passes() detects it
    const SurfacePoint at_begin = closest_point(body, from), at_end = closest_point(body, to);
    if (!(at_begin.gap() < 0) || !is_opposite(at_begin, at_end)) continue;
    if (at_end.gap() < 0 || leads_through(body, depth, from, to))
      add_passage({deep.particle, deep.surface, displacement, true}, h);
  }
}

/// In the frame of the obstacle at the beginning.
bool ContactWatch::passes(const Candidate& candidate, const vec3& from, const vec3& to) {
  const Obstacle& body = *candidate.body;
  const double length = glm::distance(from, to), near = candidate.bound + length;
  const vec3 apart = from - candidate.centre;
  if (glm::dot(apart, apart) > near * near) return false;
  if (body.shape == Obstacle::Shape::mesh && !crosses_mesh(body, from, to)) return false;
  const SurfacePoint at_begin = closest_point(body, from);
  if (at_begin.gap() > length || !is_opposite(at_begin, closest_point(body, to))) return false;
  return leads_through(body, candidate.depth, from, to);
}

/// True if triangles pass the middle of an obstacle that is thinner than their edges.
bool ContactWatch::goes_between(WorkerPool& pool, const ClothMesh& mesh, const Surfaces& surfaces,
                                std::uint32_t surface, const State& before, const State& after,
                                double reach) const {
  constexpr double kSpacing = 0.5, kMostPoints = 100;  // of points, in edges
  const Spine spine = spine_of(surfaces.body_at_begin(surface));
  if (!(spine.thickness < 2 * edge_)) return false;
  const vec3 along = spine.to - spine.from;
  const double length = glm::length(along), near = edge_ + reach;
  const int points = static_cast<int>(std::clamp(std::ceil(length / (kSpacing * edge_)), 1.0, kMostPoints));
  const auto is_near = [&](const vec3& x) {
    const double at = length > 0 ? glm::dot(x - spine.from, along) / (length * length) : 0;
    const vec3 apart = x - spine.from - std::clamp(at, 0.0, 1.0) * along;
    return glm::dot(apart, apart) <= near * near;
  };
  return sum_over(pool, mesh.triangles.size(), kWatchGrain, [&](std::size_t t) {
           const auto& corners = mesh.triangles[t];
           if (!is_near(before.x[corners[0]])) return 0.0;
           mat3 from, to;
           for (int k = 0; k < 3; ++k) {
             const std::uint32_t particle = corners[static_cast<std::size_t>(k)];
             from[k] = before.x[particle];
             to[k] = surfaces.carried_back(surface, Surfaces::kNoParticle, after.x[particle]);
           }
           for (int k = 0; k < points; ++k) {
             const vec3 point = spine.from + (k + 0.5) / points * along;
             const mat3 all(point, point, point);
             if (passes_point(from - all, to - all)) return 1.0;
           }
           return 0.0;
         }) > 0;
}

void ContactWatch::add_contact(const ContactPair& pair, std::span<const Obstacle> bodies, double thickness) {
  constexpr double kDeep = 0.5;  // of the obstacle's depth
  if (pair.surface == 0 || pair.surface > bodies.size()) return;
  if (pair.gap + thickness < -kDeep * least_passage_of(bodies[pair.surface - 1]))
    deep_.push_back({pair.particle, pair.surface});
}

void ContactWatch::end_step() {
  if (passed_.empty()) return;
  const auto of = [](const Hit& hit) { return std::pair(hit.particle, hit.surface); };
  std::ranges::sort(passed_, {}, of);
  for (std::size_t k = 0; k < passed_.size(); ++k)
    if (k == 0 || of(passed_[k]) != of(passed_[k - 1])) ++of_step_.at(passed_[k].surface - 1).particles;
  for (auto next = passed_.begin(); next != passed_.end();) {
    const auto last = std::ranges::upper_bound(next, passed_.end(), next->particle, {}, &Hit::particle);
    if ((last - next) % 2 == 1) {
      const std::array one{next->particle};
      merged_.clear();
      std::ranges::set_symmetric_difference(behind_, one, std::back_inserter(merged_));
      behind_.swap(merged_);
    }
    next = last;
  }
}

std::optional<ContactWatch::Passing> ContactWatch::passing(std::uint32_t surface,
                                                           const Obstacle& body) const {
  const Passage& found = of_step_.at(surface - 1);
  if (!found.between && !(found.displacement > 0)) return std::nullopt;
  return Passing{found.displacement, found.between, spine_of(body).thickness, edge_};
}

std::string ContactWatch::tunnelling_text(const Scene& scene) const {
  const auto most = std::ranges::max_element(of_step_, {}, &Passage::particles);
  if (most->particles == 0) return {};
  const auto surface = static_cast<std::uint32_t>(most - of_step_.begin() + 1);
  const Obstacle& body = scene.obstacles.bodies[surface - 1];
  const double far = least_passage_of(body);
  const bool too_weak = most->sank || scene.contact.model == ContactModel::penalty;
  const double substeps = std::ceil(scene.dt / most->h * 2 * most->displacement / far);
  std::vector<std::string> cures;
  if (too_weak)
    cures.emplace_back("a larger contact stiffness");
  else if (substeps <= find_scene_parameter("substeps")->spec.max)
    cures.push_back("a step of " + format_quantity(scene.dt / substeps, "s") + " or less (--substeps " +
                    format_number(substeps) + ")");
  cures.emplace_back(is_closed(body) ? "a thicker obstacle" : "a closed mesh");
  cures.push_back(preventing_contact(body, scene));
  return std::to_string(most->particles) + " of " + std::to_string(particles_) +
         " particles passed through " + surface_text(surface, scene.obstacles.bodies) + " in this step: " +
         (too_weak ? std::string("contact is too weak to stop them")
                   : "they moved by up to " + format_quantity(most->displacement, "m") +
                         " relative to it, and displacements above " + format_quantity(far, "m") +
                         " can pass through it") +
         ". Use " + cures_text(cures) + ".";
}

std::string ContactWatch::behind_text(const Scene& scene) const {
  const auto between = std::ranges::find(of_step_, true, &Passage::between);
  if (between != of_step_.end()) {
    const IntegratorInfo& method = method_info(scene);
    const auto surface = static_cast<std::uint32_t>(between - of_step_.begin() + 1);
    const std::string models = contact_by({ContactModel::impulse, ContactModel::barrier}, method);
    const Obstacle& body = scene.obstacles.bodies[surface - 1];
    const bool are_triangles =
        scene.contact.points == ContactPoints::triangles && can_use_triangles(body, scene);
    return "The cloth moved past " + surface_text(surface, scene.obstacles.bodies) +
           ", which passed between its particles" +
           (are_triangles ? "" : ": only particles collide with it") + ". Use " +
           cures_text({are_triangles ? "a smaller step" : "",
                       "a finer cloth, with edges shorter than the obstacle", triangle_contact(body, scene),
                       models.empty() ? "" : models + " with a mesh as the obstacle"}) +
           ".";
  }
  if (behind_.empty() || 2 * behind_.size() < particles_) return {};
  return std::to_string(behind_.size()) + " of " + std::to_string(particles_) +
         " particles passed through an obstacle and are behind it. Start again with a smaller step or a "
         "thicker obstacle.";
}

}  // namespace clothlab
