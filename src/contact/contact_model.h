// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string_view>

namespace clothlab {

class ContactResponse;

/// How cloth is kept out of surfaces and of itself.
enum class ContactModel { filter, penalty, impulse, barrier };

/// The values of contact. Numbers of 0 are chosen for the mesh.
struct Contact {
  ContactModel model = ContactModel::filter;
  double stiffness = 1000;       ///< [N/m]
  double barrier_stiffness = 0;  ///< κ [N/m]
  double distance = 0;           ///< d̂ at which forces begin [m]
  double friction_speed = 0;     ///< ε below which friction is smoothed [m/s]

  bool operator==(const Contact&) const = default;
};

std::unique_ptr<ContactResponse> make_filter_contact();
std::unique_ptr<ContactResponse> make_penalty_contact();
std::unique_ptr<ContactResponse> make_impulse_contact();
std::unique_ptr<ContactResponse> make_barrier_contact();

/// A model's row: its class, and everything that menus, help texts and docs know of it.
struct ContactModelInfo {
  ContactModel model;
  std::string_view id;       ///< command line, scene files
  std::string_view title;    ///< in the window
  std::string_view summary;  ///< what it is and does, in two or three sentences
  std::string_view promise;  ///< what holds after every step, in one sentence
  std::unique_ptr<ContactResponse> (*make)();
  bool by_forces = false;          ///< it acts by forces on particles
  bool linear = false;             ///< these are linear in the gap where they act: compliant constraints
  bool uses_impulses = false;      ///< after each step; they cannot undo intersections
  bool with_itself = true;         ///< the cloth collides with itself
  bool sees_within_steps = false;  ///< it detects what passes through a mesh within a step
  std::span<const std::string_view> parameters = {};  ///< ids of those that it uses
};

inline constexpr std::array<std::string_view, 5> kPenaltyParameters{
    "contact-stiffness", "contact-distance", "thickness", "self-contact", "friction-speed"};
inline constexpr std::array<std::string_view, 4> kBarrierParameters{"barrier-stiffness", "contact-distance",
                                                                    "self-contact", "friction-speed"};
inline constexpr std::array<std::string_view, 2> kImpulseParameters{"thickness", "self-contact"};

/// In the order of the enumerators.
inline constexpr std::array kContactModels{
    ContactModelInfo{
        .model = ContactModel::filter,
        .id = "filter",
        .title = "Filter",
        .summary = "Particles in contact are held along the normal by the projection that holds pins; "
                   "impacts are inelastic, friction is Coulomb's, by impulses. Works with every method, and "
                   "costs it its order where something touches or leaves.",
        .promise = "No particle that was above a surface ends a step below it, where it moves by less than "
                   "half the thickness of the obstacle in a step.",
        .make = make_filter_contact,
        .with_itself = false},
    ContactModelInfo{
        .model = ContactModel::penalty,
        .id = "penalty",
        .title = "Penalty",
        .summary =
            "A spring between cloth and surface, and between cloth and cloth, from the contact distance "
            "on, with smoothed friction: a force like the others, so that its stiffness counts in the "
            "largest stable step, and impacts are elastic. Not for methods with rods.",
        .promise = "It promises nothing: how deep the cloth gets follows from mass, speed and stiffness.",
        .make = make_penalty_contact,
        .by_forces = true,
        .linear = true,
        .parameters = kPenaltyParameters},
    ContactModelInfo{
        .model = ContactModel::impulse,
        .id = "impulse",
        .title = "Impulse",
        .summary =
            "After each step, what meets on the way is stopped by inelastic impulses, with Coulomb's "
            "friction: cloth, other obstacles, and the cloth itself. Works with every method, and costs "
            "it its order where something touches.",
        .promise = "Cloth that does not intersect itself or a mesh never will; no particle "
                   "that was above another surface ends below it, where it moves by less than half the "
                   "thickness of the obstacle in a step.",
        .make = make_impulse_contact,
        .uses_impulses = true,
        .sees_within_steps = true,
        .parameters = kImpulseParameters},
    ContactModelInfo{
        .model = ContactModel::barrier,
        .id = "barrier",
        .title = "Barrier",
        .summary = "A force that grows without bound as the gap closes, cloth on surfaces, on meshes and on "
                   "itself, with smoothed friction. Particles that a step would lead through something go a "
                   "part of their way alone. Not for methods that treat springs one by one or as rods.",
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
