// SPDX-License-Identifier: MIT
#pragma once

// Small systems made by hand, for the tests of forces and integrators: no mesh file, no generator.

#include <array>
#include <cstdint>
#include <glm/geometric.hpp>
#include <memory>
#include <random>
#include <vector>

#include "cloth/cloth_system.h"
#include "core/worker_pool.h"
#include "dynamics/state.h"
#include "mesh/cloth_mesh.h"
#include "one_thread.h"

namespace clothlab::test {

/// A pool, a cloth and its state at rest.
struct Rig {
  Rig(std::shared_ptr<const ClothModel> model, std::vector<vec3> rest, const Material& material,
      int threads = 1)
      : pool(threads), system(std::move(model), material) {
    state.v.assign(rest.size(), vec3(0.0));
    state.x = std::move(rest);
  }

  void pin(std::size_t i) { system.projection().fix(i, state.x[i]); }

  mutable WorkerPool pool;
  ClothSystem system;
  State state;
};

/// Particles in the plane y = 0, row by row, `spacing` apart:
///
///   0---1---2     stretch springs: the sides and the diagonals (r,c+1)–(r+1,c);
///   | / | / |     bending springs: across every inner side and diagonal
///   3---4---5
inline std::unique_ptr<Rig> make_sheet(int rows, int cols, double spacing, const Material& material,
                                       int threads = 1) {
  const auto at = [cols](int r, int c) { return static_cast<std::uint32_t>(r * cols + c); };
  std::vector<vec3> rest;
  std::vector<ClothModel::Ends> stretch, bend;
  std::vector<ClothModel::Triangle> triangles;
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < cols; ++c) {
      rest.emplace_back(spacing * c, 0.0, spacing * r);
      const bool right = c + 1 < cols, below = r + 1 < rows;
      if (right) stretch.push_back({at(r, c), at(r, c + 1)});
      if (below) stretch.push_back({at(r, c), at(r + 1, c)});
      if (right && below) {
        stretch.push_back({at(r, c + 1), at(r + 1, c)});
        bend.push_back({at(r, c), at(r + 1, c + 1)});
        triangles.push_back({at(r, c), at(r, c + 1), at(r + 1, c)});
        triangles.push_back({at(r, c + 1), at(r + 1, c + 1), at(r + 1, c)});
      }
      if (c + 2 < cols && below) bend.push_back({at(r, c + 2), at(r + 1, c)});
      if (r + 2 < rows && right) bend.push_back({at(r, c + 1), at(r + 2, c)});
    }
  }
  auto model = std::make_shared<const ClothModel>(rest, stretch, bend, triangles);
  return std::make_unique<Rig>(std::move(model), std::move(rest), material, threads);
}

/// An octahedron whose triangles are cut into four `cuts` times, its corners on a sphere: 6, 18, 66 …
/// particles.
inline ObjMesh ball_obj(const vec3& centre, double radius, int cuts) {
  ObjMesh obj;
  obj.name = "ball";
  std::vector<std::array<vec3, 3>> faces;
  for (const double x : {-1.0, 1.0})
    for (const double y : {-1.0, 1.0})
      for (const double z : {-1.0, 1.0}) {
        const vec3 a(x, 0, 0), b(0, y, 0), c(0, 0, z);
        if (x * y * z > 0)
          faces.push_back({a, b, c});
        else
          faces.push_back({a, c, b});
      }
  for (int k = 0; k < cuts; ++k) {
    std::vector<std::array<vec3, 3>> smaller;
    for (const auto& [a, b, c] : faces) {
      const vec3 ab = glm::normalize(a + b), bc = glm::normalize(b + c), ca = glm::normalize(c + a);
      smaller.insert(smaller.end(), {{a, ab, ca}, {ab, b, bc}, {ca, bc, c}, {ab, bc, ca}});
    }
    faces = std::move(smaller);
  }
  for (const auto& face : faces) {
    const auto first = static_cast<std::int32_t>(obj.vertices.size());
    for (const vec3& corner : face) obj.vertices.push_back(centre + radius * corner);
    obj.add_face(std::vector<ObjMesh::Corner>{{first}, {first + 1}, {first + 2}});
  }
  return obj;
}

/// A closed surface of 18 particles.
inline std::unique_ptr<Rig> make_ball(const vec3& centre, double radius, const Material& material) {
  const auto mesh = std::make_shared<const ClothMesh>(build_cloth_mesh(ball_obj(centre, radius, 1)));
  return std::make_unique<Rig>(std::make_shared<const ClothModel>(mesh), mesh->positions, material);
}

/// A chain of stretch springs, hanging straight down from its first particle, which is pinned.
inline std::unique_ptr<Rig> make_chain(int particles, double spacing, const Material& material) {
  std::vector<vec3> rest;
  std::vector<ClothModel::Ends> stretch;
  for (int i = 0; i < particles; ++i) {
    rest.emplace_back(0.0, -spacing * i, 0.0);
    if (i > 0) stretch.push_back({static_cast<std::uint32_t>(i - 1), static_cast<std::uint32_t>(i)});
  }
  auto model = std::make_shared<const ClothModel>(rest, stretch);
  auto rig = std::make_unique<Rig>(std::move(model), std::move(rest), material);
  rig->pin(0);
  return rig;
}

/// One free mass on a spring to a pin at the origin, without gravity, at rest at (L, 0, 0). A bending spring
/// for methods that do not let stretch springs oscillate.
struct OscillatorValues {
  double mass = 0.3;         ///< of the free particle [kg]
  double stiffness = 20;     ///< k [N/m]
  double damping = 0;        ///< k_d [N·s/m]
  double rest_length = 1.5;  ///< L [m]
};

inline std::unique_ptr<Rig> make_oscillator(const OscillatorValues& o, bool bending = false) {
  Material material;
  material.mass = 2 * o.mass;
  material.stretch_stiffness = material.bend_stiffness = o.stiffness;
  material.spring_damping = o.damping;
  material.gravity = vec3(0.0);
  std::vector<vec3> rest{vec3(0.0), vec3(o.rest_length, 0, 0)};
  const std::vector<ClothModel::Ends> spring{{0, 1}}, none;
  auto model = std::make_shared<const ClothModel>(rest, bending ? none : spring, bending ? spring : none);
  auto rig = std::make_unique<Rig>(std::move(model), std::move(rest), material);
  rig->pin(0);
  return rig;
}

/// Moves every particle and gives it a velocity, each component uniform in ±dx [m] and ±dv [m/s].
inline void shake(State& state, double dx, double dv, unsigned seed = 7) {
  std::mt19937 random(seed);
  const auto uniform = [&] { return 2 * (static_cast<double>(random()) / 4294967296.0) - 1; };
  // In an order of its own: that of a call's arguments is the compiler's choice, and golden hashes follow it.
  const auto within_cube = [&] {
    const double z = uniform(), y = uniform(), x = uniform();
    return vec3(x, y, z);
  };
  for (vec3& x : state.x) x += dx * within_cube();
  for (vec3& v : state.v) v += dv * within_cube();
}

}  // namespace clothlab::test
