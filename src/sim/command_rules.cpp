// SPDX-License-Identifier: MIT
#include "sim/command_rules.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "cloth/cloth_model.h"
#include "core/error.h"
#include "core/vec.h"
#include "integrate/tableau.h"
#include "sim/contact.h"
#include "sim/driver_set.h"
#include "sim/parameters.h"
#include "sim/pin_set.h"

namespace clothlab {
namespace {

constexpr double kWeightTolerance = 1e-6;  // the window picks in single precision

std::string parameter_subject(const Command& command) { return std::get<SetParameter>(command).id; }
std::string gravity_subject(const Command&) { return "gravity"; }
std::string obstacles_subject(const Command&) { return "obstacles"; }
std::string obstacle_subject(const Command& command) {
  return "obstacle " + std::to_string(std::get<MoveObstacle>(command).obstacle);
}
std::string pins_subject(const Command& command) {
  std::string subject = "pins";
  for (const PinTarget& pin : std::get<MovePins>(command).pins)
    subject.append(" ").append(std::to_string(pin.particle));
  return subject;
}

constexpr bool kYes = true, kNo = false;

/// A kind of command without a row does not compile.
template <class Kind>
constexpr CommandRule kRule = Kind::has_no_row;
// clang-format off
//                                                          scene shown breaks urgent gesture
template <> constexpr CommandRule kRule<SetParameter>{      kYes, kNo,  kYes,  kNo,   parameter_subject};
template <> constexpr CommandRule kRule<SetGravity>{        kYes, kNo,  kYes,  kNo,   gravity_subject};
template <> constexpr CommandRule kRule<SetObstacles>{      kYes, kNo,  kYes,  kNo,   obstacles_subject};
template <> constexpr CommandRule kRule<MoveObstacle>{      kYes, kNo,  kNo,   kNo,   obstacle_subject};
template <> constexpr CommandRule kRule<SetIntegrator>{     kYes, kNo,  kYes,  kNo,   nullptr};
template <> constexpr CommandRule kRule<SetTableau>{        kYes, kNo,  kYes,  kNo,   nullptr};
template <> constexpr CommandRule kRule<SetPinned>{         kYes, kYes, kYes,  kNo,   nullptr};
template <> constexpr CommandRule kRule<SetPinPreset>{      kYes, kYes, kYes,  kNo,   nullptr};
template <> constexpr CommandRule kRule<SetScene>{          kYes, kNo,  kYes,  kNo,   nullptr};  // shown: if its pins differ
template <> constexpr CommandRule kRule<MovePins>{          kNo,  kYes, kNo,   kNo,   pins_subject};
template <> constexpr CommandRule kRule<Grab>{              kNo,  kYes, kYes,  kNo,   nullptr};
template <> constexpr CommandRule kRule<MoveCursor>{        kNo,  kNo,  kNo,   kNo,   nullptr};
template <> constexpr CommandRule kRule<Release>{           kNo,  kNo,  kYes,  kNo,   nullptr};
template <> constexpr CommandRule kRule<Reset>{             kNo,  kNo,  kYes,  kYes,  nullptr};
template <> constexpr CommandRule kRule<GoBack>{            kNo,  kNo,  kYes,  kNo,   nullptr};
template <> constexpr CommandRule kRule<RestoreGoodState>{  kNo,  kNo,  kYes,  kNo,   nullptr};
template <> constexpr CommandRule kRule<ReverseVelocities>{ kNo,  kYes, kYes,  kNo,   nullptr};
template <> constexpr CommandRule kRule<SetDriver>{         kYes, kNo,  kYes,  kNo,   nullptr};
template <> constexpr CommandRule kRule<StepBack>{          kNo,  kYes, kNo,   kNo,   nullptr};
// clang-format on

void check_point(const std::string& what, const vec3& point) {
  if (!is_finite(point)) throw InputError(what + " must be a finite position.");
}

void check_duration(const char* of_what, double duration) {
  if (!(duration >= 0) || !std::isfinite(duration))
    throw InputError(std::string("The duration of ") + of_what +
                     "'s motion must be a finite number of seconds, 0 or more.");
}

/// Every operator returns the scene after the command, or throws InputError.
class Change {
 public:
  using SharedScene = std::shared_ptr<const Scene>;

  Change(const SharedScene& scene, const ClothMesh& mesh) : scene_(scene), mesh_(mesh) {}

  SharedScene operator()(const SetParameter& c) const {
    return edited([&](Scene& next) { set_parameter(next, c.id, c.value); });
  }

  SharedScene operator()(const SetGravity& c) const {
    check_gravity(c.gravity);
    return edited([&](Scene& next) { next.material.gravity = c.gravity; });
  }

  SharedScene operator()(const SetObstacles& c) const {
    check_obstacles(c.bodies);
    check_read(c.bodies);
    return edited([&](Scene& next) { next.obstacles.bodies = c.bodies; });
  }

  SharedScene operator()(const MoveObstacle& c) const {
    if (c.obstacle >= scene_->obstacles.bodies.size())
      throw InputError("There is no obstacle " + std::to_string(c.obstacle + std::size_t{1}) + ".");
    check_point("The target of an obstacle", c.to);
    check_duration("an obstacle", c.duration);
    return edited([&](Scene& next) {
      Obstacle& body = next.obstacles.bodies[c.obstacle];
      body = moved_to(body, c.to);
      check_obstacles(next.obstacles.bodies);
    });
  }

  SharedScene operator()(const SetIntegrator& c) const {
    return edited([&](Scene& next) { set_integrator(next, c.id); });
  }

  SharedScene operator()(const SetTableau& c) const {
    if (c.tableau == nullptr) throw InputError("There is no tableau to switch to.");
    return edited([&](Scene& next) { set_integrator(next, c.tableau->info); });
  }

  SharedScene operator()(const SetPinned& c) const {
    for (const std::uint32_t i : c.particles) check_particle(i);
    const std::vector<std::uint32_t> before = selected_particles(mesh_, *scene_);
    std::vector<std::uint32_t> held = with_pinned(before, c.particles, c.pinned);
    if (held == before) return scene_;
    for (std::uint32_t& i : held) i = mesh_.vertex_of_particle[i];
    return edited([&](Scene& next) { next.pins = std::move(held); });
  }

  SharedScene operator()(const SetPinPreset& c) const {
    return edited([&](Scene& next) { next.pins = c.preset; });
  }

  SharedScene operator()(const SetScene& c) const {
    if (!c.scene) throw InputError("There is no scene to take the values from.");
    check_parameters(*c.scene);
    selected_particles(mesh_, *c.scene);
    return edited([&](Scene& next) {
      static_cast<World&>(next) = *c.scene;
      static_cast<Method&>(next) = *c.scene;
    });
  }

  SharedScene operator()(const MovePins& c) const {
    const std::vector<std::uint32_t> held = selected_particles(mesh_, *scene_);
    for (const PinTarget& pin : c.pins) {
      check_particle(pin.particle);
      check_point("The target of a pin", pin.position);
      if (!std::ranges::binary_search(held, pin.particle))
        throw InputError("Particle " + std::to_string(pin.particle) + " is not pinned.");
    }
    check_duration("a pin", c.duration);
    return scene_;
  }

  SharedScene operator()(const Grab& c) const {
    double sum = 0;
    for (int k = 0; k < 3; ++k) {
      check_particle(c.particles[static_cast<std::size_t>(k)]);
      const double w = c.weights[k];
      if (!(w >= -kWeightTolerance && w <= 1 + kWeightTolerance))
        throw InputError("The weights of a grabbed point must lie between 0 and 1.");
      sum += w;
    }
    if (!(std::abs(sum - 1) <= kWeightTolerance))
      throw InputError("The weights of a grabbed point must add up to 1.");
    check_point("The cursor", c.cursor);
    if (!(c.stiffness >= 0) || !(c.damping >= 0) || !std::isfinite(c.stiffness) || !std::isfinite(c.damping))
      throw InputError("Stiffness and damping of the grab must be finite numbers, 0 or more.");
    if (!(c.strength > 0 && c.strength <= 1))
      throw InputError("The strength of the grab must be above 0, and at most 1.");
    return scene_;
  }

  SharedScene operator()(const MoveCursor& c) const {
    check_point("The cursor", c.cursor);
    return scene_;
  }

  SharedScene operator()(const Release&) const { return scene_; }
  SharedScene operator()(const Reset&) const { return scene_; }

  SharedScene operator()(const GoBack& c) const {
    if (!c.moment) throw InputError("There is no moment to go back to.");
    return scene_;
  }

  SharedScene operator()(const RestoreGoodState&) const { return scene_; }
  SharedScene operator()(const ReverseVelocities&) const { return scene_; }

  SharedScene operator()(const StepBack&) const {
    const std::string why = why_only_forward(*scene_);
    if (!why.empty()) throw InputError("No step back is possible, because " + why + ".");
    check_parameter(find_scene_parameter("dt")->spec, -scene_->dt);
    return scene_;
  }

  SharedScene operator()(const SetDriver& c) const {
    if (c.driver >= scene_->drivers.size())
      throw InputError("There is no driver " + std::to_string(c.driver + std::size_t{1}) + ".");
    if (scene_->drivers[c.driver].on == c.on) return scene_;
    return edited([&](Scene& next) { next.drivers[c.driver].on = c.on; });
  }

 private:
  template <class Edit>
  SharedScene edited(const Edit& edit) const {
    const auto next = std::make_shared<Scene>(*scene_);
    edit(*next);
    check_contact(*next);
    if (next->pins != scene_->pins || next->groups != scene_->groups || next->drivers != scene_->drivers)
      DriverSet(*next, mesh_, mesh_.positions);
    if (next->seams != scene_->seams) sewn_pairs(*next, mesh_, mesh_.positions);
    const Material &before = scene_->material, &after = next->material;
    check_inflate(after, mesh_.report.closed_parts);
    if (after.groups != before.groups || after.kind != before.kind) material_of_triangle(after, &mesh_);
    if (after.mass_model != before.mass_model || after.mass != before.mass)
      check_masses(after, mesh_.positions, mesh_.triangles);
    return next;
  }

  void check_particle(std::uint32_t i) const {
    const std::size_t n = mesh_.positions.size();
    if (i >= n)
      throw InputError("There is no particle " + std::to_string(i) + "; the cloth has " + std::to_string(n) +
                       ".");
  }

  const SharedScene& scene_;
  const ClothMesh& mesh_;
};

}  // namespace

const CommandRule& rule_of(const Command& command) {
  return std::visit([]<class Kind>(const Kind&) -> const CommandRule& { return kRule<Kind>; }, command);
}

bool is_of_method(const Command& command) {
  if (const auto* set = std::get_if<SetParameter>(&command)) {
    const SceneParameter* row = find_scene_parameter(set->id);
    return row == nullptr || row->of_method;
  }
  return std::holds_alternative<SetIntegrator>(command) || std::holds_alternative<SetTableau>(command) ||
         std::holds_alternative<RestoreGoodState>(command);
}

Command choice_of(const IntegratorInfo& info) {
  if (info.tableau != nullptr) return SetTableau{info.tableau};
  // A row with a table is a method by itself; the command alone would keep another tableau.
  if (!info.table.empty()) return SetTableau{&default_tableau(info)};
  return SetIntegrator{std::string(info.id)};
}

std::shared_ptr<const Scene> changed_scene(const std::shared_ptr<const Scene>& scene, const Command& command,
                                           const ClothMesh& mesh) {
  return std::visit(Change(scene, mesh), command);
}

}  // namespace clothlab
