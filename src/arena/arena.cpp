// SPDX-License-Identifier: MIT
#include "arena/arena.h"

#include <cmath>
#include <functional>
#include <tuple>

#include "core/error.h"
#include "core/hash.h"
#include "sim/command_rules.h"
#include "sim/parameters.h"

namespace clothlab {
namespace {

// Below, a lane has too little work for several threads: lanes take their steps in parallel.
constexpr std::size_t kParticlesForAllThreads = 10'000;

std::shared_ptr<const Scene> shared_with_method(const Scene& scene, const Method& method) {
  return std::make_shared<const Scene>(with_method(scene, method));
}

/// The same change for another lane: its method stays.
Command of_the_world(const Command& command, const Simulation& lane) {
  const auto* set = std::get_if<SetScene>(&command);
  if (set == nullptr || !set->scene) return command;
  return SetScene{shared_with_method(*set->scene, lane.scene())};
}

/// A run from a checkpoint on the mesh of another one, with these values; the same ones do not restart the
/// method.
std::unique_ptr<Simulation> continued(WorkerPool& pool, const Checkpoint& from, const Simulation& other,
                                      const std::shared_ptr<const Scene>& values,
                                      const StopProbe& stop = {}) {
  auto run =
      std::make_unique<Simulation>(from, other.shared_mesh(), pool, stop, other.system().shared_model());
  if (!differences(*from.scene, *values, run->mesh()).empty()) run->apply(pool, SetScene{values});
  return run;
}

/// A value of the lanes that run; if none runs, the largest of all.
template <class Of>
auto farthest(std::span<const Lane> lanes, const Of& of) {
  auto most = std::invoke(of, *lanes.front().simulation);
  for (const Lane& lane : lanes) {
    if (lane.runs()) return std::invoke(of, *lane.simulation);
    most = std::max(most, std::invoke(of, *lane.simulation));
  }
  return most;
}

/// Begins what `work` refuses (InputError) with the name of the lane.
template <class Work>
void name_in_refusals(const Lane& lane, const Work& work) try {
  work();
} catch (const InputError& error) {
  throw InputError(lane.name() + ": " + error.what());
}

}  // namespace

void repeat_change(WorkerPool& pool, const LogEntry& entry, Simulation& run) {
  if (!entry.back) return run.apply(pool, of_the_world(std::get<Command>(entry.what), run));
  // The run went back: pins stay where they are and the grab ends.
  const auto here = std::make_shared<Checkpoint>();
  run.save(pool, *here);
  run.apply(pool, GoBack{here});
  if (entry.back->world) run.apply(pool, SetScene{shared_with_method(*entry.back->world, run.scene())});
}

void Lane::unfreeze() {
  frozen.reset();
  held = false;
}

std::string Lane::name() const {
  return std::string("Lane ") + lane_letter(id) + " (" + std::string(simulation->integrator().title) + ")";
}

const Moment::Part& Moment::of(LaneId lane) const {
  if (const auto own = std::ranges::find(lanes, lane, &Part::lane); own != lanes.end()) return *own;
  const auto ran = std::ranges::find_if(lanes, [](const Part& part) { return !part.frozen && !part.held; });
  return ran == lanes.end() ? lanes.front() : *ran;
}

Moment moment_of_lane(LaneId lane, std::shared_ptr<Checkpoint> checkpoint) {
  Moment moment;
  moment.time = checkpoint->state.t;
  moment.lanes.push_back({lane, std::move(checkpoint)});
  return moment;
}

Arena::Arena(std::vector<Lane> lanes, Options options)
    : steps_per_hash_(options.steps_per_hash), lanes_(std::move(lanes)), log_(std::move(options.log)) {
  lanes_.reserve(kMostLanes);
}

Arena::Arena(std::unique_ptr<Simulation> first, bool compared) : compared_(compared) {
  lanes_.reserve(kMostLanes);
  lanes_.push_back({.id = 0, .simulation = std::move(first)});
}

const Lane* Arena::find(LaneId lane) const {
  const auto found = std::ranges::find(lanes_, lane, &Lane::id);
  return found == lanes_.end() ? nullptr : &*found;
}

const Lane& Arena::at(LaneId lane) const {
  if (const Lane* found = find(lane)) return *found;
  throw InputError(std::string("There is no lane ") + lane_letter(lane) + ".");
}

Lane& Arena::at(LaneId lane) { return const_cast<Lane&>(std::as_const(*this).at(lane)); }

void Arena::warn(LaneId lane, const Prediction* found) {
  Simulation& run = *at(lane).simulation;
  run.warn_by_signs(found == nullptr);
  if (found != nullptr) run.warn_of(*found);
}

void Arena::insert(Lane lane) {
  lanes_.insert(std::ranges::upper_bound(lanes_, lane.id, {}, &Lane::id), std::move(lane));
}

double Arena::time() const {
  return farthest(lanes_, [](const Simulation& run) { return run.state().t; });
}

std::uint64_t Arena::steps() const { return farthest(lanes_, &Simulation::steps); }

std::uint64_t Arena::hash() const {
  if (is_alone()) return state_hash(lanes_.front().simulation->state());
  Hash all;
  for (const Lane& lane : lanes_) all.add(std::uint64_t{lane.id}).add(state_hash(lane.simulation->state()));
  return all.value();
}

// Commands ------------------------------------------------------------------------------------------

void Arena::apply(WorkerPool& pool, LaneId lane, const Command& command, const StopProbe& stop) {
  Lane& own = at(lane);
  const bool restores = std::holds_alternative<RestoreGoodState>(command);
  const bool of_one_lane = restores || is_of_method(command) || std::holds_alternative<SetScene>(command);
  LogEntry entry = next_entry(command);
  if (of_one_lane && !is_alone()) entry.lane = lane;
  if (restores) return restore_good_state(pool, own, std::move(entry));
  if (is_alone() || is_of_method(command))
    own.simulation->apply(pool, command, stop);
  else
    apply_to_all(pool, lane, command, stop);
  log_.add(std::move(entry));
  if (!std::holds_alternative<Reset>(command)) return;
  for (Lane& each : lanes_) each.unfreeze();
}

void Arena::restore_good_state(WorkerPool& pool, Lane& lane, LogEntry entry) {
  if (std::ranges::any_of(lanes_, [&](const Lane& each) { return &each != &lane && each.runs(); }))
    throw InputError("A lane can return to its last good state only if no other lane runs.");
  entry = return_to(lane.simulation->last_good_state().step, lane, std::move(entry));
  lane.simulation->apply(pool, RestoreGoodState{});
  lane.unfreeze();
  log_.add(std::move(entry));
}

/// The entry of a change that comes now. What it allocates comes before the change.
LogEntry Arena::next_entry(LogEntry::What what) {
  log_.reserve();
  return {.position = log_.position(), .what = std::move(what), .step = steps()};
}

/// The entry of a change after which the run continues from an earlier step, as this lane does.
LogEntry Arena::return_to(std::uint64_t step, const Lane& lane, LogEntry entry) const {
  entry.step = step;
  entry.back = {log_.last_at(step, log_.position()), lane.simulation->shared_scene()};
  return entry;
}

/// Changes all lanes or, if that throws for one of several, none.
template <class Change>
void Arena::change_all(WorkerPool& pool, const Change& change) {
  before_.resize(is_alone() ? 0 : lanes_.size());
  for (std::size_t i = 0; i < before_.size(); ++i) lanes_[i].simulation->save(pool, before_[i]);
  std::size_t changed = 0;
  try {
    for (; changed < lanes_.size(); ++changed) change(changed);
  } catch (...) {
    for (std::size_t i = 0; i < before_.size() && i <= changed; ++i)
      lanes_[i].simulation->load(pool, before_[i]);
    throw;
  }
}

void Arena::apply_to_all(WorkerPool& pool, LaneId lane, const Command& command, const StopProbe& stop) {
  std::vector<Command> each_command;
  for (const Lane& each : lanes_) {
    each_command.push_back(each.id == lane ? command : of_the_world(command, *each.simulation));
    name_in_refusals(each, [&] {
      changed_scene(each.simulation->shared_scene(), each_command.back(), each.simulation->mesh());
    });
  }
  change_all(pool, [&](std::size_t i) {
    // A frozen lane has the values of the world, but no grab.
    if (!lanes_[i].runs() && !rule_of(command).changes_scene && !std::holds_alternative<Reset>(command))
      return;
    name_in_refusals(lanes_[i], [&] { lanes_[i].simulation->apply(pool, each_command[i], stop); });
  });
}

void Arena::apply(WorkerPool& pool, const LaneCommand& command) {
  std::visit([&](const auto& each) { carry_out(pool, each); }, command);
}

void Arena::carry_out(WorkerPool& pool, const AddLane& command) {
  if (command.lane >= kMostLanes)
    throw InputError("There are " + std::to_string(kMostLanes) + " lanes at most: remove one first.");
  if (find(command.lane) != nullptr)
    throw InputError(std::string("There is a lane ") + lane_letter(command.lane) + " already.");
  const Lane& from = at(command.from);
  Checkpoint now;
  from.simulation->save(pool, now);
  auto made = continued(pool, now, *from.simulation, now.scene);
  LogEntry entry = next_entry(LaneCommand(command));
  insert({.id = command.lane, .simulation = std::move(made), .frozen = from.frozen, .held = from.held});
  log_.add(std::move(entry));
}

void Arena::carry_out(WorkerPool& pool, const RemoveLane& command) {
  const auto position = lanes_.begin() + (&at(command.lane) - lanes_.data());
  if (is_alone()) throw InputError("The only lane cannot be removed.");
  const std::uint64_t step = steps();
  LogEntry entry = next_entry(LaneCommand(command));
  Lane removed = std::move(*position);
  lanes_.erase(position);
  try {
    if (is_alone() && !runs()) return restore_good_state(pool, lanes_.front(), std::move(entry));
    if (steps() < step) entry = return_to(steps(), lanes_.front(), std::move(entry));
    log_.add(std::move(entry));
  } catch (...) {
    lanes_.insert(position, std::move(removed));
    throw;
  }
}

void Arena::carry_out(WorkerPool& pool, const JoinLane& command) {
  const Lane& from = at(command.from);
  Lane& to = at(command.lane);
  if (&from == &to) return;
  const SetScene with_own_method{shared_with_method(from.simulation->scene(), to.simulation->scene())};
  const std::uint64_t step = steps();
  LogEntry entry = next_entry(LaneCommand(command));
  const auto stood = std::pair(to.frozen, to.held);
  Checkpoint now, before;
  from.simulation->save(pool, now);
  to.simulation->save(pool, before);
  try {
    to.simulation->load(pool, now);
    to.simulation->apply(pool, with_own_method);
    std::tie(to.frozen, to.held) = std::pair(from.frozen, from.held);
    if (steps() < step) entry = return_to(steps(), to, std::move(entry));
    log_.add(std::move(entry));
  } catch (...) {
    to.simulation->load(pool, before);
    std::tie(to.frozen, to.held) = stood;
    throw;
  }
}

void Arena::carry_out(WorkerPool& /*pool*/, const HoldLane& command) {
  Lane& held = at(command.lane);
  const auto others =
      std::ranges::count_if(lanes_, [&](const Lane& lane) { return &lane != &held && lane.runs(); });
  if (others == 0) throw InputError("The last lane that runs cannot be frozen.");
  LogEntry entry = next_entry(LaneCommand(command));
  held.held = true;
  log_.add(std::move(entry));
}

// Steps ---------------------------------------------------------------------------------------------

StepStatus Arena::step(WorkerPool& pool, const StopProbe& stop, Clock clock) {
  if (steps_per_hash_ > 0) log_.reserve();
  const StepStatus status = step_lanes(pool, stop, clock);
  if (status == StepStatus::stopped) return status;
  log_.count_step();
  if (steps_per_hash_ > 0 && log_.position().step % steps_per_hash_ == 0)
    log_.add({.what = StateHash{hash()}, .step = steps()});
  return status;
}

StepStatus Arena::step_lanes(WorkerPool& pool, const StopProbe& stop, Clock clock) {
  const auto take = [&](Lane& lane) {
    const LaneTime start = clock != nullptr ? clock(pool) : LaneTime();
    lane.simulation->watch(watches_);
    lane.status = lane.simulation->step(pool, stop, is_alone() && !compared_);
    if (clock == nullptr) return;
    const LaneTime end = clock(pool);
    lane.cost = {end.wall - start.wall, end.processor - start.processor};
  };
  if (is_alone()) {
    take(lanes_.front());
    return lanes_.front().status;
  }
  before_.resize(lanes_.size());
  for (Lane& lane : lanes_) lane.status = StepStatus::stopped;
  // The first lane finds cold caches; rotating it distributes that cost equally.
  const std::size_t first = steps() % lanes_.size();
  const auto step_some = [&](std::size_t begin, std::size_t end) {
    for (std::size_t turn = begin; turn < end; ++turn) {
      const std::size_t i = (first + turn) % lanes_.size();
      if (!lanes_[i].runs()) continue;
      lanes_[i].simulation->save(pool, before_[i]);
      take(lanes_[i]);
    }
  };
  try {
    if (lanes_.front().simulation->system().size() < kParticlesForAllThreads)
      pool.for_chunks(lanes_.size(), 1, step_some);
    else
      step_some(0, lanes_.size());
  } catch (...) {
    take_back_step(pool);
    throw;
  }
  const auto waits = [](const Lane& lane) { return lane.runs() && lane.status == StepStatus::stopped; };
  if (std::ranges::any_of(lanes_, waits)) {
    take_back_step(pool);
    return StepStatus::stopped;
  }
  for (Lane& lane : lanes_)
    if (lane.runs() && lane.status == StepStatus::blown_up) lane.frozen = lane.simulation->blow_up();
  return runs() ? StepStatus::done : StepStatus::blown_up;
}

/// Of the lanes that have taken the step.
void Arena::take_back_step(WorkerPool& pool) {
  for (std::size_t i = 0; i < lanes_.size(); ++i)
    if (std::exchange(lanes_[i].status, StepStatus::stopped) != StepStatus::stopped)
      lanes_[i].simulation->load(pool, before_[i]);
}

// The past ------------------------------------------------------------------------------------------

void Arena::save(WorkerPool& pool, Moment& to) const {
  to.position = log_.position();
  to.time = time();
  to.lanes.resize(lanes_.size());
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    Moment::Part& part = to.lanes[i];
    if (part.checkpoint.use_count() != 1) part.checkpoint = std::make_shared<Checkpoint>();
    part.lane = lanes_[i].id;
    part.frozen = lanes_[i].frozen;
    part.held = lanes_[i].held;
    lanes_[i].simulation->save(pool, *part.checkpoint);
  }
}

void Arena::go_back(WorkerPool& pool, const Moment& moment) {
  LogEntry entry = next_entry(GoTo{moment.position});
  const Lane& first = lanes_.front();
  const bool other_world =
      moment.of(first.id).checkpoint->scene->world() != first.simulation->scene().world();
  change_all(pool, [&](std::size_t i) {
    lanes_[i].simulation->apply(pool, GoBack{moment.of(lanes_[i].id).checkpoint});
  });
  for (Lane& lane : lanes_) {
    lane.frozen = is_alone() ? std::nullopt : moment.of(lane.id).frozen;
    lane.held = !is_alone() && moment.of(lane.id).held;
  }
  entry.step = steps();
  // Lanes that were further then may have been removed.
  entry.back = {log_.last_at(entry.step, moment.position), nullptr};
  if (other_world || entry.back->to != moment.position)
    entry.back->world = lanes_.front().simulation->shared_scene();
  log_.add(std::move(entry));
}

double Arena::largest_step_since(const Moment& moment) const {
  double largest = std::abs(moment.lanes.front().checkpoint->scene->dt);
  for (const std::size_t change : log_.changes_since(moment.position)) {
    const LogEntry& entry = log_.entries()[change];
    const auto* command = std::get_if<Command>(&entry.what);
    if (entry.back && entry.back->world) largest = std::max(largest, std::abs(entry.back->world->dt));
    if (command == nullptr) continue;
    if (const auto* value = std::get_if<SetParameter>(command); value != nullptr && value->id == "dt")
      largest = std::max(largest, std::abs(value->value));
    else if (const auto* scene = std::get_if<SetScene>(command); scene != nullptr && scene->scene)
      largest = std::max(largest, std::abs(scene->scene->dt));
  }
  return largest;
}

CatchUp Arena::start_catch_up(WorkerPool& pool, LaneId lane, const Scene& scene, const Moment& moment,
                              const StopProbe& stop) const {
  const Moment::Part& part = moment.of(lane);
  CatchUp run;
  run.lane_ = lane;
  run.from_ = moment.position;
  run.simulation_ = continued(pool, *part.checkpoint, *lanes_.front().simulation,
                              shared_with_method(*part.checkpoint->scene, scene), stop);
  run.changes_ = log_.changes_since(moment.position);
  run.read_ = log_.entries().size();
  return run;
}

std::optional<StepStatus> Arena::advance(WorkerPool& pool, CatchUp& run, const StopProbe& stop) const {
  Simulation& simulation = *run.simulation_;
  const auto entries = log_.entries();
  for (; run.read_ < entries.size(); ++run.read_)
    if (CommandLog::is_repeated(entries[run.read_])) run.changes_.push_back(run.read_);
  while (run.next_ < run.changes_.size() && entries[run.changes_[run.next_]].step == simulation.steps())
    repeat_change(pool, entries[run.changes_[run.next_++]], simulation);
  if (simulation.steps() >= steps()) return std::nullopt;
  return simulation.step(pool, stop);
}

void Arena::restore_frozen(WorkerPool& pool, LaneId lane, const Scene& scene, const Moment& moment) {
  const Moment::Part& part = moment.of(lane);
  const Simulation& first = *lanes_.front().simulation;
  auto made = continued(pool, *part.checkpoint, first, shared_with_method(first.scene(), scene));
  LogEntry entry = next_entry(CaughtUp{lane, moment.position, std::make_shared<const Scene>(scene), true});
  insert({.id = lane, .simulation = std::move(made), .frozen = part.frozen, .held = part.held});
  log_.add(std::move(entry));
}

void Arena::finish(CatchUp run) {
  LogEntry entry = next_entry(CaughtUp{run.lane_, run.from_, run.simulation_->shared_scene()});
  const auto found = std::ranges::find(lanes_, run.lane_, &Lane::id);
  if (found != lanes_.end()) {
    found->simulation = std::move(run.simulation_);
    found->unfreeze();
  } else {
    insert({.id = run.lane_, .simulation = std::move(run.simulation_)});
  }
  log_.add(std::move(entry));
}

}  // namespace clothlab
