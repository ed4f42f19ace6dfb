// SPDX-License-Identifier: MIT
// The pressure in closed cloth: volume, sums of its forces, its Hessian, and what can be filled.

#include "cloth/pressure_force.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <glm/geometric.hpp>

#include "cloth/sample_cloth.h"
#include "core/error.h"
#include "mesh/generators.h"

namespace clothlab::test {
namespace {

constexpr double kPressure = 120;  // [Pa]

std::vector<vec3> pressure_on(const Rig& rig, std::span<const vec3> x) {
  std::vector<vec3> f(x.size(), vec3(0.0));
  PressureForce(rig.system.model(), kPressure).add_force(one_thread(), x, x, f);
  return f;
}

double volume_of(const Rig& rig, std::span<const vec3> x) {
  return PressureForce(rig.system.model(), kPressure).volume(one_thread(), x);
}

std::unique_ptr<Rig> rig_of(ObjMesh obj) {
  const auto mesh = std::make_shared<const ClothMesh>(build_cloth_mesh(std::move(obj)));
  return std::make_unique<Rig>(std::make_shared<const ClothModel>(mesh), mesh->positions, Material{});
}

// The faces of one mesh after those of another.
ObjMesh both(ObjMesh a, const ObjMesh& b) {
  const auto first = static_cast<std::int32_t>(a.vertices.size());
  a.vertices.insert(a.vertices.end(), b.vertices.begin(), b.vertices.end());
  for (std::size_t f = 0; f < b.face_count(); ++f) {
    std::vector<ObjMesh::Corner> corners(b.face(f).begin(), b.face(f).end());
    for (ObjMesh::Corner& corner : corners) corner = {corner.vertex + first};
    a.add_face(corners);
  }
  return a;
}

ObjMesh turned_inside_out(ObjMesh obj) {
  for (std::size_t f = 0; f < obj.face_count(); ++f)
    std::swap(obj.corners[obj.face_offsets[f]], obj.corners[obj.face_offsets[f] + 1]);
  return obj;
}

TEST(Pressure, PushesOutwardsOnWhatItEncloses) {
  const vec3 centre(3, -2, 1);
  const double r = 0.5;
  const auto rig = rig_of(ball_obj(centre, r, 0));  // an octahedron: 4/3 r³
  EXPECT_NEAR(volume_of(*rig, rig->state.x), 4.0 / 3 * r * r * r, 1e-15);
  // ∂V/∂r of one corner is an eighth of a square's prism on each of four faces: 2/3 r² along its own axis.
  const std::vector<vec3> f = pressure_on(*rig, rig->state.x);
  for (std::size_t i = 0; i < f.size(); ++i) {
    const vec3 out = (rig->state.x[i] - centre) / r;
    EXPECT_LT(glm::length(f[i] - kPressure * 2.0 / 3 * r * r * out), 1e-13) << i;
  }
}

// Of a closed surface of any shape, folded through itself as here.
TEST(Pressure, HasNeitherAForceNorATorqueInSum) {
  const auto rig = rig_of(ball_obj(vec3(0.3, 0.2, 0.1), 0.4, 2));
  shake(rig->state, 0.3, 0);
  const std::vector<vec3> f = pressure_on(*rig, rig->state.x);
  vec3 force(0.0), torque(0.0);
  double scale = 0;
  for (std::size_t i = 0; i < f.size(); ++i) {
    force += f[i];
    torque += glm::cross(rig->state.x[i], f[i]);
    scale += glm::length(f[i]);
  }
  EXPECT_GT(scale, 10);
  EXPECT_LT(glm::length(force), 1e-15 * scale);
  EXPECT_LT(glm::length(torque), 1e-15 * scale);
}

// ∂f_a/∂x_b = p/6 [x_d − x_c]×, c and d opposite the edge ab, and 0 on the diagonal. The force is quadratic
// in x, so a central difference of any size is exact.
TEST(Pressure, LeavesOutAnAntisymmetricK) {
  const auto rig = rig_of(ball_obj(vec3(0.0), 0.4, 1));
  shake(rig->state, 0.1, 0);
  const std::vector<vec3>& x = rig->state.x;
  const auto triangles = rig->system.model().enclosing();
  std::size_t edges = 0;
  for (std::uint32_t b = 0; b < x.size(); ++b)
    for (int axis = 0; axis < 3; ++axis) {
      std::vector<vec3> plus = x, minus = x;
      vec3 along(0.0);
      along[axis] = 1;
      plus[b] += along;
      minus[b] -= along;
      const std::vector<vec3> f1 = pressure_on(*rig, plus), f0 = pressure_on(*rig, minus);
      for (std::uint32_t a = 0; a < x.size(); ++a) {
        vec3 across(0.0);  // x_d − x_c: d is opposite where a triangle goes from b to a
        for (const ClothModel::Triangle& t : triangles)
          for (std::size_t k = 0; k < 3; ++k) {
            const std::uint32_t from = t[k], to = t[(k + 1) % 3], opposite = t[(k + 2) % 3];
            if (from == b && to == a) across += x[opposite];
            if (from == a && to == b) across -= x[opposite];
          }
        edges += across != vec3(0.0);
        const vec3 column = (f1[a] - f0[a]) / 2.0;
        EXPECT_LT(glm::length(column - kPressure / 6 * glm::cross(across, along)), 1e-12) << a << " " << b;
      }
    }
  EXPECT_EQ(edges, 3 * 2 * 48U);
  SpringMatrix K(rig->system.pattern());
  PressureForce(rig->system.model(), kPressure)
      .add_jacobians(one_thread(), {x, x, {0, 0, 1}, JacobianMode::exact}, K);
  std::vector<vec3> y(x.size());
  K.multiply(rig->pool, x, y);
  EXPECT_THAT(y, testing::Each(vec3(0.0)));
}

TEST(Pressure, FillsClosedPartsWhicheverWayTheyAreTurned) {
  const ObjMesh ball = ball_obj(vec3(0, 3, 0), 0.5, 1), other = ball_obj(vec3(2, 0, 0), 0.25, 0);
  const ObjMesh sheet = make_grid_obj(3, 3, 1, 1);
  const auto alone = rig_of(ball), all = rig_of(both(both(sheet, turned_inside_out(ball)), other));
  const double volume = volume_of(*alone, alone->state.x);
  EXPECT_GT(volume, 0);
  EXPECT_NEAR(volume_of(*all, all->state.x), volume + 4.0 / 3 * 0.25 * 0.25 * 0.25, 1e-15);
  const std::vector<vec3> f = pressure_on(*all, all->state.x), of_ball = pressure_on(*alone, alone->state.x);
  for (std::size_t i = 0; i < 9; ++i) EXPECT_EQ(f[i], vec3(0.0));
  for (std::size_t i = 0; i < of_ball.size(); ++i) EXPECT_LT(glm::length(f[9 + i] - of_ball[i]), 1e-14);
}

TEST(Pressure, NeedsAClosedPart) {
  const auto closed = [](ObjMesh obj) { return build_cloth_mesh(std::move(obj)).report.closed_parts; };
  const ObjMesh ball = ball_obj(vec3(0, 3, 0), 0.5, 1), sheet = make_grid_obj(3, 3, 1, 1);
  EXPECT_EQ(closed(ball), 1U);
  EXPECT_EQ(closed(sheet), 0U);
  EXPECT_EQ(closed(both(sheet, ball)), 1U);
  ObjMesh hole = ball, reversed = ball, fin = ball;
  hole.face_offsets.pop_back();
  hole.corners.resize(hole.face_offsets.back());
  EXPECT_EQ(closed(hole), 0U);
  std::swap(reversed.corners[0], reversed.corners[1]);
  EXPECT_EQ(closed(reversed), 0U);
  EXPECT_EQ(build_cloth_mesh(reversed).report.reversed_edges, 3U);
  fin.vertices.emplace_back(5, 5, 5);
  fin.add_face(std::vector<ObjMesh::Corner>{{0}, {1}, {static_cast<std::int32_t>(fin.vertices.size()) - 1}});
  EXPECT_EQ(closed(fin), 0U);

  const auto rig = rig_of(sheet);
  Material material;
  material.inflate = kPressure;
  try {
    rig->system.set_material(material);
    FAIL() << "an open sheet was inflated";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("no closed part"));
  }
  EXPECT_EQ(rig->system.material(), Material{});
}

}  // namespace
}  // namespace clothlab::test
