// SPDX-License-Identifier: MIT
#include "app/application.h"

#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <imgui.h>
#include <nlohmann/json.hpp>

#include "app/cloth_view.h"
#include "app/documents.h"
#include "app/framing.h"
#include "app/interaction.h"
#include "app/outputs.h"
#include "app/preferences.h"
#include "app/recovery.h"
#include "app/scene_library.h"
#include "app/searches.h"
#include "app/state_log.h"
#include "app/window.h"
#include "core/error.h"
#include "core/overloaded.h"
#include "core/stop_probe.h"
#include "core/text_file.h"
#include "core/worker_pool.h"
#include "documents/command_line.h"
#include "documents/program_log.h"
#include "io/config_folder.h"
#include "io/free_path.h"
#include "io/output_file.h"
#include "io/system_report.h"
#include "render/gl.h"
#include "render/scales.h"
#include "render/shader_program.h"
#include "session/simulation_thread.h"
#include "ui/readings.h"
#include "ui/user_interface.h"

namespace clothlab {
namespace {

namespace fs = std::filesystem;

// Period of pictures if only blinking or expiring items change [s].
constexpr double kSlowPeriod = 0.25;
// Period of checks for something new while no picture is drawn [s].
constexpr double kRestingPeriod = 0.05;
// After an event pictures are drawn for this long, since a tooltip, for example, appears later [s].
constexpr double kLively = 0.6;
// How long a closing window waits for the last pictures of a recording, and the period of its checks [s].
constexpr double kPatience = 3;
constexpr double kWriting = 0.005;

std::unique_ptr<SimulationThread> start_simulation(const WindowRequest& request, Scene scene,
                                                   std::shared_ptr<SessionJournal> session_journal) {
  // The built-in scene is small and starts at once; the user's scene is loaded in parallel.
  if (!request.scene && request.with_options) scene = request.with_options(std::move(scene));
  SimulationThread::Options options;
  options.threads = request.threads;
  options.session_journal = std::move(session_journal);
  // A renderer on the CPU keeps one core; otherwise long steps would leave it few pictures per second.
  if (is_software_renderer() && options.threads >= hardware_threads())
    options.threads = std::max(1, hardware_threads() - 1);
  SceneLoadOptions loading;
  if (!request.scene) loading.initial_state = request.initial_state;
  loading.stop = request.stop;
  loading.rehearse = true;  // so that the first grab is as strong as ω_max allows
  return std::make_unique<SimulationThread>(
      std::make_shared<const LoadedScene>(load_scene(std::move(scene), loading)), options);
}

// The window's main loop and its objects. The simulation runs on its own thread, a load on another; this
// thread only reads their newest results, so it never waits for a step.
class Application {
 public:
  Application(const WindowRequest& request, const fs::path& program, ProgramLog& log)
      : log_(log),
        stop_(request.stop),
        library_(load_scene_library(program)),
        simulation_(start_simulation(request, library_.front().scene, recovery_.session_journal())),
        snapshot_(simulation_->latest()),
        documents_({ui_, outputs_, preferences_, interaction_,
                    [this](AppRequest asked) { carry_out(std::move(asked)); }},
                   *simulation_, snapshot_->loaded, library_.front().path) {
    log_.write("Window opened: " + display_report());
    ui_.open_tab(preferences_.tab);
    std::error_code no_folder;
    const fs::path& saved_in = preferences_.save_folder;
    ui_.files().set_places(fs::current_path(no_folder),
                           saved_in.empty() ? pictures_folder(process_environment()) : saved_in,
                           preferences_.recent_files);
    // The scenes lie in a folder next to the meshes.
    if (const fs::path& scene = library_.front().path; !scene.empty())
      ui_.files().set_bundled(scene.parent_path().parent_path());
    simulation_->send(Control(history_memory(settings_)));
    simulation_->send(Control(SetLookAhead{settings_.look_ahead}));
    listen();
    documents_.begin(request);
  }

  /// False if a signal ended it.
  bool run() {
    bool shown = false;
    while (!stop_requested(stop_)) {
      window_.poll();
      while (!window_.should_close() && !stop_requested(stop_) && !frame_is_due()) {
        log_state();
        // Waits until the next picture is due or an event arrives, and checks the simulation in between.
        const double due = last_frame_ + window_.refresh_period() - window_.now();
        window_.wait(due > 0 ? due : resting_ ? kRestingPeriod : window_.refresh_period());
      }
      if (window_.should_close()) {
        if (!loses_changes(Quit{})) break;
        window_.stay_open();
      }
      last_frame_ = window_.now();
      draw_frame();
      if (!std::exchange(shown, true)) {
        // Centred on the cloth, now that the size of the window is known.
        view_.look_at_scene(*snapshot_);
        window_.show();
      }
    }
    finish_recording();
    // The next start offers a session that a signal ended.
    const bool is_closed = window_.should_close();
    if (is_closed) recovery_.finish();
    preferences_.tab = ui_.tab();
    if (const auto geometry = window_.geometry()) preferences_.window = geometry;
    preferences_.save();
    return is_closed;
  }

 private:
  void listen() {
    WindowEvents events;
    events.key = [this](const KeyPress& press) { keys_.push_back(press); };
    events.button = [this](const MouseClick& click) { interaction_.button(click); };
    events.cursor = [this](double x, double y) { interaction_.cursor(x, y); };
    events.scroll = [this](const MouseScroll& scroll) { interaction_.scroll(scroll); };
    events.drop = [this](const fs::path& path, bool shift, bool ctrl) {
      dropped_.emplace_back(FileRequest{shift  ? FilePurpose::obstacle
                                        : ctrl ? FilePurpose::added_mesh
                                               : FilePurpose::open,
                                        path});
    };
    events.focus_lost = [this] { interaction_.release(); };
    window_.listen(std::move(events));
  }

  // Whether the next picture is due and would differ from the last one.
  bool frame_is_due() {
    const double now = window_.now();
    if (window_.events() != events_seen_) {
      events_seen_ = window_.events();
      lively_until_ = now + kLively;
    }
    if (frames_ > 0 && now < last_frame_ + window_.refresh_period() * 0.95) return false;
    const bool works = outputs_.work();
    if (const auto notice = outputs_.next_notice()) ui_.show_message(notice->sentence, notice->is_error);
    if (window_.minimised()) return now >= last_frame_ + kSlowPeriod;
    const bool busy = frames_ < 3 || now < lively_until_ || documents_.is_loading() || works ||
                      recovery_.busy() || !interaction_.idle() || searches_.busy() ||
                      simulation_->latest() != snapshot_ || simulation_->running_step_seconds() > 0.2;
    // The last picture before a rest shows "idle"; between slow steps there is nothing new to draw.
    if (!busy && !snapshot_->playing && !std::exchange(resting_, true)) return rate_ = 0, true;
    if (busy) resting_ = false;
    return busy || (ui_.waits_for_time() && now >= last_frame_ + kSlowPeriod);
  }

  // Requests the arrows and instruments that the user wants, and chooses the length of the arrows.
  void update_measurements() {
    const bool crossed = snapshot_->frame.record.step == 0 && snapshot_->notices &&
                         contains(*snapshot_->notices, NoticeCause::intersections);
    const Motion wanted{settings_.velocities, settings_.forces, settings_.contacts,
                        settings_.intersections || crossed, settings_.step_of};
    if (wanted != motion_) simulation_->send(Control(ShowMotion{motion_ = wanted}));
    if (settings_.spectrum != spectrum_) simulation_->send(Control(spectrum_ = settings_.spectrum));
    view_.scale(*snapshot_);
  }

  PanelContext panel_context() {
    return {
        *snapshot_,
        library_,
        documents_.load_status(),
        outputs_.recording(),
        searches_.limits(*snapshot_),
        searches_.map(*snapshot_),
        searches_.choice(*snapshot_),
        simulation_->running_step_seconds(),
        rate_,
        heat_colour,
        view_.legend(*snapshot_),
        settings_,
        intentions_,
        documents_.edits(),
        [this](std::variant<Command, Control> what) { return documents_.send(std::move(what), snapshot_); },
        [this](AppRequest request) { requests_.push_back(std::move(request)); },
        interaction_.drag(),
        interaction_.particle_under_mouse(),
        [this](const std::string& path) { return documents_.groups_of(path); }};
  }

  // The title shows whether there are unsaved changes.
  void show_title() {
    if (std::string title = documents_.window_title(); title != title_) {
      window_.set_title(title);
      title_ = std::move(title);
    }
  }

  void use_snapshot() {
    snapshot_ = simulation_->latest();
    if (documents_.follow(*snapshot_)) view_.look_at_scene(*snapshot_);
    view_.follow_tiles(room_to_move(snapshot_->frame), *snapshot_);
    searches_.follow(*snapshot_);
  }

  void handle_input(const PanelContext& context) {
    const bool typing = ImGui::GetIO().WantTextInput;
    const double scale = view_.interface_scale();
    for (const KeyPress& press : std::exchange(keys_, {})) {
      if (press.key == Key::escape && interaction_.selection(scale)) {
        interaction_.release();
      } else {
        documents_.begin_action();
        ui_.on_key(press, typing, context);
      }
    }
    documents_.begin_action();
    // A scene that is about to be replaced cannot be grabbed.
    const bool captured = ImGui::GetIO().WantCaptureMouse || documents_.awaits_scene();
    MeshBar& bar = ui_.mesh_bar();
    interaction_.handle(
        {*snapshot_, view_.camera, view_.tiles(*snapshot_), scale, captured, settings_.grab_strength,
         [this](std::variant<Command, Control> what) { documents_.send(std::move(what), snapshot_); },
         bar.open_edges(*snapshot_), [&](std::size_t edge) { bar.choose_edge(context, edge); },
         settings_.step_of.has_value(), settings_.trackpad});
    if (!ImGui::IsAnyMouseDown()) documents_.end_gesture();
    if (interaction_.has_dragged()) settings_.done(Hint::drag);
    if (interaction_.orbits()) settings_.done(Hint::orbit);
  }

  void draw_interface(const PanelContext& context) {
    if (const auto box = interaction_.selection(view_.interface_scale())) selection_overlay(*box);
    ui_.draw(context, static_cast<float>(window_.width()), static_cast<float>(window_.height()));
    const std::vector<LaneTile> tiles = view_.tiles(*snapshot_);
    for (const LaneTile& tile : tiles) {
      const LaneSnapshot& lane = *tile.lane;
      if (lane.lane == interaction_.lane() || tiles.size() == 1)
        draw_grab_marks(view_.grab_marks(lane.frame, tile.cloth), tile.cloth);
      draw_failure(lane, view_.camera, tile.cloth);
      if (snapshot_->followed)
        draw_trail(lane, *snapshot_->followed, snapshot_->others.empty(), view_.camera, tile.cloth);
      if (lane.lane == snapshot_->lane)
        draw_mesh_marks(ui_.mesh_bar(), *snapshot_, view_.camera, tile.cloth,
                        interaction_.edge_under_mouse());
    }
  }

  void draw_frame() {
    measure_rate(last_frame_);
    documents_.finish_load(*snapshot_);
    if (std::optional<SetObstacles> wanted = documents_.finish_obstacle(*snapshot_)) {
      documents_.begin_action();
      documents_.send(Command(std::move(*wanted)), snapshot_);
    }
    use_snapshot();
    // A key or a drag that began before the offer is not an answer to it.
    recovery_.follow(*snapshot_, keys_.empty() && interaction_.idle() && !ImGui::IsAnyItemActive());

    update_measurements();
    window_.begin_frame(settings_.theme, view_.interface_scale());
    {
      const PanelContext context = panel_context();
      handle_input(context);
      draw_interface(context);
    }
    view_.draw(*snapshot_);
    window_.end_frame();
    ++frames_;

    for (AppRequest& request : std::exchange(requests_, {}))
      if (!loses_changes(request)) carry_out(std::move(request));
    documents_.follow_dialog();
    show_title();
    log_news();
    for (AppRequest& request : std::exchange(dropped_, {}))
      if (!loses_changes(request)) carry_out(std::move(request));
    log_state();
  }

  void log_state() {
    if (!state_log_.is_due(window_.now())) return;
    const RecordingStatus& recording = outputs_.recording();
    state_log_.write(*snapshot_, view_.camera, tile_of(view_.tiles(*snapshot_), snapshot_->lane).cloth,
                     ui_.mesh_bar().open_edges(*snapshot_),
                     {{"window_title", title_},
                      {"recording",
                       {{"shown", recording.shown},
                        {"finished", recording.progress.finished},
                        {"frames", recording.progress.frames},
                        {"error", recording.progress.error},
                        {"folder", utf8_of(recording.folder)}}},
                      {"frames", frames_},
                      {"fps", rate_},
                      {"size", window_.size()},
                      {"message", ui_.message()},
                      {"loading", documents_.is_loading()},
                      {"tab", ui_.tab()},
                      {"plots", settings_.plots},
                      {"dialog", ui_.dialog_open()}});
  }

  // The messages and the kinds of notices that were not there in the last picture.
  void log_news() {
    if (ui_.message() != logged_message_ && !ui_.message().empty()) log_.write(ui_.message());
    logged_message_ = ui_.message();
    for (const Notice& notice : *snapshot_->notices)
      if (!contains(*logged_notices_, notice.cause)) log_.write("Notice: " + notice.text);
    logged_notices_ = snapshot_->notices;
  }

  std::string display_report() const {
    return std::string("OpenGL: ") + gl_description() + "; display: " + std::to_string(window_.width()) +
           " × " + std::to_string(window_.height()) + " at a scale of " +
           format_plain(window_.interface_scale() * window_.density());
  }

  std::string settings_report() const {
    std::string text = std::string("Settings: ") + (settings_.theme == Theme::light ? "light" : "dark") +
                       " theme, text " + std::string(kTextSizeNames[text_size(settings_)]) +
                       ", history memory " + format_plain(settings_.history_megabytes) + " MB; on:";
    for (const ViewSwitch& each : view_switches())
      if (settings_.*each.value) text += std::string(" ").append(each.name);
    return text + "\n";
  }

  // The scene, the values that differ from their defaults, and the lanes.
  std::string run_report() const {
    const Scene& scene = snapshot_->scene();
    const ClothMesh& mesh = *snapshot_->frame.mesh;
    std::string text = "Scene: " + (scene.title.empty() ? "untitled" : printable(scene.title)) + ", " +
                       counted(snapshot_->frame.positions.size(), "particle") + ", " +
                       counted(mesh.triangles.size(), "triangle") +
                       ", t = " + format_plain(snapshot_->frame.record.time) + " s, " +
                       (snapshot_->playing ? "playing" : "paused") + "\nValues:";
    for (const ParameterSpec* spec : all_parameters())
      if (const double value = parameter_value(scene, *spec); value != spec->fallback)
        text.append(" ").append(spec->id).append("=").append(parameter_text(*spec, value));
    text += text.ends_with("Values:") ? " all default\n" : "\n";
    for (const LaneSnapshot* lane : snapshot_->lanes())
      text += std::string("Lane ") + lane_name(*lane) + ", contact by " +
              std::string(info_of(lane->frame.scene->contact.model).id) + (lane->frozen ? ", frozen" : "") +
              (lane->lane == snapshot_->lane ? ", active" : "") + "\n";
    return text;
  }

  void copy_diagnostics() {
    std::string text = system_report() + display_report() + "\n" + settings_report() + run_report() +
                       "Last entries of the log:\n";
    for (const std::string& line : log_.last_lines()) text += line + "\n";
    window_.set_clipboard(without_home(text));
    ui_.show_message("Copied the diagnostics: paste them into your report.", false);
  }

  void measure_rate(double now) {
    ++rate_frames_;
    if (now - rate_since_ < 0.5) return;
    rate_ = rate_frames_ / (now - rate_since_);
    rate_since_ = now;
    rate_frames_ = 0;
  }

  // Shows the error of a request that fails.
  void carry_out(AppRequest request) try {
    const Overloaded handle{
        [&](const FileRequest& file) { use_file(file); },
        [&](ChooseMeshObstacle) { ui_.files().open(FileDialog::Purpose::obstacle); },
        [&](ChooseAddedMesh) { ui_.files().open(FileDialog::Purpose::added_mesh); },
        [&](const SetAddedMeshes& wanted) { documents_.set_added_meshes(wanted.meshes); },
        [&](const OpenScene& open) { documents_.open_scene(open); },
        [&](const ReloadMesh& reload) { documents_.reload_mesh(reload); },
        [&](DressBodies) { documents_.dress(); },
        [&](const ChooseGroup& choice) { documents_.choose_group(choice); },
        [&](const KeepForSaving& keep) { documents_.keep(keep.purpose); },
        [&](const SavePlot& save) { outputs_.write_plot(*save.plot, save.svg, ui_.files().save_folder()); },
        [&](const SaveChart& save) {
          outputs_.write_chart(save.title, save.chart, save.svg, ui_.files().save_folder());
        },
        [&](const SaveTable& save) { outputs_.write_table(save.title, save.csv, ui_.files().save_folder()); },
        [&](Search search) { searches_.carry_out(search, *simulation_, *snapshot_); },
        [&](CancelLoad) { documents_.cancel_load(); },
        [&](FrameCloth) { view_.look_at(box_of(snapshot_->frame), *snapshot_); },
        [&](FrameFailure) {
          if (const auto box = box_of_failure(*snapshot_)) view_.look_at(*box, *snapshot_);
        },
        [&](ReleaseGrab) { interaction_.release(); },
        [&](Undo) { documents_.undo(*snapshot_); },
        [&](Redo) { documents_.redo(*snapshot_); },
        [&](ReloadShaders) { reload_shaders(); },
        [&](SavePicture) { save_picture(); },
        [&](const StartRecording& start) { start_recording(start); },
        [&](StopRecording) { outputs_.stop_recording(); },
        [&](CloseRecording) { outputs_.close_recording(); },
        [&](const CopyText& copy) { copy_text(copy.text); },
        [&](CopyCommandLine) { copy_command_line(); },
        [&](CopyDiagnostics) { copy_diagnostics(); },
        [&](SaveJournal) { save_journal(false); },
        [&](const AnswerUnsaved& answer) { documents_.answer(answer.answer); },
        [&](const AnswerSession& answer) { recovery_.answer(answer.answer, documents_); },
        [&](Quit) {
          leaves_ = true;
          window_.close();
        }};
    std::visit(handle, request);
  } catch (const std::bad_alloc&) {
    ui_.show_message("There is not enough memory for that.", true);
  } catch (const std::exception& error) {
    ui_.show_message(error.what(), true);
  }

  void use_file(const FileRequest& file) {
    switch (file.purpose) {
      case FilePurpose::open:
        return documents_.open_path(file.path);
      case FilePurpose::obstacle:
        return documents_.add_obstacle(file.path);
      case FilePurpose::added_mesh:
        return documents_.add_mesh(file.path);
      case FilePurpose::save_scene:
        return documents_.save_scene(file.path);
      case FilePurpose::save_moment:
        return documents_.save_moment(file.path);
      case FilePurpose::save_bundle:
        return documents_.save_bundle(file.path);
      case FilePurpose::save_mesh:
        outputs_.export_mesh(snapshot_, file.path);
        return documents_.remember_folder(fs::absolute(file.path).parent_path());
    }
  }

  bool loses_changes(const AppRequest& request) {
    if (leaves_ || !documents_.loses_changes(request)) return false;
    lively_until_ = window_.now() + kLively;
    return true;
  }

  void save_picture() {
    const auto [width, height] = view_.pixels();
    outputs_.save_picture(
        [this](int w, int h) { view_.draw(*snapshot_, w, h); }, width, height,
        free_file(ui_.files().save_folder(), file_stem(documents_.edits().scene().title), ".png"));
  }

  void start_recording(const StartRecording& wanted) {
    const auto [width, height] = view_.pixels();
    if (wanted.folder.empty()) throw InputError("Enter a folder for the recording.");
    const StartRecording there{wanted.settings, fs::absolute(wanted.folder)};
    std::vector<LaneId> lanes;
    for (const LaneSnapshot* lane : snapshot_->lanes())
      if (!lane->catching_up) lanes.push_back(lane->lane);
    simulation_->send(
        Control(outputs_.start_recording(there, file_stem(documents_.edits().scene().title), lanes, width,
                                         height, settings_.theme == Theme::light)));
    documents_.remember_folder(there.folder);
    panel_context().set_playing(true);
  }

  // At the end of the program: draws the pictures that a recording waits for, unless that takes long.
  void finish_recording() {
    outputs_.stop_recording();
    const RecordingStatus& recording = outputs_.recording();
    const double until = window_.now() + kPatience;
    while (recording.shown && !recording.progress.finished && window_.now() < until) {
      outputs_.work();
      window_.wait(kWriting);
    }
  }

  void copy_text(const std::string& text) {
    window_.set_clipboard(text);
    ui_.show_message("Copied: " + text, false);
  }

  void copy_command_line() {
    const std::string command =
        snapshot_->needs_replay ? std::string() : documents_.command_line(snapshot_->frame.record.step);
    if (command.empty())
      save_journal(true);
    else
      copy_text(command);
  }

  // With `copy`, copies the command that replays it to the clipboard.
  void save_journal(bool copy) {
    const fs::path path = fs::absolute(
        free_file(ui_.files().save_folder(), file_stem(documents_.edits().scene().title), ".journal"));
    const std::string command = replay_command_line(utf8_of(path));
    const auto write = [kept = simulation_->keep_journal(), path, command, copy] {
      const KeepJournal::Whole& whole = kept.get();
      whole.journal.write(whole.log, whole.now, path);
      return (copy ? "Copied: " : "Saved the journal. To replay it: ") + command;
    };
    outputs_.write(write, [this, command, copy] {
      if (copy) window_.set_clipboard(command);
    });
  }

  void reload_shaders() {
    if (shader_folder() == nullptr) return;
    try {
      view_.reload_shaders();
      ui_.show_message("Shaders reloaded.", false);
    } catch (const SystemError& error) {
      const std::string text = error.what();
      std::cerr << "clothlab: " << text << '\n';
      ui_.show_message(text.substr(0, text.find('\n')) + "; the previous ones stay in use.", true);
    }
  }

  ProgramLog& log_;
  std::string logged_message_;
  std::shared_ptr<const NoticeLog::List> logged_notices_ = std::make_shared<NoticeLog::List>();
  Preferences preferences_ = Preferences::load();
  ViewSettings& settings_ = preferences_.view;
  StopProbe stop_;
  std::vector<SceneEntry> library_;
  Window window_{"ClothLab", preferences_.window};
  Interaction interaction_;
  UserInterface ui_;
  ClothView view_{window_, ui_, interaction_, settings_};
  Motion motion_;  // requested from the simulation
  ShowSpectrum spectrum_;
  Intentions intentions_;
  StateLog state_log_;
  // Declared before the simulation, which passes its last outputs when it ends.
  Outputs outputs_{[this](const Frame& frame, int width, int height, double zoom) {
    view_.draw(frame, width, height, zoom);
  }};
  Recovery recovery_{ui_, settings_.write_session};
  std::unique_ptr<SimulationThread> simulation_;
  std::shared_ptr<const Snapshot> snapshot_;
  Searches searches_;
  Documents documents_;
  std::string title_;
  bool leaves_ = false;  // the question about unsaved changes was answered

  std::vector<KeyPress> keys_;
  std::vector<AppRequest> dropped_;
  std::vector<AppRequest> requests_;
  unsigned long long frames_ = 0;
  unsigned long long events_seen_ = 0;
  double lively_until_ = 0;
  bool resting_ = false;
  double last_frame_ = 0;
  double rate_ = 0;
  double rate_since_ = 0;
  int rate_frames_ = 0;
};

}  // namespace

void open_window(const WindowRequest& request, const fs::path& program) {
  ProgramLog log(state_folder(process_environment()));
  log.write("Started. " + system_report());
  try {
    const bool is_closed = Application(request, program, log).run();
    log.write(is_closed ? "Ended by the user." : "Ended by a signal.");
  } catch (const std::exception& error) {
    log.write(std::string("Ended by an error: ") + error.what());
    throw;
  }
}

}  // namespace clothlab
