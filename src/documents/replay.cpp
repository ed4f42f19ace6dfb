// SPDX-License-Identifier: MIT
#include "documents/replay.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>
#include <variant>

#include "core/error.h"
#include "core/text_file.h"
#include "documents/obstacle_meshes.h"
#include "sim/command_rules.h"
#include "sim/contact.h"
#include "sim/parameters.h"

namespace clothlab {
namespace {

/// The positions of a journal's entries in a run of the same commands with another step.
class OtherSteps {
 public:
  OtherSteps(const std::vector<JournalEntry>& entries, double dt) : dt_(dt) {
    for (const JournalEntry& entry : entries) {
      if (known_.empty() || known_.back().step != entry.step) begin_step(entry.step);
      if (std::holds_alternative<StateHash>(entry.what)) continue;
      Known& now = known_.back();
      ++now.commands;
      now.dt = step_after(entry, now.dt);
    }
  }

  std::uint64_t step_of(std::uint64_t step) const { return position_of({step, 0}).step; }

  LogPosition position_of(const LogPosition& position) const {
    const Known& last = last_before(position.step);
    if (last.step == position.step) return {last.to, last.earlier + position.commands};
    const std::uint64_t to = std::max(last.to, nearest(last.time_at(position.step)));
    return {to, to == last.to ? last.earlier + last.commands : 0};
  }

 private:
  /// A step with entries.
  struct Known {
    std::uint64_t step = 0, to = 0;
    double time = 0;            // from the beginning of the journal [s]
    std::uint64_t earlier = 0;  // commands of earlier steps that act at the same new step
    std::uint64_t commands = 0;
    double dt = 0;  // of the journal after them [s]

    double time_at(std::uint64_t later) const { return time + static_cast<double>(later - step) * dt; }
  };

  void begin_step(std::uint64_t step) {
    Known next{.step = step};
    if (!known_.empty()) {
      const Known& last = known_.back();
      const auto [to, earlier] = position_of({step, 0});
      next = {.step = step, .to = to, .time = last.time_at(step), .earlier = earlier, .dt = last.dt};
    }
    known_.push_back(next);
  }

  static double step_after(const JournalEntry& entry, double dt) {
    if (const auto* load = std::get_if<JournalEntry::Load>(&entry.what)) dt = load->scene.dt;
    if (const auto* command = std::get_if<Command>(&entry.what)) {
      if (const auto* set = std::get_if<SetParameter>(command); set && set->id == "dt") dt = set->value;
      if (const auto* set = std::get_if<SetScene>(command)) dt = set->scene->dt;
    }
    if (dt < 0) throw InputError("A journal with steps back in time cannot be replayed with another --dt.");
    return dt;
  }

  const Known& last_before(std::uint64_t step) const {
    return *std::prev(std::ranges::upper_bound(known_, step, {}, &Known::step));
  }

  std::uint64_t nearest(double time) const {
    constexpr double kMostSteps = 1e18;
    return static_cast<std::uint64_t>(std::min(std::round(time / dt_), kMostSteps));
  }

  double dt_;  // of the new run [s]
  std::vector<Known> known_;
};

std::vector<JournalEntry> with_step(std::vector<JournalEntry> entries, double dt) {
  const OtherSteps steps(entries, dt);
  for (JournalEntry& entry : entries) {
    entry.step = steps.step_of(entry.step);
    if (auto* to = std::get_if<GoTo>(&entry.what)) to->position = steps.position_of(to->position);
    if (auto* back = std::get_if<CaughtUp>(&entry.what)) back->from = steps.position_of(back->from);
  }
  return entries;
}

}  // namespace

Replay::Replay(std::vector<JournalEntry> entries, Options options)
    : entries_(options.dt ? with_step(std::move(entries), *options.dt) : std::move(entries)),
      options_(std::move(options)) {
  for (const JournalEntry& entry : entries_)
    if (const auto* to = std::get_if<GoTo>(&entry.what)) ++moments_[to->position].uses;
  if (!plays_to_another())
    for (const JournalEntry& entry : entries_)
      if (const auto* back = std::get_if<CaughtUp>(&entry.what)) ++moments_[back->from].uses;
}

Replay::Event Replay::next(WorkerPool& pool, const StopProbe& stop) {
  while (next_ < entries_.size() && entries_[next_].step == position_.step) {
    const JournalEntry& entry = entries_[next_];
    bool loads = false;
    try {
      loads = carry_out(entry, {pool, stop});
    } catch (const InputError& error) {
      throw InputError("Step " + std::to_string(position_.step) + " of the journal: " + error.what());
    }
    ++next_;
    if (std::holds_alternative<StateHash>(entry.what)) continue;
    ++position_.commands;
    keep_moment(pool);
    if (loads) return Event::loaded;
  }
  if (next_ == entries_.size() || (differs() && stands())) return Event::ended;
  const StepStatus status = arena_->step(pool, stop);
  if (status == StepStatus::stopped) return Event::stopped;
  position_ = {position_.step + 1, 0};
  if (status == StepStatus::blown_up || !arena_->lanes().front().runs()) ++missing_;
  keep_moment(pool);
  return status == StepStatus::done ? Event::stepped : Event::blown_up;
}

bool Replay::stands() const {
  return arena_->is_alone() ? simulation().blow_up().has_value() : !arena_->runs();
}

/// With another step, a lane of the journal may have blown up.
bool Replay::may_apply(const LaneCommand& command) const {
  const auto* hold = std::get_if<HoldLane>(&command);
  if (!differs() || hold == nullptr) return true;
  return std::ranges::any_of(arena_->lanes(),
                             [&](const Lane& lane) { return lane.id != hold->lane && lane.runs(); });
}

/// True if another scene was loaded.
bool Replay::carry_out(const JournalEntry& entry, const ComputeContext& context) {
  if (const auto* scene = std::get_if<JournalEntry::Load>(&entry.what)) {
    load(*scene, context);
    return true;
  }
  if (const auto* command = std::get_if<Command>(&entry.what)) apply(context.pool, entry.lane, *command);
  if (const auto* lanes = std::get_if<LaneCommand>(&entry.what)) {
    if (plays_to_another() || !may_apply(*lanes))
      ++skipped_["changes of lanes"];
    else
      arena_->apply(context.pool, *lanes);
  }
  if (const auto* back = std::get_if<CaughtUp>(&entry.what)) finish_catch_up(*back, context);
  if (const auto* to = std::get_if<GoTo>(&entry.what)) go_to(context.pool, to->position);
  if (const auto* hash = std::get_if<StateHash>(&entry.what); hash && !differs()) {
    ++compared_;
    if (arena_->hash() == hash->value)
      agreed_ = position_.step;
    else if (!difference_)
      difference_ = {position_.step, agreed_};
  }
  return false;
}

void Replay::load(const JournalEntry::Load& load, const ComputeContext& context) {
  SceneLoadOptions loading;
  loading.checkpoint = load.moment;
  loading.lanes = load.lanes;
  loading.stop = context.stop;
  Scene scene = load.scene;
  auto* file = std::get_if<FileSource>(&scene.mesh);
  if (file != nullptr && !options_.mesh.empty()) file->path = utf8_of(options_.mesh);
  if (options_.dt && !load.moment) scene.dt = *options_.dt;
  if (plays_to_another() && !load.moment) set_integrator(scene, *options_.integrator);
  const LoadedScene loaded = load_scene(std::move(scene), loading);
  check_mesh_fingerprint(loaded.scene, *loaded.mesh, load.mesh_hash);
  if (load.obstacle_hashes) check_mesh_fingerprints(loaded.scene.obstacles.bodies, *load.obstacle_hashes);
  if (plays_to_another()) {
    auto made = simulation_of(loaded, context.pool, context.stop);
    made->apply(context.pool, choice_of(*options_.integrator));
    arena_ = std::make_unique<Arena>(std::move(made), true);
  } else {
    arena_ = std::make_unique<Arena>(lanes_of(loaded, context.pool, context.stop), Arena::Options());
  }
  start_ = loaded.moment ? nullptr : simulation().shared_scene();
  if (options_.dt && loaded.moment)
    arena_->apply(context.pool, arena_->lanes().front().id, SetParameter{"dt", *options_.dt});
}

std::shared_ptr<const PastRun> Replay::past() const {
  if (!start_) return nullptr;
  std::uint64_t steps = 0;
  for (const Lane& lane : arena_->lanes()) steps = std::max(steps, lane.simulation->steps());
  return std::make_shared<const PastRun>(PastRun{*start_, arena_->log(), steps});
}

const Moment& Replay::moment_at(const LogPosition& position) const {
  const std::optional<Moment>& moment = moments_.at(position).moment;
  if (!moment)
    throw InputError("The run had no moment after step " + std::to_string(position.step) + " and " +
                     std::to_string(position.commands) + " commands.");
  return *moment;
}

void Replay::forget_use(const LogPosition& position) {
  if (--moments_.at(position).uses == 0) moments_.erase(position);
}

void Replay::go_to(WorkerPool& pool, const LogPosition& position) {
  arena_->go_back(pool, moment_at(position));
  forget_use(position);
}

/// Repeats the background work of the window between two steps.
void Replay::finish_catch_up(const CaughtUp& back, const ComputeContext& context) {
  if (plays_to_another()) {
    ++skipped_["changes of lanes"];
    return;
  }
  if (back.frozen) {
    arena_->restore_frozen(context.pool, back.lane, *back.method, moment_at(back.from));
    return forget_use(back.from);
  }
  CatchUp run =
      arena_->start_catch_up(context.pool, back.lane, *back.method, moment_at(back.from), context.stop);
  while (const auto status = arena_->advance(context.pool, run, context.stop)) {
    if (status == StepStatus::stopped) throw Cancelled();
    if (status == StepStatus::blown_up)
      throw InputError(std::string("Lane ") + lane_letter(back.lane) + " blew up while it caught up.");
  }
  arena_->finish(std::move(run));
  forget_use(back.from);
}

void Replay::keep_moment(WorkerPool& pool) {
  const auto found = moments_.find(position_);
  if (found == moments_.end()) return;
  found->second.moment.emplace().position = position_;
  arena_->save(pool, *found->second.moment);
}

void Replay::apply(WorkerPool& pool, std::optional<LaneId> lane, Command command) {
  const LaneId only = arena_->lanes().front().id;
  if (differs() && !applies(command)) return;
  arena_->apply(pool, plays_to_another() ? only : lane.value_or(only), command);
}

bool Replay::applies(Command& command) {
  std::string what;
  if (const auto* set = std::get_if<SetParameter>(&command); set && options_.dt && set->id == "dt")
    what = "changes of dt";
  if (const auto* set = std::get_if<SetIntegrator>(&command); set && plays_to_another())
    what = "changes of the integrator to " + set->id;
  if (std::holds_alternative<SetTableau>(command) && plays_to_another()) what = "changes of the tableau";
  if (const auto* set = std::get_if<SetParameter>(&command);
      set && plays_to_another() && !find_scene_parameter(set->id)) {
    const auto& own = options_.integrator->parameters;
    if (std::ranges::none_of(own, [&](const ParameterSpec& spec) { return spec.id == set->id; }))
      what = "changes of " + set->id;
  }
  if (const auto* set = std::get_if<SetScene>(&command)) {
    auto scene = std::make_shared<Scene>(*set->scene);
    if (plays_to_another()) set_integrator(*scene, *options_.integrator);
    if (options_.dt) scene->dt = *options_.dt;
    command = SetScene{std::move(scene)};
  }
  if (std::holds_alternative<StepBack>(command) &&
      (options_.dt || !why_only_forward(simulation().scene()).empty()))
    what = "steps back";
  if (std::holds_alternative<RestoreGoodState>(command) && !stands())
    what = "returns to the last good state after a blow-up";
  if (what.empty()) return true;
  ++skipped_[what];
  return false;
}

}  // namespace clothlab
