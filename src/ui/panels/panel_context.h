// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <glm/vec3.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "chart/chart.h"
#include "documents/recorder.h"
#include "documents/scene_loader.h"
#include "integrate/registry.h"
#include "session/control.h"
#include "session/edit_history.h"
#include "session/snapshot.h"
#include "sim/command.h"
#include "sim/recorded_drag.h"
#include "ui/plots/plot.h"
#include "ui/plots/plot_kinds.h"
#include "ui/theme.h"

namespace clothlab {

class LimitSearch;
class StabilityMap;

/// A scene that comes with the program.
struct SceneEntry {
  Scene scene;
  std::vector<LaneMethod> lanes;  ///< LoadedScene::lanes
  std::string file;               ///< name of its file, for the tests
  std::filesystem::path path;
  std::string_view group = {};  ///< heading of its group in the list
};

std::string file_name(const std::filesystem::path& path);
/// Of the mesh's file, or the title of a scene without one.
std::string mesh_name(const Scene& scene);

/// Hints for new users, shown until done once or dismissed.
enum class Hint { drag, orbit, integrator, keys };
inline constexpr std::array<std::string_view, 4> kHintNames{"drag", "orbit", "integrator", "keys"};
using HintsDone = std::array<bool, kHintNames.size()>;

/// Least ViewSettings::grab_strength; the most is 1.
inline constexpr double kLeastGrabStrength = 0.01;
/// Bounds of ViewSettings::history_megabytes.
inline constexpr double kLeastHistoryMegabytes = 16, kMostHistoryMegabytes = 16384;
/// Bounds of a recording's frames per second of simulated time.
inline constexpr double kLeastRecordedRate = 1, kMostRecordedRate = 1000;

/// Least and usual ViewSettings::panel_width.
inline constexpr float kLeastPanelWidth = 340, kUsualPanelWidth = 420;

/// Several lanes in the view: each in a tile, all in one picture in the colours of the lanes, or only the
/// active one.
enum class LaneLayout { tiles, overlay, alone };

/// What the heat map shows: the strain of the stretch springs, or the distance from the reference lane, if
/// there is one.
enum class HeatQuantity { strain, distance };

/// Display settings; none changes the simulation.
struct ViewSettings {
  Theme theme = Theme::dark;
  bool weave = true;
  bool particles = false;
  bool stretch_springs = false;
  bool bend_springs = false;
  bool pins = true;
  bool velocities = false;     ///< as arrows
  bool forces = false;         ///< as arrows
  bool contacts = false;       ///< as points, with arrows
  bool intersections = false;  ///< of triangles
  bool wireframe = false;
  bool heat_map = false;
  HeatQuantity heat_of = HeatQuantity::strain;
  double heat_max_strain = 0.1;  ///< at the end of the heat map's colours
  bool ground = true;
  bool plots = true;
  LaneLayout lanes = LaneLayout::tiles;
  float panel_width = kUsualPanelWidth;  ///< [interface units]
  bool explain = false;                  ///< the tab that explains the current integrator is open
  bool edit_tableau = false;             ///< opens the dialog of the tableau
  PlotsLayout plots_layout;
  LookAheadChoice look_ahead = LookAheadChoice::automatic;
  bool trackpad = false;           ///< scrolling orbits
  double history_megabytes = 256;  ///< memory for past states
  double grab_strength = 1;        ///< of the next grab, see Grab
  float interface_scale = 1;       ///< times the display's content scale
  Recorder::Settings recording;
  HintsDone hints_done{};
  bool write_session = true;          ///< for recovery, from the next start on
  ShowSpectrum spectrum;              ///< what the last drawn instruments need
  decltype(Motion::step_of) step_of;  ///< the same

  void done(Hint hint) { hints_done[static_cast<std::size_t>(hint)] = true; }
};

// Requests of the panels to the application, in addition to commands and controls.

enum class FilePurpose { open, obstacle, added_mesh, save_scene, save_mesh, save_moment, save_bundle };
/// Opens a mesh, scene, moment or journal, reads an OBJ file as an obstacle, joins one to the cloth, or saves
/// the scene, the cloth's present shape or the moment that was kept.
struct FileRequest {
  FilePurpose purpose = FilePurpose::open;
  std::filesystem::path path;
};
/// Opens the dialog for the file of an obstacle.
struct ChooseMeshObstacle {};
/// Opens the dialog for a file that is joined to the cloth.
struct ChooseAddedMesh {};
/// Reloads the running scene with other meshes joined to the first.
struct SetAddedMeshes {
  std::vector<AddedMesh> meshes;
};
struct OpenScene {
  Scene scene;
  std::vector<LaneMethod> lanes;  ///< LoadedScene::lanes
  std::filesystem::path path;     ///< of its file
};
/// Reloads the running scene, its mesh with another unit or another axis up.
struct ReloadMesh {
  UnitChoice units = UnitChoice::fit;
  bool z_up = false;
};
/// Places the bodies that are meshes in the cloth (sim/dressing.h), and restarts.
struct DressBodies {};
/// Names of groups of an OBJ file in ascending order, and those to which a path limits its mesh.
struct MeshGroups {
  std::span<const std::string> all = {}, chosen = {};
};
/// Limits the mesh of an obstacle, counted from 0, or else of the cloth to a group of its OBJ file; an empty
/// name means all faces.
struct ChooseGroup {
  std::optional<std::size_t> obstacle;
  std::string group;
};
/// Keeps what a dialog will save until its file has a name: the shown moment for save_moment, the present run
/// for save_bundle.
struct KeepForSaving {
  FilePurpose purpose = FilePurpose::save_moment;
};
/// Saves a picture of a plot, or a chart, as PNG or SVG in the user's folder.
struct SavePlot {
  std::shared_ptr<const ShownPlot> plot;
  bool svg = false;
};
struct SaveChart {
  std::string title;
  std::shared_ptr<const Chart> chart;
  bool svg = false;
};
struct CancelLoad {};
struct FrameCloth {};
/// Moves the camera to the spring or the contact that failed.
struct FrameFailure {};
struct ReleaseGrab {};
struct Undo {};
struct Redo {};
/// Saves a picture of the view to a file in the user's folder.
struct SavePicture {};
/// In a new folder of `folder`.
struct StartRecording {
  Recorder::Settings settings;
  std::filesystem::path folder;
};
struct StopRecording {};
/// The user has seen that a recording ended.
struct CloseRecording {};
/// To the clipboard.
struct CopyText {
  std::string text;
};
/// Of the scene with its present values, or of a replay of the journal, which is saved for it.
struct CopyCommandLine {};
/// Versions, system, settings, scene, lanes and the last notices, to the clipboard.
struct CopyDiagnostics {};
/// A table to a CSV file in the user's folder.
struct SaveTable {
  std::string title;
  std::string csv;
};
/// Searches the largest stable h of every method, the stable h and k_s of the active lane's method, or error
/// and cost of every method; or cancels the search.
struct Search {
  enum class Of { limits, map, choice };
  Of of = Of::limits;
  bool cancels = false;
  ChoiceRuns runs = {};  ///< of a choice
};
/// Saves the journal to a file next to those that the user saves.
struct SaveJournal {};
/// The answer to the question about unsaved changes.
struct AnswerUnsaved {
  enum class Answer { save, discard, cancel };
  Answer answer = Answer::cancel;
};
/// The answer to the offer to restore a session.
struct AnswerSession {
  enum class Answer { restore, later, discard };
  Answer answer = Answer::later;
};
struct ReloadShaders {};
struct Quit {};
using AppRequest =
    std::variant<FileRequest, ChooseMeshObstacle, ChooseAddedMesh, SetAddedMeshes, OpenScene, ReloadMesh,
                 DressBodies, ChooseGroup, KeepForSaving, SavePlot, SaveChart, CancelLoad, FrameCloth,
                 FrameFailure, ReleaseGrab, Undo, Redo, SavePicture, StartRecording, StopRecording,
                 CloseRecording, CopyText, CopyCommandLine, CopyDiagnostics, SaveJournal, SaveTable, Search,
                 AnswerUnsaved, AnswerSession, ReloadShaders, Quit>;

/// A load that runs in parallel to the simulation.
struct LoadStatus {
  bool running = false;
  std::string name;
  double fraction = 0;
  std::string stage;
};

/// A recording as the window shows it.
struct RecordingStatus {
  bool shown = false;  ///< one is running, or its end was not seen yet
  std::filesystem::path folder;
  Recorder::Settings settings;
  Recorder::Progress progress;
  std::size_t lanes = 1;  ///< several lanes each have their own folder, lane-A
  VideoFile video = {};   ///< of the first lane
  std::optional<VideoFile> comparison = {};
  std::array<int, 2> pixels = {};  ///< of its pictures
};

/// A value that the user has set and the simulation has not applied yet: the window shows it during the
/// running step.
template <class T>
struct Intended {
  std::optional<T> value;
  std::uint64_t stamp = 0;

  void set(T next, std::uint64_t at) {
    value = std::move(next);
    stamp = at;
  }
  T shown(const T& in_force, std::uint64_t applied) const {
    return value && applied < stamp ? *value : in_force;
  }
};

struct Intentions {
  Intended<bool> playing;
  Intended<double> speed;
};

/// The control that a setting sends to the simulation thread.
inline SetHistoryMemory history_memory(const ViewSettings& view) {
  return {static_cast<std::size_t>(view.history_megabytes * (1 << 20))};
}

/// Scale of arrows: `value` is drawn with `length` [m]; 0 while there are no arrows.
struct ArrowLegend {
  glm::vec3 colour{1};  ///< sRGB in [0, 1]
  double length = 0;
  double value = 0;
};
/// Scale of the heat map.
struct HeatLegend {
  std::optional<LaneId> from;  ///< distances from this lane [m]; none: strains
  double most = 0;             ///< at the end of the colours
  double now = 0;              ///< largest in the active lane
};
/// The contents of the legend.
struct ViewLegend {
  ArrowLegend velocity;  ///< [m/s]
  ArrowLegend force;     ///< [N]
  ArrowLegend contact;   ///< [N], of sticking contacts
  glm::vec3 sliding{1};  ///< colour of sliding contacts
  glm::vec3 intersection{1};
  glm::vec3 seam{1};
  HeatLegend heat;
  std::size_t stride = 1;  ///< arrows at every stride-th particle
  glm::vec3 stretch_spring{1};
  glm::vec3 bend_spring{1};
  glm::vec3 grab{1};
  double grab_depth = 0;  ///< of the cursor behind the plane where the grab began [m]
};

/// Input of a panel: the snapshot to read, and functions that request changes.
struct PanelContext {
  const Snapshot& snapshot;
  std::span<const SceneEntry> scenes;
  const LoadStatus& load;
  const RecordingStatus& recording;
  const LimitSearch* limits = nullptr;   ///< null before the first
  const StabilityMap* map = nullptr;     ///< of the active lane's method; null before its first
  const ChoiceSearch* choice = nullptr;  ///< null before the first
  double running_step_seconds = 0;
  double frames_per_second = 0;
  /// Colour of the heat map at t in [0, 1], as sRGB in [0, 1].
  glm::vec3 (*heat_colour)(double t) = nullptr;
  ViewLegend legend;
  ViewSettings& view;
  Intentions& intentions;
  const EditHistory& edits;
  /// Queues for the simulation thread; returns the request's stamp.
  std::function<std::uint64_t(std::variant<Command, Control>)> send;
  std::function<void(AppRequest)> request;
  const RecordedDrag* drag = nullptr;             ///< the last one of a pin; null: none
  std::optional<std::uint32_t> under_mouse = {};  ///< particle; known while ViewSettings::step_of is set
  /// The groups of a mesh, by its path (BodyFile); none while they are read.
  std::function<MeshGroups(const std::string& path)> groups_of = {};

  /// The shown scene with the user's values, also those that the simulation has not applied yet.
  const Scene& scene() const;
  void set_parameter(std::string_view id, double value) const;
  /// Why the parameter has no effect now, see why_without_effect; empty where it has one.
  std::string why_without_effect(std::string_view id) const;
  /// The user's choice, and its row in integrators().
  const IntegratorInfo& method() const;
  std::size_t integrator() const;
  /// The user's values of its own parameters.
  IntegratorParameters own_parameters() const;
  void set_integrator(std::size_t row) const;
  /// To the next method of the list that can run this scene, or, with −1, the one before.
  void step_integrator(int by) const;
  /// Adds a lane with that integrator: from the current state, or from the start through the whole journal.
  void add_lane(std::size_t row, bool from_start = false) const;
  void select_lane(LaneId lane) const;
  void remove_lane(LaneId lane) const { send(Control(ChangeLanes{RemoveLane{lane}})); }
  bool playing() const { return intentions.playing.shown(snapshot.playing, snapshot.applied); }
  void set_playing(bool playing) const;
  double speed() const { return intentions.speed.shown(snapshot.speed, snapshot.applied); }
  void set_speed(double speed) const;
  void set_gravity(const vec3& gravity) const { send(Command(SetGravity{gravity})); }
  /// Sets all values of a scene of the same mesh as one change.
  void set_scene(Scene scene) const;
  /// The user's h, of a substep [s].
  double step_size() const { return scene().h(); }
};

/// The sizes of text and controls, relative to the scale of the display.
inline constexpr std::array<std::string_view, 8> kTextSizeNames{"75 %",  "90 %",  "100 %", "110 %",
                                                                "125 %", "150 %", "175 %", "200 %"};
inline constexpr std::array kTextSizes{0.75F, 0.9F, 1.0F, 1.1F, 1.25F, 1.5F, 1.75F, 2.0F};
inline constexpr std::size_t kUsualTextSize = 2;

/// The one nearest to the current size.
std::size_t text_size(const ViewSettings& view);
/// Changes the size by some entries of the list.
void change_text_size(ViewSettings& view, int by);

}  // namespace clothlab
