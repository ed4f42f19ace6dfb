// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "app/interaction.h"
#include "app/outputs.h"
#include "app/preferences.h"
#include "documents/background_task.h"
#include "documents/body_file.h"
#include "documents/load_job.h"
#include "session/control.h"
#include "session/edit_history.h"
#include "session/simulation_thread.h"
#include "session/window_request.h"
#include "ui/user_interface.h"

namespace clothlab {

/// The scenes that are opened, edited and saved in the window. A load runs on its own thread, and its result
/// is passed to the simulation.
class Documents {
 public:
  struct Surroundings {
    UserInterface& ui;
    Outputs& outputs;
    Preferences& preferences;
    Interaction& interaction;
    /// Carries out the request that waited for the answer about unsaved changes.
    std::function<void(AppRequest)> carry_out;
  };
  /// `file` is the file of the scene, if it has one.
  Documents(Surroundings around, SimulationThread& simulation,
            const std::shared_ptr<const LoadedScene>& loaded, const std::filesystem::path& file);

  /// Starts to load the file that the command line names, if any.
  void begin(const WindowRequest& request);
  /// `mesh_folder`: the present folder of the meshes of a checkpoint or a journal.
  void open_path(const std::filesystem::path& path, const std::filesystem::path& mesh_folder = {});
  void open_scene(const OpenScene& wanted);
  void choose_group(const ChooseGroup& wanted);
  /// See PanelContext.
  MeshGroups groups_of(const std::string& path);
  /// Reads an OBJ file as an obstacle.
  void add_obstacle(const std::filesystem::path& path);
  /// Reloads the running scene with an OBJ file joined to the cloth, or with these.
  void add_mesh(const std::filesystem::path& path);
  /// The last so many of them are new, and get a scale of their own where their size needs one.
  void set_added_meshes(std::vector<AddedMesh> meshes, std::size_t new_meshes = 0);
  /// The obstacles with one that has been read, or that replaces another.
  std::optional<SetObstacles> finish_obstacle(const Snapshot& shown);
  /// Restarts the running scene with its current values.
  void reload_mesh(const ReloadMesh& wanted);
  /// Reloads the running scene with its bodies in the cloth, without pins, and plays it.
  void dress();
  /// Loads the file of a lost session. `restored` is called with its scene when it is sent to the simulation.
  void restore(const std::filesystem::path& session,
               std::function<void(std::shared_ptr<const LoadedScene>)> restored);
  void cancel_load();
  /// Uses the result of a load that has ended; `shown` is the snapshot that the window shows.
  void finish_load(const Snapshot& shown);
  bool is_loading() const { return load_.job != nullptr; }
  const LoadStatus& load_status() const { return status_; }

  std::uint64_t send(std::variant<Command, Control> what, const std::shared_ptr<const Snapshot>& shown);
  void end_gesture() { edits_.end_gesture(); }
  void begin_action() { edits_.begin_action(); }
  void undo(const Snapshot& shown) { carry_out_step("undo", &EditHistory::undo, shown); }
  void redo(const Snapshot& shown) { carry_out_step("redo", &EditHistory::redo, shown); }
  /// Updates the history by what the simulation has applied or refused. True when the scene that was sent to
  /// it is now shown.
  bool follow(const Snapshot& shown);
  /// True while a scene is about to be replaced.
  bool awaits_scene() const { return awaited_ != nullptr; }

  void save_scene(const std::filesystem::path& path);
  /// Keeps what a dialog will save until its file has a name, or the dialog is closed: the shown moment, or
  /// the present run for a bundle.
  void keep(FilePurpose purpose);
  void save_moment(const std::filesystem::path& path);
  void save_bundle(const std::filesystem::path& path);
  void remember_folder(const std::filesystem::path& folder);
  /// Whether a request must wait for an answer, because it would lose changes; then the question is asked.
  bool loses_changes(const AppRequest& request);
  void answer(AnswerUnsaved::Answer answer);
  /// Drops the waiting request if the dialog was closed without a name.
  void follow_dialog();

  const EditHistory& edits() const { return edits_; }
  /// With a star when there is something to save.
  std::string window_title() const;
  /// Repeats the scene with its current values, up to a step; empty if no option can name its mesh.
  std::string command_line(std::uint64_t steps) const;

 private:
  using Path = std::filesystem::path;
  struct Load {
    std::unique_ptr<LoadJob> job;
    EditHistory::Arrival arrival = EditHistory::Arrival::another;
    bool is_mesh = false;                                                   // a mesh file, not a scene's
    bool dresses = false;                                                   // its bodies, and plays then
    std::vector<AddedMesh> meshes = {};                                     // with new ones, if there are any
    std::size_t new_meshes = 0;                                             // how many, the last of `meshes`
    Path path = {};                                                         // to remember
    Path scene_file = {};                                                   // that is being loaded
    std::function<void(std::shared_ptr<const LoadedScene>)> restored = {};  // of a lost session
  };

  struct Reading {
    std::optional<Obstacle> replaced;  // none: it is new
    std::unique_ptr<BackgroundTask<Obstacle>> task;
  };

  void read(const Obstacle& body, std::optional<Obstacle> replaced);
  /// The running scene again, with other values.
  void reload(Scene scene, SceneLoadOptions loading);
  void start(Load load, std::string name);
  void use_scene(UseScene next);
  void tell_of_mesh(const std::shared_ptr<const LoadedScene>& loaded);
  using Travel = std::optional<EditHistory::Step> (EditHistory::*)();
  void carry_out_step(const std::string& what, Travel travel, const Snapshot& shown);
  void report_no_memory();

  Surroundings around_;
  SimulationThread& simulation_;
  EditHistory edits_;

  Load load_;
  // Cancelled, but still running: joining their threads at once could block the window.
  std::vector<std::unique_ptr<LoadJob>> ending_;
  LoadStatus status_;
  std::vector<Reading> obstacles_;
  std::map<std::string, BodyFile> files_;  // by path, each looked up on the disk once
  std::map<Path, std::unique_ptr<BackgroundTask<std::vector<std::string>>>> groups_;  // of OBJ files
  std::map<const LoadedScene*, Path> scene_files_;
  bool plays_meshes_ = false;  // instead of waiting for pins
  // When the snapshot shows this scene, the bar of a waiting mesh is opened, unless the scene was refused.
  std::shared_ptr<const LoadedScene> awaited_;
  std::uint64_t awaited_stamp_ = 0;
  bool bar_awaited_ = false;

  std::optional<AppRequest> next_;  // waits for the answer about unsaved changes
  bool saving_before_next_ = false;
  std::shared_future<KeepMoment::Kept> moment_;  // to be saved; not valid: none
  std::shared_future<KeepJournal::Whole> run_;   // the same of a bundle
  EditHistory::Version version_of_run_;
};

}  // namespace clothlab
