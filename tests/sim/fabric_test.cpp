// SPDX-License-Identifier: MIT
// Runs of fabrics: every method comes to the same rest, and refined sheets hang and drape alike.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <span>

#include "integrate/registry.h"
#include "mesh/generators.h"
#include "sim/group_material.h"
#include "sim/presets.h"
#include "sim/scene_json.h"
#include "sim/support.h"

namespace clothlab::testing {
namespace {

Scene fabric_scene(const Fabric& fabric) {
  Scene scene;
  scene.material.kind = MaterialKind::fabric;
  scene.material.fabric = fabric;
  return scene;
}

// Soft, so that small sheets bend and stretch visibly; without contact.
Scene soft_sheet() {
  Scene scene = fabric_scene({60, 40, 10, 2e-3, 0.3});
  scene.mesh = GridSource{5, 5, 0.4, 0.4};
  scene.material.rayleigh_mass = 8;
  scene.dt = 1e-3;
  return scene;
}

std::vector<vec3> rest_of(const Scene& scene, int steps) {
  Simulation simulation(scene, mesh_of(scene), one_thread());
  EXPECT_EQ(run(simulation, steps), steps) << scene.integrator;
  return simulation.state().x;
}

TEST(FabricRun, EveryMethodComesToTheSameRest) {
  Scene scene = soft_sheet();
  scene.integrator = "backward-euler";
  const std::vector<vec3> expected = rest_of(scene, 4000);
  const double sag = -std::ranges::min(expected, {}, &vec3::y).y;
  EXPECT_GT(sag, 0.3);
  for (const IntegratorInfo& info : tried_integrators()) {
    if (info.inextensible || info.id == "explicit-euler") continue;
    set_integrator(scene, info);
    const std::vector<vec3> x = rest_of(scene, 4000);
    double largest = 0;
    for (std::size_t i = 0; i < x.size(); ++i) largest = std::max(largest, glm::distance(x[i], expected[i]));
    std::printf("%s %.2e\n", std::string(info.id).c_str(), largest / sag);
    // Sweeps and alternating solves end before their equilibrium.
    EXPECT_LT(largest / sag, info.family == IntegratorFamily::position_based ? 0.01 : 1e-4) << info.id;
  }
}

TEST(FabricRun, MaterialsOfGroupsAreReadAsTheyAreWritten) {
  const auto parsed = [](const std::string& members) {
    return parse_scene("{\"clothlab-scene\": 5, " + members + "}", "s");
  };
  Scene scene =
      parsed(R"("material": "fabric", "materials": {"b": "denim", "a": {"density": 2}}, "dt": 0.001)");
  ASSERT_EQ(scene.material.groups.size(), 2u);
  EXPECT_EQ(preset_of(scene.material.groups[1]), "denim");
  EXPECT_EQ(std::get<Fabric>(scene.material.groups[0].values).density, 2);
  EXPECT_EQ(std::get<Fabric>(scene.material.groups[0].values).warp, Fabric().warp);
  EXPECT_EQ(parse_scene(write_scene(scene), "again").material, scene.material);
  const Scene springs = with_group_material(with_group_material({}, group_material("a", "stiff")),
                                            {"a", SpringStiffness{5, 6}});
  ASSERT_EQ(springs.material.groups.size(), 1u);
  EXPECT_EQ(parse_scene(write_scene(springs), "again").material, springs.material);
  EXPECT_EQ(write_scene({}).find("materials"), std::string::npos);

  const auto refused = [&](const std::string& materials) {
    return refusal([&] { parsed("\"materials\": " + materials); });
  };
  EXPECT_EQ(refused(R"({"a": "silk"})"),
            "s: 'silk' is no material: must be one of cotton, denim, rubber, soft, medium, stiff, rubbery.");
  EXPECT_EQ(refused(R"({"a": {"density": 1, "bend-stiffness": 2}})"),
            "s: the material of the group \"a\" has no \"bend-stiffness\". Allowed are membrane-warp, "
            "membrane-weft, membrane-shear, fabric-bending, density.");
  EXPECT_EQ(refused(R"({"a": 3})"),
            "s: the material of the group \"a\" must be the name of a preset or an object.");
  EXPECT_NE(refused(R"({"a": {"density": -1}})"), "");
  EXPECT_NE(refused(R"([1])"), "");

  // The same bits, from the text as well; and a command with a group that the mesh lacks changes nothing.
  ObjMesh obj = make_grid_obj(6, 6);
  obj.groups = {{{"a"}, 0}, {{"b"}, obj.face_count() / 2}};
  const auto mesh = built(std::move(obj));
  const auto state_of = [&](const Scene& of) {
    Simulation simulation(of, mesh, one_thread());
    EXPECT_EQ(run(simulation, 20), 20);
    return simulation.state().x;
  };
  EXPECT_EQ(state_of(scene), state_of(parse_scene(write_scene(scene), "again")));
  EXPECT_NE(state_of(scene), state_of(without_group_material(scene, "a")));
  Simulation simulation(scene, mesh, one_thread());
  const auto with = [&](const GroupMaterial& material) {
    return SetScene{std::make_shared<const Scene>(with_group_material(scene, material))};
  };
  EXPECT_THROW(simulation.apply(one_thread(), with({"c", Fabric()})), InputError);
  EXPECT_THROW(simulation.apply(one_thread(), SetParameter{"material", 0}), InputError);
  EXPECT_EQ(simulation.scene().material, scene.material);
  const double before = simulation.system().masses()[0];
  simulation.apply(one_thread(), with({"a", Fabric{100, 100, 10, 1e-4, 4}}));
  EXPECT_NEAR(simulation.system().masses()[0], 2 * before, 1e-12);
}

TEST(FabricRun, ContinuesFromACheckpointAndWithOtherThreads) {
  Scene scene = soft_sheet();
  scene.mesh = GridSource{40, 40, 1, 1};
  for (const char* id : {"semi-implicit-euler", "vbd", "xpbd", "backward-euler"}) {
    set_integrator(scene, std::string_view(id));
    WorkerPool one(1), four(4);
    Simulation a(scene, mesh_of(scene), one), b(scene, mesh_of(scene), four);
    run(a, 5, one);
    Checkpoint moment;
    a.save(one, moment);
    run(a, 5, one);
    run(b, 10, four);
    EXPECT_TRUE(same_bits(a.state(), b.state())) << id;
    Simulation resumed(scene, mesh_of(scene), four);
    resumed.load(four, through_numbers(moment));
    run(resumed, 5, four);
    EXPECT_TRUE(same_bits(a.state(), resumed.state())) << id;
  }
}

TEST(FabricRun, ChangesItsMaterialAsACommandDoes) {
  Scene scene = soft_sheet();
  Simulation changed(scene, mesh_of(scene), one_thread());
  changed.apply(one_thread(), SetParameter{"membrane-warp", 90});
  changed.apply(one_thread(), SetParameter{"fabric-bending", 1e-3});
  changed.apply(one_thread(), SetParameter{"density", 0.5});
  scene.material.fabric = {90, 40, 10, 1e-3, 0.5};
  Simulation fresh(scene, mesh_of(scene), one_thread());
  run(changed, 20);
  run(fresh, 20);
  EXPECT_TRUE(same_bits(changed.state(), fresh.state()));
  EXPECT_EQ(changed.scene().material, scene.material);
}

TEST(FabricRun, ReportsTrianglesWithoutExactSprings) {
  const auto has_notice = [](const Scene& scene) {
    Simulation simulation(scene, mesh_of(scene), one_thread());
    return contains(*simulation.notices().list(), NoticeCause::fabric_fitted);
  };
  Scene scene = soft_sheet();
  EXPECT_FALSE(has_notice(scene));
  scene.material.fabric = {2000, 500, 1000, 0, 0.1};  // shear is stiffer than the weft
  EXPECT_TRUE(has_notice(scene));
}

struct Shape {
  double depth = 0;   // of the centre of mass below the start [m]
  double shadow = 0;  // area from above, as a share of that at rest: what a drape coefficient compares
};

// A denim sheet of 0.3 m, at rest; its inner vertices are moved by up to `irregular` of an edge.
Shape come_to_rest(Scene scene, int n, double irregular) {
  constexpr double kSide = 0.3;
  ObjMesh obj = make_grid_obj(n, n, kSide, kSide);
  std::mt19937 random(5);
  for (int r = 1; r + 1 < n; ++r)
    for (int c = 1; c + 1 < n; ++c)
      for (const int axis : {0, 2})
        obj.vertices[static_cast<std::size_t>(r * n + c)][axis] +=
            irregular * kSide / (n - 1) * (static_cast<double>(random()) / 2147483648.0 - 1);
  scene.mesh = GridSource{n, n, kSide, kSide};
  scene.material.fabric = fabric_scene({1010, 205, 53, 78e-6, 0.324}).material.fabric;
  scene.material.rayleigh_mass = 4;
  const auto mesh = built(std::move(obj));
  Simulation simulation(scene, mesh, one_thread());
  const int steps = static_cast<int>(std::lround(3 / scene.dt));
  EXPECT_EQ(run(simulation, steps), steps);
  EXPECT_LT(simulation.record().energy.kinetic, 1e-6);
  const std::vector<vec3>& x = simulation.state().x;
  const std::span<const double> m = simulation.system().masses();
  Shape shape;
  for (std::size_t i = 0; i < x.size(); ++i) shape.depth -= m[i] * x[i].y / (0.324 * kSide * kSide);
  for (const auto& [a, b, c] : mesh->triangles)
    shape.shadow += std::abs(glm::cross(x[b] - x[a], x[c] - x[a]).y) / 2 / (kSide * kSide);
  return shape;
}

bool is_long() { return std::getenv("CLOTHLAB_LONG_TESTS") != nullptr; }

Scene settling(double dt) {
  Scene scene = fabric_scene({});
  scene.dt = dt;
  return scene;
}

// By two corners, within 2 % of the finest sheet, and irregular within 5 %.
TEST(FabricRun, RefinedSheetsHangTheSame) {
  const Scene scene = settling(0.02);
  const std::vector<int> sizes = is_long() ? std::vector{128, 64, 32, 16} : std::vector{24, 16};
  const double finest = come_to_rest(scene, sizes.front(), 0).depth;
  std::printf("hangs, %d: %.5f m\n", sizes.front(), finest);
  for (const int n : std::span(sizes).subspan(1)) {
    const double depth = come_to_rest(scene, n, 0).depth;
    std::printf("hangs, %d: %.5f m\n", n, depth);
    EXPECT_NEAR(depth / finest, 1, 0.02) << n;
  }
  const double depth = come_to_rest(scene, is_long() ? 64 : 16, 0.2).depth;
  std::printf("hangs, irregular: %.5f m\n", depth);
  EXPECT_NEAR(depth / finest, 1, 0.05);
}

// Over a sphere of 0.1 m; 16 x 16 particles are too few for its folds.
TEST(FabricRun, RefinedSheetsDrapeTheSame) {
  Scene scene = settling(0.01);
  scene.pins = PinPreset::none;
  scene.self_contact = false;
  scene.obstacles.bodies = {parse_obstacle("sphere:0.15,-0.101,0.15,0.1")};
  const std::vector<int> sizes = is_long() ? std::vector{128, 64, 32, 24, 16} : std::vector{24, 16};
  const Shape finest = come_to_rest(scene, sizes.front(), 0);
  std::printf("drapes, %d: depth %.5f m, shadow %.4f\n", sizes.front(), finest.depth, finest.shadow);
  for (const int n : std::span(sizes).subspan(1)) {
    const Shape shape = come_to_rest(scene, n, 0);
    std::printf("drapes, %d: depth %.5f m, shadow %.4f\n", n, shape.depth, shape.shadow);
    EXPECT_NEAR(shape.depth / finest.depth, 1, n < 24 ? 0.04 : 0.02) << n;
    EXPECT_NEAR(shape.shadow / finest.shadow, 1, n < 24 ? 0.08 : 0.025) << n;
  }
  const Shape shape = come_to_rest(scene, is_long() ? 64 : 24, 0.2);
  std::printf("drapes, irregular: depth %.5f m, shadow %.4f\n", shape.depth, shape.shadow);
  EXPECT_NEAR(shape.depth / finest.depth, 1, 0.05);
}

TEST(FabricRun, SceneFilesKeepIt) {
  const Scene scene = with_preset(Scene{}, fabric("denim"));
  EXPECT_EQ(parse_scene(write_scene(scene), "scene"), scene);
  EXPECT_EQ(scene.material.fabric, (Fabric{1010, 205, 53, 78e-6, 0.324}));
  EXPECT_EQ(with_preset(Scene{}, fabric("cotton")).material.fabric, Fabric());
  EXPECT_FALSE(parse_scene(R"({"clothlab-scene": 4})", "scene").material.is_fabric());
  EXPECT_NE(refusal([] { fabric("silk"); }).find("cotton, denim, rubber"), std::string::npos);
}

}  // namespace
}  // namespace clothlab::testing
