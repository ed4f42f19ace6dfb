// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "core/memory.h"
#include "core/vec.h"

namespace clothlab {

/// Kinds of impulses of a step in the energy ledger.
enum class ImpulseKind : std::size_t {
  damping,   ///< of springs and of mass
  wind,      ///< drag of the air
  hand,      ///< the damper of the mouse spring
  friction,  ///< of surfaces; where a method solves contact, the whole impulse of its contacts
  residual,  ///< residual of the momentum equation after a solve
  held,      ///< of all forces, on the particles that the projection constrains, in its order
  drivers,   ///< of harmonic forces and of drag
  all,       ///< of all forces, on every particle; only for methods with rods, and never saved
};

/// A sum over all particles. The first term is written, others are added.
struct ImpulseSum {
  std::span<vec3> values;
  bool first;

  void add(std::size_t i, const vec3& J) const { values[i] = first ? J : values[i] + J; }
};

/// Impulses by kind [N·s], mostly one vector per particle.
class Impulses {
 public:
  /// The impulses of a kind, to add to; `n` zeros if there were none. Allocates only at the first use of a
  /// kind.
  std::span<vec3> add_to(ImpulseKind kind, std::size_t n);
  /// The same for a caller that adds to each of the n.
  ImpulseSum add_to_all(ImpulseKind kind, std::size_t n);
  /// Empty if there are none.
  std::span<const vec3> of(ImpulseKind kind) const;
  bool empty() const;

  /// w·J, w the air [m/s] that has given the impulse J of the wind [J].
  double given_by_wind() const { return given_by_wind_; }
  void add_given_by_wind(double joule) { given_by_wind_ += joule; }

  /// Keeps the memory.
  void clear();
  /// this := a · this + b · other
  void combine(double a, double b, const Impulses& other);

  void save(Memory& memory) const;
  /// Throws InputError if the numbers do not fit n particles. Loads nothing at the end of `memory`.
  void load(MemoryReader& memory, std::size_t n);

 private:
  struct Kind {
    std::vector<vec3> values;
    bool any = false;
  };
  std::array<Kind, 8> kinds_;
  double given_by_wind_ = 0;
};

}  // namespace clothlab
