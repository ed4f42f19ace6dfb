// SPDX-License-Identifier: MIT
#include "experiments/convergence.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <glm/geometric.hpp>
#include <limits>
#include <memory>

#include "contact/contact_law.h"
#include "contact/contact_response.h"
#include "core/error.h"
#include "core/worker_pool.h"
#include "experiments/step_trial.h"
#include "mesh/cloth_mesh.h"
#include "mesh/generators.h"
#include "sim/parameters.h"
#include "sim/simulation.h"

namespace clothlab {
namespace {

constexpr int kRows = 3, kCols = 4, kFirstSteps = 10, kReferenceSteps = 8192;
constexpr double kSpacing = 0.2;                                       // [m]
constexpr double kBall = 1, kPress = 98, kStiff = 100, kReach = 0.05;  // [m], [m/s²], [N/m], [m]
constexpr double kSwingThickness = 1e-3;                               // [m], by impulses

double bump(int r, int c) { return 0.04 * std::sin(2.0 * r + 0.7) * std::cos(1.3 * c); }

struct Swing {
  const IntegratorInfo& info;
  const IntegratorParameters& values;
  SolverSettings settings;  // all but tolerances
  bool stretched;
  std::optional<ContactModel> contact;

  vec3 middle() const { return {kSpacing * (kCols - 1) / 2, -kBall, kSpacing * (kRows - 1) / 2}; }
  vec3 outwards(const vec3& x) const { return glm::normalize(x - middle()); }
  /// Rest position of a particle of the sheet or, with a contact model, its position `gap` above the ball.
  vec3 put(const vec3& x, double gap) const { return contact ? middle() + (kBall + gap) * outwards(x) : x; }

  std::shared_ptr<const ClothMesh> sheet() const {
    ObjMesh obj = make_grid_obj(kRows, kCols, kSpacing * (kCols - 1), kSpacing * (kRows - 1));
    for (int r = 0; r < kRows; ++r)
      for (int c = 0; c < kCols; ++c) {
        vec3& x = obj.vertices[static_cast<std::size_t>(r * kCols + c)];
        x = put(x + vec3(0, contact ? 0 : bump(r, c), 0), 0);
      }
    return std::make_shared<const ClothMesh>(build_cloth_mesh(std::move(obj)));
  }

  bool by_forces() const { return contact && info_of(*contact).by_forces; }
  /// The gap at which contact carries a particle; 0 if the surface constrains it.
  double carried() const {
    if (!by_forces()) return contact == ContactModel::impulse ? kSwingThickness : 0;
    const ContactLaw law{kStiff, kReach, contact == ContactModel::barrier};
    double low = 0, high = kReach;
    while (true) {
      const double middle = (low + high) / 2;
      if (middle <= low || middle >= high) return low;
      (law.push(middle) > 0.2 / (kRows * kCols) * kPress ? low : high) = middle;
    }
  }

  InitialState start(const ClothMesh& mesh) const {
    InitialState start;
    const double gap = carried();
    for (std::size_t i = 0; i < mesh.positions.size(); ++i) {
      const double k = static_cast<double>(i);
      // From rest, symplectic Euler's velocities would happen to be of second order.
      vec3 v = 0.2 * vec3(std::sin(k), std::cos(2 * k), std::sin(3 * k + 1));
      const vec3 x = put(mesh.positions[i] * vec3(1.15, 1, 1.1), gap);
      if (contact) v -= glm::dot(outwards(x), v) * outwards(x);
      start.positions.push_back(x);
      start.velocities.push_back(v);
    }
    return start;
  }

  Scene scene(const ClothMesh& mesh, int steps) const {
    Scene scene;
    set_integrator(scene, info);
    for (std::size_t p = 0; p < info.parameters.size(); ++p)
      set_parameter(scene, info.parameters[p].id, values[p]);
    scene.pins = std::vector<std::uint32_t>{0, kCols - 1};
    scene.material.mass = 0.2;
    scene.material.stretch_stiffness = 20;
    scene.material.bend_stiffness = 2;
    scene.material.spring_damping = 0;
    if (stretched) scene.initial_state = start(mesh);
    scene.substeps = steps % 8 == 0 ? 8 : 1;  // a step of a scene is no shorter than 1 µs
    scene.dt = kConvergenceTime / steps * scene.substeps;
    scene.energy_limit = std::numeric_limits<double>::infinity();
    SolverSettings& solver = scene.solver;
    solver = settings;
    solver.linear.cg.tolerance = solver.newton_tolerance = 1e-12;
    solver.linear.cg.max_iterations = 2000;
    if (!contact) return scene;
    Obstacle ball;
    ball.from = ball.to = middle();
    ball.radius = kBall;
    scene.obstacles = {{ball}, 0};
    scene.contact = {.model = *contact, .stiffness = kStiff, .barrier_stiffness = kStiff, .distance = kReach};
    if (contact == ContactModel::impulse) scene.thickness = kSwingThickness;
    scene.material.gravity = vec3(0, -kPress, 0);
    return scene;
  }
};

/// Result of a swing in some steps.
struct SwingEnd {
  State state;
  double energy = 0;  // total [J]
  bool same_pairs = true;
};

/// Nothing if it was cancelled or blew up.
std::optional<SwingEnd> end_of(const Swing& swing, int steps, const StopProbe& stop) try {
  WorkerPool pool(1);
  const auto mesh = swing.sheet();
  const Scene scene = swing.scene(*mesh, steps);
  Simulation simulation(scene, mesh, pool, stop);
  SwingEnd end;
  const auto scene_steps = static_cast<std::uint64_t>(steps / scene.substeps);
  const StepStatus status = run_steps(simulation, scene_steps, pool, stop, [&](const StepTime&) {
    const std::vector<vec3>& x = simulation.state().x;
    const std::size_t held = swing.by_forces() ? simulation.contact().force().contacts_at(pool, x).size()
                                               : simulation.constraints(x).entries().size();
    end.same_pairs = end.same_pairs && (!swing.contact || held == x.size());
  });
  if (status != StepStatus::done) return std::nullopt;
  end.state = simulation.state();
  end.energy = simulation.record().energy.total;
  return end;
} catch (const Cancelled&) {
  return std::nullopt;
}

/// The component of x − exact along other − exact.
double component(const std::vector<vec3>& x, const std::vector<vec3>& other, const std::vector<vec3>& exact) {
  double product = 0;
  for (std::size_t i = 0; i < x.size(); ++i) product += glm::dot(x[i] - exact[i], other[i] - exact[i]);
  return product / std::sqrt(squared_distance(other, exact));
}

}  // namespace

std::vector<ConvergencePoint> measure_convergence(const IntegratorInfo& info,
                                                  const IntegratorParameters& values,
                                                  const SolverSettings& solver, int levels,
                                                  std::optional<ContactModel> contact,
                                                  const StopProbe& stop) {
  const bool elastic = !info.inextensible;
  const Swing swing{info, values, solver, elastic, contact};
  const IntegratorInfo& best = most_accurate_method();
  const IntegratorParameters best_values = default_parameters(best);
  const Swing reference{best, best_values, solver, true, contact};
  const int most = kFirstSteps << (levels - 1);
  const bool holds = contact && !info_of(*contact).by_forces;
  const int reference_steps = holds ? 32 * most : elastic ? std::max(kReferenceSteps, 2 * most) : 8 * most;
  const std::optional<SwingEnd> exact = end_of(elastic ? reference : swing, reference_steps, stop);
  const IntegratorParameters none;
  const Swing by_euler{*find_integrator("explicit-euler"), none, solver, true, contact};
  const std::optional<SwingEnd> euler = exact && elastic ? end_of(by_euler, most, stop) : std::nullopt;
  std::vector<ConvergencePoint> points;
  for (int level = 0; exact && level < levels; ++level) {
    const int steps = kFirstSteps << level;
    const std::optional<SwingEnd> end = end_of(swing, steps, stop);
    if (!end) break;
    points.push_back({.steps = steps,
                      .h = kConvergenceTime / steps,
                      .error_x = std::sqrt(squared_distance(end->state.x, exact->state.x)),
                      .error_v = std::sqrt(squared_distance(end->state.v, exact->state.v)),
                      .signed_x = euler ? component(end->state.x, euler->state.x, exact->state.x) : NAN,
                      .error_energy = end->energy - exact->energy,
                      .same_pairs = end->same_pairs && exact->same_pairs});
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
