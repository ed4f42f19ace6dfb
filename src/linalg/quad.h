// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

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
/// The first n places of q, and 0 in the others.
inline Quad first_of(Quad q, std::int32_t n) {
  using Mask = std::int32_t __attribute__((vector_size(16)));
  return (Quad)((Mask)q & (Mask{0, 1, 2, 3} < Mask{n, n, n, n}));
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
inline Quad first_of(Quad q, std::int32_t n) {
  return {n > 0 ? q[0] : 0.0f, n > 1 ? q[1] : 0.0f, n > 2 ? q[2] : 0.0f, n > 3 ? q[3] : 0.0f};
}
#endif

/// The numbers of q in the places named: {q[A], q[B], q[C], q[D]}.
template <int A, int B, int C, int D>
inline Quad shuffled(Quad q) {
#if defined(__clang__) || (defined(__GNUC__) && __GNUC__ >= 12)
  return __builtin_shufflevector(q, q, A, B, C, D);
#else
  return Quad{q[A], q[B], q[C], q[D]};
#endif
}

/// One vector in single precision, by row or by node.
using SingleVector = std::vector<Quad>;

inline Quad zero_quad() { return Quad{0.0f, 0.0f, 0.0f, 0.0f}; }

inline Quad single(const Lanes& v) {
  return Quad{static_cast<float>(v.xy[0]), static_cast<float>(v.xy[1]), static_cast<float>(v.z0[0]), 0.0f};
}
inline Lanes double_precision(Quad q) { return Lanes(Padded{q[0], q[1], q[2], 0.0}); }

/// A symmetric 3x3 matrix in single precision: six numbers side by side.
struct SingleSymmetric {
  std::array<float, 6> value{};  ///< xx, yy, zz, xy, xz, yz

  SingleSymmetric() = default;
  /// s B
  SingleSymmetric(double s, const Symmetric& B)
      : value{static_cast<float>(s * B.xx), static_cast<float>(s * B.yy), static_cast<float>(s * B.zz),
              static_cast<float>(s * B.xy), static_cast<float>(s * B.xz), static_cast<float>(s * B.yz)} {}

  /// The fourth place of v has to be 0, and is in the product.
  Quad operator*(Quad v) const {
    Quad first, last;  // xx, yy, zz, xy and zz, xy, xz, yz
    std::memcpy(&first, &value[0], sizeof(Quad));
    std::memcpy(&last, &value[2], sizeof(Quad));
    return first * v + (shuffled<1, 1, 2, 3>(last) * shuffled<1, 0, 0, 3>(v) +
                        shuffled<2, 3, 3, 3>(last) * shuffled<2, 2, 1, 3>(v));
  }
};

}  // namespace clothlab
