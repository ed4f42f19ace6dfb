// SPDX-License-Identifier: MIT
#include <cmath>
#include <memory>
#include <numbers>
#include <utility>

#include "cli/bench/bench.h"
#include "cli/interrupt.h"
#include "core/error.h"

namespace clothlab {
namespace {

constexpr RunPlan kDrape{.warm_up = 40, .steps = 40, .samples = 8};
constexpr int kShapes = 20;
constexpr double kRadius = 0.3;  // [m]
constexpr int kRingsOfMesh = 71;

/// A sphere of 10,000 triangles.
Obstacle mesh_sphere(const vec3& centre) {
  std::vector<vec3> corners;
  std::vector<TriangleSurface::Triangle> triangles;
  for (int ring = 0; ring <= kRingsOfMesh; ++ring)
    for (int k = 0; k < kRingsOfMesh; ++k) {
      const double latitude = std::numbers::pi * ring / kRingsOfMesh,
                   longitude = 2 * std::numbers::pi * k / kRingsOfMesh;
      const auto is_pole = [](int of_ring) { return of_ring == 0 || of_ring == kRingsOfMesh; };
      const double width = is_pole(ring) ? 0 : std::sin(latitude);
      corners.push_back(kRadius *
                        vec3(width * std::cos(longitude), std::cos(latitude), width * std::sin(longitude)));
      if (ring == 0) continue;
      const auto at = [&](int of_ring, int of_k) {
        return static_cast<std::uint32_t>(of_ring * kRingsOfMesh +
                                          (is_pole(of_ring) ? 0 : of_k % kRingsOfMesh));
      };
      triangles.push_back({at(ring - 1, k), at(ring - 1, k + 1), at(ring, k)});
      triangles.push_back({at(ring - 1, k + 1), at(ring, k + 1), at(ring, k)});
    }
  Obstacle body;
  body.shape = Obstacle::Shape::mesh;
  body.from = body.to = centre;
  body.mesh.path = std::make_shared<const std::string>("sphere of 10,000 triangles");
  body.mesh.surface = std::make_shared<const TriangleSurface>(std::move(corners), std::move(triangles));
  return body;
}

/// Steps without obstacles, one from each of these shapes.
struct Released {
  std::vector<double> ms, iterations;
};
Released release(Scene scene, const std::vector<State>& shapes, WorkerPool& pool) {
  scene.obstacles.bodies.clear();
  scene.contact.model = ContactModel::filter;
  const LoadedScene loaded = load_for_bench(scene);
  Simulation simulation(loaded.scene, loaded.mesh, pool, Interrupt::probe());
  simulation.step(pool, Interrupt::probe());  // with one-time setup
  Released released;
  for (const State& shape : shapes) {
    simulation.restore(pool, shape, 0);
    released.ms.push_back(milliseconds_of([&] { simulation.step(pool, Interrupt::probe()); }));
    released.iterations.push_back(simulation.record().cg_iterations);
    if (Interrupt::requested()) throw Cancelled();
  }
  return released;
}

BenchTable contacts_table(const BenchSettings& settings) {
  return {
      .id = "contacts",
      .title = "Contact, " + threads_text(settings.pool.threads()),
      .columns = {{"scene", "scene", ""},
                  {"particles", "particles", ""},
                  {"contact", "contact", ""},
                  {"step_ms_median", "median", "ms/step", 3},
                  {"real_time_factor", "real time", "×", 3},
                  {"contact_percent", "of contact", "%", 3},
                  {"contact_of_shape_percent", "of contact, same shape", "%", 3},
                  {"contacts", "contacts", "", 4},
                  {"candidates", "candidates", "", 4},
                  {"iterations_median", "CG it.", "median", 4},
                  {"end", "end", ""}},
      .notes =
          {"A loose sheet of 1 m by semi-implicit Euler, h = 1/60 s, that has fallen on a sphere for 40 "
           "steps; the median of the next 40. None: the same sheet, hung up by its corners. Of contact: "
           "additional time of a step compared with that; of the same shape: compared with a step without "
           "the sphere from the folded shapes of the run. Candidates: pairs of features that impulses test."},
      .keys = 3};
}

/// What nodal contact adds to the solve of a step.
void bench_contact_solves(const BenchSettings& settings, const Obstacle& sphere,
                          std::vector<BenchTable>& tables) {
  struct Phase {
    std::string_view name;
    int warm_up;
  };
  BenchTable& table = tables.emplace_back(BenchTable{
      .id = "contact-solves",
      .title = "Nodal contact and the same shape released, " + threads_text(settings.pool.threads()),
      .columns = {{"scene", "scene", ""},
                  {"phase", "", ""},
                  {"contacts", "contacts", "", 4},
                  {"iterations", "CG it.", "mean", 4},
                  {"iterations_released", "released", "CG it.", 4},
                  {"iterations_ratio", "ratio", "×", 3},
                  {"step_ms_median", "median", "ms/step", 3},
                  {"step_ms_released", "released", "ms/step", 3},
                  {"step_ms_ratio", "ratio", "×", 3}},
      .notes = {"A loose sheet of 1 m by semi-implicit Euler, h = 1/60 s, on a sphere: 20 steps from the "
                "first contact, and 20 after 300 steps. Released: a step without the sphere from each of "
                "their shapes and velocities."},
      .keys = 2});
  for (const int n : {64, 128, 316})
    for (const Phase& phase : {Phase{"landing", 2}, Phase{"at rest", 300}}) {
      const std::string name = sheet_name(n);
      settings.begin(name + ", " + std::string(phase.name));
      Scene scene = hanging_sheet(n);
      scene.pins = PinPreset::none;
      scene.obstacles.bodies = {sphere};
      const RunFigures run = run_scene(load_for_bench(scene), settings.pool,
                                       {.warm_up = phase.warm_up, .steps = kShapes, .samples = kShapes});
      const Released released = release(scene, run.samples, settings.pool);
      const double iterations = mean(run.iterations), alone = mean(released.iterations);
      const double ms = median(run.step_ms), ms_alone = median(released.ms);
      table.rows.push_back({name, std::string(phase.name), median(run.contacts), iterations, alone,
                            iterations / alone, ms, ms_alone, ms / ms_alone});
      if (!run.blow_up.empty()) table.notes.push_back(name + ": " + run.blow_up);
    }
}

}  // namespace

void bench_contacts(const BenchSettings& settings, std::vector<BenchTable>& tables) {
  BenchTable& table = tables.emplace_back(contacts_table(settings));
  const vec3 centre(0.5, -kRadius - 0.01, 0.5);
  Obstacle sphere;
  sphere.from = sphere.to = centre;
  sphere.radius = kRadius;
  for (const int n : {50, 100, 316}) {
    double alone = 0;  // [ms]
    const auto measure = [&](Scene scene, const std::string& name, std::string_view contact) {
      settings.begin(name + ", " + std::string(contact));
      const RunFigures run = run_scene(load_for_bench(scene), settings.pool, kDrape);
      const double ms = median(run.step_ms);
      const double free =
          scene.obstacles.bodies.empty() ? ms : median(release(scene, run.samples, settings.pool).ms);
      if (scene.obstacles.bodies.empty()) alone = ms;
      table.rows.push_back({name, static_cast<long long>(n) * n, std::string(contact), ms,
                            1e3 * scene.dt / ms, 100 * (1 - alone / ms), 100 * (1 - free / ms),
                            median(run.contacts), median(run.candidates), median(run.iterations), run.end()});
      if (!run.blow_up.empty()) table.notes.push_back(name + ": " + run.blow_up);
    };
    Scene scene = hanging_sheet(n);
    const std::string name = sheet_name(n);
    measure(scene, name, "none");
    scene.pins = PinPreset::none;
    const auto measure_models = [&](const Obstacle& body, const std::string& title) {
      scene.obstacles.bodies = {body};
      for (const ContactModelInfo& info : kContactModels) {
        scene.contact.model = info.model;
        measure(scene, title, info.id);
      }
    };
    measure_models(sphere, name);
    if (n == 100) measure_models(mesh_sphere(centre), name + " on a mesh");
  }
  bench_contact_solves(settings, sphere, tables);
}

}  // namespace clothlab
