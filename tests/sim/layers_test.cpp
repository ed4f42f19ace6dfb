// SPDX-License-Identifier: MIT
// Layers of cloth that lie on each other: friction between them obeys Coulomb's law.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "integrate/registry.h"
#include "mesh/generators.h"
#include "sim/loose_cloth.h"

namespace clothlab::testing {
namespace {

constexpr double kFall = 9.8, kThickness = 2e-3, kFrame = 1.0 / 60;

/// Sheets on a slope, the largest one lowest. At rest they are far from each other, so that the thickness is
/// that of the scene.
class Stack {
 public:
  Stack(int sheets, double slope, double friction, double of_floor,
        std::string_view method = "semi-implicit-euler", double h = kFrame, double drop = 0)
      : h_(h) {
    ObjMesh obj;
    for (int k = 0; k < sheets; ++k) add_sheet(obj, k, 8 + 3 * (sheets - 1 - k), drop);
    first_.push_back(x_.size());
    obj.grid.reset();
    Scene scene = loose_scene(method);
    scene.dt = h;
    scene.contact.model = ContactModel::impulse;
    scene.thickness = kThickness;
    scene.material.stretch_stiffness =
        find_integrator(method)->family == IntegratorFamily::explicit_method ? 50 : 1000;
    const double angle = std::atan(slope);
    scene.material.gravity = kFall * vec3(std::sin(angle), -std::cos(angle), 0);
    scene.floor = {.on = true, .height = -kThickness, .friction = of_floor};
    scene.obstacles.friction = friction;
    scene.initial_state = InitialState{x_, std::vector<vec3>(x_.size(), vec3(0))};
    simulation_ = std::make_unique<Simulation>(scene, built(std::move(obj)), one_thread());
  }

  void run(double time) {
    const auto steps = static_cast<int>(std::lround(time / h_));
    for (int k = 0; k < steps; ++k) {
      ASSERT_EQ(simulation_->step(one_thread()), StepStatus::done);
      if (!simulation_->record().converged) ++failed_;
    }
    EXPECT_LE(failed_, may_fail) << "of " << steps;
  }
  int may_fail = 0;  ///< steps that need not converge
  void reset() { simulation_->apply(one_thread(), Reset{}); }
  double speed_of(int sheet) const {
    double sum = 0;
    for (const vec3& v : of(sheet, simulation_->state().v)) sum += v.x;
    return sum / static_cast<double>(of(sheet, x_).size());
  }
  /// Along the normal, of the particle of a sheet that rises fastest.
  double rise_of(int sheet) const {
    double most = 0;
    for (const vec3& v : of(sheet, simulation_->state().v)) most = std::max(most, v.y);
    return most;
  }
  double fastest() const {
    double most = 0;
    for (const vec3& v : simulation_->state().v) most = std::max(most, glm::length(v));
    return most;
  }
  double largest_error_of_height() const {
    double most = 0;
    for (int sheet = 0; sheet + 1 < static_cast<int>(first_.size()); ++sheet)
      for (const vec3& x : of(sheet, simulation_->state().x))
        most = std::max(most, std::abs(x.y - sheet * kThickness));
    return most;
  }

 private:
  std::span<const vec3> of(int sheet, const std::vector<vec3>& all) const {
    const auto k = static_cast<std::size_t>(sheet);
    return std::span(all).subspan(first_[k], first_[k + 1] - first_[k]);
  }
  void add_sheet(ObjMesh& obj, int k, int rows, double drop) {
    constexpr double kSpacing = 0.05;
    const double size = kSpacing * (rows - 1), turn = 0.02 + 0.09 * k;
    const ObjMesh sheet = make_grid_obj(rows, rows, size, size);
    const auto first = static_cast<std::int32_t>(obj.vertices.size());
    first_.push_back(x_.size());
    for (const vec3& x : sheet.vertices) {
      const vec3 from_middle = x - vec3(size / 2, 0, size / 2);
      const vec3 turned(std::cos(turn) * from_middle.x + std::sin(turn) * from_middle.z + 0.0037 * k, 0,
                        std::cos(turn) * from_middle.z - std::sin(turn) * from_middle.x + 0.0021 * k);
      obj.vertices.push_back(turned + vec3(0, k, 0));
      x_.push_back(turned + vec3(0, k * (kThickness + drop), 0));
    }
    for (std::size_t f = 0; f < sheet.face_count(); ++f) {
      std::vector<ObjMesh::Corner> corners;
      for (ObjMesh::Corner corner : sheet.face(f)) {
        corner.vertex += first;
        corners.push_back(corner);
      }
      obj.add_face(corners);
    }
  }

  double h_;
  int failed_ = 0;
  std::vector<vec3> x_;
  std::vector<std::size_t> first_;
  std::unique_ptr<Simulation> simulation_;
};

// A layer sticks while tan θ < μ, else it slides with g (sin θ − μ cos θ).
double acceleration(double slope, double friction) {
  const double angle = std::atan(slope);
  return kFall * std::max(0.0, std::sin(angle) - friction * std::cos(angle));
}

constexpr double kRough = 0.3, kTime = 0.4;

TEST(Layers, StickBelowTheLimitOfCoulombsLaw) {
  for (const int sheets : {2, 3}) {
    Stack stack(sheets, 0.9 * kRough, kRough, 5);
    stack.run(kTime);
    EXPECT_LT(stack.fastest(), 1e-5) << sheets;
    EXPECT_LT(stack.largest_error_of_height(), 1e-6) << sheets;
  }
}

TEST(Layers, SlideAboveTheLimitOfCoulombsLaw) {
  const double speed = acceleration(1.1 * kRough, kRough) * kTime;
  for (const int sheets : {2, 3}) {
    Stack stack(sheets, 1.1 * kRough, kRough, 5);
    stack.run(kTime);
    EXPECT_LT(std::abs(stack.speed_of(0)), 1e-6) << sheets;
    for (int k = 1; k < sheets; ++k)
      EXPECT_NEAR(stack.speed_of(k), speed, 0.05 * speed) << k << " of " << sheets;
    EXPECT_LT(stack.largest_error_of_height(), 1e-5) << sheets;
  }
}

struct StepsOfMethod {
  std::string_view id;
  double h, time;
};

// Those that solve pairs within the step, except exponential Rosenbrock-Euler, which creeps.
std::vector<StepsOfMethod> methods_with_pairs() {
  std::vector<StepsOfMethod> methods;
  for (const IntegratorInfo& info : integrators()) {
    if (!info.solves_pairs || info.id == "exponential-rosenbrock-euler") continue;
    const bool is_explicit = info.family == IntegratorFamily::explicit_method;
    const double h = !is_explicit ? 1.0 / 60 : info.stability_limit == 0 ? 2e-4 : 1e-3;
    methods.push_back({info.id, h, is_explicit ? 0.1 : kTime});
  }
  return methods;
}

class LayersBy : public ::testing::TestWithParam<StepsOfMethod> {};

// Generalized-α and semi-implicit TR-BDF2 + ERE creep by up to 2 mm/s.
TEST_P(LayersBy, StickAndSlideAsCoulombsLawSays) {
  const auto& [id, h, time] = GetParam();
  const double speed = acceleration(1.1 * kRough, kRough) * time;
  Stack below(2, 0.9 * kRough, kRough, 5, id, h), above(2, 1.1 * kRough, kRough, 5, id, h);
  below.run(time);
  above.run(time);
  EXPECT_LT(below.fastest(), 0.05 * speed);
  EXPECT_LT(std::abs(above.speed_of(0)), 1e-6);
  EXPECT_NEAR(above.speed_of(1), speed, 0.05 * speed);
  for (const Stack* stack : {&below, &above}) EXPECT_LT(stack->largest_error_of_height(), 1e-5);
}

INSTANTIATE_TEST_SUITE_P(All, LayersBy, ::testing::ValuesIn(methods_with_pairs()), [](const auto& of) {
  std::string name(of.param.id);
  std::ranges::replace(name, '-', '_');
  return name;
});

// A sheet falls on another one. It rises at most as fast as pairs nearer than ξ are separated: methods with a
// history do not take the change of velocity into the next step.
TEST_P(LayersBy, LandWithoutARebound) {
  constexpr double kDrop = 0.02;
  const auto& [id, h, time] = GetParam();
  Stack stack(2, 0, kRough, 5, id, h, kDrop);
  stack.may_fail = 1;  // of three methods the step of the impact
  double rise = 0;
  for (double t = 0; t < 0.12; t += h) {
    stack.run(h);
    rise = std::max(rise, stack.rise_of(1));
  }
  EXPECT_LT(rise, 0.2 * std::sqrt(2 * kFall * kDrop));
  EXPECT_LT(stack.largest_error_of_height(), kThickness / 2);  // of the hop of that speed
}

// The floor is smoother than the sheets: they slide on it as one.
TEST(Layers, SlideTogetherWhereTheFloorIsSmoother) {
  const double slope = 0.25, floor = 0.2, speed = acceleration(slope, floor) * kTime;
  Stack stack(3, slope, kRough, floor);
  stack.run(kTime);
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(stack.speed_of(k), speed, 0.05 * speed) << k;
}

// The first guess of a run after a reset is not that of another state.
TEST(Layers, MoveInTheSameWayAfterAReset) {
  Stack stack(2, 1.1 * kRough, kRough, 5);
  stack.run(5 * kFrame);
  const double first = stack.speed_of(1);
  stack.reset();
  stack.run(5 * kFrame);
  EXPECT_EQ(stack.speed_of(1), first);
}

}  // namespace
}  // namespace clothlab::testing
