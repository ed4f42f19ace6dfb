#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/vec.h"
#include "linalg/projection.h"

namespace clothlab {

/// The pinned particles and where each is told to be: at rest, or on its way in a straight line at
/// constant speed (MovePin).
class PinSet {
 public:
  /// Holds exactly these particles (ascending) where they are.
  void hold(std::span<const std::uint32_t> particles, std::span<const vec3> x);
  /// Holds the pins at x, every motion forgotten.
  void hold_at(std::span<const vec3> x);
  /// Holds particle i at `position`, or lets it go.
  void add(std::uint32_t i, const vec3& position);
  void remove(std::uint32_t i);

  /// Sends a pin from `from` at time `start` to `target` at start + duration [s], duration > 0.
  void move(std::uint32_t i, const vec3& from, const vec3& target, double start, double duration);

  bool contains(std::uint32_t i) const;
  bool empty() const { return pins_.empty(); }
  std::vector<std::uint32_t> particles() const;  ///< ascending

  /// Fixes every pin at its place at time t [s] and leaves all other particles free.
  void aim(double t, Projection& projection) const;

 private:
  struct Pin {
    std::uint32_t particle = 0;
    vec3 from{0};
    vec3 to{0};
    double start = 0;
    double duration = 0;  // 0: at rest at `to`
  };
  std::vector<Pin>::iterator find(std::uint32_t i);

  std::vector<Pin> pins_;  // by particle
};

}  // namespace clothlab
