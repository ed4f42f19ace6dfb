// SPDX-License-Identifier: MIT
#include "sim/contact.h"

#include <memory>
#include <string>

#include "core/error.h"
#include "core/text.h"
#include "integrate/registry.h"
#include "sim/checkpoint.h"
#include "sim/parameters.h"

namespace clothlab {

ContactModel acting_model(const Scene& scene, const ObstacleMoves& moves) {
  if (!moves.grows()) return scene.contact.model;
  return info_of(scene.contact.model).sees_within_steps && scene.self_contact ? ContactModel::impulse
                                                                              : ContactModel::filter;
}

ContactInput contact_input(const Scene& scene, const ObstacleMoves& moves, const ClothModel& model,
                           const ClothMesh& mesh, const CandidateList::Joined& joined) {
  return {scene.floor,     scene.obstacles,    scene.contact, scene.material,
          scene.solver,    method_info(scene), model,         mesh,
          scene.thickness, scene.self_contact, joined,        moves.grows()};
}

std::vector<ContactPair> contacts_at(WorkerPool& pool, const Checkpoint& moment, const ClothModel& model,
                                     const ClothMesh& mesh) {
  const Scene& scene = *moment.scene;
  const std::unique_ptr<ContactResponse> contact = info_of(acting_model(scene, moment.moves)).make();
  Surfaces surfaces;  // in the step that led there
  const auto place = [&](double thickness) {
    surfaces.place(scene.floor, scene.obstacles, thickness, moment.moves, moment.state.x.size(),
                   moment.state.t - moment.last_h, moment.last_h);
  };
  place(0);
  const auto joined = joined_particles(sewn_pairs(scene, mesh, mesh.positions), mesh.positions.size());
  contact->configure(contact_input(scene, moment.moves, model, mesh, joined), surfaces);
  contact->stiffen(moment.stiffened);
  contact->set_contacts(moment.contacts);
  if (contact->thickness() > 0) place(contact->thickness());
  return contact->pairs_at(pool, surfaces, moment.state);
}

bool supports_contact(ContactModel contact, const IntegratorInfo& method) {
  const ContactModelInfo& model = info_of(contact);
  return !model.by_forces || method.stiff_forces == StiffForces::all ||
         (method.stiff_forces == StiffForces::contacts && model.linear);
}

bool supports_seams(const Scene& scene, const IntegratorInfo& method) {
  return !has_seams(scene) || method.stiff_forces == StiffForces::all;
}

bool supports(const Scene& scene, const IntegratorInfo& method) {
  return supports_contact(scene.contact.model, method) && supports_seams(scene, method) &&
         (takes_couplings(method) || !has_distances(scene.drivers));
}

std::string contact_by(std::initializer_list<ContactModel> models, const IntegratorInfo& method) {
  std::vector<std::string_view> possible;
  for (const ContactModel model : models)
    if (supports_contact(model, method)) possible.push_back(info_of(model).id);
  return possible.empty() ? std::string() : "contact by " + any_of_text(possible);
}

std::string why_only_forward(const Scene& scene) {
  const IntegratorInfo& method = method_info(scene);
  if (!method.only_forward.empty()) return std::string(method.title) + " " + std::string(method.only_forward);
  return may_touch(scene) ? "contact has no step back (remove the floor, obstacles and self-contact)" : "";
}

namespace {

void check_distances(const Scene& scene, const IntegratorInfo& method) {
  if (!has_distances(scene.drivers)) return;
  if (!takes_couplings(method))
    throw InputError(std::string(method.title) +
                     " cannot keep particles at a distance; use an implicit or an explicit method, or switch "
                     "the distance off.");
  if (may_touch(scene) && !info_of(scene.contact.model).by_forces)
    throw InputError("Contact by " + std::string(info_of(scene.contact.model).id) +
                     " cannot keep particles at a distance; use contact by penalty or barrier, or switch the "
                     "distance off.");
  const bool moves_apart = info_of(scene.contact.model).sees_within_steps && scene.self_contact;
  if (scene.obstacles.grow > 0 && (moves_apart || !scene.obstacles.bodies.empty()))
    throw InputError(
        "Bodies that grow push by nodal contact, which cannot keep particles at a distance; set grow-bodies "
        "to 0, or switch the distance off.");
}

}  // namespace

void check_contact(const Scene& scene) {
  if (find_integrator(scene.integrator) == nullptr) return;
  const IntegratorInfo* method = &method_info(scene);
  check_distances(scene, *method);
  if (!supports_seams(scene, *method))
    throw InputError(
        std::string(method->title) +
        " cannot sew: it treats the springs of the cloth one by one, and seams are springs whose "
        "length changes. Use an implicit or an explicit method, or remove the seams (seams of the "
        "scene, seam-seconds).");
  if (scene.dt < 0)
    if (const std::string why = why_only_forward(scene); !why.empty())
      throw InputError("dt: " + format_number(scene.dt) + " is not allowed here, because " + why +
                       "; it must be positive.");
  if (supports_contact(scene.contact.model, *method)) return;
  throw InputError(
      std::string(method->title) + " does not support contact by " +
      std::string(info_of(scene.contact.model).id) + "; it works with " +
      contact_by({ContactModel::filter, ContactModel::penalty, ContactModel::impulse, ContactModel::barrier},
                 *method) +
      ".");
}

}  // namespace clothlab
