#include "runtime/edit_history.h"

#include <algorithm>
#include <glm/geometric.hpp>
#include <set>
#include <string>
#include <utility>

#include "core/error.h"
#include "core/text.h"
#include "sim/command_rules.h"
#include "sim/scene_difference.h"

namespace clothlab {
namespace {

constexpr std::size_t kMostEntries = 200;
// Of all meshes that only the past still needs; a mesh of that size takes about 2 GB with its springs.
constexpr std::size_t kMostParticles = 2'000'000;

std::shared_ptr<const Scene> without_state(Scene scene) {
  scene.initial_state.reset();
  return std::make_shared<const Scene>(std::move(scene));
}

/// What a gesture can set again and again; empty for what is done at once.
std::string subject_of(const Command& command) {
  if (const auto* parameter = std::get_if<SetParameter>(&command)) return parameter->id;
  return std::holds_alternative<SetGravity>(command) ? "gravity" : "";
}

std::string subject_of(const MovePins& command) {
  std::string subject = "pins";
  for (const PinPlace& pin : command.pins) subject += " " + std::to_string(pin.particle);
  return subject;
}

/// Where those of `particles` are that are not among `others`; both ascending.
std::vector<PinPlace> places_without(const std::vector<std::uint32_t>& particles,
                                     const std::vector<std::uint32_t>& others, const Frame& seen) {
  std::vector<PinPlace> places;
  for (const std::uint32_t i : particles)
    if (i < seen.positions.size() && !std::ranges::binary_search(others, i))
      places.push_back({i, pin_place(seen, i)});
  return places;
}

std::string motion_text(const std::vector<PinPlace>& from, const std::vector<PinPlace>& to) {
  if (from.size() != 1) return std::to_string(from.size()) + " pins moved";
  return "Pin of particle " + std::to_string(from[0].particle) + " moved by " +
         format_plain(glm::distance(from[0].place, to[0].place)) + " m";
}

std::string title_of(const Scene& scene) { return scene.title.empty() ? "untitled scene" : scene.title; }

}  // namespace

EditHistory::EditHistory(std::shared_ptr<const LoadedScene> first) {
  const auto scene = without_state(first->scene);
  present_ = {std::move(first), scene, scene, {}, {}};
}

void EditHistory::record(const Command& command, const Frame& seen) {
  if (const auto* move = std::get_if<MovePins>(&command)) return record_motion(*move, seen);
  const ClothMesh& mesh = *present_.loaded->mesh;
  std::shared_ptr<const Scene> changed;
  try {
    changed = changed_scene(present_.scene, command, mesh);
  } catch (const InputError&) {
    return;  // the simulation will refuse it, and say why
  }
  if (changed == present_.scene || differences(*present_.scene, *changed, mesh).empty()) return;
  const Scene& after = *changed;
  const std::string subject = subject_of(command);
  const bool goes_on = !subject.empty() && subject == open_subject_;
  if (!goes_on) push_past(present_);
  future_.clear();
  const Scene& before = *past_.back().scene;
  present_.pins_before.clear();
  present_.pins_after.clear();
  if (before.pins != after.pins) {
    const auto held = selected_particles(mesh, before.pins), holds = selected_particles(mesh, after.pins);
    present_.pins_before = places_without(held, holds, seen);
    present_.pins_after = places_without(holds, held, seen);
  }
  present_.scene = changed;
  open_subject_ = subject;
  // A gesture that came back to where it began has changed nothing.
  if (goes_on && differences(*past_.back().scene, *present_.scene, mesh).empty()) {
    present_ = std::move(past_.back());
    past_.pop_back();
    open_subject_.clear();
  }
  retell();
}

void EditHistory::record(const RunAgain& command) {
  auto again = std::make_shared<Scene>(*present_.scene);
  again->integrator = command.integrator;
  record(Command(SetScene{std::move(again)}));
}

void EditHistory::record_motion(const MovePins& command, const Frame& seen) {
  std::string subject = subject_of(command);
  if (subject != open_subject_) {
    std::vector<PinPlace> before;
    bool moved = false;
    for (const auto& [particle, place] : command.pins) {
      if (particle >= seen.positions.size()) return;  // the simulation will refuse it
      before.push_back({particle, pin_place(seen, particle)});
      moved = moved || before.back().place != place;
    }
    if (!moved) return;
    push_past(present_);
    future_.clear();
    present_.pins_before = std::move(before);
    open_subject_ = std::move(subject);
  }
  present_.pins_after = command.pins;
  retell();
}

void EditHistory::record_scene(std::shared_ptr<const LoadedScene> loaded, bool keeps_changes) {
  push_past(present_);
  future_.clear();
  open_subject_.clear();
  const auto scene = without_state(loaded->scene);
  present_ = {std::move(loaded), scene, keeps_changes ? present_.saved : scene, {}, {}};
  retell();
}

Scene EditHistory::Version::whole() const {
  Scene whole = *scene;
  whole.initial_state = loaded->scene.initial_state;
  return whole;
}

void EditHistory::push_past(Document document) {
  past_.push_back(std::move(document));
  const auto particles = [this] {
    std::set<const ClothMesh*> counted{present_.loaded->mesh.get()};
    std::size_t sum = 0;
    for (const Document& kept : past_)
      if (counted.insert(kept.loaded->mesh.get()).second) sum += kept.loaded->mesh->positions.size();
    return sum;
  };
  while (past_.size() > kMostEntries || (past_.size() > 1 && particles() > kMostParticles)) past_.pop_front();
}

EditHistory::Step EditHistory::step_back() const {
  Step step = step_to(past_.back(), present_);
  step.pins = present_.pins_before;
  return step;
}

EditHistory::Step EditHistory::step_forward() const {
  Step step = step_to(future_.back(), future_.back());
  step.pins = future_.back().pins_after;
  return step;
}

/// To a document that is the present one's neighbour; `later` is the later one of the two.
EditHistory::Step EditHistory::step_to(const Document& next, const Document& later) const {
  Step step;
  if (next.scene == present_.scene) {
    step.text = motion_text(later.pins_before, later.pins_after);
    return step;
  }
  step.scene = next.scene;
  if (next.loaded != present_.loaded) {
    step.other_scene = next.loaded;
    step.text = "scene " + title_of(*present_.scene) + " → " + title_of(*next.scene);
  } else {
    step.text = describe_differences(*present_.scene, *next.scene, *next.loaded->mesh);
  }
  return step;
}

void EditHistory::retell() {
  undo_text_ = can_undo() ? step_back().text : "";
  redo_text_ = can_redo() ? step_forward().text : "";
  // Which integrator runs is what one tries out all the time: not worth a question.
  Scene now = *present_.scene;
  now.integrator = present_.saved->integrator;
  try {
    unsaved_changes_ = describe_differences(*present_.saved, now, *present_.loaded->mesh);
  } catch (const InputError&) {
    unsaved_changes_ = "Another mesh";  // what was saved does not fit this one
  }
}

std::optional<EditHistory::Step> EditHistory::undo() {
  if (!can_undo()) return std::nullopt;
  Step step = step_back();
  Document next = std::move(past_.back());
  past_.pop_back();
  future_.push_back(std::move(present_));
  return take(std::move(step), std::move(next));
}

std::optional<EditHistory::Step> EditHistory::redo() {
  if (!can_redo()) return std::nullopt;
  Step step = step_forward();
  Document next = std::move(future_.back());
  future_.pop_back();
  past_.push_back(std::move(present_));
  return take(std::move(step), std::move(next));
}

EditHistory::Step EditHistory::take(Step step, Document next) {
  open_subject_.clear();
  present_ = std::move(next);
  retell();
  return step;
}

void EditHistory::saved(const Version& written) {
  const auto mark = [&](Document& document) {
    if (document.loaded == written.loaded) document.saved = written.scene;
  };
  std::for_each(past_.begin(), past_.end(), mark);
  std::for_each(future_.begin(), future_.end(), mark);
  mark(present_);
  retell();
}

}  // namespace clothlab
