#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/control.h"
#include "runtime/scene_loader.h"
#include "sim/command.h"
#include "sim/frame.h"

namespace clothlab {

/// What the user has made of the scenes, for undo, redo and the question about unsaved changes. For one
/// thread, which tells it all that it sends to the SimulationThread; it knows the scene as it will be once
/// all of that is carried out, and so does not depend on how long a step takes.
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
  void record(const Command& command, const Frame& seen = {});
  void record(const RunAgain& command);
  /// The mouse button was let go.
  void end_gesture() { open_subject_.clear(); }
  /// Another scene was sent. `keeps_changes`: the same one read anew, so that what was not saved still is
  /// not.
  void record_scene(std::shared_ptr<const LoadedScene> loaded, bool keeps_changes);

  /// What the user sees, or will see, without the initial state.
  const Scene& scene() const { return *present_.scene; }
  const LoadedScene& loaded() const { return *present_.loaded; }
  /// What there is to save: a scene and the values that it has.
  struct Version {
    std::shared_ptr<const LoadedScene> loaded;
    std::shared_ptr<const Scene> scene;  ///< without the initial state, which `loaded` has
    /// The scene with the state that it starts from, as a file has it.
    Scene whole() const;
  };
  Version version() const { return {present_.loaded, present_.scene}; }

  bool can_undo() const { return !past_.empty(); }
  bool can_redo() const { return !future_.empty(); }
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
    std::shared_ptr<const LoadedScene> loaded;
    std::shared_ptr<const Scene> scene;  // without the initial state, which `loaded` has
    std::shared_ptr<const Scene> saved;
    // Pins that the edit from the document before to this one moved, freed or set.
    std::vector<PinPlace> pins_before;  // where those were that the document before has
    std::vector<PinPlace> pins_after;   // and are now, of those that this one has
  };

  void record_motion(const MovePins& command, const Frame& seen);
  Step step_back() const;     // to past_.back()
  Step step_forward() const;  // to future_.back()
  Step step_to(const Document& next, const Document& later) const;
  Step take(Step step, Document next);
  void push_past(Document document);
  void retell();

  Document present_;
  std::deque<Document> past_;     // newest last
  std::vector<Document> future_;  // next last
  std::string undo_text_, redo_text_, unsaved_changes_;
  std::string open_subject_;  // what a gesture that goes on is setting
};

}  // namespace clothlab
