// SPDX-License-Identifier: MIT
#pragma once

// Spring nets for the tests of linalg, and the same matrices written out densely from their definition.

#include <Eigen/Core>
#include <cmath>
#include <glm/glm.hpp>
#include <random>
#include <span>
#include <vector>

#include "core/vec.h"
#include "linalg/projection.h"
#include "linalg/spring_matrix.h"

namespace clothlab::nets {

class Random {
 public:
  explicit Random(unsigned seed) : generator_(seed) {}
  double in(double low, double high) {
    return low + (high - low) * (static_cast<double>(generator_()) / 4294967296.0);
  }
  std::uint32_t below(std::size_t n) { return static_cast<std::uint32_t>(generator_() % n); }
  vec3 vector() {
    const double x = in(-1, 1), y = in(-1, 1), z = in(-1, 1);
    return {x, y, z};
  }
  vec3 direction() {
    vec3 v = vector();
    while (glm::length(v) < 0.1) v = vector();
    return glm::normalize(v);
  }
  std::vector<vec3> vectors(std::size_t n) {
    std::vector<vec3> all(n);
    for (vec3& v : all) v = vector();
    return all;
  }

 private:
  std::mt19937 generator_;
};

/// The springs of a rows x columns sheet: edges, one diagonal per cell, and the bending springs across them.
inline std::vector<SpringPattern::Pair> grid(std::uint32_t rows, std::uint32_t columns) {
  std::vector<SpringPattern::Pair> springs;
  const auto id = [&](std::uint32_t r, std::uint32_t c) { return r * columns + c; };
  for (std::uint32_t r = 0; r < rows; ++r) {
    for (std::uint32_t c = 0; c < columns; ++c) {
      if (c + 1 < columns) springs.push_back({id(r, c), id(r, c + 1)});
      if (r + 1 < rows) springs.push_back({id(r, c), id(r + 1, c)});
      if (r + 1 < rows && c + 1 < columns) {
        springs.push_back({id(r, c + 1), id(r + 1, c)});
        springs.push_back({id(r, c), id(r + 1, c + 1)});
      }
      if (r > 0 && r + 1 < rows && c + 1 < columns) springs.push_back({id(r - 1, c + 1), id(r + 1, c)});
      if (c > 0 && c + 1 < columns && r + 1 < rows) springs.push_back({id(r + 1, c - 1), id(r, c + 1)});
    }
  }
  return springs;
}

/// A connected irregular net: a random tree and as many random springs again, some of them double.
inline std::vector<SpringPattern::Pair> irregular(std::uint32_t particles, Random& random) {
  std::vector<SpringPattern::Pair> springs;
  for (std::uint32_t i = 1; i < particles; ++i) springs.push_back({random.below(i), i});
  for (std::uint32_t k = 0; k < particles; ++k) {
    const std::uint32_t i = random.below(particles), j = random.below(particles);
    if (i != j) springs.push_back({i, j});
  }
  springs.push_back(springs.front());
  return springs;
}

/// Fills A with springs of stiffness `scale` x [1, ratio], stretched a little, plus `mass` on the diagonal.
inline void fill(SpringMatrix& A, Random& random, double mass, double scale, double ratio = 1) {
  for (double& d : A.diagonal_by_row()) d = mass * random.in(0.5, 1.5);
  for (std::size_t s = 0; s < A.pattern().springs(); ++s) {
    const double k = scale * std::pow(ratio, random.in(0, 1));
    const double slack = random.in(0, 0.2);
    A.spring(s) = {std::sqrt(k * (1 - slack)) * random.direction(), k * slack};
  }
}

/// The mouse spring on three random particles.
inline SpringMatrix::Stencil grab(Random& random, std::size_t particles, double stiffness) {
  SpringMatrix::Stencil stencil;
  stencil.count = 3;
  stencil.particle = {random.below(particles), 0, 0};
  stencil.particle[1] = static_cast<std::uint32_t>((stencil.particle[0] + 1) % particles);
  stencil.particle[2] = static_cast<std::uint32_t>((stencil.particle[0] + 2) % particles);
  stencil.weight = {0.5, 0.3, 0.2};
  const vec3 n = random.direction();
  stencil.C = mat3(0.3 * stiffness) + stiffness * glm::outerProduct(n, n);
  return stencil;
}

// The same written out densely. Kept out of line: Eigen's dense solvers take long to compile.

Eigen::Matrix3d dense(const mat3& m);
Eigen::VectorXd dense(std::span<const vec3> a);
/// A from its definition, with `springs` as the pattern was built from.
Eigen::MatrixXd dense(const SpringMatrix& A, std::span<const SpringPattern::Pair> springs);
/// S, with the projectors of all particles on its diagonal.
Eigen::MatrixXd dense(const Projection& projection);

/// S A S + held (I - S)
Eigen::MatrixXd filtered(const Eigen::MatrixXd& A, const Eigen::MatrixXd& S, double held = 1);
/// M v
Eigen::VectorXd times(const Eigen::MatrixXd& M, const Eigen::VectorXd& v);
/// M^-1 rhs for a symmetric M
Eigen::VectorXd solve(const Eigen::MatrixXd& M, const Eigen::VectorXd& rhs);
/// The eigenvalues of a symmetric M, ascending.
Eigen::VectorXd eigenvalues(const Eigen::MatrixXd& M);

/// Two pins, a particle that slides in a plane and one that slides along a line.
inline Projection constraints(std::size_t particles, Random& random) {
  Projection projection(particles);
  const auto n = static_cast<std::uint32_t>(particles);
  projection.fix(n / 3, vec3(0.0));
  projection.fix(0, vec3(0.0));
  const vec3 normal = random.direction();
  projection.constrain(n / 2, mat3(1.0) - glm::outerProduct(normal, normal), vec3(0.0));
  const vec3 axis = random.direction();
  projection.constrain(n - 1, glm::outerProduct(axis, axis), vec3(0.0));
  return projection;
}

/// A prescribed change on the constrained particles, within what is held there.
inline std::vector<vec3> prescribed(const Projection& projection, Random& random) {
  const std::vector<vec3> change = random.vectors(projection.size());
  std::vector<vec3> z(projection.size(), vec3(0.0));
  for (const Projection::Entry& entry : projection.entries())
    z[entry.particle] = change[entry.particle] - entry.S * change[entry.particle];
  return z;
}

}  // namespace clothlab::nets
