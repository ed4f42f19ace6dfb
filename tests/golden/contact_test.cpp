// SPDX-License-Identifier: MIT
// The bits of short runs with contact, fixed: every contact model with four methods on four kinds of surface,
// which move, in adaptive steps, and continued from a checkpoint in the middle. See integrators_test.cpp for
// the two builds, and for what a changed hash means. What else a run has, its ledger and its figures of
// contact, counts as well.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "collide/mesh_body.h"
#include "core/hash.h"
#include "sim/checkpoint.h"
#include "sim/contact.h"
#include "sim/support.h"

namespace clothlab::testing {
namespace {

const std::map<std::string, std::uint64_t> kHashes{
    {"filter/backward-euler/floor", 0xd5488c685fae5ec7ULL},
    {"filter/backward-euler/mesh", 0x4d13cb8e3d0f1587ULL},
    {"filter/backward-euler/sphere", 0x4daa01060d5c1fbbULL},
    {"filter/semi-implicit-euler/floor", 0xc8791e87cbfaf3a6ULL},
    {"filter/semi-implicit-euler/mesh", 0x31dd42f533a384a9ULL},
    {"filter/semi-implicit-euler/sphere", 0x745f1104956479a9ULL},
    {"filter/symplectic-euler/floor", 0x1955fe9b72587e24ULL},
    {"filter/symplectic-euler/mesh", 0x89a96ed9e8116168ULL},
    {"filter/symplectic-euler/sphere", 0xaa9d9e41db6f2783ULL},
    {"filter/xpbd/floor", 0x022c98c048a2d6abULL},
    {"filter/xpbd/mesh", 0x92a6cf855b41c198ULL},
    {"filter/xpbd/sphere", 0x512735604918d01dULL},
    {"penalty/backward-euler/floor", 0x620eadceab8adabdULL},
    {"penalty/backward-euler/itself", 0x949423fe60cd475bULL},
    {"penalty/backward-euler/mesh", 0xe9458484017b6399ULL},
    {"penalty/backward-euler/sphere", 0xef33da6bef5a3d1eULL},
    {"penalty/semi-implicit-euler/floor", 0x8f6a09780a77c42dULL},
    {"penalty/semi-implicit-euler/itself", 0x83e1ba6919b482d3ULL},
    {"penalty/semi-implicit-euler/mesh", 0xe6b0d61f8a14ac0dULL},
    {"penalty/semi-implicit-euler/sphere", 0x35fe7622a469cf65ULL},
    {"penalty/symplectic-euler/floor", 0x14f8ce184f62f06dULL},
    {"penalty/symplectic-euler/itself", 0x43bb3f31a4622cbfULL},
    {"penalty/symplectic-euler/mesh", 0x1f94d1dc1c6d4d65ULL},
    {"penalty/symplectic-euler/sphere", 0x477e88ecb7872e99ULL},
    {"penalty/xpbd/floor", 0x28d7da83fc0d470aULL},
    {"penalty/xpbd/itself", 0x971dc987001bfe8eULL},
    {"penalty/xpbd/mesh", 0x676ca43154497725ULL},
    {"penalty/xpbd/sphere", 0xb3a7318b83649cf6ULL},
    {"impulse/backward-euler/floor", 0x1414485cac01eedcULL},
    {"impulse/backward-euler/itself", 0x1e098cfc7610c638ULL},
    {"impulse/backward-euler/mesh", 0x5d9043494fba7fb2ULL},
    {"impulse/backward-euler/sphere", 0xd30dbd909213d5b8ULL},
    {"impulse/semi-implicit-euler/floor", 0xd7edace4a14504f9ULL},
    {"impulse/semi-implicit-euler/itself", 0x2997aedab7bbff35ULL},
    {"impulse/semi-implicit-euler/mesh", 0xb59108904ca0c079ULL},
    {"impulse/semi-implicit-euler/sphere", 0x6d657f73a91c5da5ULL},
    {"impulse/symplectic-euler/floor", 0x2aee91b81e5ca1baULL},
    {"impulse/symplectic-euler/itself", 0x0baf05c136292816ULL},
    {"impulse/symplectic-euler/mesh", 0x663090012890159cULL},
    {"impulse/symplectic-euler/sphere", 0xf1e1fbf31242a9c4ULL},
    {"impulse/xpbd/floor", 0xb6908ae623256223ULL},
    {"impulse/xpbd/itself", 0x2e19317872b1a99eULL},
    {"impulse/xpbd/mesh", 0xe62c79ee56e71b63ULL},
    {"impulse/xpbd/sphere", 0x1d7848545948dc96ULL},
    {"barrier/backward-euler/floor", 0x9638685db4b966caULL},
    {"barrier/backward-euler/itself", 0x59c61f3cec2e0de3ULL},
    {"barrier/backward-euler/mesh", 0xac674ff251f2f083ULL},
    {"barrier/backward-euler/sphere", 0xcb8f9fc3d2bf755fULL},
    {"barrier/semi-implicit-euler/floor", 0x6e972b7c182cfacaULL},
    {"barrier/semi-implicit-euler/itself", 0x3197a7b9af9214f4ULL},
    {"barrier/semi-implicit-euler/mesh", 0xf45de939cb02c917ULL},
    {"barrier/semi-implicit-euler/sphere", 0x698e5bfed915772bULL},
    {"barrier/symplectic-euler/floor", 0xe43d55c443fda2a0ULL},
    {"barrier/symplectic-euler/itself", 0xe24aa04c94ac43ebULL},
    {"barrier/symplectic-euler/mesh", 0x0652ddf113508dccULL},
    {"barrier/symplectic-euler/sphere", 0x6e92e7f7f4313456ULL},
};

constexpr std::array kMethods{"symplectic-euler", "semi-implicit-euler", "backward-euler", "xpbd"};
constexpr std::array kSurfaces{"floor", "sphere", "mesh", "itself"};
constexpr int kRows = 6;

using Case = std::tuple<ContactModel, const char*, const char*>;  // model, method, what the cloth meets

std::string name_of_case(const Case& of) {
  const auto& [model, method, surface] = of;
  return std::string(info_of(model).id) + "/" + method + "/" + surface;
}

// Two loose sheets, one above the other; the upper one is smaller and tilted.
std::shared_ptr<const ClothMesh> two_sheets() {
  ObjMesh both = make_grid_obj(kRows, kRows, 0.4, 0.4);
  const ObjMesh upper = make_grid_obj(kRows, kRows, 0.33, 0.33);
  const auto first = static_cast<std::int32_t>(both.vertices.size());
  const std::uint32_t corners = both.face_offsets.back();
  for (const vec3& x : upper.vertices) both.vertices.push_back(x + vec3(0.03, 0.015 + 0.05 * x.z, 0.04));
  for (const ObjMesh::Corner& corner : upper.corners) both.corners.push_back({first + corner.vertex});
  for (std::size_t f = 1; f < upper.face_offsets.size(); ++f)
    both.face_offsets.push_back(corners + upper.face_offsets[f]);
  both.grid.reset();
  return built(both);
}

Obstacle moving(Obstacle body) {
  body.path.keys = {
      {0, vec3(0), vec3(0)}, {0.03, vec3(0.003, 0.006, 0), vec3(0, 2, 0)}, {1, vec3(0.1, 0.1, 0), vec3(0)}};
  return body;
}

Scene scene_with(const Case& of, std::size_t particles) {
  const auto& [model, method, surface] = of;
  Scene scene;
  scene.integrator = method;
  scene.pins = PinPreset::none;
  scene.material.stretch_stiffness = 60;
  scene.material.rayleigh_stiffness = 1e-3;
  scene.dt = std::string_view(method) == "symplectic-euler" ? 1e-3 : 4e-3;
  scene.adaptive = true;
  scene.max_strain = 0.13;
  scene.contact.model = model;
  scene.obstacles.friction = 0.4;
  const std::string_view meets = surface;
  if (meets == "floor") {
    scene.floor = {.on = true, .height = -0.004};
    Obstacle plane;
    plane.shape = Obstacle::Shape::plane;
    plane.normal = vec3(-1, 3, 0);
    plane.offset = -0.13 * std::sqrt(10.0);
    scene.obstacles.bodies = {moving(plane)};
  } else if (meets == "sphere") {
    Obstacle ball;
    ball.from = ball.to = vec3(0.2, -0.103, 0.2);
    ball.radius = 0.1;
    Obstacle box;
    box.shape = Obstacle::Shape::box;
    box.from = box.to = vec3(0.35, -0.053, 0.3);
    box.size = vec3(0.1);
    scene.obstacles.bodies = {moving(ball), moving(box)};
  } else if (meets == "mesh") {
    scene.obstacles.bodies = {moving(test::angle_body(vec3(0.1, -0.205, 0.12), 0.1))};
  }
  InitialState& start = scene.initial_state.emplace();
  start.velocities.resize(particles);
  for (std::size_t i = 0; i < particles; ++i)
    start.velocities[i] = vec3(0.01 * static_cast<double>(i % 5), i < kRows * kRows ? 0.0 : -0.8,
                               0.02 * static_cast<double>(i % 3));
  return scene;
}

std::uint64_t hash_of(const Simulation& simulation) {
  Hash hash;
  const State& state = simulation.state();
  const StepRecord& record = simulation.record();
  hash.add(state.x).add(state.v).add(state.t);
  for (const EnergyEntry& entry : kEnergyEntries)
    if (entry.joule != &EnergyLedger::drivers) hash.add(record.ledger.*entry.joule);  // there are none
  hash.add(static_cast<double>(record.contacts.pairs));
  return hash.value();
}

class GoldenContact : public ::testing::TestWithParam<Case> {};

TEST_P(GoldenContact, BitsAreThoseOfTheRecord) {
  const auto& [model, method, surface] = GetParam();
  const std::shared_ptr<const ClothMesh> mesh = two_sheets();
  Scene scene = scene_with(GetParam(), mesh->positions.size());
  scene.initial_state->positions = mesh->positions;
  const int half = std::string_view(method) == "symplectic-euler" ? 24 : 10;
  Simulation simulation(scene, mesh, one_thread());
  ASSERT_EQ(run(simulation, half), half);
  Checkpoint middle;
  simulation.save(one_thread(), middle);
  Simulation resumed(middle, mesh, one_thread());
  std::size_t touching = 0;  // steps
  for (int k = 0; k < half; ++k) {
    ASSERT_EQ(run(resumed, 1), 1);
    touching += resumed.record().contacts.pairs > 0 ? 1U : 0U;
  }
  EXPECT_GT(touching, 0U);
  const std::uint64_t hash = hash_of(resumed);
  char text[64];
  std::snprintf(text, sizeof text, "{\"%s\", 0x%016llxULL},", name_of_case(GetParam()).c_str(),
                static_cast<unsigned long long>(hash));
  const auto expected = kHashes.find(name_of_case(GetParam()));
  ASSERT_NE(expected, kHashes.end()) << "record " << text;
  EXPECT_EQ(hash, expected->second) << "now " << text;
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const ContactModelInfo& model : kContactModels)
    for (const char* method : kMethods)
      for (const char* surface : kSurfaces) {
        const bool meets_nothing =
            model.model == ContactModel::filter && std::string_view(surface) == "itself";
        if (!meets_nothing && supports_contact(model.model, *find_integrator(method)))
          all.emplace_back(model.model, method, surface);
      }
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, GoldenContact, ::testing::ValuesIn(cases()), [](const auto& of) {
  std::string name = name_of_case(of.param);
  for (char& c : name)
    if (c == '/' || c == '-') c = '_';
  return name;
});

}  // namespace
}  // namespace clothlab::testing
