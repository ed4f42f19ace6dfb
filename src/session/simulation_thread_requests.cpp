// SPDX-License-Identifier: MIT
#include <utility>

#include "core/error.h"
#include "core/text.h"
#include "session/simulation_thread_impl.h"
#include "sim/command_rules.h"
#include "sim/parameters.h"

namespace clothlab {
namespace {

constexpr double kRewindSeconds = 0.5;
constexpr std::size_t kReplayStates = 120;

}  // namespace

bool SimulationThread::Impl::has_other_method(const LiveLane::Return& lane) const {
  const Scene& scene = lane.run.simulation().scene();
  Scene of_active = with_method(scene, simulation().scene());
  if (of_active.substeps == lane.substeps) of_active.substeps = scene.substeps;
  return !differences(scene, of_active, simulation().mesh()).empty();
}

void SimulationThread::Impl::apply(const Command& command) {
  // A refused command does not change the past either.
  const std::shared_ptr<const Scene> after =
      changed_scene(simulation().shared_scene(), command, simulation().mesh());
  const CommandRule& rule = rule_of(command);
  // The grab's far end follows within the bounds on its force (MouseGrab::pull); only that is work.
  if (const auto* move = std::get_if<MoveCursor>(&command); move != nullptr && mouse_grab)
    return mouse_grab->move_to(move->cursor);
  if (rule.acts_on_shown || after->pins != simulation().scene().pins) continue_from_shown();
  const bool had_rods = simulation().integrator().inextensible;
  note_step_times(live());
  const bool stood = stands();
  {
    std::optional<StepRuns> runs_now;
    if (std::holds_alternative<StepBack>(command)) runs_now.emplace(step_start);
    arena->apply(pool, active, command, stop);
  }
  if (std::holds_alternative<Reset>(command)) {
    if (stood) playing = std::exchange(resumes, false);
    start_all_over();
  } else if (std::holds_alternative<RestoreGoodState>(command)) {
    continue_from_restored_state(true);
    restart_methods();
  } else if (std::holds_alternative<StepBack>(command)) {
    playing = resumes = false;
    note_return(arena->time());
    remember_step_back();
  } else if (const auto* move = std::get_if<MovePins>(&command);
             std::holds_alternative<ReverseVelocities>(command) || (move != nullptr && move->duration == 0)) {
    history.replace_newest([this](Moment& to) { arena->save(pool, to); });
  }
  if (simulation().integrator().inextensible != had_rods) forget_estimate(live());
  if (!(*arena)[running_lane()].grab() || std::holds_alternative<Grab>(command)) mouse_grab.reset();
  if (rule.changes_scene && mouse_grab &&
      mouse_grab->adapt(pool, (*arena)[grab_lane], estimate_without_grab(live(grab_lane)))) {
    Grab other_spring = mouse_grab->grab();
    if (const std::optional<GrabSpring>& grab = (*arena)[grab_lane].grab())
      other_spring.cursor = grab->cursor;
    arena->apply(pool, active, other_spring);
  }
  if (is_of_method(command)) warn_of_grab(active);
  if (rule.breaks_continuity) request_estimates();
  if (!rule.changes_scene) return;
  const bool of_method = is_of_method(command);
  // A lane that catches up with an outdated method starts again if possible.
  if (live().catching_up && has_other_method(*live().catching_up)) {
    cancel_catch_up(live());
    if (!live().blown) start_catch_up(live(), simulation().scene(), good_moment(active));
  }
  for_each_lane([&](LiveLane& lane) {
    if (lane.blown && (lane.id == active || !of_method)) reconsider(lane);
  });
}

void SimulationThread::Impl::steer(const StartGrab& c) {
  continue_from_shown();
  grab_lane = softest_grab_lane(c.hold);
  const MouseGrab holding(pool, c.hold, (*arena)[grab_lane], estimate_without_grab(live(grab_lane)));
  arena->apply(pool, active, holding.grab());
  mouse_grab = holding;
  request_estimates();
}

void SimulationThread::Impl::steer(const SetPlaying& c) {
  if (c.playing == playing) return;
  if (c.playing) continue_from_shown();
  playing = c.playing;
  resumes = false;
  if (playing) pacer.restart(Clock::now());
}

void SimulationThread::Impl::steer(const StepOnce&) {
  continue_from_shown();
  playing = resumes = false;
  step();
}

void SimulationThread::Impl::steer(const SetSpeed& c) {
  if (!(c.speed > 0)) throw InputError("The speed must be greater than zero.");
  speed = std::clamp(c.speed, kMinSpeed, kMaxSpeed);
  pacer.restart(Clock::now());
}

void SimulationThread::Impl::steer(const Rewind&) {
  const bool shows_past = past && !past->by_itself();
  // The newest state of the past is the present one, also after the blow-up of the only lane.
  double now = shows_past ? history[past->shown].time : arena->time();
  // A lane that blew up while others ran on goes back to before the blow-up.
  const Lane& own = *arena->find(active);
  if (const Moment::Part* then = shows_past ? &history[past->shown].of(active) : nullptr;
      then != nullptr && then->lane == active && then->frozen)
    now = then->checkpoint->state.t;
  else if (then == nullptr && own.frozen && !live().catching_up)
    now = own.simulation->state().t;
  if (!history.empty() && now < history[0].time)
    throw InputError(own.name() + " blew up at " + format_plain(now, 3) + " s, and the states before " +
                     format_plain(history[0].time, 3) +
                     " s are no longer kept. With another method or a smaller h the lane catches up with the "
                     "others; Reset returns to the start.");
  playing = resumes = false;
  branch_at_time(now - kRewindSeconds * speed);
  continue_from_newest_kept();
}

void SimulationThread::Impl::steer(const SwapBranches&) {
  if (history.left() == nullptr) throw InputError("The run is at the present already.");
  playing = resumes = false;
  history.swap_branches([this](const Moment& left) { arena->go_back(pool, left); });
  std::swap(common_origin, origin_of_other_branch);
  for (const auto& lane : lanes) {
    std::swap(lane->origins, lane->origins_of_other_branch);
    if (!lane->plot_of_other_branch) {
      lane->plot_of_other_branch = lane->plot;
      set_origin(*lane);
    }
    std::swap(lane->plot, *lane->plot_of_other_branch);
  }
  continue_from_restored_state();
  request_estimates();
}

void SimulationThread::Impl::steer(const KeepMoment& c) {
  Moment shown;
  if (past)
    shown = history[past->shown];
  else
    arena->save(pool, shown);
  c.receive({std::move(shown), loaded, active, returns->size()});
}

void SimulationThread::Impl::steer(const KeepJournal& c) {
  Moment now;
  arena->save(pool, now);
  c.receive({journal, arena->log(), arena->hash(), std::move(now), loaded});
}

void SimulationThread::Impl::steer(const WatchAgain& c) {
  if (history.size() - history.first_step_by_step() < 2)
    throw InputError("There is nothing to watch again yet: take some steps first.");
  playing = false;
  const std::size_t oldest =
      std::max(history.first_step_by_step(), history.size() - std::min(history.size(), kReplayStates));
  const auto pictures = static_cast<double>(history.size() - oldest);
  const double spacing = std::clamp(c.seconds, 0.0, 3600.0) / pictures;
  past = Past{.shown = oldest,
              .first = oldest,
              .spacing = std::chrono::duration_cast<Clock::duration>(Seconds(spacing))};
  past->next = Clock::now() + past->spacing;
}

void SimulationThread::Impl::steer(const ShowPast& c) {
  if (std::isnan(c.time)) throw InputError("The time to return to must be a number.");
  show_past_state(history.nearest(c.time));
}

void SimulationThread::Impl::steer(const StepThroughPast& c) {
  const auto last = std::max(static_cast<long long>(history.size()) - 1, 0LL);
  const auto shown = past ? static_cast<long long>(past->shown) : last;
  show_past_state(static_cast<std::size_t>(std::clamp(shown + c.states, 0LL, last)));
}

void SimulationThread::Impl::steer(const SelectLane& c) {
  (*arena)[c.lane];  // throws if there is none
  active = c.lane;
  if (spectrum.wanted) request_estimate(live(), false);
}

void SimulationThread::Impl::steer(const SetReference& c) {
  if (c.lane) (*arena)[*c.lane];  // throws if there is none
  refer_to(c.lane);
}

void SimulationThread::Impl::steer(const FollowParticle& c) {
  if (c.particle && *c.particle >= simulation().state().x.size())
    throw InputError("There is no particle " + std::to_string(*c.particle) + " to follow.");
  followed = c.particle;
}

void SimulationThread::Impl::steer(const NewLane& c) {
  const Scene method = with_new_lane(simulation().scene(), c);
  LaneId lane = c.lane.value_or(0);
  if (c.lane && find_live(lane) != nullptr)
    throw InputError(std::string("There is a lane ") + lane_letter(lane) + " already.");
  while (find_live(lane) != nullptr) ++lane;
  if (lane >= kMostLanes)
    throw InputError("No further lane is possible: " + std::to_string(kMostLanes) +
                     " is the maximum. Remove one first.");
  continue_from_shown();
  LiveLane& made = insert_lane(lanes, lane);
  using Arrival = LiveLane::Arrival;
  if (c.from_start)
    return start_catch_up(made, method, first, c.is_reference ? Arrival::reference : Arrival::active);
  arena->apply(pool, AddLane{lane, running_lane()});
  const LaneId before = std::exchange(active, lane);
  begin_origin(std::string("lane ") + lane_letter(lane) + " was added");
  begin_lane(made);
  if (!c.integrator.empty()) apply(Command(SetIntegrator{c.integrator}));
  if (c.tableau != nullptr) apply(Command(SetTableau{c.tableau}));
  if (c.substeps) apply(Command(SetParameter{"substeps", static_cast<double>(*c.substeps)}));
  if (c.stages) apply(Command(SetParameter{"stage-solve", static_cast<double>(*c.stages)}));
  add_sample(live(), NAN);
  if (!c.is_reference) return;
  active = before;
  refer_to(lane);
}

void SimulationThread::Impl::steer(const ChangeLanes& c) {
  if (std::holds_alternative<AddLane>(c.command)) throw InputError("NewLane adds a lane.");
  const LaneId lane = std::visit([](const auto& each) { return each.lane; }, c.command);
  continue_from_shown();
  LiveLane* const own = find_live(lane);
  const bool returns_now = own != nullptr && own->catching_up;
  const bool is_new = arena->find(lane) == nullptr;
  const bool removes = std::holds_alternative<RemoveLane>(c.command);
  if (removes && !is_new)
    remove(lane);
  else {
    if (!returns_now || !removes) arena->apply(pool, c.command);
    if (returns_now) cancel_catch_up(*own);
    follow_lanes();
  }
  if (!history.empty() && arena->time() < history.newest()->time) {
    continue_from_restored_state();
    restart_methods();
    if (removes)
      tell("Lane " + std::string(1, lane_letter(arena->lanes().front().id)) + " continues from " +
           format_plain(arena->time(), 3) + " s, the time that it has reached.");
  } else {
    follow_blow_ups();
  }
  const auto* join = std::get_if<JoinLane>(&c.command);
  if (join == nullptr || join->lane == join->from) return;
  begin_origin(std::string("lane ") + lane_letter(join->lane) + " joined lane " + lane_letter(join->from));
  request_estimate(live(join->lane));
}

void SimulationThread::Impl::steer(const SetLanes& c) {
  if (c.lanes.empty()) throw InputError("At least one lane must remain.");
  for (const LaneScene& each : c.lanes)  // a refusal changes nothing
    changed_scene(simulation().shared_scene(), SetScene{each.scene}, simulation().mesh());
  std::vector<LaneId> leave;
  for (const auto& each : lanes)
    if (!find_scene(c.lanes, each->id)) leave.push_back(each->id);
  const bool same = leave.empty() && c.lanes.size() == lanes.size();
  if (!same) continue_from_shown();
  for (const LaneScene& each : c.lanes)
    if (find_live(each.lane) == nullptr) restore(each);
  for (const LaneId lane : leave) steer(ChangeLanes{RemoveLane{lane}});
  for (const LaneScene& each : c.lanes) {
    const Lane* lane = arena->find(each.lane);
    if (lane != nullptr && !have_same_values(lane->simulation->scene(), *each.scene))
      apply_to(each.lane, SetScene{each.scene});
  }
}

void SimulationThread::Impl::apply_to(LaneId lane, const Command& command) {
  const LaneId before = std::exchange(active, lane);
  try {
    apply(command);
  } catch (...) {
    active = before;
    throw;
  }
  active = arena->find(before) != nullptr ? before : active;
}

void SimulationThread::Impl::steer(const ReviveLane& c) {
  (*arena)[c.lane];
  if (past && !past->by_itself()) continue_from_shown();  // where it may have been frozen
  LiveLane& lane = live(c.lane);
  if (runs(lane) || lane.catching_up) return;
  continue_from_shown();
  if (lane.blown && stands()) return revive(lane, tries_again_text(prospect(lane), good_time(lane)));
  start_catch_up(lane, simulation_of(lane).scene(), good_moment(c.lane));
}

void SimulationThread::Impl::steer(const SetHistoryMemory& c) {
  const double shown = past ? history[past->shown].time : 0;
  history.set_memory(c.bytes);
  if (past) show_past_state(history.nearest(shown));
}

void SimulationThread::Impl::steer(const ShowSpectrum& c) {
  spectrum = c;
  request_estimate(live(), false);
}

void SimulationThread::Impl::steer(Record& c) {
  end_recording();
  for (const Record::Recording& each : c.recordings) lanes_of(each);  // throws if there is none
  recordings = std::move(c.recordings);
  if (recordings.empty()) return;
  continue_from_shown();  // it begins with the shown state
  for (const Record::Recording& each : recordings)
    each.recorder->begin(pool, lanes_of(each), motion, [this] { queue.wake(); });
}

void SimulationThread::Impl::end_recording() {
  for (const Record::Recording& each : recordings) each.recorder->forget();
  recordings.clear();
}

std::vector<RunningLane> SimulationThread::Impl::lanes_of(const Record::Recording& recording) const {
  std::vector<RunningLane> of;
  for (const LaneId lane : recording.lanes) of.push_back({lane, &(*arena)[lane]});
  return of;
}

void SimulationThread::Impl::record_step(bool all_blew_up) {
  for (const Record::Recording& each : recordings) {
    const bool runs = std::ranges::any_of(each.lanes, [&](LaneId lane) { return arena->find(lane)->runs(); });
    if (all_blew_up ? each.recorder->settings().comparison : runs)
      each.recorder->add_step(pool, lanes_of(each), motion, 1e3 * arena->find(each.lanes.front())->cost.wall);
  }
}

void SimulationThread::Impl::steer(UseScene& c) {
  if (!c.loaded) throw InputError("There is no scene to use.");
  use(std::move(c.loaded), std::move(c.lanes));
  const bool plays = playing || resumes;
  const bool waits = c.waits || loaded->moment;
  playing = plays && !waits;
  resumes = plays && waits;
}

}  // namespace clothlab
