// SPDX-License-Identifier: MIT
#include "python/run.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "analysis/stability_meter.h"
#include "cli/lane_play.h"
#include "core/error.h"
#include "documents/bundle.h"
#include "documents/checkpoint_file.h"
#include "documents/obstacle_meshes.h"
#include "experiments/step_trial.h"

namespace clothlab {
namespace {

/// The lanes of a scene with options on top.
std::vector<LaneMethod> with_options(std::vector<LaneMethod> lanes, const Scene& scene,
                                     const SceneOptions& options) {
  for (LaneMethod& lane : lanes) lane.method = options.applied_to(with_method(scene, lane.method)).method();
  return lanes;
}

void refuse_fixed(const SceneOptions& options) {
  if (options.names_a_scene() || options.changes_mesh() || options.initial_state_file())
    throw InputError("The cloth of a run does not change: create a Scene with the other mesh or state.");
  if (options.names_threads() || options.quiet() || !options.mesh_folder().empty())
    throw InputError(
        "threads, quiet and mesh_folder have no effect on a run that exists: give them to Run().");
}

/// The grab of a particle, at its position.
Grab grab_of(std::uint32_t particle, const Simulation& simulation) {
  Grab hold;
  for (const auto& triangle : simulation.mesh().triangles) {
    const auto corner = std::ranges::find(triangle, particle);
    if (corner == triangle.end()) continue;
    hold.particles = triangle;
    hold.weights[static_cast<int>(corner - triangle.begin())] = 1;
    hold.cursor = simulation.state().x[particle];
    return hold;
  }
  throw InputError("The particle belongs to no triangle, so that it cannot be dragged.");
}

/// At its present shape. A pull makes compressed springs taut, so that they count too.
StabilityEstimate stability_of(const Simulation& simulation, WorkerPool& pool) {
  const auto estimate =
      measure_stability(simulation, simulation.state(), simulation.integrator(), pool, {}, kQuickDirections);
  const auto taut = StabilityMeter().omega_max(simulation.system(), simulation.mesh().positions,
                                               simulation.scene().solver.jacobian, pool, {});
  return at_least(estimate.value(), taut.value_or(0));
}

}  // namespace

LoadedScene load_scene(const std::optional<std::string>& path, SceneOptions& options) {
  Scene scene = options.scene(path);
  SceneLoadOptions loading;
  loading.initial_state = options.initial_state_file().value_or(std::string());
  loading.lanes = with_options(options.lanes(), scene, options);
  return load_scene(std::move(scene), loading);
}

LoadedScene with_options(const LoadedScene& loaded, const SceneOptions& options) {
  if (options.names_a_scene())
    throw InputError("--scene, --mesh and --grid choose another cloth: create a Scene with them.");
  LoadedScene changed = loaded;
  changed.scene = options.applied_to(loaded.scene);
  changed.lanes = with_options(loaded.lanes, changed.scene, options);
  read_obstacle_meshes(changed.scene.obstacles.bodies);
  if (!options.changes_mesh() && !options.initial_state_file()) return changed;
  SceneLoadOptions loading;
  loading.initial_state = options.initial_state_file().value_or(std::string());
  loading.lanes = std::move(changed.lanes);
  return load_scene(std::move(changed.scene), loading);
}

LoadedScene load_checkpoint(const std::filesystem::path& path, const SceneOptions& options) {
  if (options.changes_a_scene() || options.mesh_file())
    throw InputError(
        "A checkpoint has its own scene: only --mesh-folder and --threads can be combined with it.");
  const auto file =
      std::make_shared<const CheckpointFile>(read_checkpoint_file(path, {}, options.mesh_folder()));
  SceneLoadOptions loading;
  loading.checkpoint = file;
  return load_scene(file->scene, loading);
}

Run::Change::Change(Run& run) : run_(run) {
  run.check_idle();
  for (const Lane& lane : run.arena_.lanes()) {
    const auto shown = std::exchange(run.shown_[lane.id], {}).lock();
    if (!shown) continue;
    shown->kept = lane.simulation->release_state();
    shown->run.reset();
  }
  run.changing_ = true;
}

Run::Run(LoadedScene loaded, int threads)
    : pool_(threads),
      loaded_(std::move(loaded)),
      arena_(lanes_of(loaded_, pool_),
             {.log = journal_.load(loaded_), .steps_per_hash = Journal::kStepsPerHash}) {}

void Run::check_idle() const {
  if (changing_) throw std::logic_error("Another thread uses this run.");
}

std::span<const Lane> Run::lanes() const {
  check_idle();
  return arena_.lanes();
}

const Lane& Run::lane(LaneId id) const {
  check_idle();
  return *arena_.find(id);
}

std::vector<ContactPair> Run::contacts(LaneId id) { return lane(id).simulation->contacts(pool_); }

std::string Run::blow_up_text(LaneId id) { return clothlab::blow_up_text(*lane(id).simulation, pool_); }

std::shared_ptr<ShownState> Run::show(LaneId id) {
  std::shared_ptr<ShownState> shown = shown_[id].lock();
  if (shown) return shown;
  shown_[id] = shown = std::make_shared<ShownState>();
  shown->run = shared_from_this();
  return shown;
}

std::uint64_t Run::step(const Change& /*change*/, std::uint64_t count, const StopProbe& stop) {
  std::uint64_t done = 0;
  for (; done < count; ++done) {
    pull();
    if (arena_.step(pool_, stop) != StepStatus::done) break;
  }
  return done;
}

std::shared_ptr<const Scene> Run::scene_with(LaneId id, const SceneOptions& options) const {
  refuse_fixed(options);
  auto scene = std::make_shared<Scene>(options.applied_to(lane(id).simulation->scene()));
  read_obstacle_meshes(scene->obstacles.bodies);
  return scene;
}

void Run::set(LaneId id, const SceneOptions& options) {
  const SetScene command{scene_with(id, options)};
  const Change change(*this);
  arena_.apply(pool_, id, command);
  if (!drag_) return;
  const vec3 target = drag_->mouse.cursor();
  start_drag(drag_->particle);  // with the limits of the new values
  drag_->mouse.move_to(target);
}

LaneId Run::add_lane(LaneId from, const SceneOptions& options) {
  const SetScene command{scene_with(from, options)};
  if (command.scene->world() != lane(from).simulation->scene().world())
    throw InputError(
        "All lanes share pins, material, wind, floor, obstacles and dt: change them with set().");
  const Change change(*this);
  LaneId id = 0;
  while (arena_.find(id) != nullptr) ++id;
  arena_.apply(pool_, AddLane{id, from});
  try {
    arena_.apply(pool_, id, command);
  } catch (...) {
    arena_.apply(pool_, RemoveLane{id});
    throw;
  }
  return id;
}

/// As the window does: the lane that is stable with the softest spring binds all.
void Run::start_drag(std::uint32_t particle) {
  if (drag_) arena_.apply(pool_, drag_->lane, Release{});
  drag_.reset();
  for (const Lane& lane : arena_.lanes()) {
    if (!lane.runs()) continue;
    const Simulation& simulation = *lane.simulation;
    const MouseGrab mouse(pool_, grab_of(particle, simulation), simulation, stability_of(simulation, pool_));
    if (!drag_ || mouse.grab().stiffness < drag_->mouse.grab().stiffness)
      drag_.emplace(Drag{particle, lane.id, mouse});
  }
  if (!drag_) throw InputError("No lane runs: all have blown up.");
  arena_.apply(pool_, drag_->lane, drag_->mouse.grab());
}

void Run::drag(std::uint32_t vertex, const vec3& target) {
  const auto& particles = loaded_.mesh->particle_of_vertex;
  if (vertex >= particles.size() || particles[vertex] < 0)
    throw InputError("Vertex " + std::to_string(vertex) + " is not part of the cloth.");
  if (!is_finite(target)) throw InputError("The target of a drag must be a finite position.");
  const Change change(*this);
  const auto particle = static_cast<std::uint32_t>(particles[vertex]);
  if (!drag_ || drag_->particle != particle || !arena_[drag_->lane].grab()) start_drag(particle);
  drag_->mouse.move_to(target);
}

void Run::release() {
  const Change change(*this);
  drag_.reset();
  arena_.apply(pool_, arena_.lanes().front().id, Release{});
}

void Run::reset() {
  const Change change(*this);
  drag_.reset();
  arena_.apply(pool_, arena_.lanes().front().id, Reset{});
}

/// Before a step: the far end of the spring follows the target.
void Run::pull() {
  if (!drag_) return;
  if (!arena_.find(drag_->lane)->runs()) {
    const auto running = std::ranges::find_if(arena_.lanes(), &Lane::runs);
    if (running == arena_.lanes().end()) return;
    drag_->lane = running->id;
  }
  const Simulation& simulation = arena_[drag_->lane];
  if (!simulation.grab()) return;
  const MoveCursor move = drag_->mouse.pull(simulation);
  if (move.cursor != simulation.grab()->cursor) arena_.apply(pool_, drag_->lane, move);
}

void Run::save_checkpoint(const std::filesystem::path& path) {
  check_idle();
  Moment moment;
  arena_.save(pool_, moment);
  write_checkpoint_file(moment, *loaded_.mesh, path);
}

void Run::save_journal(const std::filesystem::path& path) {
  check_idle();
  journal_.write(arena_.log(), arena_.hash(), path);
}

void Run::save_bundle(const std::filesystem::path& path) {
  check_idle();
  Moment moment;
  arena_.save(pool_, moment);
  write_bundle({moment, *loaded_.mesh, journal_, arena_.log(), arena_.hash()}, path);
}

}  // namespace clothlab
