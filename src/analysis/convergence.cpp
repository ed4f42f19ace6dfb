// SPDX-License-Identifier: MIT
#include "analysis/convergence.h"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <limits>
#include <memory>
#include <optional>

#include "cloth/cloth_system.h"
#include "core/worker_pool.h"

namespace clothlab {
namespace {

constexpr int kRows = 3, kCols = 4, kFirstSteps = 10, kReferenceSteps = 8192;
constexpr double kSpacing = 0.2;  // [m]

double bump(int r, int c) { return 0.04 * std::sin(2.0 * r + 0.7) * std::cos(1.3 * c); }

std::shared_ptr<const ClothModel> make_model(const std::vector<vec3>& rest) {
  const auto at = [](int r, int c) { return static_cast<std::uint32_t>(r * kCols + c); };
  std::vector<ClothModel::Ends> stretch, bend;
  for (int r = 0; r < kRows; ++r)
    for (int c = 0; c < kCols; ++c) {
      const bool right = c + 1 < kCols, below = r + 1 < kRows;
      if (right) stretch.push_back({at(r, c), at(r, c + 1)});
      if (below) stretch.push_back({at(r, c), at(r + 1, c)});
      if (right && below) {
        stretch.push_back({at(r, c + 1), at(r + 1, c)});
        bend.push_back({at(r, c), at(r + 1, c + 1)});
      }
    }
  return std::make_shared<const ClothModel>(rest, stretch, bend);
}

std::vector<vec3> rest_shape() {
  std::vector<vec3> rest;
  for (int r = 0; r < kRows; ++r)
    for (int c = 0; c < kCols; ++c) rest.emplace_back(kSpacing * c, bump(r, c), kSpacing * r);
  return rest;
}

Material soft_undamped() {
  Material material;
  material.mass = 0.2;
  material.stretch_stiffness = 20;
  material.bend_stiffness = 2;
  material.spring_damping = 0;
  return material;
}

/// The state at the end in `steps` steps.
std::optional<State> swing(const IntegratorInfo& info, const IntegratorParameters& values,
                           JacobianMode jacobian, bool stretched, int steps, const StopProbe& stop) {
  WorkerPool pool;
  State state;
  state.x = rest_shape();
  ClothSystem system(make_model(state.x), soft_undamped());
  state.v.assign(state.x.size(), vec3(0));
  if (stretched) {
    for (vec3& x : state.x) x *= vec3(1.15, 1, 1.1);
    // From rest, symplectic Euler's velocities would happen to be of second order.
    for (std::size_t i = 0; i < state.v.size(); ++i) {
      const double k = static_cast<double>(i);
      state.v[i] = 0.2 * vec3(std::sin(k), std::cos(2 * k), std::sin(3 * k + 1));
    }
  }
  for (const std::size_t corner : {std::size_t{0}, std::size_t{kCols - 1}})
    system.projection().fix(corner, state.x[corner]);

  SolverSettings settings;
  settings.linear.cg.tolerance = settings.newton_tolerance = 1e-12;
  settings.linear.cg.max_iterations = 2000;
  settings.jacobian = jacobian;
  const std::unique_ptr<Integrator> integrator = info.make(values);
  for (int k = 0; k < steps; ++k) {
    integrator->advance(system, state, kConvergenceTime / steps, {settings, pool, stop});
    if (stop_requested(stop)) return std::nullopt;
  }
  return state;
}

double distance(const std::vector<vec3>& a, const std::vector<vec3>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += glm::dot(a[i] - b[i], a[i] - b[i]);
  return std::sqrt(sum);
}

const IntegratorInfo& of_highest_order() {
  return *std::ranges::max_element(
      integrators(), {}, [](const IntegratorInfo& info) { return info.inextensible ? 0 : info.order; });
}

}  // namespace

std::vector<ConvergencePoint> measure_convergence(const IntegratorInfo& info,
                                                  const IntegratorParameters& values, JacobianMode jacobian,
                                                  int levels, const StopProbe& stop) {
  const bool elastic = !info.inextensible;
  const IntegratorInfo& reference = elastic ? of_highest_order() : info;
  const int most = kFirstSteps << (levels - 1);
  const std::optional<State> exact =
      swing(reference, elastic ? default_parameters(reference) : values, jacobian, elastic,
            elastic ? std::max(kReferenceSteps, 2 * most) : 8 * most, stop);
  std::vector<ConvergencePoint> points;
  for (int level = 0; exact && level < levels; ++level) {
    const int steps = kFirstSteps << level;
    const std::optional<State> end = swing(info, values, jacobian, elastic, steps, stop);
    if (!end) break;
    const ConvergencePoint point{steps, kConvergenceTime / steps, distance(end->x, exact->x),
                                 distance(end->v, exact->v)};
    if (!std::isfinite(point.error_x + point.error_v)) break;
    points.push_back(point);
  }
  return points;
}

MeasuredOrder measured_order(const std::vector<ConvergencePoint>& points) {
  constexpr double kNoise = 3e-10;  // some hundred times the error with thousands of steps
  MeasuredOrder order{std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN()};
  for (std::size_t k = 1; k < points.size(); ++k) {
    if (points[k].error_x > kNoise) order.x = std::log2(points[k - 1].error_x / points[k].error_x);
    if (points[k].error_v > 10 * kNoise) order.v = std::log2(points[k - 1].error_v / points[k].error_v);
  }
  return order;
}

}  // namespace clothlab
