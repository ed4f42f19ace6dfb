// SPDX-License-Identifier: MIT
// Bodies that contain cloth when they appear, and grow to their size (ObstacleMoves).

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "collide/contour_minimiser.h"
#include "collide/intersections.h"
#include "collide/obstacle.h"
#include "contact/surfaces.h"
#include "core/cancel_point.h"
#include "core/error.h"
#include "core/text.h"
#include "core/worker_pool.h"
#include "mesh/cloth_mesh.h"
#include "sim/cloth_intersections.h"
#include "sim/contact.h"
#include "sim/simulation.h"

namespace clothlab {
namespace {

/// "12 particles, up to 3 mm deep"
std::string particles_text(std::size_t count, double deepest) {
  return std::to_string(count) + (count == 1 ? " particle, " : " particles, up to ") +
         format_quantity(deepest, "m") + " deep";
}

std::string pairs_text(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " pair of triangles" : " pairs of triangles");
}

/// "obstacle 1 (mesh): 12 particles, up to 3 mm deep, and 30 pairs of triangles; the cloth itself: ...";
/// empty if nothing intersects.
std::string text_of(const IntersectionList& left, std::span<const Obstacle> bodies) {
  std::string text;
  const auto add = [&](std::uint32_t surface) {
    const auto pairs =
        static_cast<std::size_t>(std::ranges::count(left.pairs, surface, &IntersectingPair::surface));
    std::size_t particles = 0;
    double deepest = 0;
    for (const auto& inside : left.particles) {
      if (inside.surface != surface) continue;
      ++particles;
      deepest = std::max(deepest, inside.depth);
    }
    if (pairs + particles == 0) return;
    text += (text.empty() ? "" : "; ") + surface_text(surface, bodies) + ": ";
    if (particles > 0) text += particles_text(particles, deepest);
    if (pairs > 0) text += (particles > 0 ? " and " : "") + pairs_text(pairs);
  };
  for (std::uint32_t surface = 0; surface <= bodies.size(); ++surface) add(surface);
  add(kClothItself);
  return text;
}

/// How deep triangles are in bodies, from where the energy of a barrier would throw them out [m].
double depth_of_triangles(WorkerPool& pool, const ContactForce& force, std::span<const vec3> x) {
  double deepest = 0;
  if (!force.limits_displacements()) return deepest;
  for (const ContactElement& contact : force.contacts_at(pool, x))
    if (contact.triangle > 0) deepest = std::max(deepest, -contact.gap);
  return deepest;
}

}  // namespace

/// Bodies with particles inside shrink until the deepest one is on their surface, and grow from there. For
/// models other than nodal contact they grow beyond their size, so that forces begin at a gap, and edges
/// between particles on a curved surface are outside.
void Simulation::begin_growth(WorkerPool& pool, const Scene& scene) {
  constexpr double kBeyond = 0.25;    // of the mean edge
  constexpr double kRounding = 1e-6;  // of the diagonal
  const Obstacles& obstacles = scene.obstacles;
  if (!(obstacles.grow > 0)) return;
  double beyond = 0;
  if (scene.contact.model != ContactModel::filter)
    beyond = std::max(kBeyond * mean_edge(system_.model()), scene.contact.distance + scene.thickness);
  const std::vector<Obstacle> bodies = obstacles_at(obstacles, moves_, state_.t);
  std::string text;
  for (std::uint32_t k = 0; k < bodies.size(); ++k) {
    if (bodies[k].shape == Obstacle::Shape::plane) continue;
    const Overlap inside = clothlab::find_overlap(pool, {}, std::span(&bodies[k], 1), state_.x, pins_,
                                                  kRounding * mesh_->diagonal);
    if (inside.particles == 0) continue;
    text += (text.empty() ? "" : "; ") + surface_text(k + 1, bodies) + ": " +
            particles_text(inside.particles, inside.depth);
    const bool is_mesh = bodies[k].shape == Obstacle::Shape::mesh;
    const double depth = inside.depth + (is_mesh ? rounding_of(bodies[k]) : 0);
    moves_.grow(k, std::min(depth, depth_of(bodies[k])), beyond, state_.t, obstacles.grow);
  }
  const std::string until = format_quantity(state_.t + obstacles.grow, "s");
  if (!text.empty())
    text = "Cloth is inside bodies, which start smaller and grow to their size until " + until + ": " + text +
           ". Contact with bodies is nodal meanwhile.";
  if (const ContactModelInfo& model = info_of(scene.contact.model);
      model.sees_within_steps && scene.self_contact)
    if (const std::size_t pairs = intersecting_triangles(pool, mesh_->triangles, state_.x, joined()).size();
        pairs > 0) {
      moves_.grow(kClothItself, 0, 0, state_.t, obstacles.grow);
      text += (text.empty() ? "" : " ") + std::string("The cloth intersects itself: ") + pairs_text(pairs) +
              ". It moves apart until " + until + "; then contact by " + std::string(model.id) + " begins.";
    }
  if (text.empty()) return;
  notices_.forget(NoticeCause::bodies_grow);
  notices_.forget(NoticeCause::bodies_grown);
  report(NoticeCause::bodies_grow, [&] { return text; });
}

/// Moves intersecting cloth apart, and out of meshes that have grown; true if any has moved.
bool Simulation::separate(double h, const ComputeContext& context) {
  constexpr int kPasses = 8;
  constexpr double kSpeed = 1;  // [m/s]
  given_by_separation_ = 0;
  if (!moves_.grows() || !info_of(scene_->contact.model).sees_within_steps) return false;
  if (!minimiser_) minimiser_ = std::make_shared<ContourMinimiser>();
  std::array<const Obstacle*, kMostObstacles + 1> bodies{};
  for (std::uint32_t k = surfaces_.first(); k < surfaces_.size() && moves_.have_grown(state_.t); ++k)
    if (k > 0 && surfaces_.is_mesh(k)) bodies.at(k) = &surfaces_.body_at_end(k);
  const ContourMinimiser::Cloth cloth{mesh_->triangles, system_.masses(), system_.projection(),
                                      scene_->self_contact};
  const CancelPoint cancel(context.stop);
  probe_.x = state_.x;
  int moved = 0;
  while (moved < kPasses &&
         minimiser_->shorten(context.pool, cloth, bodies, kSpeed * h / kPasses, state_.x)) {
    cancel.poll();
    ++moved;
  }
  if (moved == 0) return false;
  given_by_separation_ =
      energies_of(context.pool, state_.x).of_cloth() - energies_of(context.pool, probe_.x).of_cloth();
  return true;
}

/// Once bodies have grown: reports what still intersects. Then the contact model of the scene begins, if
/// nothing intersects that it cannot handle, and no triangle is where a barrier would throw it out.
void Simulation::end_growth(WorkerPool& pool) {
  constexpr std::uint64_t kStepsPerSearch = 8;  // a search costs as much as a step, and the wait may be long
  if (!moves_.grows() || !moves_.have_grown(state_.t)) return;
  if (notices_.has(NoticeCause::bodies_grown) && record_.step % kStepsPerSearch != 0) return;
  const ContactModelInfo& model = info_of(scene_->contact.model);
  const IntersectionList left =
      list_intersections(pool, *mesh_, state_.x, scene_->floor, obstacles(), joined());
  bool waits = model.sees_within_steps &&
               (!left.particles.empty() || std::ranges::any_of(left.pairs, [&](const auto& pair) {
                 return pair.surface != kClothItself || scene_->self_contact;
               }));
  std::string refusal = "nothing intersects";
  double depth = 0;  // of triangles
  const ObstacleMoves grown = moves_;
  const bool changes = scene_->contact.model != ContactModel::filter;
  if (!waits) {
    moves_.end_growth();
    if (changes) try {
        configure_contact();
        depth = depth_of_triangles(pool, contact_->force(), state_.x);
        if (depth > 0) throw InputError("triangles are up to " + format_quantity(depth, "m") + " in bodies");
        make_room(pool, "now");
      } catch (const InputError& error) {  // of a barrier: a pin is on a surface, a triangle in a body
        moves_ = grown;
        configure_contact();
        waits = true;
        refusal = std::string("it can (") + error.what() + ")";
      }
  }
  report(NoticeCause::bodies_grown, [&] {
    const auto is_of_cloth = [](const auto& pair) { return pair.surface == kClothItself; };
    std::string text = text_of(left, scene_->obstacles.bodies), begin;
    if (grown.has_bodies_that_grow())
      begin = "The bodies have grown to their size";
    else if (std::ranges::none_of(left.pairs, is_of_cloth))
      begin = "The cloth has moved apart";
    text = text.empty() ? begin + (depth > 0 ? "." : ": nothing intersects.")
                        : begin + (begin.empty() ? "" : ". ") + "Still intersecting: " + text + ".";
    if (waits && scene_->obstacles.bodies.empty())
      return text + " Contact by " + std::string(model.id) + " begins when " + refusal + ".";
    if (waits)
      return text + " Contact with bodies stays nodal until " + refusal + "; then contact by " +
             std::string(model.id) + " begins.";
    const bool only_itself = std::ranges::all_of(left.pairs, is_of_cloth);
    if (left.particles.empty() && only_itself) return text;
    const std::string other =
        contact_by({ContactModel::penalty, ContactModel::impulse, ContactModel::barrier}, *info_);
    const bool are_edges = left.particles.empty() && model.model == ContactModel::filter;
    return text + (are_edges ? " Only particles collide by nodal contact; use " + other + "."
                             : std::string(" Move the bodies until their limbs are inside the cloth."));
  });
  if (waits || !changes) return;
  contact_->detect(pool, state_.x);
  account_.add_work(system_.contact_energy(pool, state_.x));
  lifting_ = true;
  break_continuity();
}

}  // namespace clothlab
