// SPDX-License-Identifier: MIT
#include "ui/panels/panel_context.h"

#include <algorithm>
#include <cmath>

#include "core/text_file.h"
#include "sim/contact.h"
#include "sim/parameters.h"
#include "ui/widgets/widgets.h"

namespace clothlab {

std::string file_name(const std::filesystem::path& path) { return shown_path(path.filename()); }

std::string mesh_name(const Scene& scene) {
  const auto* file = std::get_if<FileSource>(&scene.mesh);
  return with_added_names(file != nullptr ? file_name(path_of(file->path)) : scene.title, scene);
}

const Scene& PanelContext::scene() const {
  const bool is_shown = &edits.loaded() == snapshot.loaded.get();
  return is_shown ? edits.scene() : *snapshot.frame.scene;
}

void PanelContext::set_parameter(std::string_view id, double value) const {
  send(Command(SetParameter{std::string(id), value}));
}

std::string PanelContext::why_without_effect(std::string_view id) const {
  return clothlab::why_without_effect(scene(), id, snapshot.frame.mesh->report.closed_parts > 0);
}

const IntegratorInfo& PanelContext::method() const { return method_info(scene()); }

std::size_t PanelContext::integrator() const { return method_row(scene().integrator); }

IntegratorParameters PanelContext::own_parameters() const { return integrator_parameters(scene(), method()); }

void PanelContext::set_integrator(std::size_t row) const {
  if (row >= integrators().size() || row == integrator()) return;
  view.done(Hint::integrator);
  send(Command(SetIntegrator{std::string(integrators()[row].id)}));
}

void PanelContext::step_integrator(int by) const {
  std::size_t row = method_after(integrator(), by);
  while (!supports(scene(), integrators()[row])) row = method_after(row, by);
  set_integrator(row);
}

void PanelContext::add_lane(std::size_t row, bool from_start) const {
  if (row < integrators().size()) send(Control(NewLane{std::string(integrators()[row].id), from_start}));
}

void PanelContext::select_lane(LaneId lane) const {
  if (lane != snapshot.lane) send(Control(SelectLane{lane}));
}

void PanelContext::set_playing(bool playing) const {
  intentions.playing.set(playing, send(Control(SetPlaying{playing})));
}

void PanelContext::set_speed(double speed) const {
  const double allowed = std::clamp(speed, kMinSpeed, kMaxSpeed);
  intentions.speed.set(allowed, send(Control(SetSpeed{allowed})));
}

void PanelContext::set_scene(Scene scene) const {
  send(Command(SetScene{std::make_shared<const Scene>(std::move(scene))}));
}

std::size_t text_size(const ViewSettings& view) {
  const auto nearest = std::ranges::min_element(
      kTextSizes, {}, [&](float size) { return std::abs(size - view.interface_scale); });
  return static_cast<std::size_t>(nearest - kTextSizes.begin());
}

void change_text_size(ViewSettings& view, int by) {
  const int last = static_cast<int>(kTextSizes.size()) - 1;
  const int next = std::clamp(static_cast<int>(text_size(view)) + by, 0, last);
  view.interface_scale = kTextSizes[static_cast<std::size_t>(next)];
}

}  // namespace clothlab
