// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <span>
#include <string_view>

namespace clothlab {

/// How cloth that meets something is kept out of it.
enum class ContactModel { filter, penalty, impulse, barrier };

/// A model's row: everything that menus, help texts and docs know of it.
struct ContactModelInfo {
  ContactModel model;
  std::string_view id;       ///< command line, scene files
  std::string_view title;    ///< in the window
  std::string_view summary;  ///< what it is and does, in two or three sentences
  std::string_view promise;  ///< what holds after every step, in one sentence
  bool by_forces;            ///< it acts by forces on particles
  /// Those are linear in the gap where they act: a compliant constraint to methods that treat forces one by
  /// one.
  bool linear;
  std::span<const std::string_view> parameters;  ///< ids of those that it uses
};

inline constexpr std::array<std::string_view, 5> kPenaltyParameters{
    "contact-stiffness", "contact-distance", "thickness", "self-contact", "friction-speed"};
inline constexpr std::array<std::string_view, 4> kBarrierParameters{"barrier-stiffness", "contact-distance",
                                                                    "self-contact", "friction-speed"};
inline constexpr std::array<std::string_view, 2> kImpulseParameters{"thickness", "self-contact"};

/// In the order of the enumerators.
inline constexpr std::array kContactModels{
    ContactModelInfo{
        ContactModel::filter,
        "filter",
        "Filter",
        "Particles in contact are held along the normal by the projection that holds pins; "
        "impacts are inelastic, friction is Coulomb's, by impulses. Works with every method, and "
        "costs it its order where something touches or leaves.",
        "No particle that was above a surface ends a step below it, where it moves by less than half the "
        "thickness of the obstacle in a step.",
        false,
        false,
        {}},
    ContactModelInfo{
        ContactModel::penalty, "penalty", "Penalty",
        "A spring between cloth and surface, and between cloth and cloth, from the contact distance on, with "
        "smoothed friction: a force like the others, so that its stiffness counts in the largest stable "
        "step, and impacts are elastic. Not for methods with rods.",
        "It promises nothing: how deep the cloth gets follows from mass, speed and stiffness.", true, true,
        kPenaltyParameters},
    ContactModelInfo{
        ContactModel::impulse, "impulse", "Impulse",
        "After each step, what meets on the way is stopped by inelastic impulses, with Coulomb's "
        "friction: cloth, other obstacles, and the cloth itself. Works with every method, and costs it "
        "its order where something touches.",
        "Cloth that does not intersect itself or a mesh never will; no particle "
        "that was above another surface ends below it, where it moves by less than half the thickness of the "
        "obstacle in a step.",
        false, false, kImpulseParameters},
    ContactModelInfo{
        ContactModel::barrier, "barrier", "Barrier",
        "A force that grows without bound as the gap closes, cloth on surfaces, on meshes and on itself, "
        "with "
        "smoothed friction. Particles that a step would lead through something go a part of their way alone. "
        "Not for methods that treat springs one by one or as rods.",
        "Cloth that does not intersect itself or a mesh never will; no particle "
        "that was above a surface ends below it.",
        true, false, kBarrierParameters},
};

inline const ContactModelInfo& info_of(ContactModel model) {
  return kContactModels.at(static_cast<std::size_t>(model));
}

}  // namespace clothlab
