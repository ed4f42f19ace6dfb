// SPDX-License-Identifier: MIT
#include "ui/panel_context.h"

#include <algorithm>

#include "sim/parameters.h"

namespace clothlab {

void Intentions::adopt(const Scene& scene, std::uint64_t stamp) {
  for (const SceneParameter& row : scene_parameters())
    parameters[std::string(row.spec.id)].set(row.get(scene), stamp);
  for (const IntegratorInfo& info : integrators()) {
    const IntegratorParameters values = integrator_parameters(scene, info);
    for (std::size_t i = 0; i < values.size(); ++i)
      parameters[std::string(info.parameters[i].id)].set(values[i], stamp);
  }
  gravity.set(scene.material.gravity, stamp);
  integrator.set(scene.integrator, stamp);
}

double PanelContext::parameter(std::string_view id, double in_force) const {
  const auto found = intentions.parameters.find(id);
  return found == intentions.parameters.end() ? in_force : found->second.shown(in_force, snapshot.applied);
}

void PanelContext::set_parameter(std::string_view id, double value) const {
  intentions.parameters[std::string(id)].set(value, send(Command(SetParameter{std::string(id), value})));
}

std::size_t PanelContext::integrator() const {
  const std::string id = intentions.integrator.shown(snapshot.frame.scene->integrator, snapshot.applied);
  const auto rows = integrators();
  const auto row =
      std::find_if(rows.begin(), rows.end(), [&](const IntegratorInfo& info) { return info.id == id; });
  return row == rows.end() ? snapshot.integrator : static_cast<std::size_t>(row - rows.begin());
}

IntegratorParameters PanelContext::own_parameters() const {
  const IntegratorInfo& info = integrators()[integrator()];
  IntegratorParameters values = integrator_parameters(*snapshot.frame.scene, info);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = parameter(info.parameters[i].id, values[i]);
  return values;
}

void PanelContext::set_integrator(std::size_t row) const {
  if (row >= integrators().size() || row == integrator()) return;
  view.done(Hint::integrator);
  const std::string id(integrators()[row].id);
  intentions.integrator.set(id, send(Command(SetIntegrator{id})));
}

void PanelContext::run_again(std::size_t row) const {
  const std::string id(integrators()[row].id);
  const std::uint64_t stamp = send(Control(RunAgain{id}));
  intentions.integrator.set(id, stamp);
  intentions.playing.set(true, stamp);
}

bool PanelContext::playing() const { return intentions.playing.shown(snapshot.playing, snapshot.applied); }

void PanelContext::set_playing(bool playing) const {
  intentions.playing.set(playing, send(Control(SetPlaying{playing})));
}

double PanelContext::speed() const { return intentions.speed.shown(snapshot.speed, snapshot.applied); }

void PanelContext::set_speed(double speed) const {
  const double allowed = std::clamp(speed, kMinSpeed, kMaxSpeed);
  intentions.speed.set(allowed, send(Control(SetSpeed{allowed})));
}

vec3 PanelContext::gravity() const {
  return intentions.gravity.shown(snapshot.frame.scene->material.gravity, snapshot.applied);
}

void PanelContext::set_gravity(const vec3& gravity) const {
  intentions.gravity.set(gravity, send(Command(SetGravity{gravity})));
}

void PanelContext::set_scene(Scene scene) const {
  const auto values = std::make_shared<const Scene>(std::move(scene));
  intentions.adopt(*values, send(Command(SetScene{values})));
}

double PanelContext::step_size() const { return parameter("dt", snapshot.frame.scene->stepping.dt); }

}  // namespace clothlab
