// SPDX-License-Identifier: MIT
#include "runtime/replay.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "core/error.h"
#include "core/text_file.h"
#include "runtime/scene_loader.h"
#include "sim/parameters.h"

namespace clothlab {

Replay::Replay(std::vector<JournalEntry> entries, Options options)
    : entries_(std::move(entries)), options_(std::move(options)) {
  if (plays_to_another()) integrator_info(options_.integrator);
  for (const JournalEntry& entry : entries_)
    if (const auto* to = std::get_if<JournalEntry::GoTo>(&entry.what)) ++moments_[to->place].uses;
  if (!plays_to_another())
    for (const JournalEntry& entry : entries_)
      if (const auto* back = std::get_if<JournalEntry::ComeBack>(&entry.what)) ++moments_[back->from].uses;
}

Replay::Event Replay::next(WorkerPool& pool, const StopProbe& stop) {
  while (next_ < entries_.size() && entries_[next_].step == place_.step) {
    const JournalEntry& entry = entries_[next_];
    bool loads = false;
    try {
      loads = carry_out(entry, {pool, stop});
    } catch (const InputError& error) {
      throw InputError("Step " + std::to_string(place_.step) + " of the journal: " + error.what());
    }
    ++next_;
    if (std::holds_alternative<JournalEntry::StateHash>(entry.what)) continue;
    ++place_.commands;
    keep_moment(pool);
    if (loads) return Event::loaded;
  }
  if (next_ == entries_.size() || (plays_to_another() && simulation().blow_up())) return Event::ended;
  const StepStatus status = arena_->step(pool, stop);
  if (status == StepStatus::stopped) return Event::stopped;
  place_ = {place_.step + 1, 0};
  keep_moment(pool);
  return status == StepStatus::done ? Event::stepped : Event::blown_up;
}

/// True where another scene was loaded.
bool Replay::carry_out(const JournalEntry& entry, const ComputeContext& context) {
  if (const auto* scene = std::get_if<JournalEntry::Load>(&entry.what)) {
    load(*scene, context);
    return true;
  }
  if (const auto* command = std::get_if<Command>(&entry.what)) apply(context.pool, entry.lane, *command);
  if (const auto* lanes = std::get_if<LaneCommand>(&entry.what)) {
    if (plays_to_another())
      ++skipped_["changes of lanes"];
    else
      arena_->apply(context.pool, *lanes);
  }
  if (const auto* back = std::get_if<JournalEntry::ComeBack>(&entry.what)) come_back(*back, context);
  if (const auto* to = std::get_if<JournalEntry::GoTo>(&entry.what)) go_to(context.pool, to->place);
  if (const auto* hash = std::get_if<JournalEntry::StateHash>(&entry.what); hash && !plays_to_another()) {
    ++compared_;
    if (arena_->hash() == hash->value)
      agreed_ = place_.step;
    else if (!difference_)
      difference_ = {place_.step, agreed_};
  }
  return false;
}

void Replay::load(const JournalEntry::Load& load, const ComputeContext& context) {
  SceneLoadOptions loading;
  loading.checkpoint = load.moment;
  loading.stop = context.stop;
  Scene scene = load.scene;
  auto* file = std::get_if<FileSource>(&scene.mesh);
  if (file != nullptr && !options_.mesh.empty()) file->path = utf8_of(options_.mesh);
  if (plays_to_another() && !load.moment) scene.integrator = options_.integrator;
  const LoadedScene loaded = load_scene(std::move(scene), loading);
  if (fingerprint(*loaded.mesh) != load.mesh_hash) {
    const auto* found = std::get_if<FileSource>(&loaded.scene.mesh);
    throw InputError((found ? shown_path(path_of(found->path)) : std::string("The mesh")) +
                     " is another mesh than was loaded then.");
  }
  auto made = std::make_unique<Simulation>(loaded.scene, loaded.mesh, context.pool, context.stop);
  if (loaded.moment) made->load(context.pool, *loaded.moment);
  if (plays_to_another()) made->apply(context.pool, SetIntegrator{options_.integrator});
  arena_ = std::make_unique<Arena>(std::move(made), plays_to_another());
}

const Moment& Replay::moment_at(const JournalPlace& place) const {
  const std::optional<Moment>& moment = moments_.at(place).moment;
  if (!moment)
    throw InputError("The run had no moment after step " + std::to_string(place.step) + " and " +
                     std::to_string(place.commands) + " commands.");
  return *moment;
}

void Replay::forget_use(const JournalPlace& place) {
  if (--moments_.at(place).uses == 0) moments_.erase(place);
}

void Replay::go_to(WorkerPool& pool, const JournalPlace& place) {
  arena_->go_back(pool, moment_at(place));
  forget_use(place);
}

/// What the window did in the background, between two steps.
void Replay::come_back(const JournalEntry::ComeBack& back, const ComputeContext& context) {
  if (plays_to_another()) {
    ++skipped_["changes of lanes"];
    return;
  }
  CatchUp run =
      arena_->start_catch_up(context.pool, back.lane, *back.method, moment_at(back.from), context.stop);
  for (;;) {
    const Arena::Progress progress = arena_->advance(context.pool, run, context.stop);
    if (progress == Arena::Progress::stopped) throw Cancelled();
    if (progress == Arena::Progress::blown_up)
      throw InputError(std::string("Lane ") + lane_letter(back.lane) + " blew up while it caught up.");
    if (progress == Arena::Progress::arrived) break;
  }
  arena_->finish(std::move(run));
  forget_use(back.from);
}

void Replay::keep_moment(WorkerPool& pool) {
  const auto found = moments_.find(place_);
  if (found == moments_.end()) return;
  found->second.moment.emplace().place = place_;
  arena_->save(pool, *found->second.moment);
}

void Replay::apply(WorkerPool& pool, std::optional<LaneId> lane, Command command) {
  const LaneId only = arena_->lanes().front().id;
  if (!plays_to_another()) return arena_->apply(pool, lane.value_or(only), command);
  if (is_for_another(command)) arena_->apply(pool, only, command);
}

bool Replay::is_for_another(Command& command) {
  std::string what;
  if (const auto* set = std::get_if<SetIntegrator>(&command))
    what = "changes of the integrator to " + set->id;
  if (const auto* set = std::get_if<SetParameter>(&command); set && !find_scene_parameter(set->id)) {
    const auto& own = integrator_info(options_.integrator).parameters;
    if (std::ranges::none_of(own, [&](const ParameterSpec& spec) { return spec.id == set->id; }))
      what = "changes of " + set->id;
  }
  if (const auto* set = std::get_if<SetScene>(&command)) {
    auto scene = std::make_shared<Scene>(*set->scene);
    scene->integrator = options_.integrator;
    command = SetScene{std::move(scene)};
  }
  if (std::holds_alternative<RestoreSoundState>(command) && !simulation().blow_up())
    what = "returns to the last sound state after a blow-up";
  if (what.empty()) return true;
  ++skipped_[what];
  return false;
}

}  // namespace clothlab
