// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "collide/obstacle.h"
#include "contact/contact_pair.h"

namespace clothlab {

/// The name of a surface (as in ContactPair) in tables: "floor", "sphere 2", "cloth".
inline std::string surface_id(std::uint32_t surface, std::span<const Obstacle> bodies) {
  if (surface == 0) return "floor";
  if (surface == kClothItself) return "cloth";
  return std::string(name_of(bodies[surface - 1].shape)) + " " + std::to_string(surface);
}

/// Its name in sentences: "the floor", "obstacle 2 (sphere)", "the cloth itself". Without the shape of an
/// obstacle if that is no longer known.
inline std::string surface_text(std::uint32_t surface, std::optional<Obstacle::Shape> shape) {
  if (surface == 0) return "the floor";
  if (surface == kClothItself) return "the cloth itself";
  return "obstacle " + std::to_string(surface) + (shape ? " (" + std::string(name_of(*shape)) + ")" : "");
}
inline std::string surface_text(std::uint32_t surface, std::span<const Obstacle> bodies) {
  const bool is_body = surface > 0 && surface <= bodies.size();
  return surface_text(surface, is_body ? std::optional(bodies[surface - 1].shape) : std::nullopt);
}

}  // namespace clothlab
