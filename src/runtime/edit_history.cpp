#include "runtime/edit_history.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/error.h"
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

std::string title_of(const Scene& scene) { return scene.title.empty() ? "untitled scene" : scene.title; }

}  // namespace

EditHistory::EditHistory(std::shared_ptr<const LoadedScene> first) {
  const auto scene = without_state(first->scene);
  present_ = {std::move(first), scene, scene};
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

void EditHistory::record_scene(std::shared_ptr<const LoadedScene> loaded, bool keeps_changes) {
  push_past(present_);
  future_.clear();
  open_subject_.clear();
  const auto scene = without_state(loaded->scene);
  present_ = {std::move(loaded), scene, keeps_changes ? present_.saved : scene};
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

std::string EditHistory::transition(const Document& from, const Document& to) {
  if (from.loaded != to.loaded) return "scene " + title_of(*from.scene) + " → " + title_of(*to.scene);
  return describe_differences(*from.scene, *to.scene, *to.loaded->mesh);
}

void EditHistory::retell() {
  undo_text_ = can_undo() ? transition(present_, past_.back()) : "";
  redo_text_ = can_redo() ? transition(present_, future_.back()) : "";
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
  Document next = std::move(past_.back());
  past_.pop_back();
  future_.push_back(present_);
  return go_to(std::move(next));
}

std::optional<EditHistory::Step> EditHistory::redo() {
  if (!can_redo()) return std::nullopt;
  Document next = std::move(future_.back());
  future_.pop_back();
  past_.push_back(present_);
  return go_to(std::move(next));
}

EditHistory::Step EditHistory::go_to(Document next) {
  open_subject_.clear();
  Step step{next.loaded != present_.loaded ? next.loaded : nullptr, next.scene, transition(present_, next)};
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
