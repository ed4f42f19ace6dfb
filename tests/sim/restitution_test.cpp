// SPDX-License-Identifier: MIT
// Newton's impact law with Coulomb friction: sheets that fall flat, so that no spring acts, and reach a
// surface with all particles at once.

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <limits>
#include <string>
#include <vector>

#include "contact/contact_pair.h"
#include "sim/checkpoint.h"
#include "sim/contact.h"
#include "sim/loose_cloth.h"
#include "sim/scene_json.h"

namespace clothlab::testing {
namespace {

constexpr double kGravity = 9.8, kMass = 0.2, kHeight = 0.307, kStep = 1.0 / 240;
const double kSpeed = std::sqrt(2 * kGravity * kHeight);  // at the floor
constexpr auto kOf = [](const auto& of) {
  std::string name(of.param.id);
  std::ranges::replace(name, '-', '_');
  return name;
};

// A flat sheet at this height above the floor.
Scene falling(std::string_view integrator, double e, double height = kHeight, const vec3& v = vec3(0)) {
  Scene scene = loose_scene(integrator);
  scene.mesh = GridSource{3, 3, 0.2, 0.2};
  scene.dt = kStep;
  scene.floor = {true, 0, 0};
  scene.material.mass = kMass;
  scene.material.spring_damping = 0;
  scene.solver.newton_tolerance = 1e-10;
  scene.solver.linear.cg.tolerance = 1e-10;
  scene.contact.restitution = e;
  const auto mesh = mesh_of(scene);
  InitialState start{mesh->positions, std::vector<vec3>(mesh->positions.size(), v)};
  for (vec3& x : start.positions) x.y = height;
  scene.initial_state = start;
  return scene;
}

struct Bounces {
  std::vector<double> tops;  // height after each impact that returns a velocity [m]
  double largest_energy = 0, contact = 0,
         largest_contact = -kInfinity;  // contact: work, also of one step [J]
};

Bounces bounces(Simulation& simulation, int steps, std::size_t most = 1000) {
  Bounces of;
  of.largest_energy = simulation.record().energy.total;
  bool rises = false;
  for (int k = 0; k < steps; ++k) {
    const double before = simulation.state().v[4].y;
    EXPECT_EQ(run(simulation, 1), 1);
    const vec3 &x = simulation.state().x[4], &v = simulation.state().v[4];
    if (before < 0 && v.y > 0) {
      if (of.tops.size() == most) break;
      of.tops.push_back(x.y);
      rises = true;
    }
    if (rises) of.tops.back() = std::max(of.tops.back(), x.y);
    if (v.y <= 0) rises = false;
    of.largest_energy = std::max(of.largest_energy, simulation.record().energy.total);
    of.contact = simulation.record().ledger.contact;
    of.largest_contact = std::max(of.largest_contact, simulation.record().ledger_of_step.contact);
  }
  return of;
}

// Explicit Euler gains energy in free fall.
void expect_no_gain_noticed(const Simulation& simulation) {
  if (simulation.scene().integrator == "explicit-euler") return;
  EXPECT_FALSE(simulation.notices().has(NoticeCause::spurious_energy));
  EXPECT_FALSE(simulation.notices().has(NoticeCause::gain_in_step));
}

class Restitution : public ::testing::TestWithParam<IntegratorInfo> {
 protected:
  const std::string id{GetParam().id};
  // Euler's methods fall and rise by parabolas whose energy is off by m g v h/2.
  const double first_order = GetParam().order >= 2 && !GetParam().inextensible ? 0 : 1;
  // Explicit Euler knows a displacement one step before it is made: the sheet turns above the floor.
  const double early = GetParam().id == "explicit-euler" ? 1 : 0;
};

// The step of the impact begins with the speed a at a height d ≤ (1 + early) a h, with
//   |a²/2 + g d − g H| ≤ first_order g a h/2,
// and ends with the speed e a at the floor, early below a h. From there the sheet rises by e² a²/(2g), by
// Euler's methods up to e a h/2 less or more. The last steps before the floor and the sampling of the top add
// g h².
TEST_P(Restitution, AFallReturnsESquaredOfItsHeight) {
  for (const double e : {0.5, 0.8, 1.0})
    for (const double h : {1.0 / 60, kStep, 1.0 / 1000}) {
      const double step = (kSpeed + kGravity * h) * h, rounding = 2 * kGravity * h * h;
      const double of_method = first_order * (e * e + e) / 2 * step;
      Scene scene = falling(id, e);
      scene.dt = h;
      Simulation simulation(scene, mesh_of(scene), one_thread());
      const Bounces found = bounces(simulation, static_cast<int>(1 / h), 1);
      ASSERT_EQ(found.tops.size(), 1U) << e << ", " << h;
      EXPECT_GT(found.tops[0], e * e * (kHeight - (1 + early) * step) - of_method - rounding)
          << e << ", " << h;
      EXPECT_LT(found.tops[0], e * e * kHeight + early * step + of_method + rounding) << e << ", " << h;
    }
}

TEST_P(Restitution, IsZeroByDefault) {
  const Scene scene = falling(id, 0);
  Simulation simulation(scene, mesh_of(scene), one_thread());
  EXPECT_TRUE(bounces(simulation, 200).tops.empty());
}

// The n-th impact has at most the speed V eⁿ⁻¹, and returns a velocity while that is more than 2 h g. It has
// less because each impact loses O(h).
TEST_P(Restitution, BouncesEndAtRest) {
  for (const double e : {0.3, 0.5, 0.8}) {
    const Scene scene = falling(id, e);
    Simulation simulation(scene, mesh_of(scene), one_thread());
    const double returned = 1 + std::log(2 * kStep * kGravity / kSpeed) / std::log(e);
    const double duration = kSpeed / kGravity * (1 + 2 * e / (1 - e));
    const Bounces found = bounces(simulation, static_cast<int>((duration + 0.1) / kStep));
    EXPECT_LE(static_cast<double>(found.tops.size()), returned + 1 + early) << e;
    EXPECT_GE(static_cast<double>(found.tops.size()), returned / 2) << e;
    for (std::size_t k = 1; k < found.tops.size(); ++k) EXPECT_LT(found.tops[k], found.tops[k - 1]) << e;
    EXPECT_LE(found.largest_contact, 0) << e;
    expect_no_gain_noticed(simulation);
    for (std::size_t i = 0; i < simulation.state().x.size(); ++i) {
      EXPECT_NEAR(simulation.state().x[i].y, 0, 1e-9) << e;
      EXPECT_NEAR(simulation.state().v[i].y, 0, 1e-9) << e;
    }
  }
}

// An impact loses the energy of gravity that the rest of its fall, up to two steps, would have released.
TEST_P(Restitution, OfOneKeepsTheEnergyAndNeverGains) {
  constexpr double kBounces = 4;
  const Scene scene = falling(id, 1);
  Simulation simulation(scene, mesh_of(scene), one_thread());
  const double start = simulation.record().energy.total, step = (kSpeed + kGravity * kStep) * kStep;
  const Bounces found = bounces(simulation, 2000, static_cast<std::size_t>(kBounces));
  ASSERT_EQ(static_cast<double>(found.tops.size()), kBounces);
  EXPECT_LE(found.largest_contact, 1e-12);
  const double impacts = kBounces + 1;
  EXPECT_GT(found.contact, -impacts * 2 * kMass * kGravity * step);
  if (id != "explicit-euler") {
    EXPECT_LE(found.largest_energy, start + 1e-9 * kMass * kGravity * kHeight);
  }
  expect_no_gain_noticed(simulation);
}

// The total push is m ((1 + e) a + g h), a within 2 g h of the speed at the floor.
TEST_P(Restitution, ObliqueImpactsHaveCoulombFriction) {
  for (const double e : {0.5, 1.0})
    for (const double friction : {0.0, 0.3, 2.0})
      for (const double height : {0.100, 0.104, 0.108, 0.112}) {
        const vec3 before(3, -3, 1);
        Scene scene = falling(id, e, height, before);
        scene.floor.friction = friction;
        Simulation simulation(scene, mesh_of(scene), one_thread());
        const double start = simulation.record().energy.total;
        bool hit = false;
        for (int k = 0; k < 40 && !hit; ++k) {
          ASSERT_EQ(run(simulation, 1), 1);
          hit = simulation.state().v[0].y > 0;
          // Midpoint, trapezoidal rule and others may reverse the slip where μ is large, also with e = 0.
          for (const ContactPair& pair : simulation.contacts(one_thread()))
            if (friction < 1) {
              EXPECT_LE(glm::dot(pair.friction, simulation.state().v[pair.particle]), 1e-12);
            }
          const StepRecord& record = simulation.record();
          const double scale = std::max(record.energy.kinetic, std::abs(record.energy.gravity));
          EXPECT_NEAR(start + record.ledger.sum(), record.energy.total, 1e-13 * scale);
          EXPECT_LE(record.ledger_of_step.contact, 1e-12);
        }
        ASSERT_TRUE(hit);
        const double falls = std::sqrt(9 + 2 * kGravity * height), along = std::hypot(before.x, before.z);
        const vec3 v = simulation.state().v[0];
        const double off = (2 * (1 + e) + 1) * kGravity * kStep;
        EXPECT_NEAR(v.y, e * falls, off);
        EXPECT_NEAR(std::hypot(v.x, v.z), std::max(along - friction * (1 + e) * falls, 0.0),
                    friction * off + 1e-6)
            << e << ", " << friction << ", " << height;
      }
}

// Without gravity, onto a surface that rises at u: v = (1 + e) u. The impulse is m (1 + e) u, its work that
// of the surface, m (1 + e) u², less what the impact loses, m (1 − e²) u²/2.
TEST_P(Restitution, AMovingBodyReturnsTheRelativeVelocity) {
  constexpr double kRises = 1.5;
  for (const double e : {0.4, 1.0}) {
    Scene scene = falling(id, e, 0.0521);
    scene.floor.on = false;
    scene.material.gravity = vec3(0);
    Obstacle box = parse_obstacle("box:0.1,-0.05,0.1,1,0.1,1");
    box.path.keys = {{0, vec3(0), vec3(0)}, {1, vec3(0, kRises, 0), vec3(0)}};
    scene.obstacles.bodies = {box};
    Simulation simulation(scene, mesh_of(scene), one_thread());
    BodyContact sum;
    for (int k = 0; k < 30; ++k) {
      ASSERT_EQ(run(simulation, 1), 1);
      sum.normal_impulse += simulation.body_contacts().of(1).normal_impulse;
      sum.work_motion += simulation.body_contacts().of(1).work_motion;
    }
    for (const vec3& v : simulation.state().v)
      EXPECT_NEAR(glm::distance(v, vec3(0, (1 + e) * kRises, 0)), 0, 1e-6) << e;
    EXPECT_NEAR(sum.normal_impulse, kMass * (1 + e) * kRises, 1e-6) << e;
    EXPECT_NEAR(sum.work_motion, kMass * (1 + e) * kRises * kRises, 1e-6) << e;
    const double energy = kMass * std::pow((1 + e) * kRises, 2) / 2;
    EXPECT_NEAR(simulation.record().ledger.contact, energy, 1e-6 * energy) << e;
    expect_no_gain_noticed(simulation);
  }
}

INSTANTIATE_TEST_SUITE_P(Each, Restitution, ::testing::ValuesIn(tried_integrators()), kOf);

// A speck of cloth on the flank of a large ball. Its normals differ by 1 mrad, and by the displacement of the
// step.
TEST(RestitutionOfShapes, ABallReflects) {
  for (const IntegratorInfo& info : tried_integrators()) {
    Scene scene = falling(info.id, 0.8, 0);
    scene.mesh = GridSource{3, 3, 1e-3, 1e-3};
    scene.dt = 1e-3;
    scene.material.gravity = vec3(0);
    scene.floor.on = false;
    scene.obstacles.bodies = {parse_obstacle("sphere:0,0,0,1")};
    scene.obstacles.friction = 0;
    const auto mesh = mesh_of(scene);
    const vec3 n(0.6, 0.8, 0), v(0.5, -4, 1);
    scene.initial_state = InitialState{mesh->positions, std::vector<vec3>(9, v)};
    for (vec3& x : scene.initial_state->positions) x += 1.01 * n - vec3(5e-4, 0, 5e-4);
    Simulation simulation(scene, mesh, one_thread());
    ASSERT_EQ(run(simulation, 20), 20);
    const vec3 mean = momentum_of(simulation) / kMass, hit = v - 1.8 * glm::dot(v, n) * n;
    // The point of the impact is up to 0.01 |v_t/v_n| + |v_t| h away.
    EXPECT_NEAR(glm::distance(mean, hit), 0, 2 * 1.8 * glm::length(v) * 0.015) << info.id;
  }
}

// In an acute and an obtuse groove, and in a corner: e = 1 never gains.
TEST(RestitutionOfShapes, SeveralSurfacesAtOnceGainNothing) {
  for (const double slope : {0.2, 0.5, 1.0, 2.0})
    for (const double along : {0.0, -1.0})
      for (const double friction : {0.0, 0.4}) {
        Scene scene = falling("semi-implicit-euler", 1, 0);
        scene.mesh = GridSource{3, 3, 1e-4, 1e-4};
        scene.dt = 1e-3;
        scene.material.gravity = vec3(0);
        scene.floor.on = false;
        scene.obstacles.friction = friction;
        for (const double side : {1.0, -1.0}) {
          Obstacle plane;
          plane.shape = Obstacle::Shape::plane;
          plane.normal = vec3(side * slope, 1, 0);
          scene.obstacles.bodies.push_back(plane);
        }
        const auto mesh = mesh_of(scene);
        scene.initial_state = InitialState{mesh->positions, std::vector<vec3>(9, vec3(along, -3, 0.2))};
        for (vec3& x : scene.initial_state->positions) x += vec3(0, 2e-3, 0);
        Simulation simulation(scene, mesh, one_thread());
        const double start = simulation.record().energy.kinetic;
        for (int k = 0; k < 10; ++k) {
          ASSERT_EQ(run(simulation, 1), 1);
          EXPECT_LE(simulation.record().ledger_of_step.contact, 1e-12) << slope << ", " << friction;
        }
        EXPECT_LE(simulation.record().energy.total, 1.0001 * start) << slope << ", " << friction;
        EXPECT_GT(simulation.record().energy.kinetic, friction > 0 ? 0 : 0.9 * start) << slope;
      }
}

// Contact by impulses uses e for particles on bodies, at its thickness.
TEST(RestitutionOfShapes, ImpulsesUseItOnBodies) {
  for (const char* id : {"semi-implicit-euler", "bdf2", "rk4", "xpbd"})
    for (const bool box : {false, true}) {
      Scene scene = falling(id, 0.7);
      scene.contact.model = ContactModel::impulse;
      if (box) {
        scene.floor.on = false;
        scene.obstacles.bodies = {parse_obstacle("box:0.1,-0.05,0.1,1,0.1,1")};
      }
      Simulation simulation(scene, mesh_of(scene), one_thread());
      const double level = simulation.contact().thickness();
      const Bounces found = bounces(simulation, 200, 1);
      ASSERT_EQ(found.tops.size(), 1U) << id;
      const double fallen = kHeight - level, step = (kSpeed + kGravity * kStep) * kStep;
      EXPECT_NEAR(found.tops[0] - level, 0.49 * fallen, (0.49 + 0.6) * step + 2 * kGravity * kStep * kStep)
          << id;
    }
}

// Slow impacts return nothing, so that draped cloth comes to rest as it does with e = 0.
TEST(RestitutionOfShapes, DrapedClothComesToRest) {
  const auto speed = [](double e) {
    Scene scene = loose_scene("semi-implicit-euler");
    scene.mesh = GridSource{15, 15, 0.4, 0.4};
    scene.dt = 1.0 / 120;
    scene.contact.restitution = e;
    scene.material.rayleigh_mass = 2;
    scene.obstacles.bodies = {parse_obstacle("sphere:0.2,-0.25,0.2,0.15")};
    scene.obstacles.friction = 1;
    scene.floor = {true, -0.4, 0.5};
    Simulation simulation(scene, mesh_of(scene), one_thread());
    EXPECT_EQ(run(simulation, 600), 600);
    double largest = 0;
    for (const vec3& v : simulation.state().v) largest = std::max(largest, glm::length(v));
    return largest;
  };
  EXPECT_LT(speed(0), 1e-3);
  EXPECT_LT(speed(0.8), 1e-3);
}

TEST(RestitutionOfRuns, ContinuesFromACheckpointWithTheSameBits) {
  for (const char* id : kRewound) {
    Scene scene = falling(id, 0.8, 0.02, vec3(1, -1, 0));
    scene.floor.friction = 0.2;
    scene.substeps = 2;
    const auto mesh = mesh_of(scene);
    Simulation simulation(scene, mesh, one_thread());
    std::vector<Checkpoint> saved(30);
    for (Checkpoint& checkpoint : saved) {
      simulation.save(one_thread(), checkpoint);
      ASSERT_EQ(run(simulation, 1), 1);
    }
    EXPECT_LT(bounces(simulation, 10).tops.size(), 2U);
    for (const Checkpoint& checkpoint : saved) {
      Simulation resumed(checkpoint, mesh, one_thread());
      ASSERT_EQ(run(resumed, static_cast<int>(40 - checkpoint.record.step)),
                static_cast<int>(40 - checkpoint.record.step));
      EXPECT_TRUE(same_bits(resumed.state(), simulation.state()))
          << id << ", step " << checkpoint.record.step;
    }
  }
}

TEST(RestitutionOfRuns, ACommandChangesTheNextBounce) {
  const Scene scene = falling("bdf2", 0);
  Simulation simulation(scene, mesh_of(scene), one_thread());
  ASSERT_EQ(run(simulation, 5), 5);
  simulation.apply(one_thread(), SetParameter{"restitution", 0.5});
  const Bounces found = bounces(simulation, 100, 1);
  ASSERT_EQ(found.tops.size(), 1U);
  EXPECT_NEAR(found.tops[0], kHeight / 4, kSpeed * kStep);
}

TEST(RestitutionOfScenes, IsAFieldFromZeroToOne) {
  Scene scene;
  set_parameter(scene, "restitution", 0.35);
  EXPECT_EQ(scene.contact.restitution, 0.35);
  const std::string text = write_scene(scene);
  EXPECT_EQ(parse_scene(text, "scene"), scene);
  const std::size_t at = text.find("  \"restitution\"");
  ASSERT_NE(at, std::string::npos) << text;
  std::string older = text;
  older.erase(at, older.find('\n', at) + 1 - at);
  EXPECT_EQ(parse_scene(older, "scene").contact.restitution, 0);
  for (const double bad : {-0.1, 1.5, std::numeric_limits<double>::quiet_NaN()}) {
    const std::string message = refusal([&] { set_parameter(scene, "restitution", bad); });
    EXPECT_TRUE(message.starts_with("restitution: ")) << message;
    EXPECT_TRUE(message.ends_with("is not allowed; it must be a number from 0 to 1.")) << message;
  }
}

}  // namespace
}  // namespace clothlab::testing
