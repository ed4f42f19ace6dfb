// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "core/vec.h"

namespace clothlab {

// The vector types of linalg, and the files built on them.
//
//   std::span<vec3>   one vec3 per particle: arguments and results
//   RowVector         one Padded per row: inside the solvers. SpringPattern says which row a particle has
//   SingleVector      one Quad per row, in single precision: inside multigrid
//   PhaseVector       x and v of a row, one Octet, in single precision: inside exponential Rosenbrock-Euler
//   Lanes, HalfLanes  a Padded and half of it in registers; PairOfVectors: two vec3, side by side
//
//   vectors.h        the types above
//   symmetric.h      symmetric 3x3 blocks on them, and their inverses
//   spring_matrix.h  SpringPattern: rows, chunks, slots; SpringMatrix on it: matrix-free products
//   row_space.h      loops over the chunks of rows; RowFilter: a Projection by row
//   linear_system.h  LinearSystem and ComputeContext: the input of a solver
//   above these      conjugate gradients with multigrid, Cholesky, Lanczos, lowest modes, phi functions

/// Three components and a zero, so that one particle is one aligned load of four doubles.
struct alignas(32) Padded {
  double x = 0, y = 0, z = 0, zero = 0;
};

/// One vector of the solvers, by row.
using RowVector = std::vector<Padded>;

inline Padded padded(const vec3& v) { return {v.x, v.y, v.z, 0.0}; }
inline vec3 unpadded(const Padded& v) { return {v.x, v.y, v.z}; }
inline double dot(const Padded& a, const Padded& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

// The four doubles of a Padded as two 128-bit registers, which every 64-bit processor has; compilers do not
// vectorise the solvers' loops like this. Element-wise operations, so the fallback gives the same bits.

#if defined(__GNUC__)
using HalfLanes = double __attribute__((vector_size(16)));
inline HalfLanes both(double s) { return HalfLanes{s, s}; }
/// a == b ? then : otherwise, number by number, and the same with >
inline HalfLanes where_equal(HalfLanes a, HalfLanes b, HalfLanes then, HalfLanes otherwise) {
  return a == b ? then : otherwise;
}
inline HalfLanes where_greater(HalfLanes a, HalfLanes b, HalfLanes then, HalfLanes otherwise) {
  return a > b ? then : otherwise;
}
#else
struct HalfLanes {
  double v[2];
  double operator[](int k) const { return v[k]; }
  friend HalfLanes operator+(HalfLanes a, HalfLanes b) { return {a.v[0] + b.v[0], a.v[1] + b.v[1]}; }
  friend HalfLanes operator-(HalfLanes a, HalfLanes b) { return {a.v[0] - b.v[0], a.v[1] - b.v[1]}; }
  friend HalfLanes operator*(HalfLanes a, HalfLanes b) { return {a.v[0] * b.v[0], a.v[1] * b.v[1]}; }
  friend HalfLanes operator/(HalfLanes a, HalfLanes b) { return {a.v[0] / b.v[0], a.v[1] / b.v[1]}; }
};
inline HalfLanes both(double s) { return {s, s}; }
inline HalfLanes where_equal(HalfLanes a, HalfLanes b, HalfLanes then, HalfLanes otherwise) {
  return {a[0] == b[0] ? then[0] : otherwise[0], a[1] == b[1] ? then[1] : otherwise[1]};
}
inline HalfLanes where_greater(HalfLanes a, HalfLanes b, HalfLanes then, HalfLanes otherwise) {
  return {a[0] > b[0] ? then[0] : otherwise[0], a[1] > b[1] ? then[1] : otherwise[1]};
}
#endif

inline HalfLanes root(HalfLanes a) { return HalfLanes{std::sqrt(a[0]), std::sqrt(a[1])}; }

/// Two vectors, one per lane.
struct PairOfVectors {
  HalfLanes x{}, y{}, z{};

  PairOfVectors() = default;
  PairOfVectors(HalfLanes of_x, HalfLanes of_y, HalfLanes of_z) : x(of_x), y(of_y), z(of_z) {}
  PairOfVectors(const vec3& a, const vec3& b)
      : x(HalfLanes{a.x, b.x}), y(HalfLanes{a.y, b.y}), z(HalfLanes{a.z, b.z}) {}
  vec3 of(std::size_t lane) const { return {x[lane], y[lane], z[lane]}; }

  friend HalfLanes dot(const PairOfVectors& a, const PairOfVectors& b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
  }
  friend PairOfVectors operator+(const PairOfVectors& a, const PairOfVectors& b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
  }
  friend PairOfVectors operator-(const PairOfVectors& a, const PairOfVectors& b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
  }
  friend PairOfVectors operator*(HalfLanes s, const PairOfVectors& a) { return {s * a.x, s * a.y, s * a.z}; }
  friend PairOfVectors operator/(const PairOfVectors& a, HalfLanes s) { return {a.x / s, a.y / s, a.z / s}; }
};

struct Lanes {
  HalfLanes xy{}, z0{};

  Lanes() = default;
  Lanes(HalfLanes low, HalfLanes high) : xy(low), z0(high) {}
  explicit Lanes(const Padded& p) : xy{p.x, p.y}, z0{p.z, p.zero} {}

  void store(Padded& p) const { p = {xy[0], xy[1], z0[0], z0[1]}; }
  /// x + y + z
  double sum() const { return xy[0] + xy[1] + z0[0]; }

  friend Lanes operator+(const Lanes& a, const Lanes& b) { return {a.xy + b.xy, a.z0 + b.z0}; }
  friend Lanes operator-(const Lanes& a, const Lanes& b) { return {a.xy - b.xy, a.z0 - b.z0}; }
  friend Lanes operator*(const Lanes& a, const Lanes& b) { return {a.xy * b.xy, a.z0 * b.z0}; }
  friend Lanes operator*(double s, const Lanes& a) { return {both(s) * a.xy, both(s) * a.z0}; }
};

// Three single-precision numbers and a zero in one 128-bit register, which every 64-bit processor has.
// Element-wise operations, so the fallback gives the same bits.

#if defined(__GNUC__)
using Quad = float __attribute__((vector_size(16)));

/// The same with 0 in the fourth place.
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

// Eight numbers in single precision: one 256-bit register where there are such, else two of 128 bits. By
// reference to functions: a register of either kind is passed in another way.
#if defined(__GNUC__)
using Octet = float __attribute__((vector_size(32)));
#else
struct alignas(32) Octet {
  float v[8];
  float& operator[](int k) { return v[k]; }
  float operator[](int k) const { return v[k]; }
  template <class Of>
  static Octet each(const Of& of) {
    return {of(0), of(1), of(2), of(3), of(4), of(5), of(6), of(7)};
  }
  friend Octet operator+(const Octet& a, const Octet& b) {
    return each([&](int k) { return a[k] + b[k]; });
  }
  friend Octet operator-(const Octet& a, const Octet& b) {
    return each([&](int k) { return a[k] - b[k]; });
  }
  friend Octet operator*(const Octet& a, const Octet& b) {
    return each([&](int k) { return a[k] * b[k]; });
  }
  friend Octet operator*(float s, const Octet& a) {
    return each([&](int k) { return s * a[k]; });
  }
};
#endif

inline Quad zero_quad() { return Quad{0.0f, 0.0f, 0.0f, 0.0f}; }

inline Quad single(const Lanes& v) {
  return Quad{static_cast<float>(v.xy[0]), static_cast<float>(v.xy[1]), static_cast<float>(v.z0[0]), 0.0f};
}
inline Lanes double_precision(Quad q) { return Lanes(Padded{q[0], q[1], q[2], 0.0}); }
inline Quad single(const vec3& v, double fourth = 0) {
  return Quad{static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z),
              static_cast<float>(fourth)};
}

}  // namespace clothlab
