// SPDX-License-Identifier: MIT
// Seams against theory: the motion of two bodies, the ledger and the orders of methods; contact across a
// seam, files and refusals.

#include <cmath>
#include <glm/geometric.hpp>

#include "mesh/obj_reader.h"
#include "mesh/obj_writer.h"
#include "sim/checkpoint.h"
#include "sim/contact.h"
#include "sim/scene_json.h"
#include "sim/support.h"

namespace clothlab::testing {
namespace {

/// One triangle above another, sewn at all three corners. Both move without deformation, by symmetry.
constexpr const char* kTriangles = "v 0 0 0\nv 1 0 0\nv 0 0 1\nv 0 1 0\nv 1 1 0\nv 0 1 1\nf 1 2 3\nf 4 5 6\n";
constexpr double kSeconds = 0.5, kStiffness = 50, kMass = 0.1;  // of a particle [kg]

Scene two_triangles() {
  return parse_scene(
      R"({"clothlab-scene": 5, "mesh": {"file": "two.obj"}, "pin": "none", "gravity": [0, 0, 0],
    "mass": 0.6, "spring-damping": 0, "self-contact": false, "stretch-stiffness": 50,
    "seams": [{"pairs": [[0, 3], [1, 4], [2, 5]], "seconds": 0.5}]})",
      "scene");
}

std::unique_ptr<Simulation> started(const Scene& scene, const std::string& obj = kTriangles) {
  return std::make_unique<Simulation>(scene, built(parse_obj(obj, "two"), scene), one_thread());
}

double gap(const Simulation& simulation) {
  return glm::distance(simulation.state().x[0], simulation.state().x[3]);
}

/// The gap of two masses m and a seam between them while it is above 0: m/2 l'' = −k (l − L(t)),
/// L = 1 − 3 s² + 2 s³, s = t/T. With ω² = 2 k/m a particular solution is L − L''/ω², since L'''' = 0.
double exact_gap(double t) {
  const double T = kSeconds, square = 2 * kStiffness / kMass, omega = std::sqrt(square);
  const auto particular = [&](double s) { return 1 - s * s * (3 - 2 * s) + (6 - 12 * s) / (T * T * square); };
  const double a = 1 - particular(0), b = 12 / (T * T * T * square * omega);
  return particular(t / T) + a * std::cos(omega * t) + b * std::sin(omega * t);
}

TEST(Seam, FollowsTheExactSolutionWithTheOrderOfTheMethod) {
  constexpr double kEnd = 0.8 * kSeconds;  // later the gap reaches 0
  for (const IntegratorInfo& info : tried_integrators()) {
    Scene scene = two_triangles();
    scene.integrator = info.id;
    if (!supports_seams(scene, info)) continue;
    scene.solver.jacobian = JacobianMode::exact;
    scene.solver.newton_tolerance = 1e-10;
    scene.solver.linear.cg.tolerance = 1e-12;
    if (info.growth_of_slow_modes != nullptr) scene.integrator_parameters["modes"] = 0;
    const auto largest_error = [&](int steps) {
      scene.dt = kEnd / steps;
      auto simulation = started(scene);
      double largest = 0;
      for (int k = 0; k < steps; ++k) {
        EXPECT_EQ(simulation->step(one_thread()), StepStatus::done) << info.id;
        largest = std::max(largest, std::abs(gap(*simulation) - exact_gap(simulation->state().t)));
      }
      return largest;
    };
    const double coarse = largest_error(300), fine = largest_error(600);
    EXPECT_LT(fine, 0.02) << info.id;
    // The length is constant within a step: no order is above 2.
    const int order = std::min(2, info.order == 0 ? 1 : info.order);
    EXPECT_GT(std::log2(coarse / fine), order - 0.15) << info.id << ": " << coarse << ", " << fine;
  }
}

// The midpoint rule conserves quadratic energy, and the springs are linear along their line.
TEST(Seam, ShorteningIsTheOnlyWorkOfTheLedger) {
  Scene scene = two_triangles();
  scene.integrator = "implicit-midpoint";
  scene.solver.newton_tolerance = 1e-13;
  scene.solver.linear.cg.tolerance = 1e-13;
  auto simulation = started(scene);
  double most = 0;
  for (int k = 0; k < 90; ++k) {
    ASSERT_EQ(simulation->step(one_thread()), StepStatus::done);
    most = std::max(most, simulation->record().energy.total);
  }
  const StepRecord& record = simulation->record();
  EXPECT_GT(most, 0.1);
  EXPECT_NEAR(record.ledger.drivers, record.energy.total, 1e-11 * most);
  EXPECT_NEAR(record.ledger.method, 0, 1e-11 * most);
  EXPECT_NEAR(record.ledger.sum(), record.energy.total, 1e-14 * most);
  EXPECT_EQ(record.ledger.jump, 0);
}

TEST(Seam, ClosesWithDampingAndLosesItsEnergyToIt) {
  Scene scene = two_triangles();
  scene.material.spring_damping = 2;
  auto simulation = started(scene);
  ASSERT_EQ(run(*simulation, 30), 30);  // 0.5 s
  EXPECT_LT(gap(*simulation), 0.3);
  ASSERT_EQ(run(*simulation, 150), 150);
  EXPECT_LT(gap(*simulation), 1e-6);
  EXPECT_LT(simulation->record().ledger.damping, 0);
  const SeamGaps gaps = seam_gaps(simulation->seams(), simulation->state().x);
  EXPECT_EQ(gaps.pairs, 3U);
  EXPECT_EQ(gaps.open, 0U);
  EXPECT_DOUBLE_EQ(gaps.closed_at, kSeconds);
}

TEST(Seam, ContinuesFromFilesAndCheckpointsWithTheSameBits) {
  for (const char* integrator : {"semi-implicit-euler", "bdf2", "velocity-verlet"}) {
    Scene scene = two_triangles();
    scene.integrator = integrator;
    scene.substeps = 3;
    EXPECT_EQ(parse_scene(write_scene(scene), "again").seams, scene.seams);
    auto simulation = started(parse_scene(write_scene(scene), "again"));
    ASSERT_EQ(run(*simulation, 10), 10);
    Checkpoint moment;
    simulation->save(one_thread(), moment);
    WorkerPool three(3);
    Simulation later(through_numbers(moment), simulation->shared_mesh(), three);
    ASSERT_EQ(run(*simulation, 30), 30);
    ASSERT_EQ(run(later, 30, three), 30);
    EXPECT_TRUE(same_bits(simulation->state(), later.state())) << integrator;
    EXPECT_EQ(simulation->record().ledger.drivers, later.record().ledger.drivers) << integrator;
  }
}

TEST(Seam, AdaptiveStepsRepeatWithTheLengthsOfTheirStart) {
  Scene scene = two_triangles();
  scene.material.stretch_stiffness = 500;
  scene.dt = 0.1;
  scene.seams[0].pairs = {{0, 3}};  // so that the springs of the triangles are strained
  scene.seams[0].seconds = 0.1;
  scene.adaptive = true;
  scene.max_strain = 0.02;
  auto simulation = started(scene);
  ASSERT_EQ(run(*simulation, 5), 5);
  EXPECT_LT(simulation->record().h, 0.1);
  const StepRecord& record = simulation->record();
  EXPECT_NEAR(record.ledger.sum(), record.energy.total, 1e-12 * record.ledger.drivers);
}

// Cloth that lies on itself: its edges are sewn together though contact keeps the rest apart.
TEST(Seam, IsNotKeptOpenByTheThicknessOfTheCloth) {
  for (const char* contact : {"impulse", "penalty", "barrier"}) {
    Scene scene = parse_scene(R"({"clothlab-scene": 5, "mesh": {"file": "two.obj"}, "pin": "none",
      "gravity": [0, 0, 0], "mass": 0.02, "spring-damping": 0.05, "thickness": 0.01, "contact-distance": 0.01,
      "stretch-stiffness": 100, "seam-seconds": 0.3, "contact": ")" +
                                  std::string(contact) + "\"}",
                              "scene");
    // Two sheets of 5 × 5, 8 cm apart, sewn along x = 0.
    std::string obj;
    for (const double y : {0.0, 0.08})
      for (int r = 0; r < 5; ++r)
        for (int c = 0; c < 5; ++c)
          obj +=
              "v " + std::to_string(0.1 * c) + " " + std::to_string(y) + " " + std::to_string(0.1 * r) + "\n";
    for (const int base : {1, 26})
      for (int r = 0; r < 4; ++r)
        for (int c = 0; c < 4; ++c) {
          const int i = base + 5 * r + c;
          obj += "f " + std::to_string(i) + " " + std::to_string(i + 1) + " " + std::to_string(i + 6) + " " +
                 std::to_string(i + 5) + "\n";
        }
    for (int r = 0; r < 5; ++r)
      obj += "l " + std::to_string(1 + 5 * r) + " " + std::to_string(26 + 5 * r) + "\n";
    auto simulation = started(scene, obj);
    ASSERT_EQ(simulation->seams().size(), 5U);
    ASSERT_EQ(run(*simulation, 120), 120) << contact;
    const std::vector<vec3>& x = simulation->state().x;
    EXPECT_LT(seam_gaps(simulation->seams(), x).largest, 1e-3) << contact;
    for (const std::size_t i : {4U, 9U, 14U, 19U, 24U})  // the free sides are apart
      EXPECT_GT(glm::distance(x[i], x[i + 25]), 0.005) << contact;
    EXPECT_EQ(find_intersections(one_thread(), simulation->mesh(), x, {}, simulation->joined()).pairs, 0U)
        << contact;
  }
}

TEST(Seam, LineElementsOfTheMeshAreSewnOnRequest) {
  const std::string obj = std::string(kTriangles) + "l 1 4 # a sewing spring\nl 2 -2 6\nl 3 3\n";
  const ObjMesh mesh = parse_obj(obj, "two");
  const std::vector<std::array<std::uint32_t, 2>> lines{{0, 3}, {1, 4}, {4, 5}, {2, 2}};
  EXPECT_EQ(mesh.lines, lines);
  EXPECT_EQ(parse_obj(obj_text(mesh), "again").lines, lines);
  Scene scene = two_triangles();
  scene.seams.clear();
  EXPECT_TRUE(started(scene, obj)->seams().empty());
  scene.seam_seconds = 2;
  const auto sewn = started(scene, obj);
  ASSERT_EQ(sewn->seams().size(), 3U) << "a line from a vertex to itself is none";
  EXPECT_EQ(sewn->seams()[1].j, 4U);
  EXPECT_EQ(sewn->seams()[1].length, 1);
  EXPECT_EQ(sewn->seams()[1].seconds, 2);
  // A change in a run takes effect at once, and its energy is a jump.
  sewn->apply(one_thread(), SetParameter{"seam-seconds", 0});
  EXPECT_TRUE(sewn->seams().empty());
  EXPECT_TRUE(sewn->joined().empty());

  EXPECT_EQ(refusal([&] { parse_obj(std::string(kTriangles) + "l 1\n", "two"); }),
            "two:9: a line element ('l') needs at least 2 points");
  EXPECT_EQ(refusal([&] { parse_obj(std::string(kTriangles) + "l 1 7\n", "two"); }),
            "two:9: a line element has the vertex index 7, which is out of range; the file has 6");
}

TEST(Seam, RefusesWhatItCannotSew) {
  Scene scene = two_triangles();
  scene.seams[0].pairs.push_back({0, 6});
  EXPECT_EQ(refusal([&] { started(scene); }), "A seam: there is no vertex 6; the mesh has vertices 0 to 5.");
  scene = two_triangles();
  scene.integrator = "xpbd";
  EXPECT_NE(refusal([&] { started(scene); }).find("cannot sew"), std::string::npos);
  const auto refused = [](const std::string& seams) {
    return refusal([&] { parse_scene("{\"clothlab-scene\": 5, \"seams\": " + seams + "}", "s"); });
  };
  EXPECT_NE(refused("[{\"pairs\": [[0]]}]").find("list of pairs"), std::string::npos);
  EXPECT_NE(refused("[{\"pairs\": [[0, -1]]}]").find("list of pairs"), std::string::npos);
  EXPECT_NE(refused("[{\"pairs\": [], \"seconds\": -1}]").find("seconds"), std::string::npos);
  EXPECT_NE(refused("[{\"seconds\": 1}]").find("pairs"), std::string::npos);
  EXPECT_NE(refused("[[0, 1]]").find("seams"), std::string::npos);
}

}  // namespace
}  // namespace clothlab::testing
