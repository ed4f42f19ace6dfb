#include "runtime/edit_history.h"

#include <algorithm>
#include <glm/geometric.hpp>
#include <set>
#include <string>
#include <utility>

#include "core/error.h"
#include "core/text.h"
#include "sim/scene_difference.h"

namespace clothlab {
namespace {

constexpr std::size_t kMostEntries = 200;
// Of all meshes that only the past still needs; a mesh of that size takes about 2 GB with its springs.
constexpr std::size_t kMostParticles = 2'000'000;
// What a pin takes to go back [s]: no jump, which would tear at the cloth.
constexpr double kPinSeconds = 0.25;

std::shared_ptr<const Scene> without_state(Scene scene) {
  scene.initial_state.reset();
  return std::make_shared<const Scene>(std::move(scene));
}

/// What a gesture can set again and again; empty for what is done at once.
std::string subject_of(const Command& command) {
  if (const auto* parameter = std::get_if<SetParameter>(&command)) return parameter->id;
  return std::holds_alternative<SetGravity>(command) ? "gravity" : "";
}

std::string subject_of(std::uint32_t pin) { return "pin " + std::to_string(pin); }

std::string title_of(const Scene& scene) { return scene.title.empty() ? "untitled scene" : scene.title; }

}  // namespace

EditHistory::EditHistory(std::shared_ptr<const LoadedScene> first) {
  const auto scene = without_state(first->scene);
  present_ = {std::move(first), scene, scene, {}};
}

void EditHistory::record(const Command& command) {
  const ClothMesh& mesh = *present_.loaded->mesh;
  Scene after = *present_.scene;
  try {
    if (!change_description(command, present_.loaded->scene, mesh, after)) return;
    if (differences(*present_.scene, after, mesh).empty()) return;
  } catch (const InputError&) {
    return;  // the simulation will refuse it, and say why
  }
  const std::string subject = subject_of(command);
  const bool goes_on = !subject.empty() && subject == open_subject_;
  if (!goes_on) push_past(present_);
  future_.clear();
  present_.scene = without_state(std::move(after));
  present_.pin_motion.reset();
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
  again->pins = present_.loaded->scene.pins;
  record(Command(SetScene{std::move(again)}));
}

void EditHistory::record(const MovePin& command, const vec3& from) {
  const std::string subject = subject_of(command.particle);
  if (subject != open_subject_) {
    if (command.target == from) return;
    push_past(present_);
    future_.clear();
    present_.pin_motion = PinMotion{command.particle, from, from};
    open_subject_ = subject;
  }
  present_.pin_motion->to = command.target;
  retell();
}

void EditHistory::record_scene(std::shared_ptr<const LoadedScene> loaded, bool keeps_changes) {
  push_past(present_);
  future_.clear();
  open_subject_.clear();
  const auto scene = without_state(loaded->scene);
  present_ = {std::move(loaded), scene, keeps_changes ? present_.saved : scene, {}};
  retell();
}

Scene EditHistory::whole_scene() const {
  Scene whole = *present_.scene;
  whole.initial_state = present_.loaded->scene.initial_state;
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
  if (!present_.pin_motion) return step_to(past_.back());
  const auto& [particle, from, to] = *present_.pin_motion;
  return step_of({particle, to, from});
}

EditHistory::Step EditHistory::step_forward() const {
  const Document& next = future_.back();
  return next.pin_motion ? step_of(*next.pin_motion) : step_to(next);
}

EditHistory::Step EditHistory::step_to(const Document& next) const {
  Step step;
  step.scene = next.scene;
  if (next.loaded != present_.loaded) {
    step.other_scene = next.loaded;
    step.text = "scene " + title_of(*present_.scene) + " → " + title_of(*next.scene);
  } else {
    step.text = describe_differences(*present_.scene, *next.scene, *next.loaded->mesh);
  }
  return step;
}

EditHistory::Step EditHistory::step_of(const PinMotion& motion) {
  Step step;
  step.pin = MovePin{motion.particle, motion.to, kPinSeconds};
  step.text = "Pin of particle " + std::to_string(motion.particle) + " moved by " +
              format_plain(glm::distance(motion.from, motion.to)) + " m";
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

void EditHistory::saved() {
  const auto mark = [this](Document& document) {
    if (document.loaded == present_.loaded) document.saved = present_.scene;
  };
  std::for_each(past_.begin(), past_.end(), mark);
  std::for_each(future_.begin(), future_.end(), mark);
  mark(present_);
  retell();
}

}  // namespace clothlab
