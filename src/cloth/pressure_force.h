// SPDX-License-Identifier: MIT
#pragma once

#include "cloth/cloth_model.h"
#include "cloth/force_term.h"

namespace clothlab {

/// A constant overpressure p in the closed parts of a cloth, of volume V together:
///
///   E = −p V,   V = 1/6 Σ x_a · (x_b × x_c),   f_a = p ∂V/∂x_a = p/6 Σ (x_b − x_a) × (x_c − x_a)
///
/// over the triangles (a, b, c), at a: each of them has a third of p times its area vector. On a closed
/// surface that is the exact gradient, and the forces sum to 0.
///
/// K is left out. Its blocks ∂f_a/∂x_b = p/6 [x_d − x_c]×, c and d opposite the edge ab, are antisymmetric; a
/// SpringMatrix has symmetric ones only. So exact Jacobians include all forces except this one.
class PressureForce final : public ForceTerm {
 public:
  /// `model` must outlive this; without enclosing triangles there is no force. The pressure in Pa.
  PressureForce(const ClothModel& model, double pressure);

  void set_pressure(double pressure) { pressure_ = pressure; }
  /// [m³]
  double volume(WorkerPool& pool, std::span<const vec3> x) const;

  double energy(WorkerPool& pool, std::span<const vec3> x) const override {
    return -pressure_ * volume(pool, x);
  }
  void add_force(WorkerPool& pool, std::span<const vec3> x, std::span<const vec3> v,
                 std::span<vec3> f) const override;
  void add_measures(WorkerPool& pool, std::span<const vec3> x, std::span<const vec3> v,
                    ForceMeasures& measures) const override;
  /// Load of the pressure on the whole surface at rest.
  OuterLoad outer_load(double /*mass*/) const override { return {pressure_ * model_.area(), 0}; }

 private:
  const ClothModel& model_;
  CompressedRows<std::uint32_t> triangles_;  // by particle
  double pressure_;
};

}  // namespace clothlab
