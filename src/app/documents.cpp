// SPDX-License-Identifier: MIT
#include "app/documents.h"

#include <algorithm>
#include <exception>
#include <glm/geometric.hpp>
#include <iostream>
#include <new>
#include <utility>

#include "core/text.h"
#include "core/text_file.h"
#include "documents/body_file.h"
#include "documents/bundle.h"
#include "documents/checkpoint_file.h"
#include "documents/command_line.h"
#include "documents/obstacle_meshes.h"
#include "documents/scene_file.h"
#include "mesh/obj_groups.h"
#include "mesh/obj_reader.h"
#include "sim/obstacle_placement.h"
#include "ui/widgets/numbers.h"

namespace clothlab {
namespace {

namespace fs = std::filesystem;

// At once while paused; but a jump would tear cloth that moves or has fallen far below its pins.
MovePins put_back(const std::vector<PinTarget>& pins, const Snapshot& shown) {
  constexpr double kSeconds = 0.25;
  const Frame& frame = shown.frame;
  const bool near = std::ranges::all_of(pins, [&](const PinTarget& pin) {
    return glm::distance(frame.positions[pin.particle], pin.position) < frame.mesh->diagonal;
  });
  return {pins, near && !shown.playing ? 0 : kSeconds * shown.speed};
}

std::string dressed_text(std::span<const Obstacle> before, std::span<const Obstacle> after) {
  double moved = 0;
  for (std::size_t k = 0; k < std::min(before.size(), after.size()); ++k)
    moved = std::max(moved, glm::distance(centre_of(before[k]), centre_of(after[k])));
  return moved == 0 ? "The bodies were inside the cloth and have not moved."
                    : "The bodies have moved by " + format_quantity(moved, "m") + " into the cloth.";
}

}  // namespace

Documents::Documents(Surroundings around, SimulationThread& simulation,
                     const std::shared_ptr<const LoadedScene>& loaded, const Path& file)
    : around_(std::move(around)), simulation_(simulation), edits_(loaded) {
  scene_files_[loaded.get()] = file;
}

void Documents::begin(const WindowRequest& request) {
  plays_meshes_ = request.play;
  if (request.scene) {
    const auto* file = std::get_if<FileSource>(&request.scene->mesh);
    SceneLoadOptions loading;
    loading.units = request.may_fit ? UnitChoice::fit : UnitChoice::as_is;
    loading.initial_state = request.initial_state;
    loading.lanes = request.lanes;
    loading.dress = request.dress;
    start({.job = std::make_unique<LoadJob>(*request.scene, std::move(loading)),
           .is_mesh = request.is_mesh,
           .path = file != nullptr ? path_of(file->path) : Path()},
          mesh_name(*request.scene));
  }
  if (!request.checkpoint.empty()) open_path(request.checkpoint, request.mesh_folder);
  load_.arrival = EditHistory::Arrival::first;
}

void Documents::open_path(const Path& path, const Path& mesh_folder) {
  start({.job = std::make_unique<LoadJob>(path, UnitChoice::fit, false, mesh_folder),
         .is_mesh = kind_of(path) == FileKind::mesh,
         .path = path,
         .scene_file = kind_of(path) == FileKind::scene ? path : Path()},
        file_name(path));
}

void Documents::add_obstacle(const Path& path) {
  const BodyFile file(path);
  if (std::error_code ignored;
      kind_of(file.file) != FileKind::mesh && !file.is_point_cache() && !fs::is_directory(path, ignored))
    return around_.ui.show_message(file_name(path) +
                                       " cannot be an obstacle. Use a mesh (.obj), a folder of meshes or a "
                                       "point cache (.pc2).",
                                   true);
  Obstacle body;
  body.shape = Obstacle::Shape::mesh;
  body.from = body.to = vec3(0);
  body.mesh.path = std::make_shared<const std::string>(utf8_of(path));
  read(body, std::nullopt);
}

void Documents::add_mesh(const Path& path) {
  if (kind_of(BodyFile(path).file) != FileKind::mesh)
    return around_.ui.show_message(file_name(path) + " cannot be part of the cloth. Use a mesh (.obj).",
                                   true);
  const LoadedScene& now = edits_.loaded();
  // What is still being read is read again with the new one.
  const bool waits = load_.job != nullptr && load_.new_meshes > 0;
  std::vector<AddedMesh> meshes = waits ? load_.meshes : now.scene.added_meshes;
  const std::size_t new_meshes = waits ? load_.new_meshes + 1 : 1;
  const std::string name = utf8_of(path);
  const auto* file = std::get_if<FileSource>(&now.scene.mesh);
  // Meshes of one model keep their positions; a copy, and a mesh for a grid, is above the cloth.
  constexpr double kAbove = 0.1;
  const bool is_apart = file != nullptr && file->path != name;
  const auto copies = std::ranges::count(meshes, name, &AddedMesh::path) + (is_apart ? 0 : 1);
  meshes.push_back({name, {0, kAbove * static_cast<double>(copies) * now.mesh->diagonal, 0}});
  set_added_meshes(std::move(meshes), new_meshes);
}

void Documents::set_added_meshes(std::vector<AddedMesh> meshes, std::size_t new_meshes) {
  check_added_meshes(meshes);
  Scene scene = edits_.version().whole();
  scene.added_meshes = meshes;
  SceneLoadOptions loading;
  loading.fit_last_meshes = new_meshes;
  reload(std::move(scene), std::move(loading));
  load_.meshes = std::move(meshes);
  load_.new_meshes = new_meshes;
}

void Documents::read(const Obstacle& body, std::optional<Obstacle> replaced) {
  obstacles_.push_back(
      {std::move(replaced), std::make_unique<BackgroundTask<Obstacle>>([body](const StopProbe& stop) {
         Obstacle read = body;
         read_obstacle_meshes({&read, 1}, stop);
         return read;
       })});
}

void Documents::choose_group(const ChooseGroup& wanted) {
  const auto with_group = [&](const std::string& path) {
    return utf8_of(BodyFile(path_of(path)).file) + (wanted.group.empty() ? "" : "#" + wanted.group);
  };
  if (!wanted.obstacle) {
    Scene scene = edits_.version().whole();
    auto& path = std::get<FileSource>(scene.mesh).path;
    path = with_group(path);
    return reload(std::move(scene), {});
  }
  const Obstacle& present = edits_.scene().obstacles.bodies.at(*wanted.obstacle);
  Obstacle next = present;
  next.mesh = {};
  next.mesh.path = std::make_shared<const std::string>(with_group(*present.mesh.path));
  next.mesh.playback = present.mesh.playback;
  read(next, present);
}

MeshGroups Documents::groups_of(const std::string& path) {
  const auto& [file, chosen] = files_.try_emplace(path, path_of(path)).first->second;
  auto& reading = groups_[file];
  if (!reading)
    reading = std::make_unique<BackgroundTask<std::vector<std::string>>>(
        [file = file](const StopProbe& stop) -> std::vector<std::string> {
          if (kind_of(file) != FileKind::mesh || type_of(file) != fs::file_type::regular) return {};
          try {
            return clothlab::groups_of(read_obj_file(file, {stop, {}}));
          } catch (const std::exception&) {  // the load reports it
            return {};
          }
        });
  return reading->done() ? MeshGroups{reading->result(), chosen} : MeshGroups();
}

std::optional<SetObstacles> Documents::finish_obstacle(const Snapshot& shown) try {
  const auto done =
      std::ranges::find_if(obstacles_, [](const Reading& reading) { return reading.task->done(); });
  if (done == obstacles_.end() || awaits_scene()) return std::nullopt;
  const Reading read = std::move(*done);
  obstacles_.erase(done);
  SetObstacles next{edits_.scene().obstacles.bodies};  // with the changes that are not applied yet
  if (read.replaced) {
    const auto found = std::ranges::find(next.bodies, *read.replaced);
    if (found == next.bodies.end()) return std::nullopt;  // it has changed meanwhile
    *found = read.task->result();
    return next;
  }
  next.bodies.push_back(placed_near_cloth(shown.frame, read.task->result(), next.bodies));
  check_obstacles(next.bodies);
  MeshFile& mesh = next.bodies.back().mesh;
  if (mesh.frames) mesh.playback.start = shown.frame.record.time;  // its first frame is seen now
  around_.ui.show_message(file_name(path_of(*mesh.path)) + " is an obstacle now: " + triangles_text(mesh),
                          false);
  around_.ui.open_tab("Contact");  // with its rows
  return next;
} catch (const std::bad_alloc&) {
  report_no_memory();
  return std::nullopt;
} catch (const std::exception& error) {
  around_.ui.show_message(error.what(), true);
  return std::nullopt;
}

void Documents::open_scene(const OpenScene& wanted) {
  SceneLoadOptions loading;
  loading.lanes = wanted.lanes;
  start({.job = std::make_unique<LoadJob>(wanted.scene, std::move(loading)), .scene_file = wanted.path},
        wanted.scene.title);
}

void Documents::reload_mesh(const ReloadMesh& wanted) {
  Scene scene = edits_.version().whole();
  scene.z_up = wanted.z_up;
  if (wanted.units == UnitChoice::fit) scene.scale = 1;
  SceneLoadOptions loading;
  loading.units = wanted.units;
  reload(std::move(scene), std::move(loading));
}

void Documents::dress() {
  Scene scene = edits_.version().whole();
  if (std::ranges::count(scene.obstacles.bodies, Obstacle::Shape::mesh, &Obstacle::shape) == 0)
    return around_.ui.show_message("There is no body to dress. Add a mesh as an obstacle first.", true);
  scene.pins = PinPreset::none;
  SceneLoadOptions loading;
  loading.dress = true;
  reload(std::move(scene), std::move(loading));
}

void Documents::restore(const Path& session,
                        std::function<void(std::shared_ptr<const LoadedScene>)> restored) {
  start(
      {.job = std::make_unique<LoadJob>(session, UnitChoice::as_is, false), .restored = std::move(restored)},
      "the session");
}

void Documents::reload(Scene scene, SceneLoadOptions loading) {
  const bool dresses = loading.dress;
  loading.lanes = methods_of(edits_.version().lanes);
  const std::string name = mesh_name(scene);
  start({.job = std::make_unique<LoadJob>(std::move(scene), std::move(loading)),
         .arrival = EditHistory::Arrival::reloaded,
         .is_mesh = !dresses,
         .dresses = dresses},
        name);
}

void Documents::start(Load load, std::string name) {
  cancel_load();
  load_ = std::move(load);
  status_ = {true, std::move(name), 0, {}};
}

void Documents::cancel_load() {
  if (!load_.job) return;
  load_.job->cancel();
  ending_.push_back(std::move(load_.job));
  status_ = {};
}

void Documents::finish_load(const Snapshot& shown) {
  std::erase_if(ending_, [](const std::unique_ptr<LoadJob>& job) { return job->done(); });
  if (!load_.job) return;
  LoadJob::Progress progress = load_.job->progress();
  status_.fraction = progress.fraction;
  status_.stage = std::move(progress.stage);
  if (!load_.job->done()) return;
  const Load load = std::exchange(load_, {});
  const LoadJob::Result result = load.job->result();
  status_ = {};
  if (!result.scene) {
    std::string error = result.error;
    if (load.restored && !error.empty()) error += " The session is kept; the next start offers it again.";
    std::cerr << "clothlab: " << error << '\n';
    // Until another scene is loaded.
    around_.ui.show_message_of(edits_.version().loaded, error, true);
    return;
  }
  if (!load.path.empty()) {
    around_.preferences.add_recent(load.path);
    around_.ui.files().set_places({}, {}, around_.preferences.recent_files);
  }
  const std::string dressed =
      load.dresses ? dressed_text(edits_.scene().obstacles.bodies, result.scene->scene.obstacles.bodies) : "";
  edits_.record_scene(result.scene, load.arrival);
  if (load.restored) edits_.saved({result.scene, {}});  // nothing of it is in a file of the user
  // Always assigned: another scene may have had that address.
  scene_files_[result.scene.get()] = load.scene_file.empty() ? Path() : fs::absolute(load.scene_file);
  // A new mesh waits to be pinned; a reloaded one continues to wait.
  const bool waits = load.arrival == EditHistory::Arrival::reloaded
                         ? !load.dresses && around_.ui.mesh_bar().is_shown(shown)
                         : load.is_mesh && !plays_meshes_;
  use_scene({.loaded = result.scene, .waits = waits});
  if (load.restored) load.restored(result.scene);
  if (load.dresses) simulation_.send(Control(SetPlaying{true}));
  if (!waits && load.is_mesh) tell_of_mesh(result.scene);
  std::string remark = load.dresses ? dressed : result.remark;
  if (const auto& moment = result.scene->moment; moment && remark.empty())
    remark = file_name(load.path) + ": " + std::to_string(moment->lanes.size()) +
             (moment->lanes.size() == 1 ? " lane at " : " lanes at ") + format_plain(moment->time, 3) +
             " s. Space continues from there.";
  if (!remark.empty()) around_.ui.show_message_of(result.scene, remark);
}

void Documents::tell_of_mesh(const std::shared_ptr<const LoadedScene>& loaded) {
  if (!std::holds_alternative<FileSource>(loaded->scene.mesh) && loaded->scene.added_meshes.empty()) return;
  around_.ui.show_message_of(loaded, mesh_name(loaded->scene) + ": " +
                                         format_count(loaded->mesh->positions.size()) + " particles, " +
                                         format_plain(loaded->mesh->diagonal) + " m. More in the Scene tab.");
}

std::uint64_t Documents::send(std::variant<Command, Control> what,
                              const std::shared_ptr<const Snapshot>& shown) try {
  if (const auto* command = std::get_if<Command>(&what))
    edits_.record(*command, std::shared_ptr<const Frame>(shown, &shown->frame));
  if (auto* control = std::get_if<Control>(&what)) edits_.record(*control);
  const std::uint64_t stamp = std::visit([this](auto& w) { return simulation_.send(std::move(w)); }, what);
  edits_.sent(stamp);
  return stamp;
} catch (const std::bad_alloc&) {
  report_no_memory();
  return 0;
}

void Documents::report_no_memory() {
  edits_.take_back();
  around_.ui.show_message("There is not enough memory for that.", true);
}

void Documents::carry_out_step(const std::string& what, Travel travel, const Snapshot& shown) try {
  const std::optional<EditHistory::Step> step = (edits_.*travel)();
  if (!step) return around_.ui.show_message("There is nothing to " + what + ".", false);
  if (!around_.interaction.holds_cloth()) around_.interaction.release();  // a grabbed pin may be free now
  if (step->other_scene) {
    cancel_load();
    use_scene({step->other_scene, step->lanes});
  } else if (!step->lanes.empty()) {
    edits_.sent(simulation_.send(Control(SetLanes{step->lanes})));
  }
  if (!step->pins.empty()) edits_.sent(simulation_.send(Command(put_back(step->pins, shown))));
  around_.ui.show_message_of(step->other_scene ? step->other_scene : shown.loaded,
                             (what == "undo" ? "Undo: " : "Redo: ") + step->text + ".");
} catch (const std::bad_alloc&) {
  report_no_memory();
}

void Documents::use_scene(UseScene next) {
  around_.interaction.release();
  awaited_ = next.loaded;
  bar_awaited_ = next.waits;
  awaited_stamp_ = simulation_.send(Control(std::move(next)));
  edits_.sent(awaited_stamp_);
}

bool Documents::follow(const Snapshot& shown) {
  edits_.resolve(shown.applied, *shown.refused);
  if (&edits_.loaded() == shown.loaded.get()) {
    LaneScenes lanes;
    for (const LaneSnapshot* lane : shown.lanes()) lanes.push_back({lane->lane, lane->frame.scene});
    edits_.follow(lanes, shown.lane);
  }
  if (!awaited_ || shown.applied < awaited_stamp_) return false;
  if (std::exchange(awaited_, nullptr) != shown.loaded) return false;  // it was refused
  around_.interaction.release();
  around_.ui.mesh_bar().close();
  if (bar_awaited_) around_.ui.mesh_bar().open();
  return true;
}

void Documents::save_scene(const Path& path) {
  // A request that waits for the answer about unsaved changes is carried out once they are saved.
  const auto saved = [this, path, version = edits_.version(), next = std::exchange(next_, std::nullopt)] {
    edits_.saved(version);
    around_.preferences.add_recent(path);
    remember_folder(fs::absolute(path).parent_path());
    if (next && !loses_changes(*next)) around_.carry_out(*next);
  };
  around_.outputs.write(
      [path, version = edits_.version()] {
        save_scene_file(version.whole(), methods_of(version.lanes), path);
        return "Saved as " + file_name(path) + ".";
      },
      saved);
}

void Documents::keep(FilePurpose purpose) {
  if (purpose == FilePurpose::save_bundle) {
    run_ = simulation_.keep_journal();
    version_of_run_ = edits_.version();
  } else {
    moment_ = simulation_.keep_moment();
  }
}

void Documents::save_moment(const Path& path) {
  if (!moment_.valid()) keep(FilePurpose::save_moment);
  const auto write = [kept = std::exchange(moment_, {}), path] {
    const KeepMoment::Kept& shown = kept.get();
    write_checkpoint_file(shown.moment, *shown.loaded->mesh, path);
    return "Saved this moment as " + file_name(path) + ".";
  };
  around_.outputs.write(write, [this, path] { remember_folder(fs::absolute(path).parent_path()); });
}

void Documents::save_bundle(const Path& path) {
  if (!run_.valid()) keep(FilePurpose::save_bundle);
  const auto write = [kept = std::exchange(run_, {}), path] {
    const KeepJournal::Whole& run = kept.get();
    write_bundle({run.moment, *run.loaded->mesh, run.journal, run.log, run.now}, path);
    return "Saved all as " + file_name(path) + ".";
  };
  around_.outputs.write(write, [this, path, version = version_of_run_] {
    edits_.saved(version);  // a bundle has the scene with its values and lanes
    remember_folder(fs::absolute(path).parent_path());
  });
}

void Documents::remember_folder(const Path& folder) {
  around_.preferences.save_folder = folder;
  around_.ui.files().set_places({}, folder, around_.preferences.recent_files);
}

bool Documents::loses_changes(const AppRequest& request) {
  const auto* open = std::get_if<FileRequest>(&request);
  if (open != nullptr && open->purpose != FilePurpose::open) return false;
  const auto* entry = std::get_if<OpenScene>(&request);
  // A file that cannot be opened loses nothing; open_path reports it.
  const FileKind kind = open != nullptr ? kind_of(open->path) : FileKind::other;
  const bool opens = kind != FileKind::other;
  const auto* session = std::get_if<AnswerSession>(&request);
  const bool restores = session != nullptr && session->answer == AnswerSession::Answer::restore;
  const bool leaves = opens || restores || entry != nullptr || std::holds_alternative<Quit>(request);
  // Where a scene of the library names no lanes, or a mesh is opened, the lanes stay.
  const bool keeps_lanes = (entry != nullptr && entry->lanes.empty()) || kind == FileKind::mesh;
  const std::string& changes = keeps_lanes ? edits_.unsaved_values() : edits_.unsaved_changes();
  if (!leaves || changes.empty()) return false;
  next_ = request;
  saving_before_next_ = false;
  around_.ui.question().ask(changes);
  return true;
}

void Documents::answer(AnswerUnsaved::Answer answer) {
  if (answer == AnswerUnsaved::Answer::save) {
    saving_before_next_ = true;
    return around_.ui.files().open(FileDialog::Purpose::save_scene, edits_.scene().title);
  }
  const std::optional<AppRequest> next = std::exchange(next_, std::nullopt);
  if (next && answer == AnswerUnsaved::Answer::discard) around_.carry_out(*next);
}

void Documents::follow_dialog() {
  if (!around_.ui.files().is_open()) {
    moment_ = {};
    run_ = {};
    version_of_run_ = {};
  }
  if (next_ && saving_before_next_ && !around_.ui.files().is_open()) next_.reset();
}

std::string Documents::window_title() const {
  const std::string& scene = edits_.scene().title;
  const std::string title = scene.empty() ? "ClothLab" : scene + " - ClothLab";
  return edits_.unsaved_changes().empty() ? title : "*" + title;
}

std::string Documents::command_line(std::uint64_t steps) const {
  const LoadedScene& loaded = edits_.loaded();
  return clothlab::command_line(edits_.version().whole(), &loaded.scene, utf8_of(scene_files_.at(&loaded)),
                                steps);
}

}  // namespace clothlab
