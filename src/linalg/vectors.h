// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "core/cancel_point.h"
#include "core/vec.h"
#include "linalg/registers.h"

namespace clothlab {

// The vector types of linalg, and the files built on them.
//
//   std::span<vec3>   one vec3 per particle: arguments and results
//   RowVector         one Padded per row: inside the solvers. SpringPattern maps particles to rows
//   SingleVector      one Quad per row, in single precision: inside multigrid
//   PhaseVector       x and v of a row, one Octet, in single precision: inside exponential Rosenbrock-Euler
//   Lanes, HalfLanes  a Padded and half of it in registers; PairOfVectors: two vec3, side by side
//
//   registers.h      numbers side by side, and loops that are compiled for AVX2 too
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

inline Lanes lanes(const Padded& p) { return load<Lanes>(&p.x); }
inline Lanes lanes(const vec3& v) { return {HalfLanes{v.x, v.y}, HalfLanes{v.z, 0.0}}; }
inline vec3 vec3_of(const Lanes& a) { return {a.low[0], a.low[1], a.high[0]}; }
template <class Register>
CLOTHLAB_INLINED inline void store(const Register& a, Padded& p) {
  store(a, &p.x);
}
/// x + y + z
inline double sum_of(const Lanes& a) { return a.low[0] + a.low[1] + a.high[0]; }

inline HalfLanes both(double s) { return HalfLanes{s, s}; }

/// Vectors side by side, one per lane of a register.
template <class Register>
struct VectorsOf {
  Register x{}, y{}, z{};

  vec3 of(std::size_t lane) const { return {x[lane], y[lane], z[lane]}; }

  CLOTHLAB_INLINED friend inline Register dot(const VectorsOf& a, const VectorsOf& b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
  }
  CLOTHLAB_INLINED friend inline VectorsOf operator+(const VectorsOf& a, const VectorsOf& b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
  }
  CLOTHLAB_INLINED friend inline VectorsOf operator-(const VectorsOf& a, const VectorsOf& b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
  }
  CLOTHLAB_INLINED friend inline VectorsOf operator*(const Register& s, const VectorsOf& a) {
    return {s * a.x, s * a.y, s * a.z};
  }
  CLOTHLAB_INLINED friend inline VectorsOf operator/(const VectorsOf& a, const Register& s) {
    return {a.x / s, a.y / s, a.z / s};
  }
};
using PairOfVectors = VectorsOf<HalfLanes>;

inline PairOfVectors side_by_side(const vec3& a, const vec3& b) {
  return {HalfLanes{a.x, b.x}, HalfLanes{a.y, b.y}, HalfLanes{a.z, b.z}};
}

/// Resizes an empty `list` in parts of 8 MB, because the first access to memory may be slow. Throws
/// Cancelled.
template <class Value>
void resize_in_parts(std::vector<Value>& list, std::size_t length, const CancelPoint& cancel) {
  constexpr std::size_t kPart = (std::size_t{1} << 23) / sizeof(Value);
  list.reserve(length);
  while (list.size() < length) {
    cancel.poll();
    list.resize(std::min(length, list.size() + kPart));
  }
}

/// One vector in single precision, by row or by node.
using SingleVector = std::vector<Quad>;

inline Quad single(const Lanes& v) {
  return Quad{static_cast<float>(v.low[0]), static_cast<float>(v.low[1]), static_cast<float>(v.high[0]),
              0.0f};
}
inline Lanes double_precision(Quad q) { return {HalfLanes{q[0], q[1]}, HalfLanes{q[2], 0.0}}; }
inline Quad single(const vec3& v, double fourth = 0) {
  return Quad{static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z),
              static_cast<float>(fourth)};
}

}  // namespace clothlab
