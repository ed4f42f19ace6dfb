// SPDX-License-Identifier: MIT
#pragma once

#include <array>

#include "core/vec.h"
#include "linalg/registers.h"
#include "linalg/vectors.h"

namespace clothlab {

/// A symmetric 3x3 matrix.
struct Symmetric {
  double xx = 0, yy = 0, zz = 0, xy = 0, xz = 0, yz = 0;

  Lanes operator*(const Lanes& v) const {
    const double x = v.low[0], y = v.low[1], z = v.high[0];
    return {HalfLanes{xx * x + xy * y + xz * z, xy * x + yy * y + yz * z},
            HalfLanes{xz * x + yz * y + zz * z, 0.0}};
  }

  /// this += s B
  void add(double s, const Symmetric& B) {
    // All reads come before the first write: B may alias this, which would prevent vectorisation.
    const HalfLanes x{xx + s * B.xx, yy + s * B.yy}, y{zz + s * B.zz, xy + s * B.xy},
        z{xz + s * B.xz, yz + s * B.yz};
    *this = {x[0], x[1], y[0], y[1], z[0], z[1]};
  }
};

/// A symmetric 3x3 matrix in single precision: six adjacent numbers.
struct SingleSymmetric {
  std::array<float, 6> value{};  ///< xx, yy, zz, xy, xz, yz

  SingleSymmetric() = default;
  /// s B
  SingleSymmetric(double s, const Symmetric& B)
      : value{static_cast<float>(s * B.xx), static_cast<float>(s * B.yy), static_cast<float>(s * B.zz),
              static_cast<float>(s * B.xy), static_cast<float>(s * B.xz), static_cast<float>(s * B.yz)} {}

  Quad head() const { return load_unaligned<Quad>(&value[0]); }  ///< xx, yy, zz, xy
  Quad tail() const { return load_unaligned<Quad>(&value[2]); }  ///< zz, xy, xz, yz

  /// The fourth component of v must be 0, and is 0 in the product.
  Quad operator*(Quad v) const { return multiply(head(), tail(), v); }
  /// The same for all matrices and vectors of a register.
  template <class Register>
  CLOTHLAB_INLINED static Register multiply(const Register& head, const Register& tail, const Register& v) {
    return head * v + (in_fours<1, 1, 2, 3>(tail) * in_fours<1, 0, 0, 3>(v) +
                       in_fours<2, 3, 3, 3>(tail) * in_fours<2, 2, 1, 3>(v));
  }
};

/// u uᵀ + b I
inline Symmetric spring_block(const vec3& u, double b) {
  return {u.x * u.x + b, u.y * u.y + b, u.z * u.z + b, u.x * u.y, u.x * u.z, u.y * u.z};
}

/// The symmetric part of a matrix.
Symmetric symmetric_part(const mat3& B);
mat3 full(const Symmetric& B);

/// The inverse of a positive definite block B for one particle, so that it maps its free directions, the
/// range of the projector S, to themselves; no S: a free particle. For a block that is not positive
/// definite (of an indefinite matrix), a positive multiple of the projection.
Symmetric block_inverse(const Symmetric& B, const mat3* S = nullptr);

/// The same for the diagonal of B only.
Padded diagonal_inverse(const Symmetric& B, const mat3* S = nullptr);

}  // namespace clothlab
