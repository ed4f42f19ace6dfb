// SPDX-License-Identifier: MIT
// What a run reports: each cause once, in its checkpoints, and found by whoever reads along.

#include "sim/notice.h"

#include <gmock/gmock.h>

#include "sim/checkpoint.h"
#include "sim/loose_cloth.h"
#include "sim/mesh_notices.h"
#include "sim/support.h"

namespace clothlab::testing {
namespace {

using ::testing::ElementsAre, ::testing::Field, ::testing::IsEmpty;

/// One CG iteration per step is too few for cloth that is pulled down by its weight.
Scene never_converging() {
  Scene scene;
  scene.mesh = GridSource{10, 10, 1, 1};
  scene.solver.linear.cg.max_iterations = 1;
  scene.solver.linear.cg.tolerance = 1e-12;
  return scene;
}

TEST(NoticeLog, KeepsEachCauseOnce) {
  NoticeLog log;
  log.add(NoticeCause::not_converged, 3, "first");
  const NoticeLog before = log;
  log.add(NoticeCause::not_converged, 4, "second");
  log.add(NoticeCause::spurious_energy, 5, "third");
  EXPECT_THAT(*log.list(), ElementsAre(Field(&Notice::text, "first"), Field(&Notice::text, "third")));
  EXPECT_EQ(before.list()->size(), 1U) << "copies do not change";
}

TEST(NewNotices, AreFoundAcrossRestarts) {
  NewNotices reader;
  NoticeLog log;
  EXPECT_THAT(reader.in(log), IsEmpty());
  log.add(NoticeCause::not_converged, 3, "");
  EXPECT_EQ(reader.in(log).size(), 1U);
  EXPECT_THAT(reader.in(log), IsEmpty());
  log = {};
  log.add(NoticeCause::not_converged, 2, "");  // of the next run, as many as before
  EXPECT_THAT(reader.in(log), ElementsAre(Field(&Notice::step, 2U)));
}

TEST(NewNotices, AreFoundAfterARemoval) {
  NewNotices reader;
  NoticeLog log;
  log.add(NoticeCause::blow_up_soon, 3, "");
  log.add(NoticeCause::not_converged, 4, "");
  EXPECT_EQ(reader.in(log).size(), 2U);
  log.forget(NoticeCause::blow_up_soon);
  EXPECT_THAT(reader.in(log), IsEmpty());
  log.add(NoticeCause::blow_up_soon, 5, "");
  EXPECT_THAT(reader.in(log), ElementsAre(Field(&Notice::step, 5U)));
}

TEST(Notices, ReportTheFirstStepThatDidNotConverge) {
  Simulation simulation(never_converging(), mesh_of(never_converging()), one_thread());
  EXPECT_THAT(*simulation.notices().list(), IsEmpty());
  Checkpoint start;
  simulation.save(one_thread(), start);
  ASSERT_EQ(run(simulation, 3), 3);
  ASSERT_THAT(*simulation.notices().list(), ElementsAre(Field(&Notice::cause, NoticeCause::not_converged)));
  EXPECT_EQ(simulation.notices().list()->front().step, 2U) << "the first step has a uniform force";
  simulation.load(one_thread(), start);
  EXPECT_THAT(*simulation.notices().list(), IsEmpty());
}

TEST(MeshNotices, NameTheScaleThatFits) {
  const auto text_at = [](double diagonal, double scale) {
    ClothMesh mesh;
    mesh.diagonal = diagonal;
    mesh.scale = scale;
    return mesh_size_text(mesh);
  };
  EXPECT_EQ(text_at(0.2, 1), "");
  EXPECT_EQ(text_at(5, 1), "");
  EXPECT_EQ(text_at(0, 1), "") << "a point has no size";
  EXPECT_EQ(text_at(141.4, 1), "The mesh is 141 m across. Is it in centimetres? Use --scale 0.01.");
  EXPECT_EQ(text_at(1700, 1), "The mesh is 1700 m across. Is it in millimetres? Use --scale 0.001.");
  EXPECT_EQ(text_at(7, 1), "The mesh is 7 m across. Is that too large? Use --scale 0.1 for 0.7 m.");
  EXPECT_EQ(text_at(0.017, 1), "The mesh is 0.017 m across. Is that too small? Use --scale 100 for 1.7 m.");
  EXPECT_EQ(text_at(0.017, 0.01), "The mesh is 0.017 m across. Is that too small? Use --scale 1 for 1.7 m.");
}

TEST(MeshNotices, NameTheScaleOfAnObstacle) {
  const auto text_at = [](double diagonal, double scale) {
    Obstacle mesh;
    mesh.shape = Obstacle::Shape::mesh;
    mesh.scale = scale;
    const double side = diagonal / scale / std::sqrt(2);
    mesh.mesh.surface = std::make_shared<const TriangleSurface>(
        std::vector{vec3(0), vec3(side, 0, 0), vec3(0, 0, side), vec3(side, 0, side)},
        std::vector<TriangleSurface::Triangle>{{0, 1, 2}, {1, 3, 2}});
    return obstacle_size_text(std::vector{Obstacle{}, mesh});
  };
  EXPECT_EQ(text_at(1.7, 1), "");
  EXPECT_EQ(text_at(1.7, 0.01), "");
  EXPECT_EQ(text_at(170, 1),
            "The mesh of obstacle 2 (mesh) is 170 m across. Is it in centimetres? Use a scale of 0.01.");
  EXPECT_EQ(text_at(20, 2),
            "The mesh of obstacle 2 (mesh) is 20 m across. Is that too large? Use a scale of 0.2 for 2 m.");
}

TEST(MeshNotices, ReportAnObstacleThatIsTooLarge) {
  for (const double scale : {1.0, 40.0}) {
    Scene scene = rising_tip(0.3, 15);
    for (Obstacle& body : scene.obstacles.bodies) body.scale *= scale;
    Simulation simulation(scene, mesh_of(scene), one_thread());
    EXPECT_EQ(simulation.notices().has(NoticeCause::obstacle_size), scale > 1) << scale;
  }
}

TEST(Notices, ReportStepsThatDoNotConvergeOfEveryMethodThatSolves) {
  for (const IntegratorInfo& info : integrators()) {
    if (!info.uses_newton && !info.uses_linear_solver) continue;
    Scene scene = never_converging();
    scene.integrator = info.id;
    scene.energy_limit = kInfinity;
    scene.solver.newton_max_iterations = 1;
    scene.solver.newton_tolerance = 1e-12;
    Simulation simulation(scene, mesh_of(scene), one_thread());
    run(simulation, 5);
    const NoticeLog::List& list = *simulation.notices().list();
    const auto notice = std::ranges::find(list, NoticeCause::not_converged, &Notice::cause);
    ASSERT_NE(notice, list.end()) << info.id;
    EXPECT_THAT(notice->text, ::testing::HasSubstr("; use ")) << info.id;
  }
}

TEST(Notices, ReportImpulsesThatDoNotConverge) {
  Scene scene = rising_tip(0.3, 15);
  scene.integrator = "exponential-rosenbrock-euler";  // which does without the solver
  scene.contact.model = ContactModel::impulse;
  for (const int most : {1000, 1}) {
    scene.solver.linear.cg.max_iterations = most;
    Simulation simulation(scene, mesh_of(scene), one_thread());
    bool of_impulses = false;
    for (int k = 0; k < 15; ++k) {
      ASSERT_EQ(run(simulation, 1), 1);
      of_impulses = of_impulses || simulation.record().reason.find("impulses") != std::string_view::npos;
    }
    EXPECT_EQ(of_impulses, most == 1);
  }
}

}  // namespace
}  // namespace clothlab::testing
