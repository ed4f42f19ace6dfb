// SPDX-License-Identifier: MIT
// Springs that are derived from a fabric, against continuum theory.

#include "cloth/fabric.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <functional>
#include <glm/geometric.hpp>
#include <numbers>
#include <numeric>

#include "cloth/sample_cloth.h"
#include "mesh/generators.h"

namespace clothlab::test {
namespace {

Material of(const Fabric& fabric) {
  Material material;
  material.kind = MaterialKind::fabric;
  material.fabric = fabric;
  return material;
}

std::shared_ptr<const ClothMesh> grid(int n, double side = 1) {
  return std::make_shared<const ClothMesh>(build_cloth_mesh(make_grid_obj(n, n, side, side)));
}

// Rows of equilateral triangles of side 1 in the plane y = 0.
std::shared_ptr<const ClothMesh> equilateral(int n) {
  ObjMesh obj;
  for (int r = 0; r < n; ++r)
    for (int c = 0; c < n; ++c) obj.vertices.emplace_back(c + 0.5 * r, 0, std::sqrt(0.75) * r);
  for (int r = 0; r + 1 < n; ++r)
    for (int c = 0; c + 1 < n; ++c) {
      const int a = r * n + c, b = a + 1, d = a + n, e = d + 1;
      obj.add_face(std::vector<ObjMesh::Corner>{{a}, {b}, {d}});
      obj.add_face(std::vector<ObjMesh::Corner>{{b}, {e}, {d}});
    }
  return std::make_shared<const ClothMesh>(build_cloth_mesh(std::move(obj)));
}

// A sheet of n x n quads with both diagonals' directions, and vertices off their places: irregular.
std::shared_ptr<const ClothMesh> irregular(int n, double side) {
  ObjMesh obj = make_grid_obj(n, n, side, side);
  const double h = side / (n - 1);
  std::mt19937 random(5);
  for (int r = 1; r + 1 < n; ++r)
    for (int c = 1; c + 1 < n; ++c)
      for (const int axis : {0, 2})
        obj.vertices[static_cast<std::size_t>(r * n + c)][axis] +=
            h * 0.4 * (static_cast<double>(random()) / 4294967296.0 - 0.5);
  obj.grid.reset();
  return std::make_shared<const ClothMesh>(build_cloth_mesh(std::move(obj)));
}

using Map = std::function<vec3(const vec3&)>;

PotentialEnergies energies(const ClothMesh& mesh, const ClothSystem& system, const Map& moved) {
  WorkerPool pool(1);
  std::vector<vec3> x;
  for (const vec3& p : mesh.positions) x.push_back(moved(p));
  return system.energies(pool, x);
}

// E/A of a small strain, without the edges that have one triangle only: their energy is that of a triangle.
double density(const std::shared_ptr<const ClothMesh>& mesh, const Fabric& fabric, const Map& moved) {
  const ClothSystem system(std::make_shared<const ClothModel>(mesh), of(fabric));
  return energies(*mesh, system, moved).stretch / mesh->area;
}

constexpr double kSmall = 1e-6;

Map stretched(double along_x, double along_z) {
  return [=](const vec3& p) { return vec3(p.x * (1 + kSmall * along_x), p.y, p.z * (1 + kSmall * along_z)); };
}
Map sheared() {  // by the angle kSmall, without rotation
  return [=](const vec3& p) { return vec3(p.x + kSmall / 2 * p.z, p.y, p.z + kSmall / 2 * p.x); };
}
constexpr double kUnit = kSmall * kSmall / 2;

TEST(Fabric, OnAGridHasItsStiffnessAlongWarpAndWeftAndInShear) {
  const Fabric fabric{500, 300, 20, 0, 0.1};
  for (const int n : {4, 9}) {
    const auto mesh = grid(n);
    EXPECT_NEAR(density(mesh, fabric, stretched(1, 0)) / kUnit, 500, 0.01);
    EXPECT_NEAR(density(mesh, fabric, stretched(0, 1)) / kUnit, 300, 0.01);
    EXPECT_NEAR(density(mesh, fabric, sheared()) / kUnit, 20, 0.001);
    // The Cauchy relation: the coupling of the two strains is the shear stiffness.
    EXPECT_NEAR(density(mesh, fabric, stretched(1, 1)) / kUnit, 500 + 300 + 2 * 20, 0.01);
    const ClothSystem system(std::make_shared<const ClothModel>(mesh), of(fabric));
    EXPECT_EQ(system.inexact_share(), 0);
  }
}

TEST(Fabric, OnEquilateralTrianglesIsIsotropicWithVanGeldersSprings) {
  const double shear = 100, modulus = 8.0 / 3 * shear;
  const Fabric fabric{3 * shear, 3 * shear, shear, 0, 0.1};
  const auto mesh = equilateral(5);
  const ClothSystem system(std::make_shared<const ClothModel>(mesh), of(fabric));
  // [Gelder 1998]: k = E Σ A/L² over the triangles of the edge, with Young's modulus E [N/m] and Poisson's
  // ratio 1/3.
  const double of_triangle = modulus * std::sqrt(0.75) / 2;
  for (const ElasticElement e : system.elements()) {
    if (!e.stretch) continue;
    const auto has_edge = [&](const auto& t) {
      return std::ranges::count(t, e.i) + std::ranges::count(t, e.j) == 2;
    };
    const auto triangles = std::ranges::count_if(mesh->triangles, has_edge);
    EXPECT_NEAR(e.stiffness, static_cast<double>(triangles) * of_triangle, 1e-9 * of_triangle);
  }
  // A tension T gives the strains T/E along and −T/(3 E) across, in every direction: ½ E ε² per area.
  for (const double angle : {0.0, 0.3, 1.1}) {
    const vec3 n(std::cos(angle), 0, std::sin(angle)), t(-n.z, 0, n.x);
    const Map uniaxial = [=](const vec3& p) {
      return p + kSmall * (glm::dot(p, n) * n - glm::dot(p, t) / 3 * t);
    };
    EXPECT_NEAR(density(mesh, fabric, uniaxial) / kUnit, modulus, 1e-3 * modulus);
  }
}

TEST(Fabric, WeighsItsDensityTimesItsArea) {
  const Fabric fabric{500, 300, 20, 0, 0.3};
  for (const auto& mesh : {grid(5, 0.7), irregular(6, 0.7)}) {
    const ClothSystem system(std::make_shared<const ClothModel>(mesh), of(fabric));
    EXPECT_NEAR(std::accumulate(system.masses().begin(), system.masses().end(), 0.0), 0.3 * 0.49, 1e-12);
    EXPECT_NEAR(of(fabric).mass_of(mesh->area), 0.3 * 0.49, 1e-12);
  }
  const auto mesh = grid(3, 2);  // a corner of one triangle, one of two, and the middle of six of 1/2 m²
  const std::vector<double> masses = ClothModel(mesh).masses(of(fabric));
  EXPECT_NEAR(masses[0], 0.3 / 6, 1e-15);
  EXPECT_NEAR(masses[2], 0.3 / 3, 1e-15);
  EXPECT_NEAR(masses[4], 0.3, 1e-15);
}

// On a cylinder of curvature κ whose axis is along (−sin φ, cos φ), as a flat sheet without strain.
Map rolled(double curvature, double angle) {
  return [=](const vec3& p) {
    const vec3 n(std::cos(angle), 0, std::sin(angle)), t(-n.z, 0, n.x);
    const double s = glm::dot(p, n);
    return glm::dot(p, t) * t + std::sin(curvature * s) / curvature * n +
           vec3(0, (1 - std::cos(curvature * s)) / curvature, 0);
  };
}

double bending_per_area(const std::shared_ptr<const ClothMesh>& mesh, double curvature, double angle) {
  const ClothSystem system(std::make_shared<const ClothModel>(mesh), of({500, 300, 20, 2e-3, 0.1}));
  return energies(*mesh, system, rolled(curvature, angle)).bend / mesh->area /
         (2e-3 * curvature * curvature / 2);
}

TEST(Fabric, BendsLikeAPlateOnEquilateralTriangles) {
  // The rim has no hinges; λ makes up for it in the mean over directions, and each has the share of its
  // inner edges.
  const auto mesh = equilateral(24);
  for (const double angle : {0.0, 0.3, 0.7, 1.2}) EXPECT_NEAR(bending_per_area(mesh, 0.01, angle), 1, 0.03);
}

TEST(Fabric, BendsLikeAPlateInTheMeanOverDirections) {
  for (const auto& mesh : {grid(12), irregular(12, 1), equilateral(6)}) {
    double mean = 0;
    const int directions = 12;
    for (int k = 0; k < directions; ++k)
      mean += bending_per_area(mesh, 0.01, std::numbers::pi * k / directions) / directions;
    EXPECT_NEAR(mean, 1, 1e-3);
  }
}

TEST(Fabric, BendingResistsNoAffineStrainAndIsNeverNegative) {
  const auto mesh = irregular(6, 1);
  const ClothSystem system(std::make_shared<const ClothModel>(mesh), of({500, 300, 20, 1, 0.1}));
  const auto bend = [&](const Map& moved) { return energies(*mesh, system, moved).bend; };
  EXPECT_NEAR(bend([](const vec3& p) { return vec3(1.1 * p.x + 0.2 * p.z, 0.3 * p.x, 0.9 * p.z); }), 0,
              1e-12);
  std::mt19937 random(3);
  const auto noise = [&] { return static_cast<double>(random()) / 4294967296.0 - 0.5; };
  for (int k = 0; k < 20; ++k)
    EXPECT_GT(bend([&](const vec3& p) { return p + 0.1 * vec3(noise(), noise(), noise()); }), 0);
}

// The rim has no hinges, which changes the share of a direction by O(h).
TEST(Fabric, RefinedHasTheSameEnergies) {
  const Fabric fabric{500, 300, 20, 2e-3, 0.1};
  for (const double angle : {0.2, 0.9}) {
    const double coarse = bending_per_area(grid(32), 0.3, angle),
                 fine = bending_per_area(grid(64), 0.3, angle);
    EXPECT_NEAR(coarse / fine, 1, 0.02);
  }
  EXPECT_NEAR(density(grid(16), fabric, sheared()) / density(grid(64), fabric, sheared()), 1, 1e-4);
}

TEST(Fabric, FitsSpringsWhereNoneAreExact) {
  // Edges at 45° to warp and weft cannot carry a soft shear.
  const double s = std::sqrt(0.5);
  const TriangleSprings fitted =
      membrane_springs({500, 300, 20, 0, 0.1}, {vec3(0), vec3(1, 0, 0), vec3(0, 0, 1)}, vec3(s, 0, s));
  EXPECT_FALSE(fitted.exact);
  for (const double k : fitted.stiffness) EXPECT_GE(k, 0);
  EXPECT_GT(*std::ranges::max_element(fitted.stiffness), 0);
  // Isotropic stiffnesses need a fit on obtuse triangles alone.
  const ClothSystem system(std::make_shared<const ClothModel>(irregular(8, 1)), of({2000, 500, 5, 0, 0.1}));
  const ClothSystem isotropic(std::make_shared<const ClothModel>(irregular(8, 1)),
                              of({300, 300, 100, 0, 0.1}));
  EXPECT_GT(isotropic.inexact_share(), 0);
  EXPECT_LT(isotropic.inexact_share(), 0.5);
  EXPECT_GT(system.inexact_share(), isotropic.inexact_share());
  EXPECT_TRUE(membrane_springs({}, {vec3(0), vec3(1, 0, 0), vec3(2, 0, 0)}, vec3(1, 0, 0)).stiffness ==
              (std::array<double, 3>{}));
}

// Twice the energy per area of a unit strain of the rim, with the interior at its equilibrium.
double effective(const std::shared_ptr<const ClothMesh>& mesh, const Fabric& fabric, double ww, double ff,
                 double shear) {
  const ClothSystem system(std::make_shared<const ClothModel>(mesh), of(fabric));
  const auto n = static_cast<Eigen::Index>(mesh->positions.size());
  Eigen::MatrixXd K = Eigen::MatrixXd::Zero(2 * n, 2 * n);
  for (const ElasticElement e : system.elements()) {
    const vec3 d = glm::normalize(mesh->positions[e.i] - mesh->positions[e.j]);
    const Eigen::Matrix2d B = e.stiffness * Eigen::Vector2d(d.x, d.z) * Eigen::RowVector2d(d.x, d.z);
    const auto i = static_cast<Eigen::Index>(2 * e.i), j = static_cast<Eigen::Index>(2 * e.j);
    K.block<2, 2>(i, i) += B;
    K.block<2, 2>(j, j) += B;
    K.block<2, 2>(i, j) -= B;
    K.block<2, 2>(j, i) -= B;
  }
  Eigen::VectorXd u = Eigen::VectorXd::Zero(2 * n);
  std::vector<Eigen::Index> inner;
  for (Eigen::Index p = 0; p < n; ++p) {
    const vec3& x = mesh->positions[static_cast<std::size_t>(p)];
    const auto is_inside = [](double a) { return a > 1e-9 && a < 1 - 1e-9; };
    if (is_inside(x.x) && is_inside(x.z))
      inner.insert(inner.end(), {2 * p, 2 * p + 1});
    else
      u.segment<2>(2 * p) << ww * x.x + shear / 2 * x.z, shear / 2 * x.x + ff * x.z;
  }
  const Eigen::VectorXd load = -(K * u)(inner);
  const Eigen::MatrixXd of_inner = K(inner, inner);
  const Eigen::VectorXd solution = of_inner.ldlt().solve(load);
  u(inner) = solution;
  return u.dot(K * u);
}

// What docs/model.md says of the error on irregular meshes.
TEST(Fabric, OnAnIrregularMeshHasStiffnessesThatDependOnIt) {
  struct Row {
    Fabric fabric;
    double ww, ff, shear, inexact;  // errors, and the share of the area
  };
  const auto mesh = irregular(17, 1);
  for (const Row& row : {Row{{500, 300, 40, 0, 0.1}, -0.11, -0.08, -0.34, 0.13},
                         Row{{300, 300, 100, 0, 0.1}, -0.04, -0.04, -0.08, 0},
                         Row{{1010, 205, 53, 0, 0.1}, -0.22, -0.06, -0.35, 0.15}}) {
    const Fabric& fabric = row.fabric;
    EXPECT_NEAR(effective(mesh, fabric, 1, 0, 0) / fabric.warp - 1, row.ww, 0.01);
    EXPECT_NEAR(effective(mesh, fabric, 0, 1, 0) / fabric.weft - 1, row.ff, 0.01);
    EXPECT_NEAR(effective(mesh, fabric, 0, 0, 1) / fabric.shear - 1, row.shear, 0.01);
    const ClothSystem system(std::make_shared<const ClothModel>(mesh), of(fabric));
    EXPECT_NEAR(system.inexact_share(), row.inexact, 0.01);
  }
  for (const Fabric& fabric : {Fabric{500, 300, 40, 0, 0.1}, Fabric{300, 300, 100, 0, 0.1}}) {
    EXPECT_NEAR(effective(grid(9), fabric, 1, 0, 0), fabric.warp, 1e-9 * fabric.warp);
    EXPECT_NEAR(effective(grid(9), fabric, 0, 0, 1), fabric.shear, 1e-9 * fabric.warp);
  }
}

TEST(Fabric, HasItsWarpAlongUOrTheLongestEdgeOfTheBox) {
  ObjMesh obj = make_grid_obj(3, 3, 1, 2);
  const auto plain = build_cloth_mesh(obj);
  for (const vec3& warp : warp_directions(&plain, plain.positions, plain.triangles))
    EXPECT_EQ(warp, vec3(0, 0, 1));
  for (const vec3& p : obj.vertices) obj.texture_coordinates.push_back({{p.x + p.z, p.z - p.x, 0}, 2});
  for (ObjMesh::Corner& corner : obj.corners) corner.texture = corner.vertex;
  const auto textured = build_cloth_mesh(obj);
  for (const vec3& warp : warp_directions(&textured, textured.positions, textured.triangles))
    EXPECT_LT(glm::distance(warp, glm::normalize(vec3(1, 0, 1))), 1e-12);
  // A triangle across the longest edge of the box has its weft along the second one.
  const std::vector<vec3> positions{vec3(0), vec3(0, 1, 0), vec3(0, 0, 0.5), vec3(3, 0, 0)};
  const std::vector<FabricShape::Triangle> triangles{{0, 1, 2}};
  EXPECT_NEAR(std::abs(warp_directions(nullptr, positions, triangles)[0].z), 1, 1e-12);
}

/// A sheet of 1 m² whose half with z > 0.5 is the group "far", and the other one "near"; both are in "all".
std::shared_ptr<const ClothMesh> two_halves() {
  ObjMesh obj = make_grid_obj(5, 5);
  obj.groups = {{{"near", "all"}, 0}, {{"far", "all"}, obj.face_count() / 2}};
  return std::make_shared<const ClothMesh>(build_cloth_mesh(std::move(obj)));
}

Material with_far(Material material, const std::variant<Fabric, SpringStiffness>& far) {
  material.groups = {{"far", far}};
  return material;
}

TEST(Fabric, OfAGroupHasItsOwnValues) {
  const auto mesh = two_halves();
  const auto model = std::make_shared<const ClothModel>(mesh);
  const Fabric near{500, 400, 60, 0.3, 0.1}, far{300, 250, 90, 0.7, 0.4};
  const ClothSystem all_near(model, of(near)), all_far(model, of(far));
  const ClothSystem same(model, with_far(of(near), near)), mixed(model, with_far(of(near), far));
  std::size_t inside = 0, between = 0;
  for (std::size_t s = 0; s < mixed.elements().size(); ++s) {
    const ElasticElement e = mixed.elements()[s], a = all_near.elements()[s], b = all_far.elements()[s];
    EXPECT_EQ(same.elements()[s].stiffness, a.stiffness);
    EXPECT_EQ(same.elements()[s].bending, a.bending);
    const double z = mesh->positions[e.i].z + mesh->positions[e.j].z;
    // Both triangles of an edge on the border have the same shape.
    const double share = std::abs(z - 1) < 0.1 ? 0.5 : z > 1 ? 1 : 0;
    if (e.stretch) {
      EXPECT_NEAR(e.stiffness, (1 - share) * a.stiffness + share * b.stiffness, 1e-9) << s;
    }
    if (std::min(mesh->positions[e.i].z, mesh->positions[e.j].z) > 0.6) {
      EXPECT_NEAR(e.bending, b.bending, 1e-12);
      ++inside;
    }
    if (std::max(mesh->positions[e.i].z, mesh->positions[e.j].z) < 0.4) {
      EXPECT_NEAR(e.bending, a.bending, 1e-12);
    }
    between += share == 0.5;
  }
  EXPECT_GT(inside, 10u);
  EXPECT_GT(between, 3u);
  EXPECT_NEAR(std::accumulate(mixed.masses().begin(), mixed.masses().end(), 0.0),
              (near.density + far.density) / 2, 1e-12);
  for (std::size_t i = 0; i < mesh->positions.size(); ++i) {
    const double z = mesh->positions[i].z;
    if (z > 0.6) {
      EXPECT_NEAR(mixed.masses()[i], all_far.masses()[i], 1e-15);
    }
    if (z < 0.4) {
      EXPECT_NEAR(mixed.masses()[i], all_near.masses()[i], 1e-15);
    }
  }
}

TEST(Fabric, SpringsOfAGroupHaveTheirOwnStiffness) {
  const auto mesh = two_halves();
  ClothSystem system(std::make_shared<const ClothModel>(mesh), with_far({}, SpringStiffness{5000, 10}));
  EXPECT_EQ(system.elements().bending_by_slot, nullptr);
  for (std::size_t s = 0; s < system.elements().size(); ++s) {
    const ElasticElement e = system.elements()[s];
    const double z = mesh->positions[e.i].z + mesh->positions[e.j].z;
    const double near = e.stretch ? 1000 : 1, far = e.stretch ? 5000 : 10;
    if (z > 1.3) {
      EXPECT_EQ(e.stiffness, far) << s;
    }
    if (z < 0.7) {
      EXPECT_EQ(e.stiffness, near) << s;
    }
    if (mesh->positions[e.i].z == 0.5 && mesh->positions[e.j].z == 0.5 && e.stretch) {
      EXPECT_EQ(e.stiffness, (near + far) / 2) << s;
    }
  }
  EXPECT_EQ(system.masses()[0], system.masses()[24]) << "the mass is that of the whole cloth";
  system.set_material({});
  EXPECT_EQ(system.elements().stiffness_by_slot, nullptr);
}

TEST(Fabric, RefusesAMaterialOfAGroupThatItCannotHave) {
  const auto mesh = two_halves();
  const auto model = std::make_shared<const ClothModel>(mesh);
  const auto refused = [&](const Material& material) {
    try {
      const ClothSystem system(model, material);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(
      refused(with_far({}, Fabric())),
      "The material of the group \"far\" is a fabric, and that of the cloth is springs; both must be of one "
      "kind.");
  EXPECT_EQ(
      refused(with_far(of({}), SpringStiffness())),
      "The material of the group \"far\" is springs, and that of the cloth is a fabric; both must be of one "
      "kind.");
  Material material;
  material.groups = {{"all", SpringStiffness()}, {"far", SpringStiffness()}};
  EXPECT_EQ(
      refused(material),
      "The material of the group \"far\" is not the only one of its faces: some are in the group \"all\" as "
      "well.");
  material.groups = {{"fra", SpringStiffness()}};
  EXPECT_NE(refused(material).find("no face is in the group \"fra\"; its groups are all, far, near."),
            std::string::npos)
      << refused(material);
}

TEST(Fabric, ChangesBackToSprings) {
  const auto mesh = grid(4);
  ClothSystem system(std::make_shared<const ClothModel>(mesh), of({500, 300, 20, 1, 0.1}));
  const Material springs;
  system.set_material(springs);
  for (const ElasticElement e : system.elements()) {
    EXPECT_EQ(e.stiffness, e.stretch ? springs.stretch_stiffness : springs.bend_stiffness);
    EXPECT_EQ(e.bending, 0);
  }
  EXPECT_EQ(system.masses()[0], 0.2 / 16);
}

}  // namespace
}  // namespace clothlab::test
