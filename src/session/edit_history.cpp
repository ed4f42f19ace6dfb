// SPDX-License-Identifier: MIT
#include "session/edit_history.h"

#include <algorithm>
#include <glm/geometric.hpp>
#include <set>
#include <utility>

#include "core/error.h"
#include "core/text.h"
#include "integrate/tableau.h"
#include "sim/command_rules.h"
#include "sim/parameters.h"

namespace clothlab {
namespace {

constexpr std::size_t kMostEntries = 200;
// Of meshes that only the past needs; with its springs, a mesh of that size needs about 2 GB.
constexpr std::size_t kMostParticles = 2'000'000;

LaneScenes without_state(LaneScenes lanes) {
  for (LaneScene& lane : lanes) {
    if (!lane.scene->initial_state) continue;
    Scene scene = *lane.scene;
    scene.initial_state.reset();
    lane.scene = std::make_shared<const Scene>(std::move(scene));
  }
  return lanes;
}

/// The positions of those of `particles` that are not among `others`; both ascending.
std::vector<PinTarget> positions_without(const std::vector<std::uint32_t>& particles,
                                         const std::vector<std::uint32_t>& others, const Frame& seen) {
  std::vector<PinTarget> positions;
  for (const std::uint32_t i : particles)
    if (i < seen.positions.size() && !std::ranges::binary_search(others, i))
      positions.push_back({i, pin_position(seen, i)});
  return positions;
}

std::string motion_text(const std::vector<PinTarget>& from, const std::vector<PinTarget>& to) {
  if (from.size() != 1) return std::to_string(from.size()) + " pins moved";
  return "Pin of particle " + std::to_string(from[0].particle) + " moved by " +
         format_plain(glm::distance(from[0].position, to[0].position)) + " m";
}

std::string title_of(const Scene& scene) { return scene.title.empty() ? "untitled scene" : scene.title; }

}  // namespace

EditHistory::EditHistory(std::shared_ptr<const LoadedScene> first) {
  const LaneScenes lanes = without_state(initial_lanes(*first, {}));
  saved_[first.get()] = lanes;
  now_.active = lanes.front().lane;
  now_.present = {++documents_, std::move(first), lanes};
}

// Requests -----------------------------------------------------------------------------------------

void EditHistory::record(const Command& command, std::shared_ptr<const Frame> seen) {
  if (rule_of(command).changes_scene || std::holds_alternative<MovePins>(command))
    add([command, context = EditContext{std::move(seen), gesture_, action_}](EditHistory& history) {
      history.perform(command, context);
    });
}

void EditHistory::record(Control& control) {
  const EditContext context{nullptr, gesture_, action_};
  if (auto* made = std::get_if<NewLane>(&control)) {
    LaneId free = 0;
    while (find_scene(now_.present.lanes, free)) ++free;
    if (free >= kMostLanes) return;  // the thread refuses it with a reason
    if (!made->lane) made->lane = free;
    add([made = *made, context](EditHistory& history) { history.add_lane(made, context); });
  } else if (const auto* change = std::get_if<ChangeLanes>(&control)) {
    if (const auto* remove = std::get_if<RemoveLane>(&change->command))
      add([lane = remove->lane, context](EditHistory& history) { history.remove_lane(lane, context); });
  } else if (const auto* select = std::get_if<SelectLane>(&control)) {
    add([lane = select->lane](EditHistory& history) {
      if (find_scene(history.now_.present.lanes, lane)) history.now_.active = lane;
    });
  }
}

void EditHistory::follow(const LaneScenes& lanes, LaneId active) {
  if (!pending_.empty() || !find_scene(lanes, active)) return;
  now_.active = active;
  if (lanes == followed_) return;
  if (are_equal(now_.present.lanes, lanes, *now_.present.loaded->mesh)) {
    followed_ = lanes;
    return;
  }
  EditHistory next = *this;
  next.now_.present.lanes = without_state(lanes);
  next.now_.open_subject.clear();
  // An entry without a difference is removed.
  const auto is_empty = [](const Document& earlier, const Document& later) {
    return earlier.loaded == later.loaded && later.pins_before.empty() &&
           are_equal(earlier.lanes, later.lanes, *later.loaded->mesh);
  };
  State& now = next.now_;
  while (!now.past.empty() && is_empty(now.past.back(), now.present)) now.past.pop_back();
  while (!now.future.empty() && is_empty(now.present, now.future.back())) now.future.pop_back();
  next.retell();
  *this = std::move(next);
}

void EditHistory::record_scene(std::shared_ptr<const LoadedScene> loaded, Arrival arrival) {
  LaneScenes lanes = without_state(initial_lanes(*loaded, now_.present.lanes));
  saved_[loaded.get()] = arrival == Arrival::reloaded ? saved_[now_.present.loaded.get()] : lanes;
  add([loaded = std::move(loaded), lanes = std::move(lanes), arrival](EditHistory& history) {
    history.use(loaded, lanes);
    if (arrival == Arrival::first) history.now_.past.clear();
  });
}

std::optional<EditHistory::Step> EditHistory::travel(Direction direction) {
  const bool back = direction == Direction::back;
  if (back ? !can_undo() : !can_redo()) return std::nullopt;
  Step step = back ? step_back() : step_forward();
  const std::uint64_t document = back ? now_.past.back().number : now_.future.back().number;
  add([=](EditHistory& history) { history.repeat_travel(direction, document, step); });
  return step;
}

void EditHistory::add(Edit edit) {
  followed_.clear();
  pending_.push_back({0, std::move(edit), now_});
  try {
    pending_.back().edit(*this);
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

void EditHistory::resolve(std::uint64_t applied, const std::vector<std::uint64_t>& refused) {
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
    later.edit(next);
  }
  next.retell();
  *this = std::move(next);
}

// Documents ----------------------------------------------------------------------------------------

void EditHistory::perform(const Command& command, const EditContext& context) {
  const std::shared_ptr<const Scene> before = find_scene(now_.present.lanes, now_.active);
  std::shared_ptr<const Scene> after;
  try {
    after = changed_scene(before, command, *now_.present.loaded->mesh);
  } catch (const InputError&) {
    return;  // the simulation refuses it with a reason
  }
  if (const auto* move = std::get_if<MovePins>(&command)) return move_pins(*move, context);
  if (after == before) return;
  const auto subject_of = rule_of(command).subject;
  change(context, subject_of != nullptr ? subject_of(command) : "",
         with_scene(now_.present.lanes, now_.active, after));
}

void EditHistory::add_lane(const NewLane& made, const EditContext& context) {
  LaneScenes lanes = now_.present.lanes;
  try {
    auto scene = std::make_shared<const Scene>(with_new_lane(this->scene(), made));
    lanes.insert(std::ranges::lower_bound(lanes, *made.lane, {}, &LaneScene::lane),
                 {*made.lane, std::move(scene)});
  } catch (const InputError&) {
    return;  // the thread refuses it with a reason
  }
  if (!made.from_start && !made.is_reference) now_.active = *made.lane;
  change(context, "", std::move(lanes));
  keep_active();
}

void EditHistory::remove_lane(LaneId lane, const EditContext& context) {
  LaneScenes lanes = now_.present.lanes;
  if (lanes.size() == 1) return;  // the thread refuses it
  std::erase_if(lanes, [&](const LaneScene& each) { return each.lane == lane; });
  change(context, "", std::move(lanes));
  keep_active();
}

void EditHistory::change(const EditContext& context, const std::string& subject, LaneScenes after) {
  const ClothMesh& mesh = *now_.present.loaded->mesh;
  if (are_equal(now_.present.lanes, after, mesh)) {
    now_.present.lanes = std::move(after);  // e.g. the same pins under another name: nothing to undo
    return;
  }
  const bool same_action = context.action != 0 && context.action == now_.open_action && can_undo();
  const bool goes_on = same_action || (!subject.empty() && subject == now_.open_subject &&
                                       context.gesture == now_.open_gesture);
  if (!goes_on) leave_present();
  now_.future.clear();
  now_.open_subject = subject;
  now_.open_gesture = context.gesture;
  now_.open_action = context.action;
  const LaneScenes& before = now_.past.back().lanes;
  const auto &pins = before.front().scene->pins, &new_pins = after.front().scene->pins;
  if (pins != new_pins && context.seen) {
    const auto held = selected_particles(mesh, *before.front().scene);
    const auto holds = selected_particles(mesh, *after.front().scene);
    now_.present.pins_before = positions_without(held, holds, *context.seen);
    now_.present.pins_after = positions_without(holds, held, *context.seen);
  }
  now_.present.lanes = std::move(after);
  // A gesture that returned to its start changed nothing; the same pins may have another name.
  if (goes_on && are_equal(before, now_.present.lanes, mesh)) {
    now_.past.back().lanes = std::move(now_.present.lanes);
    now_.present = std::move(now_.past.back());
    now_.past.pop_back();
    now_.open_subject.clear();
    now_.open_action = 0;
  }
}

void EditHistory::move_pins(const MovePins& command, const EditContext& context) {
  std::string subject = rule_of(command).subject(command);
  if (subject != now_.open_subject || context.gesture != now_.open_gesture) {
    if (!context.seen) return;
    std::vector<PinTarget> before;
    bool moved = false;
    for (const auto& [particle, position] : command.pins) {
      if (particle >= context.seen->positions.size()) return;  // the snapshot is still of another scene
      before.push_back({particle, pin_position(*context.seen, particle)});
      moved = moved || before.back().position != position;
    }
    if (!moved) return;
    leave_present();
    now_.future.clear();
    now_.present.pins_before = std::move(before);
    now_.open_subject = std::move(subject);
    now_.open_gesture = context.gesture;
    now_.open_action = 0;
  }
  now_.present.pins_after = command.pins;
}

void EditHistory::use(const std::shared_ptr<const LoadedScene>& loaded, const LaneScenes& lanes) {
  leave_present();
  now_.future.clear();
  now_.open_subject.clear();
  now_.open_action = 0;
  now_.present.loaded = loaded;
  now_.present.lanes = lanes;
  keep_active();
}

void EditHistory::repeat_travel(Direction direction, std::uint64_t document, const Step& sent) {
  const bool back = direction == Direction::back;
  now_.open_subject.clear();
  now_.open_action = 0;
  // After an earlier refusal it may lead to the same document from another one.
  const auto is_sent = [&](const Step& step) {
    return step.other_scene == sent.other_scene && step.lanes == sent.lanes;
  };
  if (back && can_undo() && now_.past.back().number == document && is_sent(step_back())) {
    now_.future.push_back(std::exchange(now_.present, std::move(now_.past.back())));
    now_.past.pop_back();
  } else if (!back && can_redo() && now_.future.back().number == document && is_sent(step_forward())) {
    now_.past.push_back(std::exchange(now_.present, std::move(now_.future.back())));
    now_.future.pop_back();
  } else if (sent.other_scene) {
    // It leads to another document now and is a separate edit.
    use(sent.other_scene, sent.lanes);
  } else if (!sent.lanes.empty()) {
    LaneScenes lanes = sent.lanes;  // their values on this cloth
    try {
      for (LaneScene& lane : lanes) {
        const auto own = find_scene(now_.present.lanes, lane.lane);
        lane.scene = changed_scene(own ? own : now_.present.lanes.front().scene, SetScene{lane.scene},
                                   *now_.present.loaded->mesh);
      }
      change({}, "", std::move(lanes));
    } catch (const InputError&) {  // the thread refuses it with a reason
    }
  }
  keep_active();
}

/// The panels act on the first lane if theirs was removed.
void EditHistory::keep_active() {
  if (!find_scene(now_.present.lanes, now_.active)) now_.active = now_.present.lanes.front().lane;
}

/// Appends a copy of the present document to the past.
void EditHistory::leave_present() {
  Document next{++documents_, now_.present.loaded, now_.present.lanes};
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
  Scene whole = *lanes.front().scene;
  whole.initial_state = loaded->scene.initial_state;
  return whole;
}

/// The step to a neighbour of the present document; `later` is the later of the two.
EditHistory::Step EditHistory::step_to(const Document& next, const Document& later,
                                       const std::vector<PinTarget>& pins) const {
  Step step;
  step.pins = pins;
  if (next.lanes != now_.present.lanes || next.loaded != now_.present.loaded) step.lanes = next.lanes;
  if (next.loaded != now_.present.loaded) {
    step.other_scene = next.loaded;
    step.text =
        "scene " + title_of(*now_.present.lanes.front().scene) + " → " + title_of(*next.lanes.front().scene);
  } else {
    step.text = describe_differences(now_.present.lanes, next.lanes, *next.loaded->mesh);
    if (step.text.empty()) step.text = motion_text(later.pins_before, later.pins_after);
  }
  return step;
}

void EditHistory::retell() {
  now_.undo_text = can_undo() ? step_back().text : "";
  now_.redo_text = can_redo() ? step_forward().text : "";
  const LaneScenes& saved = saved_.at(now_.present.loaded.get());
  if (saved.empty()) {
    now_.unsaved_changes = now_.unsaved_values = "The restored session is in no scene file or bundle";
    return;
  }
  const LaneScenes& now = now_.present.lanes;
  const LaneScene& first = saved.front();
  const auto same_lane = find_scene(now, first.lane);
  Scene values = same_lane ? *same_lane : with_method(*now.front().scene, first.scene->method());
  // The integrator of a single lane changes often: do not ask about it, but for a tableau that was typed.
  const bool is_typed = values.tableau != nullptr && preset_id(values.tableau->tableau).empty();
  if (!is_typed) {
    values.integrator = first.scene->integrator;
    values.tableau = first.scene->tableau;
  }
  const bool is_alone = saved.size() == 1 && now.size() == 1 && same_lane;
  const ClothMesh& mesh = *now_.present.loaded->mesh;
  try {
    now_.unsaved_values = describe_differences(*first.scene, values, mesh);
    now_.unsaved_changes = is_alone ? now_.unsaved_values : describe_differences(saved, now, mesh);
    if (now_.unsaved_changes.starts_with("lane ")) now_.unsaved_changes[0] = 'L';  // it begins a sentence
  } catch (const InputError&) {
    now_.unsaved_changes = now_.unsaved_values = "Another mesh";  // the saved scene does not fit this one
  }
}

void EditHistory::saved(const Version& written) {
  saved_[written.loaded.get()] = written.lanes;
  retell();
}

}  // namespace clothlab
