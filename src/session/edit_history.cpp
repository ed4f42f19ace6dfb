// SPDX-License-Identifier: MIT
#include "session/edit_history.h"

#include <algorithm>
#include <glm/geometric.hpp>
#include <set>
#include <string>
#include <utility>

#include "core/error.h"
#include "core/text.h"
#include "sim/command_rules.h"
#include "sim/parameters.h"
#include "sim/scene_difference.h"

namespace clothlab {
namespace {

constexpr std::size_t kMostEntries = 200;
// Of meshes that only the past needs; one of that size has about 2 GB with its springs.
constexpr std::size_t kMostParticles = 2'000'000;

std::shared_ptr<const Scene> without_state(Scene scene) {
  scene.initial_state.reset();
  return std::make_shared<const Scene>(std::move(scene));
}

/// The places of those of `particles` that are not among `others`; both ascending.
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
  saved_[first.get()] = scene;
  now_.present = {++documents_, std::move(first), scene};
}

// Requests -----------------------------------------------------------------------------------------

void EditHistory::record(const Command& command, std::shared_ptr<const Frame> seen) {
  if (rule_of(command).changes_scene || std::holds_alternative<MovePins>(command))
    add(Edit{command, std::move(seen), gesture_});
}

void EditHistory::follow_lane(LaneId lane, const std::shared_ptr<const Scene>& scene) {
  if (!pending_.empty() || (lane == lane_ && scene == followed_)) return;
  const Scene& now = *now_.present.scene;
  if (lane != lane_ || !differences(now, with_method(now, *scene), *now_.present.loaded->mesh).empty()) {
    EditHistory next = *this;
    if (lane_ == 0 && lane != 0) next.first_lane_ = now_.present.scene;
    next.lane_ = lane;
    next.adopt_method(*scene);
    *this = std::move(next);
  }
  followed_ = scene;
}

void EditHistory::adopt_method(const Scene& scene) {
  now_.open_subject.clear();
  // Another scene has its own method, and comes back with it.
  const auto of_lane = [&](Document& document) {
    if (document.loaded != now_.present.loaded) return;
    document.scene = std::make_shared<const Scene>(with_method(*document.scene, scene));
  };
  std::ranges::for_each(now_.past, of_lane);
  std::ranges::for_each(now_.future, of_lane);
  of_lane(now_.present);
  // What changed nothing but the method of the other lane is no entry any more.
  const auto is_empty = [](const Document& earlier, const Document& later) {
    return earlier.loaded == later.loaded && later.pins_before.empty() &&
           differences(*earlier.scene, *later.scene, *later.loaded->mesh).empty();
  };
  while (can_undo() && is_empty(now_.past.back(), now_.present)) now_.past.pop_back();
  while (can_redo() && is_empty(now_.present, now_.future.back())) now_.future.pop_back();
  retell();
}

/// Before another scene: its first lane is the one that the panels act on then, and this scene comes back in
/// its first lane, which has not got the method of the lane that the panels act on now.
void EditHistory::leave_lane() {
  if (lane_ == 0 || !first_lane_ || !pending_.empty()) return;
  EditHistory next = *this;
  next.lane_ = 0;
  next.adopt_method(*first_lane_);
  next.first_lane_ = nullptr;
  *this = std::move(next);
}

void EditHistory::record_scene(std::shared_ptr<const LoadedScene> loaded, Arrival arrival) {
  leave_lane();
  auto scene = without_state(loaded->scene);
  saved_[loaded.get()] = arrival == Arrival::anew ? saved_[now_.present.loaded.get()] : scene;
  add(OtherScene{std::move(loaded), std::move(scene), arrival == Arrival::first});
}

std::optional<EditHistory::Step> EditHistory::undo() {
  if (!can_undo()) return std::nullopt;
  if (step_back().other_scene) leave_lane();
  Step step = step_back();
  add(Travel{true, now_.past.back().number, step});
  return step;
}

std::optional<EditHistory::Step> EditHistory::redo() {
  if (!can_redo()) return std::nullopt;
  if (step_forward().other_scene) leave_lane();
  Step step = step_forward();
  add(Travel{false, now_.future.back().number, step});
  return step;
}

void EditHistory::add(std::variant<Edit, OtherScene, Travel> what) {
  followed_ = nullptr;  // it may reach another lane
  pending_.push_back({0, std::move(what), now_});
  try {
    std::visit([this](const auto& each) { perform(each); }, pending_.back().what);
    retell();
  } catch (...) {
    take_back();
    throw;
  }
}

void EditHistory::sent(std::uint64_t stamp) noexcept {
  if (!pending_.empty() && pending_.back().stamp == 0) pending_.back().stamp = stamp;
}

void EditHistory::take_back() noexcept {
  if (pending_.empty() || pending_.back().stamp != 0) return;
  now_ = std::move(pending_.back().before);
  pending_.pop_back();
}

void EditHistory::settle(std::uint64_t applied, const std::vector<std::uint64_t>& refused) {
  // An undo without a request has no stamp and needs no answer.
  while (!pending_.empty() && pending_.front().stamp <= applied) {
    if (std::ranges::binary_search(refused, pending_.front().stamp))
      take_out_first();
    else
      pending_.pop_front();
  }
}

void EditHistory::take_out_first() {
  EditHistory next = *this;
  next.now_ = std::move(next.pending_.front().before);
  next.pending_.pop_front();
  for (Pending& later : next.pending_) {
    later.before = next.now_;
    std::visit([&](const auto& each) { next.perform(each); }, later.what);
  }
  next.retell();
  *this = std::move(next);
}

// Documents ----------------------------------------------------------------------------------------

void EditHistory::perform(const Edit& edit) {
  std::shared_ptr<const Scene> after;
  try {
    after = changed_scene(now_.present.scene, edit.command, *now_.present.loaded->mesh);
  } catch (const InputError&) {
    return;  // the simulation refuses it, and says why
  }
  if (const auto* move = std::get_if<MovePins>(&edit.command)) return move_pins(*move, edit);
  if (after != now_.present.scene) change(edit, std::move(after));
}

void EditHistory::change(const Edit& edit, std::shared_ptr<const Scene> after) {
  const ClothMesh& mesh = *now_.present.loaded->mesh;
  if (differences(*now_.present.scene, *after, mesh).empty()) {
    now_.present.scene = std::move(after);  // e.g. the same pins under another name: nothing to undo
    return;
  }
  const auto subject_of = rule_of(edit.command).subject;
  const std::string subject = subject_of != nullptr ? subject_of(edit.command) : "";
  const bool goes_on = !subject.empty() && subject == now_.open_subject && edit.gesture == now_.open_gesture;
  if (!goes_on) leave_present();
  now_.future.clear();
  now_.open_subject = subject;
  now_.open_gesture = edit.gesture;
  const Scene& before = *now_.past.back().scene;
  if (before.pins != after->pins && edit.seen) {
    const auto held = selected_particles(mesh, before.pins), holds = selected_particles(mesh, after->pins);
    now_.present.pins_before = places_without(held, holds, *edit.seen);
    now_.present.pins_after = places_without(holds, held, *edit.seen);
  }
  now_.present.scene = std::move(after);
  // A gesture that returned to its start changed nothing; the same pins may have another name.
  if (goes_on && differences(before, *now_.present.scene, mesh).empty()) {
    now_.past.back().scene = std::move(now_.present.scene);
    now_.present = std::move(now_.past.back());
    now_.past.pop_back();
    now_.open_subject.clear();
  }
}

void EditHistory::move_pins(const MovePins& command, const Edit& edit) {
  std::string subject = rule_of(edit.command).subject(edit.command);
  if (subject != now_.open_subject || edit.gesture != now_.open_gesture) {
    if (!edit.seen) return;
    std::vector<PinPlace> before;
    bool moved = false;
    for (const auto& [particle, place] : command.pins) {
      if (particle >= edit.seen->positions.size()) return;  // the snapshot is still of another scene
      before.push_back({particle, pin_place(*edit.seen, particle)});
      moved = moved || before.back().place != place;
    }
    if (!moved) return;
    leave_present();
    now_.future.clear();
    now_.present.pins_before = std::move(before);
    now_.open_subject = std::move(subject);
    now_.open_gesture = edit.gesture;
  }
  now_.present.pins_after = command.pins;
}

void EditHistory::perform(const OtherScene& other) {
  leave_present();
  if (other.first) now_.past.clear();
  now_.future.clear();
  now_.open_subject.clear();
  now_.present.loaded = other.loaded;
  now_.present.scene = other.scene;
}

void EditHistory::perform(const Travel& travel) {
  now_.open_subject.clear();
  // After an earlier refusal it may lead to the same document from another one.
  const auto is_sent = [&](const Step& step) {
    return step.other_scene == travel.step.other_scene && step.scene == travel.step.scene;
  };
  if (travel.back && can_undo() && now_.past.back().number == travel.document && is_sent(step_back())) {
    now_.future.push_back(std::exchange(now_.present, std::move(now_.past.back())));
    now_.past.pop_back();
  } else if (!travel.back && can_redo() && now_.future.back().number == travel.document &&
             is_sent(step_forward())) {
    now_.past.push_back(std::exchange(now_.present, std::move(now_.future.back())));
    now_.future.pop_back();
  } else if (travel.step.other_scene) {
    // It leads elsewhere now, and is a separate edit.
    perform(OtherScene{travel.step.other_scene, travel.step.scene});
  } else if (travel.step.scene) {
    perform(Edit{SetScene{travel.step.scene}, nullptr, 0});
  }
}

/// Appends a copy of the present document to the past.
void EditHistory::leave_present() {
  Document next{++documents_, now_.present.loaded, now_.present.scene};
  now_.past.push_back(std::exchange(now_.present, std::move(next)));
  const auto particles = [this] {
    std::set<const ClothMesh*> counted{now_.present.loaded->mesh.get()};
    std::size_t sum = 0;
    for (const Document& kept : now_.past)
      if (counted.insert(kept.loaded->mesh.get()).second) sum += kept.loaded->mesh->positions.size();
    return sum;
  };
  std::deque<Document>& past = now_.past;
  while (past.size() > kMostEntries || (past.size() > 1 && particles() > kMostParticles)) past.pop_front();
}

// Descriptions -------------------------------------------------------------------------------------

Scene EditHistory::Version::whole() const {
  Scene whole = *scene;
  whole.initial_state = loaded->scene.initial_state;
  return whole;
}

EditHistory::Step EditHistory::step_back() const {
  Step step = step_to(now_.past.back(), now_.present);
  step.pins = now_.present.pins_before;
  return step;
}

EditHistory::Step EditHistory::step_forward() const {
  Step step = step_to(now_.future.back(), now_.future.back());
  step.pins = now_.future.back().pins_after;
  return step;
}

/// The step to a neighbour of the present document; `later` is the later of the two.
EditHistory::Step EditHistory::step_to(const Document& next, const Document& later) const {
  Step step;
  if (next.scene != now_.present.scene) step.scene = next.scene;
  if (next.loaded != now_.present.loaded) {
    step.other_scene = next.loaded;
    step.text = "scene " + title_of(*now_.present.scene) + " → " + title_of(*next.scene);
  } else {
    step.text = describe_differences(*now_.present.scene, *next.scene, *next.loaded->mesh);
    if (step.text.empty()) step.text = motion_text(later.pins_before, later.pins_after);
  }
  return step;
}

void EditHistory::retell() {
  now_.undo_text = can_undo() ? step_back().text : "";
  now_.redo_text = can_redo() ? step_forward().text : "";
  // The integrator is changed often: no question about it.
  const Scene& saved = *saved_.at(now_.present.loaded.get());
  Scene now = lane_ == 0 ? *now_.present.scene : with_method(*now_.present.scene, saved);
  now.integrator = saved.integrator;
  try {
    now_.unsaved_changes = describe_differences(saved, now, *now_.present.loaded->mesh);
  } catch (const InputError&) {
    now_.unsaved_changes = "Another mesh";  // the saved scene does not fit this one
  }
}

void EditHistory::saved(const Version& written) {
  saved_[written.loaded.get()] = written.scene;
  retell();
}

}  // namespace clothlab
