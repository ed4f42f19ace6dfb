// SPDX-License-Identifier: MIT
#include "session/simulation_thread.h"

#include <cmath>
#include <exception>
#include <limits>
#include <new>
#include <utility>

#include "core/error.h"
#include "core/overloaded.h"
#include "session/background.h"
#include "session/simulation_thread_impl.h"
#include "sim/contact.h"
#include "sim/parameters.h"

namespace clothlab {
namespace {

constexpr std::chrono::microseconds kPublishSpacing{8333};  // 120 Hz
constexpr std::chrono::milliseconds kEstimateSpacing{250};
constexpr std::chrono::seconds kRareEstimateSpacing{1};  // where little depends on it
constexpr std::chrono::seconds kWarningShown{1};
constexpr std::chrono::seconds kTimeToRead{2};  // an answer to the user
constexpr std::chrono::hours kLongestWait{1};
constexpr std::chrono::milliseconds kWriteSpacing{200};  // the most that a killed window loses
// A copy starts when nothing has changed for so long: while the mouse drags something, each would be in vain.
constexpr std::chrono::milliseconds kQuietBeforeCopy{100};
// A flood of requests must not keep the simulation from stepping.
constexpr int kRequestsPerStep = 256;
// Of a lane that catches up, in each step of the others.
constexpr int kReturnSteps = 4;
constexpr std::size_t kLongestSentence = 4096;

/// True if the entry may need a state before the moment of the file of the session, or changes the methods
/// that the offer to restore the session names: the file must begin again.
bool begins_file(const LogEntry& entry) {
  const auto* command = std::get_if<Command>(&entry.what);
  if (command == nullptr) return !std::holds_alternative<StateHash>(entry.what);
  return std::holds_alternative<SetIntegrator>(*command) || std::holds_alternative<SetTableau>(*command) ||
         std::holds_alternative<SetScene>(*command);
}

LaneTime time_now(WorkerPool& pool) {
  return {std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(),
          pool_seconds(pool)};
}

}  // namespace

SimulationThread::Impl::Impl(std::shared_ptr<const LoadedScene> begin, const Options& options)
    : pool(options.threads > 0 ? options.threads : hardware_threads()),
      session_journal(options.session_journal) {
  playing = options.playing;
  speed = std::clamp(options.speed, kMinSpeed, kMaxSpeed);
  look_ahead.threads = options.hardware > 0 ? options.hardware : hardware_threads();
  error.reserve(kLongestSentence);
  refused.reserve(kMostRefused);
  use(std::move(begin), {});
  publish(Clock::now());
  thread = std::thread([this] { run(); });
}

SimulationThread::Impl::~Impl() {
  queue.close();
  thread.join();
  end_recording();
}

/// Nothing but the destructor may end the thread: an error becomes a sentence in the snapshot.
template <class Body>
bool SimulationThread::Impl::guarded(Body&& body) {
  try {
    body();
    return true;
  } catch (const Cancelled&) {
    // Another scene is next, or the end.
  } catch (const std::bad_alloc&) {
    refuse("There is not enough memory for that.");
  } catch (const std::exception& e) {
    refuse(e.what());
  }
  return false;
}

void SimulationThread::Impl::run() {
  pacer.restart(Clock::now());
  while (!queue.closed()) {
    for (int i = 0; i < kRequestsPerStep && !queue.closed(); ++i) {
      std::optional<Request> request = queue.pop();
      if (!request) break;
      carry_out(*request);
    }
    if (!guarded([this] { keep_up(); })) {
      playing = false;
      published = Clock::now();  // so that a repeated error is not retried at once
    }
  }
  for (const auto& lane : lanes) {  // all monitors end in parallel
    lane->monitor.close();
    if (lane->copy) lane->copy->close();
  }
  // Requests before the end can still be saved.
  while (std::optional<Request> request = queue.pop()) {
    const auto* control = std::get_if<Control>(&request->what);
    if (control != nullptr &&
        (std::holds_alternative<KeepMoment>(*control) || std::holds_alternative<KeepJournal>(*control)))
      carry_out(*request);
  }
}

void SimulationThread::Impl::keep_up() {
  for_each_lane([this](LiveLane& lane) { adopt_estimate(lane); });
  look_ahead_of_lanes();
  Clock::time_point now = Clock::now();
  if (past && now >= past->next) show_next_past_state(now);
  if (dirty && now - published >= kPublishSpacing) publish(now);
  if (has_unwritten() && now - written.at >= kWriteSpacing) write_session(now);

  // A slow recording delays steps, but no request; it wakes the queue.
  const bool may_step =
      playing && std::ranges::none_of(recordings, [](const auto& each) { return each.recorder->full(); });
  if (may_step && now >= pacer.due()) {
    // Publish before a step that may be long, so that the window shows everything up to it. After a request
    // or a long step, the next one may be long.
    if (dirty && (unseen_request || timer(live()).last_wall() > 1e3 * Seconds(kPublishSpacing).count()))
      publish(now);
    step();
    // A lane that catches up must progress even if the others leave no time.
    if (is_catching_up() && pacer.due() <= Clock::now()) catch_up(Clock::now(), kReturnSteps);
    return;
  }
  // A run that is frozen shows its last state.
  if (spectrum.wanted && !may_step && live().requested_at != simulation_of(live()).state().t)
    request_estimate(live(), false);
  Clock::time_point until = now + kLongestWait;
  if (may_step) until = std::min(until, pacer.due());
  if (past) until = std::min(until, past->next);
  if (dirty) until = std::min(until, published + kPublishSpacing);
  if (has_unwritten()) until = std::min(until, written.at + kWriteSpacing);
  for (const auto& lane : lanes)
    if (lane->ahead.starts) until = std::min(until, *lane->ahead.starts);
  if (is_catching_up())
    catch_up(std::min(until, now + kPublishSpacing));
  else
    queue.wait(until);
}

bool SimulationThread::Impl::has_unwritten() const {
  return session_journal && session_journal->works() &&
         (written.loaded != loaded || written.end != arena->log().position());
}

void SimulationThread::Impl::write_session(Clock::time_point now) try {
  const CommandLog& log = arena->log();
  SessionPart part{.end = log.position(), .state = arena->hash()};
  std::uint64_t steps = 0;
  for (const Lane& lane : arena->lanes()) steps = std::max(steps, lane.simulation->steps());
  const std::uint64_t earlier = part.end.step - steps;  // changes where the run goes back
  const auto entries = log.entries().subspan(written.loaded == loaded ? written.entries : 0);
  if (written.loaded != loaded || written.earlier != earlier || session_journal->needs_moment() ||
      std::ranges::any_of(entries, begins_file)) {
    part.loaded = loaded;
    arena->save(pool, part.moment);
  } else {
    part.entries.assign(entries.begin(), entries.end());
  }
  session_journal->add(std::move(part));
  written = {loaded, log.position(), earlier, log.entries().size(), now};
} catch (const std::bad_alloc&) {
  written = {.at = now};  // the next part begins again
}

void SimulationThread::Impl::refuse(std::string_view sentence) noexcept {
  error.assign(sentence.substr(0, error.capacity()));
  ++errors;
  dirty = true;
}

void SimulationThread::Impl::carry_out(Request& request) {
  const std::shared_ptr<const Scene> before = simulation().shared_scene();
  const bool done = guarded([&] {
    std::visit(Overloaded{[this](const Command& command) { apply(command); },
                          [this](Control& control) { std::visit([this](auto& c) { steer(c); }, control); }},
               request.what);
  });
  follow_lanes();
  // A change of the scene stays, whatever failed after it.
  if (!done && simulation().shared_scene() == before) {
    if (refused.size() == kMostRefused) refused.erase(refused.begin());
    refused.push_back(request.stamp);
  }
  if (past && past->shown >= history.size()) past.reset();  // it was removed before the request failed
  follow_methods();
  applied = request.stamp;
  unseen_request = true;
  dirty = true;
}

void SimulationThread::Impl::step() {
  const Clock::time_point start = Clock::now();
  StepStatus status = StepStatus::stopped;
  try {
    const StepRuns runs_now(step_start);
    if (mouse_grab) pull();
    arena->watch(followed || motion.step_of);
    for (const auto& lane : lanes) lane->steps = runs(*lane);
    status = arena->step(pool, stop, time_now);
  } catch (...) {
    playing = false;
    throw;
  }
  const Clock::time_point end = Clock::now();

  if (status == StepStatus::stopped) return;
  dirty = true;
  cost.add(integrator_row(simulation().integrator()), std::abs(simulation().scene().dt),
           Seconds(end - start).count());
  for (const auto& lane : lanes)
    if (lane->steps && !lane->catching_up) adopt_step(*lane, end);
  if (status == StepStatus::blown_up) {
    resumes = std::exchange(playing, false);
    record_step(true);
    return;
  }
  if (simulation().scene().dt < 0)
    remember_step_back();
  else
    remember(true);
  record_step(false);
  pacer.stepped(simulation().scene().dt, speed, end);
  const auto spacing = [&](const LiveLane& lane) {
    const bool rarely = is_stable_at_every_step(lane) && !(spectrum.wanted && lane.id == active);
    const Clock::duration usual =
        rarely ? Clock::duration(kRareEstimateSpacing) : Clock::duration(kEstimateSpacing);
    return usual * static_cast<int>(lanes.size());
  };
  for (const auto& lane : lanes)
    if (runs(*lane) && end - lane->asked >= spacing(*lane)) request_estimate(*lane, false);
}

/// The effects of a step on a lane.
void SimulationThread::Impl::adopt_step(LiveLane& lane, Clock::time_point end) {
  const Lane& own = *arena->find(lane.id);
  timer(lane).add(1e3 * own.cost.processor, 1e3 * own.cost.wall);
  if (own.status == StepStatus::blown_up) return blow_up(lane);
  lane.blown.reset();
  const StepRecord& record = own.simulation->record();
  if (record.converged && record.warning.empty()) return;
  lane.warning = record.converged ? record.warning : record.reason;
  lane.warned_of_solve = !record.converged;
  lane.warned = end;
}

void SimulationThread::Impl::look_ahead_of_lanes() {
  if (const int needed = threads_for_copies(lanes.size()); needed != look_ahead.needed) {
    look_ahead.needed = needed;
    dirty = true;
  }
  const auto fail = [this](std::string why) {
    look_ahead.failure = std::move(why);  // the run continues
    refuse("Running ahead has ended: " + look_ahead.failure + ". Signs in past steps give the warnings.");
  };
  for_each_lane([&](LiveLane& lane) {
    try {
      look_ahead_of(lane);
    } catch (const std::bad_alloc&) {
      fail("there is not enough memory for a copy");
    } catch (const std::exception& e) {
      fail("a copy failed (" + std::string(e.what()) + ")");
    }
  });
}

void SimulationThread::Impl::look_ahead_of(LiveLane& lane) {
  if (arena->find(lane.id) == nullptr) return;
  const Simulation& run = (*arena)[lane.id];
  LiveLane::Ahead& ahead = lane.ahead;
  if (!look_ahead.on() || !runs(lane) || lane.catching_up || run.scene().dt < 0) {
    if (ahead.run != nullptr) dirty = true;
    lane.end_copy();
    return arena->warn(lane.id, nullptr);
  }
  if (!lane.copy) lane.copy = std::make_unique<LookAheadMonitor>([this] { queue.wake(); });
  if (const std::exception_ptr cause = lane.copy->error()) std::rethrow_exception(cause);
  const double t = run.state().t;
  const Clock::time_point now = Clock::now();
  if (ahead.run != &run || ahead.changes != run.changes() || ahead.alone != arena->is_alone()) {
    const bool begins = ahead.run == nullptr;
    ahead = {&run, run.changes(), arena->is_alone(), ahead.tag + 1, begins ? now : now + kQuietBeforeCopy};
    dirty = true;
  }
  if (ahead.starts) {
    if (now >= *ahead.starts) start_copy(lane);
  } else if (auto found = lane.copy->found(); found && found->tag == ahead.tag && found != ahead.found) {
    dirty = true;
    ahead.found = std::move(found);
    if (!ahead.pace.gains(ahead.found->prediction.reached - t)) start_copy(lane);
  }
  if (!ahead.starts) lane.copy->follow(t);
  if (!ahead.found || !warns(ahead.found->prediction, t)) return arena->warn(lane.id, nullptr);
  Prediction prediction = ahead.found->prediction;
  if (!playing) prediction.begin = -std::numeric_limits<double>::infinity();  // not quiet: no step follows
  arena->warn(lane.id, &prediction);
}

void SimulationThread::Impl::start_copy(LiveLane& lane) {
  const Simulation& run = (*arena)[lane.id];
  const auto now = std::make_shared<Checkpoint>();
  run.save(pool, *now);
  now->last_good = std::make_shared<State>(*now->last_good);  // the run may overwrite its own
  LiveLane::Ahead& ahead = lane.ahead;
  ahead = {&run, run.changes(), arena->is_alone(), ahead.tag + 1};
  lane.copy->begin({now, run.shared_mesh(), run.system().shared_model(), ahead.alone, ahead.tag});
  dirty = true;
}

void SimulationThread::Impl::tell_notices(LiveLane& lane) {
  std::string text;
  const std::string of_lane =
      arena->is_alone() ? std::string() : std::string("Lane ") + lane_letter(lane.id) + ": ";
  for (const Notice& notice : lane.new_notices.in(simulation_of(lane).notices()))
    text.append(text.empty() ? "" : "\n").append(of_lane).append(notice.text);
  if (text.empty()) return;
  // The user has not read an answer that is younger.
  if (Clock::now() - answered < kTimeToRead) text = last_answer + "\n" + text;
  show_message(std::move(text));
}

/// Does nothing if the grab is already there.
void SimulationThread::Impl::pull() {
  if (const Lane* bound = arena->find(grab_lane); bound == nullptr || !bound->runs())
    grab_lane = running_lane();
  const std::optional<GrabSpring>& grab = (*arena)[grab_lane].grab();
  if (!grab) return;
  const MoveCursor move = mouse_grab->pull((*arena)[grab_lane]);
  if (move.cursor != grab->cursor) arena->apply(pool, active, move);
}

void SimulationThread::Impl::publish(Clock::time_point now) {
  for (const auto& lane : lanes) tell_notices(*lane);
  const auto snapshot = std::make_shared<Snapshot>();
  static_cast<RunState&>(*snapshot) = *this;  // NOLINT(cppcoreguidelines-slicing): the part that both have
  show(live(), now, *snapshot);
  for (const auto& lane : lanes)
    if (lane->id != active) show(*lane, now, snapshot->others.emplace_back());
  if (past)
    snapshot->replay =
        ReplayPosition{past->shown - past->first, history.size() - past->first, history[past->shown].time};
  snapshot->refused = std::make_shared<const std::vector<std::uint64_t>>(refused);
  snapshot->actual_speed = playing ? pacer.actual_speed(now) : 0;
  snapshot->lag = lag();
  snapshot->method_ms = live().method_ms;
  snapshot->needs_replay = arena->log().needs_replay();
  snapshot->can_rewind = history.size() > 1;
  if (const Moment* left = history.left()) snapshot->left = left->time;
  if (!history.empty())
    snapshot->kept = {history[0].time, history.newest()->time, history.size(), history.bytes()};
  mailbox.put(snapshot);
  published = now;
  dirty = false;
  unseen_request = false;
}

void SimulationThread::Impl::show(LiveLane& lane, Clock::time_point now, LaneSnapshot& to) {
  const Simulation& simulation = simulation_of(lane);
  to.lane = lane.id;
  const Lane* own = arena->find(lane.id);
  const Moment::Part* then = past ? &history[past->shown].of(lane.id) : nullptr;
  // Otherwise it would continue from the shown shape of another lane.
  const bool was_there = then != nullptr && then->lane == lane.id;
  to.frozen = then != nullptr ? was_there && (then->frozen || then->held)
                              : own != nullptr && !own->runs() && !lane.catching_up;
  if (lane.catching_up && !was_there)
    to.catching_up = CatchingUp{lane.catching_up->from, simulation.state().t};
  Frame& frame = to.frame;
  capture(simulation, shown_scene(lane), frame);
  to.notices = simulation.notices().list();
  if (mouse_grab && frame.grab) frame.grab->cursor = mouse_grab->cursor();
  const State* seen = &simulation.state();
  if (then != nullptr) {
    const Checkpoint& shown = *then->checkpoint;
    seen = &shown.state;
    frame.positions = shown.state.x;
    frame.record = shown.record;
    frame.residuals = shown.residuals;
    frame.distance_forces.clear();
    to.notices = shown.notices.list();
    const Obstacles& values = frame.scene->obstacles;
    frame.obstacles =
        obstacles_at(values, values == shown.scene->obstacles ? shown.moves : ObstacleMoves(), shown.state.t);
    frame.moving_pins.clear();  // continuing from there keeps them where they are
  }
  // Contacts and intersections of all lanes, to compare contact models.
  Motion wanted = motion;
  if (lane.id != active) {
    wanted.velocities = wanted.forces = false;
    wanted.step_of.reset();
  }
  capture_motion(pool, simulation, *seen, wanted, frame);
  if (then != nullptr && wanted.contacts)
    frame.contacts = contacts_at(pool, *then->checkpoint, simulation.system().model(), simulation.mesh());
  to.origin = lane.origins.common;
  to.method_origin = lane.origins.method.since;
  to.integrator = integrator_row(simulation.integrator());
  to.step_ms = note_step_times(lane);
  to.stability = lane.stability;
  to.spectrum = lane.spectrum;
  if (was_there) {
    to.scene_then = then->checkpoint->scene;
    if (const auto blown = blow_up_at(lane, *then)) show_blow_up(*blown, to);
  } else if (then == nullptr && lane.blown && !lane.catching_up) {
    show_blow_up(*lane.blown, to);
  } else if (then == nullptr && lane.last_blow_up && simulation.shared_scene() == lane.last_blow_up->scene &&
             simulation.state().t < lane.last_blow_up->time) {
    to.blew_up_at = lane.last_blow_up->time;
  }
  if (then == nullptr && now - lane.warned < kWarningShown) {
    to.warning = lane.warning;
    to.converged = !lane.warned_of_solve;
  }
  if (lane.ahead.run != nullptr) {
    const auto& found = lane.ahead.found;
    const double reached = found ? found->prediction.reached - simulation.state().t : 0;
    to.ahead = std::max(reached, 0.0);
    to.ahead_ends = found && found->prediction.failures[0];
  }
  to.plot = lane.plot.share();
}

std::shared_ptr<const Scene> SimulationThread::Impl::shown_scene(LiveLane& lane) const {
  std::shared_ptr<const Scene> of_run = simulation_of(lane).shared_scene();
  if (!lane.catching_up) return of_run;
  LiveLane::Return& way = *lane.catching_up;
  const std::shared_ptr<const Scene> present = simulation().shared_scene();
  if (way.of_run != of_run || way.present != present) {
    Scene shown = with_method(*present, *of_run);
    shown.substeps = way.substeps;
    way.shown = std::make_shared<const Scene>(std::move(shown));
    way.of_run = std::move(of_run);
    way.present = present;
  }
  return way.shown;
}

void SimulationThread::Impl::show_blow_up(const BlownUpRun& blown, LaneSnapshot& to) {
  to.blow_up_sentence = blown.sentence;
  to.blow_up_text = blown.why;
  to.blow_up_h = blown.facts.h;
  to.blow_up_time = blown.facts.time;
  to.failed_spring = blown.facts.spring;
  if (contact_failed(blown.facts)) to.failed_contact = blown.facts.contact;
}

std::optional<RealTimeLag> SimulationThread::Impl::lag() {
  const double h = std::abs(simulation().scene().dt);
  const std::optional<double> seconds = cost.mean();
  if (!playing || !seconds || *seconds * speed <= h) return std::nullopt;
  RealTimeLag lag;
  RealTimeLag::Limit lowest{active, std::numeric_limits<double>::infinity()};
  for (const auto& lane : lanes) {
    if (!runs(*lane) && !lane->catching_up) continue;
    const std::optional<double> limit = prospect(*lane).largest_step;
    if (!limit) return lag;
    const int substeps =
        lane->catching_up ? lane->catching_up->substeps : simulation_of(*lane).scene().substeps;
    const double step = *limit * substeps;
    if (step < lowest.step) lowest = {lane->id, step};
  }
  lag.step = proposed = real_time_step(*seconds, speed, lowest.step, proposed);
  const double free = real_time_step(*seconds, speed, std::numeric_limits<double>::infinity());
  if (*proposed < free && std::isfinite(lowest.step)) lag.limit = lowest;
  return lag;
}

StepTimes SimulationThread::Impl::note_step_times(LiveLane& lane) {
  const StepTimes times = timer(lane).times();
  if (times.median > 0) lane.method_ms[integrator_row(simulation_of(lane).integrator())] = times.median;
  return times;
}

SimulationThread::SimulationThread(std::shared_ptr<const LoadedScene> loaded, const Options& options)
    : impl_(std::make_unique<Impl>(std::move(loaded), options)) {}

SimulationThread::~SimulationThread() = default;

std::uint64_t SimulationThread::send(Command command) { return impl_->queue.push(std::move(command)); }
std::uint64_t SimulationThread::send(Control control) { return impl_->queue.push(std::move(control)); }

std::shared_ptr<const Snapshot> SimulationThread::latest() const { return impl_->mailbox.get(); }

double SimulationThread::running_step_seconds() const {
  using Clock = Impl::Clock;
  const Clock::rep start = impl_->step_start.load(std::memory_order_relaxed);
  if (start == Impl::kNoStep) return 0;
  return std::max(0.0, Impl::Seconds(Clock::now() - Clock::time_point(Clock::duration(start))).count());
}

}  // namespace clothlab
