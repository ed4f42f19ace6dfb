// SPDX-License-Identifier: MIT
#include "app/application.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <glm/geometric.hpp>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <imgui.h>

#include "app/framing.h"
#include "app/interaction.h"
#include "app/mesh_marks.h"
#include "app/outputs.h"
#include "app/plot_files.h"
#include "app/preferences.h"
#include "app/scene_library.h"
#include "app/state_log.h"
#include "app/window.h"
#include "core/error.h"
#include "core/stop_probe.h"
#include "core/text.h"
#include "core/text_file.h"
#include "core/worker_pool.h"
#include "io/config_folder.h"
#include "io/free_path.h"
#include "io/output_file.h"
#include "render/arrow_scale.h"
#include "render/camera.h"
#include "render/gl.h"
#include "render/heat_colours.h"
#include "render/renderer.h"
#include "render/shader_program.h"
#include "runtime/checkpoint_file.h"
#include "runtime/command_line.h"
#include "runtime/edit_history.h"
#include "runtime/load_job.h"
#include "runtime/scene_file.h"
#include "runtime/simulation_thread.h"
#include "sim/scene_json.h"
#include "ui/grab_marks.h"
#include "ui/numbers.h"
#include "ui/user_interface.h"

namespace clothlab {
namespace {

namespace fs = std::filesystem;

// With nothing new to show but what blinks or times out, a picture is drawn this often.
constexpr double kSlowPeriod = 0.25;
// With nothing to show at all, none is drawn, and it is looked this often whether there is.
constexpr double kRestingLook = 0.05;
// After an event pictures go on for a while: what it set off, a tooltip say, may take that long to settle.
constexpr double kLively = 0.6;
// How long a window that closes stays for a recording's last pictures, and how often it looks at them.
constexpr double kPatience = 3;
constexpr double kWriting = 0.005;
// Interface units that the window has at least, unless it is smaller at a scale of 1.
constexpr double kLeastWidth = 560;
constexpr double kLeastHeight = 315;

std::string file_name(const fs::path& path) { return shown_path(path.filename()); }

// The window's main loop and what it holds. The simulation runs on a thread of its own, a load on
// another; this one only ever reads their newest results, so it never waits for a step.
class Application {
 public:
  Application(const WindowRequest& request, const fs::path& program);
  void run();

 private:
  bool frame_is_due();
  void draw_frame();
  void carry_out(AppRequest request);
  void open_path(const fs::path& path);
  void start_load(std::unique_ptr<LoadJob> job, std::string name, bool is_mesh);
  void give_up_load();
  void finish_load();
  void reload_mesh(const ReloadMesh& wanted);
  void save_scene(const fs::path& path);
  void save_moment(const fs::path& path);
  void save_plot(const SavePlot& wanted);
  void reload_shaders();
  bool loses_changes(const AppRequest& request);
  void go_on(AnswerUnsaved::Answer answer);
  void remember_folder(const fs::path& folder);
  void save_picture();
  void start_recording(const StartRecording& wanted);
  void finish_recording();
  void copy_text(const std::string& text);
  void copy_command_line();
  void log_state();
  std::array<int, 2> view_pixels() const;
  ViewOptions view_options() const;
  std::uint64_t send(std::variant<Command, Control> what);
  MovePins put_back(const std::vector<PinPlace>& pins) const;
  void undo_or_redo(const std::string& what, const std::optional<EditHistory::Step>& step);
  std::uint64_t use_scene(UseScene next);
  void tell_of_mesh(const LoadedScene& loaded);
  void show_title();
  void use_snapshot();
  void measure_rate(double now);
  Area view_area() const;
  Pixels view_size() const;
  PanelContext panel_context();
  ViewLegend view_legend() const;
  GrabMarks grab_marks() const;
  Look look() const;
  void update_arrows();
  double interface_scale() const;

  Preferences preferences_ = Preferences::load();
  StopProbe stop_;
  std::vector<SceneEntry> library_;
  Window window_{"ClothLab", preferences_.window};
  Renderer renderer_;
  Camera camera_;
  Interaction interaction_;
  UserInterface ui_;
  ViewSettings view_;
  Motion motion_;  // that the simulation was asked to show
  ArrowScale velocity_scale_;
  ArrowScale force_scale_;
  Intentions intentions_;
  StateLog state_log_;
  // Before the simulation, which hands out at its end what is still to be written.
  Outputs outputs_{[this](const Frame& frame, int width, int height) {
    renderer_.draw(frame, camera_, view_options(), {0, 0, width, height});
  }};
  std::unique_ptr<SimulationThread> simulation_;
  std::shared_ptr<const Snapshot> snapshot_;
  std::optional<EditHistory> edits_;
  std::string title_;

  std::unique_ptr<LoadJob> job_;
  // Cancelled, but not over yet: joining their threads at once could hold the window up.
  std::vector<std::unique_ptr<LoadJob>> ending_;
  LoadStatus load_;
  bool load_is_mesh_ = false;  // a mesh file, not a scene's
  bool load_is_reload_ = false;
  bool load_is_start_ = false;  // the scene that was named on the command line
  fs::path load_path_;
  fs::path scene_path_;  // of the scene file that is being loaded
  std::map<const LoadedScene*, fs::path> scene_files_;
  // Once this scene is the snapshot's, unless it is refused, the camera turns to it, and the bar of a mesh
  // that waits is shown.
  std::shared_ptr<const LoadedScene> awaited_;
  std::uint64_t awaited_stamp_ = 0;
  bool bar_awaited_ = false;
  bool plays_meshes_ = false;  // they do not wait

  // What waits for the answer about unsaved changes.
  std::optional<AppRequest> next_;
  bool saving_before_next_ = false;
  bool leaves_ = false;  // it was answered

  std::vector<KeyPress> keys_;
  std::vector<fs::path> dropped_;
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

Application::Application(const WindowRequest& request, const fs::path& program)
    : stop_(request.stop), library_(load_scene_library(program)), plays_meshes_(request.play) {
  view_.interface_scale = static_cast<float>(preferences_.interface_scale);
  view_.theme = preferences_.theme;
  view_.hints_done = preferences_.hints_done;
  view_.plots = preferences_.plots;
  view_.plots_layout.height = static_cast<float>(preferences_.plots_height);
  view_.plots_layout.choose(preferences_.plots_chosen);
  view_.plots_layout.set_with_gravity(preferences_.energy_with_gravity);
  view_.history_megabytes = preferences_.history_megabytes;
  view_.grab_strength = preferences_.grab_strength;
  view_.recording = preferences_.recording;
  ui_.open_tab(preferences_.tab);
  std::error_code no_folder;
  const fs::path& saved_in = preferences_.save_folder;
  ui_.files().set_places(fs::current_path(no_folder),
                         saved_in.empty() ? pictures_folder(process_environment()) : saved_in,
                         preferences_.recent_files);

  // The scenes lie in a folder beside the meshes.
  if (const fs::path& scene = library_.front().path; !scene.empty())
    ui_.files().set_bundled(scene.parent_path().parent_path());

  // The built-in scene is small and starts at once; a scene of the user's own is loaded beside it.
  Scene built_in = library_.front().scene;
  if (!request.scene && request.with_options) built_in = request.with_options(std::move(built_in));
  SimulationThread::Options options;
  options.threads = request.threads;
  // A renderer that draws on the CPU is left one core, or long steps would leave it few pictures per second.
  if (is_software_renderer() && options.threads >= hardware_threads()) {
    options.threads = std::max(1, hardware_threads() - 1);
  }
  SceneLoadOptions loading;
  if (!request.scene) loading.initial_state = request.initial_state;
  loading.stop = request.stop;
  loading.rehearse = true;  // the first grab is already as strong as ω_max allows
  auto loaded = std::make_shared<const LoadedScene>(load_scene(std::move(built_in), loading));
  edits_.emplace(loaded);
  scene_files_[loaded.get()] = library_.front().path;
  simulation_ = std::make_unique<SimulationThread>(std::move(loaded), options);
  simulation_->send(Control(history_memory(view_)));
  snapshot_ = simulation_->latest();

  WindowEvents events;
  events.key = [this](const KeyPress& press) { keys_.push_back(press); };
  events.button = [this](const MouseClick& click) { interaction_.button(click); };
  events.cursor = [this](double x, double y) { interaction_.cursor(x, y); };
  events.wheel = [this](double notches) { interaction_.wheel(notches); };
  events.drop = [this](const fs::path& path) { dropped_.push_back(path); };
  events.focus_lost = [this] { interaction_.release(); };
  window_.listen(std::move(events));

  if (request.scene) {
    const auto* file = std::get_if<FileSource>(&request.scene->mesh);
    const std::string name = file != nullptr ? file_name(path_of(file->path)) : request.scene->title;
    const UnitChoice units = request.may_fit ? UnitChoice::fit : UnitChoice::as_is;
    start_load(std::make_unique<LoadJob>(*request.scene, units, request.initial_state), name,
               request.is_mesh);
    if (file != nullptr) load_path_ = path_of(file->path);
    load_is_start_ = true;
  }
  if (!request.checkpoint.empty()) {
    open_path(request.checkpoint);
    load_is_start_ = true;
  }
}

void Application::run() {
  bool shown = false;
  while (!stop_requested(stop_)) {
    window_.poll();
    while (!window_.should_close() && !stop_requested(stop_) && !frame_is_due()) {
      log_state();
      // Until the next picture is due, or something happens; the simulation is looked at in between.
      const double due = last_frame_ + window_.refresh_period() - window_.now();
      window_.wait(due > 0 ? due : resting_ ? kRestingLook : window_.refresh_period());
    }
    if (window_.should_close()) {
      if (!loses_changes(Quit{})) break;
      window_.stay_open();
    }
    last_frame_ = window_.now();
    draw_frame();
    if (!std::exchange(shown, true)) {
      // Centred on what is really there to see, once the size of the window is known.
      camera_.frame(room_to_move(snapshot_->frame), view_size());
      window_.show();
    }
  }
  finish_recording();
  preferences_.interface_scale = static_cast<double>(view_.interface_scale);
  preferences_.theme = view_.theme;
  preferences_.hints_done = view_.hints_done;
  preferences_.plots = view_.plots;
  preferences_.plots_height = static_cast<double>(view_.plots_layout.height);
  preferences_.plots_chosen = view_.plots_layout.titles();
  preferences_.energy_with_gravity = view_.plots_layout.with_gravity();
  preferences_.history_megabytes = view_.history_megabytes;
  preferences_.grab_strength = view_.grab_strength;
  preferences_.recording = view_.recording;
  preferences_.tab = ui_.tab();
  if (const auto place = window_.place()) preferences_.window = place;
  preferences_.save();
}

// Whether the next picture would differ from the last one, and it is time for it.
bool Application::frame_is_due() {
  const double now = window_.now();
  if (window_.events() != events_seen_) {
    events_seen_ = window_.events();
    lively_until_ = now + kLively;
  }
  if (frames_ > 0 && now < last_frame_ + window_.refresh_period() * 0.95) return false;
  const bool works = outputs_.work();
  if (const auto notice = outputs_.next_notice()) ui_.show_message(notice->sentence, notice->is_error);
  if (window_.minimised()) return now >= last_frame_ + kSlowPeriod;
  const bool busy = frames_ < 3 || now < lively_until_ || job_ != nullptr || works || !interaction_.idle() ||
                    simulation_->latest() != snapshot_ || simulation_->running_step_seconds() > 0.2;
  // The last picture before a rest says that it is one.
  if (!busy && !std::exchange(resting_, true)) return rate_ = 0, true;
  if (busy) resting_ = false;
  return busy || (ui_.waits_for_time() && now >= last_frame_ + kSlowPeriod);
}

double Application::interface_scale() const {
  // However large the text: what makes the interface fit the window at all.
  const double most = std::min(window_.width() / kLeastWidth, window_.height() / kLeastHeight);
  return std::min(window_.interface_scale() * static_cast<double>(view_.interface_scale),
                  std::max(most, 1.0));
}

Area Application::view_area() const {
  return ui_.view_area(static_cast<float>(window_.width()), static_cast<float>(window_.height()), view_);
}

Pixels Application::view_size() const {
  const Area area = view_area();
  return {static_cast<double>(area.width), static_cast<double>(area.height)};
}

GrabMarks Application::grab_marks() const {
  const Area area = view_area();
  const auto seen = [&](const vec3& point) {
    std::optional<ImVec2> at;
    if (const auto projected = camera_.project(point, view_size()))
      at.emplace(area.x + static_cast<float>(projected->pixel.x),
                 area.y + static_cast<float>(projected->pixel.y));
    return at;
  };
  GrabMarks out;
  out.colour = look().grab;
  const std::optional<Interaction::Target>& target = interaction_.target();
  if (const auto at = target && ImGui::IsMousePosValid() ? seen(target->at) : std::nullopt)
    out.target = {*at, target->pin.has_value()};
  const std::optional<Frame::Grab>& grab = snapshot_->frame.grab;
  const auto at = grab ? seen(grab->cursor) : std::nullopt;
  if (const auto depth = interaction_.depth(camera_); at && depth)
    out.held = {*at, *depth, snapshot_->frame.mesh->diagonal / 4};
  return out;
}

Look Application::look() const { return view_.theme == Theme::light ? light_look() : Look(); }

ViewLegend Application::view_legend() const {
  const Look colours = look();
  ViewLegend out;
  out.stretch_spring = colours.stretch_spring;
  out.bend_spring = colours.bend_spring;
  out.grab = colours.grab;
  out.grab_depth = interaction_.depth(camera_).value_or(0);
  const Frame& frame = snapshot_->frame;
  if (!frame.velocities.empty())
    out.velocity = {colours.velocity, velocity_scale_.length(), velocity_scale_.value()};
  if (!frame.forces.empty()) out.force = {colours.force, force_scale_.length(), force_scale_.value()};
  out.stride = arrow_stride(frame.positions.size());
  return out;
}

// Asks for the arrows that the user wants, and chooses the length of those that have come.
void Application::update_arrows() {
  if (view_.velocities != motion_.velocities || view_.forces != motion_.forces) {
    motion_ = {view_.velocities, view_.forces};
    simulation_->send(Control(ShowMotion{motion_}));
  }
  // At rest nothing but noise is left: what moves by less than 1 cm/s, and is pulled by less than a hundredth
  // of a particle's weight, gets no longer arrows.
  const Frame& frame = snapshot_->frame;
  const double weight = 9.8 * frame.scene->material.mass / static_cast<double>(frame.positions.size());
  if (!frame.velocities.empty()) velocity_scale_.update(frame.velocities, frame.mesh->diagonal, 0.01);
  if (!frame.forces.empty()) force_scale_.update(frame.forces, frame.mesh->diagonal, 0.01 * weight);
}

PanelContext Application::panel_context() {
  return {*snapshot_,
          library_,
          load_,
          outputs_.recording(),
          simulation_->running_step_seconds(),
          rate_,
          heat_colour,
          view_legend(),
          view_,
          intentions_,
          *edits_,
          [this](std::variant<Command, Control> what) { return send(std::move(what)); },
          [this](AppRequest request) { requests_.push_back(std::move(request)); }};
}

std::uint64_t Application::send(std::variant<Command, Control> what) {
  if (const auto* command = std::get_if<Command>(&what))
    edits_->record(*command, std::shared_ptr<const Frame>(snapshot_, &snapshot_->frame));
  if (const auto* control = std::get_if<Control>(&what))
    if (const auto* again = std::get_if<RunAgain>(control)) edits_->record(*again);
  const std::uint64_t stamp =
      std::visit([this](auto&& w) { return simulation_->send(std::move(w)); }, std::move(what));
  edits_->sent(stamp);
  return stamp;
}

// At once while paused; but a cloth that moves, or has fallen far below its pins, would be torn by a jump.
MovePins Application::put_back(const std::vector<PinPlace>& pins) const {
  constexpr double kSeconds = 0.25;
  const Frame& frame = snapshot_->frame;
  const bool near = std::ranges::all_of(pins, [&](const PinPlace& pin) {
    return glm::distance(frame.positions[pin.particle], pin.place) < frame.mesh->diagonal;
  });
  return {pins, near && !snapshot_->playing ? 0 : kSeconds * snapshot_->speed};
}

void Application::undo_or_redo(const std::string& what, const std::optional<EditHistory::Step>& step) {
  if (!step) return ui_.show_message("There is nothing to " + what + ".", false);
  if (!interaction_.holds_cloth()) interaction_.release();  // a held pin may be free now
  if (step->other_scene) {
    give_up_load();
    intentions_.adopt(*step->scene, use_scene({step->other_scene, step->scene}));
  } else if (step->scene) {
    const std::uint64_t stamp = simulation_->send(Command(SetScene{step->scene}));
    edits_->sent(stamp);
    intentions_.adopt(*step->scene, stamp);
  }
  if (!step->pins.empty()) edits_->sent(simulation_->send(Command(put_back(step->pins))));
  ui_.show_message((what == "undo" ? "Undo: " : "Redo: ") + step->text + ".", false);
}

std::uint64_t Application::use_scene(UseScene next) {
  interaction_.release();
  awaited_ = next.loaded;
  bar_awaited_ = next.waits;
  awaited_stamp_ = simulation_->send(Control(std::move(next)));
  edits_->sent(awaited_stamp_);
  return awaited_stamp_;
}

// The title says whether there is something to save.
void Application::show_title() {
  const std::string& scene = edits_->scene().title;
  std::string title = scene.empty() ? "ClothLab" : scene + " - ClothLab";
  if (!edits_->unsaved_changes().empty()) title = "*" + title;
  if (title == title_) return;
  window_.set_title(title);
  title_ = std::move(title);
}

void Application::use_snapshot() {
  snapshot_ = simulation_->latest();
  edits_->settle(snapshot_->applied, *snapshot_->refused);
  if (!awaited_ || snapshot_->applied < awaited_stamp_) return;
  if (std::exchange(awaited_, nullptr) != snapshot_->loaded) return;  // it was refused
  interaction_.release();
  camera_.frame(room_to_move(snapshot_->frame), view_size());
  ui_.mesh_bar().close();
  if (bar_awaited_) ui_.mesh_bar().open();
}

void Application::draw_frame() {
  measure_rate(last_frame_);
  finish_load();
  use_snapshot();

  update_arrows();
  window_.begin_frame(view_.theme, interface_scale());
  const Area area = view_area();
  {
    const PanelContext context = panel_context();
    const bool typing = ImGui::GetIO().WantTextInput;
    for (const KeyPress& press : std::exchange(keys_, {})) {
      if (press.key == Key::escape && interaction_.selection(interface_scale())) {
        interaction_.release();
      } else {
        ui_.on_key(press, typing, context);
      }
    }
    // What is seen of a scene that is about to be replaced is not to be taken hold of.
    const bool captured = ImGui::GetIO().WantCaptureMouse || awaited_ != nullptr;
    MeshBar& bar = ui_.mesh_bar();
    interaction_.handle({*snapshot_, camera_, area, interface_scale(), captured, view_.grab_strength,
                         [this](std::variant<Command, Control> what) { send(std::move(what)); },
                         bar.open_edges(*snapshot_),
                         [&](std::size_t edge) { bar.choose_edge(context, edge); }});
    if (const auto box = interaction_.selection(interface_scale())) selection_overlay(*box);
    if (!ImGui::IsAnyMouseDown()) edits_->end_gesture();
    if (interaction_.has_dragged()) view_.done(Hint::drag);
    if (interaction_.orbits()) view_.done(Hint::orbit);
    ui_.draw(context, static_cast<float>(window_.width()), static_cast<float>(window_.height()));
    draw_grab_marks(grab_marks(), area);
    draw_mesh_marks(bar, *snapshot_, camera_, area, interaction_.edge_under_mouse());
  }

  const auto [width, height] = view_pixels();
  const int below = static_cast<int>(std::lround(window_.height() * window_.density())) - height;
  renderer_.draw(snapshot_->frame, camera_, view_options(), {0, below, width, height});
  window_.end_frame();
  ++frames_;

  for (AppRequest& request : std::exchange(requests_, {}))
    if (!loses_changes(request)) carry_out(std::move(request));
  if (next_ && saving_before_next_ && !ui_.files().is_open()) next_.reset();  // no name was given
  show_title();
  for (const fs::path& path : std::exchange(dropped_, {}))
    if (!loses_changes(OpenPath{path})) open_path(path);
  log_state();
}

void Application::log_state() {
  state_log_.write(window_.now(),
                   {*snapshot_, camera_, view_area(), window_.width(), window_.height(), frames_, rate_,
                    job_ != nullptr, ui_.dialog_open(), ui_.message(), ui_.tab(), view_.plots, title_,
                    outputs_.recording(), ui_.mesh_bar().open_edges(*snapshot_)});
}

std::array<int, 2> Application::view_pixels() const {
  const Area area = view_area();
  const auto pixels = [&](float size) {
    return static_cast<int>(std::lround(static_cast<double>(size) * window_.density()));
  };
  return {pixels(area.width), pixels(area.height)};
}

ViewOptions Application::view_options() const {
  ViewOptions options;
  options.weave = view_.weave;
  options.particles = view_.particles;
  options.stretch_springs = view_.stretch_springs;
  options.bend_springs = view_.bend_springs;
  options.pins = view_.pins;
  options.velocity_scale = velocity_scale_.metres_per_unit();
  options.force_scale = force_scale_.metres_per_unit();
  options.wireframe = view_.wireframe;
  options.heat_map = view_.heat_map;
  options.heat_max_strain = view_.heat_max_strain;
  options.grid = view_.ground;
  options.look = look();
  options.pixel_scale = interface_scale() * window_.density();
  return options;
}

void Application::measure_rate(double now) {
  ++rate_frames_;
  if (now - rate_since_ < 0.5) return;
  rate_ = rate_frames_ / (now - rate_since_);
  rate_since_ = now;
  rate_frames_ = 0;
}

void Application::carry_out(AppRequest request) {
  if (const auto* open = std::get_if<OpenPath>(&request)) open_path(open->path);
  if (const auto* open = std::get_if<OpenScene>(&request)) {
    start_load(std::make_unique<LoadJob>(open->scene, UnitChoice::as_is), open->scene.title, false);
    scene_path_ = open->path;
  }
  if (const auto* reload = std::get_if<ReloadMesh>(&request)) reload_mesh(*reload);
  if (const auto* save = std::get_if<SaveScene>(&request)) save_scene(save->path);
  if (const auto* save = std::get_if<SaveMoment>(&request)) save_moment(save->path);
  if (const auto* save = std::get_if<SavePlot>(&request)) save_plot(*save);
  if (std::holds_alternative<CancelLoad>(request)) give_up_load();
  if (std::holds_alternative<FrameCloth>(request)) camera_.frame(box_of(snapshot_->frame), view_size());
  if (std::holds_alternative<ReleaseGrab>(request)) interaction_.release();
  if (std::holds_alternative<Undo>(request)) undo_or_redo("undo", edits_->undo());
  if (std::holds_alternative<Redo>(request)) undo_or_redo("redo", edits_->redo());
  if (std::holds_alternative<ReloadShaders>(request)) reload_shaders();
  if (std::holds_alternative<SavePicture>(request)) save_picture();
  if (const auto* mesh = std::get_if<ExportMesh>(&request)) {
    outputs_.export_mesh(snapshot_, mesh->path);
    remember_folder(fs::absolute(mesh->path).parent_path());
  }
  if (const auto* start = std::get_if<StartRecording>(&request)) start_recording(*start);
  if (std::holds_alternative<StopRecording>(request)) outputs_.stop_recording();
  if (std::holds_alternative<CloseRecording>(request)) outputs_.close_recording();
  if (const auto* copy = std::get_if<CopyText>(&request)) copy_text(copy->text);
  if (std::holds_alternative<CopyCommandLine>(request)) copy_command_line();
  if (const auto* answer = std::get_if<AnswerUnsaved>(&request)) go_on(answer->answer);
  if (std::holds_alternative<Quit>(request)) {
    leaves_ = true;
    window_.close();
  }
}

// Whether a request must wait for an answer, because it would lose changes.
bool Application::loses_changes(const AppRequest& request) {
  const bool leaves = std::holds_alternative<OpenPath>(request) ||
                      std::holds_alternative<OpenScene>(request) || std::holds_alternative<Quit>(request);
  if (!leaves || leaves_ || edits_->unsaved_changes().empty()) return false;
  next_ = request;
  saving_before_next_ = false;
  ui_.question().ask(edits_->unsaved_changes());
  lively_until_ = window_.now() + kLively;
  return true;
}

void Application::go_on(AnswerUnsaved::Answer answer) {
  if (answer == AnswerUnsaved::Answer::save) {
    saving_before_next_ = true;
    return ui_.files().save(FileDialog::Purpose::save_scene, edits_->scene().title);
  }
  const std::optional<AppRequest> next = std::exchange(next_, std::nullopt);
  if (next && answer == AnswerUnsaved::Answer::discard) carry_out(*next);
}

void Application::remember_folder(const fs::path& folder) {
  preferences_.save_folder = folder;
  ui_.files().set_places({}, folder, preferences_.recent_files);
}

void Application::save_picture() {
  try {
    const auto [width, height] = view_pixels();
    outputs_.save_picture(snapshot_->frame, width, height,
                          free_file(ui_.files().save_folder(), file_stem(edits_->scene().title), ".png"));
  } catch (const std::exception& error) {
    ui_.show_message(error.what(), true);
  }
}

void Application::start_recording(const StartRecording& wanted) {
  try {
    const auto [width, height] = view_pixels();
    if (wanted.folder.empty()) throw InputError("Name a folder to record into.");
    const StartRecording there{wanted.settings, fs::absolute(wanted.folder)};
    simulation_->send(
        Control(Record{outputs_.start_recording(there, file_stem(edits_->scene().title), width, height)}));
    remember_folder(there.folder);
    panel_context().set_playing(true);
  } catch (const std::exception& error) {
    ui_.show_message(error.what(), true);
  }
}

// At the end of the program: draws what a recording still waits for, unless that takes long.
void Application::finish_recording() {
  outputs_.stop_recording();
  const RecordingStatus& recording = outputs_.recording();
  const double until = window_.now() + kPatience;
  while (recording.shown && !recording.progress.finished && window_.now() < until) {
    outputs_.work();
    window_.wait(kWriting);
  }
}

void Application::copy_text(const std::string& text) {
  window_.set_clipboard(text);
  ui_.show_message("Copied: " + text, false);
}

void Application::copy_command_line() {
  const Scene scene = edits_->version().whole();
  const std::uint64_t steps = snapshot_->frame.record.step;
  const std::string command =
      command_line(scene, &edits_->loaded().scene, utf8_of(scene_files_[&edits_->loaded()]), steps);
  if (command.empty())
    return ui_.show_message("No option can name this mesh: save the scene first, and open it.", true);
  window_.set_clipboard(command);
  // Options can say how a run begins, not what was done to it since.
  ui_.show_message(
      "Copied: " + command + "\nIt starts this scene with the present values" +
          (steps > 0 ? " and runs it to the present time; what you dragged in between is not repeated."
                     : "."),
      false);
}

void Application::open_path(const fs::path& path) {
  const bool is_mesh = !is_scene_file(path) && !is_checkpoint_file(path);
  start_load(std::make_unique<LoadJob>(path, UnitChoice::fit, false), file_name(path), is_mesh);
  load_path_ = path;
  if (is_scene_file(path)) scene_path_ = path;
}

void Application::start_load(std::unique_ptr<LoadJob> job, std::string name, bool is_mesh) {
  give_up_load();
  job_ = std::move(job);
  load_ = {true, std::move(name), 0, {}};
  load_is_mesh_ = is_mesh;
  load_is_reload_ = false;
  load_is_start_ = false;
  load_path_.clear();
  scene_path_.clear();
}

void Application::give_up_load() {
  if (!job_) return;
  job_->cancel();
  ending_.push_back(std::move(job_));
  load_ = {};
}

void Application::finish_load() {
  std::erase_if(ending_, [](const std::unique_ptr<LoadJob>& job) { return job->done(); });
  if (!job_) return;
  LoadJob::Progress progress = job_->progress();
  load_.fraction = progress.fraction;
  load_.stage = std::move(progress.stage);
  if (!job_->done()) return;
  const LoadJob::Result result = job_->result();
  job_.reset();
  load_ = {};
  if (!result.scene) {
    std::cerr << "clothlab: " << result.error << '\n';
    ui_.show_message(result.error, true);
    return;
  }
  if (!load_path_.empty()) {
    preferences_.add_recent(load_path_);
    ui_.files().set_places({}, {}, preferences_.recent_files);
  }
  const bool is_start = std::exchange(load_is_start_, false);
  edits_->record_scene(result.scene, is_start          ? EditHistory::Arrival::first
                                     : load_is_reload_ ? EditHistory::Arrival::anew
                                                       : EditHistory::Arrival::another);
  // Always: another scene may have stood at that address.
  scene_files_[result.scene.get()] = scene_path_.empty() ? fs::path() : fs::absolute(scene_path_);
  // A mesh waits to be pinned; one that is read anew goes on waiting.
  const bool waits = load_is_reload_ ? ui_.mesh_bar().is_shown(*snapshot_) : load_is_mesh_ && !plays_meshes_;
  use_scene({.loaded = result.scene, .waits = waits});
  if (!waits && load_is_mesh_) tell_of_mesh(*result.scene);
  if (!result.remark.empty()) ui_.show_message(result.remark, false);
}

void Application::tell_of_mesh(const LoadedScene& loaded) {
  const auto* file = std::get_if<FileSource>(&loaded.scene.mesh);
  if (file == nullptr) return;
  ui_.show_message(file_name(path_of(file->path)) + ": " + format_count(loaded.mesh->positions.size()) +
                       " particles, " + format_plain(loaded.mesh->diagonal) + " m. More in the Scene tab.",
                   false);
}

void Application::reload_mesh(const ReloadMesh& wanted) {
  // With the values that are in force now, from the start.
  Scene scene = edits_->version().whole();
  scene.z_up = wanted.z_up;
  const auto* file = std::get_if<FileSource>(&scene.mesh);
  const std::string name = file != nullptr ? file_name(path_of(file->path)) : scene.title;
  if (wanted.units == UnitChoice::fit) scene.scale = 1;
  start_load(std::make_unique<LoadJob>(std::move(scene), wanted.units), name, true);
  load_is_reload_ = true;
}

void Application::save_scene(const fs::path& path) {
  // What waits for the answer about unsaved changes goes on once they are saved.
  const auto saved = [this, path, version = edits_->version(), next = std::exchange(next_, std::nullopt)] {
    edits_->saved(version);
    preferences_.add_recent(path);
    remember_folder(fs::absolute(path).parent_path());
    if (next && !loses_changes(*next)) carry_out(*next);
  };
  outputs_.write([path, version = edits_->version()] { return save_scene_file(version.whole(), path); },
                 "Saved as " + file_name(path) + ".", saved);
}

void Application::save_moment(const fs::path& path) {
  const auto write = [kept = simulation_->keep_moment(), path] {
    const KeepMoment::Moment moment = kept();
    write_checkpoint_file(*moment.checkpoint, *moment.loaded->mesh, path);
    return fs::file_size(path);
  };
  outputs_.write(write, "Saved this moment as " + file_name(path) + ".",
                 [this, path] { remember_folder(fs::absolute(path).parent_path()); });
}

void Application::save_plot(const SavePlot& wanted) {
  try {
    const fs::path path = write_plot(*wanted.plot, wanted.format, ui_.files().save_folder());
    ui_.show_message("Saved as " + shown_path(path) + ".", false);
  } catch (const std::exception& error) {
    ui_.show_message(error.what(), true);
  }
}

void Application::reload_shaders() {
  if (shader_folder() == nullptr) return;
  try {
    renderer_.reload_shaders();
    ui_.show_message("Shaders reloaded.", false);
  } catch (const SystemError& error) {
    const std::string text = error.what();
    std::cerr << "clothlab: " << text << '\n';
    ui_.show_message(text.substr(0, text.find('\n')) + "; the previous ones stay in use.", true);
  }
}

}  // namespace

void open_window(const WindowRequest& request, const fs::path& program) {
  Application(request, program).run();
}

}  // namespace clothlab
