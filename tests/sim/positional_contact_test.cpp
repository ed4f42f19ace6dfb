// SPDX-License-Identifier: MIT
// Contact of XPBD in positions, next to contact in velocities and to projecting twice. The sheets fall flat,
// so that no spring acts and each particle moves alone.

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <string>
#include <vector>

#include "sim/checkpoint.h"
#include "sim/loose_cloth.h"

namespace clothlab::testing {
namespace {

constexpr double kPull = 9.8, kSheetMass = 0.2, kFrame = 1.0 / 60;

constexpr double kByVelocity = 0, kByPosition = 1, kProjectTwice = 2;  // values of xpbd-contact

// A flat sheet at y = 0, in one substep per step.
Scene sheet_with(double contact, double substeps = 1) {
  Scene scene = loose_scene("xpbd");
  scene.integrator_parameters = {
      {"xpbd-contact", contact}, {"xpbd-iterations", 1}, {"xpbd-substeps", substeps}};
  scene.mesh = GridSource{3, 3, 0.2, 0.2};
  scene.dt = kFrame;
  scene.material.mass = kSheetMass;
  scene.material.gravity = vec3(0, -kPull, 0);
  scene.material.spring_damping = 0;
  return scene;
}

Scene dropped_on_floor(double height, double contact) {
  Scene scene = sheet_with(contact);
  scene.floor = {true, -height, 0};
  return scene;
}

// Free fall by steps v −= h g, y += h v reaches −H in the n-th step, the first with h² g n (n + 1)/2 ≥ H.
struct FirstImpact {
  int steps;
  double speed, depth;
};

FirstImpact impact_of(double height, double h) {
  const double fall = h * h * kPull;
  const int n = static_cast<int>(std::ceil((std::sqrt(1 + 8 * height / fall) - 1) / 2));
  return {n, n * h * kPull, fall * n * (n + 1) / 2 - height};
}

// d is between 0 and the displacement v h of the step, so that the rebound d/h is between 0 and v.
TEST(PositionalContact, ReturnsARandomPartOfTheSpeed) {
  constexpr int kHeights = 400;
  std::vector<double> returned;
  for (int k = 0; k < kHeights; ++k) {
    const double height = 0.1 + 0.4 * (k + 0.5) / kHeights;
    const auto [steps, speed, depth] = impact_of(height, kFrame);
    const Scene scene = dropped_on_floor(height, kByPosition);
    Simulation simulation(scene, mesh_of(scene), one_thread());
    ASSERT_EQ(run(simulation, steps), steps);
    const State& state = simulation.state();
    EXPECT_NEAR(state.v[4].y, -speed, 1e-12);
    EXPECT_NEAR(state.x[4].y + height, -depth, 1e-13);
    ASSERT_EQ(run(simulation, 1), 1);
    for (const vec3& v : state.v) ASSERT_NEAR(v.y, depth / kFrame, 1e-11) << height;
    for (const vec3& x : state.x) ASSERT_NEAR(x.y, -height, 1e-14);
    returned.push_back(state.v[4].y / speed);
    // It leaves freely.
    ASSERT_EQ(run(simulation, 1), 1);
    ASSERT_NEAR(state.v[4].y, std::max(depth / kFrame - kFrame * kPull, 0.0), 1e-11);
  }
  std::ranges::sort(returned);
  double sum = 0;
  for (const double e : returned) sum += e;
  if (tests_are_long())
    std::printf("restitution %.4f to %.4f, mean %.4f\n", returned.front(), returned.back(), sum / kHeights);
  EXPECT_LT(returned.front(), 0.01);
  EXPECT_GT(returned.back(), 0.99);
  EXPECT_LT(returned.back(), 1);
  EXPECT_NEAR(sum / kHeights, 0.5, 0.02);
  // Uniform: no part of [0, 1] has more than its share.
  for (int k = 0; k < kHeights; ++k) EXPECT_NEAR(returned.at(k), (k + 0.5) / kHeights, 0.05);
}

TEST(PositionalContact, ProjectedTwiceReturnsNothing) {
  for (int k = 0; k < 100; ++k) {
    const double height = 0.1 + 0.004 * (k + 0.5);
    const auto [steps, speed, depth] = impact_of(height, kFrame);
    for (const double contact : {kByVelocity, kProjectTwice}) {
      const Scene scene = dropped_on_floor(height, contact);
      Simulation simulation(scene, mesh_of(scene), one_thread());
      const State& state = simulation.state();
      ASSERT_EQ(run(simulation, steps), steps);
      // Found by its displacement, it stays outside.
      EXPECT_NEAR(state.x[4].y + height, contact == kByVelocity ? 0 : -depth, 1e-13) << contact;
      for (int after = 1; after < 20; ++after) {
        ASSERT_EQ(run(simulation, 1), 1);
        for (const vec3& v : state.v) ASSERT_NEAR(v.y, 0, 1e-13) << contact << ", " << height;
        for (const vec3& x : state.x) ASSERT_NEAR(x.y, -height, 1e-14) << contact;
      }
    }
  }
}

// In the step after the impact: contact has the work of an inelastic impact and of the lift by d, and the
// method adds ½ m (d/h)².
TEST(PositionalContact, AddsEnergyOfTheMethod) {
  for (const double height : {0.111, 0.2, 0.307, 0.45})
    for (const double contact : {kByPosition, kProjectTwice}) {
      const auto [steps, speed, depth] = impact_of(height, kFrame);
      const Scene scene = dropped_on_floor(height, contact);
      Simulation simulation(scene, mesh_of(scene), one_thread());
      ASSERT_EQ(run(simulation, steps), steps);
      EXPECT_EQ(simulation.record().ledger.contact, 0);
      const double before = simulation.record().energy.total;
      ASSERT_EQ(run(simulation, 1), 1);
      const EnergyLedger& of_step = simulation.record().ledger_of_step;
      const double lift = kPull * depth;
      const double left = contact == kByPosition ? 0.5 * std::pow(depth / kFrame, 2) : 0;
      const double impact = lift - 0.5 * speed * speed;
      ASSERT_LT(impact, 0);
      EXPECT_NEAR(of_step.contact, kSheetMass * impact, 1e-12) << contact << ", " << height;
      EXPECT_NEAR(of_step.method, kSheetMass * left, 1e-12) << contact << ", " << height;
      EXPECT_NEAR(simulation.record().energy.total - before, kSheetMass * (impact + left), 1e-12);
    }
}

// It leaves at d/h_s, with energy that the run reports.
TEST(PositionalContact, ThrowsUpWhatStartsInside) {
  constexpr double kDepth = 2e-3, kSubsteps = 10;
  const auto start = [](double contact) {
    Scene scene = sheet_with(contact, kSubsteps);
    scene.floor = {true, kDepth, 0};
    auto simulation = std::make_unique<Simulation>(scene, mesh_of(scene), one_thread());
    EXPECT_EQ(run(*simulation, 1), 1);
    return simulation;
  };
  const auto by_velocity = start(kByVelocity), twice = start(kProjectTwice), thrown = start(kByPosition);
  EXPECT_NEAR(by_velocity->state().v[4].y, 0, 1e-13);
  EXPECT_NEAR(twice->state().v[4].y, 0, 1e-13);
  EXPECT_NEAR(twice->state().x[4].y, kDepth, 1e-15);
  const double h_s = kFrame / kSubsteps, speed = kDepth / h_s, later = (kSubsteps - 1) * h_s;
  EXPECT_NEAR(thrown->state().v[4].y, speed - later * kPull, 1e-12);
  // The step lists the contact of its first substep, with the mean force.
  EXPECT_EQ(thrown->record().contacts.pairs, 9U);
  EXPECT_NEAR(thrown->record().contacts.push, kSheetMass * (speed + h_s * kPull) / kFrame, 1e-9);
  const EnergyLedger& ledger = thrown->record().ledger;
  EXPECT_EQ(ledger.contact, 0) << "a floor at rest does no work";
  EXPECT_GT(ledger.method, 0.98 * kSheetMass * speed * speed / 2);
  EXPECT_NEAR(ledger.method, thrown->record().energy.total, 1e-12);
  EXPECT_EQ(run(*thrown, 30), 30);
  const auto& notices = *thrown->notices().list();
  const auto gain = std::ranges::find(notices, NoticeCause::spurious_energy, &Notice::cause);
  ASSERT_NE(gain, notices.end());
  EXPECT_NE(gain->text.find("use --xpbd-contact velocity"), std::string::npos) << gain->text;
  EXPECT_EQ(run(*twice, 30), 30);
  EXPECT_FALSE(twice->notices().has(NoticeCause::spurious_energy));
}

// A draped sheet gains spurious energy in all of these, for other reasons in two of them.
TEST(PositionalContact, IsNamedByTheNoticeOnlyWhereItIsTheCause) {
  struct Expected {
    double contact;
    ContactModel model;
    int edge;  // of the grid
    bool is_named;
  };
  for (const auto& [contact, model, edge, is_named] : {Expected{kByPosition, ContactModel::filter, 20, true},
                                                       {kProjectTwice, ContactModel::filter, 20, false},
                                                       {kByPosition, ContactModel::penalty, 40, false}}) {
    Scene scene;
    scene.mesh = GridSource{edge, edge};
    scene.pins = PinPreset::none;
    scene.integrator = "xpbd";
    scene.integrator_parameters = {{"xpbd-contact", contact}};
    scene.dt = kFrame;
    scene.obstacles.bodies = {parse_obstacle("sphere:0.5,-0.4,0.5,0.3")};
    scene.contact.model = model;
    scene.contact.stiffness = 1e5;
    Simulation simulation(scene, mesh_of(scene), one_thread());
    ASSERT_EQ(run(simulation, 60), 60);
    const auto& notices = *simulation.notices().list();
    const auto gain = std::ranges::find(notices, NoticeCause::spurious_energy, &Notice::cause);
    ASSERT_NE(gain, notices.end()) << contact << ", " << edge;
    EXPECT_EQ(gain->text.find("--xpbd-contact") != std::string::npos, is_named) << gain->text;
  }
}

// At rest on a slope friction is at most μ times the correction along n, h² g cos θ in each step: the sheet
// sticks up to tan θ = μ, and slides with g (sin θ − μ cos θ).
TEST(PositionalContact, SticksAndSlidesOnASlopeAsCoulombsLawSays) {
  constexpr double kMu = 0.3;
  for (const double contact : {kByVelocity, kByPosition, kProjectTwice})
    for (const double of_limit : {0.9, 0.999, 1.001, 1.1, 2.0}) {
      const double slope = std::atan(of_limit * kMu);
      Scene scene = sheet_with(contact, 3);
      scene.material.gravity = kPull * vec3(std::sin(slope), -std::cos(slope), 0);
      scene.floor = {true, 0, kMu};
      Simulation simulation(scene, mesh_of(scene), one_thread());
      ASSERT_EQ(run(simulation, 30), 30);
      const double a = std::max(kPull * (std::sin(slope) - kMu * std::cos(slope)), 0.0);
      for (const vec3& v : simulation.state().v) {
        EXPECT_NEAR(v.x, a * 0.5, 1e-11) << contact << ", " << of_limit;
        EXPECT_NEAR(v.y, 0, 1e-12) << contact << ", " << of_limit;
      }
    }
}

// While the sheet slides all the time, friction has taken μ times the impulse of contact: at a time t that is
// m (g cos θ t + v_n). In the air v_n > 0 is more than a contact without a rebound needs.
TEST(PositionalContact, LandsOnASlopeWithTheFrictionOfItsRebound) {
  constexpr double kMu = 0.1, kSlope = 0.35, kHeight = 0.2;  // μ, [rad], [m]
  const double along = kPull * std::sin(kSlope), down = kPull * std::cos(kSlope);
  double largest = 0;
  for (const double contact : {kByPosition, kProjectTwice}) {
    Scene scene = sheet_with(contact);
    scene.material.gravity = vec3(along, -down, 0);
    scene.floor = {true, -kHeight, kMu};
    Simulation simulation(scene, mesh_of(scene), one_thread());
    bool landed = false;
    for (int k = 1; k <= 60; ++k) {
      ASSERT_EQ(run(simulation, 1), 1);
      const vec3& v = simulation.state().v[4];
      landed = landed || v.y > -k * kFrame * down + 1e-9;
      const double pushed = landed ? k * kFrame * down + v.y : 0;
      ASSERT_NEAR(v.x, k * kFrame * along - kMu * pushed, 1e-11) << contact << ", step " << k;
      if (landed) largest = std::max(largest, v.y);
    }
    EXPECT_TRUE(landed);
    if (contact == kByPosition) {
      EXPECT_GT(largest, 0.1) << "it has left the slope";
    }
  }
}

// A floor that rises: velocities are relative to it.
TEST(PositionalContact, IsRelativeToAMovingSurface) {
  constexpr double kSpeed = 0.3, kGap = 0.0212;
  for (const double contact : {kByPosition, kProjectTwice}) {
    Scene scene = sheet_with(contact);
    scene.material.gravity = vec3(0);
    Obstacle plane = parse_obstacle("plane:0,1,0," + std::to_string(-kGap));
    plane.path.keys = {{0, vec3(0), vec3(0)}, {1, vec3(0, kSpeed, 0), vec3(0)}};
    scene.obstacles.bodies = {plane};
    scene.obstacles.friction = 0;
    Simulation simulation(scene, mesh_of(scene), one_thread());
    const State& state = simulation.state();
    double before = 0, largest = 0;
    for (int k = 0; k < 12; ++k) {
      const double inside = k * kFrame * kSpeed - kGap - state.x[4].y;
      ASSERT_EQ(run(simulation, 1), 1);
      const double expected = inside <= 1e-9             ? before
                              : contact == kProjectTwice ? kSpeed
                                                         : inside / kFrame + kSpeed;
      ASSERT_NEAR(state.v[4].y, expected, 1e-9) << contact << ", step " << k;
      // The body has the work of an inelastic impact; the method adds the rest.
      const bool hits = inside > 1e-9 && before < kSpeed;
      const double of_body = hits ? kSpeed * kSpeed - before * before : 0;
      const double gained = expected * expected - before * before;
      const EnergyLedger& of_step = simulation.record().ledger_of_step;
      ASSERT_NEAR(of_step.contact, kSheetMass / 2 * of_body, 1e-9) << contact << ", step " << k;
      ASSERT_NEAR(of_step.method, kSheetMass / 2 * (gained - of_body), 1e-9) << contact << ", step " << k;
      before = state.v[4].y;
      largest = std::max(largest, before);
    }
    EXPECT_GT(largest, contact == kProjectTwice ? 0.99 * kSpeed : 1.1 * kSpeed);
  }
}

// A tilted sheet on a ball and the floor, with 1, 2 and 4 threads and restarted.
TEST(PositionalContact, HasTheSameBitsForAllThreadsAndRestarted) {
  for (const double contact : {kByPosition, kProjectTwice}) {
    Scene scene;
    scene.integrator = "xpbd";
    scene.integrator_parameters = {{"xpbd-contact", contact}};
    scene.mesh = GridSource{40, 40, 0.4, 0.4};
    scene.pins = PinPreset::none;
    scene.dt = kFrame;
    scene.floor = {true, -0.15, 0.3};
    scene.obstacles.bodies = {parse_obstacle("sphere:0.2,-0.11,0.2,0.1")};
    const auto mesh = mesh_of(scene);
    Simulation simulation(scene, mesh, one_thread());
    ASSERT_EQ(run(simulation, 15), 15);
    Checkpoint middle;
    simulation.save(one_thread(), middle);
    ASSERT_EQ(run(simulation, 15), 15);
    EXPECT_FALSE(simulation.contacts(one_thread()).empty());
    for (const unsigned threads : {2U, 4U}) {
      WorkerPool pool(threads);
      Simulation other(scene, mesh, pool), resumed(middle, mesh, pool);
      ASSERT_EQ(run(other, 30, pool), 30);
      ASSERT_EQ(run(resumed, 15, pool), 15);
      EXPECT_TRUE(same_bits(other.state(), simulation.state())) << contact << ", " << threads;
      EXPECT_TRUE(same_bits(resumed.state(), simulation.state())) << contact << ", " << threads;
    }
  }
}

}  // namespace
}  // namespace clothlab::testing
