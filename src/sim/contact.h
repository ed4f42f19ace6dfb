// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "cloth/contact_force.h"
#include "collide/contact_model.h"
#include "sim/impulse_contact.h"
#include "sim/scene.h"
#include "sim/surfaces.h"

namespace clothlab {

class ClothModel;
struct Checkpoint;
struct ClothMesh;
struct IntegratorInfo;

/// Whether particles in contact are held by the projection.
inline bool filters_contact(const Scene& scene) {
  return !info_of(scene.contact.model).by_forces && has_surfaces(scene);
}

/// Whether what meets is stopped after each step.
inline bool strikes_contact(const Scene& scene) {
  return scene.contact.model == ContactModel::impulse && (has_surfaces(scene) || scene.self_contact);
}
/// Whether ways are shortened where they would lead through something.
inline bool bars_ways(const Scene& scene) { return scene.contact.model == ContactModel::barrier; }
/// Whether cloth may touch anything, itself included.
inline bool may_touch(const Scene& scene) {
  return has_surfaces(scene) || (scene.contact.model != ContactModel::filter && scene.self_contact);
}
/// How impulses act on a cloth of that model; what is automatic is chosen for it.
ImpulseSettings impulse_settings(const Scene& scene, const ClothModel& model);

/// How much thicker surfaces are than they look [m].
double surface_thickness(const Scene& scene, const ClothModel& model);

/// What a cloth meets as forces, with the scene's obstacles where `bodies` have them: nothing where its model
/// is not one by forces. What is automatic there is chosen for this mesh, which must outlive them; a
/// barrier's stiffness is that times `stiffened`.
ContactSettings contact_settings(const Scene& scene, std::span<const Obstacle> bodies,
                                 const ClothModel& model, const ClothMesh& mesh, double stiffened = 1);

/// Of contact by forces of that stiffness [N·s/m].
double contact_damping(const Material& material, double stiffness);

/// What a cloth of that model and mesh touched at a moment of its run; by the filter without forces.
std::vector<ContactPair> contacts_at(WorkerPool& pool, const Checkpoint& moment, const ClothModel& model,
                                     const ClothMesh& mesh);

/// Why a method cannot have contact by forces, after its name.
inline constexpr const char* kNoPlaceForContact =
    "forces are taken one by one there, without a place for those of this contact model";
/// Whether a method can have that contact model, and that of a scene.
bool has_place_for(ContactModel contact, const IntegratorInfo& method);
inline bool has_place_for(const Scene& scene, const IntegratorInfo& method) {
  return has_place_for(scene.contact.model, method);
}
/// "contact by filter or penalty": those of the models that a method can have; empty where it can have none.
std::string contact_by(std::initializer_list<ContactModel> models, const IntegratorInfo& method);
/// Throws InputError where the scene's method cannot.
void check_contact(const Scene& scene);

}  // namespace clothlab
