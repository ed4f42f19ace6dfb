// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>

#include "linalg/spring_matrix.h"

namespace clothlab {

// The four doubles of a Padded as two 128-bit registers, which every 64-bit processor has. Compilers do not
// find this form by themselves in the loops of the solvers. The operations are those of the four numbers one
// by one, so the bits are the same where the fallback is used.

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

/// Two vectors, one in each lane.
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

}  // namespace clothlab
