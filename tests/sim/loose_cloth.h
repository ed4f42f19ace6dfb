// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <glm/geometric.hpp>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/support.h"

namespace clothlab::testing {

/// Cloth without pins that every method holds at this step.
inline Scene loose_scene(std::string_view integrator) {
  Scene scene;
  scene.integrator = integrator;
  scene.pins = PinPreset::none;
  scene.material.stretch_stiffness = 50;
  scene.dt = 2e-3;
  return scene;
}

/// The tip of a pyramid that comes up through the middle of a hung sheet at 1 m/s, in 1/60 s more than three
/// contact distances, by so much [m].
inline Scene rising_tip(double way, int rows = 21) {
  Scene scene;
  scene.mesh = GridSource{rows, rows, 1, 1};
  scene.pins = PinPreset::corners;
  scene.dt = 1.0 / 60;
  Obstacle tip;
  tip.shape = Obstacle::Shape::mesh;
  tip.from = vec3(0.503, -0.03, 0.502);
  tip.mesh.surface = std::make_shared<const TriangleSurface>(
      std::vector<vec3>{
          {-0.15, -0.4, -0.15}, {0.15, -0.4, -0.15}, {0.15, -0.4, 0.15}, {-0.15, -0.4, 0.15}, {0, 0, 0}},
      std::vector<TriangleSurface::Triangle>{
          {0, 1, 2}, {0, 2, 3}, {1, 0, 4}, {2, 1, 4}, {3, 2, 4}, {0, 3, 4}});
  tip.path.keys = {{0, vec3(0), vec3(0)}, {way, vec3(0, way, 0), vec3(0)}};
  scene.obstacles.bodies = {tip};
  return scene;
}

/// Of the particle that is highest in, or lowest above, the floor or an obstacle [m].
inline double least_gap(const Simulation& simulation) {
  double least = std::numeric_limits<double>::infinity();
  const Floor& floor = simulation.scene().floor;
  for (const vec3& x : simulation.state().x) {
    for (const Obstacle& body : simulation.obstacles()) {
      const SurfacePoint place = closest_point(body, x);
      least = std::min(least, place.height - place.level);
    }
    if (floor.on) least = std::min(least, x.y - floor.height);
  }
  return least;
}

/// Two sheets, one above the other.
inline std::shared_ptr<const ClothMesh> two_sheets(double apart) {
  ObjMesh obj = make_grid_obj(6, 6, 0.5, 0.5);
  const ObjMesh other = make_grid_obj(5, 7, 0.4, 0.4);
  const auto first = static_cast<std::int32_t>(obj.vertices.size());
  for (const vec3& x : other.vertices)
    obj.vertices.push_back(vec3(0.03, apart, 0.07) + x + vec3(0, 0.02 * x.x, 0));
  for (std::size_t f = 0; f < other.face_count(); ++f) {
    std::vector<ObjMesh::Corner> corners;
    for (ObjMesh::Corner corner : other.face(f)) {
      corner.vertex += first;
      corners.push_back(corner);
    }
    obj.add_face(corners);
  }
  obj.grid.reset();
  return built(std::move(obj));
}

/// [kg·m/s]
inline vec3 momentum_of(const Simulation& simulation) {
  vec3 sum(0);
  for (std::size_t i = 0; i < simulation.state().v.size(); ++i)
    sum += simulation.system().masses()[i] * simulation.state().v[i];
  return sum;
}

/// Two sheets that fly towards each other, without gravity and damping, solved to 1e-10.
inline Scene colliding_scene(std::string_view integrator, const ClothMesh& sheets) {
  Scene scene = loose_scene(integrator);
  scene.material.gravity = vec3(0);
  scene.material.spring_damping = 0;
  scene.obstacles.friction = 0;
  scene.solver.newton_tolerance = 1e-8;
  scene.solver.linear.cg.tolerance = 1e-10;
  scene.solver.linear.cg.max_iterations = 2000;
  scene.initial_state = InitialState{};
  for (const vec3& x : sheets.source->vertices) {
    scene.initial_state->positions.push_back(x);
    scene.initial_state->velocities.push_back(vec3(0, x.y > 0 ? -2 : 1, 0));
  }
  return scene;
}

inline bool tests_are_long() { return std::getenv("CLOTHLAB_LONG_TESTS") != nullptr; }

/// The momentum that has come since there was `before` [kg·m/s]. Long tests print the share of that
/// (docs/contact.md).
inline double momentum_made(const Simulation& simulation, const vec3& before) {
  const double made = glm::length(momentum_of(simulation) - before);
  if (tests_are_long())
    std::printf("momentum %-29s %-8s %.1e\n", simulation.scene().integrator.c_str(),
                std::string(info_of(simulation.scene().contact.model).id).c_str(),
                made / glm::length(before));
  return made;
}

/// f = −∂E/∂x along random directions, by central differences of 1 nm, to this fraction of the sum of |f|.
inline void expect_derivatives_of_energy(const ContactForce& force, const std::vector<vec3>& x,
                                         double accuracy) {
  std::vector<vec3> f(x.size(), vec3(0)), v(x.size(), vec3(0));
  force.add_force(one_thread(), x, v, f);
  for (int trial = 0; trial < 20; ++trial) {
    constexpr double kStep = 1e-9;
    std::vector<vec3> ahead = x, behind = x;
    double expected = 0, size = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const auto wave = [&](double phase) { return std::sin(37.0 * static_cast<double>(i) + phase + trial); };
      const vec3 along(wave(0), wave(2), wave(4));
      ahead[i] += kStep * along;
      behind[i] -= kStep * along;
      expected -= glm::dot(f[i], along);
      size += std::abs(glm::dot(f[i], along));
    }
    const double measured =
        (force.energy(one_thread(), ahead) - force.energy(one_thread(), behind)) / (2 * kStep);
    EXPECT_NEAR(measured, expected, accuracy * size) << trial;
  }
}

}  // namespace clothlab::testing
