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

}  // namespace

std::unique_ptr<ContactResponse> make_penalty_contact() { return std::make_unique<PenaltyResponse>(); }

double mean_edge(const ClothModel& cloth) {
  double length = 0, count = 0;
  for (std::size_t slot = 0; slot < cloth.springs(); ++slot)
    if (cloth.is_stretch(slot)) length += cloth.rest_lengths()[slot], count += 1;
  return count > 0 ? length / count : kLongestEdge;
}

void PenaltyResponse::configure(const ContactInput& input, const Surfaces& surfaces) {
  material_ = input.material;
  forces_at_start_ =
      input.method.family != IntegratorFamily::implicit || solves_stages_once(input.method, input.solver);
  ContactSettings settings;
  settings.with_itself = input.self_contact;
  if (settings.with_itself || input.has_surfaces()) {
    settings.cloth = &input.mesh;
    settings.friction_with_itself = input.obstacles.friction;
    settings.law.distance = input.contact.distance > 0
                                ? input.contact.distance
                                : kOfEdge * std::min(mean_edge(input.cloth), kLongestEdge);
    choose_law(input, settings);
    settings.damping = damping_of(settings.law.stiffness);
    settings.friction.speed =
        input.contact.friction_speed > 0 ? input.contact.friction_speed : kOfDiagonal * input.mesh.diagonal;
  }
  force_.set(settings, surfaces);
}

void PenaltyResponse::choose_law(const ContactInput& input, ContactSettings& settings) const {
  settings.law.stiffness = input.contact.stiffness;
  settings.thickness = input.thickness;
}

double PenaltyResponse::damping_of(double stiffness) const {
  return material_.spring_damping + material_.rayleigh_stiffness * stiffness;
}

bool PenaltyResponse::begin_step(const ContactStep& step) {
  if (!force_.empty()) force_.begin(step.context.pool, step.start.x, forces_at_start_ ? step.h : 0);
  return false;
}

ContactResponse::End PenaltyResponse::end_step(const ContactStep& /*step*/, State& /*after*/) {
  return {false, force_.crowded() ? std::optional(Failure::crowded) : std::nullopt};
}

std::span<const ContactPair> PenaltyResponse::pairs(std::span<const vec3> v) {
  pairs_.clear();
  for (const ContactElement& contact : force_.found()) pairs_.push_back(force_.pair(contact, v));
  return pairs_;
}

std::vector<ContactPair> PenaltyResponse::pairs_at(WorkerPool& pool, const Surfaces& /*surfaces*/,
                                                   const State& state) {
  if (force_.empty()) return {};
  force_.contacts_at(pool, state.x);
  pairs(state.v);
  return pairs_;
}

void PenaltyResponse::add_figures(ContactFigures& figures) const {
  if (!force_.empty()) figures.stiffness = force_.settings().law.stiffness;
}

}  // namespace clothlab
