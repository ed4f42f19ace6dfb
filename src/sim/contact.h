// SPDX-License-Identifier: MIT
#pragma once

#include <initializer_list>
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
/// The model that acts in a run. While bodies grow it is nodal contact; before impulse and barrier the cloth
/// also collides with itself by impulses.
ContactModel acting_model(const Scene& scene, const ObstacleMoves& moves);
/// The values that the contact model of a scene uses. `joined`: see joined_particles().
ContactInput contact_input(const Scene& scene, const ObstacleMoves& moves, const ClothModel& model,
                           const ClothMesh& mesh, const CandidateList::Joined& joined = {});

/// The contacts of a cloth at a checkpoint of its run; by nodal contact without forces.
std::vector<ContactPair> contacts_at(WorkerPool& pool, const Checkpoint& moment, const ClothModel& model,
                                     const ClothMesh& mesh);

/// Why a method does not support contact by forces; follows its name.
inline constexpr const char* kContactNotSupported = "it does not support this contact model";
/// True if a method supports a contact model.
bool supports_contact(ContactModel contact, const IntegratorInfo& method);
/// Why a method does not support distances; follows its name.
inline constexpr const char* kDistancesNotSupported = "it cannot keep particles at a distance";
/// Why a method does not support seams; follows its name.
inline constexpr const char* kSeamsNotSupported = "it cannot sew";
/// True if a method supports the seams of a scene, if any: springs with a length that changes, as forces.
bool supports_seams(const Scene& scene, const IntegratorInfo& method);
/// True if a method can run a scene: it supports the contact model, distances that are on, and seams.
bool supports(const Scene& scene, const IntegratorInfo& method);
/// "contact by filter or penalty": those of `models` that a method supports; empty if it supports none.
std::string contact_by(std::initializer_list<ContactModel> models, const IntegratorInfo& method);
/// Throws InputError if the method of the scene does not support its contact model or its seams, or if its dt
/// is negative and why_only_forward() has a reason.
void check_contact(const Scene& scene);
/// Why a run of this scene cannot take steps of h < 0; empty if it can.
std::string why_only_forward(const Scene& scene);

}  // namespace clothlab
