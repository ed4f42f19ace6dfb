// SPDX-License-Identifier: MIT
#include "contact/models/penalty.h"

#include <algorithm>

#include "cloth/cloth_model.h"
#include "integrate/integrator_info.h"
#include "mesh/cloth_mesh.h"

namespace clothlab {
namespace {

constexpr double kOfEdge = 0.25, kLongestEdge = 0.02;  // [m]
constexpr double kOfDiagonal = 1e-3;                   // per second
constexpr double kOfDistance = 0.5;                    // of d̂: contact distance of triangles

}  // namespace

std::unique_ptr<ContactResponse> make_penalty_contact() { return std::make_unique<PenaltyResponse>(); }

double mean_edge(const ClothModel& cloth) {
  double length = 0, count = 0;
  for (std::size_t slot = 0; slot < cloth.springs(); ++slot)
    if (cloth.is_stretch(slot)) length += cloth.rest_lengths()[slot], count += 1;
  return count > 0 ? length / count : kLongestEdge;
}

double automatic_friction_speed(const ClothMesh& mesh) { return kOfDiagonal * mesh.diagonal; }

void PenaltyResponse::configure(const ContactInput& input, const Surfaces& surfaces) {
  material_ = input.material;
  forces_at_start_ =
      input.method.family != IntegratorFamily::implicit || solves_stages_once(input.method, input.solver);
  ContactSettings settings;
  settings.with_itself = input.self_contact;
  if (settings.with_itself || input.has_surfaces()) {
    settings.cloth = &input.mesh;
    settings.joined = input.joined;
    settings.friction_with_itself = input.obstacles.friction;
    settings.law.distance = input.contact.distance > 0
                                ? input.contact.distance
                                : kOfEdge * std::min(mean_edge(input.cloth), kLongestEdge);
    if (input.contact.points == ContactPoints::triangles)
      settings.triangle_distance = kOfDistance * settings.law.distance;
    choose_law(input, settings);
    settings.damping = damping_of(settings.law.stiffness);
    settings.friction.speed = input.contact.friction_speed > 0 ? input.contact.friction_speed
                                                               : automatic_friction_speed(input.mesh);
  }
  force_.set(settings, surfaces);
}

std::vector<ContactPair> PenaltyResponse::pairs_at(WorkerPool& pool, const Surfaces& /*surfaces*/,
                                                   const State& state) {
  if (force_.empty()) return {};
  force_.contacts_at(pool, state.x);
  pairs(state.v);
  return pairs_;
}

}  // namespace clothlab
