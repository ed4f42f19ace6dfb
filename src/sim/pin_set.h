// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/vec.h"
#include "linalg/projection.h"
#include "mesh/mesh.h"
#include "sim/scene.h"

namespace clothlab {

/// The particles that a scene pins, ascending. Throws InputError for a vertex that cannot be pinned, and for
/// a group that neither the scene nor the mesh file has.
std::vector<std::uint32_t> selected_particles(const ClothMesh& mesh, const World& world);

/// The scene with another driver: a spring of that stiffness [N/m] from each particle of a group of the scene
/// or the mesh file to its position at the start.
Scene with_soft_pins(Scene scene, const std::string& group, double stiffness);

/// `present` (ascending) with all of `particles`, or without them; ascending.
std::vector<std::uint32_t> with_pinned(const std::vector<std::uint32_t>& present,
                                       std::vector<std::uint32_t> particles, bool pinned);

/// A pinned particle and a position for it [m].
struct PinTarget {
  std::uint32_t particle = 0;
  vec3 position{0};
};

/// The pinned particles and their prescribed positions: at rest, or moving in a straight line at constant
/// speed (MovePins).
class PinSet {
 public:
  /// Pins exactly these particles (ascending) where they are.
  void pin_only(std::span<const std::uint32_t> particles, std::span<const vec3> x) {
    pins_.clear();
    for (const std::uint32_t i : particles) pins_.push_back({i, x[i], x[i], 0, 0});
  }
  /// The same, but pins that exist already stay, moving ones as well.
  void keep_or_pin(std::span<const std::uint32_t> particles, std::span<const vec3> x);
  /// Fixes the pins at x and ends their motions.
  void fix_at(std::span<const vec3> x) {
    for (Pin& pin : pins_) pin = {pin.particle, x[pin.particle], x[pin.particle], 0, 0};
  }
  /// Moves a pin from `from` at time `start` to `target` at start + duration [s]; with a duration of 0 it
  /// jumps. A negative duration is one of a run with dt < 0.
  void move(std::uint32_t i, const vec3& from, const vec3& target, double start, double duration) {
    *find(i) = {i, from, target, start, duration};
  }

  /// The pins that still move at the time t [s] and their targets, ascending.
  std::vector<PinTarget> moving(double t) const;

  bool contains(std::uint32_t i) const { return std::ranges::binary_search(pins_, i, {}, &Pin::particle); }
  bool empty() const { return pins_.empty(); }
  std::size_t bytes() const { return pins_.size() * sizeof(Pin); }
  /// The pinned particles, ascending.
  std::vector<std::uint32_t> particles() const {
    std::vector<std::uint32_t> all;
    for (const Pin& pin : pins_) all.push_back(pin.particle);
    return all;
  }

  /// Fixes every pin at its position at time t [s] and leaves all other particles free.
  void set_pin_targets(double t, Projection& projection) const;

  /// Calls each(number) for all numbers.
  template <class Each>
  void each_number(const Each& each) {
    each.list(pins_, [&](Pin& pin) {
      each(pin.particle);
      for (vec3* point : {&pin.from, &pin.to}) each(*point);
      for (double* value : {&pin.start, &pin.duration}) each(*value);
    });
  }

 private:
  struct Pin {
    std::uint32_t particle = 0;
    vec3 from{0};
    vec3 to{0};
    double start = 0;
    double duration = 0;  // of the sign of dt; 0: at rest at `to`

    bool has_arrived(double t) const;
  };
  std::vector<Pin>::iterator find(std::uint32_t i) {
    return std::ranges::lower_bound(pins_, i, {}, &Pin::particle);
  }

  std::vector<Pin> pins_;  // by particle
};

}  // namespace clothlab
