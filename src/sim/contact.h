// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "contact/contact_model.h"
#include "contact/contact_response.h"
#include "sim/scene.h"

namespace clothlab {

class ClothModel;
struct Checkpoint;
struct ClothMesh;
struct IntegratorInfo;

inline bool has_surfaces(const Scene& scene) { return scene.floor.on || !scene.obstacles.bodies.empty(); }
/// True if cloth may touch anything, itself included.
inline bool may_touch(const Scene& scene) {
  return has_surfaces(scene) || (info_of(scene.contact.model).with_itself && scene.self_contact);
}
/// True if impulses resolve contact.
inline bool uses_impulses(const Scene& scene) {
  return info_of(scene.contact.model).uses_impulses && may_touch(scene);
}
/// The values of a scene for its contact model.
ContactInput contact_input(const Scene& scene, const ClothModel& model, const ClothMesh& mesh);

/// What a cloth of that model and mesh touched at a moment of its run; by the filter without forces.
std::vector<ContactPair> contacts_at(WorkerPool& pool, const Checkpoint& moment, const ClothModel& model,
                                     const ClothMesh& mesh);

/// Why a method cannot have contact by forces, after its name.
inline constexpr const char* kContactNotSupported =
    "forces are taken one by one there, without a place for those of this contact model";
/// Whether a method can have that contact model, and that of a scene.
bool supports_contact(ContactModel contact, const IntegratorInfo& method);
inline bool supports_contact(const Scene& scene, const IntegratorInfo& method) {
  return supports_contact(scene.contact.model, method);
}
/// "contact by filter or penalty": those of the models that a method can have; empty where it can have none.
std::string contact_by(std::initializer_list<ContactModel> models, const IntegratorInfo& method);
/// Throws InputError where the scene's method cannot.
void check_contact(const Scene& scene);

}  // namespace clothlab
