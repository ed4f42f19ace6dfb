// SPDX-License-Identifier: MIT
#pragma once

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
#include "documents/load_job.h"
#include "documents/obstacle_meshes.h"
#include "session/control.h"
#include "session/edit_history.h"
#include "session/simulation_thread.h"
#include "session/window_request.h"
#include "ui/user_interface.h"

namespace clothlab {

/// The scenes that are opened, edited and saved in the window. A load runs on a thread of its own, and what
/// it has read is handed to the simulation.
class Documents {
 public:
  struct Surroundings {
    UserInterface& ui;
    Outputs& outputs;
    Preferences& preferences;
    Interaction& interaction;
    /// What has waited for the answer about unsaved changes.
    std::function<void(AppRequest)> carry_out;
  };
  /// `file` is the scene's, where it has one.
  Documents(Surroundings around, SimulationThread& simulation,
            const std::shared_ptr<const LoadedScene>& loaded, const std::filesystem::path& file);

  /// Begins with the load of what the command line names, if anything.
  void begin(const WindowRequest& request);
  /// `mesh_folder`: where the meshes of a checkpoint or a journal lie now.
  void open_path(const std::filesystem::path& path, const std::filesystem::path& mesh_folder = {});
  void open_scene(const OpenScene& wanted);
  /// Reads an OBJ file as an obstacle.
  void add_obstacle(const std::filesystem::path& path);
  /// The obstacles with one that has been read.
  std::optional<SetObstacles> finish_obstacle(const Snapshot& shown);
  /// The running scene with the values that are in force now, from the start.
  void reload_mesh(const ReloadMesh& wanted);
  void give_up_load();
  /// Looks whether a load has ended; `shown` is what the window shows.
  void finish_load(const Snapshot& shown);
  bool is_loading() const { return load_.job != nullptr; }
  const LoadStatus& load_status() const { return status_; }

  std::uint64_t send(std::variant<Command, Control> what, const std::shared_ptr<const Snapshot>& shown);
  void end_gesture() { edits_.end_gesture(); }
  void begin_action() { edits_.begin_action(); }
  void undo(const Snapshot& shown) { carry_out_step("undo", &EditHistory::undo, shown); }
  void redo(const Snapshot& shown) { carry_out_step("redo", &EditHistory::redo, shown); }
  /// What the simulation has refused is taken out again. True when the scene that it was given is now the one
  /// that it shows.
  bool settle(const Snapshot& shown);
  /// A scene is about to be replaced.
  bool awaits_scene() const { return awaited_ != nullptr; }

  void save_scene(const std::filesystem::path& path);
  /// Keeps the present moment until its file has a name, or the dialog is closed.
  void keep_moment();
  void save_moment(const std::filesystem::path& path);
  void remember_folder(const std::filesystem::path& folder);
  /// Whether a request must wait for an answer, because it would lose changes; then the question is asked.
  bool loses_changes(const AppRequest& request);
  void go_on(AnswerUnsaved::Answer answer);
  /// Releases what waits, where no name was given to save by.
  void look_at_question();

  const EditHistory& edits() const { return edits_; }
  /// With a star when there is something to save.
  std::string window_title() const;
  /// Repeats the scene with the values in force, up to a step; empty where no option can name its mesh.
  std::string command_line(std::uint64_t steps) const;

 private:
  using Path = std::filesystem::path;
  struct Load {
    std::unique_ptr<LoadJob> job;
    EditHistory::Arrival arrival = EditHistory::Arrival::another;
    bool is_mesh = false;  // a mesh file, not a scene's
    Path path = {};        // to remember
    Path scene_file = {};  // that is being loaded
  };

  void start(Load load, std::string name);
  void use_scene(UseScene next);
  void tell_of_mesh(const std::shared_ptr<const LoadedScene>& loaded);
  using Travel = std::optional<EditHistory::Step> (EditHistory::*)();
  void carry_out_step(const std::string& what, Travel travel, const Snapshot& shown);
  void say_no_memory();

  Surroundings around_;
  SimulationThread& simulation_;
  EditHistory edits_;

  Load load_;
  // Cancelled, but not over yet: joining their threads at once could hold the window up.
  std::vector<std::unique_ptr<LoadJob>> ending_;
  LoadStatus status_;
  std::vector<std::unique_ptr<ObstacleReading>> obstacles_;  // that are being read
  std::map<const LoadedScene*, Path> scene_files_;
  bool plays_meshes_ = false;  // they do not wait
  // Once this scene is the snapshot's, unless it is refused, the bar of a mesh that waits is shown.
  std::shared_ptr<const LoadedScene> awaited_;
  std::uint64_t awaited_stamp_ = 0;
  bool bar_awaited_ = false;

  std::optional<AppRequest> next_;  // waits for the answer about unsaved changes
  bool saving_before_next_ = false;
  std::function<KeepMoment::Kept()> moment_;  // to be saved, waits for it; null: none
};

}  // namespace clothlab
