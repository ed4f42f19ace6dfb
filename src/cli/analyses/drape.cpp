// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <glm/geometric.hpp>
#include <limits>
#include <utility>

#include "cli/analyses/method_analysis.h"
#include "contact/contact_response.h"
#include "core/error.h"
#include "core/quantile.h"
#include "core/text.h"
#include "sim/contact.h"

namespace clothlab {
namespace {

constexpr double kCalm = 0.25;                      // [s]
constexpr std::array kOfStiffness{0.1, 1.0, 10.0};  // of the scene's stiffness

/// A soft sheet that falls from 5 mm above a sphere, damped to come to rest within two seconds.
Scene sheet_above_sphere() {
  Scene scene;
  scene.mesh = GridSource{15, 15, 0.4, 0.4};
  scene.pins = PinPreset::none;
  scene.material.stretch_stiffness = 50;
  scene.material.bend_stiffness = 0.5;
  scene.material.rayleigh_mass = 5;
  scene.obstacles.bodies = {parse_obstacle("sphere:0.2,-0.305,0.2,0.3")};
  scene.contact.stiffness = 100;
  scene.contact.distance = 1e-3;
  scene.dt = 2e-3;
  return scene;
}

struct Drape final : SceneAnalysis {
  explicit Drape(const SubcommandContext& context)
      : SceneAnalysis(
            context,
            "integrator,contact,contact_stiffness,steps,rest_time,blew_up,least_gap,gap,distance_mean,"
            "distance_max,energy,energy_contact,energy_made,max_strain,ms_per_step\n",
            two_panels("Sheet on a sphere: penalty compared with filter",
                       {.title = "contact stiffness [N/m]", .logarithmic = true},
                       {.title = "mean distance from the shape by filter [m]", .logarithmic = true},
                       {.title = "time of a step over that by filter", .logarithmic = true})) {}

  double rest_speed = 1e-3;

  void add_options(CLI::App& app) override {
    options.add_positive(
        app, "rest-speed", "M/S", "m/s", rest_speed,
        "A run ends at rest when the root mean square of speeds was below this for 0.25 s; default 0.001.");
    add_run_to(app, 1000, {"--integrator", "--contact"});
  }

  struct Shape {
    std::vector<vec3> x;
    double ms = 0;                     ///< of a step
    double mean = NAN, largest = NAN;  ///< distance of the particles from the shape by filter [m]
  };

  static double least_gap(const Simulation& simulation) {
    double least = std::numeric_limits<double>::infinity();
    const Scene& of = simulation.scene();
    const std::vector<Obstacle> bodies = simulation.obstacles();
    for (const vec3& x : simulation.state().x) {
      if (of.floor.on) least = std::min(least, x.y - of.floor.height);
      for (const Obstacle& body : bodies) {
        const SurfacePoint place = closest_point(body, x);
        least = std::min(least, place.gap());
      }
    }
    return least - of.thickness;
  }

  /// [mm], without signs of zeros and rounding errors.
  static double millimetres(double length) { return std::round(1e6 * length) / 1e3 + 0.0; }

  /// Nothing if it blew up. Throws Cancelled.
  std::optional<Shape> come_to_rest(const Scene& tried, std::uint64_t most,
                                    const std::optional<Shape>& filtered) {
    Simulation simulation(tried, loaded.mesh, *pool, stop, loaded.model);
    double deepest = least_gap(simulation), calm = 0;
    std::vector<double> step_ms;
    const StepStatus status = run_steps(simulation, most, *pool, stop, [&](const StepTime& took) {
      step_ms.push_back(took.wall);
      deepest = std::min(deepest, least_gap(simulation));
      const double speed =
          std::sqrt(2 * simulation.record().energy.kinetic / tried.material.mass_of(loaded.mesh->area));
      calm = speed < rest_speed ? calm + tried.dt : 0;
      return calm < kCalm;
    });
    if (status == StepStatus::stopped) throw Cancelled();
    const bool blew_up = status == StepStatus::blown_up, rests = calm >= kCalm;
    const StepRecord& record = simulation.record();
    Shape shape{simulation.state().x, quantile(step_ms, 0.5)};
    std::string off;
    if (filtered) {
      shape.mean = shape.largest = 0;
      for (std::size_t i = 0; i < shape.x.size(); ++i) {
        const double distance = glm::length(shape.x[i] - filtered->x[i]);
        shape.mean += distance / static_cast<double>(shape.x.size());
        shape.largest = std::max(shape.largest, distance);
      }
      off = format_digits(1000 * shape.mean, 3) + " / " + format_digits(1000 * shape.largest, 3);
    }
    const double contact = simulation.system().contact_energy(*pool, shape.x), gap = least_gap(simulation);
    const double spurious = record.ledger.spurious();
    const double rested = rests ? record.time - kCalm : NAN;
    const bool forces = info_of(tried.contact.model).by_forces;
    const double k = forces ? simulation.contact().force().settings().law.stiffness : NAN;
    const std::string law(info_of(tried.contact.model).id);
    const std::string method(label_of(method_info(tried)));
    std::printf("%-29s %-16s %8s %9.3f %9.3f %17s %10.5f %9.2g %9.2g %7.2f %8.3f\n", method.c_str(),
                (forces ? law + " " + format_digits(k, 3) + " N/m" : law).c_str(),
                blew_up ? "blew up"
                : rests ? format_digits(rested, 3).c_str()
                        : "never",
                millimetres(deepest), millimetres(gap), off.c_str(), record.energy.total, contact, spurious,
                100 * record.max_strain, shape.ms);
    std::fflush(stdout);
    csv += csv_row(method, law, k, simulation.steps(), rested, blew_up, deepest, gap, shape.mean,
                   shape.largest, record.energy.total, contact, spurious, record.max_strain, shape.ms);
    return blew_up ? std::nullopt : std::optional(std::move(shape));
  }

  /// By each contact model.
  std::vector<Scene> runs() const override {
    std::vector<Scene> out;
    for (Scene& run : SceneAnalysis::runs())
      for (const ContactModel model :
           {ContactModel::filter, ContactModel::impulse, ContactModel::barrier, ContactModel::penalty}) {
        run.contact.model = model;
        if (supports_contact(model, method_info(run))) out.push_back(run);
      }
    return out;
  }

  void measure_all() override {
    load_or(sheet_above_sphere());
    if (!has_surfaces(loaded.scene))
      throw InputError(
          "analyze drape: the scene has neither --obstacle nor --floor for the cloth to lie on.");
    const std::uint64_t most = run_length();
    std::printf(
        "%-29s %-16s %8s %9s %9s %17s %10s %9s %9s %7s %8s\n"
        "%-29s %-16s %8s %9s %9s %17s %10s %9s %9s %7s %8s\n",
        "", "", "at rest", "least gap", "at rest", "from filter", "energy", "contact", "spurious", "strain",
        "ms per", "integrator", "contact", "[s]", "[mm]", "[mm]", "mean / most [mm]", "[J]", "[J]", "[J]",
        "[%]", "step");
    tell_of_no_effect();
    for_each([&](const IntegratorInfo& info) {
      Scene tried = scene_for(info);
      tried.contact.model = ContactModel::filter;
      const std::optional<Shape> filtered = come_to_rest(tried, most, {});
      tried.contact.model = ContactModel::impulse;
      come_to_rest(tried, most, filtered);
      tried.contact.model = ContactModel::barrier;
      if (supports_contact(tried.contact.model, info)) {
        try {
          come_to_rest(tried, most, filtered);
        } catch (const InputError& refusal) {  // it starts inside the range of a barrier
          std::fprintf(stderr, "clothlab: %s by barrier: %s\n", std::string(label_of(info)).c_str(),
                       refusal.what());
        }
      }
      Points distance_and_cost;
      tried.contact.model = ContactModel::penalty;
      for (const double factor : kOfStiffness) {
        tried.contact.stiffness = factor * loaded.scene.contact.stiffness;
        if (!supports_contact(tried.contact.model, info)) return;
        const std::optional<Shape> pushed = come_to_rest(tried, most, filtered);
        if (filtered && pushed)
          distance_and_cost.add(tried.contact.stiffness, {pushed->mean, pushed->ms / filtered->ms});
      }
      if (!distance_and_cost.x.empty()) add_curves(curve(info, true), std::move(distance_and_cost));
    });
  }
};

}  // namespace

const SubcommandRow kDrapeAnalysis{
    "drape",
    "Where cloth comes to rest on obstacles or the floor: by filter, impulse, barrier and penalty of three "
    "stiffnesses.\nWithout a scene: a soft sheet of 15 x 15 particles above a sphere, at --dt 0.002; options "
    "change it like any scene.",
    make_subcommand<Drape>};

}  // namespace clothlab
