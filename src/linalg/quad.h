#pragma once

#include <cstdint>

#include "linalg/lanes.h"
#include "linalg/symmetric.h"

namespace clothlab {

// Three numbers in single precision and a zero: one 128-bit register, which every 64-bit processor has. The
// operations are those of the four numbers one by one, so the bits are the same where the fallback is used.

#if defined(__GNUC__)
using Quad = float __attribute__((vector_size(16)));

/// The same with 0 in the fourth place, whatever was there.
inline Quad without_fourth(Quad q) {
  using Mask = std::int32_t __attribute__((vector_size(16)));
  return (Quad)((Mask)q & Mask{-1, -1, -1, 0});
}
#else
struct alignas(16) Quad {
  float v[4];
  float operator[](int k) const { return v[k]; }
  friend Quad operator+(Quad a, Quad b) {
    return {a.v[0] + b.v[0], a.v[1] + b.v[1], a.v[2] + b.v[2], a.v[3] + b.v[3]};
  }
  friend Quad operator-(Quad a, Quad b) {
    return {a.v[0] - b.v[0], a.v[1] - b.v[1], a.v[2] - b.v[2], a.v[3] - b.v[3]};
  }
  friend Quad operator*(Quad a, Quad b) {
    return {a.v[0] * b.v[0], a.v[1] * b.v[1], a.v[2] * b.v[2], a.v[3] * b.v[3]};
  }
  friend Quad operator*(float s, Quad a) { return {s * a.v[0], s * a.v[1], s * a.v[2], s * a.v[3]}; }
};

inline Quad without_fourth(Quad q) { return {q[0], q[1], q[2], 0.0f}; }
#endif

inline Quad zero_quad() { return Quad{0.0f, 0.0f, 0.0f, 0.0f}; }

inline Quad single(const Lanes& v) {
  return Quad{static_cast<float>(v.xy[0]), static_cast<float>(v.xy[1]), static_cast<float>(v.z0[0]), 0.0f};
}
inline Lanes double_precision(Quad q) { return Lanes(Padded{q[0], q[1], q[2], 0.0}); }

/// A symmetric 3x3 matrix in single precision.
struct SingleSymmetric {
  Quad diagonal = zero_quad();  ///< xx, yy, zz, 0
  Quad rest = zero_quad();      ///< xy, xz, yz, 0

  SingleSymmetric() = default;
  /// s B
  SingleSymmetric(double s, const Symmetric& B)
      : diagonal(single(Lanes(Padded{s * B.xx, s * B.yy, s * B.zz, 0.0}))),
        rest(single(Lanes(Padded{s * B.xy, s * B.xz, s * B.yz, 0.0}))) {}

  Quad operator*(Quad v) const {
    return diagonal * v + (Quad{rest[0], rest[0], rest[1], 0.0f} * Quad{v[1], v[0], v[0], 0.0f} +
                           Quad{rest[1], rest[2], rest[2], 0.0f} * Quad{v[2], v[2], v[1], 0.0f});
  }
};

}  // namespace clothlab
