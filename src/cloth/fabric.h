// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "cloth/material.h"
#include "core/vec.h"
#include "linalg/spring_matrix.h"

namespace clothlab {

struct ClothMesh;

/// Rest shape of a fabric; `warp` has a unit vector in the plane of each triangle.
struct FabricShape {
  using Triangle = std::array<std::uint32_t, 3>;

  std::span<const vec3> positions;  ///< [m]
  std::span<const Triangle> triangles;
  std::span<const vec3> warp;
  /// Per triangle an index into the fabrics; empty: all have the first one.
  std::span<const std::uint32_t> fabric_of_triangle = {};
};

/// Stiffnesses of three edge springs for the membrane of a triangle of area A.
///
/// With strain ε, springs k_e of length L_e and direction n_e have the energy per area ½ ε:C:ε,
/// C = Σ k_e L_e² n_e⊗n_e⊗n_e⊗n_e / A. It is symmetric in all indices (Cauchy's relations), so the tension
/// across a strain is the shear stiffness: C_wwff = C_wfwf. The k_e give C_wwww, C_ffff and C_wfwf of the
/// fabric; the couplings C_wwwf and C_wfff, which should be 0, are what they are. On triangles where a k_e
/// would be negative, `exact` is false and the k_e are a least-squares fit of all five, at least 0, that
/// is drawn towards the springs of [Gelder 1998].
struct TriangleSprings {
  std::array<double, 3> stiffness{};  ///< of the edges 01, 12 and 20 [N/m]
  bool exact = true;
};
/// `warp`: unit vector in the plane. A triangle without area has springs of 0.
TriangleSprings membrane_springs(const Fabric& fabric, const std::array<vec3, 3>& corners, const vec3& warp);

/// Two triangles with a common edge: E = c/2 |p|², p = Σ K_i x_i, with the ends of the edge first
/// [Bergou 2006]. p is 0 for all affine images of the rest shape; folded by the angle θ, |p| = L 2 sin(θ/2).
struct Hinge {
  std::array<double, 4> weight{};  ///< K_i
  double area = 0;                 ///< of both triangles [m²]
  double response = 0;  ///< mean of |p|²/κ² over cylinders of curvature κ in all directions [m⁴]
};
/// Nothing if a triangle has no area. `corners`: the ends of the edge, then the two opposite corners.
std::optional<Hinge> bending_hinge(const std::array<vec3, 4>& corners);

/// A fabric as springs, by slot of a SpringPattern: E = k/2 (l − L)² + β/2 l². Springs with materials of
/// groups have β = 0.
struct FabricSprings {
  std::vector<double> stiffness;  ///< k [N/m]
  /// β [N/m], of any sign: hinges, whose energies are sums over pairs of their particles. The sum of all is
  /// positive semidefinite.
  std::vector<double> bending;
  double inexact = 0;  ///< share of the area in triangles that are not `exact`
};

/// Edge springs from `membrane_springs` of all triangles. Hinges have c = λ B/(A_0 + A_1); λ is chosen such
/// that the mean energy of cylinders in all directions is ½ B κ² per area. On equilateral triangles every
/// direction has it, with λ = 1. The rest shape of bending is flat. A pair without a spring in `pattern`
/// gets nothing. Between two fabrics an edge spring has the share of each triangle, and a hinge the mean of
/// B by area.
FabricSprings fabric_springs(std::span<const Fabric> fabrics, const FabricShape& shape,
                             const SpringPattern& pattern);

/// Warp of each triangle: along u where the mesh has texture coordinates, otherwise along the longest edge of
/// the box of `positions` (of equal ones the first of x, y, z). `mesh` may be null.
std::vector<vec3> warp_directions(const ClothMesh* mesh, std::span<const vec3> positions,
                                  std::span<const FabricShape::Triangle> triangles);

}  // namespace clothlab
