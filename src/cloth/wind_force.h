// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "cloth/cloth_model.h"
#include "cloth/force_term.h"
#include "cloth/wind.h"

namespace clothlab {

/// Drag of the air on the triangles, quadratic and along the normal, as of a plate [Hoerner 1965]: a triangle
/// of area A and normal n in a flow u, relative to itself, feels
///
///   f = ρ/2 c A |u·n| (u·n) n.
///
/// Every corner gets a third of the area with its own flow u_i = w_i − v_i, w_i the air at the particle. For
/// a triangle that does not rotate that is the formula above, otherwise the corner quadrature of the integral
/// over the area. So D couples no two particles:
///
///   D_ii = −Σ ρ c A/3 |u_i·n| n nᵀ   over the triangles at i,
///
/// exact, symmetric and negative semidefinite. As for every damping force, the dependence on x is left out of
/// K. The air is constant between calls of `update_wind`.
class WindForce final : public ForceTerm {
 public:
  /// `model` must outlive this. Starts with the mean wind everywhere.
  WindForce(const ClothModel& model, const Wind& wind);

  void set_wind(const Wind& wind);
  /// w_i := air_velocity at the positions x [m] and the time t [s].
  void update_wind(WorkerPool& pool, std::span<const vec3> x, double t);

  /// Uses scratch memory of its own: one caller at a time, as for the pool. So does add_jacobians.
  void add_force(WorkerPool& pool, std::span<const vec3> x, std::span<const vec3> v,
                 std::span<vec3> f) const override;
  void add_jacobians(WorkerPool& pool, const Linearization& at, SpringMatrix& a) const override;
  void add_impulse(WorkerPool& pool, const ImpulseStage& stage, Impulses& to) const override;
  void add_part_and_impulse(WorkerPool& pool, const ImpulseStage& stage, std::span<vec3> f,
                            Impulses& to) const override;
  /// With the air at time t [s] at x instead of the last `update_wind`.
  void add_part_at(WorkerPool& pool, double t, SpringForces part, std::span<const vec3> x,
                   std::span<const vec3> v, std::span<vec3> f) const override;
  /// Loads of cloth at rest in the fastest gust, and of cloth that moves with it.
  OuterLoad outer_load(double mass) const override {
    const double fastest = top_speed(wind_);
    return {wind_.density / 2 * wind_.drag_coefficient * model_.area() * fastest * fastest,
            mass / 2 * fastest * fastest};
  }
  /// Largest eigenvalue of M⁻¹(−D) over the free particles of `fixed` [1/s]: an explicit step with
  /// the wind alone is stable for h times this < 2.
  double largest_rate(WorkerPool& pool, std::span<const vec3> x, std::span<const vec3> v,
                      std::span<const double> masses, const Projection& fixed) const;

 private:
  struct Facet {
    vec3 n{0.0};
    double area = 0;
  };

  void compute_facets(WorkerPool& pool, std::span<const vec3> x) const;
  /// blocks_ := −damping D_ii
  void compute_blocks(WorkerPool& pool, std::span<const vec3> x, std::span<const vec3> v,
                      double damping) const;
  /// `air` is w by particle.
  template <class Air>
  void add_drag(WorkerPool& pool, std::span<const vec3> x, std::span<const vec3> v, std::span<vec3> f,
                const Air& air) const;

  const ClothModel& model_;
  Wind wind_;
  std::vector<vec3> air_;                    // w, by particle
  CompressedRows<std::uint32_t> triangles_;  // by particle
  mutable std::vector<Facet> facets_;        // by triangle
  mutable std::vector<mat3> blocks_;         // by particle
  mutable std::vector<SpringMatrix::Stencil> stencils_;
  mutable std::vector<vec3> drag_;  // by particle, of an impulse
};

}  // namespace clothlab
