// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/lane_id.h"
#include "documents/scene_loader.h"
#include "session/control.h"
#include "sim/command.h"
#include "sim/frame.h"

namespace clothlab {

/// The user's edits of scenes, for undo, redo and the question about unsaved changes. For one thread, which
/// reports everything that it sends to the SimulationThread; the history contains the scene as it will be
/// when all of that is carried out. Refused requests are removed as if they had never been sent. If a call
/// throws std::bad_alloc, nothing changed and the request must not be sent.
///
/// An entry has the complete immutable scenes of all lanes with a shared mesh, so that going back to another
/// scene opens no file. Positions and velocities are not included: undoing a parameter moves nothing. Pins
/// that undo moves or restores return to their positions.
class EditHistory {
 public:
  /// The requests of an undo or redo, and its description: "Stretch stiffness 1000 → 150 N/m".
  struct Step {
    std::shared_ptr<const LoadedScene> other_scene;  ///< to use (UseScene); null: the one that runs
    LaneScenes lanes;             ///< lanes and values to adopt (SetLanes); empty: none change
    std::vector<PinTarget> pins;  ///< pins to move after that (MovePins)
    std::string text;
  };

  /// The first scene, as it was loaded.
  explicit EditHistory(std::shared_ptr<const LoadedScene> first);

  /// A command was sent. Commands of one gesture that repeatedly set the same value or move the same pins are
  /// one entry. `seen` has the positions of pins at that time; without positions, undo moves no pin.
  void record(const Command& command, std::shared_ptr<const Frame> seen = nullptr);
  /// A control was sent. A new lane is given its letter; added and removed lanes are entries.
  void record(Control& control);
  /// Adopts, without an entry, lanes that the thread added or removed by itself. Does nothing while a request
  /// waits for its answer.
  void follow(const LaneScenes& lanes, LaneId active);
  /// The mouse button was released.
  void end_gesture() { ++gesture_; }
  /// All requests until the next call are one action of the user and one entry.
  void begin_action() { ++action_; }
  enum class Arrival {
    another,   ///< a scene that can be undone
    reloaded,  ///< the same scene, reloaded; unsaved changes stay unsaved
    first      ///< the window's first scene
  };
  /// Another scene was sent.
  void record_scene(std::shared_ptr<const LoadedScene> loaded, Arrival arrival);

  /// The stamp of the last edit, undo or redo.
  void sent(std::uint64_t stamp) noexcept;
  /// It was not sent after all.
  void take_back() noexcept;
  /// The thread has handled all requests up to `applied`; `refused` (ascending stamps) had no effect.
  void resolve(std::uint64_t applied, const std::vector<std::uint64_t>& refused);

  /// The scene of the active lane as it will be, without the initial state.
  const Scene& scene() const { return *find_scene(now_.present.lanes, now_.active); }
  const LoadedScene& loaded() const { return *now_.present.loaded; }
  /// A scene to save, with its values.
  struct Version {
    std::shared_ptr<const LoadedScene> loaded;
    LaneScenes lanes;  ///< without the initial state, which `loaded` has
    /// The scene of the first lane with its initial state, as in a file.
    Scene whole() const;
  };
  Version version() const { return {now_.present.loaded, now_.present.lanes}; }

  bool can_undo() const { return !now_.past.empty(); }
  bool can_redo() const { return !now_.future.empty(); }
  /// Description of the next undo or redo; empty when there is none.
  const std::string& undo_text() const { return now_.undo_text; }
  const std::string& redo_text() const { return now_.redo_text; }
  std::optional<Step> undo() { return travel(Direction::back); }
  std::optional<Step> redo() { return travel(Direction::forward); }

  /// This version was written to a file; without lanes: nothing of its scene was.
  void saved(const Version& written);
  /// Lanes, parameters, gravity and pins that differ from the file, or from the start if there is no file; in
  /// words.
  const std::string& unsaved_changes() const { return now_.unsaved_changes; }
  /// The part of them that a scene without lanes of its own replaces: without lanes and integrators, which
  /// the window keeps.
  const std::string& unsaved_values() const { return now_.unsaved_values; }

 private:
  struct Document {
    std::uint64_t number = 0;  // unique
    std::shared_ptr<const LoadedScene> loaded;
    LaneScenes lanes;  // without the initial state, which `loaded` has
    // Pins that the edit from the previous document to this one moved, freed or set.
    std::vector<PinTarget> pins_before = {};  // their positions in the previous document
    std::vector<PinTarget> pins_after = {};   // and in this one
  };
  struct State {
    Document present;
    LaneId active = 0;
    std::deque<Document> past;     // newest last
    std::vector<Document> future;  // next last
    std::string open_subject;      // of the current gesture
    std::uint64_t open_gesture = 0, open_action = 0;
    std::string undo_text, redo_text, unsaved_changes, unsaved_values;
  };
  /// The frame that the user saw (null: none), and the gesture and action of the edit (0: none).
  struct EditContext {
    std::shared_ptr<const Frame> seen;
    std::uint64_t gesture = 0, action = 0;
  };
  using Edit = std::function<void(EditHistory&)>;
  /// An edit that was sent and may still be refused.
  struct Pending {
    std::uint64_t stamp = 0;  // 0: not known yet
    Edit edit;
    State before;
  };

  void add(Edit edit);
  void take_out_first();
  void perform(const Command& command, const EditContext& context);
  void add_lane(const NewLane& made, const EditContext& context);
  void remove_lane(LaneId lane, const EditContext& context);
  void use(const std::shared_ptr<const LoadedScene>& loaded, const LaneScenes& lanes);
  enum class Direction { back, forward };
  std::optional<Step> travel(Direction direction);
  /// The edit of an undo or redo, also after an earlier edit was refused.
  void repeat_travel(Direction direction, std::uint64_t document, const Step& sent);
  void change(const EditContext& context, const std::string& subject, LaneScenes after);
  void move_pins(const MovePins& command, const EditContext& context);
  /// To the newest document of the past, and to the next of the future.
  Step step_back() const { return step_to(now_.past.back(), now_.present, now_.present.pins_before); }
  Step step_forward() const {
    return step_to(now_.future.back(), now_.future.back(), now_.future.back().pins_after);
  }
  Step step_to(const Document& next, const Document& later, const std::vector<PinTarget>& pins) const;
  void leave_present();
  void keep_active();
  void retell();

  State now_;
  std::deque<Pending> pending_;  // in the order of their stamps
  std::map<const LoadedScene*, LaneScenes> saved_;
  std::uint64_t documents_ = 0;
  std::uint64_t gesture_ = 1;
  LaneScenes followed_;       // the last that were compared and agree
  std::uint64_t action_ = 0;  // 0: what is sent belongs to no action
};

}  // namespace clothlab
