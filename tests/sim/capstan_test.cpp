// SPDX-License-Identifier: MIT
// A strip that is drawn over a fixed cylinder: T1/T0 = e^{μφ} where it slides, as on a capstan.

#include <array>
#include <cmath>
#include <glm/geometric.hpp>
#include <numbers>
#include <string>

#include "sim/loose_cloth.h"

namespace clothlab::testing {
namespace {

constexpr double kOfCylinder = 0.2, kTail = 0.2;  // radius, length [m]
constexpr int kTails = 10;                        // springs of each

struct Strip {
  ObjMesh obj;
  std::uint32_t particles = 0;  // in pairs; the first and the last two are its ends
};

// Up from the first end, over half of a cylinder about the z axis and down.
Strip strip_over(double radius) {
  Strip strip;
  constexpr int kArc = 32;
  const auto row = [&](double x, double y) {
    for (const double z : {0.0, 0.02}) strip.obj.vertices.emplace_back(x, y, z);
  };
  for (int k = kTails; k > 0; --k) row(-radius, -k * kTail / kTails);
  for (int k = 0; k <= kArc; ++k) {
    const double angle = std::numbers::pi * (1 - static_cast<double>(k) / kArc);
    row(radius * std::cos(angle), radius * std::sin(angle));
  }
  for (int k = 1; k <= kTails; ++k) row(radius, -k * kTail / kTails);
  strip.particles = static_cast<std::uint32_t>(strip.obj.vertices.size());
  for (std::int32_t i = 0; i + 3 < static_cast<std::int32_t>(strip.particles); i += 2)
    strip.obj.add_face(std::vector<ObjMesh::Corner>{{i}, {i + 2}, {i + 3}, {i + 1}});
  strip.obj.name = "strip";
  return strip;
}

// Of the springs at two particles [N], along y.
double pull_on(const Simulation& simulation, std::uint32_t first) {
  double sum = 0;
  const std::vector<vec3>& x = simulation.state().x;
  for (const ElasticElement e : simulation.system().elements())
    for (const auto& [i, j] : {std::array{e.i, e.j}, std::array{e.j, e.i}}) {
      if (i < first || i > first + 1) continue;
      const double l = glm::distance(x[i], x[j]);
      sum += e.stiffness * (1 - e.rest_length / l) * (x[j].y - x[i].y);
    }
  return sum;
}

// Both ends move alike, slowly, so that the strip slides; before, they stretch it. What is left besides: a
// polygon of chords of θ = 0.1 rad has ((1 + μ tan θ/2)/(1 − μ tan θ/2))ⁿ for e^{μφ}, 1e-3 less than one; the
// drag β m v = 8 mN of the damping, of some 1 to 3 N at the ends, up to 1 %; by penalty φ is that of a strip
// whose contacts give way, and friction is smoothed below a fifth of the speed. Dampers end the waves of
// stick and slip that the start leaves; without them the mean depends on rounding.
TEST(Capstan, SlidesWhereTheTensionsAreInEulersRatio) {
  struct Case {
    const char* integrator;
    ContactModel model;
    double h;
    ContactPoints points = ContactPoints::particles;
  };
  for (const auto& [integrator, model, h, points] :
       {Case{"semi-implicit-euler", ContactModel::filter, 1.0 / 60},
        Case{"semi-implicit-euler", ContactModel::filter, 1.0 / 120},
        Case{"semi-implicit-euler", ContactModel::penalty, 1.0 / 120},
        Case{"semi-implicit-euler", ContactModel::impulse, 1.0 / 120},
        Case{"semi-implicit-euler", ContactModel::impulse, 1.0 / 60},
        Case{"semi-implicit-euler", ContactModel::penalty, 1.0 / 120, ContactPoints::triangles},
        Case{"semi-implicit-euler", ContactModel::impulse, 1.0 / 120, ContactPoints::triangles},
        Case{"backward-euler", ContactModel::filter, 1.0 / 60}, Case{"bdf2", ContactModel::filter, 1.0 / 60},
        Case{"tr-bdf2", ContactModel::filter, 1.0 / 60}, Case{"siere", ContactModel::filter, 1.0 / 60},
        Case{"semi-implicit-bdf2-ere", ContactModel::filter, 1.0 / 60},
        Case{"str-sbdf2-ere", ContactModel::filter, 1.0 / 120},
        Case{"exponential-rosenbrock-euler", ContactModel::filter, 1.0 / 120}})
    for (const double friction : {0.1, 0.3}) {
      SCOPED_TRACE(std::string(integrator) + ", " + std::string(info_of(model).id) + ", friction " +
                   std::to_string(friction) + ", h " + std::to_string(h) +
                   (points == ContactPoints::triangles ? ", triangles" : ""));
      Scene scene = loose_scene(integrator);
      scene.contact.model = model;
      scene.contact.points = points;
      scene.self_contact = false;
      scene.material.gravity = vec3(0.0);
      scene.material.stretch_stiffness = 1000;
      scene.material.bend_stiffness = 0;
      scene.material.rayleigh_mass = 2;
      scene.material.spring_damping = 0.5;
      scene.dt = h;
      scene.obstacles.bodies = {parse_obstacle("cylinder:0,0,-0.5,0,0,0.5,0.2")};
      scene.obstacles.friction = friction;
      Strip strip = strip_over(kOfCylinder + 1e-3);
      const std::uint32_t last = strip.particles - 2;
      scene.pins = VertexList(std::vector<std::uint32_t>{0, 1, last, last + 1});
      Simulation simulation(scene, built(std::move(strip.obj)), one_thread());
      const auto move_ends = [&](double first, double second, double duration) {
        MovePins move;
        for (const std::uint32_t i : {0U, 1U, last, last + 1})
          move.pins.push_back({i, simulation.state().x[i] + vec3(0, i < 2 ? first : second, 0)});
        move.duration = duration;
        simulation.apply(one_thread(), move);
        const int steps = static_cast<int>(std::lround(duration / scene.dt));
        ASSERT_EQ(run(simulation, steps), steps);
      };
      move_ends(-0.03, -0.03, 0.5);
      move_ends(0.015, -0.015, 0.75);
      double mean = 0;
      for (int k = 0; k < 24; ++k) {
        move_ends(0.001, -0.001, 0.05);
        mean += pull_on(simulation, last) / pull_on(simulation, 0) / 24;
      }
      const double euler = std::exp(friction * std::numbers::pi);
      EXPECT_NEAR(mean, euler, 0.03 * euler);
    }
}

}  // namespace
}  // namespace clothlab::testing
