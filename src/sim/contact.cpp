// SPDX-License-Identifier: MIT
#include "sim/contact.h"

#include <algorithm>
#include <string>

#include "cloth/cloth_model.h"
#include "core/error.h"
#include "core/text.h"
#include "integrate/registry.h"
#include "mesh/cloth_mesh.h"
#include "sim/checkpoint.h"

namespace clothlab {
namespace {

constexpr double kOfEdge = 0.25, kLongestEdge = 0.02;  // [m]
constexpr double kThicknessOfEdge = 0.1;
constexpr double kOfDiagonal = 1e-3;  // per second

Obstacle level_plane(double height) {
  Obstacle plane;
  plane.shape = Obstacle::Shape::plane;
  plane.offset = height;
  return plane;
}

double mean_edge(const ClothModel& model) {
  double length = 0, count = 0;
  for (std::size_t slot = 0; slot < model.springs(); ++slot)
    if (model.is_stretch(slot)) length += model.rest_lengths()[slot], count += 1;
  return count > 0 ? length / count : kLongestEdge;
}

// At half the contact distance as stiff as a stretch spring, and able to carry ten particles.
double barrier_stiffness(const Scene& scene, const ClothModel& model, double distance, double stiffened) {
  constexpr double kParticles = 10, kGravity = 9.8;  // [m/s²]
  if (scene.contact.barrier_stiffness > 0) return scene.contact.barrier_stiffness;
  const ContactLaw unit{1, distance, true};
  const double load = kParticles * kGravity * scene.material.mass / static_cast<double>(model.particles());
  return stiffened * std::max(scene.material.stretch_stiffness / unit.slope(distance / 2),
                              load / unit.push(distance / 2));
}

}  // namespace

ContactSettings contact_settings(const Scene& scene, std::span<const Obstacle> bodies,
                                 const ClothModel& model, const ClothMesh& mesh, double stiffened) {
  ContactSettings settings;
  if (!info_of(scene.contact.model).by_forces) return settings;
  if (scene.floor.on)
    settings.surfaces.push_back({level_plane(scene.floor.height), scene.floor.friction, {}, 0});
  std::uint32_t number = 0;
  for (const Obstacle& body : bodies)
    settings.surfaces.push_back({body, scene.obstacles.friction, {}, ++number});
  settings.with_itself = scene.self_contact;
  if (settings.surfaces.empty() && !settings.with_itself) return settings;
  settings.cloth = &mesh;
  settings.friction_with_itself = scene.obstacles.friction;
  const Contact& contact = scene.contact;
  const bool barrier = contact.model == ContactModel::barrier;
  settings.law.distance =
      contact.distance > 0 ? contact.distance : kOfEdge * std::min(mean_edge(model), kLongestEdge);
  settings.law.barrier = barrier;
  settings.law.stiffness =
      barrier ? barrier_stiffness(scene, model, settings.law.distance, stiffened) : contact.stiffness;
  settings.thickness = barrier ? 0 : scene.thickness;
  settings.damping = contact_damping(scene.material, settings.law.stiffness);
  settings.friction.speed = contact.friction_speed > 0 ? contact.friction_speed : kOfDiagonal * mesh.diagonal;
  return settings;
}

double contact_damping(const Material& material, double stiffness) {
  return material.spring_damping + material.rayleigh_stiffness * stiffness;
}

ImpulseSettings impulse_settings(const Scene& scene, const ClothModel& model) {
  const double thickness = scene.thickness;
  return {thickness > 0 ? thickness : kThicknessOfEdge * mean_edge(model), scene.self_contact,
          scene.obstacles.friction,
          find_integrator(scene.integrator)->family != IntegratorFamily::explicit_method,
          scene.solver.linear};
}

double surface_thickness(const Scene& scene, const ClothModel& model) {
  return strikes_contact(scene) ? impulse_settings(scene, model).thickness : 0;
}

std::vector<ContactPair> contacts_at(WorkerPool& pool, const Checkpoint& moment, const ClothModel& model,
                                     const ClothMesh& mesh) {
  const auto& [x, v, t] = moment.state;
  Surfaces surfaces;  // in the step that led there
  surfaces.place(*moment.scene, surface_thickness(*moment.scene, model), moment.moves, x.size(),
                 t - moment.last_h, moment.last_h);
  std::vector<ContactPair> pairs;
  if (filters_contact(*moment.scene)) {
    for (const FilterContact::Contact& contact : moment.contacts) {
      if (contact.surface < surfaces.first() || contact.surface >= surfaces.size()) continue;
      const SurfacePlace place = surfaces.at_end(contact.surface, contact.particle, x[contact.particle]);
      ContactPair& pair = pairs.emplace_back();
      pair.particle = contact.particle;
      pair.surface = contact.surface;
      pair.sticks = contact.sticks;
      pair.gap = place.height - place.level;
    }
    return pairs;
  }
  std::vector<Obstacle> bodies;  // with contact by forces
  for (std::uint32_t k = 1; k < surfaces.size(); ++k) bodies.push_back(surfaces.body_at_end(k));
  ContactForce force;
  force.set(contact_settings(*moment.scene, bodies, model, mesh, moment.stiffened));
  if (force.empty()) return pairs;
  for (std::uint32_t k = 1; k < surfaces.size(); ++k)
    force.place(k - surfaces.first(), surfaces.body_at_end(k), surfaces.body_at_end(k),
                surfaces.motion_at_end(k), 0);
  for (const ContactForce::Touch& touch : force.touches(pool, x)) pairs.push_back(force.pair(touch, v));
  return pairs;
}

bool has_place_for(ContactModel contact, const IntegratorInfo& method) {
  const ContactModelInfo& model = info_of(contact);
  return !model.by_forces || method.stiff_forces == StiffForces::all ||
         (method.stiff_forces == StiffForces::contacts && model.linear);
}

std::string contact_by(std::initializer_list<ContactModel> models, const IntegratorInfo& method) {
  std::vector<std::string_view> possible;
  for (const ContactModel model : models)
    if (has_place_for(model, method)) possible.push_back(info_of(model).id);
  return possible.empty() ? std::string() : "contact by " + any_of_text(possible);
}

void check_contact(const Scene& scene) {
  const IntegratorInfo* method = find_integrator(scene.integrator);
  if (method == nullptr || has_place_for(scene.contact.model, *method)) return;
  throw InputError(
      std::string(method->title) + " takes forces one by one and has no place for contact by " +
      std::string(info_of(scene.contact.model).id) + "; it works with " +
      contact_by({ContactModel::filter, ContactModel::penalty, ContactModel::impulse, ContactModel::barrier},
                 *method) +
      ".");
}

}  // namespace clothlab
