// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string_view>

namespace clothlab {

class ContactResponse;

/// How the contact of cloth with surfaces and with itself is resolved.
enum class ContactModel { filter, penalty, impulse, barrier };

/// The points of the cloth that collide with floor and bodies other than meshes: its particles, or also the
/// deepest point of each triangle in a body.
enum class ContactPoints { particles, triangles };

/// The values of contact. Numbers of 0 are chosen for the mesh.
struct Contact {
  ContactModel model = ContactModel::filter;
  double stiffness = 1000;       ///< [N/m]
  double barrier_stiffness = 0;  ///< κ [N/m]
  double distance = 0;           ///< d̂ at which forces begin [m]
  double friction_speed = 0;     ///< ε below which friction is smoothed [m/s]
  double restitution = 0;        ///< e: fraction of the normal velocity that an impact returns
  ContactPoints points = ContactPoints::particles;

  bool operator==(const Contact&) const = default;
};

std::unique_ptr<ContactResponse> make_nodal_contact();
std::unique_ptr<ContactResponse> make_penalty_contact();
std::unique_ptr<ContactResponse> make_impulse_contact();
std::unique_ptr<ContactResponse> make_barrier_contact();

/// A model's row: its class, and its texts and properties for menus, help texts and docs.
struct ContactModelInfo {
  ContactModel model;
  std::string_view id;       ///< command line, scene files
  std::string_view title;    ///< in the window
  std::string_view summary;  ///< two or three sentences
  std::string_view promise;  ///< what is guaranteed after every step, in one sentence
  std::unique_ptr<ContactResponse> (*make)();
  bool by_forces = false;          ///< contact is a force on particles
  bool linear = false;             ///< active forces are linear in the gap: compliant constraints
  bool uses_impulses = false;      ///< impulses, which cannot undo intersections
  bool with_itself = true;         ///< the cloth collides with itself
  bool sees_within_steps = false;  ///< detects passages through a mesh within a step
  std::span<const std::string_view> parameters = {};  ///< ids of the parameters that it uses
};

inline constexpr std::array<std::string_view, 2> kNodalParameters{"contact-points", "restitution"};
inline constexpr std::array<std::string_view, 6> kPenaltyParameters{
    "contact-points", "contact-stiffness", "contact-distance", "thickness", "self-contact", "friction-speed"};
inline constexpr std::array<std::string_view, 5> kBarrierParameters{
    "contact-points", "barrier-stiffness", "contact-distance", "self-contact", "friction-speed"};
inline constexpr std::array<std::string_view, 4> kImpulseParameters{"contact-points", "thickness",
                                                                    "self-contact", "restitution"};

/// In the order of the enumerators.
inline constexpr std::array kContactModels{
    ContactModelInfo{
        .model = ContactModel::filter,
        .id = "filter",
        .title = "Nodal contact",
        .summary = "No particle passes a surface. Impacts return a fraction of their normal velocity, by "
                   "default 0, with Coulomb friction. Contact and friction are solved within the step. "
                   "Methods lose their order in steps where contacts begin or end.",
        .promise = "No particle that was above a surface ends a step below it, if it moves by less than "
                   "half the thickness of the obstacle in a step.",
        .make = make_nodal_contact,
        .with_itself = false,
        .parameters = kNodalParameters},
    ContactModelInfo{
        .model = ContactModel::penalty,
        .id = "penalty",
        .title = "Penalty",
        .summary =
            "Springs between cloth and surface, and between cloth and cloth, below the contact distance, "
            "with smoothed friction. Their stiffness limits the largest stable step, and impacts are "
            "elastic. Not for methods with rods.",
        .promise = "Penetration is not prevented; its depth depends on mass, speed and stiffness.",
        .make = make_penalty_contact,
        .by_forces = true,
        .linear = true,
        .parameters = kPenaltyParameters},
    ContactModelInfo{
        .model = ContactModel::impulse,
        .id = "impulse",
        .title = "Impulse",
        .summary =
            "Nodal contact at the thickness, and Coulomb's law between features of the cloth, within the "
            "step by most methods. Inelastic impulses after it stop the collisions that are left, with "
            "meshes too. Every method loses its order in steps with contact.",
        .promise = "Cloth that does not intersect itself or a mesh never will; no particle "
                   "that was above another surface ends below it, if it moves by less than half the "
                   "thickness of the obstacle in a step.",
        .make = make_impulse_contact,
        .uses_impulses = true,
        .sees_within_steps = true,
        .parameters = kImpulseParameters},
    ContactModelInfo{
        .model = ContactModel::barrier,
        .id = "barrier",
        .title = "Barrier",
        .summary =
            "A force that grows without bound as the gap closes, cloth on surfaces, on meshes and on "
            "itself, with smoothed friction. Particles that would pass through something move only part "
            "of their step. Not for methods that treat springs one by one or as rods.",
        .promise = "Cloth that does not intersect itself or a mesh never will; no particle "
                   "that was above a surface ends below it.",
        .make = make_barrier_contact,
        .by_forces = true,
        .sees_within_steps = true,
        .parameters = kBarrierParameters},
};

inline const ContactModelInfo& info_of(ContactModel model) {
  return kContactModels.at(static_cast<std::size_t>(model));
}

}  // namespace clothlab
