// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "runtime/control.h"
#include "runtime/scene_loader.h"
#include "sim/command.h"
#include "sim/frame.h"

namespace clothlab {

/// What the user has made of the scenes, for undo, redo and the question about unsaved changes. For one
/// thread, which tells it all that it sends to the SimulationThread; it knows the scene as it will be once
/// all of that is carried out, and so does not depend on how long a step takes. What the thread refuses is
/// taken out again as if it had never been sent.
///
/// An entry is a whole immutable description of a scene and shares its mesh, so that going back to
/// another scene opens no file. Positions and velocities are not part of it: undoing a parameter moves
/// nothing. Pins that undo moves or sets again go back to their places.
class EditHistory {
 public:
  /// What undo and redo ask for, and what it does in words: "Stretch stiffness 1000 → 150 N/m".
  struct Step {
    std::shared_ptr<const LoadedScene> other_scene;  ///< to use (UseScene); null: the one that runs
    std::shared_ptr<const Scene> scene;  ///< its values, or those to take over (SetScene); null: none change
    std::vector<PinPlace> pins;          ///< where these go after that (MovePins)
    std::string text;
  };

  /// The first scene, as it was loaded.
  explicit EditHistory(std::shared_ptr<const LoadedScene> first);

  /// A command was sent. Commands of one gesture that set the same value or move the same pins again and
  /// again are one entry. `seen` says where pins are at that moment; without it (no positions), no pin goes
  /// back to its place.
  void record(const Command& command, std::shared_ptr<const Frame> seen = nullptr);
  void record(const RunAgain& command);
  /// The mouse button was let go.
  void end_gesture() { ++gesture_; }
  enum class Arrival {
    another,  ///< a scene that can be undone
    anew,     ///< the same one read anew, so that what was not saved still is not
    first     ///< the one that the window was opened for: there is none before it
  };
  /// Another scene was sent.
  void record_scene(std::shared_ptr<const LoadedScene> loaded, Arrival arrival);

  /// The stamp under which what was recorded, undone or redone last was sent.
  void sent(std::uint64_t stamp);
  /// The thread has carried out all requests up to `applied`, but those that it refused (ascending stamps).
  void settle(std::uint64_t applied, const std::vector<std::uint64_t>& refused);

  /// What the user sees, or will see, without the initial state.
  const Scene& scene() const { return *now_.present.scene; }
  const LoadedScene& loaded() const { return *now_.present.loaded; }
  /// What there is to save: a scene and the values that it has.
  struct Version {
    std::shared_ptr<const LoadedScene> loaded;
    std::shared_ptr<const Scene> scene;  ///< without the initial state, which `loaded` has
    /// The scene with the state that it starts from, as a file has it.
    Scene whole() const;
  };
  Version version() const { return {now_.present.loaded, now_.present.scene}; }

  bool can_undo() const { return !now_.past.empty(); }
  bool can_redo() const { return !now_.future.empty(); }
  /// What would happen, in words; empty when there is nothing to undo or redo.
  const std::string& undo_text() const { return undo_text_; }
  const std::string& redo_text() const { return redo_text_; }
  std::optional<Step> undo();
  std::optional<Step> redo();

  /// This version was written to a file.
  void saved(const Version& written);
  /// Parameters, gravity and pins that differ from the file, or from the start of what has none; in words.
  const std::string& unsaved_changes() const { return unsaved_changes_; }

 private:
  struct Document {
    std::uint64_t number = 0;  // no two have the same
    std::shared_ptr<const LoadedScene> loaded;
    std::shared_ptr<const Scene> scene;  // without the initial state, which `loaded` has
    // Pins that the edit from the document before to this one moved, freed or set.
    std::vector<PinPlace> pins_before = {};  // where those were that the document before has
    std::vector<PinPlace> pins_after = {};   // and are now, of those that this one has
  };
  struct State {
    Document present;
    std::deque<Document> past;     // newest last
    std::vector<Document> future;  // next last
    std::string open_subject;      // what a gesture that goes on is setting
    std::uint64_t open_gesture = 0;
  };
  struct Edit {
    Command command;
    std::shared_ptr<const Frame> seen;
    std::uint64_t gesture = 0;
  };
  struct OtherScene {
    std::shared_ptr<const LoadedScene> loaded;
    std::shared_ptr<const Scene> scene;
    bool first = false;
  };
  struct Travel {
    bool back = true;
    std::uint64_t document = 0;
    Step step;
  };
  /// What was sent and may still be refused.
  struct Pending {
    std::uint64_t stamp = 0;  // 0: not known yet
    std::variant<Edit, OtherScene, Travel> what;
    State before;
  };

  void add(std::variant<Edit, OtherScene, Travel> what);
  void perform(const Edit& edit);
  void perform(const OtherScene& other);
  void perform(const Travel& travel);
  void change(const Edit& edit, std::shared_ptr<const Scene> after);
  void move_pins(const MovePins& command, const Edit& edit);
  Step step_back() const;     // to the newest of the past
  Step step_forward() const;  // to the next of the future
  Step step_to(const Document& next, const Document& later) const;
  void leave_present();
  void retell();

  State now_;
  std::deque<Pending> pending_;  // in the order of their stamps
  std::map<const LoadedScene*, std::shared_ptr<const Scene>> saved_;
  std::uint64_t documents_ = 0;
  std::uint64_t gesture_ = 1;
  std::string undo_text_, redo_text_, unsaved_changes_;
};

}  // namespace clothlab
