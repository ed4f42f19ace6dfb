// SPDX-License-Identifier: MIT
#include "linalg/symmetric.h"

#include <cmath>
#include <glm/glm.hpp>

namespace clothlab {

Symmetric symmetric_part(const mat3& B) {
  const auto mean = [&](int i, int j) { return 0.5 * (B[i][j] + B[j][i]); };
  return {B[0][0], B[1][1], B[2][2], mean(0, 1), mean(0, 2), mean(1, 2)};
}

mat3 full(const Symmetric& B) { return {B.xx, B.xy, B.xz, B.xy, B.yy, B.yz, B.xz, B.yz, B.zz}; }

Padded diagonal_inverse(const Symmetric& B, const mat3* S) {
  const vec3 diagonal(B.xx, B.yy, B.zz);
  if (S == nullptr) {
    const auto inverse = [](double d) { return d > 0 ? 1 / d : 1.0; };
    return {inverse(diagonal.x), inverse(diagonal.y), inverse(diagonal.z), 0.0};
  }
  if (*S == mat3(0.0)) return {};
  // A multiple of the identity is the diagonal preconditioner that commutes with S.
  const double mean = (diagonal.x + diagonal.y + diagonal.z) / 3;
  const double inverse = mean > 0 ? 1 / mean : 1.0;
  return {inverse, inverse, inverse, 0.0};
}

Symmetric block_inverse(const Symmetric& B, const mat3* S) {
  if (S != nullptr) {
    const Symmetric inverse = block_inverse(symmetric_part(*S * full(B) * *S + (mat3(1.0) - *S)));
    return symmetric_part(*S * full(inverse) * *S);
  }
  const Symmetric adjugate{B.yy * B.zz - B.yz * B.yz, B.xx * B.zz - B.xz * B.xz, B.xx * B.yy - B.xy * B.xy,
                           B.xz * B.yz - B.xy * B.zz, B.xy * B.yz - B.xz * B.yy, B.xy * B.xz - B.xx * B.yz};
  const double inverse_det = 1 / (B.xx * adjugate.xx + B.xy * adjugate.xy + B.xz * adjugate.xz);
  // Leading minors: positive definite if all three are positive.
  if (!(B.xx > 0 && adjugate.zz > 0 && inverse_det > 0 && std::isfinite(inverse_det))) {
    const Padded d = diagonal_inverse(B);
    return {d.x, d.y, d.z, 0, 0, 0};
  }
  Symmetric inverse;
  inverse.add(inverse_det, adjugate);
  return inverse;
}

}  // namespace clothlab
