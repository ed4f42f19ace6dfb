// SPDX-License-Identifier: MIT
#include "experiments/slope_run.h"

#include <cmath>
#include <cstdint>
#include <glm/geometric.hpp>
#include <memory>

#include "core/error.h"
#include "core/worker_pool.h"
#include "experiments/step_loop.h"
#include "mesh/cloth_mesh.h"
#include "mesh/generators.h"
#include "sim/parameters.h"
#include "sim/simulation.h"

namespace clothlab {
namespace {

constexpr double kPull = 9.8;                                             // [m/s²]
constexpr double kParticleMass = 0.01, kPatchEdge = 0.01;                 // mass of a particle, edge [kg, m]
constexpr double kSoft = 5, kContactStiffness = 50, kContactFrom = 5e-3;  // [N/m, N/m, m]
constexpr double kSlopeThickness = 1e-3;                                  // by impulses [m]

/// The fastest oscillation has h·ω < 2 at 1/60 s, so that nothing but friction is stiff.
Scene patch_on(const Slope& slope, const IntegratorInfo& info, const IntegratorParameters& values) {
  const vec3 normal(std::sin(slope.angle), std::cos(slope.angle), 0), down(normal.y, -normal.x, 0);
  Scene scene;
  set_integrator(scene, info);
  for (std::size_t p = 0; p < info.parameters.size(); ++p)
    set_parameter(scene, info.parameters[p].id, values[p]);
  scene.pins = PinPreset::none;
  scene.material.mass = 4 * kParticleMass;
  scene.material.stretch_stiffness = scene.material.bend_stiffness = kSoft;
  scene.material.gravity = vec3(0, -kPull, 0);
  scene.dt = slope.h;
  scene.solver.linear.cg.tolerance = 1e-12;
  scene.solver.newton_tolerance = 1e-10;
  Obstacle plane;
  plane.shape = Obstacle::Shape::plane;
  plane.normal = normal;
  scene.obstacles = {{plane}, slope.friction};
  scene.contact = {.model = slope.contact,
                   .stiffness = kContactStiffness,
                   .distance = kContactFrom,
                   .friction_speed = slope.friction_speed};
  double gap = 0;
  if (info_of(slope.contact).by_forces)
    gap = kContactFrom - kParticleMass * kPull * std::cos(slope.angle) / kContactStiffness;
  if (slope.contact == ContactModel::impulse) gap = scene.thickness = kSlopeThickness;
  InitialState start;
  for (const double z : {0.0, kPatchEdge})
    for (const double x : {0.0, kPatchEdge})
      start.positions.push_back(gap * normal + x * down + vec3(0, 0, z));
  start.velocities.assign(start.positions.size(), vec3(0));
  scene.initial_state = start;
  return scene;
}

}  // namespace

bool Slope::sticks() const { return std::tan(angle) <= friction; }

double Slope::creep() const {
  return info_of(contact).by_forces ? friction_speed * (1 - std::sqrt(1 - std::tan(angle) / friction)) : 0;
}

double Slope::slide() const { return kPull * (std::sin(angle) - friction * std::cos(angle)); }

SlopeRun run_down(const Slope& slope, const IntegratorInfo& info, const IntegratorParameters& values,
                  const StopProbe& stop) try {
  WorkerPool pool(1);
  const auto mesh =
      std::make_shared<const ClothMesh>(build_cloth_mesh(make_grid_obj(2, 2, kPatchEdge, kPatchEdge)));
  Simulation simulation(patch_on(slope, info, values), mesh, pool, stop);
  const vec3 down(std::cos(slope.angle), -std::sin(slope.angle), 0);
  const auto mean = [&](const std::vector<vec3>& of) {
    double sum = 0;
    for (const vec3& u : of) sum += glm::dot(u, down);
    return sum / static_cast<double>(of.size());
  };
  const auto half = static_cast<std::uint64_t>(std::round(kSlopeTime / 2 / slope.h));
  const auto run_half = [&] { return run_steps(simulation, half, pool, stop, [](const StepTime&) {}); };
  StepStatus status = run_half();
  const double x = mean(simulation.state().x), v = mean(simulation.state().v);
  if (status == StepStatus::done) status = run_half();
  if (status != StepStatus::done) return {.blew_up = status == StepStatus::blown_up};
  const double time = static_cast<double>(half) * slope.h;
  return {.done = true,
          .speed = (mean(simulation.state().x) - x) / time,
          .rate = (mean(simulation.state().v) - v) / time};
} catch (const Cancelled&) {
  return {};
}

}  // namespace clothlab
